"""Tests for what fits on a pile, and functions that return changed piles.

Spaces are indices: armies 0 to 3, then the tower. The effective value of a card is its own, or the
one that a hero took. In an army effective values rise or fall strictly from card to card, so a
value has only one place in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from arena.extensions.games.dragonkrak.rules.cards import (
    BELOW,
    BEYOND,
    COLOUR_OF,
    COLOURED,
    FULL,
    HERO,
    STEP,
    VALUE_OF,
    Card,
)
from arena.extensions.games.dragonkrak.rules.state import EMPTY_PILE, Pile


def values(pile: Pile) -> list[int]:
    """Return the effective values, bottom card first."""
    return [pile.hero or 0 if card == HERO else VALUE_OF[card] for card in pile.cards]


def top(army: int, pile: Pile) -> int:
    """Return the value that the next card has to follow."""
    if not pile.cards:
        return BELOW[army]
    card = pile.cards[-1]
    return pile.hero or 0 if card == HERO else VALUE_OF[card]


def has_colour(space: int, pile: Pile, troop: Card) -> bool:
    """Return whether the troop's colour is allowed on the space (DK-03)."""
    return not COLOURED[space] or pile.colour is None or pile.colour == COLOUR_OF[troop]


def hero_values(army: int, pile: Pile, *, declared: bool) -> Sequence[int]:
    """Return the values that a hero on top may take, nearest first; none on a 12 or 1 (DK-04).

    Without ``declared`` only the nearest (DK-01, DK-02).
    """
    if pile.hero:
        return ()
    step = STEP[army]
    every = range(top(army, pile) + step, BEYOND[army], step)
    return every if declared else every[:1]


def fits(army: int, pile: Pile, card: Card) -> bool:
    """Return whether the card may be placed on top of the army."""
    if card == HERO:
        return not pile.hero and top(army, pile) + STEP[army] != BEYOND[army]
    rises = (VALUE_OF[card] - top(army, pile)) * STEP[army] > 0
    return rises and has_colour(army, pile, card)


def fits_any(army: int, pile: Pile, cards: Iterable[Card]) -> bool:
    """Return whether one of the cards may be placed on top of the army."""
    return any(fits(army, pile, card) for card in cards)


def around_hero(army: int, pile: Pile) -> tuple[int, int]:
    """Return the two values between which a troop replaces the army's hero (DK-07), lower first."""
    cards = pile.cards
    at = cards.index(HERO)
    before = VALUE_OF[cards[at - 1]] if at else BELOW[army]
    after = VALUE_OF[cards[at + 1]] if at + 1 < len(cards) else BEYOND[army]
    return (before, after) if before < after else (after, before)


def hero_values_between(army: int, pile: Pile, *, declared: bool) -> Sequence[int]:
    """Return the values that an inserted hero may take, from the bottom up (DK-37).

    Without ``declared`` only values next to the card below.
    """
    if pile.hero:
        return ()
    taken = values(pile)
    step = STEP[army]
    free = [value for value in range(taken[0] + step, taken[-1], step) if value not in taken]
    return free if declared else [value for value in free if value - step in taken]


def laid(space: int, pile: Pile, card: Card, value: int | None) -> Pile:
    """Return the pile with the card on top; ``value`` is the value that a hero takes."""
    return _with(space, pile, len(pile.cards), card, value)


def inserted(army: int, pile: Pile, card: Card, value: int | None) -> Pile:
    """Return the pile with the card inserted at the position of its value."""
    own = VALUE_OF[card] if value is None else value
    at = sum((own - other) * STEP[army] > 0 for other in values(pile))
    return _with(army, pile, at, card, value)


def exchanged(army: int, pile: Pile, troop: Card) -> Pile:
    """Return the pile with its hero replaced by the troop."""
    at = pile.cards.index(HERO)
    without = replace(pile, cards=pile.cards[:at] + pile.cards[at + 1 :], hero=None)
    return _with(army, without, at, troop, None)


def cut(pile: Pile, start: int, stop: int) -> Pile:
    """Return the pile with only the cards from ``start`` up to, not including, ``stop`` (DK-49)."""
    cards = pile.cards[start:stop]
    if not cards:
        return EMPTY_PILE
    colour = None if cards == (HERO,) and not pile.ordered else pile.colour
    return Pile(cards, colour, pile.hero if HERO in cards else None, pile.ordered)


def settled(pile: Pile) -> Pile:
    """Return the pile, or an empty one if it is full: its cards leave the game (DK-11, DK-12)."""
    return EMPTY_PILE if len(pile.cards) == FULL else pile


def kept(army: int, pile: Pile, card: Card) -> int:
    """Return how many cards stay below ``card`` if the fewest are taken off the top (DK-18)."""
    cards, taken, step = pile.cards, values(pile), STEP[army]
    if card == HERO:
        without = cards.index(HERO) if pile.hero else len(cards)
        for count in range(min(without, len(cards) - 1), 0, -1):
            if taken[count - 1] + step != BEYOND[army]:
                return count
        return 0
    own, has_its_colour = VALUE_OF[card], has_colour(army, pile, card)
    for count in range(len(cards) - 1, 0, -1):
        is_free = has_its_colour or (cards[:count] == (HERO,) and not pile.ordered)  # as ``cut``
        if is_free and (own - taken[count - 1]) * step > 0:
            return count
    return 0


def _with(space: int, pile: Pile, at: int, card: Card, value: int | None) -> Pile:
    cards = (*pile.cards[:at], card, *pile.cards[at:])
    if card == HERO:
        return Pile(cards, pile.colour, value, pile.ordered)
    colour = COLOUR_OF[card] if COLOURED[space] and pile.colour is None else pile.colour
    return Pile(cards, colour, pile.hero, pile.ordered)
