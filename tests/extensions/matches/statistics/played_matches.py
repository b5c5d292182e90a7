"""Games of matches that ``arena compare`` played with the bots of this repository.

A row of a constant holds the blocks of one discipline in the order of the schedule. A game is who
sat on each seat (N: the candidate, O: the baseline) and the score of each seat. ``>0`` names the
winner where equal scores were decided by a tie-break.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from arena.extensions.matches.statistics.blocks import MatchDiscipline
from arena.extensions.matches.statistics.match import Match
from arena.extensions.matches.statistics.report import Criteria, Measure, Scale
from arena.values.results import GameResult
from tests.extensions.matches.statistics.test_match import NEW, OLD, TEST, made

WHITEWASH: Final = """
NO 92 29 ON 43 73; NO 89 21 ON 11 79; NO 98 5 ON 18 86; NO 40 44 ON 12 42; NO 82 15 ON 37 59;
ON 9 64 NO 58 14; ON 35 69 NO 83 31; NO 63 21 ON 30 69; NO 101 17 ON 31 88; NO 81 26 ON 31 83;
NO 117 14 ON 13 92; NO 89 39 ON 18 82; NO 77 17 ON 21 67; ON 12 76 NO 99 11; ON 23 53 NO 56 17;
NO 77 20 ON 13 69; ON 4 81 NO 54 8; ON 12 88 NO 68 17; NO 108 27 ON 16 117; ON 12 107 NO 109 19;
ON 22 94 NO 93 17
"""

CLEAR: Final = """
NO 90 35 ON 37 93; ON 30 40 NO 63 25; NO 60 24 ON 30 65; NO 49 35 ON 25 64; ON 22 71 NO 68 43;
NO 59 38 ON 25 77; ON 32 39 NO 71 27; ON 25 42 NO 34 24; NO 62 33 ON 43 63; ON 27 67 NO 32 44;
NO 57 8 ON 29 41; NO 64 40 ON 46 40; ON 53 45 NO 66 43; NO 84 38 ON 46 68; ON 52 39 NO 50 28;
ON 29 57 NO 59 29; NO 63 23 ON 24 61; NO 65 36 ON 24 76; NO 84 23 ON 18 62; NO 47 68 ON 18 70;
ON 23 54 NO 65 14; ON 17 68 NO 52 37; ON 31 28 NO 45 10; ON 9 54 NO 39 31
"""

UNDECIDED: Final = """
NO 44 54 ON 44 52; ON 69 46 NO 77 59; ON 80 45 NO 49 65; ON 25 45 NO 55 29; ON 30 65 NO 32 65;
NO 28 47 ON 41 46; NO 48 17 ON 22 35; ON 74 40 NO 72 50; NO 45 90 ON 76 70; NO 73 35 ON 38 50;
ON 45 45>0 NO 73 25; ON 30 52 NO 33 50; ON 58 24 NO 58 24; NO 49 34 ON 58 40; ON 51 40 NO 60 26;
ON 35 29 NO 21 50; NO 59 62 ON 35 85; NO 47 58 ON 67 58; NO 77 55 ON 90 45; ON 33 67 NO 34 85;
NO 35 33 ON 34 43; NO 49 33 ON 33 49; NO 75 21 ON 53 48; ON 38 55 NO 33 51; NO 49 44 ON 36 54;
NO 68 42 ON 46 57; ON 61 44 NO 60 40; ON 31 65 NO 37 46; ON 36 81 NO 79 59; NO 36 33 ON 30 44;
ON 26 74 NO 27 44; NO 71 41 ON 72 69; NO 7 6 ON 7 6; NO 51 59 ON 66 39; ON 57 48 NO 48 45;
NO 41 28 ON 56 7; NO 72 46 ON 51 46; ON 68 55 NO 70 57; ON 19 50 NO 19 48; ON 63 46 NO 31 76;
ON 42 39 NO 50 37; NO 68 18 ON 63 19; NO 41 69 ON 29 68; ON 60 59 NO 71 51; NO 46 40 ON 35 47;
NO 55 77 ON 54 58; ON 28 62 NO 28 62; ON 42 49 NO 56 43; NO 61 37 ON 55 38; ON 48 71 NO 41 76;
ON 41 48 NO 51 24; ON 87 58 NO 66 50; NO 59 51 ON 32 77; NO 36 45 ON 45 35; ON 44 79 NO 71 63;
ON 72 54 NO 55 71; NO 41 42 ON 49 37; NO 49 84 ON 42 91; ON 32 67 NO 27 63; ON 58 66 NO 65 49;
ON 47 73 NO 55 57; NO 42 32 ON 65 35; NO 56 49 ON 43 58; ON 46 42 NO 43 61; NO 61 39 ON 29 69;
NO 56 84 ON 65 73; NO 59 50 ON 39 62; ON 49 45 NO 43 31; NO 33 62 ON 41 57; ON 55 74 NO 67 69;
NO 45 27 ON 28 50; NO 33 63 ON 38 75; NO 69 23 ON 44 24; NO 29 35 ON 25 33; NO 37 71 ON 39 65;
ON 33 37 NO 37 18; ON 87 45 NO 68 45; NO 78 40 ON 79 35; ON 79 52 NO 100 33; ON 33 61 NO 28 36;
NO 61 32 ON 39 65; NO 51 39 ON 45 21; ON 48 30 NO 46 25; NO 60 37 ON 32 54; ON 25 48 NO 31 42;
ON 40 59 NO 40 59; NO 30 38 ON 12 51; ON 58 41 NO 62 56; NO 76 60 ON 25 87; NO 40 75 ON 56 81;
NO 40 58 ON 58 40; ON 37 59 NO 53 56; ON 62 57 NO 44 39; ON 59 57 NO 45 54; ON 42 57 NO 72 45;
ON 34 60 NO 34 64; ON 53 56 NO 51 47; NO 58 49 ON 58 49; NO 44 59 ON 48 59; NO 37 69 ON 27 79
"""

TWO_HEART: Final = """
NO 39 50 ON 64 52; NO 32 50 ON 51 37; NO 48 69 ON 49 72; ON 32 66 NO 71 38; NO 43 60 ON 38 61;
ON 51 64 NO 72 52; ON 60 58 NO 70 39; ON 16 39 NO 28 46; ON 84 52 NO 87 42; NO 51 59 ON 26 68;
NO 44 51 ON 40 46; NO 61 41 ON 52 54; ON 22 21 NO 12 36; NO 69 59 ON 65 57; NO 8 50 ON 10 33;
NO 106 25 ON 87 52; NO 40 58 ON 36 63; ON 58 40 NO 51 50; NO 36 66 ON 41 72; NO 59 39 ON 46 60;
NO 48 19 ON 54 20; ON 40 55 NO 33 50; ON 77 45 NO 76 46; NO 55 32 ON 52 36; NO 83 47 ON 77 32;
ON 51 57 NO 83 24; NO 52 27 ON 32 48; ON 35 46 NO 37 45; NO 49 22 ON 36 38; ON 33 27 NO 32 19;
NO 53 78 ON 67 58; ON 52 13 NO 22 20; ON 69 40 NO 68 29; NO 43 14 ON 40 17; ON 40 58 NO 76 53;
ON 43 92 NO 50 73; NO 73 43 ON 61 73
"""

TWO_KRAK: Final = """
ON 10 0 NO 4 0; NO 0 2 ON 10 0; NO 0 10 ON 3 0; NO 0 8 ON 0 3; NO 3 5 ON 0 17; ON 0 10 NO 0 16;
ON 9 0 NO 11 0; ON 0 3 NO 11 0; NO 0 11 ON 0 4; ON 16 0 NO 11 0; NO 0 12 ON 6 0; NO 9 0 ON 0 1;
NO 0 17 ON 0 6; NO 0 15 ON 2 3; ON 13 0 NO 0 2; ON 2 0 NO 0 3; ON 0 1 NO 1 0; ON 2 0 NO 0 3;
ON 0 5 NO 1 0; NO 0 11 ON 2 0; NO 6 0 ON 1 1; NO 0 10 ON 17 0; ON 1 0 NO 1 2; ON 4 0 NO 0 5;
ON 0 7 NO 3 0; NO 0 4 ON 3 0; NO 6 0 ON 5 0; ON 4 0 NO 0 13; ON 8 0 NO 0 1; ON 0 3 NO 0 11;
NO 0 3 ON 5 0; NO 0 10 ON 7 0; NO 6 0 ON 4 0; ON 3 0 NO 0 13; ON 10 0 NO 0 12; NO 11 0 ON 13 0;
ON 3 0 NO 0 4
"""

PERFECT_HEART: Final = """
ON 31 91 NO 85 23; NO 61 20 ON 24 65; NO 81 40 ON 34 97; ON 28 60 NO 84 25; ON 30 65 NO 85 27;
ON 13 89 NO 85 28; NO 62 19 ON 6 80; ON 24 96 NO 84 16; ON 29 44 NO 51 16; ON 34 97 NO 108 31;
NO 66 6 ON 14 65; NO 88 16 ON 46 61; ON 7 81 NO 88 20; NO 105 8 ON 34 83; ON 21 94 NO 85 28;
NO 96 9 ON 10 105; NO 90 8 ON 14 92; ON 8 95 NO 96 8; NO 52 35 ON 5 77; NO 64 15 ON 10 68
"""

PERFECT_KRAK: Final = """
NOON 7 4 4 0 ONNO 9 5 0 9; ONON 10 0 12 3 NONO 0 7 1 5; NOON 0 12 2 2 ONNO 5 0 4 10;
ONNO 7 9 0 6 NOON 1 8 8 0; NNOO 3 2 14 0 OONN 3 15 0 6; ONNO 6 1 0 15 NOON 0 8 2 6;
NNOO 0 7 9 1 OONN 6 1 0 6; NONO 1 7 0 9 ONON 4 0 18 2; ONON 10 4 8 0 NONO 4 13 0 7;
OONN 9 9 0 6 NNOO 6 3 9 0; NOON 3 4 10 0 ONNO 7 0 6 6; NOON 6 2 3 0 ONNO 4 0 1 2;
NOON 2 14 3 0 ONNO 13 0 4 3; ONNO 12 0 4 1 NOON 1 9 8 0; NNOO 2 1 0 5 OONN 8 12 2 0;
NONO 2 13 0 7 ONON 11 0 5 2; NOON 5 4 4 0 ONNO 1 2 0 2; NNOO 2 0 9 3 OONN 1 10 0 3;
NNOO 1 4 0 5 OONN 2 0 2 2; NNOO 1 0 4 6 OONN 7 8 7 0
"""

THREE: Final = """
NOO 0 8 4 ONN 2 0 12; NOO 0 9 1 ONN 4 0 1; NOO 0 6 13 ONN 3 0 2; ONO 2 1 0 NON 5 4 0;
OON 1 0 2 NNO 4 0 6; ONO 11 5 0 NON 7 0 2; OON 0 6 2 NNO 2 10 0; ONO 1 0 8 NON 0 9 4;
ONO 0 5 11 NON 0 5 5; OON 3 7 0 NNO 5 1 0; OON 11 0 5 NNO 5 0 1; NOO 3 0 8 ONN 4 0 2;
NOO 0 10 7 ONN 1 2 0; OON 0 1 6 NNO 0 10 11; NOO 3 8 0 ONN 14 10 0; ONO 15 1 0 NON 9 5 0;
OON 7 4 0 NNO 0 10 3; ONO 0 2 3 NON 3 11 0; ONO 7 0 4 NON 3 2 0; NOO 0 10 9 ONN 13 4 0;
ONO 4 0 4 NON 4 0 3; ONO 7 0 9 NON 1 4 0; NOO 5 9 0 ONN 9 0 4; OON 13 0 10 NNO 1 0 5;
NOO 1 0 6 ONN 0 8 4; NOO 0 7 18 ONN 7 0 6; NOO 0 10 7 ONN 4 0 3; NOO 0 2 3 ONN 4 0 8;
ONO 1 0 4 NON 0 10 7; ONO 9 2 0 NON 0 8 7; ONO 0 9 7 NON 0 8 8; OON 2 0 1 NNO 1 0 3;
ONO 5 0 10 NON 10 6 0
"""

SOLO: Final = """
N 20 O 20; N 5 O 10; N 5 O 7; N 5 O 17; N 9 O 24; N 18 O 18; N 11 O 12; N 0 O 5; N 19 O 18;
N 3 O 2; N 8 O 10; N 9 O 21; N 14 O 19; N 3 O 17; N 17 O 16; N 5 O 11; N 10 O 17; N 12 O 13;
N 1 O 15; N 5 O 20; N 4 O 10; N 7 O 14; N 15 O 19; N 24 O 24; N 21 O 12; N 7 O 12; N 0 O 5;
N 2 O 18; N 19 O 24; N 8 O 15; N 22 O 20; N 5 O 14; N 7 O 9; N 19 O 7; N 5 O 13; N 5 O 8;
N 14 O 16; N 7 O 13; N 16 O 16; N 8 O 2; N 21 O 17; N 14 O 16; N 15 O 12; N 12 O 11; N 7 O 16;
N 10 O 24; N 15 O 21; N 12 O 14; N 6 O 25; N 15 O 13; N 11 O 15; N 14 O 22; N 10 O 12; N 13 O 26;
N 14 O 7; N 15 O 19; N 7 O 16; N 25 O 15; N 11 O 17; N 23 O 17; N 9 O 28
"""


class Discipline(NamedTuple):
    """A discipline of a match with its games."""

    table: MatchDiscipline
    games: str

    def blocks(self) -> list[list[GameResult]]:
        """Return the games by block."""
        return [
            [self._game(*each) for each in _GAME.findall(block)] for block in self.games.split(";")
        ]

    def _game(self, sides: str, numbers: str, winner: str) -> GameResult:
        scores = [int(score) for score in numbers.split()]
        ranked = [-score if self.table.less_is_better else score for score in scores]
        if winner:
            ranked[int(winner)] += 1
        places = [1 + sum(other > own for other in ranked) for own in ranked]
        return made([NEW if side == "N" else OLD for side in sides], places, scores)


_GAME: Final = re.compile(r"([NO]+)((?: -?\d+)+)(?:>(\d))?")


class PlayedMatch(NamedTuple):
    """A match with the outcome that ``arena compare`` printed."""

    verdict: str
    llr: float
    blocks: int
    disciplines: tuple[Discipline, ...]
    test: Criteria = TEST

    def match(self) -> Match:
        """Judge the games."""
        found = Match(NEW, OLD, [each.table for each in self.disciplines], self.test)
        for deal in zip(*(each.blocks() for each in self.disciplines), strict=True):
            for discipline, block in zip(self.disciplines, deal, strict=True):
                found.add(discipline.table.discipline, block)
        return found


def _discipline(game: str, seats: int, games: str) -> Discipline:
    measure = Measure.PLACES if seats > 1 else Measure.MARGIN
    table = MatchDiscipline(f"{game}-{seats}", seats, "", measure, 2, game == "dragonkrak", 50)
    return Discipline(table, games)


_LIMITED: Final = Criteria(
    "gain", Scale.NORMALIZED, 0.0, 40.0, 0.05, 0.05, 200, 0.01, 10, may_be_alike=False
)
PLAYED: Final = {
    "early pass": PlayedMatch(
        "pass", 3.0512080186427513, 21, (_discipline("dragonheart", 2, WHITEWASH),)
    ),
    "pass": PlayedMatch("pass", 3.078372796943491, 24, (_discipline("dragonheart", 2, CLEAR),)),
    "no verdict": PlayedMatch(
        "inconclusive",
        2.181162638706878,
        100,
        (_discipline("dragonheart", 2, UNDECIDED),),
        _LIMITED,
    ),
    "two disciplines": PlayedMatch(
        "pass",
        2.9981053819292667,
        74,
        (_discipline("dragonheart", 2, TWO_HEART), _discipline("dragonkrak", 2, TWO_KRAK)),
    ),
    "a perfect score beside four seats": PlayedMatch(
        "pass",
        5.310948506309659,
        40,
        (_discipline("dragonheart", 2, PERFECT_HEART), _discipline("dragonkrak", 4, PERFECT_KRAK)),
    ),
    "three seats": PlayedMatch("pass", 2.9989827995803, 33, (_discipline("dragonkrak", 3, THREE),)),
    "solo": PlayedMatch("pass", 2.949063104683581, 61, (_discipline("dragonkrak", 1, SOLO),)),
}
