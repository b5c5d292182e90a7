"""Reader of a run folder that other processes play into, as cheaply as possible.

It takes no lock, writes nothing and keeps nothing open. Nothing is read twice; tables are computed
every two seconds, and less often where that takes long.
"""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from arena.extensions.browser.live.games import LiveGames, report_of, told_terms
from arena.extensions.browser.live.snapshot import Hand, RunPhase, Snapshot, before_play
from arena.extensions.browser.live.tail import Replaced
from arena.extensions.matches.contest import MatchTerms
from arena.extensions.matches.judge import FAMILY_REPORT
from arena.extensions.matches.statistics.report import MatchReport
from arena.runs.disk import StoreError
from arena.runs.field import ENTRIES
from arena.runs.live import InHand, Live, is_alive, read_live
from arena.runs.manifest import is_run, read_manifest
from arena.runs.reader import StoredRun
from arena.runs.withdrawals import WithdrawalState
from arena.values.numbers import count
from arena.values.problems import shown_path
from arena.values.results import DISCIPLINE_JOINT
from arena.values.titles import called
from arena.views.standings.counted import out_of
from arena.views.standings.tables import Section

_TABLE_SECONDS: Final = 2.0
_TABLE_SHARE: Final = 0.1
"""Greatest share of the time that is spent on tables."""
_READ_SECONDS: Final = 0.5
"""Seconds of reading at once; a large run is read in several such steps."""
_SILENT: Final = 30.0
"""Seconds without a sign of life after which the run counts as silent."""
_CHANGING: Final = 0.3
"""Seconds that files get to be removed or replaced one after the other."""
_SETTLING: Final = 2.0
"""Seconds in which a run that has just ended puts its results in order."""


