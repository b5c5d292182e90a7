"""The full state of a game of Dragonrealm, and what each seat knows of the cards in other hands.

A card that was seen, and has not been seen to leave, is held by one of the seats in its set. The
set usually has one seat; after a rockslide in which others may have passed the card unseen, it has
two or more.

States are immutable values, secrets included.
"""

from __future__ import annotations

from bisect import bisect_left
from operator import itemgetter
from typing import Final, TypeAlias

import msgspec

from arena.extensions.games.dragonrealm.rules.cards import ADVENTURERS, GOBLINS, Card, Cards, Way
from arena.extensions.games.dragonrealm.rules.incidents import Incident
from arena.values.results import Seat

Whereabouts: TypeAlias = tuple[Seat, ...]
"""Seats, ascending, one of which holds the card."""
Known: TypeAlias = tuple[tuple[Card, Whereabouts], ...]
"""Knowledge of one seat, sorted by card."""
Held: TypeAlias = tuple[Known, ...]
"""Knowledge of each seat."""

_CARD: Final = itemgetter(0)
"""Card of an entry of ``Known``."""


def learn(held: Held, cards: Cards, holder: Seat) -> Held:
    """Return ``held`` after everybody saw that ``holder`` holds these cards."""
    after = []
    for seat, known in enumerate(held):
        if seat != holder:
            for card in cards:
                at = bisect_left(known, card, key=_CARD)
                is_known = at < len(known) and known[at][0] == card
                known = (*known[:at], (card, (holder,)), *known[at + is_known :])
        after.append(known)
    return tuple(after)


def forget(held: Held, cards: Cards) -> Held:
    """Return ``held`` after the cards have left the hands openly."""
    gone = frozenset(cards)
    return tuple(
        [
            known
            if gone.isdisjoint(map(_CARD, known))
            else tuple([entry for entry in known if entry[0] not in gone])
            for known in held
        ]
    )


def slide(held: Held, passes: tuple[Cards, ...], sizes: tuple[int, ...], step: int) -> Held:
    """Return ``held`` after each seat passed cards to the seat ``step`` further on.

    ``sizes`` are the hand sizes before passing, by seat.
    """
    seats = len(held)
    after = []
    for seat, known in enumerate(held):
        giver = (seat - step) % seats
        told: dict[Card, Whereabouts] = {}
        moved: dict[Whereabouts, Whereabouts] = {}
        received = passes[giver]
        for card, whereabouts in known:
            if card not in received:
                if whereabouts not in moved:
                    moved[whereabouts] = _moved(whereabouts, seat, passes, sizes, step)
                told[card] = moved[whereabouts]
        told.update(dict.fromkeys(passes[seat], ((seat + step) % seats,)))
        after.append(_sorted(told))
    return tuple(after)


def _moved(
    whereabouts: Whereabouts,
    watcher: Seat,
    passes: tuple[Cards, ...],
    sizes: tuple[int, ...],
    step: int,
) -> Whereabouts:
    """Return which seats may now hold a card that the watcher did not receive."""
    seats = len(passes)
    now: set[Seat] = set()
    for holder in whereabouts:
        receiver = (holder + step) % seats
        if len(passes[holder]) < sizes[holder]:
            now.add(holder)
        if passes[holder] and receiver != watcher:
            now.add(receiver)
    return tuple(sorted(now))


def _sorted(known: dict[Card, Whereabouts]) -> Known:
    return tuple(sorted(known.items(), key=_CARD))


Task: TypeAlias = str
"""One pending task, with its seat, slot or card behind a colon.

Chance has to decide:

 ``locations``, ``enhancements``, ``deal``      the setup
 ``goblins``                                    Goblins! cards that four seats play without
 ``starter``, ``dice``
 ``reshuffle``, ``reshuffle_enhancements``      a new adventurer or enhancement deck

A seat has to decide:

 ``keep:SEAT``                                  which enhancements it keeps
 ``turn``, ``end``                              what it does, or buys
 ``draw``, ``cards``, ``reroll``, ``academy``, ``place``
 ``discard``, ``limit``                         a card it discards; until nine are left
 ``pass:DIRECTION:SEAT``                        cards it passes

Nobody has to decide:

 ``resolve``                                    success or failure of an Explore
 ``take:SEAT``, ``refill:SLOT``                 deck card to a hand, or to the face-up cards
 ``slide:DIRECTION``, ``short:SEAT``            the cards pass; a missing card is drawn
 ``event:CARD``                                 an event card that waits (DR-08)
 ``over``                                       the end
"""


