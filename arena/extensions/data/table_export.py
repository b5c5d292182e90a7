"""Write tables of games and print what was written."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from arena.cli.terminal.console import out, print_document, say
from arena.cli.terminal.progress import counting
from arena.extensions.data.export.pack import PackError, check_target
from arena.extensions.data.tables.card import ExportedRun, TableFile, TablesManifest, left_out
from arena.extensions.data.tables.columns import DECISIONS, TABLES
from arena.extensions.data.tables.source import ChosenGames, TableView
from arena.extensions.data.tables.write import TableOrder, check_runs, write_tables
from arena.runs.reader import StoredRun
from arena.values.bad_input import BadInput
from arena.values.numbers import count
from arena.values.problems import check_one_of
from arena.values.schema import CommandAnswer
from arena.views.game.rows import GameFilter

_ALL: Final = "all"
_EVERY: Final = 100
"""Number of games between two updates of the live line."""


class TablesData(msgspec.Struct, frozen=True):
    """Content of ``TablesDocument``."""

    path: str
    format: str
    tables: tuple[TableFile, ...]
    runs: tuple[ExportedRun, ...]


class TablesDocument(CommandAnswer, frozen=True, kw_only=True, tag="arena.export-tables/1"):
    """Tables of games that were written."""

    data: TablesData
    warnings: tuple[str, ...]


def export_tables(
    runs: Sequence[StoredRun], wanted: GameFilter, order: TableOrder, *, as_json: bool
) -> None:
    """Write tables and print what they have and lack. Raises BadInput or StoreError."""
    try:
        check_target(order.path, force=order.force or order.append)
    except PackError as error:
        also = ", --append adds to it" if str(error).endswith("--force replaces it") else ""
        raise PackError(f"{error}{also}") from None
    sources = [ChosenGames(run, wanted, order.view) for run in runs]
    check_runs(sources, order)
    with counting("games written", _EVERY) as show:
        written = write_tables(sources, order, show)
    if as_json:
        _print_document(order.path, written)
    else:
        _tell(order.path, written)


def read_tables(text: str, view: TableView) -> tuple[str, ...]:
    """Return the names of tables that ``all`` or a list with commas means. Raises BadInput.

    Spectators see no questions to bots, so for them ``all`` leaves out the decisions.
    """
    names = tuple(dict.fromkeys(each.strip() for each in text.split(",")))
    for name in names:
        check_one_of("--tables", name, [_ALL, *TABLES])
    known = [name for name in TABLES if not (view.is_public and name == DECISIONS.name)]
    if _ALL in names:
        return tuple(known)
    for name in names:
        if name not in known:
            raise BadInput(f"--tables: found {name} with --public, but spectators see no questions")
    return names


def _tell(path: Path, written: TablesManifest) -> None:
    rows = ", ".join(f"{each.file} {count(each.rows, 'row')}" for each in written.tables)
    out(f"{path}: {rows}")
    for run in written.runs:
        for words in left_out(run):
            say(f"{run.run}: left out: {words}")


def _print_document(path: Path, written: TablesManifest) -> None:
    data = TablesData(str(path), written.format, written.tables, written.runs)
    print_document(TablesDocument(data=data, warnings=()))
