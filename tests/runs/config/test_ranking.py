"""The section ``ranking``: which points, bonuses and tie-breaks are refused, and how it is kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.runs.config.tournament import load_tournament
from arena.runs.identity import differences, identity
from arena.schedule.keys import Bonus, Ranking, WinPoints
from arena.values.problems import ConfigError, either
from tests.tournament.folders import league, lines, write
from tests.values.refusals import bad

BOTS = ", ".join(
    f"{{command: python3 main.py, name: {name}, cwd: ../bots/greedy}}" for name in "abcd"
)
TOP = f"arena: 1\nentrants: [{BOTS}]\n"
WORDS = (
    "points direct_encounter buchholz buchholz_cut_1 sonneborn_berger wins won koya margin blocks "
    "direct PTS DE BH BH-C1 SB WIN WON KS"
)
POINTS = "a number from 0 to 1,000"
FALLING = "the most for the first, and never more after it"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(league(tmp_path))


def read(ranking: str) -> Ranking:
    text = f"{TOP}game: dragonheart\nranking: {ranking}\n"
    found = load_tournament(write(Path("cups/t.yaml"), text)).disciplines[0].ranking
    assert found
    return found


BAD = r"""
game: dragonheart
ranking: {order: [PTS, XX, direkt]}
-> :4:24: ranking.order[1]: found "XX", expected <WORDS>
-> :4:28: ranking.order[2]: found "direkt", expected <WORDS> (did you mean "direct"?)
game: dragonheart
ranking: {order: [DE, PTS]}
-> :4:19: ranking.order[0]: found "DE", expected "points" first
game: dragonheart
ranking: {order: [PTS, DE, direct]}
-> :4:28: ranking.order[2]: found "direct" a second time
game: dragonheart
ranking: {order: points}
-> :4:18: ranking.order: found "points", expected a list
game: dragonheart
ranking: {points: [3, 1]}
-> :4:19: ranking.points: found a list of 2 at tables of 2, expected {win: 3, draw: 1, loss: 0}
game: dragonheart
ranking: {points: many}
-> :4:19: ranking.points: found "many", expected {win: 3, draw: 1, loss: 0}, or a list of points
   by place
game: dragonheart
ranking: {points: {won: 3, draw: -1}}
-> :4:19: ranking.points.win: missing, expected <POINTS>
-> :4:20: ranking.points: unknown key "won" (did you mean "win"?)
-> :4:34: ranking.points.draw: found -1, expected <POINTS>
game: dragonheart
ranking: {points: {win: 1, draw: 3}}
-> :4:19: ranking.points: found 1, 3, 0, expected <FALLING>
game: dragonheart
ranking: {points: {win: 1.25, draw: 1}}
-> :4:19: ranking.points: found 1.25, 1, 0, expected points with at most one decimal
game: dragonheart
ranking: {bonus: 3}
-> :4:18: ranking.bonus: found 3, expected a mapping with the keys points, margin, within
game: dragonheart
ranking: {bonus: {points: 1}}
-> :4:18: ranking.bonus: found no bound, expected margin, within or both
game: dragonheart
ranking: {bonus: {points: 0, margin: 3}}
-> :4:27: ranking.bonus.points: found 0, expected more than 0, with at most one decimal
game: dragonheart
ranking: yes
-> :4:10: ranking: found "yes", expected a mapping with the keys points, bonus, order
game: {rules: dragonkrak, seats: 3}
ranking: {points: [3, 1]}
-> :4:19: ranking.points: found 2 places at tables of 3, expected 3
game: {rules: dragonkrak, seats: 3}
ranking: {points: {win: 3, draw: 1}}
-> :4:19: ranking.points: found win, draw and loss at tables of 3, expected a list of 3, one for
   each place
game: {rules: dragonkrak, seats: 3}
ranking: {points: [3, 3, 3]}
-> :4:19: ranking.points: found 3, 3, 3, expected <FALLING>
game: {rules: dragonkrak, seats: 1}
ranking: {}
-> :4:10: ranking: found dragonkrak-1, which has one seat, expected games of two seats or more
games: [dragonheart, {rules: dragonkrak, seats: 3}]
ranking: {}
-> :4:10: ranking: found tables of 2 and of 3, expected tables of one size, whose points can be
   added
game: {rules: dragonheart, by: margin}
ranking: {}
-> :4:10: ranking: found dragonheart-2, whose table goes by margin (a table by points goes by the
   places of games)
game: {rules: dragonkrak, seats: 4}
schedule: {kind: match}
ranking: {bonus: {margin: 3}}
-> :5:18: ranking.bonus: found margins in matches for more than two seats (a side of several seats
   has no margin)
"""


@bad(BAD, TOP, POINTS=POINTS, FALLING=FALLING, WORDS=either([f'"{w}"' for w in WORDS.split()]))
def test_what_is_refused(text: str, expected: list[str]) -> None:
    with pytest.raises(ConfigError) as caught:
        load_tournament(write(Path("cups/t.yaml"), text + "\n"))
    assert [line.removeprefix("cups/t.yaml") for line in lines(caught.value)] == expected


@pytest.mark.extensions("rounds")
def test_a_knockout_has_no_points() -> None:
    text = f"{TOP}game: dragonheart\nranking: {{}}\nschedule: {{kind: knockout}}\n"
    with pytest.raises(ConfigError, match="found ranking with the kind knockout, expected a kind"):
        load_tournament(write(Path("cups/t.yaml"), text))


def test_codes_and_names_of_one_order_are_one_run() -> None:
    found = read("{points: {win: 3, draw: 1}, bonus: {within: 7}, order: [PTS, DE, BH-C1]}")
    assert found == Ranking(
        points=WinPoints(win=3.0, draw=1.0, loss=0.0),
        bonus=Bonus(points=1.0, within=7),
        order=("points", "direct_encounter", "buchholz_cut_1"),
    )
    before = load_tournament(Path("cups/t.yaml"))
    named = "ranking.order=[points, direct, buchholz_cut_1]"
    after = load_tournament(Path("cups/t.yaml"), (named,))
    assert differences(identity(before), identity(after)) == []
    other = load_tournament(Path("cups/t.yaml"), ("ranking.points.win=2",))
    assert differences(identity(before), identity(other)) == [
        "games.dragonheart-2.ranking.points.win: the run has 3.0, asked for is 2.0"
    ]
