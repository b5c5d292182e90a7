"""Goofspiel for two to four: all bid a card at once for the prize that chance turned over.

The highest bid takes the prize; of equal highest bids nobody does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from arena.games.base import CHANCE, NOBODY, Action, InvalidActionError, Json, Option, RulesInfo
from arena.games.game import Game
from arena.games.luck import Luck
from arena.values.results import Outcome, RulesSpec, Seat


class Turn(Action, frozen=True, tag="turn"):
    """Chance: the next prize."""

    prize: int


class Bid(Action, frozen=True, tag="bid"):
    """Bid this card."""

    card: int


class State(msgspec.Struct, frozen=True):
    """The prizes turned over, the bids of each round, and those of this round so far."""

    prizes: tuple[int, ...] = ()
    bids: tuple[tuple[int, ...], ...] = ()
    made: tuple[int, ...] = ()


class Observation(msgspec.Struct, frozen=True):
    """All but the bids of the others in this round."""

    seat: Seat
    player: Seat | None
    prizes: tuple[int, ...]
    bids: tuple[tuple[int, ...], ...]
    bid: int | None
    """The own bid in this round."""


class Event(msgspec.Struct, frozen=True, omit_defaults=True):
    """A prize, the own bid, or the bids of a round."""

    prize: int | None = None
    bid: int | None = None
    bids: tuple[int, ...] = ()


class GoofspielRules:
    """See the module."""

    def __init__(self, seats: int, options: Mapping[str, Any], data: Mapping[str, object]) -> None:
        self._cards: int = options["cards"]
        self.spec = RulesSpec("goofspiel", seats, dict(options), dict(data))
        self.info = RulesInfo(
            name="goofspiel",
            title="Goofspiel",
            seats=seats,
            max_plies=self._cards * (1 + seats),
            score="points",
            worst_score=0,
            public=("player", "prizes", "bids"),
        )

    def initial_state(self) -> State:
        return State()

    def to_act(self, state: State) -> Seat:
        if len(state.prizes) > len(state.bids):
            return len(state.made)
        return CHANCE if len(state.prizes) < self._cards else NOBODY

    def simultaneous(self, state: State) -> Sequence[Seat]:
        return range(len(state.made), self.spec.seats)

    def legal_actions(self, state: State) -> Sequence[Bid]:
        return [Bid(card) for card in self._hand(state, len(state.made))]

    def action_space(self) -> Sequence[Bid]:
        return [*map(Bid, range(1, self._cards + 1))]

    def _hand(self, state: State, seat: Seat) -> list[int]:
        used = {bids[seat] for bids in state.bids}
        return [card for card in range(1, self._cards + 1) if card not in used]

    def chance(self, state: State, luck: Luck) -> Turn:
        order = luck.shuffle("prizes", 0, range(1, self._cards + 1))
        return Turn(order[len(state.prizes)])

    def is_chance_possible(self, state: State, action: Action) -> bool:
        is_due = isinstance(action, Turn) and self.to_act(state) == CHANCE
        return (
            is_due
            and action.prize in range(1, self._cards + 1)
            and (action.prize not in state.prizes)
        )

    def apply(self, state: State, action: Turn | Bid) -> State:
        if isinstance(action, Turn):
            return State((*state.prizes, action.prize), state.bids)
        made = (*state.made, action.card)
        if len(made) < self.spec.seats:
            return State(state.prizes, state.bids, made)
        return State(state.prizes, (*state.bids, made))

    def outcome(self, state: State) -> Outcome | None:
        if self.to_act(state) != NOBODY:
            return None
        scores = [0] * self.spec.seats
        for prize, bids in zip(state.prizes, state.bids, strict=True):
            if bids.count(max(bids)) == 1:
                scores[bids.index(max(bids))] += prize
        places = (1 + sum(other > own for other in scores) for own in scores)
        return Outcome(tuple(scores), tuple(places))

    def observe(self, state: State, seat: Seat) -> Observation:
        actor = self.to_act(state)
        own = state.made[seat] if seat < len(state.made) else None
        return Observation(seat, actor if actor >= 0 else None, state.prizes, state.bids, own)

    def describe(self, before: State, action: Turn | Bid, after: State) -> Sequence[Event | None]:
        seats = range(self.spec.seats)
        if isinstance(action, Turn):
            return [Event(prize=action.prize)] * len(seats)
        if not after.made:
            return [Event(bids=after.bids[-1])] * len(seats)
        bidder = len(before.made)
        return [Event(bid=action.card) if seat == bidder else None for seat in seats]

    def decode_action(self, data: Json) -> Turn | Bid:
        try:
            return msgspec.convert(data, Turn | Bid)
        except msgspec.ValidationError as error:
            raise InvalidActionError(str(error)) from None

    def determinize(self, observation: Observation, luck: Luck) -> State:
        state = State(observation.prizes, observation.bids)
        for seat in range(observation.player or 0):
            hand = self._hand(state, seat)
            drawn = hand[luck.below("guess", seat, len(hand))]
            own = observation.bid if seat == observation.seat else None
            state = msgspec.structs.replace(state, made=(*state.made, own or drawn))
        return state


GAME: Final = Game(
    name="goofspiel",
    title="Goofspiel",
    package=__package__ or __name__,
    seats=(2, 3, 4),
    options=(Option("cards", (), 4, "Cards of each seat.", least=2, most=13),),
    build=GoofspielRules,
    action_types=(Turn, Bid),
    observation_type=Observation,
    event_types=(Event,),
)
