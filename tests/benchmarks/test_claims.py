"""The second computation of figures agrees with the first, and the page with it."""

from __future__ import annotations

import re
from math import log10
from pathlib import Path

import numpy as np
import pytest

from arena.extensions.matches.statistics.sprt import GAIN, expectation, llr
from arena.ratings.elo.rating import difference
from benchmarks.claims import VALUES, by_wald, ghost_cost, lengths, nelo_of, ratios, shares_of
from tests.ratings.fits import fit
from tests.ratings.made_games import LOSS, WIN, game, tally

PAGE = (Path(__file__).parents[2] / "docs/measured.md").read_text("utf-8")


@pytest.mark.parametrize("luck", [0.0, 200.0, 400.0])
@pytest.mark.parametrize("blocks", [20, 200])
def test_ratios_are_those_of_the_test(luck: float, blocks: int) -> None:
    shares = shares_of(20.0, luck, 0.5)
    assert nelo_of(shares) == pytest.approx(20.0, abs=1e-6)
    counts = np.random.default_rng(1).multinomial(blocks, shares, 40).astype(float)
    for row, found in zip(counts, ratios(counts), strict=True):
        seen = {value: n for value, n in zip(VALUES.tolist(), row.tolist(), strict=True) if n}
        assert found == pytest.approx(llr(seen, 2, GAIN), abs=1e-4)


@pytest.mark.slow
@pytest.mark.soak
@pytest.mark.timeout(0)  # a matter of computing alone, however busy the machine is
def test_lengths_are_above_those_of_wald() -> None:
    for nelo in (0.0, 20.0, 40.0):
        t = 2**0.5 * nelo * np.log(10) / 800
        step = 2**0.5 * 40 * np.log(10) / 800
        assert by_wald(nelo) == pytest.approx(expectation(t, 0.0, step, GAIN.bounds).blocks)
    found = lengths(shares_of(40.0, 0.0, 0.0), 20, seed=1)
    assert found.blocks == pytest.approx(1.05 * by_wald(40.0), abs=4 * found.error)


@pytest.mark.parametrize(("won", "games"), [(90, 100), (99, 100), (975, 1000)])
def test_the_ghost_costs_what_is_said(won: int, games: int) -> None:
    results = []
    for number in range(games):  # either seat as often, with the same score
        for seats in (("a", "b"), ("b", "a")):
            is_won = (number < won) == (seats[0] == "a")
            results.append(game(seats, WIN if is_won else LOSS, block=str(number)))
    rated = fit(tally(results))
    exact = 400 * log10(won / (games - won))
    assert 1 - difference(rated, "a", "b").elo / exact == pytest.approx(
        ghost_cost(won / games, 2 * games, 1), rel=1e-3
    )


def test_the_page_has_the_figures_of_the_ghost() -> None:
    rows = re.findall(
        r"^\| ([\d.]+) % \| ([\d.]+) % \| ([\d.]+) % \| ([\d.]+) % \| ([\d.]+) % \|", PAGE, re.M
    )
    assert len(rows) == 7
    for score, *cells in rows:
        costs = [ghost_cost(float(score) / 100, n, k) for k in (1, 9) for n in (100, 1000)]
        assert cells == [f"{100 * cost:.3f}" for cost in costs]
