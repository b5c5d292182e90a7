"""Intervals of few blocks against the method written out row by row, and what they must keep."""

from __future__ import annotations

from itertools import combinations
from statistics import NormalDist

import numpy as np
import pytest
import scipy

from arena.ratings.elo.rating import difference
from arena.ratings.elo.scale import ELO
from tests.ratings.elo.test_joint_fit import Direct, mixture
from tests.ratings.fits import fit
from tests.ratings.made_games import DRAW, LOSS, WIN, mirrored, pool, tally

Z = NormalDist().inv_cdf(0.975)


class WrittenOut(Direct):
    """One group, computed pair by pair at the strengths without the ghost of bots."""

    def __init__(self, games, names, x):
        super().__init__(games, names)
        n = len(names)
        free = scipy.optimize.minimize(
            lambda at: self.loss(at) - self.ghost(at[:n]) + (at[:n].sum() - x[:n].sum()) ** 2,
            x,
            method="BFGS",
            options={"gtol": 1e-6},
        ).x
        s = 1 / (1 + np.exp(-self.x @ free))
        slope, residual = self.w * s * (1 - s), self.w * (self.y - s)
        seat = 1 / (1 + np.exp(-free[n:]))
        full = self.x.T @ (self.x * slope[:, None])
        full[:n, :n] += 1.0  # the level, which nothing depends on
        full[n:, n:] += np.diag(seat * (1 - seat))
        bread = np.linalg.inv(full)
        pairs = [tuple(np.flatnonzero(row[:n])) for row in self.x]
        blocks = sorted(set(self.block))
        left = len(blocks) - (n - 1) - (len(self.seats) - len({name for name, _ in self.seats}))
        factor = len(blocks) / left
        sums = self.by_block(blocks, residual)[:, :n]
        information = (slope[:, None] * self.x[:, :n] ** 2).sum(axis=0)
        found = factor * (sums**2).sum() / information.sum()
        own, pooled = np.zeros(len(pairs)), np.zeros(len(pairs))
        self.rests = {}
        for one, other in sorted({*pairs}):
            rows = [k for k, pair in enumerate(pairs) if pair == (one, other)]
            met = len({self.block[k] for k in rows})
            contrast = np.eye(len(x))[one] - np.eye(len(x))[other]
            # A table of m, where pairs weigh 3/(m+1), has m/2 comparisons for each of freedom.
            size = sum(3 - self.w[rows]) / sum(self.w[rows])
            leverage = slope[rows].sum() / met * (contrast @ bread @ contrast) * size / 2
            rests = self.rests[one, other] = max(met, 1 / leverage)
            even = 2 * np.sqrt(slope[rows].sum() / self.w[rows].sum())
            pool = 1 + left * (found - 1) / (10 + left) * even
            if rests >= 100:
                own[rows] = factor
                continue
            nu = 20 + rests - 1
            whole = np.floor(rests) + np.arange(2)
            stretch = np.interp(rests, whole, (scipy.stats.t.ppf(0.975, 19 + whole) / Z) ** 2)
            own[rows] = stretch * max((rests - 1) * factor, rests) / nu
            pooled[rows] = stretch * 20 / nu * pool
        scores = self.by_block(blocks, residual * np.sqrt(own))
        middle = scores.T @ scores + self.x.T @ (self.x * (slope * pooled)[:, None])
        middle[n:, n:] += np.diag(seat * (1 - seat))
        self.covariance = (bread @ middle @ bread)[:n, :n]
        self.shift = (free - x)[:n]

    def ghost(self, x):
        return (np.logaddexp(0, -x) + np.logaddexp(0, x)).sum() / 2

    def by_block(self, blocks, values):
        sums = np.zeros((len(blocks), self.x.shape[1]))
        np.add.at(sums, [blocks.index(b) for b in self.block], self.x * values[:, None])
        return sums

    def sides(self, contrast):
        """Below and above the estimate, Elo: Wilson's, around the strengths without a ghost."""
        half = 2 * np.arcsinh(Z / 2 * np.sqrt(contrast @ self.covariance @ contrast))
        return ELO * (half - contrast @ self.shift), ELO * (half + contrast @ self.shift)


def uneven():
    """Two bots with many blocks, one with few, one with four lopsided ones."""
    games = mixture(11)
    games += pool({"a": 0.0, "b": 60.0}, blocks=90, rng=np.random.default_rng(3), luck=200,
                  discipline="third")  # fmt: skip
    for k, other in enumerate("abbc"):
        games += mirrored(f"z{k}", "z", other, WIN, LOSS if k else DRAW)
    return games


@pytest.mark.parametrize("anchor", [None, "a", "z"])
@pytest.mark.parametrize("make", [uneven, lambda: mixture(12)], ids=["uneven", "balanced"])
def test_as_written_out(make, anchor):
    games = make()
    counted = tally(games)
    if anchor is not None and anchor not in counted.entrants:
        anchor = "b"
    ratings = fit(counted, anchor=anchor, anchor_elo=0.0)
    names = ratings.entrants
    direct = WrittenOut(games, list(names), ratings.point.x)
    if make is uneven:
        assert min(direct.rests.values()) < 6
        assert max(direct.rests.values()) > 100
    size = len(names)
    reference = np.full(size, 1 / size) if anchor is None else np.eye(size)[names.index(anchor)]
    for k, name in enumerate(names):
        rating = ratings.of(name)
        if name == anchor:
            assert (rating.error, rating.low, rating.high) == (None, None, None)
            continue
        below, above = direct.sides(np.eye(size)[k] - reference)
        assert rating.value - rating.low == pytest.approx(below, rel=1e-5)
        assert rating.high - rating.value == pytest.approx(above, rel=1e-5)
        assert rating.error == pytest.approx((below + above) / 2, rel=1e-5)
    for i, j in combinations(range(size), 2):
        found = difference(ratings, names[i], names[j])
        below, above = direct.sides(np.eye(size)[i] - np.eye(size)[j])
        assert (found.elo - found.low, found.high - found.elo) == pytest.approx(
            (below, above), rel=1e-5
        )
        side = below if found.elo > 0 else above
        assert found.superiority == pytest.approx(NormalDist().cdf(Z * found.elo / side), abs=1e-5)


def test_a_group_apart_is_compared_as_if_it_were_alone():
    rng = np.random.default_rng(8)
    core = pool({"a": 0.0, "b": 30.0, "c": 80.0}, blocks=30, rng=rng, discipline="one")
    island = pool({"x": 0.0, "y": 150.0, "z": -150.0}, blocks=8, rng=rng, discipline="two")
    both, alone = fit(tally(core + island), anchor="a"), fit(tally(island))
    assert both.of("x").error is None
    for one, other in combinations("xyz", 2):
        found, expected = difference(both, one, other), difference(alone, one, other)
        assert found.elo == pytest.approx(expected.elo, abs=1e-3)
        assert found.error == pytest.approx(expected.error, rel=0.05)
        assert found.superiority == pytest.approx(expected.superiority, abs=0.01)
        assert difference(both, one, "a").elo is None
