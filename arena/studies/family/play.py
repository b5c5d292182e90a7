"""Plays or resumes games of several candidates until the question is answered."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Final

import msgspec

from arena.config.families import family_terms
from arena.config.matches import Terms
from arena.config.tournament import Tournament
from arena.documents.bad_input import BadInput
from arena.documents.problems import printable, quote
from arena.ratings.match.report import BestTest, Criteria, FamilyReport
from arena.runs.manifest import FamilySource
from arena.studies.family.judge import REPORT, Contest, FamilyJudge, contest_of
from arena.studies.match.judged import (
    NAMED,
    play_judged,
    program,
    sides,
    usual_folder,
)
from arena.studies.match.play import MatchOptions, criteria_of
from arena.studies.plan.planner import bad_test
from arena.tournament.events import Listener
from arena.tournament.prepare import with_bots, with_workers

GAP: Final = 40.0
"""Usual difference that is too small to matter, in nElo."""
_NAMED: Final = 2
"""Number of candidates in the name of a folder."""


def play_family(options: MatchOptions, listener: Listener) -> FamilyReport:
    """Play several candidates until the question is answered, or answer from stored games.

    The report is also written to the run folder. Raises BadInput, ConfigError, StoreError,
    PoolError, IsolationError, and MatchInterrupted if a person stopped it.
    """
    began = time.monotonic()
    terms = family_terms(
        options.bots,
        options.baseline,
        options.games,
        file=options.file,
        lineup=options.lineup,
        seed=options.seed,
        overrides=options.settings,
    )
    tournament = with_workers(terms.tournament, options.workers, options.on)
    contest = _contest(tournament, terms, options)
    if not options.allow_identical:
        _check_differ(terms, options.baseline)
    tournament = with_bots(tournament)
    folder = options.output or usual_folder(tournament, _name(tournament, options), options.seed)
    tournament = msgspec.structs.replace(tournament, name=folder.absolute().name or "family")
    subject = f"the best of {len(options.bots)}"
    if options.baseline is not None:
        subject = f"{len(options.bots)} against {printable(options.baseline)}"
    everybody = sides(tournament.entrants, terms.commits, terms.given)
    report: FamilyReport = play_judged(
        tournament,
        folder,
        _source(options),
        listener,
        subject=subject,
        judge_of=lambda run: FamilyJudge(run.schedule, contest, began, options.max_time),
        report_of=lambda judge, progress, run: judge.report(progress, everybody, run),
        name=REPORT,
    )
    return msgspec.structs.replace(report, seconds=round(time.monotonic() - began, 3))


def _test(options: MatchOptions) -> BestTest | Criteria:
    """Return the test: ``BestTest`` without a baseline, ``Criteria`` with one."""
    criteria = criteria_of(options)
    if options.baseline is not None:
        return criteria
    return BestTest(
        gap=GAP if options.gap is None else options.gap,
        alpha=criteria.alpha,
        max_games=criteria.max_games,
        max_fault_share=criteria.max_fault_share,
        max_faults=criteria.max_faults,
        may_be_alike=criteria.may_be_alike,
    )


def _contest(tournament: Tournament, terms: Terms, options: MatchOptions) -> Contest:
    """Return the contest to be judged. Raises BadInput if the test does not allow one."""
    names = [entrant.name for entrant in tournament.entrants]
    chosen = options.measure
    measures = {} if chosen is None else {each.name: chosen for each in tournament.disciplines}
    try:
        contest = contest_of(tournament.disciplines, names, terms.given, _test(options), measures)
    except ValueError as error:
        raise bad_test(error) from None
    if (least := contest.next_games()) > options.max_games:
        found = options.max_games
        raise BadInput(f"--max-games: found {found}, expected at least {least}, one round")
    return contest


def _check_differ(terms: Terms, baseline: str | None) -> None:
    """Raise BadInput for a bot that is given twice under two texts."""
    entrants = list(map(program, terms.tournament.entrants))
    for index, given in enumerate(terms.given):
        before = entrants.index(entrants[index])
        if before < index:
            first, second = quote(printable(terms.given[before])), quote(printable(given))
            among = "the baseline among the candidates: " if given == baseline else ""
            raise BadInput(
                f"found {among}{first} and {second} are the same files with the same options, "
                "expected each bot once (or --allow-identical)"
            )


def _name(tournament: Tournament, options: MatchOptions) -> str:
    """Return the readable part of the name of the run folder."""
    names = [entrant.name[:NAMED] for entrant in tournament.entrants]
    if options.baseline is None:
        return f"best-of-{'-'.join(names[:_NAMED])}"
    return f"several-{'-'.join(names[:-1][:_NAMED])}-against-{names[-1]}"


def _source(options: MatchOptions) -> FamilySource:
    return FamilySource(
        candidates=options.bots,
        baseline=options.baseline,
        games=options.games,
        cwd=str(Path.cwd()),
    )
