"""Plays or resumes several candidates until the question is answered."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Final, cast

from arena.extensions.matches.contest import checked
from arena.extensions.matches.options import MatchOptions, criteria_of
from arena.extensions.matches.play import NAMED, play_contest, program_of, sides_of
from arena.extensions.matches.statistics.report import Criteria
from arena.extensions.matches.terms import Terms, match_terms
from arena.extensions.studies.family.judge import FamilyJudge, family_of
from arena.extensions.studies.family.report import BestTest, FamilyReport
from arena.runs.config.tournament import Tournament
from arena.runs.manifest import FamilySource
from arena.tournament.events import Listener
from arena.tournament.prepare import with_workers
from arena.values.bad_input import BadInput
from arena.values.problems import failure, quote
from arena.values.results import Then

MOST: Final = 64
"""Largest number of candidates; without a baseline every two of them meet in each round."""
GAP: Final = 40.0
"""Usual difference that is too small to matter, in nElo."""
_SHOWN: Final = 2
"""Number of candidates in the name of a folder."""


def play_family(options: MatchOptions, listener: Listener) -> FamilyReport:
    """Play several candidates until the question is answered, or answer from stored games.

    The report is also written to the run folder. Raises BadInput, ConfigError, StoreError,
    PoolError, IsolationError, and MatchInterrupted if a person stopped it.
    """
    began = time.monotonic()
    terms = _terms(options)
    tournament = with_workers(terms.tournament, options.workers, options.on)
    names = [entrant.name for entrant in tournament.entrants]
    test = test_of(options)
    family = checked(
        lambda: family_of(tournament.disciplines, names, terms.given, test, options.measure),
        "round",
        test.max_games,
    )
    if not options.allow_identical:
        _check_differ(terms, options.baseline)
    subject = f"the best of {len(options.bots)}"
    if options.baseline is not None:
        subject = f"{len(options.bots)} against {options.baseline}"
    source = FamilySource(
        candidates=options.bots,
        baseline=options.baseline,
        games=options.games,
        cwd=str(Path.cwd()),
    )
    report = play_contest(
        tournament,
        lambda schedule: FamilyJudge(schedule, family, began, options.max_time),
        sides_of(tournament.entrants, terms.commits, terms.given),
        options,
        listener,
        began=began,
        source=source,
        called=_family_name(tournament, options.baseline),
        subject=subject,
    )
    return cast(FamilyReport, report)


def _check_differ(terms: Terms, baseline: str | None) -> None:
    """Raise BadInput for a bot that is given twice under two texts."""
    entrants = list(map(program_of, terms.tournament.entrants))
    for index, given in enumerate(terms.given):
        before = entrants.index(entrants[index])
        if before < index:
            first, second = quote(terms.given[before]), quote(given)
            among = "the baseline among the candidates: " if given == baseline else ""
            raise BadInput(
                f"found {among}{first} and {second} are the same files with the same options, "
                "expected each bot once (or --allow-identical)"
            )


def _family_name(tournament: Tournament, baseline: str | None) -> str:
    """Return the readable part of the name of the run folder."""
    names = [entrant.name[:NAMED] for entrant in tournament.entrants]
    if baseline is None:
        return f"best-of-{'-'.join(names[:_SHOWN])}"
    return f"several-{'-'.join(names[:-1][:_SHOWN])}-against-{names[-1]}"


def _terms(options: MatchOptions) -> Terms:
    """Plan matches of every two candidates, or of each candidate against the baseline.

    Raises ConfigError, also if a bot is given twice.
    """
    candidates, baseline = options.bots, options.baseline
    if len(candidates) > MOST:
        raise failure("command line", f"found {len(candidates)} candidates", f"at most {MOST}")
    for index, text in enumerate(candidates):
        if text == baseline:
            raise failure(text, "found the baseline among the candidates", "other bots")
        if text in candidates[:index]:
            raise failure(text, f"found {quote(text)} a second time", "each bot once")
    given = (*candidates, *([] if baseline is None else [baseline]))
    return match_terms(given, options, options.lineup, baseline=baseline, then=Then.IGNORE)


def test_of(options: MatchOptions) -> BestTest | Criteria:
    """Return the test of several candidates: ``BestTest`` without a baseline."""
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
