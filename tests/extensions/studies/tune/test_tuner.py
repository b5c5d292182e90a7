"""The search: what a fit says, which games it asks for, and what it finds."""

from __future__ import annotations

from math import log

import numpy as np
import pytest

from arena.extensions.studies.tune.surface import (
    Basis,
    CategoricalOption,
    Floats,
    Number,
    PointGames,
    Space,
    fitted,
)
from arena.extensions.studies.tune.tuner import PAIRS, StageSize, Tuner, games_of_block, stages
from benchmarks.tuning import made_bots, perturbed, searched
from tests.rows import some

TWO = Space([Number("a", 0, 1, is_whole=False), Number("b", 0, 1, is_whole=False)])


def test_with_many_games_strengths_are_what_the_scores_say() -> None:
    space = Space([Number("a", 1, 3, is_whole=True), CategoricalOption("b", ("x", "y", "z"))])
    rng = np.random.default_rng(1)
    points = np.array([[a, b] for a in (-1.0, 0.0, 1.0) for b in (0.0, 1.0, 2.0)])
    truth = rng.normal(size=len(points)) / 2
    first, second = np.triu_indices(len(points), 1)
    scores = 1 / (1 + np.exp(truth[second] - truth[first]))
    weights = np.full(len(first), 1e6)
    surface = fitted(Basis(space), PointGames(points[first], points[second], scores, weights))
    found = surface.strengths(points)
    assert found - found[0] == pytest.approx(truth - truth[0], abs=0.01)


def test_errors_are_those_of_the_information() -> None:
    """Between two points alone: with so many games the prior says little."""
    space = Space([CategoricalOption("a", ("x", "y"))])
    first, second = np.array([[1.0]]), np.array([[0.0]])
    games = PointGames(first, second, np.array([0.6]), np.array([4000.0]))
    surface = fitted(Basis(space), games)
    [row] = surface.basis(first) - surface.basis(second)
    assert row @ surface.mean == pytest.approx(log(0.6 / 0.4), rel=0.02)
    error = (row @ surface.covariance @ row) ** 0.5
    assert error == pytest.approx((4000 * 0.24) ** -0.5, rel=0.05)


@pytest.mark.parametrize("deal_games", [2, 4, 6, 100])
@pytest.mark.parametrize("games", [0, 23, 24, 500, 4000, 100_000])
def test_stages_keep_to_the_games_and_begin_those_of_longer_searches(games, deal_games) -> None:
    found, longer = list(stages(games, deal_games)), list(stages(3 * games, deal_games))
    used = sum(stage.deals for stage in found) * PAIRS * deal_games
    assert games - PAIRS * deal_games < used <= games
    assert [stage.planned for stage in longer[: len(found)]] == [each.planned for each in found]
    assert all(stage == StageSize(stage.planned, stage.planned) for stage in found[:-1])
    assert all(1 <= stage.deals <= stage.planned for stage in found)


@pytest.mark.parametrize(
    ("blocks", "rounds", "least", "most"),
    [
        ([], 2, 2, 2),
        ([[1.0] * 50, [0.0] * 50], 2, 2, 2),
        ([[0.5] * 200], 2, 30, 50),  # luck that cancels
        ([[1.0, 0.0] * 200], 2, 1, 1.05),  # games of a deal end alike
        ([[0.0, 0.5, 0.5, 1.0] * 200], 2, 1.95, 2.05),
    ],
)
def test_a_block_tells_as_much_as_it_scatters_little(blocks, rounds, least, most) -> None:
    assert least <= games_of_block(blocks, rounds) <= most


def search(space: Space, seed: int, games: int = 600) -> tuple[list[Floats], Floats]:
    """The points that were played, and the answer; a plain parabola, no chance in the games."""
    tuner, asked = Tuner(space, seed), []
    for stage in stages(games, 2):
        first, second = (
            np.stack(each) for each in zip(*tuner.pairs(2.0 * stage.planned), strict=True)
        )
        asked += [first, second]
        ahead = ((second - 0.4) ** 2 - (first - 0.4) ** 2).sum(axis=1)
        scores = 1 / (1 + np.exp(-ahead))
        tuner.add(PointGames(first, second, scores, np.full(len(scores), 2.0 * stage.deals)))
    return asked, tuner.best()


def test_the_same_games_lead_to_the_same_points() -> None:
    asked, found = search(TWO, 7)
    again, same = search(TWO, 7)
    assert [each.tolist() for each in asked] == [each.tolist() for each in again]
    assert found.tolist() == same.tolist()
    assert asked[0].tolist() != search(TWO, 8)[0][0].tolist()


@pytest.mark.parametrize(
    "space",
    [
        TWO,
        Space([Number("a", 0, 1, is_whole=True)]),
        Space([CategoricalOption("a", (False, True))]),
        Space(
            [
                Number("a", 0, 1, is_whole=True),
                CategoricalOption("b", tuple("abcdefghijklmnopqrst")),
            ]
        ),
        Space([Number(name, 0, 1, is_whole=False) for name in "abcdefghij"]),
    ],
)
def test_pairs_are_of_different_points(space: Space) -> None:
    asked, _ = search(space, 1)
    assert all(len(each) == PAIRS for each in asked)
    for first, second in zip(asked[::2], asked[1::2], strict=True):
        assert (first != second).any(axis=1).all()
        assert (space.tidy(first) == first).all()


def test_the_best_of_choices_and_numbers_is_found() -> None:
    space = Space([Number("a", 0, 10, is_whole=True), CategoricalOption("b", ("x", "y", "z"))])
    tuner, rng = Tuner(space, 1), np.random.default_rng(2)
    bonus = np.array([0.0, 0.6, 0.2])

    def strength(points: Floats) -> Floats:
        return np.asarray(bonus[points[:, 1].astype(int)] - (points[:, 0] + 0.4) ** 2)

    for stage in stages(3000, 2):
        first, second = (
            np.stack(each) for each in zip(*tuner.pairs(2.0 * stage.planned), strict=True)
        )
        chance = 1 / (1 + np.exp(strength(second) - strength(first)))
        n = 2 * stage.deals
        tuner.add(PointGames(first, second, rng.binomial(n, chance) / n, np.full(PAIRS, float(n))))
    assert space.values(tuner.best()) == {"a": 3, "b": "y"}


@pytest.mark.soak
@pytest.mark.slow
@pytest.mark.parametrize("number", some(range(7), every=7))
@pytest.mark.parametrize(
    ("cost", "games", "searches"), some([(30.0, 10_000, 2), (100.0, 4000, 3)], every=2)
)
def test_every_search_ends_within_five_elo(cost, games, searches, number) -> None:
    bot = made_bots(cost)[number]
    assert searched(bot, games, searches).near == 1.0, bot.name
    if number == 0:
        assert perturbed(made_bots(cost)[0], games, 50).near > 0.9
