"""Read tournament report files of FIDE (TRF16, and TRF-2026 for the pairing of a round).

Published positions come in this format. Text that is not understood and could change a pairing is
refused with its place. Accelerations, teams and abnormal points are not supported.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Final

from arena.documents.problems import ConfigError, Problem, quote
from arena.schedule.rounds.history import (
    ASKED_FOR,
    PAIRED,
    PLAYED,
    Colour,
    History,
    Player,
    PlayerRound,
    Points,
    Result,
)

MOST_PLAYERS: Final = 9999
MOST_ROUNDS: Final = 99
FIRST_ROUND: Final = 91
"""Column of the first round on a player's line, from 0; each round has ten columns."""
_ROUND: Final = 10

_SPOKEN: Final = frozenset(
    f"{number:03}" for number in (*range(12, 133, 10), *range(172, 223, 10)) if number != 192
)
"""Codes of lines about the tournament that change no pairing."""
_REFUSED: Final = {
    "013": "teams",
    "310": "teams",
    "250": "acceleration",
    "XXA": "acceleration",
    "299": "abnormal points",
}
_SYSTEMS: Final = frozenset({"FIDE_DUTCH", "FIDE_DUTCH_2025"})
_LETTERS: Final = {
    **{each.value: each for each in Result},
    "W": Result.WIN,
    "D": Result.DRAW,
    "L": Result.LOSS,
}
_OLD_BYES: Final = {
    Result.FORFEIT_WIN: Result.BYE,
    Result.DRAW: Result.HALF_BYE,
    Result.FORFEIT_LOSS: Result.ZERO_BYE,
}
"""Letters of older programs for a round without an opponent."""
_AGREE: Final = {
    Result.WIN: {Result.LOSS},
    Result.DRAW: {Result.DRAW, Result.LOSS},
    Result.LOSS: {Result.WIN, Result.DRAW, Result.LOSS},
    Result.FORFEIT_WIN: {Result.FORFEIT_LOSS},
    Result.FORFEIT_LOSS: {Result.FORFEIT_WIN, Result.FORFEIT_LOSS},
}
"""Results that the opponent may have with each result."""
_CODES_OF_POINTS: Final = {
    "BBW": "win",
    "BBD": "draw",
    "BBL": "loss",
    "BBZ": "absent",
    "BBF": "forfeit",
    "BBU": "bye",
}


def read(text: str, shown: str = "tournament.trf") -> History:
    """Return the history in a file; ``shown`` stands for the file in problems.

    A last round in which nobody is paired is the next one: its byes are requested byes. W, D and L
    (games that are not rated) are read as 1, = and 0. Raises ConfigError with one problem.
    """
    return _Reader(text, shown).history()


