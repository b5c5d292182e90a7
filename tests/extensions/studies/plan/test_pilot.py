"""What games already played tell a plan."""

from __future__ import annotations

from math import sqrt

import msgspec
import pytest

from arena.extensions.matches.statistics.blocks import MatchDiscipline, game_score
from arena.extensions.matches.statistics.report import Measure
from arena.extensions.matches.statistics.sprt import NELO
from arena.extensions.studies.plan.lengths import PlanBasis, pilot
from arena.values.results import GameResult, Termination
from tests.ratings.made_games import DRAW, LOSS, WIN, game, solo


def pair(first: tuple[int, int], second: tuple[int, int], wall_us: int = 0) -> list[GameResult]:
    """Both seatings of a deal; results by seat."""
    games = [game(("a", "b"), first), game(("b", "a"), second)]
    return [msgspec.structs.replace(result, wall_us=wall_us) for result in games]


TWO = MatchDiscipline("d", 2, "1 v 1", Measure.PLACES, 2, less_is_better=False, worst_score=0)
ALONE = MatchDiscipline("s", 1, "alone", Measure.MARGIN, 2, less_is_better=True, worst_score=48)


def mean(found: PlanBasis) -> float:
    """The mean of a block, which strength and deviation give."""
    assert found.nelo is not None
    ahead = (found.nelo.value or 0) * (found.deviation.value or 0) / NELO
    return ahead + (0.5 if found.measure is Measure.PLACES else 0)


def of_pairs(*blocks: list[GameResult]) -> PlanBasis:
    found = pilot(blocks, "a", "b", TWO)
    assert found is not None
    return found


def test_numbers_of_pairs() -> None:
    won, lost, split, drawn = (
        pair(WIN, LOSS, 1000), pair(LOSS, WIN, 3000), pair(WIN, WIN, 1000), pair(WIN, DRAW, 1000)
    )  # fmt: skip
    found = of_pairs(won, lost, split, drawn)
    values = [1, 0, 0.5, 0.75]
    variance = sum((value - 0.5625) ** 2 for value in values) / 4
    assert (found.measure, found.blocks, found.block_games) == (Measure.PLACES, 4, 2)
    assert mean(found) == pytest.approx(0.5625)
    assert found.deviation.value == pytest.approx(sqrt(2 * variance))
    assert found.draws == 1 / 8
    assert found.seconds == pytest.approx(0.0015)
    mirrored = pilot([won, lost, split, drawn], "b", "a", TWO)
    assert mirrored is not None
    assert mean(mirrored) == pytest.approx(1 - 0.5625)
    assert mirrored.deviation.value == pytest.approx(found.deviation.value)
    assert mirrored.elo is not None
    assert found.elo is not None
    assert (mirrored.elo.value or 0) == pytest.approx(-(found.elo.value or 0))


def test_the_error_of_the_deviation_shrinks_with_the_root_of_the_blocks() -> None:
    blocks = [pair(WIN, LOSS), pair(LOSS, WIN), pair(WIN, WIN), pair(LOSS, LOSS)]
    few, many = of_pairs(*blocks * 5), of_pairs(*blocks * 45)
    assert few.deviation.value == many.deviation.value
    reaches = []
    for found in (few, many):
        low, high = found.deviation.low or 0, found.deviation.high or 0
        assert low * high == pytest.approx((found.deviation.value or 0) ** 2)
        reaches.append(high / low - 1)
    assert reaches[0] / reaches[1] == pytest.approx(3, rel=0.2)


def test_decided_by_the_deal_alone() -> None:
    blocks = [pair(WIN, WIN), pair(LOSS, LOSS)] * 5
    found = of_pairs(*blocks)
    assert found.deviation.value is None
    assert found.correlation.value == pytest.approx(-1)
    assert found.luck_ratio == pytest.approx(0)


def test_half_a_block_says_nothing() -> None:
    both = game(("b", "a"), (2, 2), faulty=(0, 1), termination=Termination.FORFEITED)
    found = of_pairs(pair(WIN, LOSS), pair(LOSS, WIN), [game(("a", "b"), WIN), both])
    assert (found.blocks, found.unscored) == (2, 1)
    assert pilot([[game(("a", "b"), WIN), both]], "a", "b", TWO) is None
    assert pilot([], "a", "b", TWO) is None


@pytest.mark.parametrize(
    ("entrants", "places", "faulty", "score"),
    [
        (("a", "c", "b", "d"), (2, 1, 3, 4), (), 1.0),
        (("b", "c", "a", "d"), (2, 1, 3, 4), (), 0.0),
        (("a", "b", "a", "b"), (1, 2, 3, 4), (), 0.75),
        (("a", "b", "b"), (1, 1, 3), (), 0.75),
        (("a", "c", "b"), (1, 3, 1), (1,), None),
        (("a", "c", "b"), (1, 1, 3), (2,), 1.0),
        (("a", "c", "d"), (1, 2, 3), (), None),
    ],
)
def test_only_the_seats_of_the_two_count(entrants, places, faulty, score) -> None:
    ended = Termination.FORFEITED if faulty else Termination.COMPLETED
    result = game(entrants, places, faulty=faulty, termination=ended)
    assert game_score(result, "a", "b") == score


def test_alone_margins_count_and_a_forfeit_the_worst_score() -> None:
    blocks = [
        [solo("a", "1", 5), solo("b", "1", 9)],
        [solo("b", "2", 4), solo("a", "2", 4)],
        [solo("a", "3", None), solo("b", "3", 8)],
    ]
    found = pilot(blocks, "a", "b", ALONE)
    assert found is not None
    assert found.measure is Measure.MARGIN
    assert mean(found) == pytest.approx((4 + 0 - 40) / 3)
    assert (found.block_games, found.elo, found.correlation.value) == (2, None, None)
    assert found.draws == pytest.approx(1 / 3)
    more = pilot(
        blocks, "a", "b", msgspec.structs.replace(ALONE, less_is_better=False, worst_score=0)
    )
    assert more is not None
    assert mean(more) == pytest.approx((-4 + 0 - 8) / 3)
