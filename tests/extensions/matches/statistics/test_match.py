"""The numbers of a match and its decision, from made games."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations_with_replacement
from math import log10, sqrt
from typing import Any

import msgspec
import numpy as np
import pytest

from arena.extensions.matches.statistics.blocks import MatchDiscipline, game_margin, game_score
from arena.extensions.matches.statistics.match import Match
from arena.extensions.matches.statistics.numbers import (
    elo_range,
    mean_range,
    nelo_range,
    superiority_of,
)
from arena.extensions.matches.statistics.report import Criteria, Measure, Scale, Verdict
from arena.values.results import Fault, FaultKind, GameResult, GameSpec, Termination

NEW, OLD = "new", "old"
TEST = Criteria("gain", Scale.NORMALIZED, 0.0, 40.0, 0.05, 0.05, 10_000, 0.01, 10, False)
TWO = MatchDiscipline("d-2", 2, "1 v 1", Measure.PLACES, 2, False, 0)
FOUR = MatchDiscipline("d-4", 4, "2 v 2", Measure.PLACES, 2, False, 0)
OTHER = msgspec.structs.replace(TWO, discipline="e-2")
ALONE = MatchDiscipline("d-1", 1, "alone", Measure.MARGIN, 2, True, 48)


def made(
    entrants: Sequence[str],
    places: Sequence[int],
    scores: Sequence[int] | None = None,
    faulty: Sequence[int] = (),
    termination: Termination = Termination.COMPLETED,
    plies: int = 9,
) -> GameResult:
    faults = tuple(Fault(seat, FaultKind.CRASH, 0, "") for seat in faulty)
    spec = GameSpec(f"d-{len(entrants)}/x:0:0", "x", "x", 0, tuple(entrants))
    scored = None if scores is None else tuple(scores)
    return GameResult(spec, termination, tuple(places), plies, "", scored, faults)


PLACES = {"W": (1, 2), "D": (1, 1), "L": (2, 1)}


def pair(
    text: str, one: str = NEW, other: str = OLD, faulty: Sequence[int] = ()
) -> list[GameResult]:
    """``WL``: ``one`` won on seat 0 and lost on seat 1. ``faulty``: seats of the first game."""
    first, second = text
    return [
        made((one, other), PLACES[first], faulty=faulty),
        made((other, one), PLACES[second][::-1], faulty=[1 - seat for seat in faulty]),
    ]


def played(blocks: Sequence[str], test: Criteria = TEST, table: MatchDiscipline = TWO) -> Match:
    match = Match(NEW, OLD, [table], test)
    for block in blocks:
        match.add(table.discipline, pair(block))
    return match


def changed(**changes: Any) -> Criteria:
    return msgspec.structs.replace(TEST, **changes)


def verdict(match: Match) -> Verdict:
    assert match.decision is not None
    return match.decision.verdict


def drawn(shares: Sequence[float], blocks: int, seed: int) -> list[str]:
    values = ("LL", "LD", "DD", "WD", "WW")
    picks = np.random.default_rng(seed).choice(5, size=blocks, p=shares)
    return [values[k] for k in picks]


def test_elo_with_the_interval_of_wilson() -> None:
    counts = {0.0: 20, 0.25: 60, 0.5: 100, 0.75: 80, 1.0: 30}
    total = sum(counts.values())
    mean = sum(value * count for value, count in counts.items()) / total
    variance = sum(count * (value - mean) ** 2 for value, count in counts.items()) / total
    elo = elo_range(counts)
    assert elo.value == pytest.approx(-400 * log10(1 / mean - 1))
    assert elo.low is not None
    low = 1 / (1 + 10 ** (-elo.low / 400))
    z = (mean - low) / sqrt(variance / (total - 1) * low * (1 - low) / (mean * (1 - mean)))
    assert z == pytest.approx(1.959963984540054)


def test_histogram_and_record() -> None:
    [game] = played(["WW", "WL", "LW", "DD", "LL", "WD"]).reports()
    assert game.histogram == ((0.0, 1), (0.25, 0), (0.5, 3), (0.75, 1), (1.0, 1))
    assert (game.wins, game.draws, game.losses) == (5, 3, 4)
    assert (game.blocks, game.games, game.unscored) == (6, 12, 0)


def test_perfect_scores_are_bounds() -> None:
    won = elo_range({1.0: 20})
    assert (won.value, won.high) == (None, None)
    assert won.low == pytest.approx(-400 * log10(1 / 0.025 ** (1 / 20) - 1))
    lost = elo_range({0.0: 20})
    assert (lost.value, lost.low, lost.high) == (None, None, -won.low)
    assert superiority_of({1.0: 9}, Measure.PLACES) == 1 - 0.5**10
    assert nelo_range({1.0: 20}, 2, Measure.PLACES).value is None
    assert (mean_range({0.75: 1}).low, mean_range({}).value) == (None, None)


def test_a_better_score_has_no_lower_limit() -> None:
    for blocks in (2, 3, 12, 20, 99, 400):
        for spoilt in (0.75, 0.5, 0.25, 0.0):  # from blocks that are all alike up to perfect
            lows = []
            for worse in reversed(range(blocks)):
                counts = {spoilt: float(worse), 1.0: float(blocks - worse)}
                found = elo_range({value: count for value, count in counts.items() if count})
                other = elo_range({1 - value: count for value, count in counts.items() if count})
                assert other.high == pytest.approx(-found.low)
                lows.append(found.low)
            assert lows[-4:] == sorted(lows[-4:])
            assert max(lows) == lows[-1]
    for counts in combinations_with_replacement((0.0, 0.25, 0.5, 0.75, 1.0), 9):
        low = elo_range(Counter(counts)).low
        assert low is None or low <= elo_range({1.0: 9}).low


VERDICTS = {
    "whitewash": (["WW"], {}, Verdict.PASS, 20),
    "whitewash lost": (["LL"], {}, Verdict.FAIL, 20),
    "limit": (["WL", "LW", "WW", "LL"], {"max_games": 100}, Verdict.INCONCLUSIVE, 50),
    # an odd limit, of which whole blocks are played, and one at which not every block is looked at
    **{
        f"limit of {games}": (
            ["WL", "LW", "WW", "LL"], {"max_games": games, "elo1": 4.0}, Verdict.INCONCLUSIVE,
            games // 2,
        )
        for games in (41, 43, 1001, 2002)
    },
    "alike": (["WL"], {}, Verdict.INVALID, 50),
    "alike, no regression": (["WL"], {"elo0": -40.0, "elo1": 0.0}, Verdict.INVALID, 50),
    "may be alike": (["WL"], {"may_be_alike": True}, Verdict.FAIL, None),
    "may be alike, no regression": (
        ["WL"], {"may_be_alike": True, "elo0": -40.0, "elo1": 0.0}, Verdict.PASS, None,
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("course", "changes", "expected", "blocks"), VERDICTS.values(), ids=VERDICTS
)
def test_verdicts(course, changes, expected, blocks) -> None:
    """Nothing counts after the verdict, and the report has the ratio of all blocks."""
    match = played((course * 1000)[:1100], changed(**changes))
    assert verdict(match) is expected
    [game] = match.reports()
    assert match.games == 2 * match.blocks == 2 * game.blocks
    assert match.llr == game.llr
    if blocks is not None:
        assert match.blocks == blocks
    assert match.decision is not None
    assert ("play alike" in match.decision.reason) is (expected is Verdict.INVALID)
    before = match.reports()
    match.add(TWO.discipline, pair("DD"))
    assert match.reports() == before


def forfeits(faulty: int) -> list[GameResult]:
    """One game lost by a fault of the contestant that sits there."""
    places = (2, 1) if faulty == 0 else (1, 2)
    lost = made((NEW, OLD), places, faulty=[faulty], termination=Termination.FORFEITED)
    return [lost, made((OLD, NEW), (2, 1))]


@pytest.mark.parametrize("faulty", [0, 1])
def test_faults_of_either_make_it_invalid(faulty: int) -> None:
    match, name = Match(NEW, OLD, [TWO], TEST), (NEW, OLD)[faulty]
    for _ in range(60):
        match.add("d-2", forfeits(faulty))
    assert match.decision is not None
    assert match.decision.verdict is Verdict.INVALID
    assert name in match.decision.reason
    assert match.blocks == 10  # ten faults are enough
    assert match.side(name).faults == {"crash": 10}


def margins(number: int) -> list[GameResult]:
    margin = 3 * (number % 3)
    return [made((NEW, OLD), (1, 2), (margin, 0)), made((OLD, NEW), (1, 2), (1, margin))]


FAULTY = {
    "in a short match": ([forfeits(1), *map(pair, ["WW"] * 60)], 40.0, TWO, Verdict.INVALID),
    "in a long match": (
        [forfeits(1), *map(pair, drawn((0.02, 0.1, 0.3, 0.38, 0.2), 400, 1))],
        5.0,
        TWO,
        Verdict.PASS,
    ),
    # a game with a fault has no margin: who crashes before a high loss would be spared it
    "among margins": (
        [forfeits(0) if number == 5 else margins(number) for number in range(2000)],
        40.0,
        msgspec.structs.replace(TWO, measure=Measure.MARGIN),
        Verdict.INVALID,
    ),
    "games without a move": (
        [[msgspec.structs.replace(each, plies=0) for each in pair("WW")]] * 60,
        40.0,
        TWO,
        Verdict.INVALID,
    ),
}


@pytest.mark.parametrize(("blocks", "elo1", "table", "expected"), FAULTY.values(), ids=FAULTY)
def test_faults_make_a_short_verdict_or_one_by_margins_invalid(
    blocks: list[list[GameResult]], elo1: float, table: MatchDiscipline, expected: Verdict
) -> None:
    match = Match(NEW, OLD, [table], changed(elo1=elo1))
    for block in blocks:
        match.add(table.discipline, block)
    assert verdict(match) is expected


FORFEITED = Termination.FORFEITED


@pytest.mark.parametrize(
    ("result", "score"),
    [
        (made((NEW, OLD, OLD, NEW), (1, 2, 2, 4)), 0.5),  # above both, below both
        (made((NEW, OLD, OLD, NEW), (1, 2, 2, 2)), 0.75),
        # a stopped table compares the faulty seat alone
        (made((NEW, OLD, OLD, NEW), (1, 4, 1, 1), faulty=[1], termination=FORFEITED), 1.0),
        (made((NEW, OLD), (2, 2), faulty=[0, 1], termination=FORFEITED), None),
    ],
)
def test_score_of_a_game(result: GameResult, score: float | None) -> None:
    assert game_score(result, NEW) == score


def test_margin_of_a_table_of_four() -> None:
    result = made((NEW, OLD, OLD, NEW), (1, 2, 2, 4), (50, 40, 40, 10))
    assert game_margin(result, NEW, FOUR) == -10


def test_a_block_without_a_score_counts_for_nothing_but_its_faults() -> None:
    match = Match(NEW, OLD, [TWO], TEST)
    both = made((NEW, OLD), (2, 2), faulty=[0, 1], termination=Termination.FORFEITED)
    match.add("d-2", [both, pair("WW")[1]])
    [game] = match.reports()
    assert (game.blocks, game.unscored, game.mean.value) == (0, 1, None)
    assert match.side(NEW).faults == {"crash": 1}


def solo_block(new: int | None, old: int | None) -> list[GameResult]:
    return [
        made((name,), (1,), None if score is None else (score,))
        for name, score in ((OLD, old), (NEW, new))
    ]


def test_alone_margins_count_and_a_forfeit_is_the_worst() -> None:
    match = Match(NEW, OLD, [ALONE], TEST)
    for new, old in ((10, 20), (15, 15), (None, 40), (30, 20)):
        match.add("d-1", solo_block(new, old))
    [game] = match.reports()
    assert dict(game.histogram) == {-10.0: 1, -8.0: 1, 0.0: 1, 10.0: 1}
    assert (game.wins, game.draws, game.losses) == (1, 1, 2)
    assert game.elo.value is None
    assert game.mean.value == pytest.approx(-2)


def test_several_games_add_up_and_each_needs_its_blocks() -> None:
    match = Match(NEW, OLD, [TWO, OTHER], TEST)
    for number in range(200):
        match.add("d-2", pair("WW"))
        match.add("e-2", pair("WW" if number % 2 else "WL"))
    assert (verdict(match), match.blocks) == (Verdict.PASS, 40)
    assert match.llr == pytest.approx(sum(game.llr for game in match.reports()))


def test_two_games_alike_take_as_long_as_one() -> None:
    """The blocks of either bring the verdict nearer."""
    one, two = Match(NEW, OLD, [TWO], TEST), Match(NEW, OLD, [TWO, OTHER], TEST)
    for block in drawn((0.1, 0.2, 0.3, 0.25, 0.15), 40, 12):
        for name in ("d-2", "e-2"):
            one.add("d-2", pair(block))
            two.add(name, pair(block))
    expected = one.games_left()
    assert expected is not None
    assert two.games_left() == pytest.approx(expected, rel=0.02)


@pytest.mark.parametrize("elo1", [1.0, 1e-3, 1e-100, 1e-200, 5e-324])
@pytest.mark.parametrize("blocks", [["WW", "WD"], ["LL", "LD"], ["WW", "LL"], ["WW", "WW"]])
def test_games_left_are_known_however_close_the_bounds(elo1: float, blocks: list[str]) -> None:
    match = played(10 * blocks, changed(elo1=elo1))
    assert match.games_left() in (None, *range(match.test.max_games + 1))
    assert match.decision is None


def test_games_left_without_chance_are_those_of_the_drift() -> None:
    """Where Wald's formulas hand over to the bare drift the number is the same."""
    near = [
        played(10 * ["WW", "WD"], changed(elo1=elo1)).games_left() for elo1 in (6.0, 5.0, 4.0, 3.0)
    ]
    scaled = [left and left * elo1 for left, elo1 in zip(near, (6.0, 5.0, 4.0, 3.0), strict=True)]
    assert scaled == [pytest.approx(scaled[0], rel=0.1)] * 4


