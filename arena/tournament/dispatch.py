"""Decide which block an executor gets when, which games are tried again, and which hosts rest.

This module starts no processes and reads no messages; an ``Executor`` does.

A host that fails game after game rests: it gets no games for a time that doubles each time the
host fails again. A host never begins a rest while all others rest. A machine may have several
hosts, each with its own folders and limits.
"""

from __future__ import annotations

import logging
import math
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Set
from typing import Final, TypeAlias

import msgspec

from arena.runs.live import InHand
from arena.runs.voids import in_one_line
from arena.schedule.schedule import Block
from arena.tournament.executor import BlockDone, Executor, Joined, Lost
from arena.values.results import GameDone, GameSpec, GameVoid, TimeControl, VoidCause

TICK: Final = 0.2
"""Longest wait for a report before ``Dispatch.play`` yields None, in seconds."""
ATTEMPTS: Final = 3
"""Number of tries of a game in one session; then the game is left for the next session."""
_PATIENCE_BLOCKS: Final = 4
"""Number of other blocks given out before a game that could not be played is tried again."""
_HOPELESS: Final = 10
"""Losses in a row, per place and for one place more, at which play is stopped."""
_HANG_MARGIN: Final = 60.0

log = logging.getLogger("arena.dispatch")


NextBlock: TypeAlias = Callable[[int], Block | None]
"""Return the next block for the place of this number; None: no block is left for any place."""


class _PlaceQueue:
    """The blocks that a place of the executor has been given."""

    def __init__(self) -> None:
        self.waiting: deque[Block] = deque()
        self.unfinished: dict[str, GameSpec] = {}  # games of the first waiting block, in order
        self.heard = 0.0
        self.is_rested = False
        """True if the dispatch ended the place because its host rests."""

    def add(self, block: Block) -> None:
        """Append a block to those of the place."""
        if not self.waiting:
            self._begin(block)
        self.waiting.append(block)

    def finish(self) -> None:
        """Remove the first block, which is done, and begin the next one."""
        self.waiting.popleft()
        self.unfinished = {}
        if self.waiting:
            self._begin(self.waiting[0])

    @property
    def owed(self) -> int:
        """Number of games that the place was given and has not reported."""
        later = list(self.waiting)[1:]
        return len(self.unfinished) + sum(len(block.games) for block in later)

    def in_hand(self) -> InHand | None:
        """Return the running game, taken to be the first unreported one; None: no game."""
        game = next(iter(self.unfinished.values()), None)
        if game is None:
            return None
        return InHand(game.game_id, game.entrants, round(self.heard, 3))

    def _begin(self, block: Block) -> None:
        self.unfinished = {game.game_id: game for game in block.games}
        self.heard = time.monotonic()


