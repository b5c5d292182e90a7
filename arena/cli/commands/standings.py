"""``arena standings``: the table of a run, or of results from any source."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

from arena import extensions
from arena.cli.command import command
from arena.cli.common import AsJson, History, round_option, run_folder
from arena.cli.terminal.console import out_text, print_table
from arena.runs.growth.past import as_of
from arena.runs.reader import StoredRun, ladder_of
from arena.values.bad_input import BadInput, lacking
from arena.values.option import Arg, Opt
from arena.views.standings.standings import (
    TRF,
    Combining,
    SectionData,
    StandingsTable,
    parts_of,
    read,
    table_of,
)

if TYPE_CHECKING:
    from arena.views.standings.asked import Asked
    from arena.views.standings.tables import Section

_STANDARD_INPUT: Final = "standard input"


@dataclass(frozen=True, kw_only=True)
class StandingsOptions:
    """Print the table of a run, or of results from anywhere.

    Several runs or files give one table. A run that is still being played is shown with the games
    so far. A file of results has one JSON object per game and line:
    {"deal": "d17", "seats": ["a", "b"], "places": [1, 2]}.

    \b
    arena standings runs/quickstart
    arena standings runs/quickstart --full
    arena standings runs/cup --round 3
    arena standings results.jsonl --anchor baseline=0
    arena standings runs/october runs/november more.jsonl
    arena standings runs/* --history mine
    """

    sources: Annotated[
        tuple[str, ...],
        Arg(
            "Folders of runs; files of results or PGN, - for standard input.",
            metavar="RUN|FILE...",
            completes="runs",
        ),
    ]
    form: Annotated[
        str,
        Opt(
            "Form of the output; --json is short for json. trf: FIDE's report file, of a "
            "Swiss run at two seats.",
            "--format",
            shows_default=False,
            one_of=("txt", "md", "csv", "json", "trf"),
        ),
    ] = "txt"
    full: Annotated[bool, Opt("Add crosstable, differences, ranks, cycles and more.")] = False
    until: Annotated[
        int | None, round_option("The table as it was when this round had ended.", "--round")
    ] = None
    join_versions: Annotated[
        bool, Opt("With several runs: count all versions of a bot as one bot.")
    ] = False
    anchors: Annotated[
        tuple[str, ...],
        Opt(
            "Set the rating of a bot. Repeatable. Default: as the run says, else the mean.",
            "--anchor",
            metavar="BOT[=ELO[+-ERROR]]",
        ),
    ] = ()
    elo: Annotated[float | None, Opt("Elo of the anchor, or of the mean. Default: 1000.")] = None
    prior: Annotated[
        float | None,
        Opt(
            "Drawn games against a mean bot with which every bot begins. Default: 1.",
            metavar="GAMES",
        ),
    ] = None
    no_seats: Annotated[bool, Opt("Assume that all seats are worth the same.")] = False
    history: History = ()
    as_json: AsJson = False


def print_standings(options: StandingsOptions) -> None:
    """Print the table, or the full pages. Raises BadInput or StoreError."""
    from arena.views.standings.asked import Asked

    asked = Asked(options.anchors, options.elo, options.prior, not options.no_seats)
    if asked != Asked():
        asked.check()
    if options.full and (lacks := lacking("studies")):
        raise BadInput(f"--full: {lacks}")
    paths = [run_folder(Path(text)) for text in options.sources]
    if options.form == TRF:
        _print_report_file(paths, options)
        return
    if len(paths) == 1 and not _is_file(paths[0]) and not options.history:
        print_table(_of_run(paths[0], asked, options), options.form)
    elif options.until is not None:
        raise BadInput("--round: expected it with the folder of one run, and without --history")
    else:
        print_table(_of_several(paths, asked, options), options.form)


def _print_report_file(paths: Sequence[Path], options: StandingsOptions) -> None:
    usual = StandingsOptions(sources=options.sources, until=options.until)
    if replace(options, form="txt") != usual:
        raise BadInput("--format: found trf beside another option, expected it alone, or --round")
    if len(paths) != 1 or _is_file(paths[0]):
        raise BadInput("--format: found trf, expected the folder of one run")
    report_file = extensions.need("--format: found trf", "standings", TRF)
    run = _run(paths[0], options)
    counted, verdict, _ = read(run)
    out_text(report_file(run, counted.played, verdict).rstrip("\n"))


def _run(folder: Path, options: StandingsOptions) -> StoredRun:
    """Open a run, as it was when the round that was asked for had ended."""
    run = StoredRun(folder)
    if ladder_of(folder) is not None:
        from arena.runs.reader import with_authors

        run = with_authors(folder, run.manifest)
    return run if options.until is None else as_of(run, options.until, "--round")


def _of_run(folder: Path, asked: Asked, options: StandingsOptions) -> StandingsTable:
    from arena.views.standings.asked import Asked, begun_with

    run, model = _run(folder, options), None
    if asked != Asked():
        model = asked.model(run.manifest.entrants, begun_with(run.manifest))
    if not options.full:
        return table_of(run, model)
    return StandingsTable(run.manifest.title, tuple(map(_full, parts_of(run, asked=model))))


def _of_several(paths: Sequence[Path], asked: Asked, options: StandingsOptions) -> StandingsTable:
    where = "--history" if options.history else "RUN|FILE"
    combine: Combining = extensions.need(where, "several")
    with _readable(paths) as found:
        parts = combine(
            found,
            asked.model,
            joined=options.join_versions,
            full=options.full,
            history=options.history,
        )
        sections = [_full(part) if options.full else part.section for part in parts]
    return StandingsTable(", ".join(name for _, name in found), tuple(sections))


def _full(part: SectionData) -> Section:
    """Return the table with all its panels."""
    from arena.views.standings.measured import full_section

    return full_section(part)


def _is_file(source: Path) -> bool:
    """Return whether ``source`` is a results file; a missing path without suffix may be a run."""
    return not source.is_dir() and (str(source) == "-" or source.exists() or bool(source.suffix))


@contextmanager
def _readable(paths: Sequence[Path]) -> Iterator[list[tuple[Path, str]]]:
    """Yield the paths to read and their names; standard input is copied, as it may be read twice.

    Raises BadInput.
    """
    if paths.count(Path("-")) > 1:
        raise BadInput("RUN|FILE: found - twice, expected standard input once")
    with tempfile.NamedTemporaryFile(prefix="arena-results-") as kept:
        if Path("-") in paths:
            shutil.copyfileobj(sys.stdin.buffer, kept)
            kept.flush()
        found = []
        for path in paths:
            if str(path) == "-":
                found.append((Path(kept.name), _STANDARD_INPUT))
            elif path.is_dir() or _is_file(path):
                found.append((path, str(path)))
            else:
                raise BadInput(f"{path}: no such run or file of results")
        yield found


COMMAND: Final = command(print_standings)
