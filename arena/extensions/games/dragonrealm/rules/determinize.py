"""Random full states that agree with an observation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from arena.extensions.games.dragonrealm.rules.box import Box
from arena.extensions.games.dragonrealm.rules.cards import (
    OFFERED,
    REMOVED_GOBLINS,
    Card,
    Cards,
    is_event,
)
from arena.extensions.games.dragonrealm.rules.legal import keeps
from arena.extensions.games.dragonrealm.rules.state import (
    Attempt,
    Held,
    RowLocation,
    Side,
    State,
    Whereabouts,
)
from arena.extensions.games.dragonrealm.rules.view import Observation
from arena.games.luck import Luck
from arena.values.results import Seat

_SWAPS: Final = 8
"""Random swaps for each card whose holder is uncertain."""


def determinize(box: Box, view: Observation, luck: Luck) -> State:
    """Return a random state whose observation by ``view.seat`` is ``view``.

    What the seat cannot see is dealt uniformly: other hands and the deck, with cards it has seen go
    to those hands only where they can be; enhancements by their known levels; the location deck.
    Cards with several possible holders are mixed by random swaps, so they come close to uniform
    without reaching it. Uses streams "hidden:…" of ``luck``, so each sample needs a luck of its
    own.
    """
    hands, deck, removed = _cards(box, view, luck)
    kept = _enhancements(box, view, luck)
    return State(
        todo=view.agenda[::-1],
        seat=view.player or 0,
        turn=view.turn,
        sides=_sides(view, hands, kept),
        row=tuple(RowLocation(place.id, place.adventurers, place.goblins) for place in view.row),
        locations=_locations(box, view, luck),
        unclaimed=view.unclaimed,
        deck=deck,
        discards=view.discards,
        face_up=view.face_up,
        goblins=view.goblins,
        removed=removed,
        enhancements=kept.deck,
        rejected=kept.rejected,
        spent=view.spent,
        attempt=_attempt(view),
        passes=_passes(view, luck, hands),
        held=_held(view, hands),
        shuffles=0,
        enhancement_shuffles=0,
        ruling=view.result.ruling if view.result else "",
    )


def _attempt(view: Observation) -> Attempt | None:
    seen = view.attempt
    if seen is None:
        return None
    slot = [place.id for place in view.row].index(seen.location)
    return Attempt(slot, seen.way, seen.cards, seen.used, seen.dice, seen.academy, seen.rerolled)


def _locations(box: Box, view: Observation, luck: Luck) -> tuple[str, ...]:
    gone = {place.id for place in view.row}.union(view.unclaimed, *(s.won for s in view.sides))
    left = [name for name in sorted(box.locations) if name not in gone]
    order = luck.shuffle("hidden:locations", 0, left)
    piles = {level: [n for n in order if box.locations[n].level == level] for level in box.levels}
    return tuple(piles[level].pop() for level in view.next_levels)


def _cards(box: Box, view: Observation, luck: Luck) -> tuple[tuple[Cards, ...], Cards, Cards]:
    """Return hands, deck and removed Goblins! cards."""
    events = list(box.events)
    for card in filter(is_event, view.discards):
        events.remove(card)
    removed: Cards = ()
    if _goblins_removed(box, view):
        goblins = [card for card in events if card.startswith("goblins:")]
        removed = tuple(sorted(luck.shuffle("hidden:goblins", 0, goblins)[:REMOVED_GOBLINS]))
        for card in removed:
            events.remove(card)
    if not view.face_up:  # nothing is dealt yet
        return ((),) * box.seats, (), removed
    seen = {*view.hand, *view.discards, *view.face_up, *view.held}
    hidden = luck.shuffle("hidden:numbers", 0, [card for card in box.numbers if card not in seen])
    known = _place_held(view, luck)
    hands: list[Cards] = []
    for seat, side in enumerate(view.sides):
        if seat == view.seat:
            hands.append(view.hand)
            continue
        missing = side.cards - len(known[seat])
        hands.append(tuple(sorted(known[seat] + hidden[:missing])))
        hidden = hidden[missing:]
    deck = luck.shuffle("hidden:deck", 0, hidden + tuple(events))
    return tuple(hands), deck, removed


def _goblins_removed(box: Box, view: Observation) -> bool:
    return box.seats == 4 and "goblins" not in view.agenda


def _place_held(view: Observation, luck: Luck) -> list[Cards]:
    """Return, by seat, the cards of ``view.held`` that it holds in this guess."""
    places: list[Card | None] = []
    seats: list[Seat] = []
    certain = {card: where[0] for card, where in view.held.items() if len(where) == 1}
    open_cards = {card: where for card, where in view.held.items() if len(where) > 1}
    for seat, side in enumerate(view.sides):
        free = 0 if seat == view.seat else side.cards - list(certain.values()).count(seat)
        places += [None] * free
        seats += [seat] * free
    for number, (card, where) in enumerate(open_cards.items()):
        order = luck.shuffle("hidden:places", number, range(len(places)))
        _seat_card(card, where, places, seats, order, open_cards, set())
    _mix(places, seats, open_cards, luck)
    guess = certain | {c: seats[place] for place, c in enumerate(places) if c is not None}
    return [tuple(c for c in guess if guess[c] == seat) for seat in range(len(view.sides))]


def _seat_card(
    card: Card,
    where: Whereabouts,
    places: list[Card | None],
    seats: list[Seat],
    order: tuple[int, ...],
    open_cards: dict[Card, Whereabouts],
    tried: set[int],
) -> bool:
    """Find a place for the card, moving others if necessary.

    Searches augmenting paths, of which one always exists; ``tried`` holds the visited places.
    """
    for place in order:
        if seats[place] not in where or place in tried:
            continue
        tried.add(place)
        other = places[place]
        if other is None or _seat_card(
            other, open_cards[other], places, seats, order, open_cards, tried
        ):
            places[place] = card
            return True
    return False


def _mix(
    places: list[Card | None],
    seats: list[Seat],
    open_cards: dict[Card, Whereabouts],
    luck: Luck,
) -> None:
    """Apply random swaps; each is as likely as its reverse, so placings tend to uniform."""
    cards = list(open_cards)
    for number in range(_SWAPS * len(cards)):
        card = cards[luck.below("hidden:swaps", 2 * number, len(cards))]
        old = places.index(card)
        allowed = [place for place, seat in enumerate(seats) if seat in open_cards[card]]
        new = allowed[luck.below("hidden:swaps", 2 * number + 1, len(allowed))]
        other = places[new]
        if other is None or seats[old] in open_cards[other]:
            places[old], places[new] = other, card


def _held(view: Observation, hands: tuple[Cards, ...]) -> Held:
    """Return what each seat knows of cards in other hands.

    The other seats are assumed to know what this seat knows; where that is wrong, the truth is
    added.
    """
    known = []
    for seat, hand in enumerate(hands):
        if seat == view.seat:
            known.append(tuple(sorted(view.held.items())))
            continue
        entries = [
            (card, tuple(sorted({*where, *_holder(card, hands)} - {seat})))
            for card, where in sorted(view.held.items())
            if card not in hand
        ]
        known.append(tuple(entries))
    return tuple(known)


def _holder(card: Card, hands: tuple[Cards, ...]) -> Iterator[Seat]:
    return (seat for seat, hand in enumerate(hands) if card in hand)


def _passes(view: Observation, luck: Luck, hands: tuple[Cards, ...]) -> tuple[Cards, ...]:
    """Return the cards each seat has chosen to pass in a rockslide.

    The own choice is known; the choices of others that have chosen are random.
    """
    slide = next((task for task in view.agenda if task.startswith("slide:")), None)
    asked = {task for task in view.agenda if task.startswith("pass:")}
    passes: list[Cards] = []
    for seat, hand in enumerate(hands):
        count = 2 if slide == "slide:left" else 1
        waits = slide is None or f"pass:{slide[6:]}:{seat}" in asked or len(hand) <= count
        if seat == view.seat:
            passes.append(view.passing)
        elif waits or not view.agenda[0].startswith("pass:"):
            passes.append(())
        else:
            order = luck.shuffle("hidden:passes", seat, hand)
            passes.append(tuple(sorted(order[:count])))
    return tuple(passes)


def _sides(view: Observation, hands: tuple[Cards, ...], kept: _Kept) -> tuple[Side, ...]:
    return tuple(
        Side(
            hand=hands[seat],
            supply=side.supply,
            camp=side.camp,
            coins=side.coins,
            won=side.won,
            offered=kept.offered[seat],
            enhancements=kept.enhancements[seat],
            shown=side.shown,
        )
        for seat, side in enumerate(view.sides)
    )


class _Kept(NamedTuple):
    """The enhancements by location."""

    deck: tuple[str, ...]
    rejected: tuple[tuple[str, ...], ...]
    offered: tuple[tuple[str, ...], ...]
    enhancements: tuple[tuple[str, ...], ...]


def _enhancements(box: Box, view: Observation, luck: Luck) -> _Kept:
    nothing: tuple[tuple[str, ...], ...] = ((),) * box.seats
    if "enhancements" in view.agenda:
        return _Kept((), nothing, nothing, nothing)
    own = tuple(card.id for card in view.enhancements)
    mine = tuple(card.id for card in view.offered)
    if view.phase == "keep":
        return _choosing(box, view, luck, own, mine)
    revealed = view.result.enhancements if view.result else nothing
    seen = {*own, *view.spent, *(name for side in view.sides for name in side.shown)}
    seen.update(name for names in revealed for name in names)
    deck = list(view.enhancement_deck)
    if not box.has_alley:  # what nobody kept has left the game
        deck += [name for name in mine if name not in seen]
    seen.update(name for name in deck if name is not None)
    piles = _piles(box, luck, [name for name in sorted(box.enhancements) if name not in seen])
    has = [
        own
        if seat == view.seat
        else revealed[seat]
        or tuple(sorted((*side.shown, *(piles[level].pop() for level in side.face_down))))
        for seat, side in enumerate(view.sides)
    ]
    by_level = {f"level_{level}": pile for level, pile in piles.items()}
    levels_known = [name for name in deck if name in by_level]
    found = [by_level[name].pop() if name in by_level else name for name in deck]
    rest = iter(luck.shuffle("hidden:enhancements", 0, piles[1] + piles[2]))
    full = tuple(next(rest) if name is None else name for name in found) + tuple(rest)
    rejected = list(nothing)
    rejected[view.seat] = tuple(name for name in deck if name in mine)
    if levels_known:
        other = (view.seat + 1) % box.seats
        rejected[other] = tuple(
            name for name, was in zip(full, deck, strict=True) if was in by_level
        )
    offered = list(nothing)
    offered[view.seat] = mine
    return _Kept(full, tuple(rejected), tuple(offered), tuple(has))


def _choosing(
    box: Box, view: Observation, luck: Luck, own: tuple[str, ...], mine: tuple[str, ...]
) -> _Kept:
    """Return random offers for the other seats, and random choices for those that have chosen."""
    hidden = [name for name in sorted(box.enhancements) if name not in mine]
    piles = _piles(box, luck, hidden)
    order = list(luck.shuffle("hidden:enhancements", 0, hidden))
    offered: list[tuple[str, ...]] = []
    has: list[tuple[str, ...]] = []
    for seat in range(box.seats):
        if seat == view.seat:
            offered.append(mine)
            has.append(own)
            continue
        cards = [piles[level].pop() for level in (1, 1, 2)] if box.by_level else order[:OFFERED]
        order = [name for name in order if name not in cards]
        offered.append(tuple(sorted(cards)))
        choices = [()] if f"keep:{seat}" in view.agenda else list(keeps(box, offered[seat]))
        has.append(choices[luck.below("hidden:choice", seat, len(choices))])
    return _Kept(tuple(order), ((),) * box.seats, tuple(offered), tuple(has))


def _piles(box: Box, luck: Luck, names: list[str]) -> dict[int, list[str]]:
    """Return the names by level, in random order."""
    order = luck.shuffle("hidden:levels", 0, names)
    return {level: [name for name in order if box.level[name] == level] for level in (1, 2)}
