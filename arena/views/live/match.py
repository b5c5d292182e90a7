"""State of a match for spectators: judged again from its games, block by block."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import msgspec

from arena.ratings.match.match import Match
from arena.ratings.match.report import MatchReport
from arena.results import GameResult
from arena.runs.manifest import Manifest
from arena.schedule.prefix import Prefix
from arena.schedule.schedule import Schedule
from arena.studies.match.judge import MatchTerms, stored_report
from arena.views.live.snapshot import Trial
from arena.views.match.words import settings_words

_POINTS: Final = 400
"""Most points of the curve; more are thinned out."""


class Outlook:
    """A match that is judged again from its games, which may be added in any order."""

    def __init__(self, schedule: Schedule, match: Match) -> None:
        self._match = match
        self._prefix = Prefix(schedule)
        self._curve: list[tuple[int, float]] = [(0, 0.0)]
        self._step = 1

    def add(self, number: int, result: GameResult) -> None:
        """Count a finished game."""
        self._prefix.add(number, result)
        for block in self._prefix.finished():
            if self._match.decision is None:
                self._match.add(block.discipline, block.results)
                self._note()

    def _note(self) -> None:
        match = self._match
        if match.blocks % self._step == 0:
            self._curve.append((match.blocks, match.llr))
        if len(self._curve) > _POINTS:
            self._step *= 2
            self._curve = [point for point in self._curve if point[0] % self._step == 0]

    @property
    def curve(self) -> list[tuple[int, float]]:
        """Numbers of blocks with the ratio after them, from 0 to the last; thinned if many."""
        last = (self._match.blocks, self._match.llr)
        return [*self._curve, *([] if self._curve[-1] == last else [last])]

    def trial(self, report: MatchReport | None) -> Trial:
        """Return the state of the match; ``report`` has the verdict of a finished match."""
        match = self._match
        decision = match.decision
        verdict, reason = (decision.verdict, decision.reason) if decision else (None, "")
        if report is not None:
            verdict, reason = report.verdict, report.reason
        return Trial(
            candidate=match.names[0],
            baseline=match.names[1],
            settings=settings_words(match.test),
            llr=match.llr,
            bounds=match.bounds,
            blocks=match.blocks,
            games=match.games,
            games_left=match.games_left(),
            most_games=match.test.max_games,
            elo=match.elo(),
            verdict=verdict,
            reason=reason,
            curve=tuple(self.curve),
        )


def outlook(schedule: Schedule, manifest: Manifest, terms: MatchTerms) -> Outlook | None:
    """Return the match before its first block; None if the terms do not fit the run."""
    if sorted((terms.candidate, terms.baseline)) != sorted(manifest.entrants):
        return None
    try:
        return Outlook(schedule, terms.match(manifest.disciplines))
    except ValueError:
        return None


def told_terms(judge: dict[str, Any]) -> MatchTerms | None:
    """Return the terms that the judge of a run published; None if it does not judge a match."""
    try:
        return msgspec.convert(judge, MatchTerms)
    except msgspec.ValidationError:
        return None


def report_of(folder: Path, manifest: Manifest) -> MatchReport | None:
    """Return the report of a finished match; None for other runs. Raises StoreError."""
    return stored_report(folder) if manifest.is_match else None
