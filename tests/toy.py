"""A tiny title for one to four seats with chance and hidden information.

Every seat is dealt a secret card. In each of two rounds a die is rolled in the open, then every
seat in turn says a number that all hear. Highest card plus numbers wins; equal sums tie.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec
import pytest

from arena.games.base import CHANCE, NOBODY, Action, InvalidActionError, Option, RulesInfo
from arena.games.game import Game
from arena.games.luck import Luck
from arena.games.registry import GAMES
from arena.values.results import GameSpec, Outcome, RulesSpec, Seat

ROUNDS: Final = 2
CARDS: Final = 50
NUMBERS: Final = 3


class Dealt(Action, frozen=True, tag="dealt"):
    card: int


class Rolled(Action, frozen=True, tag="rolled"):
    face: int


class Say(Action, frozen=True, tag="say"):
    number: int


class State(msgspec.Struct, frozen=True):
    cards: tuple[int, ...] = ()
    rolls: tuple[int, ...] = ()
    said: tuple[int, ...] = ()


class Observation(msgspec.Struct, frozen=True):
    seat: Seat
    card: int | None
    rolls: tuple[int, ...]
    said: tuple[int, ...]


class Event(msgspec.Struct, frozen=True, omit_defaults=True):
    what: str
    value: int | None = None
    seat: Seat | None = None


class ToyRules:
    """See the module."""

    def __init__(self, seats: int) -> None:
        self._seats = seats
        plies = seats + ROUNDS * (1 + seats)
        self.info = RulesInfo("toy", "Toy", seats, plies, "points", 0, public=("rolls", "said"))
        self.spec = RulesSpec("toy", seats, {"rounds": ROUNDS}, {"cards": CARDS})

    def initial_state(self) -> State:
        return State()

    def to_act(self, state: State) -> Seat:
        if len(state.cards) < self._seats:
            return CHANCE
        if len(state.said) == ROUNDS * self._seats:
            return NOBODY
        finished_rounds, seat = divmod(len(state.said), self._seats)
        return seat if len(state.rolls) > finished_rounds else CHANCE

    def legal_actions(self, state: State) -> tuple[Say, ...]:
        return tuple(Say(number) for number in range(NUMBERS))

    def chance(self, state: State, luck: Luck) -> Dealt | Rolled:
        if len(state.cards) < self._seats:
            return Dealt(luck.below("cards", len(state.cards), CARDS))
        return Rolled(1 + luck.below("die", len(state.rolls), 6))

    def is_chance_possible(self, state: State, action: Action) -> bool:
        if len(state.cards) < self._seats:
            return isinstance(action, Dealt) and action.card in range(CARDS)
        return isinstance(action, Rolled) and action.face in range(1, 7)

    def apply(self, state: State, action: Action) -> State:
        match action:
            case Dealt(card):
                return msgspec.structs.replace(state, cards=(*state.cards, card))
            case Rolled(face):
                return msgspec.structs.replace(state, rolls=(*state.rolls, face))
            case Say(number):
                return msgspec.structs.replace(state, said=(*state.said, number))
        raise TypeError(action)

    def outcome(self, state: State) -> Outcome | None:
        if self.to_act(state) != NOBODY:
            return None
        sums = [card + sum(state.said[s :: self._seats]) for s, card in enumerate(state.cards)]
        places = tuple(1 + sum(other > mine for other in sums) for mine in sums)
        return Outcome(tuple(sums), places)

    def observe(self, state: State, seat: Seat) -> Observation:
        card = state.cards[seat] if seat < len(state.cards) else None
        return Observation(seat, card, state.rolls, state.said)

    def describe(self, before: State, action: Action, after: State) -> list[Event | None]:
        match action:
            case Dealt(card):
                owner = len(before.cards)
                return [Event("dealt", card) if s == owner else None for s in range(self._seats)]
            case Rolled(face):
                return [Event("rolled", face)] * self._seats
            case Say(number):
                return [Event("said", number, len(before.said) % self._seats)] * self._seats
        raise TypeError(action)

    def decode_action(self, data: Any) -> Action:
        try:
            return msgspec.convert(data, Dealt | Rolled | Say)
        except msgspec.ValidationError as error:
            raise InvalidActionError(str(error)) from None

    def determinize(self, observation: Observation, luck: Luck) -> State:
        cards = [luck.below("cards", seat, CARDS) for seat in range(self._seats)]
        if observation.card is not None:
            cards[observation.seat] = observation.card
        return State(tuple(cards), observation.rolls, observation.said)


def toy_spec(seats: int, game: str = "g") -> GameSpec:
    """A game of entrants a, b, …"""
    return GameSpec(f"{game}:0", game, game, 0, tuple("abcd"[:seats]))


TOY: Final = Game(
    name="toy",
    title="Toy",
    package="tests",
    seats=(1, 2, 3, 4),
    options=(Option("rounds", (), ROUNDS, "Rounds of a game.", least=1),),
    build=lambda seats, options, data: ToyRules(seats),
    action_types=(Dealt, Rolled, Say),
    observation_type=Observation,
    event_types=(Event,),
)


def at_toys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the game installed."""
    monkeypatch.setitem(GAMES.loaded, TOY.name, TOY)
