"""What the rounds of a Swiss tournament have brought so far, as values.

Scores are whole numbers in tenths of a point, as the tournament report file has them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Final

import msgspec


class Colour(StrEnum):
    """Who moves first, where that is counted."""

    WHITE = "w"
    BLACK = "b"

    @property
    def other(self) -> Colour:
        """The opponent's."""
        return Colour.BLACK if self is Colour.WHITE else Colour.WHITE


class Result(StrEnum):
    """What a round brought one player; the letters of the tournament report file."""

    WIN = "1"
    DRAW = "="
    LOSS = "0"
    FORFEIT_WIN = "+"
    FORFEIT_LOSS = "-"
    BYE = "U"
    """Given by the pairing, since the number of players was odd."""
    FULL_BYE = "F"
    HALF_BYE = "H"
    ZERO_BYE = "Z"
    """Not there: withdrawn, paused or not yet entered."""


PLAYED: Final = frozenset({Result.WIN, Result.DRAW, Result.LOSS})
PAIRED: Final = PLAYED | {Result.FORFEIT_WIN, Result.FORFEIT_LOSS}
"""Those that have an opponent."""
ASKED_FOR: Final = frozenset({Result.FULL_BYE, Result.HALF_BYE, Result.ZERO_BYE})
"""Byes of players who were not to be paired."""


class Points(msgspec.Struct, frozen=True):
    """What a result is worth, in tenths."""

    win: int = 10
    draw: int = 5
    loss: int = 0
    bye: int = 10
    """For a bye that the pairing gives."""
    absent: int = 0
    """For a zero-point bye."""
    forfeit: int = 0
    """For a forfeit loss."""

    def of(self, result: Result) -> int:
        """For one round."""
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


class Turn(msgspec.Struct, frozen=True):
    """One round of one player."""

    result: Result
    opponent: int | None = None
    """Number of a player; None with a bye."""
    colour: Colour | None = None
    """None with a bye, and where colours are not counted."""
    blocks: int = 0
    """Points from the blocks of the match, in a unit that is the same for all."""

    @property
    def is_played(self) -> bool:
        """Whether there was a game."""
        return self.result in PLAYED


ABSENT: Final = Turn(Result.ZERO_BYE)


class Player(msgspec.Struct, frozen=True):
    """A player with all rounds so far."""

    number: int
    """From 1, in the order of the initial ranking: the pairing number."""
    turns: tuple[Turn, ...] = ()
    """As many as rounds were paired."""
    name: str = ""
    rating: int = 0

    @property
    def opponents(self) -> Iterator[int]:
        """Whom it has played; a forfeit is no game."""
        return (turn.opponent for turn in self.turns if turn.is_played and turn.opponent)


class History(msgspec.Struct, frozen=True):
    """All that the pairing of the next round depends on."""

    players: tuple[Player, ...]
    """Numbered from 1 without a gap, all with equally many turns."""
    rounds: int
    """Planned in all."""
    points: Points = Points()
    first: Colour = Colour.WHITE
    """Of the best player in the first round that is played."""
    away: dict[int, Result] = {}
    """Who is not to be paired in the next round, with the bye each has instead."""
    forbidden: frozenset[frozenset[int]] = frozenset()
    """Pairs of players who must not meet."""

    @property
    def played(self) -> int:
        """How many rounds are over."""
        return len(self.players[0].turns) if self.players else 0

    def score(self, player: Player, rounds: int | None = None) -> int:
        """In tenths, after the first ``rounds`` rounds or all."""
        return sum(self.points.of(turn.result) for turn in player.turns[:rounds])


class Pairs(msgspec.Struct, frozen=True):
    """Who meets whom in one round, by numbers of players."""

    pairs: tuple[tuple[int, int], ...]
    """White first; where colours are not counted, the higher ranked. In the order of tables."""
    bye: int | None = None


def after(
    history: History,
    pairs: Pairs,
    results: Mapping[tuple[int, int], tuple[Result, Result]],
    *,
    colours: bool = True,
    away: Mapping[int, Result] | None = None,
) -> History:
    """The history with one round more.

    ``results``: of each pair, in its order. ``away``: of the round after it; default: nobody.
    """
    turns = {number: Turn(result) for number, result in history.away.items()}
    if pairs.bye is not None:
        turns[pairs.bye] = Turn(Result.BYE)
    for pair in pairs.pairs:
        for number, opponent, result, colour in zip(
            pair, reversed(pair), results[pair], Colour, strict=True
        ):
            turns[number] = Turn(result, opponent, colour if colours else None)
    players = tuple(
        msgspec.structs.replace(player, turns=(*player.turns, turns[player.number]))
        for player in history.players
    )
    return msgspec.structs.replace(history, players=players, away=dict(away or {}))
