"""The actions of Dragonrealm, chance included; their JSON is their form on the wire."""

from __future__ import annotations

from typing import Annotated, Final, Literal, TypeAlias

import msgspec

from arena.extensions.games.dragonrealm.rules.cards import ADVENTURERS, DICE, Card, Cards, Way
from arena.games.base import Action, InvalidActionError, Json
from arena.values.results import Seat

FROM_DECK: Final = "deck"
"""Source of a card that comes from the adventurer deck."""

DeckName: TypeAlias = Literal["locations", "enhancements", "adventurers"]
_Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=ADVENTURERS)]
_Dice: TypeAlias = Annotated[tuple[int, ...], msgspec.Meta(max_length=DICE)]


class Keep(Action, frozen=True, tag="keep"):
    """Keep two enhancements of level 1 or one of level 2 of those offered."""

    enhancements: tuple[str, ...]
    """Enhancements kept, sorted."""


class Rest(Action, frozen=True, tag="rest"):
    """Rest this turn, and draw the first card: from the deck, or a face-up card."""

    source: str


class Draw(Action, frozen=True, tag="draw"):
    """Draw a further card of a Rest."""

    source: str


class Explore(Action, frozen=True, tag="explore"):
    """Explore a location in one of three ways; the cards follow."""

    location: str
    way: Way


class Use(Action, frozen=True, tag="use"):
    """Turn an enhancement face up, or declare a one-time one for this Explore (DR-47)."""

    enhancement: str


class Play(Action, frozen=True, tag="play"):
    """Play the cards of an Explore; the dice follow."""

    cards: Annotated[Cards, msgspec.Meta(min_length=1, max_length=DICE)]
    """Cards played, sorted."""


class Reroll(Action, frozen=True, tag="reroll"):
    """Throw these dice once more; an empty list leaves them all."""

    dice: _Dice
    """Faces of the dice to throw again, sorted."""


class Academy(Action, frozen=True, tag="academy"):
    """Take adventurers back from the Academy, each for one more on this roll (DR-20)."""

    adventurers: _Count


class Put(Action, frozen=True, tag="place"):
    """Place ``adventurers`` pieces after a success.

    It is one, with a golden ring perhaps two (DR-16), and none if the seat has none (DR-18). The
    seat is asked where it has a choice or can buy (DR-49).
    """

    adventurers: _Count


class Discard(Action, frozen=True, tag="discard"):
    """Discard a card from the hand."""

    card: Card


class Pass(Action, frozen=True, tag="pass"):
    """Choose the cards to pass in a rockslide."""

    cards: Annotated[Cards, msgspec.Meta(min_length=1, max_length=2)]
    """Cards to pass, sorted."""


class Buy(Action, frozen=True, tag="buy", omit_defaults=True):
    """Buy an enhancement at the Alley: level 1 for a card, level 2 for two coins."""

    level: Annotated[int, msgspec.Meta(ge=1, le=2)]
    card: Card | None = None
    """Card that is paid, at level 1."""


class EndTurn(Action, frozen=True, tag="end_turn"):
    """Buy nothing more."""


class Shuffle(Action, frozen=True, tag="shuffle"):
    """Chance: shuffle a deck; its cards are listed top first.

    The first deal of adventurers gives each seat five cards in turn, then come the two face-up
    cards; the first enhancements are the three that each seat is offered.
    """

    deck: DeckName
    cards: tuple[str, ...]


class RemoveGoblins(Action, frozen=True, tag="remove_goblins"):
    """Chance: remove the two cards Goblins! that four seats play without."""

    cards: Cards
    """Removed cards, sorted."""


class Starter(Action, frozen=True, tag="starter"):
    """Chance: draw the seat that has the first turn."""

    seat: Seat


class Dice(Action, frozen=True, tag="dice"):
    """Chance: throw dice; the faces are in the order of throwing."""

    faces: _Dice


AnyAction: TypeAlias = (
    Keep
    | Rest
    | Draw
    | Explore
    | Use
    | Play
    | Reroll
    | Academy
    | Put
    | Discard
    | Pass
    | Buy
    | EndTurn
    | Shuffle
    | RemoveGoblins
    | Starter
    | Dice
)
ACTION_TYPES: Final = (
    Keep,
    Rest,
    Draw,
    Explore,
    Use,
    Play,
    Reroll,
    Academy,
    Put,
    Discard,
    Pass,
    Buy,
    EndTurn,
    Shuffle,
    RemoveGoblins,
    Starter,
    Dice,
)


class ActionNames:
    """The names that may stand in an action of a game with these cards."""

    __slots__ = ("_cards", "_enhancements", "_locations", "_seats")

    def __init__(
        self, cards: Cards, locations: tuple[str, ...], enhancements: tuple[str, ...], seats: int
    ) -> None:
        self._cards = {card: card for card in cards}  # one object each: compares faster
        self._locations = frozenset(locations)
        self._enhancements = frozenset(enhancements)
        self._seats = seats

    def decode(self, data: Json) -> AnyAction:
        """Return the action that parsed JSON stands for; unordered lists may come in any order.

        Raises InvalidActionError if it stands for none.
        """
        try:
            action: AnyAction = msgspec.convert(data, AnyAction)
        except msgspec.ValidationError as error:
            raise InvalidActionError(str(error)) from error
        match action:
            case Play(cards):
                return Play(tuple(sorted(map(self._card, cards))))
            case Pass(cards):
                return Pass(tuple(sorted(map(self._card, cards))))
            case Discard(card):
                return Discard(self._card(card))
            case Buy(level, card) if card is not None:
                return Buy(level, self._card(card))
            case Rest(source) if source != FROM_DECK:
                return Rest(self._card(source))
            case Draw(source) if source != FROM_DECK:
                return Draw(self._card(source))
            case Keep(enhancements):
                return Keep(tuple(sorted(map(self._enhancement, enhancements))))
            case Use(enhancement):
                return Use(self._enhancement(enhancement))
            case Explore(location, way):
                return Explore(self._location(location), way)
            case Reroll(dice):
                return Reroll(tuple(sorted(dice)))
            case RemoveGoblins(cards):
                return RemoveGoblins(tuple(sorted(map(self._card, cards))))
            case Starter(seat) if seat not in range(self._seats):
                raise InvalidActionError(f"expected a seat below {self._seats}, got {seat}")
            case Shuffle(deck, cards):
                known = {
                    "adventurers": self._card,
                    "enhancements": self._enhancement,
                    "locations": self._location,
                }[deck]
                return Shuffle(deck, tuple(map(known, cards)))
            case _:
                return action

    def _card(self, name: str) -> Card:
        if name not in self._cards:
            raise InvalidActionError(f"expected a card, got {name!r}")
        return self._cards[name]

    def _location(self, name: str) -> str:
        if name not in self._locations:
            raise InvalidActionError(f"expected a location, got {name!r}")
        return name

    def _enhancement(self, name: str) -> str:
        if name not in self._enhancements:
            raise InvalidActionError(f"expected an enhancement, got {name!r}")
        return name
