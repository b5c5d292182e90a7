"""The search on made-up versions, whose games are drawn: how often it is right, and how soon."""

from __future__ import annotations

from collections.abc import Callable
from math import exp, log, sqrt
from random import Random
from typing import Final, NamedTuple

import pytest

from arena.ratings.match.sprt import LEAST_BLOCKS, NELO
from arena.ratings.planning.bisection import FIRST_BOUND, FURTHER, Bisection, BisectionStep

pytestmark = pytest.mark.slow

BLOCK: Final = 2
TRIALS: Final = 300
SURE: Final = 0.95
SLACK: Final = 2 * sqrt(SURE * (1 - SURE) / TRIALS)
"""Of a share in so many trials."""


class Course(NamedTuple):
    """How a search went."""

    suspects: range
    chance: float
    blocks: int
    steps: list[BisectionStep]


def played(search: Bisection, rng: Random, strength: Callable[[int], float], loss: float) -> Course:
    """Play until it is sure. ``strength``: of a version, in nElo; ``loss``: looked for."""
    width = sqrt(BLOCK) * loss / NELO
    ratios: dict[int, tuple[float, int]] = {}
    steps = []
    while step := search.step():
        steps.append(step)
        ratio, blocks = ratios.get(step.version, (0.0, 0))
        drift = width * (sqrt(BLOCK) * strength(step.version) / NELO + width / 2)
        while blocks < LEAST_BLOCKS or abs(ratio) < step.bound:
            ratio += rng.gauss(drift, width)
            blocks += 1
        ratios[step.version] = ratio, blocks
        search.see(step.version, ratio)
    suspects, chance = search.suspects()
    return Course(suspects, chance, sum(blocks for _, blocks in ratios.values()), steps)


def trials(versions: int, loss: float, searched: float, before: float = 0.0) -> tuple[float, float]:
    """The share of right answers, and the mean number of games."""
    right = blocks = 0
    for seed in range(TRIALS):
        rng = Random(seed)
        first = rng.randint(1, versions)

        def strength(version: int, first: int = first) -> float:
            return -loss if version >= first else before

        course = played(Bisection(versions, sure=SURE), rng, strength, searched)
        assert course.chance >= SURE
        right += course.suspects == range(first, first + 1)
        blocks += course.blocks
    return right / TRIALS, blocks * BLOCK / TRIALS


@pytest.mark.parametrize(
    ("versions", "loss", "searched", "games"),
    [
        (2, 40, 40, 1000),
        (8, 40, 40, 2100),
        (64, 40, 40, 4000),
        (8, 80, 60, 750),
        (64, 80, 60, 1350),
        (64, 300, 120, 450),
    ],
)
def test_it_is_as_often_right_as_it_says(versions, loss, searched, games) -> None:
    right, mean_games = trials(versions, loss, searched)
    assert right >= SURE - SLACK
    assert mean_games < games


def test_versions_that_differ_a_little_do_not_mislead_it() -> None:
    right, _ = trials(16, 60, 60, before=-10)
    assert right >= 0.88


def test_it_takes_fewer_games_than_halving_with_sure_tests() -> None:
    """Wald: a test with bounds that leave each of six steps its share of the risk."""
    bound = log(6 / (1 - SURE) - 1)
    drift = (sqrt(BLOCK) * 60 / NELO) ** 2 / 2
    halving = 6 * BLOCK * bound * (1 - 2 / (1 + exp(bound))) / drift
    assert trials(64, 60, 60)[1] < 0.85 * halving


def test_the_first_step_halves_and_a_later_one_goes_further() -> None:
    search = Bisection(8, sure=SURE)
    assert search.posterior() == pytest.approx([1 / 8] * 8)
    assert search.step() == BisectionStep(4, FIRST_BOUND)
    search.see(4, -20)
    assert search.step() == BisectionStep(2, FIRST_BOUND)
    search.see(2, 20)
    assert search.step() == BisectionStep(3, FIRST_BOUND)
    search.see(3, -2.5)
    assert search.step() == BisectionStep(3, 2.5 + FURTHER)
    search.see(3, -5)
    assert search.step() is None
    assert search.suspects()[0] == range(3, 4)


def test_the_posterior_is_that_of_bayes() -> None:
    search = Bisection(3, sure=SURE)
    search.see(1, log(3))
    search.see(2, -log(2))
    # likelihoods of the loss at 1, 2, 3: 1, 3, 3/2
    assert search.posterior() == pytest.approx([2 / 11, 6 / 11, 3 / 11])
    search.see(2, log(2))
    assert search.posterior() == pytest.approx([1 / 10, 3 / 10, 6 / 10]), "not added, but anew"


def test_one_version_needs_no_games() -> None:
    search = Bisection(1, sure=SURE)
    assert search.step() is None
    assert search.suspects() == (range(1, 2), 1.0)


def test_versions_that_cannot_be_played_are_told_together() -> None:
    search = Bisection(6, sure=SURE)
    search.skip(3)
    search.skip(4)
    course = played(search, Random(1), lambda version: -80 if version >= 4 else 0, 80)
    assert course.suspects == range(3, 6), "2 is as good, 5 is worse"
    assert {step.version for step in course.steps}.isdisjoint({3, 4})
    for version in range(1, 6):
        search.skip(version)
    assert search.step() is None
    suspects, chance = search.suspects()
    assert suspects == range(1, 7)
    assert chance == pytest.approx(1)


def test_what_a_skipped_version_has_shown_is_forgotten() -> None:
    search = Bisection(4, sure=SURE)
    search.see(2, -3)
    search.skip(2)
    assert search.posterior() == pytest.approx([1 / 4] * 4)


def test_a_version_that_was_undone_brought_no_loss() -> None:
    search = Bisection(4, sure=SURE, excluded=[2, 3])
    assert search.posterior() == pytest.approx([1 / 2, 0, 0, 1 / 2])
    search.see(2, 50.0)
    assert search.suspects()[0] == range(4, 5)


def test_strong_evidence_overflows_nothing() -> None:
    search = Bisection(3, sure=SURE)
    search.see(1, 1e6)
    search.see(2, 1e6)
    assert search.posterior() == pytest.approx([0, 0, 1])
    search.see(1, -1e6)
    assert search.posterior() == pytest.approx([0.5, 0, 0.5]), "contradictions stay open"
    assert search.step() is not None
