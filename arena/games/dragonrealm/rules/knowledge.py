"""What each seat knows for certain of the cards in other hands.

A card that was seen and has not been seen to leave lies with one of the seats in its set: usually
one, and two or more after a rockslide in which others may have passed it on unseen.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from arena.games.dragonrealm.rules.cards import Card, Cards
from arena.results import Seat

Whereabouts: TypeAlias = tuple[Seat, ...]
"""Seats of which one holds the card, ascending."""
Known: TypeAlias = tuple[tuple[Card, Whereabouts], ...]
"""Of one seat, sorted by card."""
Held: TypeAlias = tuple[Known, ...]
"""By seat what it knows."""


def learn(held: Held, cards: Iterable[Card], holder: Seat) -> Held:
    """Everybody sees that ``holder`` has these cards in hand."""
    news = dict.fromkeys(cards, (holder,))
    return tuple(
        known if seat == holder else _sorted({**dict(known), **news})
        for seat, known in enumerate(held)
    )


def forget(held: Held, cards: Cards) -> Held:
    """The cards have left the hands for all to see."""
    return tuple([tuple([entry for entry in known if entry[0] not in cards]) for known in held])


def slide(held: Held, passes: tuple[Cards, ...], sizes: tuple[int, ...], step: int) -> Held:
    """Each seat has passed cards from a hand of its size to the seat ``step`` further on."""
    seats = len(held)
    after = []
    for seat, known in enumerate(held):
        giver = (seat - step) % seats
        told: dict[Card, Whereabouts] = {}
        for card, whereabouts in known:
            if card not in passes[giver]:
                told[card] = _moved(whereabouts, seat, passes, sizes, step)
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
    """Where a card may be now that the watcher did not get."""
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
    return tuple(sorted(known.items()))
