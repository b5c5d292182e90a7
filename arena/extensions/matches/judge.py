"""The judge of a running or stored contest, and the report of a match."""

from __future__ import annotations

import os
import time
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar, Final

import msgspec

from arena import __version__
from arena.extensions.matches.contest import DecidedContest, MatchTerms
from arena.extensions.matches.options import is_named_after_bounds
from arena.extensions.matches.show.text import match_line
from arena.extensions.matches.statistics.match import Decision, Match
from arena.extensions.matches.statistics.report import (
    Criteria,
    JudgedReport,
    MatchReport,
    MatchSide,
    Verdict,
)
from arena.runs.disk import StoreError, read_json
from arena.runs.reader import StoredRun
from arena.runs.verify import Discrepancy
from arena.schedule.handout import FinishedPass, Passes
from arena.schedule.schedule import Schedule
from arena.tournament.events import Judge
from arena.tournament.progress import Progress
from arena.tournament.run import Run
from arena.values.numbers import count
from arena.values.problems import shown_path
from arena.values.results import GameResult

REPORT: Final = "match.json"
"""File in the run folder that holds the last report of a match of two."""
FAMILY_REPORT: Final = "family.json"
"""File in the run folder that holds the last report on several candidates, of ``studies``."""
_NOT_FROM_GAMES: Final = {"seconds", "arena", "games_stored"}
"""Fields of a report that are not compared; later games may be stored, under other settings and by
another version."""


def stored_report(folder: Path) -> MatchReport | None:
    """Return the last report of a match in a run folder; None without one. Raises StoreError."""
    path = folder / REPORT
    return read_json(path, MatchReport) if path.exists() else None


def judged_again(run: StoredRun, report: MatchReport) -> MatchReport:
    """Return the result of the stored games under the settings of a report.

    Facts that a run does not hold come from ``report``. Raises StoreError.
    """

    def judge() -> MatchJudge:
        return MatchJudge(run.schedule, MatchTerms.of(report).match(run.manifest.disciplines))

    sides = [report.candidate, report.baseline]
    again: MatchReport = replayed(judge, run, sides, [report], report.run)
    return again


def replayed(
    judge_of: Callable[[], ContestJudge],
    run: StoredRun,
    sides: Sequence[MatchSide],
    tests: Sequence[JudgedReport],
    folder: str,
) -> Any:
    """Return the report of the stored games by a judge.

    ``sides``: all sides of the stored report, ``tests``: its report of each test, ``folder``: that
    of the run as it has it. Raises StoreError.
    """
    if problem := other_sides(run, sides):
        raise StoreError(problem)
    judge = judge_of()
    for game in run.games():
        judge.add(game.number, game.result)
    known = run.manifest.identity.entrants
    sides = [msgspec.structs.replace(s, digest=known[s.name].digest) for s in sides]
    undecided = [judge.still_undecided(each.verdict, each.reason) for each in tests]
    return judge.filled(sides, undecided, folder, run.manifest.commitment)


def other_sides(run: StoredRun, sides: Sequence[MatchSide]) -> str:
    """Return how the sides of a report are not the entrants of the run; "" if they are."""
    names, entrants = [side.name for side in sides], run.manifest.entrants
    if sorted(names) == sorted(entrants):
        return ""
    return f"is about {' and '.join(names)}, the run is of {' and '.join(entrants)}"


def unlike(
    run: StoredRun, name: str, kind: Any, again_of: Callable[[StoredRun, Any], JudgedReport]
) -> Iterator[Discrepancy]:
    """Yield what the report in file ``name`` has otherwise than the stored games give.

    ``kind``: its structure. ``again_of``: returns the report of the stored games, as
    ``judged_again``.
    """
    path = run.folder / name
    if not os.path.lexists(path):
        return
    try:
        report = read_json(path, kind)
        again: Any = again_of(run, report)
    except StoreError as error:
        yield Discrepancy(name, str(error))
        return
    except (ValueError, LookupError) as error:
        yield Discrepancy(name, f"cannot be computed again: {error}")
        return
    for field in report.__struct_fields__:
        found, expected = getattr(report, field), getattr(again, field, None)
        if field not in _NOT_FROM_GAMES and _proved(found) != _proved(expected):
            what = f"{field} is not what the stored games give"
            if field in ("verdict", "blocks", "games_counted"):
                what = f"{field} is {found}, the stored games give {expected}"
            yield Discrepancy(name, what)
    if not report.games_counted <= report.games_stored <= again.games_stored:
        what = f"games_stored is {report.games_stored}, {again.games_stored} are stored"
        yield Discrepancy(name, what)
    for each in getattr(report, "tests", [report]):
        if isinstance(each.test, Criteria) and not is_named_after_bounds(each.test):
            what = f"test.mode is {each.test.mode}, the bounds are those of another"
            yield Discrepancy(name, what)


def _proved(value: Any) -> Any:
    """Return a value of a report; reports in it are without what the games do not give."""
    if isinstance(value, tuple):
        return tuple(map(_proved, value))
    if isinstance(value, JudgedReport):
        return {
            field: found
            for field, found in msgspec.structs.asdict(value).items()
            if field not in _NOT_FROM_GAMES
        }
    return value


def checked_report(run: StoredRun) -> Iterator[Discrepancy]:
    """Yield what the report of a match has otherwise than the stored games give."""
    yield from unlike(run, REPORT, MatchReport, judged_again)


