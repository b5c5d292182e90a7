"""All moves of chess, for learners that have an output for each."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Final

import chess

from arena.extensions.games.chess.types import Move

_PROMOTIONS: Final = (chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN)


@cache
def action_space() -> tuple[Move, ...]:
    """Return the 1,792 moves of a queen or a knight from each square, then 176 promotions.

    Those of all pieces are among these, castling in both forms of UCI included. Squares are in
    the order a1, b1, … h8; promotions to knight, bishop, rook and queen follow each other.
    """
    moves = [*_moves()]
    promotions = [
        chess.Move(move.from_square, move.to_square, piece)
        for move in moves
        if _is_step_to_the_end(move)
        for piece in _PROMOTIONS
    ]
    return tuple(Move(move.uci()) for move in [*moves, *promotions])


def _moves() -> Iterator[chess.Move]:
    """Yield the moves of a queen and a knight on an empty board."""
    for square in chess.SQUARES:
        lines = (chess.BB_DIAG_ATTACKS, chess.BB_FILE_ATTACKS, chess.BB_RANK_ATTACKS)
        reached = chess.BB_KNIGHT_ATTACKS[square]
        for line in lines:
            reached |= line[square][chess.BB_EMPTY]
        for to in chess.SquareSet(reached):
            yield chess.Move(square, to)


def _is_step_to_the_end(move: chess.Move) -> bool:
    """Return whether a pawn that makes the move promotes."""
    squares = move.from_square, move.to_square
    ranks = tuple(map(chess.square_rank, squares))
    return ranks in ((6, 7), (1, 0)) and chess.square_distance(*squares) == 1
