"""The events that each seat sees, ply by ply."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

import msgspec
from msgspec.structs import replace

from arena.extensions.games.dragonkrak.rules.actions import (
    AnyAction,
    CounterOrder,
    Deal,
    End,
    Epidemic,
    Exchange,
    Fly,
    Muster,
    Overflight,
    Place,
    Recruit,
    Reinforcements,
    Remove,
    Starter,
    Tokens,
    UndeadDragon,
    Volunteers,
)
from arena.extensions.games.dragonkrak.rules.cards import (
    ARMIES,
    HAND_SIZE,
    INDEX,
    Army,
    Card,
    Cards,
    Colour,
    Dragon,
    Space,
    Token,
)
from arena.extensions.games.dragonkrak.rules.state import Phase, State, grade_of
from arena.values.results import Seat


class Event(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """One ply as one seat saw it.

    A field with a default is left out of the JSON while it has that value.
    """

    type: Literal[
        "muster",
        "deal",
        "tokens",
        "starter",
        "place",
        "remove",
        "exchange",
        "end",
        "fly",
        "counter_order",
        "epidemic",
        "imprisoned",
        "overflight",
        "reinforcements",
        "recruit",
        "undead_dragon",
        "volunteers",
    ]
    seat: Seat | None = None
    """Seat that was dealt something, begins or acted; absent in "muster"."""
    cards: Cards = ()
    """Cards shown to you. "muster": the troops on the armies I to IV; "deal": the opening hand, in
    the order of drawing; "reinforcements", if it is yours: your camp, sorted."""
    tokens: tuple[Token, ...] = ()
    """Tokens you were dealt, in "tokens", sorted."""
    card: Card | None = None
    """Card that was placed, inserted or exchanged for a hero. In "recruit": the card taken, if you
    took it or everybody knew its position."""
    space: Space | None = None
    """Pile that was changed, or the army under the undead dragon."""
    value: int | None = None
    """Value that a hero took."""
    removed: Cards = ()
    """Cards removed from an army. In "remove": those taken off the top, top card first. In
    "epidemic": those that left the game, bottom card first."""
    cleared: Cards = ()
    """The six cards that left the game because the pile was full."""
    colour: Colour | None = None
    """New colour, in "counter_order"."""
    dragon: Dragon | None = None
    """Dragon that does not block, in "overflight"."""
    red: Army | None = None
    """Army to which the red dragon has moved."""
    undead: Army | None = None
    """Army to which the undead dragon has moved, with one seat and two dragons."""
    drew: int = 0
    """Number of cards the seat drew at the end of its turn."""
    drawn: Cards = ()
    """Cards drawn, in the order of drawing, if you drew them."""
    undead_leaves: bool = False
    """True if the undead dragon leaves because the turn of the seat that brought it begins."""
    tower_opens: bool = False
    """True if the watchtower opens because the turn of the seat that closed it begins."""
    repeated: int = 0
    """Number of earlier occurrences of the position in which the next turn begins, in "fly". At 2
    the game ends instead (DK-55)."""
    over: bool = False
    """True if the game ended."""
    grade: int | None = None
    """Grade at the end of a game of one seat, from 1, the best, to 5."""


Seen: TypeAlias = tuple[Event | None, ...]
"""The event that each seat saw."""


_OVER: Final = Phase.OVER
_PlacedType: TypeAlias = Literal["place", "remove", "volunteers"]
_TYPE_OF: Final[dict[type[Place | Volunteers | Remove], _PlacedType]] = {
    Place: "place",
    Remove: "remove",
    Volunteers: "volunteers",
}


def describe(before: State, action: AnyAction, after: State) -> Seen:
    """Return, by seat, what it saw when ``action`` led from ``before`` to ``after``."""
    if type(action) is Fly or type(action) is End:
        return _turn_ended(before, action, after)
    seats = len(before.sides)
    if type(action) is Place or type(action) is Remove or type(action) is Volunteers:
        return (_placed(before, action, after),) * seats
    match action:
        case Recruit(card):
            return _recruited(before, card, after)
        case Reinforcements():
            event = Event("reinforcements", before.seat)
            camp = tuple(sorted(before.sides[before.seat].camp))
            return _with_own(seats, before.seat, event, replace(event, cards=camp))
        case Tokens(seat, tokens):
            return _with_own(
                seats, seat, Event("tokens", seat), Event("tokens", seat, tokens=tokens)
            )
        case Muster(cards):
            event = Event("muster", cards=cards)
        case Deal(seat, cards):
            event = Event("deal", seat, cards=cards[:HAND_SIZE])
        case Starter(seat):
            event = Event("starter", seat)
        case _:
            event = _simple(before, action)
    return (event,) * seats


def _placed(before: State, action: Place | Volunteers | Remove, after: State) -> Event:
    kind = _TYPE_OF[type(action)]
    space = action.space if isinstance(action, Place) else action.army
    pile = after.piles[INDEX[space]].cards
    removed: Cards = ()
    if kind == "remove":
        removed = before.piles[INDEX[space]].cards[len(pile) - 1 :][::-1]
    is_over = after.phase is _OVER
    return Event(
        kind,
        before.seat,
        card=action.card,
        space=space,
        value=action.value,
        removed=removed,
        cleared=() if pile else after.gone[len(before.gone) :],
        over=is_over,
        grade=_grade(after) if is_over else None,
    )


def _turn_ended(before: State, action: End | Fly, after: State) -> Seen:
    """Return the events of an End or a Fly; with one seat an End also ends the turn."""
    seat, seats = before.seat, len(before.sides)
    is_end = type(action) is End
    if is_end and seats > 1:
        return (Event("end", seat),) * seats
    camp = before.sides[seat].camp
    drawn = camp[: len(camp) - len(after.sides[seat].camp)]
    undead = after.undead if seats == 1 else None
    event = Event(
        "end" if is_end else "fly",
        seat,
        red=ARMIES[after.red],
        undead=None if undead is None else ARMIES[undead],
        drew=len(drawn),
        undead_leaves=before.undead is not None and after.undead is None,
        tower_opens=before.imprisoned_by is not None and after.imprisoned_by is None,
        repeated=after.repeated,
        over=after.phase is _OVER,
    )
    return _with_own(seats, seat, event, replace(event, drawn=drawn) if drawn else event)


def _recruited(before: State, card: Card, after: State) -> Seen:
    seat = before.seat
    was_known = after.sides[seat].known < before.sides[seat].known  # DK-51
    seen = Event("recruit", seat, card=card if was_known else None)
    return _with_own(len(before.sides), seat, seen, replace(seen, card=card))


def _simple(before: State, action: AnyAction) -> Event:
    """Return the event of a decision that all seats see in full."""
    seat = before.seat
    match action:
        case Exchange(card, army):
            return Event("exchange", seat, card=card, space=army)
        case CounterOrder(space, colour):
            return Event("counter_order", seat, space=space, colour=colour)
        case Epidemic(army, count):
            removed = before.piles[INDEX[army]].cards[:count]
            return Event("epidemic", seat, space=army, removed=removed)
        case Overflight(dragon):
            return Event("overflight", seat, dragon=dragon)
        case UndeadDragon(army):
            return Event("undead_dragon", seat, space=army)
        case _:
            return Event("imprisoned", seat)


def _with_own(seats: int, seat: Seat, seen: Event, own: Event) -> Seen:
    """Return ``own`` for ``seat`` and ``seen`` for all other seats."""
    told = [seen] * seats
    told[seat] = own
    return tuple(told)


def _grade(after: State) -> int | None:
    return grade_of(len(after.deserters)).number if len(after.sides) == 1 else None