class ContestJudge(Judge):
    """The judge of a run: takes games in any order and passes them on to its contest in order."""

    file: ClassVar[str]
    """File in the run folder that holds the last report."""

    def __init__(
        self,
        schedule: Schedule,
        contest: DecidedContest,
        began: float = 0.0,
        max_time: float | None = None,
    ) -> None:
        self.stored = 0
        """Number of finished games, counted or not."""
        self._contest = contest
        self._passes = Passes(schedule)
        self._deadline = None if max_time is None else began + max_time
        self._late = False

    @abstractmethod
    def take(self, finished: FinishedPass) -> None:
        """Pass the next pass of the schedule on to the contest."""

    @abstractmethod
    def filled(
        self, sides: Sequence[MatchSide], undecided: Sequence[Decision], run: str, commitment: str
    ) -> JudgedReport:
        """Return the report of the games added so far.

        ``sides``: all sides with facts of their files. ``undecided``: the decision of each match
        whose games decide nothing. ``run``: the folder.
        """

    def add(self, number: int, result: GameResult) -> None:
        """Count a finished game."""
        self.stored += 1
        contest = self._contest
        if contest.decision is not None:
            return
        self._passes.add(number, result)
        for each in self._passes.finished(lambda: contest.out):
            self.take(each)
            if contest.decision is not None:
                return

    @property
    def out(self) -> frozenset[str]:
        """Names of entrants that need no further games."""
        return self._contest.out

    @property
    def is_over(self) -> bool:
        """True if the contest is decided or its time is up."""
        if self._deadline is not None and time.monotonic() >= self._deadline:
            self._late = True
        return self._late or self.decision is not None

    @property
    def decision(self) -> Decision | None:
        """Decision by the games alone; None while it is open."""
        return self._contest.decision

    def undecided(self, progress: Progress) -> Decision:
        """Return the decision of games just played that decide nothing."""
        if progress.stopped:
            return Decision(Verdict.INVALID, progress.stopped)
        if progress.waiting and not self._late:
            causes = Counter(progress.waiting.values())
            through = ", ".join(f"{number} through {cause}" for cause, number in causes.items())
            games = count(len(progress.waiting), "game")
            reason = f"{games} could not be played ({through}); try again"
            return Decision(Verdict.INVALID, reason)
        reason = self._too_late() if self._late else self._nothing_more()
        return Decision(Verdict.INCONCLUSIVE, reason)

    def still_undecided(self, verdict: Verdict, reason: str) -> Decision:
        """Return the decision of stored games that decide nothing.

        ``verdict``, ``reason``: those of a report. They are used only for facts that a run folder
        does not hold: why games could not be played, or that the time was up.
        """
        if verdict is Verdict.INVALID:
            return Decision(verdict, reason)
        is_late = reason == self._too_late()
        return Decision(Verdict.INCONCLUSIVE, reason if is_late else self._nothing_more())

    def _too_late(self) -> str:
        return f"the time was used up after {count(self._contest.games, 'game')}"

    def _nothing_more(self) -> str:
        return f"{count(self._contest.games, 'game')} were played"

    def report(self, progress: Progress, sides: Sequence[MatchSide], run: Run) -> JudgedReport:
        """Return the report of the games; ``sides``: all sides with facts of their files."""
        undecided = [self.undecided(progress)] * len(sides)
        return self.filled(sides, undecided, shown_path(run.folder), run.manifest.commitment)


class MatchJudge(ContestJudge):
    """The judge of a match of two."""

    file = REPORT

    def __init__(
        self, schedule: Schedule, match: Match, began: float = 0.0, max_time: float | None = None
    ) -> None:
        super().__init__(schedule, match, began, max_time)
        self.match = match

    def take(self, finished: FinishedPass) -> None:
        """See ContestJudge."""
        for block in finished.blocks:
            self.match.add(finished.discipline, block)

    @property
    def terms(self) -> dict[str, Any]:
        """Terms by which the match is judged, as plain JSON."""
        own: dict[str, Any] = msgspec.to_builtins(MatchTerms.of(self.match))
        return own

    def standing(self) -> tuple[str, int | None]:
        """Return the numbers of the games so far, and how many games are still expected."""
        return match_line(self.match), self.match.games_left()

    def filled(
        self, sides: Sequence[MatchSide], undecided: Sequence[Decision], run: str, commitment: str
    ) -> MatchReport:
        """See ContestJudge."""
        return report_of(self.match, undecided[0], sides, self.stored, run, commitment)


def known_side(counted: MatchSide, side: MatchSide) -> MatchSide:
    """Return ``counted``, the counts of a side, with the facts of its files from ``side``."""
    return msgspec.structs.replace(
        counted, digest=side.digest, revision=side.revision, given=side.given
    )


def report_of(
    match: Match,
    undecided: Decision,
    sides: Sequence[MatchSide],
    stored: int,
    run: str,
    commitment: str,
) -> MatchReport:
    """Return the report of a match.

    ``sides``: candidate and baseline. ``stored``: number of finished games. ``run``: the folder.
    """
    found = match.decision or undecided
    is_valid = found.verdict is not Verdict.INVALID
    candidate, baseline = (known_side(match.side(each.name), each) for each in sides)
    return MatchReport(
        arena=__version__,
        verdict=found.verdict,
        reason=found.reason,
        candidate=candidate,
        baseline=baseline,
        test=match.test,
        llr=match.llr,
        bounds=match.bounds,
        blocks=match.blocks,
        games_counted=match.games,
        games_stored=stored,
        games_left=match.games_left(),
        games=match.reports() if is_valid else match.plain_reports(),
        run=run,
        commitment=commitment,
        estimate=match.estimate() if is_valid else None,
    )
