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
    Card,
    Cards,
)
from arena.extensions.games.dragonheart.rules.state import Phase, Side, State
from arena.values.results import Seat

_PLAY, _TAKE, _STEAL, _OVER = Phase.PLAY, Phase.TAKE, Phase.STEAL, Phase.OVER
_INDEX: Final = {name: index for index, name in enumerate(SPACES)}
_PETRIFIED: Final = SPACES[PETRIFIED]


def apply_play(state: State, action: Play, *, ends_on_failed_draw: bool) -> State:
    """Move the played cards to their space and apply its effect.

    If the effect needs a choice first, return a state that asks for it (DH-04).
    """
    cards, mine, board = action.cards, state.sides[state.seat], list(state.board)
    kind, ship_sets, collected = KIND_OF[cards[0]], state.ship_sets, mine.collected
    hand, played = _without(mine.hand, cards), mine.played + cards
    board[kind] = row = board[kind] + cards
    if len(row) >= ROW_SIZE[kind]:
        if kind in CHOICES:
            first, second = CHOICES[kind]
            if board[first] or board[second]:
                chooser = replace(mine, hand=tuple(hand), played=played)
                sides = _sides(state.seat, chooser, state.sides)
                return replace(state, phase=_TAKE, sides=sides, board=tuple(board), choice=kind)
        elif kind in COLLECTS:
            collected += _taken(board, COLLECTS[kind])
        ship_sets += _move_row(board, kind)
    return _draw_and_pass(
        state, state.figure, board, ship_sets, hand, collected, played, ends_on_failed_draw
    )


def apply_take(state: State, action: Take, *, ends_on_failed_draw: bool) -> State:
    """Collect the chosen space; petrified dragons bring the figure and possibly a theft."""
    seat, figure, board = state.seat, state.figure, list(state.board)
    mine, other = state.sides[seat], state.sides[1 - seat]
    taken = _taken(board, _INDEX[action.space])
    collected = mine.collected + taken
    if state.choice == KNIGHT:
        _move_row(board, KNIGHT)
    if action.space == _PETRIFIED and taken and figure != seat:
        figure = seat
        if state.figure is not None and len(other.hand) > HAND_LIMIT:  # DH-05, DH-22
            sides = _sides(seat, replace(mine, collected=collected), state.sides)
            return State(
                _STEAL,
                seat,
                state.turn,
                sides,
                tuple(board),
                state.ship_sets,
                figure,
                state.final_turn,
                None,
            )
    return _draw_and_pass(
        state,
        figure,
        board,
        state.ship_sets,
        list(mine.hand),
        collected,
        mine.played,
        ends_on_failed_draw,
    )


def apply_steal(state: State, action: Steal, *, ends_on_failed_draw: bool) -> State:
    """Put the stolen card on top of its owner's draw pile, even an empty one (DH-06)."""
    seat = state.seat
    mine, victim = state.sides[seat], state.sides[1 - seat]
    loser = replace(
        victim,
        hand=tuple(_without(victim.hand, (action.card,))),
        pile=(action.card, *victim.pile),
        returned=action.card,
        thefts=victim.thefts + 1,
    )
    return _draw_and_pass(
        replace(state, sides=_sides(1 - seat, loser, state.sides)),
        state.figure,
        list(state.board),
        state.ship_sets,
        list(mine.hand),
        mine.collected,
        mine.played,
        ends_on_failed_draw,
    )


def _without(hand: Cards, cards: Cards) -> list[Card]:
    rest = list(hand)
    for card in cards:
        rest.remove(card)
    return rest


def _sides(seat: Seat, side: Side, sides: tuple[Side, Side]) -> tuple[Side, Side]:
    """Return ``sides`` with that of ``seat`` replaced."""
    return (sides[0], side) if seat else (side, sides[1])


def _taken(board: list[Cards], space: int) -> Cards:
    """Take all cards from a space."""
    cards, board[space] = board[space], ()
    return cards


def _move_row(board: list[Cards], kind: int) -> int:
    """Remove a full row from the board, even if it collected nothing (DH-11).

    Returns the number of ship sets that leave with it.
    """
    if kind == SHIP:
        board[kind] = ()
        return 1
    if ROW_SIZE[kind]:
        board[QUAY] += board[kind]  # a row of dwarfs is collected already
        board[kind] = ()
    return 0


def _draw_and_pass(
    state: State,
    figure: Seat | None,
    board: list[Cards],
    ship_sets: int,
    hand: list[Card],
    collected: Cards,
    played: Cards,
    ends_on_failed_draw: bool,
) -> State:
    """Refill the hand (DH-03, DH-09), check for the end of the game, and pass the turn.

    ``figure`` and what follows it: the values after the action, the rest is that of ``state``.
    """
    seat, number, final_turn = state.seat, state.turn, state.final_turn
    mine = state.sides[seat]
    pile, returned, emptied = mine.pile, mine.returned, mine.emptied
    wanted = (HAND_LIMIT_WITH_FIGURE if figure == seat else HAND_LIMIT) - len(hand)
    drawn = pile[:wanted]
    if drawn:
        hand += drawn
        hand.sort()
        pile, returned = pile[wanted:], None
    is_over = final_turn == number  # DH-12, DH-13, DH-15: a later trigger changes nothing
    if not is_over:
        pile_out = not drawn if ends_on_failed_draw else emptied  # DH-07
        if pile_out or ship_sets == SHIP_SETS_TO_END:
            final_turn = number + 1
        emptied = emptied or not pile
    side = Side(tuple(hand), pile, collected, played, returned, emptied, mine.thefts)
    return State(  # positional: runs once a turn, and keywords double the cost
        _OVER if is_over else _PLAY,
        seat if is_over else 1 - seat,
        number if is_over else number + 1,
        _sides(seat, side, state.sides),
        tuple(board),
        ship_sets,
        figure,
        final_turn,
        None,
    )