class Side(msgspec.Struct, frozen=True, gc=False):
    """Cards, pieces and coins of one seat."""

    hand: Cards = ()
    """Cards in the hand, sorted."""
    supply: int = ADVENTURERS
    """Adventurers that are neither on locations nor at the camp."""
    camp: int = 0
    """Adventurers at the Academy or Alley."""
    coins: int = 0
    """Coins, without those that enhancements and the bonus bring at the end."""
    won: tuple[str, ...] = ()
    """Locations won, in the order of winning them."""
    offered: tuple[str, ...] = ()
    """Enhancements the seat could choose from."""
    enhancements: tuple[str, ...] = ()
    """Enhancements the seat has, sorted; set as soon as the seat has chosen."""
    shown: tuple[str, ...] = ()
    """Enhancements that lie face up, in the order of showing."""
    thrown: int = 0
    """Number of dice the seat has thrown so far."""


class RowLocation(msgspec.Struct, frozen=True, gc=False):
    """A location in the row with the pieces on it."""

    location: str
    adventurers: tuple[int, ...]
    """Adventurers on the location, by seat."""
    goblins: int


class Attempt(msgspec.Struct, frozen=True, gc=False):
    """An Explore that is not yet resolved."""

    slot: int
    """Index of the location in the row."""
    way: Way
    cards: Cards = ()
    """Cards played; they stay in the hand until they are discarded."""
    used: tuple[str, ...] = ()
    """One-time enhancements that were declared, in that order."""
    dice: tuple[int, ...] = ()
    """Faces of the dice, sorted."""
    academy: int = 0
    """Adventurers taken back from the Academy for this roll."""
    rerolled: int = 0
    """Number of dice that were thrown again."""


def current(attempt: Attempt | None) -> Attempt:
    """Return the Explore in progress; raise ValueError without one."""
    if attempt is None:
        raise ValueError("no Explore is going on")
    return attempt


class State(msgspec.Struct, frozen=True, gc=False):
    """A position."""

    todo: tuple[Task, ...]
    """Pending tasks; the last one is next."""
    seat: Seat
    """Seat whose turn it is."""
    turn: int
    """Number of the turn, from 1, counted over all seats; 0 before the first."""
    sides: tuple[Side, ...]
    row: tuple[RowLocation, ...]
    locations: tuple[str, ...]
    """Location deck, top first."""
    unclaimed: tuple[str, ...]
    """Completed locations that nobody won."""
    deck: Cards
    """Adventurer deck, top first."""
    discards: Cards
    face_up: tuple[Card | None, ...]
    """Face-up cards; None for a card that is about to be refilled, or that no card was left for."""
    goblins: int
    """Number of goblins in the supply."""
    removed: Cards
    """Goblins! cards that left the game unseen."""
    enhancements: tuple[str, ...]
    """Enhancement deck, top first; on the Academy side it has left the game."""
    rejected: tuple[tuple[str, ...], ...]
    """Cards that each seat put at the bottom of that deck, until the deck is shuffled."""
    spent: tuple[str, ...]
    """Enhancements that left the game (DR-42)."""
    attempt: Attempt | None
    passes: tuple[Cards, ...]
    """Cards that each seat has chosen to pass; empty until it has chosen."""
    held: Held
    shuffles: int
    """Number of shuffles of the adventurer deck since the deal."""
    enhancement_shuffles: int
    ruling: str = ""
    """Ruling that ended the game; empty before the end, and if a Dragon is complete."""
    incidents: tuple[Incident, ...] = ()
    """Incidents of the last ply, all without a decision."""


def initial(seats: int, todo: tuple[Task, ...]) -> State:
    """Return the state before any chance event; ``todo``: the tasks of the whole game."""
    return State(
        todo=todo,
        seat=0,
        turn=0,
        sides=(Side(),) * seats,
        row=(),
        locations=(),
        unclaimed=(),
        deck=(),
        discards=(),
        face_up=(),
        goblins=GOBLINS,
        removed=(),
        enhancements=(),
        rejected=((),) * seats,
        spent=(),
        attempt=None,
        passes=((),) * seats,
        held=((),) * seats,
        shuffles=0,
        enhancement_shuffles=0,
    )
