"""The events that each seat sees: the action of a ply, then its consequences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Literal, TypeAlias

import msgspec
from msgspec.structs import replace

from arena.extensions.games.dragonrealm.rules.actions import (
    FROM_DECK,
    Academy,
    AnyAction,
    Buy,
    Dice,
    Discard,
    Draw,
    EndTurn,
    Explore,
    Keep,
    Pass,
    Play,
    Put,
    RemoveGoblins,
    Reroll,
    Rest,
    Shuffle,
    Starter,
    Use,
)
from arena.extensions.games.dragonrealm.rules.box import Box
from arena.extensions.games.dragonrealm.rules.cards import Card, Cards, Way
from arena.extensions.games.dragonrealm.rules.incidents import (
    BYSTANDER,
    Incident,
    insiders,
    seen_by,
)
from arena.extensions.games.dragonrealm.rules.state import State
from arena.values.results import Seat


class Event(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """One ply as one seat saw it. A field with a default is left out while it has that value."""

    type: Literal[
        "locations",
        "offer",
        "keep",
        "remove_goblins",
        "deal",
        "starter",
        "rest",
        "draw",
        "explore",
        "use",
        "play",
        "dice",
        "reroll",
        "academy",
        "place",
        "discard",
        "pass",
        "reshuffle",
        "buy",
        "reshuffle_enhancements",
        "end_turn",
    ]
    seat: Seat | None = None
    """Seat that acted or was affected; absent if the event concerns no seat."""
    cards: Cards = ()
    """Cards dealt to you, played, or chosen by you to pass."""
    card: Card | None = None
    """Card taken face up, discarded, or paid."""
    face_up: Cards = ()
    """The two face-up cards, in "deal"."""
    enhancements: tuple[str, ...] = ()
    """Enhancements offered to you, or kept by you."""
    enhancement: str | None = None
    """Enhancement turned face up or declared; in "buy" the one you got."""
    level: int | None = None
    """Level of the enhancement bought, in "buy"."""
    skipped: int = 0
    """Number of cards of the other level that were drawn first and go back, in "buy"."""
    skipped_cards: tuple[str, ...] = ()
    """The skipped cards, if you drew them."""
    location: str | None = None
    way: Way | None = None
    dice: tuple[int, ...] = ()
    """Faces thrown; in "reroll" the faces of the dice to be thrown again."""
    adventurers: int | None = None
    """Number of adventurers, in "academy" and "place"."""
    then: tuple[Incident, ...] = ()
    """Incidents that followed from the action, in that order."""


Seen: TypeAlias = tuple[Event | None, ...]
"""The event that each seat saw."""


def describe(box: Box, before: State, action: AnyAction, after: State) -> Seen:
    """Return the event each seat saw when ``action`` led from ``before`` to ``after``, or None."""
    heads = _HEADS[type(action)](box, before, action, after)
    incidents = after.incidents
    if not incidents:
        return heads
    knowing: set[Seat] = set()
    for incident in incidents:
        knowing.update(insiders(incident))
    public = incidents
    if knowing:
        public = tuple([seen_by(incident, BYSTANDER) for incident in incidents])
    head = heads[0]
    if head and heads.count(head) == box.seats:
        seen: list[Event | None] = [replace(head, then=public)] * box.seats
    else:
        seen = [replace(head, then=public) if head else None for head in heads]
    for seat in knowing:
        if (head := heads[seat]) is not None:
            then = tuple([seen_by(incident, seat) for incident in incidents])
            seen[seat] = replace(head, then=then)
    return tuple(seen)


def _shuffle(box: Box, before: State, action: Shuffle, after: State) -> Seen:
    seats = range(box.seats)
    match before.todo[-1]:
        case "locations":
            return (Event("locations"),) * box.seats
        case "enhancements":
            offers = [side.offered for side in after.sides]
            return tuple(Event("offer", seat, enhancements=offers[seat]) for seat in seats)
        case "deal":
            up = tuple(card for card in after.face_up if card is not None)
            return tuple(Event("deal", seat, after.sides[seat].hand, face_up=up) for seat in seats)
        case "reshuffle":
            return (Event("reshuffle"),) * box.seats
        case _:
            return (Event("reshuffle_enhancements"),) * box.seats


def _keep(box: Box, before: State, action: Keep, after: State) -> Seen:
    """Return the events of a Keep; nobody sees a choice before the last one is made."""
    seat = int(before.todo[-1].partition(":")[2])
    own = Event("keep", seat, enhancements=action.enhancements)
    other = Event("keep", seat) if seat == box.seats - 1 else None
    return _own(box, seat, own, other)


def _remove_goblins(box: Box, before: State, action: RemoveGoblins, after: State) -> Seen:
    return (Event("remove_goblins"),) * box.seats


def _starter(box: Box, before: State, action: Starter, after: State) -> Seen:
    return (Event("starter", action.seat),) * box.seats


def _rest(box: Box, before: State, action: Rest, after: State) -> Seen:
    return (Event("rest", before.seat, card=_face_up(action.source)),) * box.seats


def _draw(box: Box, before: State, action: Draw, after: State) -> Seen:
    return (Event("draw", before.seat, card=_face_up(action.source)),) * box.seats


def _explore(box: Box, before: State, action: Explore, after: State) -> Seen:
    event = Event("explore", before.seat, location=action.location, way=action.way)
    return (event,) * box.seats


def _use(box: Box, before: State, action: Use, after: State) -> Seen:
    return (Event("use", before.seat, enhancement=action.enhancement),) * box.seats


def _play(box: Box, before: State, action: Play, after: State) -> Seen:
    return (Event("play", before.seat, action.cards),) * box.seats


def _dice(box: Box, before: State, action: Dice, after: State) -> Seen:
    return (Event("dice", before.seat, dice=action.faces),) * box.seats


def _reroll(box: Box, before: State, action: Reroll, after: State) -> Seen:
    return (Event("reroll", before.seat, dice=action.dice),) * box.seats


def _academy(box: Box, before: State, action: Academy, after: State) -> Seen:
    return (Event("academy", before.seat, adventurers=action.adventurers),) * box.seats


def _put(box: Box, before: State, action: Put, after: State) -> Seen:
    return (Event("place", before.seat, adventurers=action.adventurers),) * box.seats


def _discard(box: Box, before: State, action: Discard, after: State) -> Seen:
    return (Event("discard", before.seat, card=action.card),) * box.seats


def _pass(box: Box, before: State, action: Pass, after: State) -> Seen:
    """Return the events of a Pass.

    Nobody sees a choice before all are made; then all see that cards pass (DR-35).
    """
    seat = int(before.todo[-1].rpartition(":")[2])
    all_in = not any(after.passes)
    other = Event("pass", seat) if all_in else None
    return _own(box, seat, Event("pass", seat, action.cards), other)


def _buy(box: Box, before: State, action: Buy, after: State) -> Seen:
    """Return the events of a Buy; only the buyer sees which cards it draws (DR-49)."""
    names = before.enhancements
    levels = [box.level[name] for name in names]
    index = levels.index(action.level)
    seen = Event("buy", before.seat, card=action.card, level=action.level, skipped=index)
    own = replace(seen, enhancement=names[index], skipped_cards=names[:index])
    return _own(box, before.seat, own, seen)


def _end_turn(box: Box, before: State, action: EndTurn, after: State) -> Seen:
    return (Event("end_turn", before.seat),) * box.seats


def _own(box: Box, seat: Seat, own: Event, other: Event | None) -> Seen:
    return tuple(own if watcher == seat else other for watcher in range(box.seats))


def _face_up(source: str) -> Card | None:
    return None if source == FROM_DECK else source


_HEADS: Final[dict[type, Callable[[Box, State, Any, State], Seen]]] = {
    Shuffle: _shuffle,
    Keep: _keep,
    RemoveGoblins: _remove_goblins,
    Starter: _starter,
    Rest: _rest,
    Draw: _draw,
    Explore: _explore,
    Use: _use,
    Play: _play,
    Dice: _dice,
    Reroll: _reroll,
    Academy: _academy,
    Put: _put,
    Discard: _discard,
    Pass: _pass,
    Buy: _buy,
    EndTurn: _end_turn,
}
