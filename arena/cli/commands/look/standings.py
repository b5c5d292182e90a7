"""``arena standings``: of a run, or of results from anywhere."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Annotated, Final

import typer

from arena.cli import choices
from arena.cli.command import command
from arena.cli.options import AsJson
from arena.cli.terminal.console import columns, is_colored, out
from arena.documents.bad_input import BadInput
from arena.runs.reader import StoredRun
from arena.views.standings.results import read_parts
from arena.views.standings.standings import Part, Table, check_form, parts_of, render, table_of

_STANDARD_INPUT: Final = "standard input"


@dataclass(frozen=True, kw_only=True)
class StandingsOptions:
    """Print the table of a run, or of results from anywhere.

    Of a run also while it is being played: then with the games so far. Results have one JSON object
    per game and line: {"deal": "d17", "seats": ["a", "b"], "places": [1, 2]}.

    \b
    arena standings runs/quickstart
    arena standings runs/quickstart --full
    arena standings runs/quickstart --format md
    arena standings results.jsonl --anchor baseline --elo 0
    """

    source: Annotated[
        Path,
        typer.Argument(
            metavar="RUN|FILE", help="The folder of a run; or results, - for standard input."
        ),
    ]
    form: Annotated[
        str, typer.Option("--format", autocompletion=choices.forms, help="txt, md, csv or json.")
    ] = "txt"
    full: Annotated[
        bool, typer.Option("--full", help="With crosstable, differences, ranks, cycles and more.")
    ] = False
    anchor: Annotated[
        str | None,
        typer.Option(metavar="BOT", help="Of results: whose Elo is fixed. Default: the mean."),
    ] = None
    elo: Annotated[
        float | None, typer.Option(help="Of results: Elo of the fixed point. Default: 1000.")
    ] = None
    as_json: AsJson = False


def print_standings(options: StandingsOptions) -> None:
    """The table, or the full pages. Raises BadInput or StoreError."""
    check_form(options.form)
    if _is_file(options.source):
        _print_results(options)
        return
    for flag, given in (("--anchor", options.anchor), ("--elo", options.elo)):
        if given is not None:
            raise BadInput(f"{flag}: found {given} for a run, expected it in its tournament file")
    run = StoredRun(options.source)
    table = _full(run.manifest.title, parts_of(run)) if options.full else table_of(run)
    print_table(table, options.form)


def _full(source: str, parts: Sequence[Part]) -> Table:
    """The tables with all their panels."""
    from arena.views.standings.panels import full_section

    return Table(source, tuple(full_section(*part) for part in parts))


def print_table(table: Table, form: str, warnings: Sequence[str] = ()) -> None:
    """Print the answer of ``run`` and ``standings``."""
    shown = render(table, form, width=columns(), color=is_colored(), warnings=warnings)
    out(shown.rstrip("\n"))


def _is_file(source: Path) -> bool:
    """Whether results are meant; a name alone that there is not may be that of a run."""
    return not source.is_dir() and (str(source) == "-" or source.exists() or bool(source.suffix))


def _print_results(options: StandingsOptions) -> None:
    """Raises BadInput."""
    elo = 1000.0 if options.elo is None else options.elo
    if not isfinite(elo) or abs(elo) > 1e6:
        raise BadInput(f"--elo: found {elo}, expected a number from -1000000 to 1000000")
    with _as_file(options.source) as (path, name):
        parts = read_parts(path, name, options.anchor, elo, full=options.full)
    if options.full:
        table = _full(name, parts)
    else:
        table = Table(name, tuple(part.section for part in parts))
    print_table(table, options.form)


@contextmanager
def _as_file(path: Path) -> Iterator[tuple[Path, str]]:
    """(what to read, its name); standard input is kept, because it may be read twice."""
    if str(path) != "-":
        yield path, str(path)
        return
    with tempfile.NamedTemporaryFile(prefix="arena-results-") as kept:
        shutil.copyfileobj(sys.stdin.buffer, kept)
        kept.flush()
        yield Path(kept.name), _STANDARD_INPUT


COMMAND: Final = command(print_standings)
