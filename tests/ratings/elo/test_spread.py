"""Intervals of few blocks against the method written out row by row, and what they must keep."""

from __future__ import annotations

from itertools import combinations
from statistics import NormalDist

import numpy as np
import pytest
import scipy

from arena.ratings.elo.fit import fit
from arena.ratings.elo.rating import difference
from arena.ratings.elo.scale import ELO
from arena.ratings.full.ranks import rank_ranges
from tests.ratings.elo.test_joint_fit import Direct, mixture
from tests.ratings.made_games import DRAW, LOSS, WIN, mirrored, pool, tally

Z = NormalDist().inv_cdf(0.975)


class WrittenOut(Direct):
    """One group. Where a bot has few blocks, everything is computed for it alone."""

    def __init__(self, games, names, x):
        super().__init__(games, names)
        self.point, n = x, len(names)
        s = 1 / (1 + np.exp(-self.x @ x))
        slope, residual = self.w * s * (1 - s), self.w * (self.y - s)
        ghost = 1 / (1 + np.exp(-x))
        self.full = self.x.T @ (self.x * slope[:, None]) + np.diag(ghost * (1 - ghost))
        blocks = sorted(set(self.block))
        sums = np.zeros((len(blocks), len(x)))
        np.add.at(sums, [blocks.index(b) for b in self.block], self.x * residual[:, None])
        bread = np.linalg.inv(self.full)
        left = len(blocks) - (n - 1) - (len(self.seats) - len({name for name, _ in self.seats}))
        factor = len(blocks) / left
        self.own = [np.flatnonzero(self.x[:, k]) for k in range(n)]
        self.blocks = np.array([len({self.block[row] for row in own}) for own in self.own])
        self.information = np.array([slope[own].sum() for own in self.own])
        even = np.sqrt(4 * self.information / [self.w[own].sum() for own in self.own])
        found = factor * (sums[:, :n] ** 2).sum() / self.information.sum()
        to_mean = np.eye(n, len(x)) - np.append(
            self.information / self.information.sum(), np.zeros(len(x) - n)
        )
        alone = to_mean @ bread @ to_mean.T
        seen = to_mean @ bread @ sums.T @ sums @ bread @ to_mean.T
        pool = 1 + (left * (found - 1) / (10 + left)) * even
        self.covariance, self.skew = np.zeros((n, n)), np.zeros((2, n))
        parts = np.zeros((2, n))
        for k in range(n):
            if self.blocks[k] >= 100:
                parts[:, k] = factor, 0.0
                continue
            nu = self.blocks[k] - 1
            stretch = (scipy.stats.t.ppf(0.975, 20 + nu) / Z) ** 2
            stretch *= self.full[k, k] / self.information[k]
            # The factor of a mean of so many blocks, and the weight of so many degrees of freedom.
            parts[0, k] = stretch * nu / (20 + nu) * max(factor, self.blocks[k] / nu)
            parts[1, k] = stretch * 20 / (20 + nu) * pool[k]
        for part, matrix in zip(np.sqrt(parts), (seen, alone), strict=True):
            self.covariance += np.outer(part, part) * matrix
        for k in range(n):
            if self.blocks[k] < 100:
                whole = alone[k, k] * self.full[k, k]
                dispersion = self.covariance[k, k] / whole * self.information[k]
                self.skew[:, k] = min(1.0, whole) ** 0.5 * self.own_skew(k, dispersion)

    def own_skew(self, k, dispersion):
        x, own = self.x[self.own[k]], self.own[k]
        sign = x[:, k]
        won = np.where(sign > 0, self.y[own], 1 - self.y[own]) * self.w[own]

        def z(theta):
            at = self.point.copy()
            at[k] = theta
            s = 1 / (1 + np.exp(-sign * (x @ at)))
            deviation = np.sqrt(dispersion * (self.w[own] * s * (1 - s)).sum())
            return (won - self.w[own] * s).sum() / deviation

        here = self.point[k]
        alike = Z**2 * dispersion / self.information[k]
        low = scipy.optimize.brentq(lambda t: z(t) - Z, here - 12, here)
        high = scipy.optimize.brentq(lambda t: z(t) + Z, here, here + 12)
        return np.array([(here - low) ** 2 - alike, (high - here) ** 2 - alike])

    def sides(self, contrast):
        """Below and above the estimate, Elo."""
        square = Z**2 * contrast @ self.covariance @ contrast
        up, down = np.maximum(contrast, 0) ** 2, np.minimum(contrast, 0) ** 2
        below = square + up @ self.skew[0] + down @ self.skew[1]
        above = square + up @ self.skew[1] + down @ self.skew[0]
        return ELO * np.sqrt([below, above])


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
        assert direct.blocks.min() == 4
        assert direct.blocks.max() > 100
    size = len(names)
    reference = np.full(size, 1 / size) if anchor is None else np.eye(size)[names.index(anchor)]
    for k, name in enumerate(names):
        rating = ratings.of(name)
        if name == anchor:
            assert (rating.error, rating.low, rating.high) == (None, None, None)
            continue
        below, above = direct.sides(np.eye(size)[k] - reference)
        assert rating.elo - rating.low == pytest.approx(below, rel=1e-5)
        assert rating.high - rating.elo == pytest.approx(above, rel=1e-5)
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
    ranks = [(row.name, row.group, row.rank, row.low, row.high) for row in rank_ranges(both)]
    assert {name for name, *_ in ranks[:3]} == {*"abc"}
    assert [group for _, group, *_ in ranks] == ["A"] * 3 + ["B"] * 3
    own = [(row.name, row.rank, row.low, row.high) for row in rank_ranges(alone)]
    assert [(name, *rest) for name, _, *rest in ranks[3:]] == own
    assert [row.over_next is None for row in rank_ranges(both)] == [False, False, True] * 2
