"""The legal actions of the seat whose turn it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

from msgspec.structs import replace

from arena.games.dragonkrak.rules import piles
from arena.games.dragonkrak.rules.actions import (
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
from arena.games.dragonkrak.rules.cards import (
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
    ColouredSpace,
)
from arena.games.dragonkrak.rules.state import Phase, State

Actions: TypeAlias = list[AnyAction]

_TACTICS, _RECRUIT = Phase.TACTICS, Phase.RECRUIT
_END: Final = End()
_FLIGHTS: Final = tuple(map(Fly, ARMIES))
_PLACES: Final = tuple({card: Place(card, space) for card in TROOPS} for space in SPACES)
_IMPRISONED: Final = Imprisoned()
_REINFORCEMENTS: Final = Reinforcements()
_EPIDEMICS: Final = tuple((Epidemic(army, 1), Epidemic(army, 2)) for army in ARMIES)
_UNDEAD_DRAGONS: Final = tuple(map(UndeadDragon, ARMIES))
_OVER_RED: Final = Overflight("red")
_OVER_UNDEAD: Final = Overflight("undead")
_COLOURED_SPACES: Final[tuple[tuple[int, ColouredSpace], ...]] = (
    (2, "III"),
    (3, "IV"),
    (TOWER, "tower"),
)
_COUNTER_ORDERS: Final = tuple(
    (
        index,
        {
            colour: [CounterOrder(space, other) for other in COLOURS if other != colour]
            for colour in COLOURS
        },
    )
    for index, space in _COLOURED_SPACES
)
"""Counter-order actions by coloured space and its present colour. As with the constants above, each
action is built once instead of each time it is legal."""


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
    free = [_FLIGHTS[army] for army in range(TOWER) if army not in (state.red, state.undead)]
    return [*free, *_tokens(state, declared, counts)]


def _tactics(state: State, declared: bool, counts: bool) -> Actions:
    hand = _distinct(state.sides[state.seat].hand)
    space = state.progress.space
    actions: Actions = []
    free: list[int] = []
    if space is None:
        dragons = (state.red,) if state.undead is None else (state.red, state.undead)
        blocked = [army for army in dragons if is_blocked(state, army)]
        free = [army for army in range(TOWER) if army not in blocked]
    elif space != TOWER and not is_blocked(state, space):
        free = [space]
    for army in free:
        _place(actions, state, army, hand, declared)
    if space is None and state.imprisoned_by is None:
        _watch(actions, state, hand)
    if state.progress.placed:
        actions.append(_END)
    elif not actions:
        actions += _removals(state, free, hand, declared)
    for army in free:
        if state.piles[army].hero:
            actions += _exchanges(state, army, hand)
    side = state.sides[state.seat]
    if side.tokens or state.progress.inserting is not None:
        actions += _tokens(state, declared, counts)
    return actions


def is_blocked(state: State, army: int) -> bool:
    """Return whether a dragon keeps the seat to act from playing cards on ``army`` (DK-31)."""
    overflight = state.progress.overflight
    if army == state.red:
        return overflight != "red"
    return army == state.undead and overflight != "undead"


def _distinct(cards: Cards) -> Cards:
    """Return sorted ``cards`` with at most one hero."""
    return tuple(dict.fromkeys(cards)) if cards.count(HERO) > 1 else cards


def _place(actions: Actions, state: State, army: int, hand: Cards, declared: bool) -> None:
    pile = state.piles[army]
    name = ARMIES[army]
    least, step, places = piles.top(army, pile), STEP[army], _PLACES[army]
    colour = pile.colour if COLOURED[army] else None
    for card in hand:
        if card == HERO:
            for value in piles.hero_values(army, pile, declared=declared):
                actions.append(Place(card, name, value))
        elif (VALUE_OF[card] - least) * step > 0 and colour in (None, COLOUR_OF[card]):
            actions.append(places[card])


def _watch(actions: Actions, state: State, hand: Cards) -> None:
    colour = state.piles[TOWER].colour
    for card in hand:
        if card != HERO and colour in (None, COLOUR_OF[card]):
            actions.append(_PLACES[TOWER][card])


def _removals(state: State, free: list[int], hand: Cards, declared: bool) -> Actions:
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


def _exchanges(state: State, army: int, hand: Cards) -> Iterator[Exchange]:
    """Yield the exchanges of an army's hero.

    A card must have been placed there in this turn, or it must still be possible (DK-08).
    """
    pile = state.piles[army]
    low, high = piles.around_hero(army, pile)
    for card in hand:
        if card == HERO or not low < VALUE_OF[card] < high:
            continue
        if not piles.has_colour(army, pile, card):
            continue
        if state.progress.placed or piles.fits_any(
            army, piles.exchanged(army, pile, card), _without(state, card)
        ):
            yield Exchange(card, ARMIES[army])


def _tokens(state: State, declared: bool, counts: bool) -> Actions:
    """Return the token actions by name; in FLIGHT without overflight and volunteers (DK-40)."""
    tactics = state.phase is _TACTICS
    actions: Actions = []
    for token in dict.fromkeys(state.sides[state.seat].tokens):
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
                actions += _volunteers(state, army, declared, counts)
    if state.progress.inserting is not None:
        actions += _volunteers(state, state.progress.inserting, declared, counts)
    return actions


def _counter_orders(state: State) -> Actions:
    """Return the counter-orders to a colour other than the present one (DK-33, DK-50)."""
    actions: Actions = []
    owed = owed_army(state)
    for index, orders in _COUNTER_ORDERS:
        pile = state.piles[index]
        if pile.colour is None:
            continue
        others = orders[pile.colour]
        if owed == index:  # DK-52
            hand = state.sides[state.seat].hand
            others = [
                order
                for order in others
                if piles.fits_any(index, replace(pile, colour=order.colour), hand)
            ]
        actions += others
    return actions


def _epidemics(state: State) -> Actions:
    """Return the epidemics: on any army with cards, even under a dragon (DK-34)."""
    actions: Actions = []
    for army in range(TOWER):
        actions += _EPIDEMICS[army][: len(state.piles[army].cards)]
    return actions


def _overflights(state: State) -> Actions:
    return [_OVER_RED] if state.undead is None else [_OVER_RED, _OVER_UNDEAD]


def _undead_dragons(state: State) -> Actions:
    if state.undead is not None:  # DK-29
        return []
    taken = (state.red, owed_army(state))  # DK-28, DK-52
    return [_UNDEAD_DRAGONS[army] for army in range(TOWER) if army not in taken]


def _volunteers(state: State, army: int, declared: bool, counts: bool) -> Iterator[Volunteers]:
    pile = state.piles[army]
    is_elsewhere = state.progress.space not in (None, army)  # DK-39
    if len(pile.cards) < 2 or is_elsewhere or is_blocked(state, army):
        return
    for card in _distinct(state.sides[state.seat].hand):
        options: Sequence[int | None] = ()
        if card == HERO:
            options = piles.hero_values_between(army, pile, declared=declared)
        elif piles.fits_between(army, pile, card):
            options = (None,)
        if options and (counts or _can_pay(state, army, card, options[0])):
            yield from (Volunteers(card, ARMIES[army], value) for value in options)


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
