"""The incidents: events without a decision in the course of an action, as a seat sees them."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from arena.extensions.games.dragonrealm.rules.cards import Card, Cards
from arena.values.results import Seat


class Kept(msgspec.Struct, frozen=True, tag="kept"):
    """All seats have chosen their enhancements."""

    counts: tuple[int, ...]
    """Number of enhancements each seat has: two of level 1 or one of level 2."""


class Drew(msgspec.Struct, frozen=True, tag="drew", omit_defaults=True):
    """A seat drew a card from the deck."""

    seat: Seat
    card: Card | None = None
    """Card drawn; absent unless you drew it."""


class FaceUp(msgspec.Struct, frozen=True, tag="face_up"):
    """A card from the deck was laid out face up."""

    card: Card


class Goblins(msgspec.Struct, frozen=True, tag="goblins", omit_defaults=True):
    """A card Goblins! was drawn or revealed, or its turn came after waiting (DR-08)."""

    card: Card
    location: str | None = None
    """Location where a goblin was placed; absent if none was."""


class Rockslide(msgspec.Struct, frozen=True, tag="rockslide"):
    """A card Rockslide! was drawn or revealed, or its turn came: all seats pass cards."""

    card: Card


class Waiting(msgspec.Struct, frozen=True, tag="waiting"):
    """An event card was drawn that waits until all missing cards are drawn (DR-08)."""

    card: Card


class Passed(msgspec.Struct, frozen=True, tag="passed", omit_defaults=True):
    """Cards went from one seat to another."""

    seat: Seat
    to: Seat
    count: int
    cards: Cards = ()
    """Cards passed; absent unless you passed or received them."""


class Placed(msgspec.Struct, frozen=True, tag="placed"):
    """``adventurers`` pieces of the exploring seat were placed."""

    location: str
    adventurers: int


class Success(msgspec.Struct, frozen=True, tag="success"):
    """The total of the roll reached what the location needs."""

    total: int
    needed: int


class Failure(msgspec.Struct, frozen=True, tag="failure"):
    """The total was too low; the cards go back to the hand."""

    total: int
    needed: int
    camp: int
    """Adventurers sent to the Academy or Alley: 1 or 0."""


class Left(msgspec.Struct, frozen=True, tag="goblins_left"):
    """Goblins left a location because of an enhancement (DR-48)."""

    location: str
    goblins: int


class Discarded(msgspec.Struct, frozen=True, tag="discarded"):
    """A seat discarded cards it had no choice about."""

    seat: Seat
    cards: Cards


class Spent(msgspec.Struct, frozen=True, tag="spent"):
    """One-time enhancements left the game."""

    seat: Seat
    enhancements: tuple[str, ...]


class Scored(msgspec.Struct, frozen=True, tag="scored", omit_defaults=True):
    """A location was scored; its pieces go back."""

    location: str
    coins: tuple[int, ...]
    """Coins paid, by seat."""
    winner: Seat | None = None
    """Seat that takes the card; absent if nobody does."""


class Revealed(msgspec.Struct, frozen=True, tag="revealed"):
    """A location came into the row."""

    location: str
    slot: int


class ResultView(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """The result at the end, by seat."""

    coins: tuple[int, ...]
    """Coins, those of enhancements and of the bonus included."""
    stones: tuple[int, ...]
    bonus: tuple[int, ...]
    """Coins for the most Dragonstones, part of ``coins``."""
    enhancements: tuple[tuple[str, ...], ...]
    ruling: str = ""
    """Ruling that ended the game; absent if a Dragon is complete."""


class Final(ResultView, frozen=True, tag="over"):
    """The game ended. Values by seat."""


Incident: TypeAlias = (
    Kept
    | Drew
    | FaceUp
    | Goblins
    | Rockslide
    | Waiting
    | Passed
    | Success
    | Placed
    | Failure
    | Left
    | Discarded
    | Spent
    | Scored
    | Revealed
    | Final
)


BYSTANDER = -1
"""A seat that sees only what every seat sees."""


def insiders(incident: Incident) -> tuple[Seat, ...]:
    """Return the seats that see more of the incident than the others."""
    if type(incident) is Drew:
        return (incident.seat,)
    return (incident.seat, incident.to) if type(incident) is Passed else ()


def seen_by(incident: Incident, seat: Seat) -> Incident:
    """Return the incident without the parts that the seat does not see."""
    if type(incident) is Drew and incident.seat != seat:
        return Drew(incident.seat)
    if type(incident) is Passed and seat not in (incident.seat, incident.to):
        return Passed(incident.seat, incident.to, incident.count)
    return incident
