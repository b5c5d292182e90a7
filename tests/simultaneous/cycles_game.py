"""Light cycles for two to four: all turn at once, then move; who hits a trail or the edge is out.

Nothing is drawn and nothing is hidden, but the turns of the others before all have decided.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

import msgspec

from arena.games.base import NOBODY, Action, InvalidActionError, Json, Option, RulesInfo
from arena.games.game import Game
from arena.games.luck import Luck
from arena.values.results import Outcome, RulesSpec, Seat

_STEPS: Final = ((0, -1), (1, 0), (0, 1), (-1, 0))
_SIDES: Final = {"left": -1, "ahead": 0, "right": 1}


class Steer(Action, frozen=True, tag="steer"):
    """Turn to this side, then move."""

    to: Literal["left", "ahead", "right"]


class Cycle(msgspec.Struct, frozen=True):
    """Where a cycle is and heads for, and the moves that it has survived."""

    x: int
    y: int
    heading: int
    moves: int = 0
    is_out: bool = False


class State(msgspec.Struct, frozen=True):
    """The cycles by seat, all squares that are taken, and the turns of this move so far."""

    cycles: tuple[Cycle, ...]
    taken: tuple[tuple[int, int], ...]
    made: tuple[str, ...] = ()


class Observation(msgspec.Struct, frozen=True):
    """All but the turns of this move."""

    seat: Seat
    player: Seat | None
    size: int
    cycles: tuple[Cycle, ...]
    taken: tuple[tuple[int, int], ...]


class Event(msgspec.Struct, frozen=True):
    """The cycles after a move."""

    cycles: tuple[Cycle, ...]


ACTIONS: Final = tuple(Steer(side) for side in _SIDES)


class CyclesRules:
    """See the module."""

    def __init__(self, seats: int, options: Mapping[str, Any], data: Mapping[str, object]) -> None:
        self._size: int = options["size"]
        self.spec = RulesSpec("cycles", seats, dict(options), dict(data))
        self.info = RulesInfo(
            name="cycles",
            title="Light cycles",
            seats=seats,
            max_plies=seats * self._size**2,
            score="moves",
            worst_score=0,
            public=("player", "size", "cycles", "taken"),
            can_determinize=False,
        )

    def initial_state(self) -> State:
        far = self._size - 1
        corners = ((0, 0, 1), (far, far, 3), (far, 0, 2), (0, far, 0))
        cycles = tuple(Cycle(*corner) for corner in corners[: self.spec.seats])
        return State(cycles, tuple((each.x, each.y) for each in cycles))

    def _riding(self, state: State) -> list[Seat]:
        return [seat for seat, cycle in enumerate(state.cycles) if not cycle.is_out]

    def to_act(self, state: State) -> Seat:
        riding = self._riding(state)
        return riding[len(state.made)] if len(riding) > 1 else NOBODY

    def simultaneous(self, state: State) -> Sequence[Seat]:
        return self._riding(state)[len(state.made) :]

    def legal_actions(self, state: State) -> Sequence[Steer]:
        return ACTIONS

    def apply(self, state: State, action: Steer) -> State:
        made, riding = (*state.made, action.to), self._riding(state)
        if len(made) < len(riding):
            return msgspec.structs.replace(state, made=made)
        moved = {
            seat: self._moved(state.cycles[seat], side)
            for seat, side in zip(riding, made, strict=True)
        }
        squares = [(each.x, each.y) for each in moved.values()]
        cycles = list(state.cycles)
        for (seat, cycle), (x, y) in zip(moved.items(), squares, strict=True):
            is_free = 0 <= x < self._size > y >= 0 and (x, y) not in state.taken
            survived = is_free and squares.count((x, y)) == 1
            before = msgspec.structs.replace(cycles[seat], is_out=True)
            cycles[seat] = cycle if survived else before
        return State(tuple(cycles), tuple(sorted({*state.taken, *squares})))

    def _moved(self, cycle: Cycle, side: str) -> Cycle:
        heading = (cycle.heading + _SIDES[side]) % 4
        x, y = _STEPS[heading]
        return Cycle(cycle.x + x, cycle.y + y, heading, cycle.moves + 1)

    def outcome(self, state: State) -> Outcome | None:
        if self.to_act(state) != NOBODY:
            return None
        lasted = [each.moves + (not each.is_out) for each in state.cycles]
        places = tuple(1 + sum(other > own for other in lasted) for own in lasted)
        return Outcome(tuple(each.moves for each in state.cycles), places)

    def observe(self, state: State, seat: Seat) -> Observation:
        actor = self.to_act(state)
        player = actor if actor >= 0 else None
        return Observation(seat, player, self._size, state.cycles, state.taken)

    def describe(self, before: State, action: Steer, after: State) -> Sequence[Event | None]:
        return [None if after.made else Event(after.cycles)] * self.spec.seats

    def decode_action(self, data: Json) -> Steer:
        try:
            return msgspec.convert(data, Steer)
        except msgspec.ValidationError as error:
            raise InvalidActionError(str(error)) from None

    def chance(self, state: State, luck: Luck) -> Steer:
        raise AssertionError("nothing is drawn")

    def is_chance_possible(self, state: State, action: Action) -> bool:
        return False

    def determinize(self, observation: Observation, luck: Luck) -> State:
        raise NotImplementedError


GAME: Final = Game(
    name="cycles",
    title="Light cycles",
    package=__package__ or __name__,
    seats=(2, 3, 4),
    options=(Option("size", (), 6, "Squares of a side.", least=4, most=20),),
    build=CyclesRules,
    action_types=(Steer,),
    observation_type=Observation,
    event_types=(Event,),
)
