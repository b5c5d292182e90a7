"""The best of several, on blocks of made bots."""

from __future__ import annotations

import numpy as np
import pytest

from arena.extensions.matches.statistics.report import Measure
from arena.extensions.matches.statistics.sprt import NELO
from arena.extensions.studies.family.encounters import Encounters, boundary
from arena.extensions.studies.family.selection import LEAST_BLOCKS, Selection
from benchmarks.families import by_strength, fixed_games, near_copies, selected
from tests.rows import some


def played(scores: dict[tuple[int, int], list[float]], bots: int) -> Encounters:
    found = Encounters(bots, 2, Measure.PLACES)
    for (one, other), values in scores.items():
        for value in values:
            found.add(one, other, value)
    return found


def rounds(selection: Selection, met: Encounters, values: np.ndarray) -> None:
    """``values`` by round, of every two bots in order, as long as both are alive."""
    bots = round((1 + np.sqrt(1 + 8 * values.shape[1])) / 2)
    one, other = np.triu_indices(bots, 1)
    for row in values:
        both = np.isin(one, selection.alive) & np.isin(other, selection.alive)
        met.add_many(one[both], other[both], row[both])
        selection.end_round()
        if selection.is_decided:
            return


def test_opponents_that_both_always_beat_tell_nothing_of_two() -> None:
    """And the exact likelihood is the parabola where that is good."""
    apart = {(0, 1): [0.5, 0.75] * 20}
    hopeless = {(k, j): [1.0] * 40 for k in (0, 1) for j in (2, 3)} | {(2, 3): [0.5] * 40}
    alone, among = played(apart, 2), played(apart | hopeless, 4)
    first, second = alone.fit(), among.fit()
    at_even = [
        met.evidence(fit, 0, 1, 0.0).information / fit.units[0, 1] ** 2 / fit.scale[0, 1]
        for met, fit in ((alone, first), (among, second))
    ]
    assert at_even[1] == pytest.approx(at_even[0], rel=0.15)


def test_who_loses_every_game_is_out_soon() -> None:
    met = Encounters(3, 2, Measure.PLACES)
    selection = Selection(3, [met], 40.0, 0.05)
    values = np.tile([1.0, 1.0, 0.5], (200, 1))
    rounds(selection, met, values)
    assert selection.alive == [0]
    assert selection.round <= 25
    assert selection.is_worse(0, 1)
    found = selection.behind(0, 2)
    assert (found.value or 0) < -300
    assert (found.high or 0) < 0


def test_nobody_is_out_before_there_are_enough_blocks() -> None:
    met = Encounters(2, 2, Measure.PLACES)
    selection = Selection(2, [met], 200.0, 0.4)
    rounds(selection, met, np.ones((LEAST_BLOCKS - 1, 1)))
    assert selection.alive == [0, 1]
    rounds(selection, met, np.ones((1, 1)))
    assert selection.alive == [0]


def test_it_ends_even_if_nobody_differs() -> None:
    met = Encounters(4, 2, Measure.PLACES)
    selection = Selection(4, [met], 40.0, 0.05)
    rounds(selection, met, np.tile([[0.25] * 6, [0.75] * 6], (400, 1)))
    assert selection.is_decided
    [chosen] = selection.alive
    assert not any(selection.is_worse(chosen, bot) for bot in range(4) if bot != chosen)


def test_margins_and_solo_deals_are_compared_too() -> None:
    rng = np.random.default_rng(4)
    for shared in (False, True):
        met = Encounters(3, 1, Measure.MARGIN, shared=shared)
        selection = Selection(3, [met], 40.0, 0.05)
        strengths = np.array([0.0, 30.0, 0.0]) + rng.normal(0, 20, (600, 3))
        values = np.column_stack(
            [strengths[:, a] - strengths[:, b] for a, b in ((0, 1), (0, 2), (1, 2))]
        )
        rounds(selection, met, values)
        assert selection.alive == [1]


def test_two_disciplines_count_together() -> None:
    even, uneven = (Encounters(2, 2, Measure.PLACES) for _ in range(2))
    selection = Selection(2, [even, uneven], 80.0, 0.05)
    for k in range(60):
        even.add(0, 1, (0.25, 0.75)[k % 2])
        uneven.add(0, 1, (0.25, 1.0)[k % 2])
        selection.end_round()
        if selection.is_decided:
            break
    assert selection.alive == [0]
    assert selection.round > LEAST_BLOCKS


@pytest.mark.parametrize(("gap", "alpha"), [(0, 0.05), (-3, 0.05), (999, 0.05), (40, 0.7), (40, 0)])
def test_what_cannot_be_looked_for_is_refused(gap: float, alpha: float) -> None:
    with pytest.raises(ValueError, match="expected"):
        Selection(3, [Encounters(3, 2, Measure.PLACES)], gap, alpha)


def test_a_walk_seldom_gets_above_the_boundary() -> None:
    rng = np.random.default_rng(2)
    place = rng.normal(size=(2000, 1500)).cumsum(axis=1)
    limits = np.array([boundary(float(time), 100.0, 0.05) for time in range(1, 1501)])
    assert (place > limits).any(axis=1).mean() < 0.05


def test_the_fixed_round_robin_of_two_is_a_test_of_a_mean() -> None:
    blocks = (1.6449 / (np.sqrt(2) * 40 / NELO)) ** 2
    assert fixed_games(2, 40.0) == pytest.approx(2 * blocks, rel=1e-3)


@pytest.mark.soak
@pytest.mark.slow
@pytest.mark.parametrize("bots", some([2, 5], every=2))
def test_the_best_is_found_in_half_the_games(bots: int) -> None:
    family = by_strength([80.0, *[0.0] * (bots - 1)], luck=200.0)
    found = selected(family, 80.0, 200, seed=2)
    assert found.right >= 0.95 - 2 * 0.0154
    assert found.games < 0.68 * fixed_games(bots, 80.0)


def test_blocks_that_are_repeated_say_what_they_say_once() -> None:
    """The strengths are those of all blocks, the evidence that of the different ones."""
    rng = np.random.default_rng(3)
    values = {pair: rng.choice([0.0, 0.5, 1.0], 30).tolist() for pair in ((0, 1), (0, 2), (1, 2))}
    once, often = played(values, 3), Encounters(3, 2, Measure.PLACES)
    for before in range(4):
        for (one, other), own in values.items():
            for value in own:
                often.add(one, other, value, before)
    assert (often.of(0), often.mean(0, 1)[0]) == (240, 120)
    assert often.blocks(np.ones(3, dtype=bool)) == pytest.approx(60)
    found, expected = often.fit(), once.fit()
    assert found.strengths == pytest.approx(expected.strengths)
    assert often.evidence(found, 0, 1, 0.1) == pytest.approx(once.evidence(expected, 0, 1, 0.1))


@pytest.mark.slow
@pytest.mark.soak
@pytest.mark.parametrize(("copies", "others", "even"), [(2, 2, 0.95), (4, 5, 0.9)])
def test_the_best_is_found_among_near_copies(copies: int, others: int, even: float) -> None:
    """With one variance for all pairs 85 and 86 % were right."""
    family = near_copies(copies, others, 40.0, even, of_best=True)
    found = selected(family, 40.0, 100, seed=3)
    assert found.right >= 0.95 - 2 * 0.022
