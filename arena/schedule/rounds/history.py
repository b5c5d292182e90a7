"""The history of a Swiss tournament: the results of its rounds so far, as values.

Scores are whole numbers in tenths of a point, as in the tournament report file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Final

import msgspec


class Colour(StrEnum):
    """The colour of a player; white moves first, where colours are counted."""

    WHITE = "w"
    BLACK = "b"

    @property
    def other(self) -> Colour:
        """The colour of the opponent."""
        return Colour.BLACK if self is Colour.WHITE else Colour.WHITE


class Result(StrEnum):
    """The result of a round for one player, by the letters of the tournament report file."""

    WIN = "1"
    DRAW = "="
    LOSS = "0"
    FORFEIT_WIN = "+"
    FORFEIT_LOSS = "-"
    BYE = "U"
    """Bye assigned by the pairing, because the number of players was odd."""
    FULL_BYE = "F"
    HALF_BYE = "H"
    ZERO_BYE = "Z"
    """Absence: withdrawn, paused or not yet entered."""


PLAYED: Final = frozenset({Result.WIN, Result.DRAW, Result.LOSS})
PAIRED: Final = PLAYED | {Result.FORFEIT_WIN, Result.FORFEIT_LOSS}
"""Results of rounds with an opponent."""
ASKED_FOR: Final = frozenset({Result.FULL_BYE, Result.HALF_BYE, Result.ZERO_BYE})
"""Byes of players who were not to be paired."""


class Points(msgspec.Struct, frozen=True):
    """The values of the results, in tenths of a point."""

    win: int = 10
    draw: int = 5
    loss: int = 0
    bye: int = 10
    """Points for a bye that the pairing assigns."""
    absent: int = 0
    """Points for a zero-point bye."""
    forfeit: int = 0
    """Points for a forfeit loss."""

    def of(self, result: Result) -> int:
        """Return the points of one round."""
        match result:
            case Result.WIN | Result.FORFEIT_WIN | Result.FULL_BYE:
                return self.win
            case Result.DRAW | Result.HALF_BYE:
                return self.draw
            case Result.LOSS:
                return self.loss
            case Result.FORFEIT_LOSS:
                return self.forfeit
            case Result.BYE:
                return self.bye
            case Result.ZERO_BYE:
                return self.absent


class PlayerRound(msgspec.Struct, frozen=True):
    """One round of one player."""

    result: Result
    opponent: int | None = None
    """Number of a player; None with a bye."""
    colour: Colour | None = None
    """None with a bye, and where colours are not counted."""
    blocks: int = 0
    """Points from the blocks of the match, in a unit that all players share."""

    @property
    def is_played(self) -> bool:
        """True if a game was played."""
        return self.result in PLAYED


ABSENT: Final = PlayerRound(Result.ZERO_BYE)


class Player(msgspec.Struct, frozen=True):
    """A player with all rounds so far."""

    number: int
    """Pairing number from 1, in the order of the initial ranking."""
    turns: tuple[PlayerRound, ...] = ()
    """Results of the rounds that were paired."""
    name: str = ""
    rating: int = 0

    @property
    def opponents(self) -> Iterator[int]:
        """Opponents in played games; a forfeit is no game."""
        return (turn.opponent for turn in self.turns if turn.is_played and turn.opponent)


class History(msgspec.Struct, frozen=True):
    """All that the pairing of the next round depends on."""

    players: tuple[Player, ...]
    """Players, numbered from 1 without a gap, all with equally many turns."""
    rounds: int
    """Number of planned rounds."""
    points: Points = Points()
    first: Colour = Colour.WHITE
    """Colour of the best player in the first round that is played."""
    away: dict[int, Result] = {}
    """Byes of the players who are not to be paired in the next round, by number."""
    forbidden: frozenset[frozenset[int]] = frozenset()
    """Pairs of players who must not meet."""

    @property
    def played(self) -> int:
        """Number of finished rounds."""
        return len(self.players[0].turns) if self.players else 0

    def score(self, player: Player, rounds: int | None = None) -> int:
        """Return the score in tenths, after the first ``rounds`` rounds or all."""
        return sum(self.points.of(turn.result) for turn in player.turns[:rounds])


class Pairs(msgspec.Struct, frozen=True):
    """The pairs of one round, by numbers of players."""

    pairs: tuple[tuple[int, int], ...]
    """Pairs in the order of tables; white first, or the higher ranked if colours do not count."""
    bye: int | None = None


def after(
    history: History,
    pairs: Pairs,
    results: Mapping[tuple[int, int], tuple[Result, Result]],
    *,
    colours: bool = True,
    away: Mapping[int, Result] | None = None,
) -> History:
    """Return the history with one more round.

    ``results``: of each pair, in its order. ``away``: byes of the next round; default: none.
    """
    turns = {number: PlayerRound(result) for number, result in history.away.items()}
    if pairs.bye is not None:
        turns[pairs.bye] = PlayerRound(Result.BYE)
    for pair in pairs.pairs:
        for number, opponent, result, colour in zip(
            pair, reversed(pair), results[pair], Colour, strict=True
        ):
            turns[number] = PlayerRound(result, opponent, colour if colours else None)
    players = tuple(
        msgspec.structs.replace(player, turns=(*player.turns, turns[player.number]))
        for player in history.players
    )
    return msgspec.structs.replace(history, players=players, away=dict(away or {}))
