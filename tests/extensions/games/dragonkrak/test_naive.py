"""Dragonkrak against a second implementation that only knows whole piles and tries everything.

It builds the whole pile that an action would make and asks whether that is an army, while the
engine looks at the neighbours of one card.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from random import Random
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from arena.extensions.games.dragonkrak.rules.cards import (
    COLOUR_OF,
    DECK,
    HERO,
    INDEX,
    SPACES,
    VALUE_OF,
)
from arena.extensions.games.dragonkrak.rules.state import EMPTY_PILE, Phase, Pile, State
from arena.games.registry import resolve
from tests.extensions.games.dragonkrak.states import dragonkrak, short, state, words
from tests.games.games import play

ARMIES = ("I", "II", "III", "IV")


class Entry(NamedTuple):
    """One card of a pile with its effective value."""

    card: str
    value: int


Entries = list[Entry]


def is_army(army: str, pile: Entries, *, colours: bool = True) -> bool:
    """Whether such a pile may lie there."""
    values = [entry.value for entry in pile]
    heroes = [entry for entry in pile if entry.card == HERO]
    shades = {COLOUR_OF[entry.card] for entry in pile if entry.card != HERO}
    if len(heroes) > 1 or not all(1 <= value <= 12 for value in values):
        return False
    if colours and army in ("III", "IV") and len(shades) > 1:
        return False
    if army in ("II", "IV"):
        values = values[::-1]
    return all(low < high for low, high in pairwise(values))


def entries(pile: Pile) -> Entries:
    return [Entry(c, pile.hero if c == HERO else VALUE_OF[c]) for c in pile.cards]


def readings(army: str, below: Entries, card: str, declared: bool) -> list[Entry]:
    """The values that the card may have above the others."""
    if card != HERO:
        return [Entry(card, VALUE_OF[card])]
    if declared:
        return [Entry(HERO, value) for value in range(1, 13)]
    rises = army in ("I", "III")
    value = below[-1].value if below else 0 if rises else 13
    return [Entry(HERO, value + 1 if rises else value - 1)]


def said(kind: str, entry: Entry, army: str) -> str:
    value = [str(entry.value)] if entry.card == HERO else []
    return " ".join([kind, short(entry.card), army, *value])


def placements(position: State, declared: bool, hand: list[str]) -> Iterator[str]:
    for army in open_armies(position):
        pile = entries(position.piles[INDEX[army]])
        for card in hand:
            for entry in readings(army, pile, card, declared):
                if is_army(army, [*pile, entry]):
                    yield said("place", entry, army)
    tower = position.piles[INDEX["tower"]].cards
    for card in hand:
        if card != HERO and all(COLOUR_OF[card] == COLOUR_OF[other] for other in tower):
            yield f"place {short(card)} tower"


def removals(position: State, declared: bool, hand: list[str]) -> Iterator[tuple[str, Entries]]:
    """What can be done if nothing fits, with the pile that it makes."""
    for army in open_armies(position):
        pile = entries(position.piles[INDEX[army]])
        for card in hand:
            made: list[Entries] = []
            for taken in range(1, len(pile) + 1):
                rest = pile[: len(pile) - taken]
                made = [[*rest, entry] for entry in readings(army, rest, card, declared)]
                made = [after for after in made if is_army(army, after)]
                if made:
                    break
            for after in made:
                yield said("remove", after[-1], army), after


def exchanges(position: State, declared: bool, hand: list[str]) -> Iterator[str]:
    for army in open_armies(position):
        pile = entries(position.piles[INDEX[army]])
        for card in hand:
            if card == HERO or HERO not in [entry.card for entry in pile]:
                continue
            after = [Entry(card, VALUE_OF[card]) if e.card == HERO else e for e in pile]
            rest = list(hand)
            rest.remove(card)
            follows = [
                entry
                for other in rest
                for entry in readings(army, after, other, declared)
                if is_army(army, [*after, entry])
            ]
            if is_army(army, after) and follows:
                yield f"exchange {short(card)} {army}"


def insertions(position: State, declared: bool, hand: list[str]) -> Iterator[str]:
    for army in open_armies(position):
        pile = entries(position.piles[INDEX[army]])
        for card in hand:
            for at in range(1, len(pile)):
                for entry in readings(army, pile[:at], card, declared):
                    if is_army(army, [*pile[:at], entry, *pile[at:]]):
                        yield said("volunteers", entry, army)


def open_armies(position: State) -> list[str]:
    closed = (position.red, position.undead)
    return [army for army in ARMIES if INDEX[army] not in closed]


def random_position(random: Random, declared: bool) -> State:
    """Piles that were built card by card, and a hand."""
    deck = list(DECK)
    random.shuffle(deck)
    hand = [deck.pop() for _ in range(random.randint(1, 4))]
    piles: list[Pile] = []
    for army in ARMIES:
        pile: Entries = []
        for card in deck[: random.choice((0, 4, 12, 24))]:
            entry = random.choice(readings(army, pile, card, declared))
            if len(pile) < 5 and is_army(army, [*pile, entry]):
                pile.append(entry)
                deck.remove(card)
        piles.append(made_of(army, pile))
    tower = [c for c in deck if c.startswith("paladins")][: random.randint(0, 5)]
    piles.append(made_of("tower", [Entry(c, VALUE_OF[c]) for c in tower]))
    red, undead = random.sample(range(4), 2)
    texts = " ".join(short(card) for card in hand)
    return replace(
        state(texts, tokens="volunteers", phase=Phase.TACTICS),
        piles=tuple(piles),
        red=red,
        undead=random.choice((None, undead)),
    )


def made_of(space: str, pile: Entries) -> Pile:
    if not pile:
        return EMPTY_PILE
    shades = [COLOUR_OF[entry.card] for entry in pile if entry.card != HERO]
    coloured = space not in ("I", "II") and bool(shades)
    hero = [entry.value for entry in pile if entry.card == HERO]
    return Pile(
        tuple(entry.card for entry in pile),
        shades[0] if coloured else None,
        sum(hero) or None,
        False,
    )


@pytest.mark.slow
@pytest.mark.parametrize("hero_value", ["nearest", "declared"])
@settings(max_examples=400, deadline=None)
@given(random=st.randoms(use_true_random=False))
def test_the_engine_finds_what_trying_everything_finds(hero_value: str, random: Random) -> None:
    """DK-01 to DK-04, DK-07, DK-08, DK-18, DK-37, DK-38."""
    declared = hero_value == "declared"
    rules = dragonkrak(hero_value=hero_value)
    position = random_position(random, declared)
    hand = list(dict.fromkeys(position.sides[0].hand))
    legal = {words(action): action for action in rules.legal_actions(position)}
    found = set(placements(position, declared, hand))
    full_hand = list(position.sides[0].hand)
    found |= set(exchanges(position, declared, full_hand))
    found |= set(insertions(position, declared, hand))
    if not any(text.startswith("place") for text in found):
        forced = dict(removals(position, declared, hand))
        found |= set(forced)
        for text, pile in forced.items():
            after = rules.apply(position, legal[text])
            assert after.piles[INDEX[text.split()[2]]].cards == tuple(e.card for e in pile)
    assert set(legal) == found


@pytest.mark.parametrize("hero_value", ["nearest", "declared"])
@pytest.mark.parametrize("seats", [1, 2, 3, 4])
def test_random_games_build_armies_only(seats: int, hero_value: str) -> None:
    """Until a counter-order is played, the colours of III and IV as well."""
    spec = resolve("dragonkrak", seats, {"hero_value": hero_value}, {})
    for number in range(5):
        for position in play(spec, f"naive-{number}").states:
            ordered = any("counter_order" in side.used for side in position.sides)
            for space, pile in zip(SPACES, position.piles, strict=True):
                assert len(pile.cards) < 6
                if space in ARMIES:
                    assert is_army(space, entries(pile), colours=not ordered)
                elif not ordered:
                    assert len({COLOUR_OF[card] for card in pile.cards}) < 2
