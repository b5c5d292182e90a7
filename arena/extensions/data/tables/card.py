"""The files beside tables: ``manifest.json`` for programs, ``README.md`` for people."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from arena import __version__
from arena.extensions.data.tables.columns import SCHEMA, TABLES, DataTable
from arena.values import clean
from arena.values.document import regular
from arena.values.numbers import count

MANIFEST: Final = "manifest.json"
README: Final = "README.md"


class ExportedRun(msgspec.Struct, frozen=True, kw_only=True):
    """A run in a folder of tables."""

    run: str
    """Value of the column ``run``."""
    commitment: str
    games: int
    held_back: int
    """Number of games left out because their deals were not completed."""
    thinned: int = 0
    """Number of games without plies because their records were removed by rule."""
    lost: int = 0
    """Number of games without plies because their records are lost."""
    bad_numbers: int = 0
    """Number of plies with an ``eval`` or ``nodes`` that is no number; they are null."""


class TableFile(msgspec.Struct, frozen=True):
    """A file with a table."""

    table: str
    file: str
    rows: int


class TablesManifest(msgspec.Struct, frozen=True, kw_only=True):
    """Content of ``manifest.json`` in a folder of tables."""

    schema: str = SCHEMA
    arena: str = __version__
    format: str
    view: str = "all"
    """Reader of the tables: all, public, or for BOT."""
    tables: tuple[TableFile, ...]
    runs: tuple[ExportedRun, ...]


def manifest_bytes(manifest: TablesManifest) -> bytes:
    """Return the content of ``manifest.json``, with the columns of the tables."""
    document = msgspec.to_builtins(manifest)
    for table in document["tables"]:
        table["columns"] = [
            {"name": each.name, "type": each.kind.value, "unit": each.unit, "meaning": each.meaning}
            for each in TABLES[table["table"]].columns
        ]
    return clean.json_document(document).encode()


def read_manifest(folder: Path) -> TablesManifest | None:
    """Return the manifest of a folder of tables; None if it is no such folder."""
    try:
        with open(folder / MANIFEST, "rb", opener=regular) as file:
            found = msgspec.json.decode(file.read(), type=TablesManifest)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    return found if found.schema == SCHEMA else None


def card(manifest: TablesManifest) -> str:
    """Return the dataset card as Markdown."""
    return "\n".join(_lines(manifest)) + "\n"


def _lines(manifest: TablesManifest) -> Iterator[str]:
    names = ", ".join(clean.markdown(run.run) for run in manifest.runs)
    games = sum(run.games for run in manifest.runs)
    yield f"# Games of {names}"
    yield ""
    of = f"`{SCHEMA}`, arena {manifest.arena}"
    yield f"{count(games, 'game')} between programs, as tables ({of}). Null means unknown."
    yield "Actions and observations are JSON as text. Seeds are in no table."
    if manifest.view != "all":
        reader = "spectators" if manifest.view == "public" else manifest.view.removeprefix("for ")
        yield f"The tables have what {clean.markdown(reader)} may see; everything else is null."
    yield ""
    yield "| run | games | commitment | left out |"
    yield "|---|---|---|---|"
    for run in manifest.runs:
        left = "; ".join(left_out(run)) or "nothing"
        yield f"| {clean.markdown(run.run)} | {run.games} | `{run.commitment}` | {left} |"
    yield ""
    yield "Licence: none is stated here. Add one before you publish these files. Remarks of bots"
    yield "(`info`) were written by their authors."
    for each in manifest.tables:
        table = TABLES[each.table]
        yield ""
        yield f"## {each.file}"
        yield ""
        yield f"{count(each.rows, 'row')}, one for each {table.row}."
        yield ""
        yield from column_lines(table)


def column_lines(table: DataTable) -> Iterator[str]:
    """Yield the lines of a Markdown table of the columns."""
    yield "| column | type | unit | meaning |"
    yield "|---|---|---|---|"
    for column in table.columns:
        kind = "JSON as text" if column.kind.value == "json" else column.kind.value
        yield f"| {column.name} | {kind} | {column.unit} | {column.meaning} |"


def without_plies(thinned: int, lost: int) -> Iterator[str]:
    """Yield a phrase for the games with thinned records, and one for those with lost ones."""
    if thinned:
        yield f"plies of {count(thinned, 'game')}, whose records the run keeps no longer"
    if lost:
        yield f"plies of {count(lost, 'game')}, whose records are lost"


def left_out(run: ExportedRun) -> Iterator[str]:
    """Yield what the tables lack of a run, one phrase for each reason."""
    if run.held_back:
        yield f"{count(run.held_back, 'game')} of deals that are not completed"
    yield from without_plies(run.thinned, run.lost)
    if run.bad_numbers:
        yield f"eval or nodes of {count(run.bad_numbers, 'remark')}, which are no numbers"
