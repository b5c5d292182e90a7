"""``arena ladder``: keep a competition running for weeks."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Final

import typer

from arena.cli.command import command
from arena.cli.common import AsJson, Quiet, Verbose
from arena.cli.terminal import console
from arena.cli.terminal.announce import announced
from arena.cli.terminal.reporter import Reporter
from arena.extensions.ladder.admission import examiner
from arena.extensions.ladder.book import Book
from arena.extensions.ladder.days import Clock
from arena.extensions.ladder.file import Ladder, TableForm, load_ladder
from arena.extensions.ladder.keeper import Keeper, LadderContext, StopReason, locked
from arena.extensions.ladder.store import Quarantine
from arena.extensions.ladder.table import document, render, table_of, tracked_secrets
from arena.runs.config.tournament import Tournament
from arena.runs.live import log_to
from arena.runs.manifest import is_run
from arena.runs.reader import StoredRun, with_authors
from arena.tournament.events import Judge, Listener
from arena.tournament.prepare import PlayResult, play, with_workers
from arena.tournament.run import Run
from arena.values.bad_input import BadInput
from arena.values.option import Arg, On, Opt, Settings, Workers

_TRACKED: Final = (
    "{}: is tracked by git: everybody who can read that repository knows all deals to come"
)
_REMEDY: Final = (
    "if an author can read it, begin another ladder outside of it, with another seed;",
    "if not, take the file out (git rm --cached), or play on as it is with --tracked-seed",
)


@dataclasses.dataclass(frozen=True, kw_only=True)
class LadderOptions:
    """Keep a competition going for weeks.

    LADDER is a folder with a ladder.yaml. What authors put into submissions/AUTHOR/BOT is checked
    and enters; round after round is played within the day's budget; LADDER/table.md shows how it
    stands. However it is stopped, the same command continues it.

    \b
    arena ladder tournaments/ladder
    arena ladder tournaments/ladder --once
    arena ladder tournaments/ladder --publish public
    arena ladder tournaments/ladder --status
    """

    folder: Annotated[
        Path,
        Arg("A folder with a ladder.yaml.", metavar="LADDER", completes="ladders"),
    ]
    once: Annotated[
        bool,
        Opt("End when today's budget is played; without a budget, after one round."),
    ] = False
    rounds: Annotated[int | None, Opt("End after this many rounds.", least=1)] = None
    status: Annotated[bool, Opt("Print the table, and play nothing.")] = False
    retry: Annotated[bool, Opt("Check bots again during whose check the ladder was killed.")] = (
        False
    )
    site: Annotated[
        Path | None,
        Opt("Also write its public pages to this folder.", metavar="FOLDER"),
    ] = None
    publish: Annotated[
        Path | None,
        Opt(
            "Also write all that is public to this folder: tables, pages, and the "
            "proof if names are shown.",
            metavar="FOLDER",
        ),
    ] = None
    tracked_seed: Annotated[
        bool,
        Opt("Play although git tracks the seed, because no author can read it there."),
    ] = False
    settings: Settings = ()
    workers: Workers = None
    on: On = None
    quiet: Quiet = False
    verbose: Verbose = False
    as_json: AsJson = False


def keep_ladder(options: LadderOptions) -> None:
    """Keep the ladder until a person ends it. Ends with typer.Exit for every code but 0."""
    if not options.folder.is_dir():
        raise BadInput(f"LADDER: found no folder {options.folder}, expected one with a ladder.yaml")
    if options.status:
        for flag in ("once", "rounds", "retry", "site", "publish"):
            if getattr(options, flag):
                raise BadInput(f"--status: found --{flag} beside it, expected only one of them")
    ladder = load_ladder(options.folder, options.settings)
    if options.status:
        _print(ladder, options)
        return
    if not options.tracked_seed and (found := [*tracked_secrets(ladder)]):
        raise BadInput(*(_TRACKED.format(path) for path in found), *_REMEDY)
    budget, rounds = ladder.file.budget, options.rounds
    if options.once and rounds is None and budget.wall is None and budget.games is None:
        rounds = 1
    terms = LadderContext(
        clock=Clock(),
        play=_Player(options).play,
        examine=examiner(ladder.plan, ladder.file.check, ladder.file.authors.built),
        say=_quiet if options.quiet else console.say,
        report=console.tell_bug,
        workers=lambda each: with_workers(each, options.workers, options.on),
        publish=_publisher(ladder, options),
    )
    with locked(ladder.folder), Keeper(ladder, terms) as keeper:
        if options.retry:
            keeper.reception.retry()
        ending = keeper.keep(once=options.once, rounds=rounds)
    with console.ignoring_closed_output():
        _print(ladder, options)
    if ending is StopReason.INTERRUPTED:
        raise typer.Exit(console.Exit.INTERRUPTED)
    if ending is StopReason.STUCK:
        raise typer.Exit(console.Exit.INVALID_RUN)


class _Player:
    """Player of the rounds of a ladder, shown as a person sees them."""

    def __init__(self, options: LadderOptions) -> None:
        self._reporter = Reporter(quiet=options.quiet, verbose=options.verbose)
        self._quiet = options.quiet
        self._is_first = True

    def play(self, tournament: Tournament, run: Run, judge: Judge) -> PlayResult:
        """See ``keeper.Play``."""
        listener: Listener = self._reporter
        if self._is_first and not self._quiet:
            listener = announced(tournament, run, listener)
        self._is_first = False
        log_to(run.folder)
        return play(tournament, run, listener, judge)


def _publisher(ladder: Ladder, options: LadderOptions) -> Callable[[StoredRun], object]:
    """Return a function that writes the pages and folders asked for. Raises BadInput."""
    site, targets = options.site, list[Callable[[StoredRun], object]]()
    if options.publish is not None:
        from arena.extensions.ladder.table import Publication

        targets.append(Publication(ladder, options.publish).write)
    if site is not None:
        from arena.extensions.browser.site.folder import Options
        from arena.extensions.browser.site.write import write_site

        targets.append(lambda run: write_site(run, site, Options()))
    return lambda run: [write(run) for write in targets]


def _quiet(text: str) -> None:
    pass


def _print(ladder: Ladder, options: LadderOptions) -> None:
    run = with_authors(ladder.run) if is_run(ladder.run) else None
    table = table_of(ladder, run, Book(ladder.folder))
    warnings = tuple(map(str, Quarantine(ladder.folder).cases.values()))
    if options.as_json:
        console.print_document(document(table, warnings))
        return
    console.out_text(render(table, TableForm.TXT, console.columns()).rstrip("\n"))
    for each in warnings:
        console.warn(each)


COMMAND: Final = command(keep_ladder, outlives_terminal=True)
