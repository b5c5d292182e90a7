"""The stored games of a run, counted as they arrive.

A match is judged again from its games, block by block.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import msgspec

from arena.extensions.browser.live.snapshot import GameSummary, SeatResult, Trial, Voided
from arena.extensions.browser.live.tail import Tail
from arena.extensions.matches.contest import MatchTerms
from arena.extensions.matches.judge import stored_report
from arena.extensions.matches.show.words import settings_words
from arena.extensions.matches.statistics.match import Match
from arena.extensions.matches.statistics.report import MatchReport
from arena.runs.manifest import Manifest
from arena.runs.reader import Places, StoredGame, StoredRun
from arena.runs.store import GAMES, Stored, check_seats
from arena.runs.voids import VOIDS, Void
from arena.runs.withdrawals import WithdrawalState
from arena.schedule.handout import Passes
from arena.schedule.schedule import Schedule
from arena.tournament.progress import Progress
from arena.values.results import GameResult
from arena.views.standings.counted import Counted
from arena.views.standings.standings import sections_of
from arena.views.standings.tables import Section

_POINTS: Final = 400
"""Most points of the curve; more are thinned out."""


class Outlook:
    """A match that is judged again from its games, which may be added in any order."""

    def __init__(self, schedule: Schedule, match: Match) -> None:
        self._match = match
        self._passes = Passes(schedule)
        self._curve: list[tuple[int, float]] = [(0, 0.0)]
        self._step = 1

    def add(self, number: int, result: GameResult) -> None:
        """Count a finished game."""
        self._passes.add(number, result)
        for each in self._passes.finished(frozenset):
            for block in each.blocks:
                if self._match.decision is None:
                    self._match.add(each.discipline, block)
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
    return stored_report(folder) if manifest.kind.verdict else None


LAST: Final = 50
"""Number of finished games that are listed."""


class LiveGames:
    """The games read so far; once all are read, tables equal those of ``arena standings``."""

    def __init__(
        self,
        run: StoredRun,
        out: Mapping[str, int] = MappingProxyType({}),
        terms: MatchTerms | None = None,
        *,
        whole_blocks: bool = False,
    ) -> None:
        """Begin without games.

        ``out``: as of ``out_of``. ``terms``: those by which a match is judged. ``whole_blocks``:
        count a game only when its block is complete, or with ``release``.
        """
        self.out = out
        self.terms = terms
        self.progress = Progress.of(run.manifest, run.schedule)
        """Progress, as the playing process has it."""
        self._settled = -1
        """Number of stored games when the planned games were last settled."""
        self.voids: list[Void] = []
        self.schedule = run.schedule
        self._run = run
        self._path = run.folder / GAMES
        self._stored = Tail(self._path, Stored, "stored game")
        self._void_lines = Tail(run.folder / VOIDS, Void, "void game")
        self._again: set[str] = set()
        self._counted = Counted(run, out, self._again)
        self._places = Places(run.folder, run.schedule, rulings=run.manifest.rulings)
        self._breaker = run.breaker(self._places.done)
        self._outlook: Outlook | None = None
        if terms is not None:
            self._outlook = outlook(self.schedule, run.manifest, terms)
        self._whole_blocks = whole_blocks
        self.is_released = False
        """True if games of incomplete blocks were counted.

        If the run continues nevertheless, it has to be read again from its start.
        """
        self._held: dict[str, list[StoredGame]] = {}
        """Uncounted games of incomplete blocks, by block."""
        self._ended: deque[GameResult] = deque(maxlen=LAST)

    @property
    def share(self) -> float:
        """Share of the stored games that has been read, 0 to 1."""
        return self._stored.share

    def grow(self, manifest: Manifest) -> bool:
        """Add the rounds of ``manifest``; return False if everything has to be read again."""
        if not self._run.grow(manifest):
            return False
        self._places.done.grow(self.schedule.numbers)
        self.progress.grow(manifest, self.schedule)
        return True

    def read(self, seconds: float) -> bool:
        """Read on for about ``seconds``; return True if the end was reached.

        Raises StoreError for lines that are no games of this run, and Replaced.
        """
        deadline = time.monotonic() + seconds
        while lines := self._stored.read():
            self._read_voids()  # first, as a game may be void before it is played
            for line, stored in lines:
                check_seats(self._path, line, stored.result)
                game = self._places.place(line, stored)
                if game is not None:  # the first stored result of a game counts
                    self._add(game)
            if time.monotonic() >= deadline:
                return False
        self._read_voids()
        return True

    def verdict(self) -> WithdrawalState:
        """Return the withdrawals that follow from the games read so far."""
        if self._breaker.judge():
            self.progress.judged(self._breaker.verdict, self.schedule, self._places.done)
        if self.schedule.away and self._settled != len(self._places.done):
            self._settled = len(self._places.done)
            self.progress.settle(self.schedule, self._places.done)
        return self._breaker.verdict

    def release(self) -> bool:
        """Count the games of incomplete blocks too; return True if there were any."""
        held, self._held = self._held, {}
        for games in held.values():
            for game in games:
                self._count(game)
        self.is_released = self.is_released or bool(held)
        return bool(held)

    def sections(self, verdict: WithdrawalState) -> tuple[Section, ...]:
        """Return the sections of the standings, with withdrawals as in ``verdict``."""
        computed = sections_of(self._run, self._counted, verdict, self.voids)
        return tuple(each.section for each in computed)

    def ended(self) -> tuple[GameSummary, ...]:
        """Return the last games that count, newest first."""
        return tuple(ended(result) for result in reversed(self._ended))

    def voided(self) -> tuple[Voided, ...]:
        """Return the last void games, newest first."""
        return tuple(Voided(void.game, void.cause.value) for void in self.voids[: -LAST - 1 : -1])

    def trial(self, report: MatchReport | None) -> Trial | None:
        """Return the state of the match; None if the terms of its test are unknown."""
        return None if self._outlook is None else self._outlook.trial(report)

    def _read_voids(self) -> None:
        while lines := self._void_lines.read():
            for _, void in lines:
                self.voids.append(void)
                self._again.add(void.game)
                self._breaker.add_void(void)
                self.progress.add_void(void)

    def _add(self, game: StoredGame) -> None:
        spec = game.result.spec
        self._breaker.add(game.number, game.result)
        self.progress.add(game.result)
        if game.is_annulled:
            return
        if self._outlook is not None:
            self._outlook.add(game.number, game.result)
        if not self._whole_blocks:
            self._count(game)
            return
        held = self._held.setdefault(spec.block, [])
        held.append(game)
        if len(held) == len(self.schedule.block(game.number)):
            del self._held[spec.block]
            for each in held:
                self._count(each)

    def _count(self, game: StoredGame) -> None:
        self._counted.add(game)
        if not self._counted.is_out(game):
            self._ended.append(game.result)


def ended(result: GameResult) -> GameSummary:
    """Return the part of a game that may be published: nothing that helps a bot on its deal."""
    spec = result.spec
    kinds = {fault.seat: fault.kind.value for fault in result.faults}
    scores = result.scores or (None,) * len(result.places)
    players = tuple(
        SeatResult(name, result.places[seat], scores[seat], kinds.get(seat))
        for seat, name in enumerate(spec.entrants)
    )
    return GameSummary(spec.game_id, spec.discipline, result.termination.value, players)
