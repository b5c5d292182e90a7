"""One turn, step by step in the rulebook's order: play, collect, figure, move the row, draw.

Each ``apply_…`` takes a state and returns the next one; the caller checks legality.
``ends_on_failed_draw`` is that of the ``Edition``.
"""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from arena.extensions.games.dragonheart.rules.actions import Play, Steal, Take
from arena.extensions.games.dragonheart.rules.cards import (
    CHOICES,
    COLLECTS,
    HAND_LIMIT,
    HAND_LIMIT_WITH_FIGURE,
    KIND_OF,
    KNIGHT,
    PETRIFIED,
    QUAY,
    ROW_SIZE,
    SHIP,
    SHIP_SETS_TO_END,
    SPACES,
    Cards,
)
from arena.extensions.games.dragonheart.rules.state import Phase, Side, State
from arena.values.results import Seat

_PLAY, _TAKE, _STEAL, _OVER = Phase.PLAY, Phase.TAKE, Phase.STEAL, Phase.OVER
_INDEX: Final = {name: index for index, name in enumerate(SPACES)}


class MutableTurn:
    """The turn in progress: a private working copy that its steps change and then freeze."""

    __slots__ = (
        "board",
        "collected",
        "emptied",
        "figure",
        "final_turn",
        "hand",
        "number",
        "other",
        "pile",
        "played",
        "returned",
        "seat",
        "ship_sets",
        "thefts",
    )

    def __init__(self, state: State) -> None:
        self.seat = seat = state.seat
        self.number = state.turn
        self.board = list(state.board)
        self.ship_sets = state.ship_sets
        self.figure = state.figure
        self.final_turn = state.final_turn
        self.other = state.sides[1 - seat]
        mine = state.sides[seat]
        self.hand = mine.hand
        self.pile = mine.pile
        self.collected = mine.collected
        self.played = mine.played
        self.returned = mine.returned
        self.emptied = mine.emptied
        self.thefts = mine.thefts

    def freeze(self, phase: Phase, seat: Seat, number: int, choice: int | None = None) -> State:
        """Return the state in which ``seat`` continues in ``phase`` of turn ``number``.

        ``choice``: kind of the cards that ask for a choice; None without one.
        """
        mine = Side(
            self.hand,
            self.pile,
            self.collected,
            self.played,
            self.returned,
            self.emptied,
            self.thefts,
        )
        return State(
            phase,
            seat,
            number,
            (self.other, mine) if self.seat else (mine, self.other),
            tuple(self.board),
            self.ship_sets,
            self.figure,
            self.final_turn,
            choice,
        )


def apply_play(state: State, action: Play, *, ends_on_failed_draw: bool) -> State:
    """Move the played cards to their space and apply its effect.

    If the effect needs a choice first, return a state that asks for it (DH-04).
    """
    turn, cards = MutableTurn(state), action.cards
    kind = KIND_OF[cards[0]]
    turn.hand = _without(turn.hand, cards)
    turn.played += cards
    turn.board[kind] += cards
    size = ROW_SIZE[kind]
    if size and len(turn.board[kind]) < size:
        return _draw_and_pass(turn, ends_on_failed_draw)
    if kind in CHOICES:
        first, second = CHOICES[kind]
        if turn.board[first] or turn.board[second]:
            return turn.freeze(_TAKE, turn.seat, turn.number, kind)
    elif kind in COLLECTS:
        _collect(turn, COLLECTS[kind])
    _move_row(turn, kind)
    return _draw_and_pass(turn, ends_on_failed_draw)


def apply_take(state: State, action: Take, *, ends_on_failed_draw: bool) -> State:
    """Collect the chosen space; petrified dragons bring the figure and possibly a theft."""
    turn = MutableTurn(state)
    space = _INDEX[action.space]
    wins_figure = space == PETRIFIED and bool(turn.board[space]) and turn.figure != turn.seat
    _collect(turn, space)
    if state.choice == KNIGHT:
        _move_row(turn, KNIGHT)
    if wins_figure:
        loses_card = turn.figure is not None and len(turn.other.hand) > HAND_LIMIT  # DH-05, DH-22
        turn.figure = turn.seat
        if loses_card:
            return turn.freeze(_STEAL, turn.seat, turn.number)
    return _draw_and_pass(turn, ends_on_failed_draw)


def apply_steal(state: State, action: Steal, *, ends_on_failed_draw: bool) -> State:
    """Put the stolen card on top of its owner's draw pile, even an empty one (DH-06)."""
    turn = MutableTurn(state)
    victim = turn.other
    turn.other = replace(
        victim,
        hand=_without(victim.hand, (action.card,)),
        pile=(action.card, *victim.pile),
        returned=action.card,
        thefts=victim.thefts + 1,
    )
    return _draw_and_pass(turn, ends_on_failed_draw)


def _without(hand: Cards, cards: Cards) -> Cards:
    rest = list(hand)
    for card in cards:
        rest.remove(card)
    return tuple(rest)


def _collect(turn: MutableTurn, space: int) -> None:
    turn.collected += turn.board[space]
    turn.board[space] = ()


def _move_row(turn: MutableTurn, kind: int) -> None:
    """Remove a full row from the board, even if it collected nothing (DH-11)."""
    if kind == SHIP:
        turn.ship_sets += 1
        turn.board[kind] = ()
    elif ROW_SIZE[kind]:
        turn.board[QUAY] += turn.board[kind]  # a row of dwarfs is collected already
        turn.board[kind] = ()


def _draw_and_pass(turn: MutableTurn, ends_on_failed_draw: bool) -> State:
    """Refill the hand (DH-03, DH-09), check for the end of the game, and pass the turn."""
    limit = HAND_LIMIT_WITH_FIGURE if turn.figure == turn.seat else HAND_LIMIT
    wanted = limit - len(turn.hand)
    drawn = turn.pile[:wanted]
    if drawn:
        turn.hand = tuple(sorted(turn.hand + drawn))
        turn.pile = turn.pile[wanted:]
        turn.returned = None
    if turn.final_turn == turn.number:  # DH-12, DH-13, DH-15: a later trigger changes nothing
        return turn.freeze(_OVER, turn.seat, turn.number)
    pile_out = not drawn if ends_on_failed_draw else turn.emptied  # DH-07
    if pile_out or turn.ship_sets == SHIP_SETS_TO_END:
        turn.final_turn = turn.number + 1
    if not turn.pile:
        turn.emptied = True
    return turn.freeze(_PLAY, 1 - turn.seat, turn.number + 1)
