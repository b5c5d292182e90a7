"""The judge of a running or stored contest, and its report."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from arena import __version__
from arena.ratings.match.best import Best
from arena.ratings.match.match import Decision, Match
from arena.ratings.match.report import (
    AgainstReport,
    BestReport,
    FamilyReport,
    MatchReport,
    MatchSide,
    Report,
    Verdict,
)
from arena.runs.disk import StoreError, read_json
from arena.runs.reader import StoredRun
from arena.schedule.handout import Passes
from arena.schedule.schedule import Schedule
from arena.studies.match.contest import Contest, MatchTerms, family_of, match_of
from arena.tournament.events import Judge
from arena.tournament.progress import Progress
from arena.tournament.run import Run
from arena.values.numbers import count
from arena.values.problems import shown_path
from arena.values.results import GameResult

REPORT: Final = "match.json"
"""File in the run folder that holds the last report of a match of two."""
FAMILY_REPORT: Final = "family.json"
"""File in the run folder that holds the last report on several candidates."""


def stored_report(folder: Path) -> MatchReport | None:
    """Return the last report of a match in a run folder; None without one. Raises StoreError."""
    path = folder / REPORT
    return read_json(path, MatchReport) if path.exists() else None


def stored_family_report(folder: Path) -> FamilyReport | None:
    """Return the last report on several candidates; None without one. Raises StoreError."""
    path = folder / FAMILY_REPORT
    return read_json(path, FamilyReport) if path.exists() else None


def judged_again(run: StoredRun, report: Report) -> Report:
    """Return the result of the stored games under the settings of a report.

    Facts that a run does not hold come from ``report``. Raises StoreError.
    """
    tests = _tests(report)
    sides = _sides(report)
    names, entrants = [side.name for side in sides], run.manifest.entrants
    if sorted(names) != sorted(entrants):
        raise StoreError(f"is about {' and '.join(names)}, the run is of {' and '.join(entrants)}")
    first = tests[0]
    called = [side.called for side in sides]
    measures = {each.discipline: each.measure for each in first.games}
    settings = (run.manifest.disciplines, names, called)
    contest: Contest
    if isinstance(report, MatchReport):
        contest = match_of(*settings, report.test, measures)
    else:
        contest = family_of(*settings, first.test, measures)
    judge = ContestJudge(run.schedule, contest)
    for game in run.games():
        judge.add(game.number, game.result)
    known = run.manifest.identity.entrants
    sides = [msgspec.structs.replace(s, digest=known[s.name].digest) for s in sides]
    undecided = [judge.still_undecided(each.verdict, each.reason) for each in tests]
    return judge.filled(sides, undecided, report.run, run.manifest.commitment)


def _tests(report: Report) -> Sequence[MatchReport | BestReport]:
    """Return the report of each test."""
    return report.tests if isinstance(report, AgainstReport) else [report]


def _sides(report: Report) -> list[MatchSide]:
    """Return all sides in a report, the baseline last."""
    if isinstance(report, BestReport):
        return [each.side for each in report.candidates]
    tests = report.tests if isinstance(report, AgainstReport) else [report]
    return [*(test.candidate for test in tests), tests[0].baseline]


class ContestJudge(Judge):
    """The judge of a run: takes games in any order and passes them on to its contest in order."""

    def __init__(
        self,
        schedule: Schedule,
        contest: Contest,
        began: float = 0.0,
        max_time: float | None = None,
    ) -> None:
        self.contest = contest
        self.stored = 0
        """Number of finished games, counted or not."""
        self._passes = Passes(schedule)
        self._deadline = None if max_time is None else began + max_time
        self._late = False

    def add(self, number: int, result: GameResult) -> None:
        """Count a finished game."""
        self.stored += 1
        contest = self.contest
        if contest.decision is not None:
            return
        self._passes.add(number, result)
        for each in self._passes.finished(lambda: contest.out):
            if isinstance(contest, Match):
                for block in each.blocks:
                    contest.add(each.discipline, block)
            else:
                contest.add(each.discipline, each.blocks)
            if contest.decision is not None:
                return

    @property
    def out(self) -> frozenset[str]:
        """Names of entrants that need no further games."""
        return self.contest.out

    @property
    def is_over(self) -> bool:
        """True if the contest is decided or its time is up."""
        if self._deadline is not None and time.monotonic() >= self._deadline:
            self._late = True
        return self._late or self.decision is not None

    @property
    def terms(self) -> dict[str, Any]:
        """Terms by which the contest is judged, as plain JSON."""
        contest = self.contest
        if isinstance(contest, Match):
            own: dict[str, Any] = msgspec.to_builtins(MatchTerms.of(contest))
            return own
        return {"family": list(contest.names), "test": msgspec.to_builtins(contest.test)}

    def standing(self) -> Contest:
        """Return the contest, whose numbers are those of the games so far."""
        return self.contest

    @property
    def decision(self) -> Decision | None:
        """Decision by the games alone; None while it is open."""
        return self.contest.decision

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
        return f"the time was used up after {count(self.contest.games, 'game')}"

    def _nothing_more(self) -> str:
        return f"{count(self.contest.games, 'game')} were played"

    def report(self, progress: Progress, sides: Sequence[MatchSide], run: Run) -> Report:
        """Return the report of the games; ``sides``: all sides with facts of their files."""
        undecided = [self.undecided(progress)] * len(sides)
        return self.filled(sides, undecided, shown_path(run.folder), run.manifest.commitment)

    def filled(
        self, sides: Sequence[MatchSide], undecided: Sequence[Decision], run: str, commitment: str
    ) -> Report:
        """Return the report of the games added so far.

        ``sides``: all sides with facts of their files. ``undecided``: the decision of each match
        whose games decide nothing. ``run``: the folder.
        """
        contest = self.contest
        if isinstance(contest, Match):
            return _match_report(contest, undecided[0], sides, self.stored, run, commitment)
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
                msgspec.structs.replace(each, side=_known(each.side, side))
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
            _match_report(match, open_one, (side, baseline), match.games, run, commitment)
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


def _known(counted: MatchSide, side: MatchSide) -> MatchSide:
    """Return ``counted``, the counts of a side, with the facts of its files from ``side``."""
    return msgspec.structs.replace(
        counted, digest=side.digest, revision=side.revision, given=side.given
    )


def _match_report(
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
    candidate, baseline = (_known(match.side(each.name), each) for each in sides)
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
