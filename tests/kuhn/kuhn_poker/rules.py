"""The rules of Kuhn poker."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, TypeAlias

import msgspec

from arena.games.base import (
    CHANCE,
    NOBODY,
    Action,
    InvalidActionError,
    Json,
    Option,
    RulesError,
    RulesInfo,
)
from arena.games.luck import Luck
from arena.values.results import Outcome, RulesSpec, Seat

SEATS: Final = 2
OPTIONS: Final = (Option("bet", ("one", "two"), "one", "how many chips a bet is"),)
Deed: TypeAlias = Literal["check", "bet", "call", "fold"]


class Deal(Action, frozen=True, tag="deal"):
    """Chance: the next seat gets a card."""

    card: str


class Check(Action, frozen=True, tag="check"):
    """Bet nothing."""


class Bet(Action, frozen=True, tag="bet"):
    """Put more chips into the pot."""


class Call(Action, frozen=True, tag="call"):
    """Match the bet."""


class Fold(Action, frozen=True, tag="fold"):
    """Give the pot up."""


ACTION_TYPES: Final = (Deal, Check, Bet, Call, Fold)
_DEEDS: Final[Mapping[type[Action], Deed]] = {
    Check: "check",
    Bet: "bet",
    Call: "call",
    Fold: "fold",
}
_OPEN: Final = (Check(), Bet())
_FACING: Final = (Call(), Fold())
_decoder = msgspec.json.Decoder(Deal | Check | Bet | Call | Fold)


class State(msgspec.Struct, frozen=True):
    """Who was dealt what, and what was done."""

    cards: tuple[str, ...] = ()
    deeds: tuple[Deed, ...] = ()

    @property
    def is_over(self) -> bool:
        """After two checks, a call or a fold."""
        return self.deeds[-1:] in (("call",), ("fold",)) or self.deeds == ("check", "check")

    @property
    def shown(self) -> tuple[str, ...]:
        """The cards that everybody sees."""
        return self.cards if self.is_over and self.deeds[-1] != "fold" else ()


class Observation(msgspec.Struct, frozen=True):
    """What a seat may know."""

    seat: Seat
    card: str | None
    """Its own; None before it is dealt."""
    dealt: int
    """Cards that have been dealt."""
    player: Seat | None
    """Whose turn it is; None when nobody's."""
    deeds: tuple[Deed, ...]
    shown: tuple[str, ...]
    """The cards of both seats once the higher one has won, by seat."""


class Event(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a seat saw of a ply."""

    type: Literal["deal", "check", "bet", "call", "fold"]
    seat: Seat
    card: str | None = None
    """In "deal", if it is yours."""
    shown: tuple[str, ...] = ()
    over: bool = False


class KuhnRules:
    """See the page of rules."""

    def __init__(
        self, seats: int, options: Mapping[str, object], data: Mapping[str, object]
    ) -> None:
        """Raises RulesError."""
        self._deck = _cards(data)
        self._bet = 1 if options["bet"] == "one" else 2
        self.spec = RulesSpec("kuhn", seats, dict(options), dict(data))
        self.info = RulesInfo(
            name="kuhn",
            title="Kuhn poker",
            seats=seats,
            max_plies=5,
            score="chips",
            worst_score=-1 - self._bet,
            public=("dealt", "player", "deeds", "shown"),
        )

    def initial_state(self) -> State:
        return State()

    def to_act(self, state: State) -> Seat:
        if len(state.cards) < SEATS:
            return CHANCE
        return NOBODY if state.is_over else len(state.deeds) % SEATS

    def legal_actions(self, state: State) -> Sequence[Action]:
        return _FACING if state.deeds[-1:] == ("bet",) else _OPEN

    def chance(self, state: State, luck: Luck) -> Deal:
        return Deal(luck.shuffle("deck", 0, self._deck)[len(state.cards)])

    def apply(self, state: State, action: Action) -> State:
        if isinstance(action, Deal):
            return State((*state.cards, action.card))
        return State(state.cards, (*state.deeds, _DEEDS[type(action)]))

    def outcome(self, state: State) -> Outcome | None:
        if not state.is_over:
            return None
        if state.deeds[-1] == "fold":
            winner = len(state.deeds) % SEATS
        else:
            winner = max(range(SEATS), key=lambda seat: self._deck.index(state.cards[seat]))
        won = 1 + (self._bet if "call" in state.deeds else 0)
        scores = (won, -won) if winner == 0 else (-won, won)
        return Outcome(scores, (1, 2) if winner == 0 else (2, 1))

    def observe(self, state: State, seat: Seat) -> Observation:
        actor = self.to_act(state)
        return Observation(
            seat=seat,
            card=state.cards[seat] if seat < len(state.cards) else None,
            dealt=len(state.cards),
            player=actor if actor >= 0 else None,
            deeds=state.deeds,
            shown=state.shown,
        )

    def describe(self, before: State, action: Action, after: State) -> Sequence[Event]:
        if isinstance(action, Deal):
            owner = len(before.cards)
            return [
                Event("deal", owner, card=action.card if seat == owner else None)
                for seat in range(SEATS)
            ]
        seat = self.to_act(before)
        event = Event(_DEEDS[type(action)], seat, shown=after.shown, over=after.is_over)
        return [event] * SEATS

    def decode_action(self, data: Json) -> Action:
        try:
            action: Action = _decoder.decode(msgspec.json.encode(data))
        except (msgspec.MsgspecError, TypeError) as error:
            raise InvalidActionError(str(error)) from None
        if isinstance(action, Deal) and action.card not in self._deck:
            raise InvalidActionError(f"no card: {action.card}")
        return action

    def determinize(self, observation: Observation, luck: Luck) -> State:
        own, seat = observation.card, observation.seat
        hidden = luck.shuffle("guess", 0, [card for card in self._deck if card != own])
        known = [own if each == seat else hidden[0] for each in range(SEATS)]
        cards = observation.shown or tuple(card for card in known if card)
        return State(cards[: observation.dealt], observation.deeds)

    def is_chance_possible(self, state: State, action: Action) -> bool:
        is_due = isinstance(action, Deal) and self.to_act(state) == CHANCE
        return is_due and action.card in self._deck and action.card not in state.cards


def _cards(data: Mapping[str, Any]) -> tuple[str, ...]:
    """From the lowest to the highest. Raises RulesError."""
    cards = data.get("cards")
    if not isinstance(cards, list | tuple) or len(set(map(str, cards))) != 3:
        raise RulesError(("data", "cards"), "expected three different cards")
    for index, card in enumerate(cards):
        if not isinstance(card, str):
            raise RulesError(("data", "cards", index), f"expected a name, got {card!r}")
    return tuple(cards)
