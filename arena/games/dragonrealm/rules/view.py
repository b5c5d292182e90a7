"""What a seat may see of a state: built by listing it; nothing is copied and then hidden."""

from __future__ import annotations

from typing import Any, Final, Literal, TypeAlias

import msgspec

from arena.games.dragonrealm.rules import scoring
from arena.games.dragonrealm.rules.box import Box
from arena.games.dragonrealm.rules.cards import Card, Cards, Way
from arena.games.dragonrealm.rules.data import Special, When
from arena.games.dragonrealm.rules.state import Attempt, Side, State
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


class Printed:
    """Views of the cards, built once."""

    __slots__ = ("box", "enhancements", "locations", "no_pieces")

    def __init__(self, box: Box) -> None:
        self.box = box
        self.no_pieces = (0,) * box.seats
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


def observe(printed: Printed, state: State, seat: Seat) -> Observation:
    """What ``seat`` may see now."""
    box, task = printed.box, state.todo[-1]
    phase: Any = task.partition(":")[0]
    choosing = phase in ("locations", "enhancements", "keep")
    mine = state.sides[seat]
    locations, levels = printed.locations, box.level
    return Observation(
        seat,
        phase,
        _actor(state, task),
        state.seat if state.turn else None,
        state.turn,
        state.todo[::-1],
        tuple([LocationView(*locations[place[0]], place[1], place[2]) for place in state.row]),
        box.levels[len(box.levels) - len(state.locations) :],
        mine.hand,
        state.face_up,
        len(state.deck),
        state.discards,
        state.goblins,
        tuple([_side(side, levels, choosing) for side in state.sides]),
        tuple([printed.enhancements[name] for name in mine.enhancements]),
        tuple([printed.enhancements[name] for name in mine.offered]),
        state.unclaimed,
        state.spent,
        dict(state.held[seat]),
        _attempt(box, state, state.attempt) if state.attempt else None,
        state.passes[seat],
        _enhancement_deck(box, state, seat) if box.has_alley else (),
        _result(box, state) if phase == "over" else None,
    )


def _actor(state: State, task: str) -> Any:
    if task in _DECISIONS:
        return state.seat
    if task[-1].isdigit():
        return int(task[-1])
    return None if task == "over" else "chance"


def _side(side: Side, levels: dict[str, int], choosing: bool) -> SideView:
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
