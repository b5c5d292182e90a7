"""A search for the best, computed a second time from ``docs/formulas.md`` alone.

Nothing here comes from ``arena``: a mistake there cannot hide in a figure from here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import log, sqrt
from typing import Any

import numpy as np
from scipy import optimize

NELO = 800 / log(10)


def s(d: Any) -> Any:
    return 1 / (1 + np.exp(-np.asarray(d, float)))


def maximum(slopes: Callable[[Any], tuple[Any, Any]], size: int) -> Any:
    """Newton's method on first derivatives and negative second ones."""
    x = np.zeros(size)
    for _ in range(200):
        first, second = slopes(x)
        step = np.linalg.solve(second, first)
        x = x + np.clip(step, -1, 1)
        if np.abs(step).max() < 1e-12:
            break
    return x


@dataclass
class Chosen:
    """How a search for the best went."""

    out: dict[str, tuple[int, str]]
    """By bot: the round, and the leader of it."""
    left: list[str]
    nelo: dict[str, tuple[float, float | None, float | None]]
    """To the one that is left: with the ends of the interval."""


def best(
    rounds: list[list[tuple[str, str, float]]], names: list[str], gap: float, alpha: float
) -> Chosen:
    """Rounds of blocks of two games: two bots, and what the block was worth to the first one."""
    size, k = len(names), {name: i for i, name in enumerate(names)}
    n, p, q = (np.zeros((size, size)) for _ in range(3))
    alive = list(names)
    found = Chosen({}, alive, {})
    bound, delta = log((size - 1) / (2 * alpha)), gap / NELO
    state: _Search | None = None
    for number, blocks in enumerate(rounds, 1):
        for one, other, value in blocks:
            for i, j, worth in ((k[one], k[other], value), (k[other], k[one], 1 - value)):
                n[i, j] += 1
                p[i, j] += worth
                q[i, j] += worth**2
        if min(n[k[name]].sum() for name in alive) < 8:
            continue
        state = _Search(n, p, q)
        leader = max(alive, key=lambda name: state.x[k[name]])  # type: ignore[union-attr]
        i = k[leader]
        gone = [
            name
            for name in alive
            if name != leader and delta * state.score(i, k[name], -delta / 2)[0] >= bound
        ]
        for name in gone:
            found.out[name] = number, leader
            alive.remove(name)
    if state is None:
        return found
    i, rho = k[max(alive, key=lambda name: state.x[k[name]])], bound / (4 * delta**2)
    level = 2 * alpha / (size * (size - 1))
    for name in names:
        if (j := k[name]) == i:
            continue
        value = float(state.x[j] - state.x[i]) / state.u[i, j] * NELO

        def room(e: float, j: int = j) -> float:
            score, information = state.score(i, j, -e / NELO)
            limit = sqrt(2 * (information + rho) * log(sqrt((information + rho) / rho) / level + 1))
            return limit - abs(score)

        ends = [
            None if room(far) > 0 else optimize.brentq(room, *sorted((value, far)), xtol=1e-10)
            for far in (-2000.0, 2000.0)
        ]
        found.nelo[name] = value, ends[0], ends[1]
    return found


class _Search:
    """The fit of all blocks so far, of two games each."""

    games = 2

    def __init__(self, n: Any, p: Any, q: Any) -> None:
        self.n, self.p = n.copy(), p.copy()
        size, even = len(n), 1.25
        self.x = maximum(self.slopes, size)
        e = s(self.x[:, None] - self.x[None, :])
        w = n * e * (1 - e)
        r = q - 2 * e * p + n * e**2
        blocks = n.sum() / 2
        v = (r.sum() / 2 + even / self.games) / (
            w.sum() / 2 * max(1, blocks - size + 1) / blocks + even
        )
        own = (r + 5 * v) / (w + 5)
        self.u = 2 * np.sqrt(self.games * own)
        ghost = s(self.x) * s(-self.x) / self.games
        self.a = np.diag(w.sum(axis=1) + ghost) - w
        m = np.diag((w * own).sum(axis=1) + ghost * v) - w * own
        self.inverse = np.linalg.inv(self.a)
        self.sandwich = self.inverse @ m @ self.inverse

    def slopes(self, x: Any) -> tuple[Any, Any]:
        e = s(x[:, None] - x[None, :])
        w = self.n * e * (1 - e)
        first = (self.p - self.n * e).sum(axis=1) + (0.5 - s(x)) / self.games
        return first, np.diag(w.sum(axis=1) + s(x) * s(-x) / self.games) - w

    def score(self, i: int, j: int, ahead: float) -> tuple[float, float]:
        """The sums of the test at a lead of so many deviations: u T/V U and u² T/V I."""
        c = np.zeros(len(self.x))
        c[i], c[j] = 1, -1
        t, v = c @ self.inverse @ c, c @ self.sandwich @ c
        u, d = self.u[i, j], ahead * self.u[i, j]
        slope, information = (c @ self.x - d) / t, 1 / t
        if abs(c @ self.x - d) > 0.5:
            slope, information = self._exact(i, j, c, d)
        return u * t / v * slope, u**2 * t / v * information

    def _exact(self, i: int, j: int, c: Any, d: float) -> tuple[float, float]:
        """The slope at the maximum among all x with that difference of the two."""
        free = [k for k in range(len(self.x)) if k != j]
        onto = np.eye(len(self.x))[:, free]
        onto[j, free.index(i)] = 1
        shift = np.zeros(len(self.x))
        shift[j] = -d

        def slopes(z: Any) -> tuple[Any, Any]:
            first, second = self.slopes(onto @ z + shift)
            return onto.T @ first, onto.T @ second @ onto

        first, second = self.slopes(onto @ maximum(slopes, len(free)) + shift)
        return float(first[i]), 1 / float(c @ np.linalg.inv(second) @ c)
