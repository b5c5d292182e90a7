"""Write a history as a tournament report file of FIDE: TRF16 with lines of TRF-2026."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from arena.schedule.rounds.history import History, Player, PlayerRound, Points, Result

_NAME = 33
"""Number of columns of a name."""
_MOST = 999
"""Largest score, in tenths of a point."""
_MOST_PLAYERS = 9999
_MOST_ROUNDS = 99


def write(
    history: History, name: str = "", remark: str = "", places: Mapping[int, int] | None = None
) -> str:
    """Return the text, with line feeds.

    ``remark``: a line for people. ``places``: by the number of a player; None: by points alone.
    Raises ValueError for what the format cannot express: a game without colours, 100 points and
    more, more than 9999 players or 99 rounds, and different values for absence and for a forfeit
    loss.
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
    if turn.colour is None and turn.is_played:
        raise ValueError("a game without colours has no place in a tournament report file")
    return f"  {turn.opponent:4} {turn.colour or '-'} {turn.result}"


def _points(points: Points) -> str:
    """Return the line of points that are not the usual ones."""
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
