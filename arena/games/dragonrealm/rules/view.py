"""What a seat may see of a state: built by listing it; nothing is copied and then hidden."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, Literal, NamedTuple, TypeAlias, TypeVar

import msgspec

from arena.games.dragonrealm.rules import scoring
from arena.games.dragonrealm.rules.box import Box
from arena.games.dragonrealm.rules.cards import Card, Cards, Way
from arena.games.dragonrealm.rules.data import Special, When
from arena.games.dragonrealm.rules.state import Attempt, Place, Side, State
from arena.games.dragonrealm.rules.table import final_coins, stones_of
from arena.results import Seat

Phase: TypeAlias = Literal[
    "locations",
    "enhancements",
    "keep",
    "goblins",
    "deal",
    "starter",
    "turn",
    "draw",
    "cards",
    "dice",
    "reroll",
    "academy",
    "place",
    "discard",
    "pass",
    "reshuffle",
    "reshuffle_enhancements",
    "end",
    "limit",
    "over",
]
Chance: TypeAlias = Literal["chance"]

_DECISIONS: Final = frozenset(
    ("turn", "draw", "cards", "reroll", "academy", "place", "discard", "end", "limit")
)
"""Tasks of the seat whose turn it is; those of other seats end with its number."""


class LocationView(msgspec.Struct, frozen=True, gc=False):
    """A location in the row: what is printed on it, and the pieces there."""

    id: str
    level: int
    """1 to 3; 0 for a Dragon, whose completion ends the game."""
    spaces: int
    reward: tuple[int, int]
    stones: int
    sneak: int
    search: int
    storm: int
    gold: tuple[Way, ...]
    special: Special
    adventurers: tuple[int, ...]
    """By seat."""
    goblins: int


class EnhancementView(msgspec.Struct, frozen=True, gc=False):
    """One of your enhancements, as it is printed."""

    id: str
    level: int
    one_time: bool
    when: When
    effect: dict[str, Any]


class SideView(msgspec.Struct, frozen=True, gc=False):
    """What everybody knows of a seat."""

    cards: int
    """In its hand."""
    supply: int
    """Adventurers it can place."""
    camp: int
    """Its adventurers at the Academy or Alley."""
    coins: int
    """Won and not paid; enhancements and the bonus come at the end."""
    won: tuple[str, ...]
    """Locations, in the order of winning them."""
    shown: tuple[str, ...]
    """Enhancements that lie face up, in the order of showing."""
    face_down: tuple[int, ...]
    """Levels of its other enhancements."""


class AttemptView(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """The Explore that is going on."""

    location: str
    way: Way
    needed: int
    """The total that succeeds."""
    bonus: int
    """What enhancements add to the dice."""
    cards: Cards = ()
    """Played; they count to the hand until they are discarded."""
    used: tuple[str, ...] = ()
    """One-time enhancements that were declared."""
    dice: tuple[int, ...] = ()
    academy: int = 0
    """Adventurers taken back from the Academy, each for one more."""
    rerolled: int = 0
    """Dice that were thrown once more."""


class ResultView(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """The end, by seat."""

    coins: tuple[int, ...]
    stones: tuple[int, ...]
    bonus: tuple[int, ...]
    """Coins for the most Dragonstones, part of ``coins``."""
    enhancements: tuple[tuple[str, ...], ...]
    ruling: str = ""
    """The ruling that ended the game; absent if a Dragon is complete."""


class Observation(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """All that one seat may know. A field with a default is left out while it has that value."""

    seat: Seat
    """Whose observation this is."""
    phase: Phase
    """What happens next."""
    actor: Seat | Chance | None
    """The seat that decides, or chance; null after the end."""
    player: Seat | None
    """Whose turn it is; null before the first."""
    turn: int
    """Number of the turn, from 1; 0 before the first."""
    agenda: tuple[str, ...]
    """What is to be done, next first."""
    row: tuple[LocationView, ...]
    """Left to right."""
    next_levels: tuple[int, ...]
    """Levels of the location deck, top first."""
    hand: Cards
    """Your hand, sorted."""
    face_up: tuple[Card | None, ...]
    """Null: about to be refilled."""
    deck_size: int
    discards: Cards
    """Since the last shuffle, in the order of discarding."""
    goblins: int
    """Goblins in the supply."""
    sides: tuple[SideView, ...]
    """By seat."""
    enhancements: tuple[EnhancementView, ...]
    """Yours, sorted by id."""
    offered: tuple[EnhancementView, ...] = ()
    """Those you could choose from, sorted by id."""
    unclaimed: tuple[str, ...] = ()
    """Completed locations that nobody won."""
    spent: tuple[str, ...] = ()
    """Enhancements that left the game."""
    held: dict[Card, tuple[Seat, ...]] = {}
    """Cards you have seen go to other hands, with the seats of which one holds it."""
    attempt: AttemptView | None = None
    passing: Cards = ()
    """What you have chosen to pass, until all have."""
    enhancement_deck: tuple[str | None, ...] = ()
    """At the Alley, top first: the cards you put there, and for others what is certain of their
    level; null for the rest."""
    result: ResultView | None = None
    """After the end."""


PUBLIC: Final = (
    "phase",
    "actor",
    "player",
    "turn",
    "agenda",
    "row",
    "next_levels",
    "face_up",
    "deck_size",
    "discards",
    "goblins",
    "sides",
    "unclaimed",
    "spent",
    "attempt",
    "result",
)
"""The fields that are the same for every seat."""


class _Public(NamedTuple):
    """What everybody may see of a state, named as in ``Observation``."""

    phase: Any
    actor: Any
    player: Seat | None
    turn: int
    agenda: tuple[str, ...]
    row: tuple[LocationView, ...]
    next_levels: tuple[int, ...]
    sides: tuple[SideView, ...]
    attempt: AttemptView | None
    result: ResultView | None


_Own: TypeAlias = tuple[
    tuple[EnhancementView, ...], tuple[EnhancementView, ...], dict[Card, tuple[Seat, ...]]
]
"""``enhancements``, ``offered`` and ``held`` of an observation."""


class Printed:
    """Views of the cards, built once; and of what was last seen, whose parts serve again: all
    seats look at one state, and on the next ply most of the table is as it was.
    """

    __slots__ = ("_last", "_own", "box", "enhancements", "locations")

    def __init__(self, box: Box) -> None:
        self.box = box
        self.locations = {
            card.id: (
                card.id,
                card.level,
                card.spaces,
                card.reward,
                card.stones,
                card.sneak,
                card.search,
                card.storm,
                card.gold,
                card.special,
            )
            for card in box.locations.values()
        }
        self.enhancements = {
            card.id: EnhancementView(card.id, card.level, card.one_time, card.when, card.effect)
            for card in box.enhancements.values()
        }
        self._last: tuple[State, _Public] | None = None
        nothing = ((), (), ())
        self._own: list[tuple[Any, _Own]] = [(nothing, ((), (), {}))] * box.seats

    def public(self, state: State) -> _Public:
        """What everybody may see; it does not depend on what was seen last."""
        last = self._last
        if last is not None and last[0] is state:
            return last[1]
        public = _public(self, state, last)
        self._last = state, public
        return public

    def own(self, state: State, seat: Seat) -> _Own:
        """What one seat may see besides its cards; it does not depend on what was seen last."""
        side, cards = state.sides[seat], self.enhancements
        shown = side.enhancements, side.offered, state.held[seat]
        before, known = self._own[seat]
        if shown == before:
            return known
        enhancements = tuple([cards[name] for name in side.enhancements])
        own = enhancements, tuple([cards[name] for name in side.offered]), dict(shown[2])
        self._own[seat] = shown, own
        return own


def observe(printed: Printed, state: State, seat: Seat) -> Observation:
    """What ``seat`` may see now."""
    box, mine = printed.box, state.sides[seat]
    phase, actor, player, turn, agenda, row, levels, sides, attempt, result = printed.public(state)
    enhancements, offered, held = printed.own(state, seat)
    return Observation(
        seat,
        phase,
        actor,
        player,
        turn,
        agenda,
        row,
        levels,
        mine.hand,
        state.face_up,
        len(state.deck),
        state.discards,
        state.goblins,
        sides,
        enhancements,
        offered,
        state.unclaimed,
        state.spent,
        held,
        attempt,
        state.passes[seat],
        _enhancement_deck(box, state, seat) if box.has_alley else (),
        result,
    )


_CHOOSING: Final = frozenset(("locations", "enhancements", "keep"))
"""Phases in which enhancements are being chosen, and nobody sees how many yet."""


def _public(printed: Printed, state: State, last: tuple[State, _Public] | None) -> _Public:
    """``last``: a state with what everybody may see of it."""
    box, task = printed.box, state.todo[-1]
    phase = task.partition(":")[0]
    choosing = phase in _CHOOSING
    places, sides = partial(_place, printed.locations), partial(_side, box.level, choosing)
    if last is None:
        row, shown = tuple(map(places, state.row)), tuple(map(sides, state.sides))
    else:
        before, known = last
        row = _changed(state.row, before.row, known.row, places)
        seen = before.sides if choosing == (known.phase in _CHOOSING) else ()
        shown = _changed(state.sides, seen, known.sides, sides)
    fields = (
        phase,
        _actor(state, task),
        state.seat if state.turn else None,
        state.turn,
        state.todo[::-1],
        row,
        box.levels[len(box.levels) - len(state.locations) :],
        shown,
        _attempt(box, state, state.attempt) if state.attempt else None,
        _result(box, state) if phase == "over" else None,
    )
    return tuple.__new__(_Public, fields)  # at half the cost of calling it


P = TypeVar("P")
V = TypeVar("V")


def _changed(
    pieces: tuple[P, ...], before: Sequence[P], known: tuple[V, ...], view: Callable[[P], V]
) -> tuple[V, ...]:
    """The views of all pieces, where ``known`` are those of the pieces before."""
    if pieces == before:
        return known
    if len(pieces) != len(before):
        return tuple(map(view, pieces))
    trios = zip(pieces, before, known, strict=True)
    return tuple([shown if piece is old else view(piece) for piece, old, shown in trios])


def _place(locations: dict[str, tuple[Any, ...]], place: Place) -> LocationView:
    return LocationView(*(locations[place.location] + place[1:]))


def _actor(state: State, task: str) -> Any:
    if task in _DECISIONS:
        return state.seat
    if task[-1].isdigit():
        return int(task[-1])
    return None if task == "over" else "chance"


def _side(levels: dict[str, int], choosing: bool, side: Side) -> SideView:
    """``choosing``: the enhancements are being chosen, and nobody sees how many yet."""
    hidden = () if choosing else [name for name in side.enhancements if name not in side.shown]
    return SideView(
        len(side.hand),
        side.supply,
        side.camp,
        side.coins,
        side.won,
        side.shown,
        tuple(sorted([levels[name] for name in hidden])),
    )


def _attempt(box: Box, state: State, attempt: Attempt) -> AttemptView:
    location = box.locations[state.row[attempt.slot].location]
    shown = state.sides[state.seat].shown
    active = tuple(name for name in shown if name in box.lasting) + attempt.used
    return AttemptView(
        location.id,
        attempt.way,
        location.needs(attempt.way),
        box.added(active, attempt.way),
        attempt.cards,
        attempt.used,
        attempt.dice,
        attempt.academy,
        attempt.rerolled,
    )


def _enhancement_deck(box: Box, state: State, seat: Seat) -> tuple[str | None, ...]:
    """Whoever was offered cards by level and kept one level, rejected the other."""
    known: dict[str, str] = {}
    for other, names in enumerate(state.rejected):
        if other == seat:
            known.update((name, name) for name in names)
        elif box.by_level:
            known.update((name, f"level_{box.level[name]}") for name in names)
    return tuple([known.get(name) for name in state.enhancements])


def _result(box: Box, state: State) -> ResultView:
    stones = stones_of(box, state.sides)
    return ResultView(
        final_coins(box, state.sides),
        stones,
        scoring.stone_bonus(stones),
        tuple(side.enhancements for side in state.sides),
        state.ruling,
    )