class Dispatch:
    """A dispatcher that gives blocks to the places of an executor."""

    def __init__(
        self,
        executor: Executor,
        patience: float,
        note: Callable[[str], None] = lambda text: None,
    ) -> None:
        """Prepare to give blocks to the places of ``executor``.

        ``patience``: seconds without a report after which a place is taken to hang, see
        ``longest_game``. ``note``: called with each message for people about a machine.
        """
        self._executor = executor
        self._patience = patience
        self._places: dict[int, _PlaceQueue] = {}
        self._note = note
        self._health = Health()
        self._failed: defaultdict[str, list[str]] = defaultdict(list)
        """Addresses of the hosts at which the tries of a game failed, by game."""
        self._again: deque[tuple[int, Block]] = deque()
        """Blocks to give out again, each with the value of ``_given`` at which the block is due."""
        self._given = 0
        self._most = 0
        """Largest number of places that there were at once."""
        self._to_rest: list[int] = []
        """Places whose blocks are taken away after the events of the current wait."""
        self._losses = 0
        """Number of places lost, and of games void by their rules, since a game was last played."""
        self._out: set[str] = set()
        self._stopping = False
        self.gave_up = ""
        """Reason why play was stopped, if the places failed; else empty."""

    @property
    def is_stopping(self) -> bool:
        """True if no more blocks are given out."""
        return self._stopping

    @property
    def owed(self) -> int:
        """Number of unfinished games that were given out, including those to be tried again."""
        again = sum(len(block.games) for _, block in self._again)
        return again + sum(place.owed for place in self._places.values())

    def stop(self) -> None:
        """Give out no more blocks; ``play`` ends when the running games end. Signal-safe."""
        self._stopping = True

    def in_hand(self) -> list[InHand | None]:
        """Return the running game of each place; None for a place without a game."""
        return [place.in_hand() for _, place in sorted(self._places.items())]

    def leave_out(self, names: Iterable[str]) -> None:
        """Do not retry games in which any of the entrants ``names`` plays."""
        self._out.update(names)

    def play(self, next_block: NextBlock) -> Iterator[GameDone | GameVoid | None]:
        """Yield reports in order of arrival, and None about every TICK seconds without a report.

        A game that could not be played is reported as void each time and tried again later,
        up to ATTEMPTS times in all. When all games are played, ``play`` can be called again with
        other blocks, unless it was stopped. Raises PoolError.
        """
        told = False
        while self._is_under_way(next_block):
            if self._stopping and not told:
                told = True
                self._executor.stop()
            silent = True
            for number, event in self._executor.wait(TICK):
                silent = False
                match event:
                    case GameDone() | GameVoid() | BlockDone() if number in self._to_rest:
                        pass  # the games of a resting host are given out again
                    case GameDone() | GameVoid():
                        self._take(number, event)
                        yield event
                    case BlockDone():
                        place = self._places[number]
                        place.heard = time.monotonic()
                        place.finish()
                        self._feed(number, place, next_block, self._executor.ahead)
                    case Joined(machine, host):
                        self._places[number] = _PlaceQueue()
                        self._health.join(number, host, machine)
                        self._most = max(self._most, len(self._places))
                    case Lost():
                        at = self._health.leave(number)
                        yield from self._lose(self._places.pop(number), at, event)
            self._rest()
            self._abandon_hung()
            if silent:
                yield None

    def _is_under_way(self, next_block: NextBlock) -> bool:
        """Give out as many blocks as possible; return whether there are events to wait for."""
        if not self._places:
            return not self._stopping
        ahead = self._executor.ahead
        hungry = [each for each in self._places.items() if len(each[1].waiting) < ahead]
        depth = min((len(place.waiting) for _, place in hungry), default=ahead)
        while depth < ahead:  # each place has one block before any has two
            depth += 1
            fed = (self._feed(*each, next_block, depth) for each in hungry)
            if not (any([*fed]) if self._again else all(fed)):  # a place may be refused a retry
                break
        return any(place.waiting for place in self._places.values())

    def _feed(self, number: int, place: _PlaceQueue, next_block: NextBlock, depth: int) -> bool:
        """Fill the queue of a place to ``depth`` blocks; return whether there were enough."""
        while len(place.waiting) < depth:
            if not self._may_have(number):
                return False
            block = None if self._stopping else self._next(next_block, number)
            if block is None:
                return False
            self._given += 1
            place.add(block)
            self._executor.give(number, block)
        return True

    def _may_have(self, number: int) -> bool:
        """Return whether a place may get a block; a host on trial gets one block at a time."""
        host = self._health.at(number)
        if not host.is_on_trial:
            return True
        is_idle = not any(self._places[each].waiting for each in host.places)
        return is_idle and self._health.is_awake(number)

    def _next(self, next_block: NextBlock, number: int) -> Block | None:
        """Return the next block of a place; None: no block is left for the place.

        A block to try again comes when it is due, or when there is no other block.
        """
        block = self._given_back(self._given, number)
        if block is None:
            block = next_block(number)
        return self._given_back(math.inf, number) if block is None else block

    def _given_back(self, given: float, number: int) -> Block | None:
        """Return a retry for a place that is due after ``given`` blocks; None: no retry is due."""
        for entry in list(self._again):
            due, again = entry
            if due > given:
                break
            failed = {name for game in again.games for name in self._failed.get(game.game_id, ())}
            if failed and not self._health.may_retry(number, failed):
                continue
            self._again.remove(entry)
            games = tuple(game for game in again.games if self._out.isdisjoint(game.entrants))
            if games:
                return msgspec.structs.replace(again, games=games)
        return None

    def _take(self, number: int, report: GameDone | GameVoid) -> None:
        place = self._places[number]
        place.heard = time.monotonic()
        if isinstance(report, GameDone):
            place.unfinished.pop(report.result.spec.game_id, None)
            self._losses = 0
            self._health.succeed(number)
            return
        game = place.unfinished.pop(report.game_id, None)
        if game is not None:
            host = self._health.at(number)
            self._try_again(place.waiting[0], game, host)
            self._fail(host, report.reason)
        if report.cause is VoidCause.RULES:
            self._give_up(f"games in a row were void: {in_one_line(report.reason)}")

    def _fail(self, host: HostHealth, reason: str) -> None:
        """Count a void game of a host, and let the host rest after too many of them."""
        seconds = self._health.fail(host)
        if not seconds or self._stopping:
            return
        self._note(
            f"{host.machine}: gets no games for {seconds:.0f} s: it could not play the last ones: "
            + in_one_line(reason)
        )
        self._to_rest += sorted(host.places)

    def _try_again(self, block: Block, game: GameSpec, host: HostHealth) -> None:
        failed = self._failed[game.game_id]
        failed.append(host.address)
        if len(failed) < ATTEMPTS:
            again = msgspec.structs.replace(block, games=(game,))
            self._again.append((self._given + _PATIENCE_BLOCKS, again))

    def _rest(self) -> None:
        """Take the blocks away from the places of hosts that rest."""
        numbers, self._to_rest = self._to_rest, []
        for number in numbers:
            place = self._places.get(number)
            if place is not None and place.waiting:
                place.is_rested = True
                self._executor.abandon(number, "takes a rest")

    def _abandon_hung(self) -> None:
        now = time.monotonic()
        for number, place in self._places.items():
            if place.waiting and now - place.heard > self._patience:
                place.heard = now
                self._executor.abandon(number, f"was silent for {self._patience:.0f} s")

    def _lose(self, place: _PlaceQueue, host: HostHealth, lost: Lost) -> Iterator[GameVoid]:
        """Give the blocks of a lost place out again, and yield the void of its running game."""
        if place.is_rested:
            lost = Lost(lost.why, VoidCause.MACHINE)
        if place.waiting:
            yield from self._give_back(place, host, lost)
        if place.is_rested:
            return
        self._give_up("worker processes ended one after another")

    def _give_up(self, what: str) -> None:
        """Count a loss, and stop after too many in a row. ``what``: how the losses are named."""
        self._losses += 1
        if self._losses >= _HOPELESS * (1 + self._most):
            self.gave_up = f"{self._losses} {what}"
            self.stop()

    def _give_back(self, place: _PlaceQueue, host: HostHealth, lost: Lost) -> Iterator[GameVoid]:
        in_hand, *others = place.waiting
        self._again.extendleft((0, block) for block in reversed(others))
        if not place.unfinished:
            return
        game, *rest = place.unfinished.values()
        log.warning("game %s was being played", game.game_id)
        if rest:
            self._again.appendleft((0, msgspec.structs.replace(in_hand, games=tuple(rest))))
        self._try_again(in_hand, game, host)
        void = GameVoid(game.game_id, lost.cause, f"its {lost.cause} {lost.why}", host.machine)
        if lost.cause is VoidCause.WORKER:
            self._fail(host, void.reason)
        yield void


