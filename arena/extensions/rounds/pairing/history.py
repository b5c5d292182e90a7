"""The history of a Swiss tournament as values, and the report file of FIDE that is written from it.

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
    bonus: int = 0
    """Further points of the match, in tenths."""
    margin: int = 0
    """Sum of the margins of its games."""

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
    """A Swiss tournament so far: all facts on which the next pairing depends."""

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
        return sum(self.points.of(turn.result) + turn.bonus for turn in player.turns[:rounds])


class Pairs(msgspec.Struct, frozen=True):
    """The pairs of one round, by numbers of players."""

    pairs: tuple[tuple[int, int], ...]
    """Pairs in the order of tables; white first, or the higher ranked if colours do not count."""
    bye: int | None = None


_NAME = 33
"""Number of columns of a name."""
_MOST = 999
"""Largest score, in tenths of a point."""
_MOST_PLAYERS = 9999
_MOST_ROUNDS = 99


def write(
    history: History, name: str = "", remark: str = "", places: Mapping[int, int] | None = None
) -> str:
    """Return the text of a tournament report file (TRF), with line feeds.

    ``remark``: a line for people. ``places``: place of each player, by number; None: by points
    alone. Raises ValueError for what the format cannot express: a game without colours, a bonus,
    100 points and more, more than 9999 players or 99 rounds, and different values for absence and
    for a forfeit loss.
    """
    if len(history.players) > _MOST_PLAYERS or history.rounds > _MOST_ROUNDS:
        most = f"{_MOST_PLAYERS} players and {_MOST_ROUNDS} rounds"
        raise ValueError(f"a tournament report file has place for {most}")
    return "".join(f"{line}\n" for line in _lines(history, name, remark, places))


def _lines(
    history: History, name: str, remark: str, places: Mapping[int, int] | None
) -> Iterator[str]:
    yield f"012 {_plain(name)}".rstrip()
    if remark:
        yield f"### {_plain(remark)}"
    yield f"062 {len(history.players)}"
    yield f"142 {history.rounds}"
    yield f"152 {history.first.upper()}"
    if points := _points(history.points):
        yield points
    yield "192 FIDE_DUTCH_2025"
    ranks = sorted(history.players, key=lambda each: (-history.score(each), each.number))
    place = places or {player.number: rank for rank, player in enumerate(ranks, 1)}
    for player in history.players:
        yield _player(history, player, place[player.number])
    for letter in (Result.FULL_BYE, Result.HALF_BYE, Result.ZERO_BYE):
        numbers = sorted(number for number, bye in history.away.items() if bye is letter)
        if numbers:
            listed = "".join(f" {number:4}" for number in numbers)
            yield f"240 {letter} {history.played + 1:3}{listed}"
    for pair in sorted(sorted(each) for each in history.forbidden):
        yield f"260   1 {history.rounds:3}" + "".join(f" {number:4}" for number in pair)


def _player(history: History, player: Player, rank: int) -> str:
    name = _plain(player.name or f"Player {player.number}")[:_NAME]
    score = history.score(player)
    turns = "".join(_turn(turn) for turn in player.turns)
    rating = player.rating or ""
    return (
        f"001 {player.number:4}      {name:<{_NAME}} {rating:>4}{'':28}"
        f"{_shown(score):>4} {rank:4}{turns}"
    )


def _turn(turn: PlayerRound) -> str:
    if turn.opponent is None:
        return f"  0000 - {turn.result}"
    if turn.bonus:
        raise ValueError("a tournament report file has no place for a bonus")
    if turn.colour is None and turn.is_played:
        raise ValueError("a game without colours has no place in a tournament report file")
    return f"  {turn.opponent:4} {turn.colour or '-'} {turn.result}"


def _points(points: Points) -> str:
    """Return the line that lists points other than the usual ones."""
    usual = Points()
    if points == usual:
        return ""
    if points.forfeit != points.absent:
        raise ValueError("a tournament report file has one value for absence and forfeit loss")
    named = {
        "W": points.win,
        "D": points.draw,
        "L": points.loss,
        "Z": points.absent,
        "P": points.bye,
    }
    return "162  " + "    ".join(f"{key}{_shown(value):>4}" for key, value in named.items())


def _shown(score: int) -> str:
    if score > _MOST:
        raise ValueError(f"a tournament report file has no place for {score // 10} points")
    return f"{score // 10}.{score % 10}"


def _plain(text: str) -> str:
    return " ".join(text.split())
