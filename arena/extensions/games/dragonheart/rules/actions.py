"""The actions of Dragonheart, chance included; their JSON is their form on the wire."""

from __future__ import annotations

from contextlib import suppress
from itertools import chain, combinations, combinations_with_replacement
from typing import Annotated, Final, Literal, TypeAlias

import msgspec

from arena.extensions.games.dragonheart.rules.cards import (
    CARD,
    CHOICES,
    DECK_SIZE,
    HAND_LIMIT_WITH_FIGURE,
    KIND_OF,
    KINDS,
    ROW_SIZE,
    SPACES,
    Card,
    Cards,
    Deck,
)
from arena.games.base import Action, InvalidActionError, Json
from arena.values.results import Seat

Target: TypeAlias = Literal["petrified", "sorceress", "treasure", "troll"]
_SeatField: TypeAlias = Annotated[Seat, msgspec.Meta(ge=0, le=1)]


class Play(Action, frozen=True, tag="play"):
    """Play one or more cards of one kind from the hand to the space of that kind."""

    cards: Annotated[Cards, msgspec.Meta(min_length=1, max_length=HAND_LIMIT_WITH_FIGURE)]
    """Cards played, sorted."""


class Take(Action, frozen=True, tag="take"):
    """Choose the space that a sorceress or a full row of knights collects (DH-04)."""

    space: Target


class Shuffle(Action, frozen=True, tag="shuffle"):
    """Chance: shuffle one seat's deck. The first five cards are its opening hand."""

    seat: _SeatField
    cards: Annotated[Cards, msgspec.Meta(min_length=DECK_SIZE, max_length=DECK_SIZE)]
    """Whole deck, top card first."""


class Starter(Action, frozen=True, tag="starter"):
    """Chance: draw the seat that has the first turn (DH-21)."""

    seat: _SeatField


class Steal(Action, frozen=True, tag="steal"):
    """Chance: draw the card that is stolen with the figure and put on its owner's draw pile."""

    card: Card


AnyAction: TypeAlias = Play | Take | Shuffle | Starter | Steal
ACTION_TYPES: Final = (Play, Take, Shuffle, Starter, Steal)

TAKES: Final = {
    kind: tuple(msgspec.convert({"type": "take", "space": SPACES[space]}, Take) for space in spaces)
    for kind, spaces in CHOICES.items()
}
"""The two choices that the effect of each kind offers."""


class Group:
    """Cards of one kind in a hand.

    Groups are made when they first occur; there are few: at most six cards of one kind, each with
    one of five values.
    """

    __slots__ = ("cards", "following", "kind", "plays")

    def __init__(self, cards: Cards) -> None:
        self.cards = cards
        self.kind = KIND_OF[cards[0]] if cards else -1
        self.following: dict[Card, Group] = {}
        """Groups in which the next card of the hand lies, by that card; see ``follow``."""
        self.plays: list[tuple[Play, ...]] = [()]
        """All plays of up to n of the cards, by n, smallest first (DH-18); the last ones for any
        number that a row or a stack has room for."""
        for size in range(1, HAND_LIMIT_WITH_FIGURE + 1):
            plays = tuple(map(Play, dict.fromkeys(combinations(cards, size))))
            self.plays.append(self.plays[-1] + plays)

    def follow(self, card: Card) -> Group:
        """Return the group of ``card`` and the cards before it that have its kind."""
        if not self.cards:
            found = Group((card,))
        elif KIND_OF[card] == self.kind:
            found = Group((*self.cards, card))
        else:
            found = NO_CARDS.following.get(card) or NO_CARDS.follow(card)
        self.following[card] = found
        return found


NO_CARDS: Final = Group(())
"""Group of no cards, from which the groups of a hand are reached."""


def action_space(deck: Deck) -> tuple[Play | Take, ...]:
    """Return all plays that a hand from ``deck`` and the spaces have room for, and all takes."""
    found: list[Play | Take] = []
    for kind, room in zip(KINDS, ROW_SIZE, strict=True):
        values = deck.deck[kind]
        for size in range(1, (room or HAND_LIMIT_WITH_FIGURE) + 1):
            for chosen in combinations_with_replacement(sorted({*values}), size):
                if all(chosen.count(value) <= values.count(value) for value in chosen):
                    found.append(Play(tuple(CARD[f"{kind}:{value}"] for value in chosen)))
    return (*found, *dict.fromkeys(chain.from_iterable(TAKES.values())))


def decode(data: Json) -> AnyAction:
    """Return the action that parsed JSON stands for; the cards of a play may come in any order.

    Raises InvalidActionError if it stands for none.
    """
    if (shuffle := _shuffle(data)) is not None:
        return shuffle
    try:
        action: AnyAction = msgspec.convert(data, AnyAction)
    except msgspec.ValidationError as error:
        raise InvalidActionError(str(error)) from error
    match action:
        case Play(cards):
            return Play(tuple(sorted(map(_known, cards))))
        case Shuffle(seat, cards):
            return Shuffle(seat, tuple(map(_known, cards)))
        case Steal(card):
            return Steal(_known(card))
        case _:
            return action


def _shuffle(data: Json) -> Shuffle | None:
    """Return a shuffle at a tenth of the cost of ``convert``; None for everything else."""
    match data:
        case {"type": "shuffle", "seat": 0 | 1 as seat, "cards": [*cards]} if len(data) == 3:
            if type(seat) is int and len(cards) == DECK_SIZE:
                with suppress(KeyError, TypeError):
                    return Shuffle(seat, tuple(map(CARD.__getitem__, cards)))
    return None


def _known(card: str) -> Card:
    """Return the shared string object of ``card``, or raise InvalidActionError.

    The pattern of the field is no full check: ``$`` accepts a trailing newline in Python.
    """
    if card not in CARD:
        raise InvalidActionError(f"expected a card, got {card!r}")
    return CARD[card]
