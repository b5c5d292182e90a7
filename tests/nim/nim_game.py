"""Nim with one heap: two seats take one to three sticks in turn, and who takes the last wins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from arena.games.base import NOBODY, Action, InvalidActionError, Json, RulesInfo
from arena.games.game import Game
from arena.games.luck import Luck
from arena.games.positions import PositionBook
from arena.values.results import Outcome, RulesSpec, Seat

STICKS: Final = 7
LARGEST: Final = 50
"""Most sticks of a position of a book."""
MOST: Final = 3


class Take(Action, frozen=True, tag="take"):
    """Take so many sticks."""

    sticks: int


class State(msgspec.Struct, frozen=True):
    """What is left, and who is to act."""

    left: int = STICKS
    seat: Seat = 0


class Observation(msgspec.Struct, frozen=True):
    """Everything is open."""

    left: int


class Event(msgspec.Struct, frozen=True, omit_defaults=True):
    """What both seats saw of a move."""

    seat: Seat
    sticks: int


class NimRules:
    """See the module."""

    def __init__(
        self, seats: int, options: Mapping[str, object], data: Mapping[str, object]
    ) -> None:
        self.spec = RulesSpec("nim", seats, dict(options), dict(data))
        self.info = RulesInfo("nim", "Nim", seats, LARGEST, "points", 0, public=("left",))

    def initial_state(self) -> State:
        return State()

    def to_act(self, state: State) -> Seat:
        return state.seat if state.left else NOBODY

    def legal_actions(self, state: State) -> Sequence[Take]:
        return [Take(number) for number in range(1, min(MOST, state.left) + 1)]

    def chance(self, state: State, luck: Luck) -> Take:
        raise AssertionError("nothing is drawn")

    def apply(self, state: State, action: Take) -> State:
        return State(state.left - action.sticks, 1 - state.seat)

    def outcome(self, state: State) -> Outcome | None:
        if state.left:
            return None
        return Outcome((0, 1), (2, 1)) if state.seat == 0 else Outcome((1, 0), (1, 2))

    def observe(self, state: State, seat: Seat) -> Observation:
        return Observation(state.left)

    def describe(self, before: State, action: Take, after: State) -> Sequence[Event]:
        return [Event(before.seat, action.sticks)] * 2

    def decode_action(self, data: Json) -> Take:
        try:
            return msgspec.convert(data, Take)
        except msgspec.ValidationError as error:
            raise InvalidActionError(str(error)) from None

    def determinize(self, observation: Observation, luck: Luck) -> State:
        return State(observation.left)

    def is_chance_possible(self, state: State, action: Any) -> bool:
        return False


def place(rules: NimRules, text: str) -> State:
    """The state of a line of a book: the number of sticks, and the seat to act."""
    left, seat = map(int, text.split())
    if not (0 <= left <= LARGEST and seat in (0, 1)):
        raise ValueError(f"expected 1 to {LARGEST} sticks and a seat, 0 or 1")
    return State(left, seat)


GAME: Final = Game(
    name="nim",
    title="Nim",
    package=__package__ or __name__,
    seats=(2,),
    options=(),
    build=NimRules,
    action_types=(Take,),
    observation_type=Observation,
    event_types=(Event,),
    book=PositionBook(place),
)
