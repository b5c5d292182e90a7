"""One stretch of play of a run: what is missing is given to whatever plays it, and kept."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import AbstractContextManager
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, Protocol, runtime_checkable

from arena.config.tournament import Tournament
from arena.results import GameDone, GameResult, GameVoid, Spent
from arena.runs.disk import StoreError
from arena.runs.live import LiveFile
from arena.runs.lock import locked
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
from arena.tournament.run import Run, found_run, next_round, refills_of
from arena.tournament.seed_file import keep_seed


class Listener(NamedTuple):
    """What is called while a run is played."""

    started: Callable[[Progress], None]
    """Once, when stored games are counted."""
    game: Callable[[Progress, GameDone], None]
    void: Callable[[Progress, Void], None]
    tick: Callable[[Progress], None]
    """Several times a second."""
    withdrawn: Callable[[Progress, Withdrawal], None]
    """A bot was given up in this session."""
    note: Callable[[str], None] = lambda text: None
    """A machine came or went; in words."""
    grown: Callable[[Run], None] = lambda run: None
    """With the run as it has grown by now; perhaps as before."""


class Judge(Protocol):
    """Decides when enough was played."""

    def add(self, number: int, result: GameResult) -> None:
        """Take a finished game, an earlier session's too, in any order."""

    @property
    def is_over(self) -> bool:
        """Whether no further game is wanted; asked several times a second."""

    @property
    def terms(self) -> Mapping[str, Any]:
        """By what he decides, as plain JSON: for those who watch the run."""


@runtime_checkable
class Eliminator(Protocol):
    """A judge who needs no more games of some entrants."""

    @property
    def out(self) -> Set[str]:
        """Their names; asked before each block."""


@runtime_checkable
class Pacemaker(Protocol):
    """A judge who is asked after each round whether the next one is to be drawn."""

    def goes_on(self, run: Run, progress: Progress) -> bool:
        """Whether it is; if not, the stretch is over."""


@runtime_checkable
class Rationer(Protocol):
    """A judge with a limit on the number of games."""

    def has_room(self, owed: int) -> bool:
        """Return whether one more block may be given out; asked before each block.

        ``owed``: games that were given out and are not over.
        """


class Session:
    """One stretch of play: what is done, what it comes to, and what is left."""

    def __init__(
        self,
        run: Run,
        store: Store | None = None,
        listener: Listener | None = None,
        judge: Judge | None = None,
        deals: int | None = None,
    ) -> None:
        """Counts what earlier sessions played. Raises StoreError.

        Without a ``store`` nothing is kept. With a ``judge`` play ends when it says so; with
        ``deals`` only so many first ones of each discipline are played.
        """
        self.run = run
        """As it has grown by now."""
        self._judge = judge
        self._eliminator = judge if isinstance(judge, Eliminator) else None
        self._tries: Counter[str] = Counter()
        """In this session, of games that could not be played."""
        self._deals = deals
        self._store = store
        self._listener = listener
        self._done = Done(run.schedule.numbers)
        policy, unbuilt = run.manifest.identity.breaker, run.manifest.unbuilt
        self._breaker = Breaker(run.schedule, policy, self._done, unbuilt)
        self._played = Played()
        """Of a run that grows."""
        self._over = 0
        """So many rounds of the schedule are over."""
        if deals is None:
            self.progress = Progress.of(run.manifest, run.schedule)
        else:
            self.progress = Progress(run.schedule.games_within(deals))
        self._count_stored()

    @property
    def is_done(self) -> bool:
        """Whether nothing is left to play, or nothing more is wanted."""
        return self.progress.left <= 0 or self._is_over

    @property
    def _is_over(self) -> bool:
        """Whether the run was stopped, or the judge has seen enough, or will see no more: he waits
        for a lost game."""
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
        """Find out whether tables are still to be filled again."""
        is_played = self._deals is None and self.progress.is_finished
        self.progress.has_more = (
            is_played and refills_of(self.run, self._breaker.verdict) is not None
        )

    def places(self, most: int) -> int:
        """At how many places blocks can be played at once, at most so many.

        Of a run that grows, in rounds to come too.
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
        """Have everything played that is left, and each round that follows from its results.

        ``opening`` gives what plays it. ``patience``: see ``Dispatch``. ``can_stop``, which is
        called before the first game, gets what a signal may call: then the games in hand are
        finished, and no more begun. ``kept``: bots that each place keeps between games at least;
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
        progress.places = dispatch.most

    def _play(self, dispatch: Dispatch, kept: int | None, live: LiveFile) -> None:
        """What is planned by now."""
        handout = self._handout(kept)
        rationer = self._judge if isinstance(self._judge, Rationer) else None  # costs 10 µs

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
        """Whether a round that is over may be followed by another one."""
        if isinstance(self._judge, Pacemaker) and self.progress.is_finished:
            return self._judge.goes_on(self.run, self.progress)
        return True

    def grow(self, *, is_last: bool = False) -> bool:
        """If all is played that is planned, find out what follows from it, and put it on disk.

        Whether something does; that nothing follows any more is put on disk too. ``is_last``: no
        round shall follow for now.
        The caller holds the folder's lock. Raises StoreError and BadInput.
        """
        run = self.run
        is_over = run.manifest.grows and run.manifest.is_over
        if is_over or self._deals is not None or not self.progress.is_finished:
            return False
        if self._store is not None:
            self._store.flush()  # nothing may follow from a game that is not on disk
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
        """What is left to play. Bots that are given up meanwhile are left out."""
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
        """Whatever happens to seed.json meanwhile, afterwards the run can go on."""
        try:
            yield
        finally:
            keep_seed(self.run.folder, self.run.opening)

    def _count(self, number: int, result: GameResult, spent: Sequence[Spent]) -> None:
        """Games beyond the deals that are wanted are known, but no progress."""
        if self._deals is None or self.run.schedule.is_within(number, self._deals):
            self.progress.add(result)
        if self._judge is not None:
            self._judge.add(number, result)
        if self.run.manifest.grows:
            self._played.add(result, spent)

    def _take(self, report: GameDone | GameVoid) -> bool:
        """Keep a report; whether because of it a bot was given up or the run is to stop.

        A game of a bot that was given up before counts for nobody and is not kept.
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
            self._store.flush()  # what is shown follows from games that are on disk
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
    """Whether the folder holds a run of this tournament that was stopped before its end."""
    try:
        with locked(folder):
            if not is_run(folder):
                return False
            run = found_run(tournament, folder)
            progress = Session(run).progress
            return progress.left > 0 or progress.has_more or not run.manifest.is_over
    except StoreError:
        return False
