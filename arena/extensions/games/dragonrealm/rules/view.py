"""The view of a seat, built by listing it; nothing is copied from the state and then hidden."""

from __future__ import annotations

from functools import cache
from typing import Any, Final, Literal, TypeAlias

import msgspec
from msgspec.structs import replace

from arena.extensions.games.dragonrealm.rules.box import Box
from arena.extensions.games.dragonrealm.rules.cards import Card, Cards, Way
from arena.extensions.games.dragonrealm.rules.data import EnhancementView, PrintedLocation
from arena.extensions.games.dragonrealm.rules.incidents import ResultView
from arena.extensions.games.dragonrealm.rules.state import Attempt, RowLocation, Side, State, Task
from arena.extensions.games.dragonrealm.rules.table import result_of
from arena.values.results import Seat

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
"""Tasks of the seat whose turn it is; tasks of other seats end with the seat number."""


class LocationView(PrintedLocation, frozen=True, gc=False):
    """A location in the row: what is printed on it, and the pieces there."""

    adventurers: tuple[int, ...]
    """Adventurers on the location, by seat."""
    goblins: int


class SideView(msgspec.Struct, frozen=True, gc=False):
    """Public facts about a seat."""

    cards: int
    """Number of cards in the hand."""
    supply: int
    """Adventurers the seat can place."""
    camp: int
    """Adventurers of the seat at the Academy or Alley."""
    coins: int
    """Coins won and not spent; those of enhancements and of the bonus come at the end."""
    won: tuple[str, ...]
    """Locations won, in the order of winning them."""
    shown: tuple[str, ...]
    """Enhancements that lie face up, in the order of showing."""
    face_down: tuple[int, ...]
    """Levels of the face-down enhancements."""


