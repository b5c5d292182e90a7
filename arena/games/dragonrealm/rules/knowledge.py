"""The knowledge each seat has of the cards in other hands.

A card that was seen, and has not been seen to leave, is held by one of the seats in its set. The
set usually has one seat; after a rockslide in which others may have passed the card unseen, it has
two or more.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from arena.games.dragonrealm.rules.cards import Card, Cards
from arena.results import Seat

Whereabouts: TypeAlias = tuple[Seat, ...]
"""Seats, ascending, one of which holds the card."""
Known: TypeAlias = tuple[tuple[Card, Whereabouts], ...]
"""Knowledge of one seat, sorted by card."""
Held: TypeAlias = tuple[Known, ...]
"""Knowledge of each seat."""


def learn(held: Held, cards: Iterable[Card], holder: Seat) -> Held:
    """Return the knowledge after everybody saw that ``holder`` holds these cards."""
    news = dict.fromkeys(cards, (holder,))
    return tuple(
        known if seat == holder else _sorted({**dict(known), **news})
        for seat, known in enumerate(held)
    )


def forget(held: Held, cards: Cards) -> Held:
    """Return the knowledge after the cards have left the hands openly."""
    return tuple([tuple([entry for entry in known if entry[0] not in cards]) for known in held])


def slide(held: Held, passes: tuple[Cards, ...], sizes: tuple[int, ...], step: int) -> Held:
    """Return the knowledge after each seat passed cards to the seat ``step`` further on.

    ``sizes`` are the hand sizes before passing, by seat.
    """
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
    return tuple(sorted(known.items()))
