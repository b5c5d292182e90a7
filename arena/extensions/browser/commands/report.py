"""``arena report``: a run as a page for the browser."""

from __future__ import annotations

import os
import webbrowser
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import msgspec

from arena import extensions
from arena.cli.command import command
from arena.cli.common import AsJson, History, Preparers, Quiet, RunFolder, output_option
from arena.cli.terminal.console import out, print_document, say
from arena.cli.terminal.progress import PreparedGames, warn_of_damage
from arena.cli.terminal.signals import interrupting
from arena.extensions.browser.page.files import Files, folder_of, size_text, target_of
from arena.extensions.browser.page.games import parse_wanted, prepared
from arena.extensions.browser.page.report import RunReport
from arena.extensions.publishing.visible import held_back_words
from arena.runs.reader import with_authors
from arena.values.bad_input import BadInput, NothingToDo
from arena.values.numbers import count
from arena.values.option import Opt
from arena.values.schema import RunAnswer
from arena.views.standings.asked import Asked
from arena.views.standings.standings import Combining
from arena.views.tables import PageBlock


class ReportData(msgspec.Struct, frozen=True):
    """Content of ``ReportDocument``."""

    path: str
    folder: str | None
    """Name of the folder with games beside the page; None if the page has all."""
    bytes: int
    games: int
    listed: int
    documents: int
    """Number of games to step through."""
    held_back: int


class ReportDocument(RunAnswer[ReportData], frozen=True, tag="arena.report/1"):
    """A report that was written."""


@dataclass(frozen=True, kw_only=True)
class ReportOptions:
    """Write a run as a page for the browser.

    The page has tables, charts and games to step through in one file, which needs no network. Games
    of more than 8 MB are put into a folder beside it, report-games for report.html, which has to go
    where the file goes. The page of a run that is still being played has the games so far. Exit
    code 5 if there is no game yet.

    \b
    arena report runs/quickstart --open
    arena report runs/quickstart --games faults -o faults.html
    arena report runs/quickstart --view spectator -o public.html
    arena report runs/november --history mine --also runs/october
    """

    folder: RunFolder
    output: Annotated[
        Path | None, output_option("File to write. Default: report.html in the run folder.", "FILE")
    ] = None
    games: Annotated[
        str | None,
        Opt(
            "Games to step through; N: at most N. Default: 1000, those with faults before others.",
            metavar="all|none|faults|N",
        ),
    ] = None
    view: Annotated[
        str,
        Opt(
            "What to show: all, or only what every spectator may know.", one_of=("all", "spectator")
        ),
    ] = "all"
    workers: Preparers = None
    history: History = ()
    also: Annotated[
        tuple[str, ...],
        Opt(
            "Further run or file in which its versions played. Repeatable.",
            metavar="RUN|FILE",
            completes="runs",
        ),
    ] = ()
    open_it: Annotated[bool, Opt("Open the page in the browser.", "--open")] = False
    quiet: Quiet = False
    as_json: AsJson = False


def write_run_page(options: ReportOptions) -> None:
    """Write the page and say where it is. Raises BadInput, NothingToDo, StoreError."""
    wanted = parse_wanted(options.games)
    over_time = _histories(options)
    if options.output is not None:
        target_of(options.output)  # report a bad path before everything is read
    report = RunReport(with_authors(options.folder), wanted, is_public=options.view == "spectator")
    if not report.games:
        raise NothingToDo(_without_games(options, report))
    target = target_of(options.output or options.folder / "report.html")
    with interrupting():  # so that no partial file remains
        size, documents = _write(options, report, target, over_time)
    warn_of_damage(report.damaged)
    _tell(options, report, target, size, documents)
    if options.open_it and not webbrowser.open(target.absolute().as_uri()):
        say("no browser could be started")


def _without_games(options: ReportOptions, report: RunReport) -> str:
    """Return a sentence that says why there is nothing to show."""
    voids, held_back = len(report.voids), report.held_back
    voided = f"; {count(voids, 'void')} so far" if voids else ""
    held = f"; {count(held_back, 'game')} may not be shown yet" if held_back else ""
    return f"{options.folder}: no game of this run is stored yet{voided}{held}"


def _histories(options: ReportOptions) -> list[PageBlock]:
    """Return the histories that were asked for. Raises BadInput or StoreError."""
    if not options.history:
        if options.also:
            raise BadInput("--also: found it without --history, expected whose history it is for")
        return []
    if options.view == "spectator":
        raise BadInput("--history: found it with --view spectator, which shows only what has ended")
    combine: Combining = extensions.need("--history", "several")
    paths = [options.folder, *map(Path, options.also)]
    parts = combine([(path, str(path)) for path in paths], Asked().model, history=options.history)
    bots = " and ".join(options.history)
    return [
        block._replace(title=f"{bots}: {part.section.title}")
        for part in parts
        for block in (part.section.panels() if part.section.panels is not None else ())
    ]


def _write(
    options: ReportOptions,
    report: RunReport,
    target: Path,
    over_time: Sequence[PageBlock],
) -> tuple[int, int]:
    """Write the page; return its size in bytes, with its folder, and its number of games."""
    jobs = options.workers or os.cpu_count() or 1
    tasks = report.tasks()
    with Files(target) as files, PreparedGames(len(tasks), quiet=options.quiet) as counter:
        for game in prepared(tasks, report.source, jobs):
            report.take(game)
            if game.document:
                files.add(game.number, game.document)
            counter.step()
        page = report.page(files.folder, files.place)._replace(histories=over_time)
        from arena.extensions.browser.page.render import html

        return files.finish(html(page, files.inside)), page.listing.documents


def _tell(
    options: ReportOptions, report: RunReport, target: Path, size: int, documents: int
) -> None:
    folder = folder_of(target)
    beside = folder.name if folder.is_dir() else ""
    if options.as_json:
        data = ReportData(
            path=str(target),
            folder=beside or None,
            bytes=size,
            games=report.games,
            listed=len(report.listed),
            documents=documents,
            held_back=report.held_back,
        )
        warnings = tuple(report.damaged)
        print_document(ReportDocument(run=report.manifest.title, data=data, warnings=warnings))
        return
    games = count(report.games, "game")
    stepped = "" if documents == report.games else f", {documents} of them to step through"
    out(f"{target}: {size_text(size)}, {games}{stepped}")
    if beside:
        say(f"the games are in {folder}, which has to go where the page goes")
    if report.expired:
        say(report.expired)
    if report.held_back:
        say(held_back_words(report.held_back))


COMMAND: Final = command(write_run_page)
