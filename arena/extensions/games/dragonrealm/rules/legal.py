"""The legal actions of each decision, in a fixed order.

The first action, which is played for a bot at fault, is always harmless.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations, product
from typing import Final, TypeVar

from arena.extensions.games.dragonrealm.rules.actions import (
    FROM_DECK,
    Academy,
    AnyAction,
    Buy,
    Draw,
    EndTurn,
    Explore,
    Keep,
    Pass,
    Play,
    Put,
    Reroll,
    Rest,
    Use,
)
from arena.extensions.games.dragonrealm.rules.box import Box
from arena.extensions.games.dragonrealm.rules.cards import (
    DICE,
    KEPT,
    ROCKSLIDE_PASSES,
    Card,
    Cards,
    Way,
    value_of,
)
from arena.extensions.games.dragonrealm.rules.state import RowLocation, Side, State, current
from arena.extensions.games.dragonrealm.rules.steps import can_buy, free_cards, placeable, rerolls
from arena.values.results import Seat

A = TypeVar("A", Rest, Draw)
_HANDS: Final = 4096
"""Number of hands whose plays are cached: the referee often asks for the same hands."""


def legal_actions(box: Box, state: State) -> Sequence[AnyAction]:
    """Return all actions of the seat that has to decide; never empty."""
    name, _, argument = state.todo[-1].partition(":")
    side = state.sides[state.seat]
    match name:
        case "turn":
            return [*_drawing(box.rests, state), *_explores(box, state), *_buys(box, state)]
        case "draw":
            return [*_drawing(box.draws, state), *_uses(box, state), *_buys(box, state)]
        case "cards":
            way = current(state.attempt).way
            return [*plays(side.hand, way), *_uses(box, state)]
        case "reroll":
            return [*_rerolls(box, state), *_uses(box, state)]
        case "academy":
            return [Academy(count) for count in range(side.camp + 1)]
        case "place":
            return [*map(Put, placeable(box, state)), *_buys(box, state)]
        case "discard" | "limit":
            return [box.discards[card] for card in side.hand]
        case "pass":
            direction, _, seat = argument.partition(":")
            hand = state.sides[int(seat)].hand
            return list(map(Pass, combinations(hand, ROCKSLIDE_PASSES[direction])))
        case "end":
            return [EndTurn(), *_buys(box, state)]
        case "keep":
            return list(map(Keep, keeps(box, state.sides[int(argument)].offered)))
        case _:
            raise AssertionError(f"no seat is asked for {name}")


def keeps(box: Box, offered: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield each choice of two enhancements of level 1 or one of level 2."""
    for level, count in KEPT.items():
        yield from combinations([name for name in offered if box.level[name] == level], count)


@lru_cache(maxsize=_HANDS)
def plays(hand: Cards, way: Way) -> tuple[Play, ...]:
    """Return every valid set of one to six cards for this way, small sets first (DR-02, DR-03)."""
    sets = {"sneak": _runs, "search": _equals, "storm": _suits}[way](hand)
    return tuple(map(Play, sorted(set(sets), key=lambda cards: (len(cards), cards))))


def _runs(hand: Cards) -> Iterator[Cards]:
    """Yield sets of consecutive numbers of any suits; 12 is not followed by 1."""
    by_value: dict[int, list[Card]] = {}
    for card in hand:
        by_value.setdefault(value_of(card), []).append(card)
    for first in by_value:
        for length in range(1, DICE + 1):
            values = range(first, first + length)
            if values[-1] not in by_value:
                break
            yield from (
                tuple(sorted(run)) for run in product(*(by_value[value] for value in values))
            )


def _equals(hand: Cards) -> Iterator[Cards]:
    """Yield sets of equal numbers, with at most one card of each suit."""
    for value in {value_of(card) for card in hand}:
        yield from _subsets([card for card in hand if value_of(card) == value])


def _suits(hand: Cards) -> Iterator[Cards]:
    """Yield sets of cards of one suit."""
    for suit in {card[:-2] for card in hand}:
        yield from _subsets([card for card in hand if card[:-2] == suit])


def _subsets(cards: Sequence[Card]) -> Iterator[Cards]:
    for size in range(1, min(DICE, len(cards)) + 1):
        yield from combinations(cards, size)


def _drawing(actions: Mapping[str, A], state: State) -> list[A]:
    """Return the actions that draw a card from the deck, then each face-up card."""
    return [actions[card] for card in (FROM_DECK, *state.face_up) if card is not None]


def _explores(box: Box, state: State) -> list[Explore]:
    """Return each location in each way, even a hopeless one (DR-38, DR-45); needs a card."""
    if not state.sides[state.seat].hand:
        return []
    explores: list[Explore] = []
    for place in state.row:
        if _admits(box, place, state.seat):
            explores += box.explores[place.location]
    return explores


def _admits(box: Box, place: RowLocation, seat: Seat) -> bool:
    """Return whether the seat may explore the place.

    The Cave of Bats admits at most two seats; goblins do not count (DR-23).
    """
    if box.locations[place.location].special != "max_two_players" or place.adventurers[seat]:
        return True
    return sum(map(bool, place.adventurers)) < 2


def _uses(box: Box, state: State) -> list[Use]:
    """Return the enhancements that can be turned up or declared now and would matter (DR-47)."""
    side = state.sides[state.seat]
    return [Use(name) for name in side.enhancements if _is_usable(box, state, side, name)]


def _is_usable(box: Box, state: State, side: Side, name: str) -> bool:
    card, attempt = box.enhancements[name], state.attempt
    if name in (side.shown if name in box.lasting else attempt.used if attempt else ()):
        return False
    if attempt and attempt.cards and name not in box.lasting:
        return False  # declared before the roll
    if attempt is None:
        return card.when == "rest"
    if "add" in card.effect:
        return bool(card.effect["action"] == attempt.way)
    if "remove_goblin_here" in card.effect:
        return bool(state.row[attempt.slot].goblins)
    return card.when in ("after_roll", "on_fail")


def _buys(box: Box, state: State) -> list[Buy]:
    """Return the purchases possible now.

    A seat may buy before and after the turn's action, between the cards of a Rest, and before
    adventurers are placed (DR-49).
    """
    if not box.has_alley:
        return []
    buys = [Buy(1, card) for card in free_cards(state)] if can_buy(box, state, 1) else []
    return [*buys, Buy(2)] if can_buy(box, state, 2) else buys


def _rerolls(box: Box, state: State) -> list[Reroll]:
    """Return the empty reroll, then each choice of as many dice as the enhancements allow."""
    attempt = current(state.attempt)
    sizes = range(min(rerolls(box, state), len(attempt.dice)) + 1)
    return [Reroll(dice) for n in sizes for dice in sorted(set(combinations(attempt.dice, n)))]
