"""The view of a seat: its observation of a state and its event for each ply.

Both are built by listing what the rules show; nothing is copied from the state and then hidden.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

import msgspec
from msgspec.structs import replace

from arena.extensions.games.dragonheart.rules.actions import (
    AnyAction,
    Play,
    Shuffle,
    Starter,
    Steal,
    Take,
)
from arena.extensions.games.dragonheart.rules.cards import (
    COLLECTS,
    HUNTRESS,
    KIND_OF,
    KNIGHT,
    SHIP,
    SORCERESS,
    SPACES,
    Card,
    Cards,
)
from arena.extensions.games.dragonheart.rules.state import Phase, State
from arena.values.results import Seat

Space: TypeAlias = Literal[
    "dwarf",
    "fire_dragon",
    "huntress",
    "knight",
    "petrified",
    "ship",
    "sorceress",
    "treasure",
    "troll",
    "quay",
]
RowTarget: TypeAlias = Literal["quay", "ship_set"]
Chooser: TypeAlias = Literal["knight", "sorceress"]


class Board(msgspec.Struct, frozen=True, gc=False):
    """The cards on each space in the order in which they came, the top card of a stack last."""

    dwarf: Cards
    fire_dragon: Cards
    huntress: Cards
    knight: Cards
    petrified: Cards
    ship: Cards
    sorceress: Cards
    treasure: Cards
    troll: Cards
    quay: Cards
    """Knights and huntresses below the ship; a full row of ships collects them."""


class Observation(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """All that one seat may know: its hand and everything that has been public (DH-19).

    Pairs hold the value of seat 0, then of seat 1. A field with a default is left out of the
    JSON while it has that value.
    """

    seat: Seat
    """Seat that makes this observation."""
    phase: Phase
    """Decision or chance event that is due. "play" and "take" are decisions of ``player``; "deal",
    "starter" and "steal" are chance; "over" is the end."""
    player: Seat | None
    """Seat whose turn it is; null before the first turn; after the end the last seat to move."""
    turn: int
    """Number of the turn, from 1; 0 before the first."""
    hand: Cards
    """Your hand, sorted."""
    board: Board
    ship_sets: int
    """Full rows of ships that have left the board; the third announces the end."""
    figure: Seat | None
    """Owner of the dragon figure; null while it is on the board."""
    hand_sizes: tuple[int, int]
    """Number of cards in each hand."""
    pile_sizes: tuple[int, int]
    """Number of cards left in each draw pile."""
    collected: tuple[Cards, Cards]
    """Score piles, in the order of collecting."""
    played: tuple[Cards, Cards]
    """Every card each seat has played, in that order, even if it has left the board. Your deck
    without these and without your hand is your draw pile."""
    thefts: tuple[int, int]
    """Number of cards stolen from each hand."""
    choice: Chooser | None = None
    """Kind of cards whose effect asks for the choice, in phase "take"."""
    final_turn: int | None = None
    """Number of the game's last turn, once it is known."""
    top_card: Card | None = None
    """Card on top of your draw pile, while you know it: it was stolen from your hand."""
    top_known: tuple[Seat, ...] = ()
    """Seats that know the top card of their own draw pile, because it was stolen from them."""
    emptied: tuple[Seat, ...] = ()
    """Seats that took the last card of their draw pile in an earlier turn. A seat stays in the list
    if a theft later puts a card back."""


PUBLIC: Final = (
    "phase",
    "player",
    "turn",
    "board",
    "ship_sets",
    "figure",
    "hand_sizes",
    "pile_sizes",
    "collected",
    "played",
    "thefts",
    "choice",
    "final_turn",
    "top_known",
    "emptied",
)
"""Observation fields that are equal for every seat."""


