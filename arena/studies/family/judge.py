"""The judge of several candidates, and its report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

import msgspec

from arena import __version__
from arena.documents.problems import shown_path
from arena.ratings.family.against import BaselineMatches
from arena.ratings.family.best import Best
from arena.ratings.match.match import Decision
from arena.ratings.match.report import (
    AgainstReport,
    BestReport,
    BestTest,
    Criteria,
    FamilyReport,
    MatchSide,
    Measure,
)
from arena.results import GameResult
from arena.runs.disk import StoreError, read_json
from arena.runs.reader import StoredRun
from arena.schedule.prefix import Passes
from arena.schedule.schedule import Discipline, Schedule
from arena.studies.match.judge import report_of, tables_of
from arena.studies.match.judged import ContestJudge
from arena.tournament.progress import Progress
from arena.tournament.run import Run

REPORT: Final = "family.json"
"""File in the run folder that holds the last report."""

Contest: TypeAlias = Best | BaselineMatches


class FamilyStanding(NamedTuple):
    """State of a match of several candidates while it is played."""

    left: int
    """Number of candidates that are not decided yet."""
    candidates: int
    passed: int | None
    """Number of candidates that beat the baseline; None where the best one is looked for."""
    rounds: int
    games: int
    """Number of games that count."""


def contest_of(
    disciplines: Sequence[Discipline],
    names: Sequence[str],
    called: Sequence[str],
    test: BestTest | Criteria,
    measures: dict[str, Measure],
) -> Contest:
    """Return the contest before its first block. Raises ValueError for an unfit test.

    ``called``: names of the bots for display. ``measures``: by discipline, where not the usual one.
    """
    tables = tables_of(disciplines, measures)
    if isinstance(test, BestTest):
        return Best(names, called, tables, test)
    return BaselineMatches(names, called, tables, test)


def stored_report(folder: Path) -> FamilyReport | None:
    """Return the last report in a run folder; None without one. Raises StoreError."""
    path = folder / REPORT
    return read_json(path, FamilyReport) if path.exists() else None


def judged_again(run: StoredRun, report: FamilyReport) -> FamilyReport:
    """Return the result of the stored games under the settings of a report. Raises StoreError."""
    sides = sides_of(report)
    names = [side.name for side in sides]
    if sorted(names) != sorted(run.manifest.entrants):
        theirs = " and ".join(run.manifest.entrants)
        raise StoreError(f"is about {' and '.join(names)}, the run is one of {theirs}")
    games = report.games if isinstance(report, BestReport) else report.tests[0].games
    measures = {each.discipline: each.measure for each in games}
    test = report.test if isinstance(report, BestReport) else report.tests[0].test
    called = [side.called for side in sides]
    contest = contest_of(run.manifest.disciplines, names, called, test, measures)
    judge = FamilyJudge(run.schedule, contest, 0.0, None)
    for game in run.games():
        judge.add(game.number, game.result)
    entrants = run.manifest.identity.entrants
    known = [msgspec.structs.replace(s, digest=entrants[s.name].digest) for s in sides]
    found = [report] if isinstance(report, BestReport) else report.tests
    undecided = [judge.still_undecided(each.verdict, each.reason) for each in found]
    return judge.filled(run, known, undecided, report.run)


def sides_of(report: FamilyReport) -> list[MatchSide]:
    """Return all sides in a report, the baseline last."""
    if isinstance(report, BestReport):
        return [each.side for each in report.candidates]
    return [*(test.candidate for test in report.tests), report.tests[0].baseline]


class FamilyJudge(ContestJudge):
    """The judge of a run: takes games in any order and passes them on to its contest in order."""

    def __init__(
        self, schedule: Schedule, contest: Contest, began: float, max_time: float | None
    ) -> None:
        super().__init__(contest, began, max_time)
        self.contest = contest
        self._rounds = Passes(schedule)

    def add(self, number: int, result: GameResult) -> None:
        """Count a finished game."""
        self.stored += 1
        if self.contest.decision is not None:
            return
        self._rounds.add(number, result)
        for each in self._rounds.finished(lambda: self.contest.out):
            self.contest.add(each.discipline, each.blocks)
            if self.contest.decision is not None:
                return

    @property
    def out(self) -> frozenset[str]:
        """Names of candidates that need no further games."""
        return self.contest.out

    @property
    def terms(self) -> dict[str, Any]:
        """Terms by which the contest is judged, as plain JSON."""
        test: dict[str, Any] = msgspec.to_builtins(self.contest.test)
        return {"family": list(self.contest.names), "test": test}

    def standing(self) -> FamilyStanding:
        """Return the state of the contest."""
        contest = self.contest
        candidates = len(contest.names) - isinstance(contest, BaselineMatches)
        left = sum(name not in contest.out for name in contest.names)
        passed = len(contest.passed()) if isinstance(contest, BaselineMatches) else None
        left -= isinstance(contest, BaselineMatches) and left > 0
        return FamilyStanding(left, candidates, passed, contest.rounds, contest.games)

    def report(self, progress: Progress, sides: Sequence[MatchSide], run: Run) -> FamilyReport:
        """Return the report of the games; ``sides``: all sides with facts of their files."""
        undecided = [self.undecided(progress)] * len(sides)
        return self.filled(run, sides, undecided, shown_path(run.folder))

    def filled(
        self,
        run: Run | StoredRun,
        sides: Sequence[MatchSide],
        undecided: Sequence[Decision],
        shown: str,
    ) -> FamilyReport:
        """Return the report of the games added so far.

        ``sides``: all sides with facts of their files. ``undecided``: the decision of each match
        whose games decide nothing.
        """
        contest = self.contest
        decision = self.decision
        if isinstance(contest, Best):
            found = decision or undecided[0]
            candidates = contest.contenders()
            return BestReport(
                arena=__version__,
                verdict=found.verdict,
                reason=found.reason,
                best=next((c.side.name for c in candidates if c.state == "best"), None),
                test=contest.test,
                bound=contest.bound,
                rounds=contest.rounds,
                candidates=tuple(
                    msgspec.structs.replace(each, side=_known(each.side, side))
                    for each, side in zip(candidates, sides, strict=True)
                ),
                games_counted=contest.games,
                games_stored=self.stored,
                games=contest.played(),
                run=shown,
                commitment=run.manifest.commitment,
            )
        tests = []
        *others, baseline = sides
        for match, side, open_one in zip(contest.matches.values(), others, undecided, strict=False):
            own = match.decision or open_one
            both = [_known(match.side(each.name), each) for each in (side, baseline)]
            commitment = run.manifest.commitment
            tests.append(report_of(match, own, both, match.games, shown, commitment))
        found = decision or contest.conclusion([each.verdict for each in tests])
        return AgainstReport(
            arena=__version__,
            verdict=found.verdict,
            reason=found.reason,
            passed=tuple(contest.passed()),
            rounds=contest.rounds,
            tests=tuple(tests),
            games_counted=contest.games,
            games_stored=self.stored,
            run=shown,
            commitment=run.manifest.commitment,
        )


def _known(counted: MatchSide, side: MatchSide) -> MatchSide:
    """Return ``counted``, the counts of a side, with the facts of its files from ``side``."""
    return msgspec.structs.replace(
        counted, digest=side.digest, revision=side.revision, given=side.given
    )
