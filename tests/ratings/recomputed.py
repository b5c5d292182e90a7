"""The numbers of ``docs/formulas.md``, computed a second time from its formulas alone.

Nothing here comes from ``arena``: a mistake there cannot hide in a figure from here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import permutations
from math import log, sqrt
from typing import Any

import numpy as np
from scipy import optimize, special

NATS = 400 / log(10)
NELO = 800 / log(10)
Z = special.ndtri(0.975)


def s(d: Any) -> Any:
    return 1 / (1 + np.exp(-np.asarray(d, float)))


@dataclass
class Game:
    """One game of two seats. ``score``: that of seat 0; None if both were at fault."""

    block: str
    bots: tuple[str, str]
    score: float | None


@dataclass
class Table:
    """The figures of a table, by bot or by two bots."""

    elo: dict[str, float] = field(default_factory=dict)
    low: dict[str, float] = field(default_factory=dict)
    high: dict[str, float] = field(default_factory=dict)
    limit: dict[str, float] = field(default_factory=dict)
    los: dict[tuple[str, str], float] = field(default_factory=dict)
    seat: tuple[float, float] = (0.0, 0.0)
    correlation: float = 0.0
    blocks: int = 0


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


def table(games: list[Game], anchor: tuple[str, float] | None = None) -> Table:
    """Ratings of one discipline of two seats."""
    names = sorted({name for game in games for name in game.bots})
    k, count = {name: i for i, name in enumerate(names)}, len(names)
    played = [game for game in games if game.score is not None]
    rows = np.zeros((len(played), count + 2))
    for row, game in zip(rows, played, strict=True):
        row[k[game.bots[0]]] = row[count] = 1
        row[k[game.bots[1]]] = row[count + 1] = -1
    y = np.array([game.score for game in played])

    def slopes(x: Any) -> tuple[Any, Any]:
        e, ghost = s(rows @ x), s(x)
        second = rows.T @ (rows * (e * (1 - e))[:, None])
        return rows.T @ (y - e) + 0.5 - ghost, second + np.diag(ghost * (1 - ghost))

    x = maximum(slopes, count + 2)
    a = slopes(x)[1]
    inverse = np.linalg.inv(a)
    e = s(rows @ x)
    by_block: dict[str, list[int]] = defaultdict(list)
    for row, game in enumerate(played):
        by_block[game.block].append(row)
    u = {name: ((y - e)[own, None] * rows[own]).sum(axis=0) for name, own in by_block.items()}
    v0 = inverse @ sum(np.outer(each, each) for each in u.values()) @ inverse

    groups = _groups(names, played)
    core = groups[0]
    found = Table(blocks=len(by_block))
    shift = np.mean([x[k[name]] for name in core])
    level = 1000.0
    if anchor is not None:
        shift, level = x[k[anchor[0]]], anchor[1]
    found.elo = {name: level + NATS * float(x[k[name]] - shift) for name in names}
    for own in groups:
        if len(own) < 2:
            continue
        within = _Group(own, groups, k, played, rows, x, y)
        for one, other in permutations(own, 2):
            below, above = within.difference(one, other)
            d = x[k[one]] - x[k[other]]
            found.los[one, other] = special.ndtr(Z * d / (below if d > 0 else above))
        if own is not core:
            continue
        for name in own:
            if anchor is None:
                below, above = within.against_mean(name)
            elif name == anchor[0]:
                continue
            else:
                below, above = within.difference(name, anchor[0])
            found.low[name] = found.elo[name] - NATS * below
            found.high[name] = found.elo[name] + NATS * above
        c = np.zeros(count + 2)
        c[count], c[count + 1] = 1, -1
        q = Z if within.blocks >= 100 else special.stdtrit(within.f, 0.975)
        error = NATS * q * sqrt(c @ v0 @ c * within.blocks / within.f)
        found.seat = NATS * float(c @ x), error
    for name in set(names) - set(core):
        against = [
            (row, game)
            for row, game in enumerate(played)
            if name in game.bots and set(game.bots) & set(core)
        ]
        if not against:
            continue
        sign = [1 if game.bots[0] == name else -1 for _, game in against]
        edge = [
            z * float(rows[row] @ x) - x[k[name]] for z, (row, _) in zip(sign, against, strict=True)
        ]
        scored = sum(
            game.score if z > 0 else 1 - game.score
            for z, (_, game) in zip(sign, against, strict=True)
        )  # type: ignore[operator, misc]
        way = 1 if scored else -1
        c = len({game.block for _, game in against}) / len(against)

        def chance(theta: float, way: int = way, c: float = c, edge: Any = edge) -> float:
            return float(c * np.log(s(way * (theta + np.array(edge)))).sum() - log(0.025))

        theta = optimize.brentq(chance, -30, 30, xtol=1e-13)
        found.limit[name] = found.elo[name] + NATS * (theta - x[k[name]])
    found.correlation = _correlation(games)
    return found


def _groups(names: list[str], played: list[Game]) -> list[list[str]]:
    reach = {(one, one) for one in names}
    for game in played:
        one, other = game.bots
        if game.score > 0:  # type: ignore[operator]
            reach.add((one, other))
        if game.score < 1:  # type: ignore[operator]
            reach.add((other, one))
    for via in names:
        for one in names:
            for other in names:
                if (one, via) in reach and (via, other) in reach:
                    reach.add((one, other))
    found = {tuple(o for o in names if (one, o) in reach and (o, one) in reach) for one in names}
    return sorted(map(list, found), key=lambda own: (-len(own), own))


class _Group:
    """The covariance within a group, and the sides of its intervals."""

    def __init__(
        self,
        own: list[str],
        groups: list[list[str]],
        k: dict[str, int],
        played: list[Game],
        rows: Any,
        x: Any,
        y: Any,
    ) -> None:
        self.k, m = {name: i for i, name in enumerate(own)}, len(k)
        inside = [
            row
            for row, game in enumerate(played)
            if any(set(game.bots) <= set(group) for group in groups)
        ]
        rows, y = rows[inside], y[inside]
        ghost = np.append(np.zeros(m), [1.0, 1.0])
        level = np.zeros((m + 2, m + 2))
        for group in groups:
            members = [k[name] for name in group]
            level[np.ix_(members, members)] = 1

        def slopes(at: Any) -> tuple[Any, Any]:
            e, seat = s(rows @ at), s(at)
            second = rows.T @ (rows * (e * (1 - e))[:, None]) + level
            first = rows.T @ (y - e) + ghost * (0.5 - seat) - level @ at
            return first, second + np.diag(ghost * seat * (1 - seat))

        free = maximum(slopes, m + 2)
        e = s(rows @ free)
        info = e * (1 - e)
        names = [played[row].block for row in inside]

        def squared(values: Any) -> Any:
            sums = {name: np.zeros(m + 2) for name in names}
            for name, row, value in zip(names, rows, values, strict=True):
                sums[name] = sums[name] + value * row
            return sum(np.outer(each, each) for each in sums.values())

        squares = np.diag(squared(y - e))
        bread = np.linalg.inv(slopes(free)[1])
        seen, drawn = np.ones(len(rows)), np.zeros(len(rows))
        for group in groups:
            members = [k[name] for name in group]
            ours = [row for row in range(len(rows)) if rows[row, members].any()]
            blocks = len({names[row] for row in ours})
            f = blocks - (len(group) - 1) - 1
            if group is own:
                self.blocks, self.f = blocks, f
            if len(group) < 2 or f < 1:
                continue
            ratio = blocks / f
            phi = ratio * squares[members].sum() / (2 * info[ours].sum())
            of_pair: dict[tuple[int, ...], list[int]] = defaultdict(list)
            for number in ours:
                of_pair[tuple(np.flatnonzero(rows[number, :m]))].append(number)
            for (i, j), own_rows in of_pair.items():
                n = len({names[row] for row in own_rows})
                total = info[own_rows].sum()
                leverage = total / n * (bread[i, i] + bread[j, j] - 2 * bread[i, j])
                n = max(n, 1 / leverage)
                pool = 1 + (phi - 1) * f / (10 + f) * 2 * sqrt(total / len(own_rows))
                if n >= 100:
                    seen[own_rows] = ratio
                    continue
                whole = np.floor(n) + np.arange(2)
                tau2 = np.interp(n, whole, (special.stdtrit(20 + whole - 1, 0.975) / Z) ** 2)
                seen[own_rows] = tau2 * max((n - 1) * ratio, n) / (20 + n - 1)
                drawn[own_rows] = tau2 * 20 / (20 + n - 1) * pool
        places = [k[name] for name in own]
        middle = squared((y - e) * np.sqrt(seen)) + rows.T @ (rows * (info * drawn)[:, None])
        middle[m:, m:] += np.diag(s(free[m:]) * (1 - s(free[m:])))
        self.sigma = (bread @ middle @ bread)[np.ix_(places, places)]
        self.shift = (free - x)[places]

    def difference(self, one: str, other: str) -> tuple[float, float]:
        c = np.zeros(len(self.k))
        c[self.k[one]], c[self.k[other]] = 1, -1
        return self._sides(c)

    def against_mean(self, name: str) -> tuple[float, float]:
        c = -np.ones(len(self.k)) / len(self.k)
        c[self.k[name]] += 1
        return self._sides(c)

    def _sides(self, c: Any) -> tuple[float, float]:
        half, shift = 2 * np.arcsinh(Z / 2 * sqrt(c @ self.sigma @ c)), c @ self.shift
        return max(half - shift, half / 4), max(half + shift, half / 4)


def _by_pair(games: Iterable[Game]) -> dict[tuple[str, str], dict[str, list[Game]]]:
    found: dict[tuple[str, str], dict[str, list[Game]]] = defaultdict(lambda: defaultdict(list))
    for game in games:
        found[tuple(sorted(game.bots))][game.block].append(game)  # type: ignore[index]
    return found


def _correlation(games: list[Game]) -> float:
    products = np.zeros(3)
    for (one, _), blocks in _by_pair(games).items():
        scores = []
        for block in blocks.values():
            if len(block) == 2 and all(game.score is not None for game in block):
                first, second = sorted(block, key=lambda game: game.bots[0] != one)
                scores.append((first.score, 1 - second.score))  # type: ignore[operator]
        if scores:
            a, b = (np.array(scores) - np.mean(scores, axis=0)).T
            products += (a @ b, a @ a, b @ b)
    return products[0] / sqrt(products[1] * products[2])


def crosstable(games: list[Game]) -> dict[tuple[str, str], dict[str, float]]:
    """The cells, from the side of the first name."""
    cells = {}
    for (one, other), blocks in _by_pair(g for g in games if g.score is not None).items():
        own = [
            [g.score if g.bots[0] == one else 1 - g.score for g in block]  # type: ignore[operator]
            for block in blocks.values()
        ]
        n, g = len(own), sum(map(len, own))
        m = sum(map(sum, own)) / g
        v = 0.0
        if n > 1:
            v = sum((sum(b) - m * len(b)) ** 2 for b in own) / g**2 * n / (n - 1)
        cells[one, other] = (n, g, m, v)
    many = [each for each in cells.values() if each[0] > 1]
    f = sum(n - 1 for n, *_ in many)
    ratio = sum(g * g * v for _, g, _, v in many) / sum(
        g * (m * (1 - m) + v) for _, g, m, v in many
    )
    pool = (10 + f * ratio) / (10 + f)
    found = {}
    for pair, (n, g, m, v) in cells.items():
        if m in (0.0, 1.0):
            low, high = (0.025 ** (1 / n), 1.0) if m else (0.0, 1 - 0.025 ** (1 / n))
            los = 1 - 0.5 ** (n + 1) if m else 0.5 ** (n + 1)
            found[pair] = {"score": m, "low": low, "high": high, "los": los, "p": 2.0 ** (1 - n)}
            continue
        phi, nu = v * g / (m * (1 - m)), 20 + n - 1
        if n < 100:
            phi = (20 * pool + (n - 1) * phi) / nu
        part = (special.stdtrit(nu, 0.975) if n < 100 else Z) ** 2 * phi / g
        half = sqrt(part * m * (1 - m) + part**2 / 4)
        low, high = ((m + part / 2 + z * half) / (1 + part) for z in (-1, 1))
        # no limit beyond that of a perfect score
        low, high = min(low, 0.025 ** (1 / n)), max(high, 1 - 0.025 ** (1 / n))
        t = (m - 0.5) * 2 * sqrt(g / phi)
        los = float(special.stdtr(nu, t) if n < 100 else special.ndtr(t))
        found[pair] = {"score": m, "low": low, "high": high, "los": los, "p": 2 * min(los, 1 - los)}
    return found


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


def llr(values: list[float], games: int, elo0: float, elo1: float) -> float:
    """The log-likelihood ratio of two nElo on the values of a pair of games."""
    grid = np.arange(5) / 4
    counts = np.array([max(values.count(value), 1e-3) for value in grid.tolist()])
    u = grid - 0.5
    logs = []
    for elo in (elo0, elo1):
        t = sqrt(games) * elo / NELO

        def broken(p: Any, t: float = t) -> float:
            mean = p @ u
            return float(mean - t * sqrt(p @ u**2 - mean**2))

        result = optimize.minimize(
            lambda p: -float(counts @ np.log(p)) / counts.sum(),
            counts / counts.sum(),
            jac=lambda p: -counts / p / counts.sum(),
            bounds=[(1e-9, 1)] * 5,
            constraints=[
                {"type": "eq", "fun": lambda p: p.sum() - 1},
                {"type": "eq", "fun": broken},
            ],
            options={"ftol": 1e-15, "maxiter": 1000},
        )
        logs.append(-result.fun * counts.sum())
    return logs[1] - logs[0]