class AttemptView(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """The Explore in progress."""

    location: str
    way: Way
    needed: int
    """Total that succeeds."""
    bonus: int
    """Sum that enhancements add to the dice."""
    cards: Cards = ()
    """Cards played; they count to the hand until they are discarded."""
    used: tuple[str, ...] = ()
    """One-time enhancements that were declared."""
    dice: tuple[int, ...] = ()
    academy: int = 0
    """Adventurers taken back from the Academy; each adds one."""
    rerolled: int = 0
    """Number of dice that were thrown again."""


class Observation(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """All that one seat may know. A field with a default is left out while it has that value."""

    seat: Seat
    """Seat that makes this observation."""
    phase: Phase
    """Decision or chance event that is due."""
    actor: Seat | Chance | None
    """Seat that decides, or "chance"; null after the end."""
    player: Seat | None
    """Seat whose turn it is; null before the first turn."""
    turn: int
    """Number of the turn, from 1; 0 before the first."""
    agenda: tuple[str, ...]
    """Pending tasks, next first."""
    row: tuple[LocationView, ...]
    """Locations from left to right."""
    next_levels: tuple[int, ...]
    """Levels of the location deck, top first."""
    hand: Cards
    """Your hand, sorted."""
    face_up: tuple[Card | None, ...]
    """The face-up cards; null for a card that is about to be refilled."""
    deck_size: int
    discards: Cards
    """Discards since the last shuffle, in the order of discarding."""
    goblins: int
    """Number of goblins in the supply."""
    sides: tuple[SideView, ...]
    """Public facts about each seat."""
    enhancements: tuple[EnhancementView, ...]
    """Your enhancements, sorted by id."""
    offered: tuple[EnhancementView, ...] = ()
    """Enhancements you could choose from, sorted by id."""
    unclaimed: tuple[str, ...] = ()
    """Completed locations that nobody won."""
    spent: tuple[str, ...] = ()
    """Enhancements that left the game."""
    held: dict[Card, tuple[Seat, ...]] = {}
    """Cards you have seen go to other hands, each with the seats one of which holds it."""
    attempt: AttemptView | None = None
    passing: Cards = ()
    """Cards you have chosen to pass, until all seats have chosen."""
    enhancement_deck: tuple[str | None, ...] = ()
    """Enhancement deck at the Alley, top first. The cards you put there have their ids; others have
    their level if that is certain, else null."""
    result: ResultView | None = None
    """Result, after the end."""


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
"""Observation fields that are equal for every seat."""


_Own: TypeAlias = tuple[
    tuple[EnhancementView, ...], tuple[EnhancementView, ...], dict[Card, tuple[Seat, ...]]
]
"""The ``enhancements``, ``offered`` and ``held`` of an observation."""


class Printed:
    """Views of the cards, built once, and a cache of the last view.

    All seats look at one state, and on the next ply most of the table is unchanged.
    """

    __slots__ = ("_before", "_own", "_row", "_sides", "box", "enhancements", "locations")

    def __init__(self, box: Box) -> None:
        self.box = box
        printed = PrintedLocation.__struct_fields__
        self.locations = {
            card.id: LocationView(
                **{each: getattr(card, each) for each in printed}, adventurers=(), goblins=0
            )
            for card in box.locations.values()
        }
        self.enhancements = {
            card.id: EnhancementView(card.id, card.level, card.one_time, card.when, card.effect)
            for card in box.enhancements.values()
        }
        self._before: State | None = None
        self._row: tuple[LocationView, ...] = ()
        self._sides: tuple[SideView, ...] = ()
        nothing = ((), (), ())
        self._own: list[tuple[Any, _Own]] = [(nothing, ((), (), {}))] * box.seats

    def place(self, place: RowLocation) -> LocationView:
        """Return the view of a location with the pieces on it."""
        empty = self.locations[place.location]
        return replace(empty, adventurers=place.adventurers, goblins=place.goblins)

    def side(self, side: Side, before: Side | None, known: SideView | None) -> SideView:
        """Return the public view of a side; ``known`` is that of the side ``before``."""
        shown, names = side.shown, side.enhancements
        if (
            known is None
            or before is None
            or not (shown is before.shown and names is before.enhancements)
        ):
            face_down = tuple(sorted([self.box.level[name] for name in names if name not in shown]))
        else:
            face_down = known.face_down
        return SideView(
            len(side.hand), side.supply, side.camp, side.coins, side.won, shown, face_down
        )

    def table(self, state: State) -> tuple[tuple[LocationView, ...], tuple[SideView, ...]]:
        """Return the views of the row and of the sides after the choice of enhancements.

        Pieces that are the same as in the last state keep their views.
        """
        before = self._before
        if before is state:
            return self._row, self._sides
        row = state.row
        if before is None:
            self._row = tuple(map(self.place, row))
            self._sides = tuple([self.side(side, None, None) for side in state.sides])
        else:
            if row != before.row:
                known = dict(zip(before.row, self._row, strict=True))
                self._row = tuple([known.get(place) or self.place(place) for place in row])
            views = list(self._sides)
            for at, side in enumerate(state.sides):
                if side is not before.sides[at]:
                    views[at] = self.side(side, before.sides[at], views[at])
            self._sides = tuple(views)
        self._before = state
        return self._row, self._sides

    def own(self, state: State, seat: Seat) -> _Own:
        """Return what one seat may see besides its cards.

        Caches the last result of each seat; equal states give equal views.
        """
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
    """Return what ``seat`` may see now."""
    box, mine, attempt = printed.box, state.sides[seat], state.attempt
    phase, actor = _facts(state.todo[-1])
    row, sides = printed.table(state)
    if phase in _CHOOSING:
        sides = tuple([replace(side, face_down=()) for side in sides])
    enhancements, offered, held = printed.own(state, seat)
    return Observation(  # positional: runs once a ply, and keywords double the cost
        seat,
        phase,
        state.seat if actor == _TURN else actor,
        state.seat if state.turn else None,
        state.turn,
        state.todo[::-1],
        row,
        box.levels[len(box.levels) - len(state.locations) :],
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
        _attempt(box, state, attempt) if attempt else None,
        state.passes[seat],
        _enhancement_deck(box, state, seat) if box.has_alley else (),
        result_of(box, state.sides, state.ruling) if phase == "over" else None,
    )


_CHOOSING: Final = frozenset(("locations", "enhancements", "keep"))
"""Phases in which enhancements are being chosen, and nobody sees yet how many were kept."""
_TURN: Final = "turn"
"""Stands for the seat whose turn it is."""


@cache
def _facts(task: Task) -> tuple[Any, Any]:
    """Return the phase of a task and who decides it."""
    phase = task.partition(":")[0]
    if task in _DECISIONS:
        return phase, _TURN
    if task[-1].isdigit():
        return phase, int(task[-1])
    return phase, None if task == "over" else "chance"


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
    """Return what ``seat`` knows of the enhancement deck, top first.

    With cards offered by level, a seat that kept one level rejected the other, so the level of its
    rejected cards is known.
    """
    known: dict[str, str] = {}
    for other, names in enumerate(state.rejected):
        if other == seat:
            known.update((name, name) for name in names)
        elif box.by_level:
            known.update((name, f"level_{box.level[name]}") for name in names)
    return tuple([known.get(name) for name in state.enhancements])
