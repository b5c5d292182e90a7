"""The correlation of the games of a block and its interval."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import partial
from math import sqrt

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.extensions.matches.statistics.blocks import Scores, Values, correlation
from arena.extensions.matches.statistics.match import NOTHING_NEW, Match
from arena.extensions.matches.statistics.numbers import Blocks, moments
from arena.extensions.matches.statistics.report import (
    Criteria,
    DisciplineReport,
    Distinct,
    Range,
    Verdict,
)
from arena.extensions.matches.statistics.sprt import GAIN, LEAST_BLOCKS
from arena.ratings.elo.scale import ELO
from arena.values.results import GameResult
from benchmarks.populations import of_strength, pairs
from benchmarks.repeats import Rule, covered, ends
from tests.extensions.matches.statistics.test_match import NEW, OLD, TWO, changed, pair
from tests.rows import some

FIRST, SECOND = (True, False), (False, True)


def blocks(luck: float, number: int, rng: np.random.Generator) -> Counter[Scores]:
    """Of equals; ``luck`` in Elo is the standard deviation of what a deal gives seat 0."""
    deal = rng.normal(0.0, luck, number) / ELO
    won = (rng.logistic(size=(2, number)) + np.array([deal, -deal]) > 0).astype(float)
    return Counter(((FIRST, one), (SECOND, two)) for one, two in won.T.tolist())


@pytest.mark.parametrize("number", [24, 100])
@pytest.mark.parametrize(("luck", "true"), [(0.0, 0.0), (400.0, -0.45)])
def test_the_interval_covers_the_truth(luck: float, true: float, number: int) -> None:
    """400 matches; 0.95 +- 4 standard errors."""
    rng = np.random.default_rng(1)
    found = [correlation(blocks(luck, number, rng)) for _ in range(400)]
    covered = [
        each.low is None or each.high is None or each.low <= true <= each.high for each in found
    ]
    assert 0.905 < np.mean(covered) < 0.995


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ({}, Range(None)),
        ({((FIRST, 1.0), (SECOND, 0.0)): 30}, Range(None)),
        ({((FIRST, 1.0), (SECOND, 0.0)): 1}, Range(None)),
        # the deal decides all
        ({((FIRST, 1.0), (SECOND, 0.0)): 15, ((FIRST, 0.0), (SECOND, 1.0)): 15}, Range(-1.0)),
    ],
)
def test_without_spread_there_is_no_interval(counts: dict[Scores, int], expected: Range) -> None:
    assert correlation(counts) == expected


ANY = changed(may_be_alike=True)
ENDLESS = changed(max_games=10**9, elo0=-400.0, elo1=400.0, alpha=1e-9, beta=1e-9)


def block(text: str, course: str = "") -> list[GameResult]:
    """``WL`` with moves that are named; without a name the game has chance in it."""
    return [
        msgspec.structs.replace(each, moves_digest=course and f"{course} {seating}")
        for seating, each in enumerate(pair(text))
    ]


def played(blocks: Iterable[list[GameResult]], test: Criteria = ANY) -> Match:
    match = Match(NEW, OLD, [TWO], test)
    for results in blocks:
        match.add(TWO.discipline, results)
    return match


@given(st.lists(st.integers(0, 7), min_size=1, max_size=60))
def test_the_effective_number_is_that_of_kish(courses: list[int]) -> None:
    """From its definition: the mean of all blocks as a weighted mean of one value for each course.

    The variance of the weighted mean is that of a value times the sum of squared shares, and its
    usual estimate from the effective blocks is without bias.
    """
    values, before = Values(), Counter[int]()
    for course in courses:
        values.add(float(course), before[course])
        before[course] += 1
    shares = [times / len(courses) for times in before.values()]
    assert values.effective == pytest.approx(1 / sum(share**2 for share in shares))
    assert 1 <= values.effective <= len(before) + 1e-9
    assert sum(values.weights.values()) == pytest.approx(values.effective)
    found = moments(values.weights)
    assert found is not None
    assert found.mean == pytest.approx(sum(courses) / len(courses))
    if len(before) == len(courses):
        assert values.weights is values.counts
        assert values.effective == len(courses)


def test_equal_blocks_are_those_with_the_same_bots_seats_and_moves() -> None:
    """In whatever order; a game of chance, or one whose moves are not known, is like no other."""
    blocks = Blocks(2)
    swapped = [
        msgspec.structs.replace(
            each, spec=msgspec.structs.replace(each.spec, entrants=each.spec.entrants[::-1])
        )
        for each in block("WL", "a")
    ]
    for results in (
        block("WL", "a"),
        block("WL", "a")[::-1],
        block("WL", "b"),
        [block("WL", "a")[0], block("WL", "c")[1]],
        block("WL"),
        block("WL"),
        [block("WL", "a")[0], block("WL")[1]],
        swapped,
    ):
        before = blocks.repeats.add(results)
        blocks.games += len(results)
        assert before == (1 if results == block("WL", "a")[::-1] else 0)
    assert blocks.repeats.distinct == 7
    assert blocks.repeats.games == 2 + 1 + 1
    assert blocks.repeats.since_new == 0


@pytest.mark.parametrize("order", [1, -1])
def test_every_block_twice_is_every_block_once(order: int) -> None:
    """Score, intervals, LOS and ratio; what people see of the blocks is all that was played."""
    texts = [("WW", "WL", "LL", "WD", "WL")[k % 5] for k in range(30)]
    once = [block(text, str(k)) for k, text in enumerate(texts)]
    twice = played([*once, *once[::order]], ENDLESS)
    [found], [expected] = twice.reports(), played(once, ENDLESS).reports()
    assert (found.los, found.llr) == pytest.approx((expected.los, expected.llr))
    for one, other in zip(_ranges(found), _ranges(expected), strict=True):
        assert msgspec.structs.astuple(one) == pytest.approx(msgspec.structs.astuple(other))
    assert expected.distinct is None
    assert found.distinct == Distinct(games=60, blocks=30, effective=30.0, since_new=30)
    assert (found.blocks, found.games, found.wins) == (60, 120, 2 * expected.wins)
    assert found.correlation.value is None


def _ranges(game: DisciplineReport) -> tuple[Range, ...]:
    return (game.mean, game.elo, game.nelo, game.margin, *game.seats_worth)


@pytest.mark.parametrize(
    ("courses", "verdict", "said"),
    [
        (1, Verdict.INVALID, "2 of 102 games are distinct"),
        (2, Verdict.INVALID, "so 52 blocks say as much as 2; a verdict takes 3 distinct blocks"),
        (3, Verdict.INCONCLUSIVE, "106 games were not enough to tell: 6 of them are distinct"),
        (19, Verdict.INCONCLUSIVE, "138 games were not enough to tell: 38 of them are distinct"),
        (20, Verdict.PASS, "the games speak for +40 rather than 0 nElo"),
    ],
)
def test_a_match_ends_once_it_only_repeats_itself(courses, verdict, said) -> None:
    """After as many blocks as brought nothing new, not at --max-games."""
    match = played(block("WW", str(k % courses)) for k in range(1000))
    assert match.decision is not None
    assert match.decision.verdict is verdict
    assert said in match.decision.reason
    most = LEAST_BLOCKS if verdict is Verdict.PASS else courses + NOTHING_NEW
    assert match.blocks == most


def test_bots_that_play_alike_are_told_so_first() -> None:
    match = played((block("WL", "a") for _ in range(100)), changed())
    assert match.decision is not None
    assert "play alike" in match.decision.reason


def test_too_few_games_to_repeat_are_not_called_repeated() -> None:
    match = played([block("WW", "a"), block("WW", "b")], changed(max_games=4))
    assert match.decision is not None
    assert match.decision.verdict is Verdict.INCONCLUSIVE


def test_a_discipline_that_repeats_itself_ends_a_match_of_several() -> None:
    other = msgspec.structs.replace(TWO, discipline="e-2")
    match = Match(NEW, OLD, [TWO, other], ANY)
    for k in range(1000):
        match.add(TWO.discipline, block("WW" if k % 3 else "WL"))
        match.add(other.discipline, block("WW", "a"))
    assert match.decision is not None
    assert match.decision.verdict is Verdict.INVALID
    assert match.decision.reason.startswith("2 of 102 games are distinct")
    assert match.blocks == 2 * (1 + NOTHING_NEW)


@pytest.mark.soak
@pytest.mark.slow
@pytest.mark.parametrize(
    "rule", some([Rule(30), Rule(300), Rule(0, 20.0), Rule(0, 200.0)], every=4), ids=str
)
def test_errors_keep_their_promise_where_blocks_repeat(rule: Rule) -> None:
    """As ``python -m benchmarks.statistics --only repeats`` with fewer matches.

    Bounds are 3.5 standard errors from 95 %.
    """
    matches = 300
    noise = 3.5 * sqrt(0.95 * 0.05 / matches)
    equal = of_strength(0.0, partial(pairs, luck=0.0))
    assert ends(equal, rule, GAIN, 40, 1, once=True).passes <= 0.10
    assert ends(equal, rule, GAIN, 40, 1, once=False).passes >= 0.10
    right = covered(equal, rule, 300, matches, 1, once=True)
    wrong = covered(equal, rule, 300, matches, 1, once=False)
    assert right.score == pytest.approx(0.95, abs=noise)
    assert right.nelo == pytest.approx(0.95, abs=noise)
    assert wrong.score < 0.95 - noise
