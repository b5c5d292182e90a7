"""The judge of several candidates, and its report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import msgspec

from arena import __version__
from arena.extensions.matches.contest import Measures, tables_of
from arena.extensions.matches.judge import (
    FAMILY_REPORT,
    ContestJudge,
    known_side,
    replayed,
    report_of,
    unlike,
)
from arena.extensions.matches.statistics.match import Decision
from arena.extensions.matches.statistics.report import Criteria, MatchReport, MatchSide
from arena.extensions.studies.family import text
from arena.extensions.studies.family.against import BaselineMatches
from arena.extensions.studies.family.best import Best
from arena.extensions.studies.family.report import (
    AgainstReport,
    BestReport,
    BestTest,
    FamilyReport,
)
from arena.runs.reader import StoredRun
from arena.runs.verify import Discrepancy
from arena.schedule.handout import FinishedPass
from arena.schedule.keys import Discipline
from arena.schedule.schedule import Schedule

Family: TypeAlias = Best | BaselineMatches


def family_of(
    disciplines: Sequence[Discipline],
    names: Sequence[str],
    called: Sequence[str],
    test: BestTest | Criteria,
    measures: Measures,
) -> Family:
    """Return the contest of several as ``match_of``; with ``Criteria`` the baseline is last."""
    tables = tables_of(disciplines, measures)
    if isinstance(test, BestTest):
        return Best(names, called, tables, test)
    return BaselineMatches(names, called, tables, test)


def judged_again(run: StoredRun, report: FamilyReport) -> FamilyReport:
    """Return the result of the stored games under the settings of a report.

    Facts that a run does not hold come from ``report``. Raises StoreError.
    """
    tests: Sequence[MatchReport | BestReport] = (
        report.tests if isinstance(report, AgainstReport) else [report]
    )
    sides = _sides(report)
    names, called = [side.name for side in sides], [side.called for side in sides]
    measures = {each.discipline: each.measure for each in tests[0].games}

    def judge() -> FamilyJudge:
        disciplines = run.manifest.disciplines
        return FamilyJudge(
            run.schedule, family_of(disciplines, names, called, tests[0].test, measures)
        )

    again: FamilyReport = replayed(judge, run, sides, tests, report.run)
    return again


def checked_report(run: StoredRun) -> Iterator[Discrepancy]:
    """Yield what the stored report on several has otherwise than the stored games give."""
    yield from unlike(run, FAMILY_REPORT, FamilyReport, judged_again)


def _sides(report: FamilyReport) -> list[MatchSide]:
    """Return all sides in a report, the baseline last."""
    if isinstance(report, BestReport):
        return [each.side for each in report.candidates]
    return [*(test.candidate for test in report.tests), report.tests[0].baseline]


class FamilyJudge(ContestJudge):
    """The judge of several candidates."""

    file = FAMILY_REPORT

    def __init__(
        self, schedule: Schedule, family: Family, began: float = 0.0, max_time: float | None = None
    ) -> None:
        super().__init__(schedule, family, began, max_time)
        self._family = family

    def take(self, finished: FinishedPass) -> None:
        """See ContestJudge."""
        self._family.add(finished.discipline, finished.blocks)

    @property
    def terms(self) -> Mapping[str, Any]:
        """Terms by which the contest is judged, as plain JSON."""
        family = self._family
        return {"family": list(family.names), "test": msgspec.to_builtins(family.test)}

    def standing(self) -> tuple[str, int | None]:
        """Return the progress of the candidates as one line."""
        return text.live(self._family), None

    def filled(
        self, sides: Sequence[MatchSide], undecided: Sequence[Decision], run: str, commitment: str
    ) -> FamilyReport:
        """See ContestJudge."""
        contest = self._family
        shared: dict[str, Any] = {
            "arena": __version__,
            "rounds": contest.rounds,
            "games_counted": contest.games,
            "games_stored": self.stored,
            "run": run,
            "commitment": commitment,
        }
        if isinstance(contest, Best):
            found = contest.decision or undecided[0]
            candidates = tuple(
                msgspec.structs.replace(each, side=known_side(each.side, side))
                for each, side in zip(contest.contenders(), sides, strict=True)
            )
            return BestReport(
                verdict=found.verdict,
                reason=found.reason,
                best=next((c.side.name for c in candidates if c.state == "best"), None),
                test=contest.test,
                bound=contest.bound,
                candidates=candidates,
                games=contest.played(),
                **shared,
            )
        *others, baseline = sides
        tests = tuple(
            report_of(match, open_one, (side, baseline), match.games, run, commitment)
            for match, side, open_one in zip(
                contest.matches.values(), others, undecided, strict=False
            )
        )
        found = contest.decision or contest.conclusion([each.verdict for each in tests])
        return AgainstReport(
            verdict=found.verdict,
            reason=found.reason,
            passed=tuple(contest.passed()),
            tests=tests,
            **shared,
        )
