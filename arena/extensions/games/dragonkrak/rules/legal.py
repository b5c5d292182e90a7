"""The legal actions of the seat whose turn it is."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import product
from typing import Final, TypeAlias

from msgspec.structs import replace

from arena.extensions.games.dragonkrak.rules import piles
from arena.extensions.games.dragonkrak.rules.actions import (
    AnyAction,
    CounterOrder,
    End,
    Epidemic,
    Exchange,
    Fly,
    Imprisoned,
    Overflight,
    Place,
    Recruit,
    Reinforcements,
    Remove,
    UndeadDragon,
    Volunteers,
)
from arena.extensions.games.dragonkrak.rules.cards import (
    ARMIES,
    COLOUR_OF,
    COLOURED,
    COLOURS,
    HERO,
    SPACES,
    STEP,
    TOWER,
    TROOPS,
    VALUE_OF,
    Card,
    Cards,
    Colour,
    ColouredSpace,
    Token,
)
from arena.extensions.games.dragonkrak.rules.state import Phase, Pile, State

Actions: TypeAlias = list[AnyAction]

_TACTICS, _RECRUIT = Phase.TACTICS, Phase.RECRUIT
_END: Final = End()
_NO_ARMY: Final = (None, *range(TOWER))
_FREE: Final = {
    dragons: tuple(army for army in range(TOWER) if army not in dragons)
    for dragons in product(_NO_ARMY, _NO_ARMY)
}
"""Armies without a dragon, by the armies of the two dragons."""
_FLIGHTS: Final = {dragons: [Fly(ARMIES[army]) for army in free] for dragons, free in _FREE.items()}
_PLACES: Final = tuple({card: Place(card, space) for card in TROOPS} for space in SPACES)
_WATCH: Final = {
    colour: {
        card: place for card, place in _PLACES[TOWER].items() if colour in (None, COLOUR_OF[card])
    }
    for colour in (None, *COLOURS)
}
"""Placements on the watchtower by its colour and by card."""
_IMPRISONED: Final = Imprisoned()
_REINFORCEMENTS: Final = Reinforcements()
_OVER_RED: Final = Overflight("red")
_OVER_UNDEAD: Final = Overflight("undead")
_COLOURED_SPACES: Final[tuple[ColouredSpace, ...]] = ("III", "IV", "tower")
# As with these constants and the cached functions below, each action is built once instead of each
# time it is legal.


def legal_actions(state: State, *, declared: bool, counts: bool) -> Actions:
    """Return all legal actions in a fixed order, never empty.

    ``declared`` and ``counts`` are the options ``hero_value`` and ``volunteers_counts``. The order
    in TACTICS is placements, the end, removals, exchanges, tokens. The first action is always a
    placement, a removal or the end, because the hand is not empty and two armies are free of
    dragons (DK-21).
    """
    phase = state.phase
    if phase is _TACTICS:
        return _tactics(state, declared, counts)
    if phase is _RECRUIT:
        return [Recruit(card) for card in _distinct(tuple(sorted(state.sides[state.seat].camp)))]
    return _FLIGHTS[state.red, state.undead] + _tokens(state, declared, counts)


def _tactics(state: State, declared: bool, counts: bool) -> Actions:
    side, progress, board = state.sides[state.seat], state.progress, state.piles
    hand = _distinct(side.hand)
    space = progress.space
    actions: Actions = []
    free = _FREE[state.red, state.undead]
    if progress.overflight is not None:
        free = _FREE[blocked_armies(state)]
    if space is not None:
        free = (space,) if space in free else ()
    for army in free:
        pile, known = board[army], _last_places[army]
        if known[0] is not pile:
            places = _places(army, piles.top(army, pile), pile.colour)
            _last_places[army] = known = pile, places
        places = known[1]
        for card in hand:
            if card in places:
                actions.append(places[card])
            elif card == HERO:
                for value in piles.hero_values(army, pile, declared=declared):
                    actions.append(Place(card, ARMIES[army], value))
    if space is None and state.imprisoned_by is None:
        places = _WATCH[board[TOWER].colour]
        for card in hand:
            if card in places:
                actions.append(places[card])
    if progress.placed:
        actions.append(_END)
    elif not actions:
        actions += _removals(state, free, hand, declared)
    for army in free:
        if board[army].hero:
            actions += _exchanges(state, army, hand)
    if side.tokens or progress.inserting is not None:
        actions += _tokens(state, declared, counts)
    return actions


def blocked_armies(state: State) -> tuple[int | None, int | None]:
    """Return the armies on which a dragon keeps the seat to act from playing cards (DK-31).

    ``None`` stands for a dragon that is not in play or is flown over.
    """
    overflight = state.progress.overflight
    return (
        None if overflight == "red" else state.red,
        None if overflight == "undead" else state.undead,
    )


def _distinct(cards: Cards) -> Cards:
    """Return sorted ``cards`` with at most one hero."""
    return tuple(dict.fromkeys(cards)) if cards.count(HERO) > 1 else cards


@cache
def _places(army: int, top: int, colour: Colour | None) -> dict[Card, Place]:
    """Return the placements of troops by card, on an army of this top value and colour."""
    step, allowed = STEP[army], COLOURS
    if COLOURED[army] and colour is not None:
        allowed = (colour,)
    return {
        card: place
        for card, place in _PLACES[army].items()
        if (VALUE_OF[card] - top) * step > 0 and COLOUR_OF[card] in allowed
    }


_last_places: Final[list[tuple[Pile | None, dict[Card, Place]]]] = [(None, {})] * TOWER
"""Last pile of each army, with its placements: most piles are those of the question before."""


def _removals(state: State, free: Sequence[int], hand: Cards, declared: bool) -> Actions:
    """Return the removals, those that take the fewest cards first (DK-18)."""
    found: list[tuple[int, Remove]] = []
    for army in free:
        pile = state.piles[army]
        for card in hand:
            count = piles.kept(army, pile, card)
            taken = len(pile.cards) - count
            if card != HERO:
                found.append((taken, Remove(card, ARMIES[army])))
                continue
            rest = piles.cut(pile, 0, count)
            for value in piles.hero_values(army, rest, declared=declared):
                found.append((taken, Remove(card, ARMIES[army], value)))
    return [action for _, action in sorted(found, key=lambda item: item[0])]


def _exchanges(state: State, army: int, hand: Cards) -> Actions:
    """Return the exchanges of an army's hero.

    A card must have been placed there in this turn, or it must still be possible (DK-08).
    """
    pile = state.piles[army]
    actions: Actions = []
    low, high = piles.around_hero(army, pile)
    for card in hand:
        if card != HERO and low < VALUE_OF[card] < high and piles.has_colour(army, pile, card):
            after = piles.exchanged(army, pile, card)
            if state.progress.placed or piles.fits_any(army, after, _without(state, card)):
                actions.append(Exchange(card, ARMIES[army]))
    return actions


def _tokens(state: State, declared: bool, counts: bool) -> Actions:
    """Return the token actions by name; in FLIGHT without overflight and volunteers (DK-40)."""
    tactics = state.phase is _TACTICS
    actions: Actions = []
    before: Token | None = None
    for token in state.sides[state.seat].tokens:
        if token == before:
            continue
        before = token
        if token == "counter_order":
            actions += _counter_orders(state)
        elif token == "epidemic":
            actions += _epidemics(state)
        elif token == "imprisoned":
            actions.append(_IMPRISONED)
        elif token == "overflight":
            if tactics:
                actions += _overflights(state)
        elif token == "reinforcements":
            if state.sides[state.seat].camp:
                actions.append(_REINFORCEMENTS)
        elif token == "undead_dragon":
            actions += _undead_dragons(state)
        elif tactics:
            for army in range(TOWER):
                if len(state.piles[army].cards) > 1:
                    actions += _volunteers(state, army, declared, counts)
    if state.progress.inserting is not None:
        actions += _volunteers(state, state.progress.inserting, declared, counts)
    return actions


def _counter_orders(state: State) -> Sequence[CounterOrder]:
    """Return the counter-orders to a colour other than the present one (DK-33, DK-50)."""
    _, _, third, fourth, tower = state.piles
    orders = _recolourings(third.colour, fourth.colour, tower.colour)
    owed = owed_army(state)
    if owed is None or not COLOURED[owed]:
        return orders
    pile, hand = state.piles[owed], state.sides[state.seat].hand  # DK-52
    return [
        order
        for order in orders
        if order.space != SPACES[owed]
        or piles.fits_any(owed, replace(pile, colour=order.colour), hand)
    ]


@cache
def _recolourings(*colours: Colour | None) -> tuple[CounterOrder, ...]:
    """Return the counter-orders on coloured spaces of these colours."""
    return tuple(
        CounterOrder(space, other)
        for space, colour in zip(_COLOURED_SPACES, colours, strict=True)
        for other in COLOURS
        if colour not in (None, other)
    )


def _epidemics(state: State) -> Sequence[Epidemic]:
    """Return the epidemics: on any army with cards, even under a dragon (DK-34)."""
    first, second, third, fourth, _ = state.piles
    return _epidemics_on(len(first.cards), len(second.cards), len(third.cards), len(fourth.cards))


@cache
def _epidemics_on(*sizes: int) -> tuple[Epidemic, ...]:
    """Return the epidemics on armies of this many cards."""
    return tuple(
        Epidemic(army, count)
        for army, size in zip(ARMIES, sizes, strict=True)
        for count in range(1, 1 + min(size, 2))
    )


def _overflights(state: State) -> Actions:
    return [_OVER_RED] if state.undead is None else [_OVER_RED, _OVER_UNDEAD]


def _undead_dragons(state: State) -> Sequence[UndeadDragon]:
    if state.undead is not None:  # DK-29
        return ()
    return _undead_dragons_beside(state.red, owed_army(state))  # DK-28, DK-52


@cache
def _undead_dragons_beside(*taken: int | None) -> tuple[UndeadDragon, ...]:
    return tuple(UndeadDragon(name) for army, name in enumerate(ARMIES) if army not in taken)


def _volunteers(state: State, army: int, declared: bool, counts: bool) -> Actions:
    """Return the insertions between two cards of an army (DK-38)."""
    pile = state.piles[army]
    actions: Actions = []
    if len(pile.cards) < 2 or state.progress.space not in (None, army):  # DK-39
        return actions
    taken = piles.values(pile)
    low, high = (taken[-1], taken[0]) if taken[0] > taken[-1] else (taken[0], taken[-1])
    if high - low < len(taken) or army in blocked_armies(state):
        return actions
    for card in _distinct(state.sides[state.seat].hand):
        options: Sequence[int | None] = ()
        if card == HERO:
            options = piles.hero_values_between(army, pile, declared=declared)
        elif low < (value := VALUE_OF[card]) < high and value not in taken:
            options = (None,) if piles.has_colour(army, pile, card) else ()
        if options and (counts or _can_pay(state, army, card, options[0])):
            actions += [Volunteers(card, ARMIES[army], each) for each in options]
    return actions


def owed_army(state: State) -> int | None:
    """Return the army on which a card must still be placed this turn, or None.

    That is so after an exchange there (DK-08) or an insertion that does not count (DK-36).
    """
    return None if state.progress.placed else state.progress.space


def _can_pay(state: State, army: int, card: Card, value: int | None) -> bool:
    """Return whether the placement that is due can still follow an insertion (DK-52)."""
    rest = _without(state, card)
    if state.progress.placed or not (rest or state.sides[state.seat].camp):
        return True
    pile = piles.settled(piles.inserted(army, state.piles[army], card, value))
    return piles.fits_any(army, pile, rest)


def _without(state: State, card: Card) -> Cards:
    """Return the hand without one copy of ``card``."""
    hand = state.sides[state.seat].hand
    at = hand.index(card)
    return hand[:at] + hand[at + 1 :]