def test_games_left_shrink_and_end() -> None:
    match = Match(NEW, OLD, [TWO], TEST)
    seen = [match.games_left()]
    for block in drawn((0.05, 0.15, 0.3, 0.3, 0.2), 400, 3):
        match.add("d-2", pair(block))
        seen.append(match.games_left())
    assert match.decision is not None
    assert (seen[0], seen[-1]) == (None, None)
    early = [left for left in seen[21:] if left is not None]
    assert early[-1] < early[0]


def passes(test: Criteria, shares: Sequence[float], runs: int, seed: int) -> int:
    """How many of so many matches pass. All come to a decision, after which none is played on."""
    verdicts = []
    for run in range(runs):
        match = Match(NEW, OLD, [TWO], test)
        blocks = iter(drawn(shares, test.max_games // 2, seed * 1000 + run))
        while match.decision is None:
            match.add(TWO.discipline, pair(next(blocks)))
        verdicts.append(match.decision.verdict)
    return verdicts.count(Verdict.PASS)


@pytest.mark.soak
def test_equal_bots_pass_no_more_often_than_alpha_says() -> None:
    """100 matches of equals; 0.05 +- three standard errors."""
    equal = (0.15, 0.2, 0.3, 0.2, 0.15)
    assert passes(TEST, equal, 100, 1) <= 11
    assert passes(changed(elo0=-40.0, elo1=0.0), equal, 100, 2) >= 89
