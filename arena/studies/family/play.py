"""Several candidates play, or go on with that, until it is known what was asked."""

from __future__ import annotations

import dataclasses
import time
from itertools import count as count_from
from pathlib import Path
from typing import Final

import msgspec

from arena import __version__
from arena.config.families import FamilyTerms, family_terms
from arena.config.tournament import Tournament
from arena.documents.bad_input import BadInput
from arena.documents.problems import printable, quote, shown_path
from arena.entrants.entrants import Entrant
from arena.ratings.family.report import BestTest, FamilyReport
from arena.ratings.match.report import Criteria, Measure, Side
from arena.runs.disk import cannot_write
from arena.runs.identity import identity, identity_digest
from arena.runs.manifest import FamilySource, Until
from arena.schedule.keys import Lineup
from arena.studies.family.judge import REPORT, Contest, FamilyJudge, contest_of, write_report
from arena.studies.listener import Listener
from arena.studies.match.play import MatchInterrupted, is_loose, warn_of_commands
from arena.text.numbers import count
from arena.tournament.prepare import opened_to_play, with_bots, with_workers
from arena.tournament.progress import Progress
from arena.tournament.run import open_seed

GAP: Final = 40.0
"""nElo: what is usually too little to matter."""
_HASH: Final = 8
_NAMED: Final = 2
"""Candidates in the name of a folder."""
_NAME: Final = 24


@dataclasses.dataclass(frozen=True, kw_only=True)
class FamilyOptions:
    """What was asked for."""

    candidates: tuple[str, ...]
    """As ``family_terms`` takes them; so are the next ones."""
    baseline: str | None
    """None: the best candidate is looked for."""
    games: tuple[str, ...]
    test: BestTest | Criteria
    """``BestTest`` without a baseline, ``Criteria`` with one."""
    file: Path | None = None
    settings: tuple[str, ...] = ()
    seed: str | None = None
    output: Path | None = None
    """The run folder. None: one below runs/, the same for the same candidates and games."""
    workers: int | None = None
    on: str | None = None
    measure: Measure | None = None
    lineup: Lineup | None = None
    max_time: float | None = None
    """Seconds after which no further game begins."""


def play_family(options: FamilyOptions, listener: Listener) -> FamilyReport:
    """Play until it is decided, go on with what was stopped, or answer from stored games.

    The report is also written to the run folder. Raises BadInput, ConfigError, StoreError,
    PoolError, IsolationError, and MatchInterrupted if a person stopped it.
    """
    began = time.monotonic()
    terms = family_terms(
        options.candidates,
        options.baseline,
        options.games,
        file=options.file,
        lineup=options.lineup,
        seed=options.seed,
        overrides=options.settings,
    )
    tournament = with_workers(terms.tournament, options.workers, options.on)
    contest = _contest(tournament, terms, options)
    if not options.test.may_be_alike:
        _check_differ(terms, options.baseline)
    tournament = with_bots(tournament)
    folder = options.output or _folder(tournament, options)
    tournament = msgspec.structs.replace(tournament, name=folder.absolute().name or "family")
    with opened_to_play(tournament, folder, _source(options), Until.MATCH) as run:
        if run.resumed:
            warn_of_commands(tournament.entrants, listener)
        judge = FamilyJudge(run.schedule, contest, began, options.max_time)
        _forget_report(folder)

        def started(progress: Progress, workers: int) -> None:
            games = ", ".join(each.name for each in tournament.disciplines)
            asked = f"the best of {len(options.candidates)}"
            if options.baseline is not None:
                asked = f"{len(options.candidates)} against {printable(options.baseline)}"
            listener.note(f"arena {__version__}  {asked}: {games}")
            if progress.earlier:
                listener.note(f"{count(progress.earlier, 'game')} are stored")
            shown = shown_path(run.folder)
            listener.note(f"commitment {run.manifest.commitment}   run {shown}")

        played = listener.play(tournament, run, started, judge, None, judge.standing)
        sides = [
            Side(each.name, {}, 0, each.digest, commit, given)
            for each, commit, given in zip(
                tournament.entrants, terms.commits, terms.given, strict=True
            )
        ]
        report = judge.report(played.progress, sides, run)
        if played.interrupted and contest.decision is None:
            listener.say("interrupted, everything is saved; the same command goes on")
            raise MatchInterrupted(str(folder))
        open_seed(run)
        write_report(folder, report)
    return msgspec.structs.replace(report, seconds=round(time.monotonic() - began, 3))


def _contest(tournament: Tournament, terms: FamilyTerms, options: FamilyOptions) -> Contest:
    """Raises BadInput if it cannot be judged."""
    names = [entrant.name for entrant in tournament.entrants]
    chosen = options.measure
    measures = {} if chosen is None else {each.name: chosen for each in tournament.disciplines}
    try:
        contest = contest_of(tournament.disciplines, names, terms.given, options.test, measures)
    except ValueError as error:
        raise BadInput(f"the test: {error}") from None
    if (least := contest.next_games()) > options.test.max_games:
        found = options.test.max_games
        raise BadInput(f"--max-games: found {found}, expected at least {least}, one round")
    return contest


def _check_differ(terms: FamilyTerms, baseline: str | None) -> None:
    """Refuse a bot that is there twice under two texts. Raises BadInput."""
    seen: dict[object, str] = {}
    for entrant, given in zip(terms.tournament.entrants, terms.given, strict=True):
        program = repr(_program(entrant))
        if program in seen:
            first, second = quote(printable(seen[program])), quote(printable(given))
            among = "the baseline among the candidates: " if given == baseline else ""
            raise BadInput(
                f"found {among}{first} and {second} are the same files with the same options, "
                "expected each bot once (or --allow-identical)"
            )
        seen[program] = given


def _program(entrant: Entrant) -> tuple[object, ...]:
    return (entrant.digest, entrant.words, entrant.options, entrant.env, entrant.build)


def _forget_report(folder: Path) -> None:
    """Remove the report of fewer games: who is killed now leaves none. Raises StoreError."""
    try:
        (folder / REPORT).unlink(missing_ok=True)
    except OSError as error:
        raise cannot_write(folder / REPORT, error) from error


def _folder(tournament: Tournament, options: FamilyOptions) -> Path:
    """For the same candidates and games the same folder, so that nothing is played twice.

    Of a command nobody knows all that it consists of: then it gets a folder of its own.
    """
    key = identity_digest(identity(tournament, Until.MATCH), seed=options.seed)[:_HASH]
    names = [entrant.name[:_NAME] for entrant in tournament.entrants]
    named = "-".join(names[:_NAMED])
    if options.baseline is not None:
        named = f"{'-'.join(names[:-1][:_NAMED])}-against-{names[-1]}"
    kind = "best-of" if options.baseline is None else "several"
    folder = Path(tournament.output.folder).parent / f"{kind}-{named}-{key}"
    if not any(is_loose(entrant) for entrant in tournament.entrants):
        return folder
    numbered = (folder.with_name(f"{folder.name}.{number}") for number in count_from(1))
    return next(each for each in numbered if not each.exists())


def _source(options: FamilyOptions) -> FamilySource:
    return FamilySource(
        candidates=options.candidates,
        baseline=options.baseline,
        games=options.games,
        cwd=str(Path.cwd()),
    )
