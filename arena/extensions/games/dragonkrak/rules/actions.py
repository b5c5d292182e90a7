"""The actions of Dragonkrak, chance included; their JSON is their form on the wire."""

from __future__ import annotations

from typing import Annotated, Final, TypeAlias

import msgspec

from arena.extensions.games.dragonkrak.rules.cards import (
    CARD,
    DECK,
    Army,
    Card,
    Cards,
    Colour,
    ColouredSpace,
    Dragon,
    Space,
    Token,
)
from arena.games.base import Action, InvalidActionError, Json
from arena.values.results import Seat

_SeatField: TypeAlias = Annotated[Seat, msgspec.Meta(ge=0, le=3)]
_Value: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=12)]


class Place(Action, frozen=True, tag="place", omit_defaults=True):
    """Place a card from the hand on top of an army, or a troop on the watchtower."""

    card: Card
    space: Space
    value: _Value | None = None
    """Value that a hero takes; absent for troops (DK-01, DK-02)."""


class Remove(Action, frozen=True, tag="remove", omit_defaults=True):
    """Clear the top of an army for a card that fits nowhere, and place it there (DK-18).

    As few cards as possible are taken off.
    """

    card: Card
    army: Army
    value: _Value | None = None
    """Value that a hero takes."""


class Exchange(Action, frozen=True, tag="exchange"):
    """Put a troop from the hand in the place of an army's hero, who goes under the camp."""

    card: Card
    army: Army


class End(Action, frozen=True, tag="end"):
    """Place no more cards in this turn."""


class Fly(Action, frozen=True, tag="fly"):
    """Move the red dragon to another army. The turn ends."""

    army: Army


class CounterOrder(Action, frozen=True, tag="counter_order"):
    """Token: give a pile another colour for the cards to come."""

    space: ColouredSpace
    colour: Colour


class Epidemic(Action, frozen=True, tag="epidemic"):
    """Token: the bottom card or the two bottom cards of an army leave the game."""

    army: Army
    count: Annotated[int, msgspec.Meta(ge=1, le=2)]


class Imprisoned(Action, frozen=True, tag="imprisoned"):
    """Token: close the watchtower until your next turn begins."""


class Overflight(Action, frozen=True, tag="overflight"):
    """Token: this dragon does not block its army while you place cards in this turn."""

    dragon: Dragon


class Reinforcements(Action, frozen=True, tag="reinforcements"):
    """Token: look at your camp. A ``recruit`` follows."""


class Recruit(Action, frozen=True, tag="recruit"):
    """Take this card from the camp into the hand."""

    card: Card


class UndeadDragon(Action, frozen=True, tag="undead_dragon"):
    """Token: the undead dragon blocks an army until your next turn begins."""

    army: Army


class Volunteers(Action, frozen=True, tag="volunteers", omit_defaults=True):
    """Token: insert a card from the hand between cards of an army. Its value says where.

    A second card may follow at once, in the same army and with the same token.
    """

    card: Card
    army: Army
    value: _Value | None = None
    """Value that a hero takes."""


class Muster(Action, frozen=True, tag="muster"):
    """Chance: draw the troops that open the armies I to IV."""

    cards: Annotated[Cards, msgspec.Meta(min_length=4, max_length=4)]


class Deal(Action, frozen=True, tag="deal"):
    """Chance: deal one seat its camp. The first three cards are its opening hand, shown to all."""

    seat: _SeatField
    cards: Annotated[Cards, msgspec.Meta(min_length=12, max_length=len(DECK) - 4)]
    """Cards of the camp, top card first."""


class Tokens(Action, frozen=True, tag="tokens"):
    """Chance: deal one seat its event tokens."""

    seat: _SeatField
    tokens: Annotated[tuple[Token, ...], msgspec.Meta(min_length=2, max_length=3)]
    """Tokens dealt, sorted."""


class Starter(Action, frozen=True, tag="starter"):
    """Chance: draw the seat that begins, among the seats with the highest opening hands (DK-05)."""

    seat: _SeatField


TokenAction: TypeAlias = (
    CounterOrder | Epidemic | Imprisoned | Overflight | Reinforcements | UndeadDragon
)
"""Actions of all tokens except volunteers, which place a card."""
ChanceAction: TypeAlias = Muster | Deal | Tokens | Starter
AnyAction: TypeAlias = (
    Place | Remove | Exchange | End | Fly | TokenAction | Recruit | Volunteers | ChanceAction
)
ACTION_TYPES: Final = (
    Place,
    Remove,
    Exchange,
    End,
    Fly,
    CounterOrder,
    Epidemic,
    Imprisoned,
    Overflight,
    Reinforcements,
    Recruit,
    UndeadDragon,
    Volunteers,
    Muster,
    Deal,
    Tokens,
    Starter,
)


def decode(data: Json) -> AnyAction:
    """Return the action that parsed JSON stands for; dealt tokens may come in any order.

    Raises InvalidActionError if it stands for none.
    """
    try:
        action: AnyAction = msgspec.convert(data, AnyAction)
    except msgspec.ValidationError as error:
        raise InvalidActionError(str(error)) from error
    match action:
        case Place(card) | Remove(card) | Exchange(card) | Recruit(card) | Volunteers(card):
            return msgspec.structs.replace(action, card=_known(card))
        case Muster(cards) | Deal(_, cards):
            return msgspec.structs.replace(action, cards=tuple(map(_known, cards)))
        case Tokens(seat, tokens):
            return Tokens(seat, tuple(sorted(tokens)))
        case _:
            return action


def _known(card: str) -> Card:
    """Return the shared string object of ``card``, or raise InvalidActionError.

    The pattern of the field is no full check: ``$`` accepts a trailing newline in Python.
    """
    if card not in CARD:
        raise InvalidActionError(f"expected a card, got {card!r}")
    return CARD[card]
