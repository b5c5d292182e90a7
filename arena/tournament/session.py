"""Play the missing games of a run in one session, and store their results."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from contextlib import AbstractContextManager
from itertools import islice
from pathlib import Path

import msgspec
from msgspec import UNSET

from arena.runs.config.tournament import Tournament
from arena.runs.disk import StoreError
from arena.runs.live import LiveFile, locked
from arena.runs.manifest import is_run
from arena.runs.reader import placed_games
from arena.runs.store import Store, stored_voids
from arena.runs.voids import Void
from arena.runs.withdrawals import Breaker
from arena.schedule.handout import Handout
from arena.schedule.schedule import Block, Done
from arena.tournament.dispatch import ATTEMPTS, Dispatch
from arena.tournament.events import (
    BotWithdrawn,
    GameEnded,
    GameVoided,
    Grown,
    Judge,
    Listener,
    Message,
    Stoppable,
    Ticked,
    ignore,
)
from arena.tournament.executor import Executor
from arena.tournament.progress import Progress
from arena.tournament.run import Run, found_run, keep_seed, next_round, refills_of
from arena.values.results import GameDone, GameResult, GameVoid, SeatUsage, player_of
from arena.values.titles import entitle


class Session:
    """A session of play, with the finished games, their evaluation and the remaining games."""

    def __init__(
        self,
        run: Run,
        store: Store | None = None,
        listener: Listener = ignore,
        judge: Judge | None = None,
        deals: int | None = None,
    ) -> None:
        """Count the games of earlier sessions. Raises StoreError.

        Without a ``store`` no result is stored. A ``judge`` ends play when it is decided. With
        ``deals``, only the first ``deals`` deals of each discipline are played.
        """
        self.run = run
        """Run with all rounds that have been added to it."""
        self.is_stopped = False
        """True if play was ended by the function of ``Stoppable``."""
        self._reported = run
        """Run of the last event."""
        self._judge = judge or Judge()
        self._is_judged = judge is not None
        self._tries: Counter[str] = Counter()
        """Number of void tries in this session, by game id."""
        self._deals = deals
        self._store = store
        self._listener = listener
        self._done = Done(run.schedule.numbers)
        entitle(run.manifest.titles)
        self._breaker = self._new_breaker(self._done)
        self._played = run.manifest.results()
        """Results for the pairing of later rounds, if there are any."""
        most = run.manifest.identity.learning
        self._lessons = None if most is UNSET else run.manifest.kind.lessons(run.folder, most)
        self._held: Block | None = None
        """Block of a later leg, held back until all games of the earlier ones are played."""
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
        if self.progress.stopped or self._judge.is_over:
            return True
        return self._is_judged and max(self._tries.values(), default=0) >= ATTEMPTS

    def _count_stored(self) -> None:
        folder, schedule = self.run.folder, self.run.schedule
        for game in placed_games(folder, schedule, self._done, self.run.manifest.rulings):
            self._breaker.add(game.number, game.result)
            if game.is_annulled:
                self.progress.add(game.result)
                continue
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
        kept: int | None = None,
    ) -> None:
        """Play all remaining games, and each round that follows from their results.

        ``opening`` yields the executor. ``patience``: see ``Dispatch``. ``kept``: smallest number
        of bots that each place keeps between games; None: all. Raises StoreError and PoolError, and
        what ``opening`` raises.
        """
        progress, listener = self.progress, self._listener
        self._judge.begin(progress)
        live = LiveFile(self.run.folder, progress.pace, self._judge.terms)
        with live, self._seed_kept(), opening as executor:
            dispatch = Dispatch(executor, patience, lambda text: listener(Message(text)))

            def stop() -> None:
                self.is_stopped = True
                dispatch.stop()

            listener(Stoppable(stop))
            self._play(dispatch, kept, live)
            while not dispatch.is_stopping and self.grow(is_last=not self._goes_on()):
                self.report_growth()
                self._play(dispatch, kept, live)
            self.report_growth()
        self._look_ahead()
        progress.stopped = progress.stopped or dispatch.gave_up

    def _play(self, dispatch: Dispatch, kept: int | None, live: LiveFile) -> None:
        """Play the games planned at present."""
        handout = self._handout(kept)

        def next_block(place: int) -> Block | None:
            if not self._judge.has_room(dispatch.owed):
                return None
            return self._taught(self._held or handout.next(place), dispatch.owed)

        for report in dispatch.play(next_block):
            if report is not None and self._take(report):
                dispatch.leave_out(self.progress.withdrawn)
            if self._is_over:
                dispatch.stop()
            if self._store is not None:
                self._store.flush_if_due()
            live.update(dispatch.in_hand)
            self._listener(Ticked(self.progress))

    def _taught(self, block: Block | None, owed: int) -> Block | None:
        """Return a block with what its bots have learnt; None while games of another leg are owed.

        Raises StoreError.
        """
        state, run, self._held = self._lessons, self.run, None
        if block is None or state is None:
            return block
        leg = run.schedule.leg_of(run.schedule.number(block.games[0].game_id) or 0)
        if not state.is_at(leg):
            if owed:
                self._held = block
                return None
            if self._store is not None:
                self._store.flush()
            state.turn_to(leg, run.schedule, self._new_breaker)
        names = {player_of(name) for game in block.games for name in game.entrants}
        learned = tuple((name, state.archive(name)) for name in sorted(names))
        return msgspec.structs.replace(block, learned=learned)

    def _new_breaker(self, done: Done) -> Breaker:
        manifest = self.run.manifest
        return Breaker(self.run.schedule, manifest.identity.breaker, done, manifest.out)

    def _goes_on(self) -> bool:
        """Return whether the judge permits a round after one that has ended."""
        return not self.progress.is_finished or self._judge.goes_on(self.run, self.progress)

    def grow(self, *, is_last: bool = False) -> bool:
        """Extend the run on disk, if all planned games are played, by what follows from them.

        Returns True if games were added. The end of the run is written to disk too.
        ``is_last``: add no round for now. The caller holds the folder's lock. Raises StoreError and
        BadInput.
        """
        run = self.run
        if run.manifest.field.is_over or self._deals is not None or not self.progress.is_finished:
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

    def report_growth(self) -> None:
        """Report the run if it has grown since the last report."""
        if self.run is not self._reported:
            self._reported = self.run
            self._listener(Grown(self.run))

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
        return self.progress.withdrawn.keys() | self.run.schedule.left | self._judge.out

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
        self._judge.add(number, result)
        if self._played is not None and not self.run.manifest.is_over:
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
        for name, withdrawal in self.progress.withdrawn.items():
            if name not in before:
                self._listener(BotWithdrawn(self.progress, withdrawal))
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
        self._listener(GameEnded(self.progress, report))

    def _take_void(self, report: GameVoid) -> None:
        spec = self.run.schedule.game(report.game_id)
        void = Void.of(report, () if spec is None else spec.entrants)
        if self._store is not None:
            self._store.add_void(void)
        self._breaker.add_void(void)
        self._tries[void.game] += 1
        self.progress.add_void(void)
        self._listener(GameVoided(self.progress, void))


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