def longest_game(control: TimeControl, seats: int, max_plies: int) -> float:
    """Return the seconds without a report after which a place hangs rather than being slow."""
    if control.move is None and control.bank is None:
        return math.inf
    per_ply = control.move if control.move is not None else control.increment
    banks = seats + max_plies // (control.moves or max_plies + 1)
    thinking = max_plies * (per_ply + (control.margin or 0.0)) + banks * (control.bank or 0.0)
    starting = 2 * seats * control.startup  # of the processes, then to prepare for the game
    return starting + thinking + _HANG_MARGIN


VOIDS_IN_A_ROW: Final = 3
"""Number of void games in a row after which a host rests."""
REST_SECONDS: Final = 15.0
"""Length of the first rest, in seconds."""
LONGEST_REST_SECONDS: Final = 600.0


class HostHealth:
    """A host with its places, void games and rests."""

    def __init__(self, address: str, machine: str) -> None:
        self.address = address
        self.machine = machine
        """Name of the machine of the host."""
        self.places: set[int] = set()
        """Numbers of the places of the host that have joined."""
        self.voids = 0
        """Number of void games since a game was last played or a rest began."""
        self.rests = 0
        """Number of rests since a game was last played."""
        self._rested_until = 0.0

    @property
    def is_on_trial(self) -> bool:
        """True if the host has played no game since a rest began."""
        return self.rests > 0

    @property
    def is_rested(self) -> bool:
        """True while a rest of the host lasts."""
        return self.is_on_trial and time.monotonic() < self._rested_until

    def rest(self) -> float:
        """Begin a rest twice as long as the one before, up to a limit, and return its seconds."""
        seconds = min(REST_SECONDS * 2.0**self.rests, LONGEST_REST_SECONDS)
        self.rests += 1
        self._rested_until = time.monotonic() + seconds
        return seconds