class Event(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """One ply as one seat saw it, in the order of events.

    A field with a default is left out of the JSON while it has that value.
    """

    type: Literal["deal", "starter", "play", "take", "steal"]
    seat: Seat
    """Seat that was dealt a hand, begins, played, took or stole."""
    cards: Cards = ()
    """Your opening hand in "deal"; the cards played in "play"."""
    space: Space | None = None
    """Space that was chosen, in "take", even if it was empty."""
    card: Card | None = None
    """Card you lost, in "steal", if you are the victim; it is now on top of your draw pile."""
    collected: Cards = ()
    """Cards that the seat collected."""
    collected_from: Space | None = None
    """Space from which the cards were collected; absent if there were none."""
    figure: bool = False
    """True if the seat took the dragon figure."""
    row_to: RowTarget | None = None
    """Destination of a full row of knights, huntresses or ships."""
    drew: int = 0
    """Number of cards the seat drew at the end of its turn."""
    drawn: Cards = ()
    """Cards drawn, in the order of drawing, if you drew them."""
    final_turn: int | None = None
    """Number of the game's last turn, if this ply settled it."""
    over: bool = False
    """True if the game ended."""


Seen: TypeAlias = tuple[Event | None, Event | None]
"""The event that each seat saw."""

_SEATS: Final[dict[tuple[bool, bool], tuple[Seat, ...]]] = {
    (False, False): (),
    (True, False): (0,),
    (False, True): (1,),
    (True, True): (0, 1),
}
"""Seats for which a condition holds, keyed by the condition at seat 0 and at seat 1. The tuples are
shared: msgspec omits a default that it recognises by identity."""
_SPACE: Final[tuple[Space, ...]] = SPACES
_CHOOSER: Final[dict[int, Chooser]] = {KNIGHT: "knight", SORCERESS: "sorceress"}
_OVER: Final = Phase.OVER
ROW_TO: Final[dict[int, RowTarget]] = {HUNTRESS: "quay", KNIGHT: "quay", SHIP: "ship_set"}


def observe(state: State, seat: Seat) -> Observation:
    """Return what ``seat`` may see now."""
    first, second = state.sides
    mine = second if seat else first
    return Observation(  # positional: runs once a turn, and keywords double the cost
        seat,
        state.phase,
        state.seat if state.turn else None,
        state.turn,
        mine.hand,
        Board(*state.board),
        state.ship_sets,
        state.figure,
        (len(first.hand), len(second.hand)),
        (len(first.pile), len(second.pile)),
        (first.collected, second.collected),
        (first.played, second.played),
        (first.thefts, second.thefts),
        None if state.choice is None else _CHOOSER[state.choice],
        state.final_turn,
        mine.returned,
        _SEATS[first.returned is not None, second.returned is not None],
        _SEATS[first.emptied, second.emptied],
    )


def describe(before: State, action: AnyAction, after: State) -> Seen:
    """Return the event each seat saw when ``action`` led from ``before`` to ``after``, or None."""
    if isinstance(action, Play):
        return _played(before, action, after)
    if isinstance(action, Take):
        return _taken(before, action, after)
    if isinstance(action, Steal):
        return _stolen(before, action, after)
    if isinstance(action, Starter):
        event = Event(type="starter", seat=action.seat)
        return event, event
    return _dealt(action, after)


def _played(before: State, action: Play, after: State) -> Seen:
    """Return the events of a play.

    Nearly every ply is a play, so all is inlined and positional: keywords double the cost.
    """
    seat, cards, over = before.seat, action.cards, after.phase is _OVER
    mine, now_mine = before.sides[seat], after.sides[seat]
    kind = KIND_OF[cards[0]]
    got = now_mine.collected[len(mine.collected) :]
    whence = _SPACE[COLLECTS[kind]] if got else None
    row_to = None if after.board[kind] else ROW_TO.get(kind)
    drawn = mine.pile[: len(mine.pile) - len(now_mine.pile)]
    drew = len(drawn)
    last = after.final_turn if before.final_turn is None else None
    seen = Event("play", seat, cards, None, None, got, whence, False, row_to, drew, (), last, over)
    if not drawn:
        return seen, seen
    own = Event(
        "play", seat, cards, None, None, got, whence, False, row_to, drew, drawn, last, over
    )
    return (own, seen) if seat == 0 else (seen, own)


def _taken(before: State, action: Take, after: State) -> Seen:
    collected = _collected(before, after)
    drawn = _drawn(before, after)
    seen = Event(
        type="take",
        seat=before.seat,
        space=action.space,
        collected=collected,
        collected_from=action.space if collected else None,
        figure=after.figure != before.figure,
        row_to="quay" if before.choice == KNIGHT else None,
        drew=len(drawn),
        final_turn=_settled(before, after),
        over=after.phase is _OVER,
    )
    return _with_drawn(seen, drawn)


def _stolen(before: State, action: Steal, after: State) -> Seen:
    thief = before.seat
    drawn = _drawn(before, after)
    seen = Event(
        type="steal",
        seat=thief,
        drew=len(drawn),
        final_turn=_settled(before, after),
        over=after.phase is _OVER,
    )
    told = list(_with_drawn(seen, drawn))
    told[1 - thief] = replace(seen, card=action.card)
    return told[0], told[1]


def _dealt(action: Shuffle, after: State) -> Seen:
    event = Event(type="deal", seat=action.seat, cards=after.sides[action.seat].hand)
    return (event, None) if action.seat == 0 else (None, event)


def _with_drawn(seen: Event, drawn: Cards) -> Seen:
    """Return the event for both seats; only the seat that drew sees the cards."""
    if not drawn:
        return seen, seen
    own = replace(seen, drawn=drawn)
    return (own, seen) if seen.seat == 0 else (seen, own)


def _collected(before: State, after: State) -> Cards:
    """Return the cards that the seat whose turn it was collected."""
    actor = before.seat
    return after.sides[actor].collected[len(before.sides[actor].collected) :]


def _drawn(before: State, after: State) -> Cards:
    """Return the cards that the seat whose turn it was drew."""
    pile = before.sides[before.seat].pile
    return pile[: len(pile) - len(after.sides[before.seat].pile)]


def _settled(before: State, after: State) -> int | None:
    """Return the number of the final turn if this ply settled it, else None."""
    return after.final_turn if before.final_turn is None else None