class Reader:
    """Reader of one run folder."""

    def __init__(
        self,
        folder: Path,
        *,
        whole_blocks: bool = False,
        opened: Callable[[Path], StoredRun] = StoredRun,
    ) -> None:
        """Open the run.

        ``whole_blocks``: see ``LiveGames``. ``opened``: function that opens the run.
        Raises StoreError if the folder is no run, and nobody builds the bots of one there.
        """
        self._opened = opened
        self._folder = folder
        self._whole_blocks = whole_blocks
        self._known: tuple[int, ...] = ()
        self._has_begun = False
        self._heard = -_SETTLING
        """Last time when the run was being played, by the monotonic clock."""
        if self._building() is None:
            self._begin()

    def refresh(self) -> Snapshot:
        """Read new lines and return the state of the run. Raises StoreError.

        In a large run a call may read only a part: see ``Snapshot.read``.
        """
        try:
            return self._refreshed()
        except (Replaced, StoreError):
            time.sleep(_CHANGING)
        try:
            self._known = ()  # read all of it again
            return self._refreshed()
        except Replaced:
            raise StoreError(f"{self._folder}: its files are replaced again and again") from None

    def _refreshed(self) -> Snapshot:
        """Return the state of the run.

        Raises Replaced, and StoreError also while other processes remove or replace the files.
        """
        if not is_run(self._folder):
            if (building := self._building()) is not None:
                return before_play(self._folder.absolute().name, building)
            if not self._has_begun:
                raise StoreError(f"{self._folder}: no run has begun; see where it was started")
            raise StoreError(f"{self._folder}: was removed while it was watched")
        known = self._identity()
        if known != self._known and not self._has_grown(known):
            self._begin()
        return self._look()

    def _building(self) -> str | None:
        """Return which bot is being built for a run that has not begun, or None."""
        live = None if is_run(self._folder) else read_live(self._folder)
        return live.building if live is not None and is_alive(live) else None

    def _has_grown(self, known: tuple[int, ...]) -> bool:
        """Return True if the run has more rounds than before and nothing else is new."""
        if not self._known or known[:-1] != self._known[:-1]:
            return False
        if not self._games.grow(read_manifest(self._folder)):
            return False
        self._known = known
        return True

    def complete(self) -> Snapshot:
        """Return the state of the run as ``refresh`` does, after reading all of it."""
        while (snapshot := self.refresh()).read < 1:
            pass
        return snapshot

    def _begin(self) -> None:
        """Open the run and forget everything read before."""
        self._known = self._identity()
        self._run = self._opened(self._folder)
        self._has_begun = True
        self._computed: tuple[Section, ...] = ()
        self._counted = -1
        """Number of games, voids and rounds in these tables."""
        self._computed_at, self._cost = 0.0, 0.0
        self._count({}, None)

    def _identity(self) -> tuple[int, ...]:
        try:
            status = (self._folder / "run.json").stat()
        except OSError:
            return ()
        try:
            changes = (self._folder / ENTRIES).stat().st_size
        except OSError:
            changes = 0
        return status.st_dev, status.st_ino, status.st_mtime_ns, changes

    def _count(self, out: Mapping[str, int], terms: MatchTerms | None) -> None:
        """Read again from the first game."""
        self._games = LiveGames(self._run, out, terms, whole_blocks=self._whole_blocks)
        self._counted = -1

    def _look(self) -> Snapshot:
        live = read_live(self._folder)  # before the games: a run that has ended has all of them
        if self._games.is_released and live is not None and is_alive(live):
            self._computed = ()  # the run continues: games of open blocks are hidden again
            self._count(self._games.out, self._games.terms)
        report = None if live else report_of(self._folder, self._run.manifest)
        self._judge_by(live, report)
        at_end = self._games.read(_READ_SECONDS)
        verdict = self._games.verdict() if at_end else WithdrawalState({}, None)
        if verdict.withdrawn.keys() != self._games.out.keys() and at_end:
            self._count(out_of(self._run, verdict.withdrawn), self._games.terms)
            if at_end := self._games.read(_READ_SECONDS):
                verdict = self._games.verdict()
        is_judged = report is not None or (self._folder / FAMILY_REPORT).exists()
        phase = self._phase(live, verdict, live is None and is_judged)
        if at_end and not phase.is_open and self._games.release():
            self._counted = -1
        self._compute(verdict, phase)
        return self._snapshot(phase, live, verdict, report, at_end)

    def _judge_by(self, live: Live | None, report: MatchReport | None) -> None:
        """Read again if the terms of a match have changed."""
        terms = self._games.terms
        if live is not None:
            terms = told_terms(live.judge) or terms
        elif report is not None:
            terms = MatchTerms.of(report)
        if terms != self._games.terms:
            self._count(self._games.out, terms)

    def _phase(self, live: Live | None, verdict: WithdrawalState, is_judged: bool) -> RunPhase:
        if live is not None and is_alive(live):
            self._heard = time.monotonic()
            if live.building is not None:
                return RunPhase.BUILDING
            return (
                RunPhase.PLAYING if time.monotonic() - live.updated < _SILENT else RunPhase.SILENT
            )
        if is_judged or self._is_over(verdict):
            return RunPhase.FINISHED
        if live is not None:
            return RunPhase.KILLED
        if time.monotonic() - self._heard < _SETTLING:
            return RunPhase.PLAYING
        has_begun = self._games.progress.finished or self._games.voids
        return RunPhase.STOPPED if has_begun else RunPhase.WAITING

    def _is_over(self, verdict: WithdrawalState) -> bool:
        if self._run.planned is None or verdict.stopped is not None:
            return False
        return self._run.manifest.is_over and self._games.progress.left <= 0

    def _compute(self, verdict: WithdrawalState, phase: RunPhase) -> None:
        """Compute the tables if they are due, else keep the last ones."""
        games = self._games
        seen = games.progress.finished.total() + len(games.voids) + games.schedule.rounds
        if seen == self._counted:
            return
        now = time.monotonic()
        wait = max(_TABLE_SECONDS, self._cost / _TABLE_SHARE)
        if self._computed and phase.is_open and now - self._computed_at < wait:
            return
        self._computed = self._games.sections(verdict)
        self._counted, self._computed_at = seen, time.monotonic()
        self._cost = self._computed_at - now

    def _snapshot(
        self,
        phase: RunPhase,
        live: Live | None,
        verdict: WithdrawalState,
        report: MatchReport | None,
        at_end: bool,
    ) -> Snapshot:
        games = self._games
        trial = games.trial(report)
        pace = live.pace if live is not None and live.pid > 0 and phase.is_open else None
        figures = games.progress.figures(pace=pace)
        if pace is None:
            figures = figures._replace(rate=None, left=None)
        if self._run.planned is None:
            missing = None if trial is None else trial.games_left
            left = missing / figures.rate if figures.rate and missing is not None else None
            figures = figures._replace(total=None, left=left)
        return Snapshot(
            run=self._run.manifest.title,
            phase=phase,
            note=self._note(phase, live, verdict),
            figures=figures,
            hands=_hands(live) if phase.is_open else (),
            ended=games.ended(),
            voided=games.voided(),
            sections=self._computed,
            trial=trial,
            read=1.0 if at_end else min(games.share, 0.999),
        )

    def _note(self, phase: RunPhase, live: Live | None, verdict: WithdrawalState) -> str:
        how, kind = f"arena run {shlex.quote(shown_path(self._folder))}", self._run.manifest.kind
        if kind.command:
            how = f"the same {kind.command}"
        if kind.note:
            return kind.note
        match phase:
            case RunPhase.WAITING:
                return f"nothing is played yet; begin with: {how}"
            case RunPhase.BUILDING if live is not None:
                return live.building or ""
            case RunPhase.KILLED:
                return f"was killed, nothing is lost; go on with: {how}"
            case RunPhase.STOPPED if verdict.stopped is not None:
                return f"was stopped: {called(verdict.stopped.name)}: {verdict.stopped.reason}"
            case RunPhase.STOPPED:
                return f"was stopped; go on with: {how}"
            case RunPhase.SILENT if live is not None:
                silent = round(time.monotonic() - live.updated)
                return f"no sign of life for {count(silent, 'second')}"
            case _:
                return ""


def _hands(live: Live | None) -> tuple[Hand | None, ...]:
    if live is None:
        return ()
    now = time.monotonic()
    return tuple(None if hand is None else _hand(hand, now) for hand in live.workers)


def _hand(hand: InHand, now: float) -> Hand:
    discipline = hand.game.partition(DISCIPLINE_JOINT)[0]
    return Hand(hand.game, discipline, hand.entrants, round(max(0.0, now - hand.since), 1))
