"""The correlation of the games of a block and its interval."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from arena.ratings.elo.scale import ELO
from arena.ratings.match.blocks import Scores, correlation

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


def test_it_is_the_intraclass_correlation_with_degrees_of_freedom() -> None:
    drawn = blocks(200.0, 60, np.random.default_rng(2))
    one, two = np.array([[a, b] for (_, a), (_, b) in drawn.elements()]).T
    ratio = np.var((one + two) / 2, ddof=1) / ((np.var(one, ddof=1) + np.var(two, ddof=1)) / 2)
    found = correlation(drawn)
    assert found.value == pytest.approx(2 * ratio - 1)
    assert None not in (found.low, found.high)


def test_many_lineups_do_not_look_like_correlation() -> None:
    """Six lineups in 24 blocks take a tenth of the spread of single games with them."""
    rng = np.random.default_rng(3)
    lineups = [tuple(map(bool, map(int, f"{code:04b}"))) for code in (3, 5, 6, 9, 10, 12)]
    values = []
    for _ in range(400):
        found: Counter[Scores] = Counter()
        for k, (one, two) in zip(
            rng.integers(6, size=24).tolist(), rng.random((24, 2)).tolist(), strict=True
        ):
            found[(lineups[k], one), (lineups[5 - k], two)] += 1
        values.append(correlation(found).value or 0.0)
    assert abs(np.mean(values)) < 0.03


def test_without_spread_there_is_nothing() -> None:
    assert correlation({}).value is None
    assert correlation({((FIRST, 1.0), (SECOND, 0.0)): 30}).value is None
    assert correlation({((FIRST, 1.0), (SECOND, 0.0)): 1}).value is None


def test_where_the_deal_decides_all_there_is_no_interval() -> None:
    luck: dict[Scores, int] = {((FIRST, 1.0), (SECOND, 0.0)): 15, ((FIRST, 0.0), (SECOND, 1.0)): 15}
    found = correlation(luck)
    assert (found.value, found.low, found.high) == (-1.0, None, None)
