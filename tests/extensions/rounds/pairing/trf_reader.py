"""Read tournament report files of FIDE (TRF-2026) as arena and bbpPairings write them.

Whatever they do not write, or contradicts itself, fails.
"""

from __future__ import annotations

import re
from itertools import combinations
from typing import Final

from arena.extensions.rounds.pairing.history import (
    Colour,
    History,
    Player,
    PlayerRound,
    Points,
    Result,
)

_ROUND: Final = re.compile(r"  (?=.{4} )(0000| {0,3}[1-9]\d*) ([wb-]) (.)")
_POINTS: Final = re.compile(r"([WDLZP]) {0,1}(\d+\.\d)")
_AGREE: Final = {
    Result.WIN: {Result.LOSS},
    Result.DRAW: {Result.DRAW},
    Result.LOSS: {Result.WIN, Result.LOSS},
    Result.FORFEIT_WIN: {Result.FORFEIT_LOSS},
    Result.FORFEIT_LOSS: {Result.FORFEIT_WIN, Result.FORFEIT_LOSS},
}
"""Results that the opponent may have with each result."""


def read(text: str) -> History:
    """Return the history in a file."""
    lines: dict[str, list[str]] = {}
    for line in text.splitlines():
        lines.setdefault(line[:3], []).append(line[4:])
    known = {"001", "012", "###", "062", "142", "152", "162", "192", "240", "260"}
    assert lines.keys() <= known
    assert lines["192"] == ["FIDE_DUTCH_2025"]
    history = History(
        players=tuple(map(_player, lines["001"])),
        rounds=int(lines["142"][0]),
        points=_points(*lines.get("162", ())),
        first=Colour(lines["152"][0].lower()),
        away={
            number: Result(line[0])
            for line in lines.get("240", ())
            for number in _numbers(line[5:])
        },
        forbidden=frozenset(
            frozenset(pair)
            for line in lines.get("260", ())
            for pair in combinations(_numbers(line[7:]), 2)
        ),
    )
    assert all(int(line[2:5]) == history.played + 1 for line in lines.get("240", ()))
    assert all(line[:7] == f"  1 {history.rounds:3}" for line in lines.get("260", ()))
    assert int(lines["062"][0]) == len(history.players)
    for number, (player, line) in enumerate(zip(history.players, lines["001"], strict=True), 1):
        assert player.number == number
        assert _tenths(line[76:80]) == history.score(player)
        _check_opponents(history, player)
    return history


def _numbers(columns: str) -> list[int]:
    """Of players, each in five columns."""
    cells = [columns[start : start + 5] for start in range(0, len(columns), 5)]
    assert all(re.fullmatch(r" +\d+", cell) and len(cell) == 5 for cell in cells)
    return [int(cell) for cell in cells]


def _player(line: str) -> Player:
    assert line[43] == line[80] == " "
    turns = [
        PlayerRound(
            Result(result), int(opponent) or None, Colour(colour) if colour != "-" else None
        )
        for opponent, colour, result in _ROUND.findall(line[85:])
    ]
    assert _ROUND.sub("", line[85:]) == ""
    return Player(int(line[:4]), tuple(turns), line[10:43].strip(), int(line[44:48].strip() or 0))


def _check_opponents(history: History, player: Player) -> None:
    """Both players report the same for a round."""
    for place, turn in enumerate(player.turns):
        if turn.opponent is not None:
            theirs = history.players[turn.opponent - 1].turns[place]
            assert theirs.opponent == player.number != turn.opponent
            assert theirs.result in _AGREE[turn.result]
            assert turn.colour is None or theirs.colour is turn.colour.other
            assert turn.colour is not None or not turn.is_played
        else:
            assert turn.result not in _AGREE


def _points(line: str = "") -> Points:
    if not line:
        return Points()
    value = {key: _tenths(points) for key, points in _POINTS.findall(line)}
    names = {"win": "W", "draw": "D", "loss": "L", "absent": "Z", "forfeit": "Z", "bye": "P"}
    return Points(**{name: value[key] for name, key in names.items()})


def _tenths(text: str) -> int:
    whole, tenths = text.split(".")
    return int(whole) * 10 + int(tenths)
