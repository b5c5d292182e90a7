"""Play the missing games of a run in one session, and store their results."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import AbstractContextManager
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, Protocol, runtime_checkable

from arena.config.tournament import Tournament
from arena.results import GameDone, GameResult, GameVoid, SeatUsage
from arena.runs.disk import StoreError
from arena.runs.live import LiveFile, locked
from arena.runs.manifest import is_run
from arena.runs.reader import placed_games
from arena.runs.rounds.played import Played
from arena.runs.store import Store
from arena.runs.voids import Void, stored_voids
from arena.runs.withdrawals import Breaker, Withdrawal
from arena.schedule.handout import Handout
from arena.schedule.schedule import Block, Done
from arena.tournament.dispatch import ATTEMPTS, Dispatch
from arena.tournament.executor import Executor
from arena.tournament.progress import Progress
from arena.tournament.run import Run, found_run, keep_seed, next_round, refills_of


class SessionCallbacks(NamedTuple):
    """Callbacks for the events of a session."""

    started: Callable[[Progress], None]
    """Called once, after the stored games have been counted."""
    game: Callable[[Progress, GameDone], None]
    void: Callable[[Progress, Void], None]
    tick: Callable[[Progress], None]
    """Called several times a second."""
    withdrawn: Callable[[Progress, Withdrawal], None]
    """Called when a bot is withdrawn in this session."""
    note: Callable[[str], None] = lambda text: None
    """Called with each message for people about a machine."""
    grown: Callable[[Run], None] = lambda run: None
    """Called with the run after each chance to grow, even if it is unchanged."""


class Judge(Protocol):
    """A rule that decides when enough games were played."""

    def add(self, number: int, result: GameResult) -> None:
        """Add a finished game, of this session or an earlier one, in any order."""

    @property
    def is_over(self) -> bool:
        """True if no further game is needed; read several times a second."""

    @property
    def terms(self) -> Mapping[str, Any]:
        """Criteria of the judge as plain JSON, for observers of the run."""


@runtime_checkable
class Eliminator(Protocol):
    """A judge that may need no more games of some entrants."""

    @property
    def out(self) -> Set[str]:
        """Names of the entrants that need no more games; read before each block."""


@runtime_checkable
class Pacemaker(Protocol):
    """A judge that decides after each round whether the next round is drawn."""

    def goes_on(self, run: Run, progress: Progress) -> bool:
        """Return whether the next round is drawn; if not, the session ends."""


@runtime_checkable
class Rationer(Protocol):
    """A judge with a limit on the number of games."""

    def has_room(self, owed: int) -> bool:
        """Return whether one more block may be given out; asked before each block.

        ``owed``: number of unfinished games that were given out.
        """


class Session:
    """A session of play, with the finished games, their evaluation and the remaining games."""

    def __init__(
        self,
        run: Run,
        store: Store | None = None,
        listener: SessionCallbacks | None = None,
        judge: Judge | None = None,
        deals: int | None = None,
    ) -> None:
        """Count the games of earlier sessions. Raises StoreError.

        Without a ``store`` no result is stored. A ``judge`` ends play when it is decided. With
        ``deals``, only the first ``deals`` deals of each discipline are played.
        """
        self.run = run
        """Run with all rounds that have been added to it."""
        self._judge = judge
        self._eliminator = judge if isinstance(judge, Eliminator) else None
        self._tries: Counter[str] = Counter()
        """Number of void tries in this session, by game id."""
        self._deals = deals
        self._store = store
        self._listener = listener
        self._done = Done(run.schedule.numbers)
        policy, unbuilt = run.manifest.identity.breaker, run.manifest.unbuilt
        self._breaker = Breaker(run.schedule, policy, self._done, unbuilt)
        self._played = Played()
        """Results for the pairing of later rounds; empty unless the run grows."""
        self._over = 0
        """Number of rounds of the schedule that have ended."""
        if deals is None:
            self.progress = Progress.of(run.manifest, run.schedule)
        else:
            self.progress = Progress(run.schedule.games_within(deals))
        self._count_stored()

    @property
    def is_done(self) -> bool:
        """True if no game is left to play, or no further game is needed."""
        return self.progress.left <= 0 or self._is_over

    @property
    def _is_over(self) -> bool:
        """True if the run was stopped, or its judge is decided or waits for a lost game."""
        if self.progress.stopped or self._judge is None:
            return bool(self.progress.stopped)
        return self._judge.is_over or max(self._tries.values(), default=0) >= ATTEMPTS

    def _count_stored(self) -> None:
        folder, schedule = self.run.folder, self.run.schedule
        for game in placed_games(folder, schedule, self._done):
            self._breaker.add(game.number, game.result)
            self._count(game.number, game.result, game.stored.spent)
        for void in stored_voids(folder):
            self._breaker.add_void(void)
            self.progress.voids[void.cause] += 1
        if self._breaker.judge():
            self.progress.judged(self._breaker.verdict, schedule, self._done)
        if self._deals is None:
            self.progress.settle(schedule, self._done)
        self.progress.begin()
        self._look_ahead()

    def _look_ahead(self) -> None:
        """Update whether refills follow for tables of withdrawn bots."""
        is_played = self._deals is None and self.progress.is_finished
        self.progress.has_more = (
            is_played and refills_of(self.run, self._breaker.verdict) is not None
        )

    def places(self, most: int) -> int:
        """Return the number of places at which blocks can be played at once, at most ``most``.

        For a run that grows, later rounds are included.
        """
        manifest = self.run.manifest
        if not manifest.is_over:
            discipline = manifest.identity.disciplines[0]
            tables = max(1, len(manifest.entrants) // discipline.rules.seats)
            deals = max(part.deals for part in discipline.schedule.parts)
            return min(most, tables * deals * len(manifest.disciplines))
        blocks = self.run.schedule.blocks(self._done, self._out, self._deals)
        return sum(1 for _ in islice(blocks, most))

    def play(
        self,
        opening: AbstractContextManager[Executor],
        patience: float,
        can_stop: Callable[[Callable[[], None]], None],
        kept: int | None = None,
    ) -> None:
        """Play all remaining games, and each round that follows from their results.

        ``opening`` yields the executor. ``patience``: see ``Dispatch``. ``can_stop`` is called
        before the first game with a function for signal handlers: it lets the running games finish
        and begins no more. ``kept``: smallest number of bots that each place keeps between games;
        None: all. Raises StoreError and PoolError, and what ``opening`` raises.
        """
        judge, progress = self._judge, self.progress
        live = LiveFile(self.run.folder, progress.pace, judge.terms if judge is not None else None)
        with live, self._seed_kept(), opening as executor:
            note = (lambda text: None) if self._listener is None else self._listener.note
            dispatch = Dispatch(executor, patience, note)
            can_stop(dispatch.stop)
            self._play(dispatch, kept, live)
            while not dispatch.is_stopping and self.grow(is_last=not self._goes_on()):
                if self._listener is not None:
                    self._listener.grown(self.run)
                self._play(dispatch, kept, live)
            if self._listener is not None:
                self._listener.grown(self.run)
        self._look_ahead()
        progress.stopped = progress.stopped or dispatch.gave_up

    def _play(self, dispatch: Dispatch, kept: int | None, live: LiveFile) -> None:
        """Play the games planned at present."""
        handout = self._handout(kept)
        # isinstance of a protocol costs 10 µs, too much for each block
        rationer = self._judge if isinstance(self._judge, Rationer) else None

        def next_block(place: int) -> Block | None:
            if rationer is not None and not rationer.has_room(dispatch.owed):
                return None
            return handout.next(place)

        for report in dispatch.play(next_block):
            if report is not None and self._take(report):
                dispatch.leave_out(self.progress.withdrawn)
            if self._is_over:
                dispatch.stop()
            if self._store is not None:
                self._store.flush_if_due()
            live.update(dispatch.in_hand)
            if self._listener is not None:
                self._listener.tick(self.progress)

    def _goes_on(self) -> bool:
        """Return whether the judge permits a round after one that has ended."""
        if isinstance(self._judge, Pacemaker) and self.progress.is_finished:
            return self._judge.goes_on(self.run, self.progress)
        return True

    def grow(self, *, is_last: bool = False) -> bool:
        """Extend the run on disk, if all planned games are played, by what follows from them.

        Returns True if games were added. The end of the run is written to disk too.
        ``is_last``: add no round for now. The caller holds the folder's lock. Raises StoreError and
        BadInput.
        """
        run = self.run
        is_over = run.manifest.grows and run.manifest.is_over
        if is_over or self._deals is not None or not self.progress.is_finished:
            return False
        if self._store is not None:
            self._store.flush()  # the next round must not follow from a game that is not on disk
        self._over = run.schedule.rounds
        grown = next_round(run, self._played, self._breaker.verdict, is_last=is_last)
        if grown is None:
            return False
        self.run = grown
        self._done.grow(grown.schedule.numbers)
        self.progress.grow(grown.manifest, grown.schedule)
        self.progress.has_more = False
        return grown.change is not None and bool(grown.change.pairings)

    def _handout(self, kept: int | None) -> Handout:
        """Return the allocation of the remaining blocks; it leaves out withdrawn bots."""
        policy = self.run.manifest.identity.breaker
        return Handout(
            self.run.schedule,
            kept,
            self._done,
            self._out,
            self._deals,
            lambda: self.progress.suspects(policy),
            self._over,
        )

    def _out(self) -> Set[str]:
        out = self.progress.withdrawn.keys() | self.run.schedule.left
        return out if self._eliminator is None else out | self._eliminator.out

    @contextlib.contextmanager
    def _seed_kept(self) -> Iterator[None]:
        """Restore seed.json at the end if it was changed, so that the run can continue."""
        try:
            yield
        finally:
            keep_seed(self.run.folder, self.run.opening)

    def _count(self, number: int, result: GameResult, spent: Sequence[SeatUsage]) -> None:
        """Count a finished game; a game beyond the wanted deals is no progress."""
        if self._deals is None or self.run.schedule.is_within(number, self._deals):
            self.progress.add(result)
        if self._judge is not None:
            self._judge.add(number, result)
        if self.run.manifest.grows:
            self._played.add(result, spent)

    def _take(self, report: GameDone | GameVoid) -> bool:
        """Store a report; return whether it led to a withdrawal or a stop of the run.

        A game of a bot that was withdrawn before does not count and is not stored.
        """
        match report:
            case GameDone():
                self._take_game(report)
            case GameVoid():
                self._take_void(report)
        if not self._breaker.judge():
            return False
        before = self.progress.withdrawn
        self.progress.judged(self._breaker.verdict, self.run.schedule, self._done)
        if self._store is not None:
            self._store.flush()  # listeners must only see results of games that are on disk
        if self._listener is not None:
            for name, withdrawal in self.progress.withdrawn.items():
                if name not in before:
                    self._listener.withdrawn(self.progress, withdrawal)
        return True

    def _take_game(self, report: GameDone) -> None:
        result = report.result
        number = self.run.schedule.number(result.spec.game_id)
        is_out = not self.progress.withdrawn.keys().isdisjoint(result.spec.entrants)
        if number is None or is_out or not self._done.add(number):
            return
        if self._store is not None:
            self._store.add(report)
        self._breaker.add(number, result)
        self._count(number, result, report.spent)
        if self._listener is not None:
            self._listener.game(self.progress, report)

    def _take_void(self, report: GameVoid) -> None:
        spec = self.run.schedule.game(report.game_id)
        void = Void.of(report, () if spec is None else spec.entrants)
        if self._store is not None:
            self._store.add_void(void)
        self._breaker.add_void(void)
        self._tries[void.game] += 1
        self.progress.add_void(void)
        if self._listener is not None:
            self._listener.void(self.progress, void)


def is_stopped(tournament: Tournament, folder: Path) -> bool:
    """Return whether the folder holds a run of this tournament that was stopped before its end."""
    try:
        with locked(folder):
            if not is_run(folder):
                return False
            run = found_run(tournament, folder)
            progress = Session(run).progress
            return progress.left > 0 or progress.has_more or not run.manifest.is_over
    except StoreError:
        return False


class RoundLimit:
    """A judge and pacemaker that ends play after ``rounds`` rounds; a resumed round counts."""

    def __init__(self, rounds: int) -> None:
        """Set the number of rounds to play; ``rounds`` is at least 1."""
        self._left = rounds

    def begin(self, progress: Progress) -> None:
        """Leave the last round out of the count if all of its games were played before."""
        if progress.is_finished:
            self._left += 1

    def add(self, number: int, result: GameResult) -> None:
        """See Judge."""

    @property
    def is_over(self) -> bool:
        """See Judge."""
        return False

    @property
    def terms(self) -> Mapping[str, Any]:
        """See Judge."""
        return {}

    def goes_on(self, run: Run, progress: Progress) -> bool:
        """See Pacemaker."""
        self._left -= 1
        return self._left > 0
