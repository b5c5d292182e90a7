"""What the page of a run counts: scores, progress, luck, times, and places on axes."""

from __future__ import annotations

import pytest

from arena.extensions.browser.page.counting.deals import (
    DisciplineCounter,
    RunningResult,
    Seen,
    dots,
    thinned,
)
from arena.extensions.browser.page.drawing import log_over, tick_text, ticks
from arena.extensions.browser.page.model import times_of
from arena.games.base import TableFacts
from arena.values.numbers import PlotScale, over
from tests.extensions.browser.page.pages import counter, place, result, round_robin

NAMES = ("anna", "berta")


def gathered(*games, names=NAMES, out=frozenset()):
    gather = counter(names, out)
    for k, game in enumerate(games):
        gather.add(*place(k, names), game)
    return gather.numbers()


def test_scores_are_counted_by_bot_and_forfeits_apart() -> None:
    found = gathered(result(NAMES, (7, 3), 0, 0), result(NAMES[::-1], None, 0, 1))
    assert found.scores == {"anna": {7: 1}, "berta": {3: 1}}
    assert found.forfeits == {"anna": 1, "berta": 1}


def test_progress_is_the_share_of_points_up_to_each_deal() -> None:
    games = [result(NAMES, (9, 1), 0, 0), result(NAMES[::-1], (1, 9), 0, 1)]
    games += [result(NAMES, (1, 9), 1, 0), result(NAMES[::-1], (9, 1), 1, 1)]
    found = gathered(*games)
    assert found.pace["anna"] == [RunningResult(1, 1.0), RunningResult(2, 0.5)]
    assert found.pace["berta"] == [RunningResult(1, 0.0), RunningResult(2, 0.5)]
    assert found.deals == 2


def test_games_of_withdrawn_bots_do_not_count() -> None:
    found = gathered(result(NAMES, (7, 3), 0, 0), out={"berta"})
    assert found.scores == {"anna": {}}
    assert found.pace == {"anna": []}


def test_nothing_depends_on_the_order_of_games() -> None:
    names = ("anna", "berta", "carla")
    games = list(enumerate(round_robin(names)))
    gathers = [counter(names), counter(names)]
    for gather, order in zip(gathers, (games, games[::-1]), strict=True):
        for k, game in order:
            gather.add(*place(k, names), game)
    assert gathers[0].numbers() == gathers[1].numbers()


def test_where_the_seat_decides_each_deal_the_correlation_is_minus_one() -> None:
    games = []
    for deal in range(12):
        first = (9, 1) if deal % 2 else (1, 9)
        games += [result(NAMES, first, deal, 0), result(NAMES[::-1], first, deal, 1)]
    [luck] = gathered(*games).luck
    assert (luck.name, luck.others, luck.blocks) == ("anna", ("berta",), 12)
    assert luck.found.value == pytest.approx(-1)


def test_solo_deals_are_dots_against_the_others() -> None:
    blocks = {
        deal: [Seen(f"g{deal}a", ("a",), (10 * deal,)), Seen(f"g{deal}b", ("b",), (10 * deal + 3,))]
        for deal in range(3)
    }
    found = dots(blocks, less_is_better=False)
    assert [(dot.name, dot.across, dot.up) for dot in found[:2]] == [
        ("a", -10, -10),
        ("b", -10, -10),
    ]
    flipped = dots(blocks, less_is_better=True)
    assert flipped[0].up == 10


def test_a_bot_that_sits_twice_is_no_dot() -> None:
    blocks = {0: [Seen("g0", ("a", "a", "b"), (1, 2, 3)), Seen("g1", ("a", "b", "a"), (1, 2, 3))]}
    assert {dot.name for dot in dots(blocks, less_is_better=False)} == {"b"}


@pytest.mark.parametrize(
    ("size", "most", "expected"),
    [(3, 5, [0, 1, 2]), (10, 4, [0, 3, 6, 9]), (10, 1, [0]), (0, 5, [])],
)
def test_thinning_keeps_both_ends(size: int, most: int, expected: list[int]) -> None:
    assert thinned(range(size), most) == expected


def test_quantiles_are_values_that_occurred() -> None:
    found = times_of("anna", [*range(1, 100), 5000])
    assert found is not None
    assert (found.moves, found.p50, found.p90, found.p99, found.longest) == (100, 50, 90, 99, 5000)
    assert sum(count for _, _, count in found.bins) == 100
    assert times_of("anna", []) is None


def test_places_on_a_scale_stay_within_it() -> None:
    scale = PlotScale(0, 10)
    assert scale.at(-99) == scale.at(0) < scale.at(5) == 50 < scale.at(10) == scale.at(99) <= 100
    logs = log_over([20, 3000])
    assert (logs.low, logs.high) == (10, 10_000)
    assert logs.at(316.2277) == pytest.approx(50)
    assert logs.at(0) == logs.at(10)


@pytest.mark.parametrize(
    ("scale", "expected"),
    [
        (PlotScale(0, 10), [0, 2, 4, 6, 8, 10]),
        (PlotScale(-1, 1), [-1, -0.5, 0, 0.5, 1]),
        (PlotScale(997, 1903), [1000, 1200, 1400, 1600, 1800]),
        (log_over([10, 10_000]), [10, 100, 1000, 10_000]),
    ],
)
def test_ticks_are_round(scale: PlotScale, expected: list[float]) -> None:
    assert ticks(scale) == pytest.approx(expected)


@pytest.mark.parametrize("values", [[], [5.0], [5.0, 5.0], [-1e9, 1e9], [1e-9, 2e-9]])
def test_any_values_have_a_scale(values: list[float]) -> None:
    scale = over(values)
    assert scale.high > scale.low
    assert all(0 <= scale.at(value) <= 100 for value in values)
    assert all(tick_text(tick) for tick in ticks(scale))


def test_solo_progress_is_the_mean_with_forfeits_as_the_worst() -> None:
    facts = TableFacts(title="krak", score="deserters", less_is_better=True, worst_score=60)
    gather = DisciplineCounter(["anna"], facts, 1)
    gather.add(0, 0, result(("anna",), (10,), 0, 0, "krak-1"))
    gather.add(1, 1, result(("anna",), None, 1, 0, "krak-1"))
    assert gather.numbers().pace["anna"] == [RunningResult(1, 10.0), RunningResult(2, 35.0)]