class Health:
    """The hosts of an executor, with the host of each place."""

    def __init__(self) -> None:
        self._hosts: dict[str, HostHealth] = {}
        self._at: dict[int, HostHealth] = {}

    def join(self, place: int, address: str, machine: str) -> None:
        """Add a place of the host at ``address``."""
        host = self._hosts.setdefault(address, HostHealth(address, machine))
        host.places.add(place)
        self._at[place] = host

    def leave(self, place: int) -> HostHealth:
        """Remove a place and return its host."""
        host = self._at.pop(place)
        host.places.discard(place)
        return host

    def at(self, place: int) -> HostHealth:
        """Return the host of a place that has joined."""
        return self._at[place]

    def succeed(self, place: int) -> None:
        """Record that a game was played at ``place``."""
        host = self._at[place]
        host.voids = host.rests = 0

    def fail(self, host: HostHealth) -> float:
        """Record a void game of ``host``; return the seconds of the rest that the host begins.

        Returns 0 if no rest begins: the host failed too seldom, rests already, or is the only one
        that gets games.
        """
        host.voids += 1
        limit = 1 if host.is_on_trial else VOIDS_IN_A_ROW
        if host.voids < limit or host.is_rested or self._awake() <= {host.address}:
            return 0.0
        host.voids = 0
        return host.rest()

    def is_awake(self, place: int) -> bool:
        """Return whether the host of ``place`` gets games."""
        return self._at[place].address in self._awake()

    def may_retry(self, place: int, failed: Set[str]) -> bool:
        """Return whether ``place`` may get a game that the hosts ``failed`` could not play.

        Hosts without recent void games are preferred, then hosts where this game did not fail, then
        any host.
        """
        others = self._awake() - failed
        sound = {each for each in others if not self._hosts[each].voids}
        wanted = sound or others
        return not wanted or self._at[place].address in wanted

    def _awake(self) -> set[str]:
        """Return the addresses of the hosts that get games: all hosts if every host rests."""
        present = [each for each in self._hosts.values() if each.places]
        awake = {each.address for each in present if not each.is_rested}
        return awake or {each.address for each in present}