class _Reader:
    def __init__(self, text: str, shown: str) -> None:
        self._shown = shown
        self._lines = re.split("\r\n|\r|\n", text)
        self._rows: dict[int, int] = {}
        """Row of each player's line."""
        self._players: dict[int, Player] = {}
        self._scores: dict[int, int] = {}
        self._points: dict[str, int] = {}
        self._rounds: int | None = None
        self._first: Colour | None = None
        self._byes: list[tuple[int, int, int, Result]] = []
        self._forbidden: list[tuple[int, int, int, list[int]]] = []

    def history(self) -> History:
        """Return the history of the whole text."""
        for row, line in enumerate(self._lines, 1):
            self._read(row, line)
        if not self._players:
            raise self._problem(1, 1, "no player", "lines that begin with 001")
        count = len(self._players)
        for number, row in self._rows.items():
            if number > count:
                raise self._problem(row, 5, f"the number {number}", f"numbers from 1 to {count}")
        played = self._played()
        away = self._away(played)
        players = tuple(self._padded(self._players[n], played) for n in range(1, count + 1))
        for player in players:
            self._check_opponents(player)
        rounds = played if self._rounds is None else self._rounds
        if rounds < played:
            raise self._problem(1, 1, f"{played} rounds", f"at most the {rounds} of the tournament")
        history = History(
            players=players,
            rounds=rounds,
            points=self._all_points(),
            first=self._first or _guessed(players),
            away=away,
            forbidden=frozenset(self._pairs(min(played + 1, rounds))),
        )
        for player in players:
            self._check_score(history, player)
        return history

    def _read(self, row: int, line: str) -> None:
        code = line[:3]
        if not line.strip() or code in _SPOKEN or code == "###":
            return
        if code in _REFUSED:
            raise self._problem(row, 1, f"{code}, {_REFUSED[code]}", "an individual Swiss without")
        readers: dict[str, Callable[[int, str], None]] = {
            "001": self._player,
            "142": self._number_of_rounds,
            "XXR": self._number_of_rounds,
            "152": self._first_colour,
            "XXC": self._configuration,
            "162": self._point_system,
            "192": self._system,
            "240": self._asked_for,
            "260": self._not_to_meet,
            "XXP": self._never_to_meet,
        }
        if code in readers:
            readers[code](row, line)
        elif code in _CODES_OF_POINTS:
            self._points[_CODES_OF_POINTS[code]] = self._score(row, 5, line[4:])
        else:
            raise self._problem(row, 1, f"the code {quote(code)}", "one of TRF16 or TRF-2026")

    def _player(self, row: int, line: str) -> None:
        number = self._whole(row, 5, line[4:8], MOST_PLAYERS)
        if number in self._players:
            raise self._problem(row, 5, f"player {number} again", "each number once")
        if len(line) < 84:
            raise self._problem(
                row, len(line) + 1, "the end of the line", "points in columns 81–84"
            )
        rating = line[48:52].strip()
        turns = []
        for start in range(FIRST_ROUND, len(line.rstrip()), _ROUND):
            turns.append(self._turn(row, number, start, f"{line[start : start + 8]:8}"))
            if line[start + 8 : start + 10].strip():
                raise self._problem(row, start + 9, "text between rounds", "two blanks")
        if len(turns) > MOST_ROUNDS:
            raise self._problem(row, FIRST_ROUND, "too many rounds", f"at most {MOST_ROUNDS}")
        self._rows[number] = row
        self._scores[number] = self._score(row, 81, line[80:84])
        self._players[number] = Player(
            number,
            tuple(each or PlayerRound(Result.ZERO_BYE) for each in turns),
            line[14:47].strip(),
            self._whole(row, 49, rating, 9999, 0) if rating else 0,
        )
        self._blank_ends(number, turns)

    def _blank_ends(self, number: int, turns: list[PlayerRound | None]) -> None:
        """Remove blanks at the end of a line, which are no requested byes."""
        while turns and turns[-1] is None:
            turns.pop()
        player = self._players[number]
        self._players[number] = Player(
            number, player.turns[: len(turns)], player.name, player.rating
        )

    def _turn(self, row: int, number: int, start: int, cell: str) -> PlayerRound | None:
        """Return one round, or None if the cell is blank."""
        if not cell.strip():
            return None
        found = cell[7].upper()
        result = _LETTERS.get(found)
        if result is None:
            raise self._problem(row, start + 8, f"the result {quote(found)}", "one of 1=0+-UFHZ")
        if cell[4] != " " or cell[6] != " ":
            raise self._problem(row, start + 1, f"{quote(cell)}", "opponent, colour and result")
        if cell[5] not in "wb- ":
            raise self._problem(row, start + 6, f"the colour {quote(cell[5])}", "w, b or -")
        colour = Colour(cell[5]) if cell[5] in "wb" else None
        if cell[:4] in ("0000", "    "):
            result = _OLD_BYES.get(result, result)
            if result in PAIRED or colour:
                raise self._problem(row, start + 1, "no opponent", f"one with the result {found}")
            return PlayerRound(result)
        opponent = self._whole(row, start + 1, cell[:4], MOST_PLAYERS)
        if opponent == number:
            raise self._problem(row, start + 1, "the player itself", "another one")
        if result not in PAIRED:
            raise self._problem(row, start + 1, f"an opponent with {found}", "0000 in a bye")
        if result in PLAYED and colour is None:
            raise self._problem(row, start + 6, "a game without colour", "w or b")
        return PlayerRound(result, opponent, colour)

    def _number_of_rounds(self, row: int, line: str) -> None:
        self._rounds = self._whole(row, 5, line[3:], MOST_ROUNDS)

    def _first_colour(self, row: int, line: str) -> None:
        if line[4:].strip() not in ("W", "B"):
            raise self._problem(row, 5, f"{quote(line[4:].strip())}", "W or B")
        self._first = Colour(line[4:].strip().lower())

    def _configuration(self, row: int, line: str) -> None:
        for word in line[3:].split():
            if word not in ("white1", "black1"):
                raise self._problem(row, 5, f"{quote(word)}", "white1 or black1")
            self._first = Colour(word[0])

    def _point_system(self, row: int, line: str) -> None:
        names = {"W": "win", "D": "draw", "L": "loss", "P": "bye"}
        for start in range(5, len(line.rstrip()), 9):
            key = line[start]
            value = self._score(row, start + 2, line[start + 1 : start + 5])
            if key in names:
                self._points[names[key]] = value
            elif key == "Z":
                self._points["absent"] = self._points["forfeit"] = value
            else:
                raise self._problem(row, start + 1, f"{quote(key)}", "one of W, D, L, Z and P")

    def _system(self, row: int, line: str) -> None:
        system = line[4:].strip()
        if system not in _SYSTEMS:
            expected = "FIDE_DUTCH_2025"
            raise self._problem(row, 5, f"the system {quote(system)}", expected)

    def _asked_for(self, row: int, line: str) -> None:
        letter = line[4:5]
        if letter not in {each.value for each in ASKED_FOR}:
            raise self._problem(row, 5, f"the bye {quote(letter)}", "F, H or Z")
        number = self._whole(row, 7, line[6:9], MOST_ROUNDS)
        for player in self._numbers(row, line, 10):
            self._byes.append((row, number, player, Result(letter)))

    def _not_to_meet(self, row: int, line: str) -> None:
        first = self._whole(row, 5, line[4:7], MOST_ROUNDS)
        last = self._whole(row, 9, line[8:11], MOST_ROUNDS)
        self._forbidden.append((row, first, last, list(self._numbers(row, line, 12))))

    def _never_to_meet(self, row: int, line: str) -> None:
        numbers = [self._whole(row, 5, word, MOST_PLAYERS) for word in line[3:].split()]
        self._forbidden.append((row, 1, MOST_ROUNDS, numbers))

    def _numbers(self, row: int, line: str, start: int) -> Iterator[int]:
        for each in range(start, len(line.rstrip()), 5):
            yield self._whole(row, each + 1, line[each : each + 4], MOST_PLAYERS)

    def _played(self) -> int:
        """Return the number of paired rounds; refuse entries more than one round after them."""
        played = 0
        for player in self._players.values():
            for number, turn in enumerate(player.turns, 1):
                if turn.result not in ASKED_FOR:
                    played = max(played, number)
        for number, player in self._players.items():
            if len(player.turns) > played + 1:
                column = FIRST_ROUND + _ROUND * (played + 1) + 1
                raise self._problem(
                    self._rows[number], column, "a bye two rounds ahead", "a code 240 for it"
                )
        return played

    def _away(self, played: int) -> dict[int, Result]:
        """Return the players with a bye in the next round."""
        away = {
            number: player.turns[played].result
            for number, player in sorted(self._players.items())
            if len(player.turns) > played
        }
        for row, number, player, letter in self._byes:
            if player not in self._players:
                raise self._problem(row, 11, f"player {player}", "a number of a line 001")
            if number == played + 1:
                away.setdefault(player, letter)
        return away

    def _pairs(self, upcoming: int) -> Iterator[frozenset[int]]:
        """Yield the pairs that must not meet in that round."""
        for row, first, last, numbers in self._forbidden:
            for number in numbers:
                if number not in self._players:
                    raise self._problem(row, 13, f"player {number}", "a number of a line 001")
            if first <= upcoming <= last:
                yield from (frozenset(pair) for pair in combinations(set(numbers), 2))

    def _padded(self, player: Player, played: int) -> Player:
        missing = played - len(player.turns)
        turns = (*player.turns[:played], *[PlayerRound(Result.ZERO_BYE)] * missing)
        return Player(player.number, turns, player.name, player.rating)

    def _check_opponents(self, player: Player) -> None:
        """Check that both players report the same for a round."""
        for place, turn in enumerate(player.turns):
            if turn.opponent is None:
                continue
            other = self._players.get(turn.opponent)
            theirs = other.turns[place] if other and place < len(other.turns) else None
            if (
                theirs is None
                or theirs.opponent != player.number
                or theirs.result not in _AGREE[turn.result]
                or (turn.colour is not None and theirs.colour is turn.colour)
            ):
                column = FIRST_ROUND + _ROUND * place + 1
                raise self._problem(
                    self._rows[player.number],
                    column,
                    f"round {place + 1} against {turn.opponent}",
                    "the same from both players",
                )

    def _check_score(self, history: History, player: Player) -> None:
        """Check that the points are those of the rounds, with or without the bye that is next."""
        own = history.score(player)
        bye = history.away.get(player.number)
        fits = {own} if bye is None else {own, own + history.points.of(bye)}
        found = self._scores[player.number]
        if found not in fits:
            raise self._problem(
                self._rows[player.number],
                81,
                f"{_shown(found)} points",
                f"{_shown(own)} by the rounds",
            )

    def _all_points(self) -> Points:
        given = dict(self._points)
        given.setdefault("bye", given.get("win", Points().bye))
        return Points(**given)

    def _whole(self, row: int, column: int, text: str, most: int, least: int = 1) -> int:
        word = text.strip()
        if not (word.isascii() and word.isdecimal() and least <= int(word[:9]) <= most):
            raise self._problem(
                row, column, f"{quote(word)}", f"a whole number from {least} to {most}"
            )
        return int(word)

    def _score(self, row: int, column: int, text: str) -> int:
        found = re.fullmatch(r"([0-9]{1,2})[.,]([0-9])", text.strip())
        if found is None:
            raise self._problem(row, column, f"{quote(text.strip())}", "points such as 2.5")
        return int(found[1]) * 10 + int(found[2])

    def _problem(self, row: int, column: int, found: str, expected: str) -> ConfigError:
        where = f"{self._shown}:{row}:{column}"
        return ConfigError([Problem(where, "", f"found {found}", expected)])


def _guessed(players: tuple[Player, ...]) -> Colour:
    """Return the colour of the best player in the first round with colours, as far as known."""
    rounds = range(len(players[0].turns))
    first = next((r for r in rounds if any(each.turns[r].colour for each in players)), None)
    if first is None:
        return Colour.WHITE
    place = 0
    for player in players:
        turns = player.turns[: first + 1]
        if any(turn.opponent or turn.result is Result.BYE for turn in turns):
            if colour := turns[-1].colour:
                return colour if place % 2 == 0 else colour.other
            place += 1
    return Colour.WHITE


def _shown(score: int) -> str:
    return f"{score // 10}.{score % 10}"
