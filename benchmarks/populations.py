"""Made populations of blocks whose truth is known, to try the statistics on.

Elo, and luck as the standard deviation of what a deal gives the first seat over the second one,
are on the logistic scale.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from math import sqrt
from typing import Final

import numpy as np
import numpy.typing as npt

from arena.extensions.matches.statistics.sprt import NELO
from arena.ratings.counting.arrays import (
    Ints,
    MultiSeatArrays,
    PairCells,
    Seats,
    TallyArrays,
    joined,
)
from arena.ratings.elo.scale import ELO

Floats = npt.NDArray[np.float64]
_SAMPLE: Final = 20_000
"""Blocks of a population that has no closed form: it is itself the truth, without error."""
_WEAKEST, _STRONGEST = -1500.0, 4000.0
"""Elo between which a population of a given strength is looked for."""
_ROUNDS: Final = 114
"""Of a pool that a newcomer joins: each leaves out as few entrants as it can."""


@dataclass(frozen=True)
class Population:
    """What blocks of a match are worth, and how often."""

    name: str
    values: Floats
    shares: Floats
    games: int
    """In a block."""
    ref: float = 0.5
    grid: tuple[float, ...] | None = None

    @property
    def mean(self) -> float:
        """The mean value."""
        return float((self.shares * self.values).sum())

    @property
    def t(self) -> float:
        """Deviations of a block by which the mean is above even."""
        variance = float((self.shares * (self.values - self.mean) ** 2).sum())
        return (self.mean - self.ref) / sqrt(variance)

    @property
    def nelo(self) -> float:
        """The true strength."""
        return self.t * NELO / sqrt(self.games)

    def blocks(self, rng: np.random.Generator) -> Iterator[float]:
        """Their values, without end."""
        while True:
            yield from rng.choice(self.values, 512, p=self.shares).tolist()


def pairs(elo: float, *, luck: float = 0.0, draws: float = 0.0, even: float = 0.0) -> Population:
    """Both seatings of a deal, exactly. ``draws``: half-width of a draw, nats.

    ``even``: share of the deals on which the two play alike, so that the block is even.
    """
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    nodes, weights = (nodes, weights / weights.sum()) if luck else (np.zeros(1), np.ones(1))
    shares = np.zeros(5)
    for deal, weight in zip(luck * nodes, weights, strict=True):
        games = [_outcomes((elo + edge) / ELO, draws) for edge in (deal, -deal)]
        shares += weight * np.convolve(games[0], games[1])
    shares = np.clip(shares, 0.0, None)
    shares *= (1 - even) / shares.sum()
    shares[2] += even
    name = f"pairs, luck {luck:.0f}" + (", draws" if draws else "")
    return Population(name, np.arange(5) / 4, shares, 2)


def _outcomes(nats: float, draws: float) -> Floats:
    win, loss = (1 / (1 + np.exp(draws - edge)) for edge in (nats, -nats))
    return np.array([loss, 1 - win - loss, win])


def tables(elo: float, *, alone: bool, luck: float = 200.0) -> Population:
    """Four seats with ties: two against two and the mirror image, or one against three."""
    rng = np.random.default_rng(4)
    lineups = np.eye(4, dtype=bool) if alone else np.array([[True] * 2 + [False] * 2] * 2)
    lineups = np.broadcast_to(lineups, (_SAMPLE, *lineups.shape)).copy()
    if not alone:
        lineups = rng.permuted(lineups[:, :1], axis=2)
        lineups = np.concatenate([lineups, ~lineups], axis=1)
    deal = rng.normal(0.0, luck / sqrt(2), (_SAMPLE, 1, 4))
    shown = rng.gumbel(size=lineups.shape) + (deal + elo * lineups) / ELO
    grid = np.round(shown)
    above = (np.sign(grid[..., None] - grid[..., None, :]) + 1) / 2
    against = lineups[..., None] & ~lineups[..., None, :]
    scores = (above * against).sum(axis=(2, 3)) / against.sum(axis=(2, 3))
    values, counts = np.unique(np.round(scores.mean(axis=1), 9), return_counts=True)
    name = f"four seats, {'1 v 3' if alone else '2 v 2'}, luck {luck:.0f}"
    return Population(name, values, counts / _SAMPLE, lineups.shape[1], grid=(0.0, 1.0))


def margins(elo: float, *, luck: float = 200.0) -> Population:
    """Whole scores of both seatings, skewed; what survives of the luck does so at random."""
    rng = np.random.default_rng(5)
    noise = rng.gumbel(size=(_SAMPLE, 2)) - rng.gumbel(size=(_SAMPLE, 2))
    deal = rng.normal(0.0, luck, (_SAMPLE, 1)) * np.array([1.0, -1.0])
    scores = np.round(2 * (noise + (elo + deal) / ELO) * rng.uniform(0.5, 1.5, (_SAMPLE, 1)))
    values, counts = np.unique(scores.mean(axis=1), return_counts=True)
    return Population(f"margins, luck {luck:.0f}", values, counts / _SAMPLE, 2, 0.0, ())


def swinging(elo: float) -> Population:
    """Return pairs that one side nearly always wins both of; 5 % are split."""
    both = 0.95 * float(_logistic(elo))
    return Population("swinging", np.arange(5) / 4, np.array([0.95 - both, 0, 0.05, 0, both]), 2)


def rare_losses(elo: float) -> Population:
    """Return pairs that are won or split; a tenth of those not won are lost."""
    missed = 1 - float(_logistic(elo))
    shares = np.array([0.1 * missed, 0, 0.9 * missed, 0, 1 - missed])
    return Population("rare losses", np.arange(5) / 4, shares, 2)


def _logistic(elo: float) -> Floats:
    return np.asarray(1 / (1 + np.exp(-elo / ELO)))


def mirrored(population: Population) -> Population:
    """Return mean scores as the opponent sees them."""
    return replace(population, values=1 - population.values[::-1], shares=population.shares[::-1])


def of_strength(nelo: float, make: Callable[[float], Population]) -> Population:
    """Return the population of a family whose true nElo is that much, to a tenth."""
    low, high = _WEAKEST, _STRONGEST
    found = make((low + high) / 2)
    while abs(found.nelo - nelo) >= 0.1 and high - low > 1e-6:
        middle = (low + high) / 2
        low, high = (low, middle) if found.nelo > nelo else (middle, high)
        found = make((low + high) / 2)
    return found


def pool(
    strengths: Floats, blocks: int, rng: np.random.Generator, *, seats: int = 2, luck: float = 0.0
) -> TallyArrays:
    """Every table of ``seats`` entrants, ``blocks`` deals each, in all rotations."""
    sets = list(combinations(range(len(strengths)), seats))
    return _played(strengths, np.repeat(sets, blocks, axis=0), rng, luck)


def pool_with_newcomer(
    strengths: Floats, blocks: int, rng: np.random.Generator, *, seats: int = 2, luck: float = 0.0
) -> TallyArrays:
    """The last entrant has so many blocks against others by lot, each of these 100 and more."""
    others = len(strengths) - 1
    rounds = rng.permuted(np.tile(np.arange(others), (_ROUNDS, 1)), axis=1)
    among = rounds[:, : others // seats * seats].reshape(-1, seats)
    against = rng.permuted(np.tile(np.arange(others), (blocks, 1)), axis=1)[:, : seats - 1]
    own = np.column_stack([against, np.full(blocks, others)])
    return _played(strengths, np.concatenate([among, own]), rng, luck)


def pool_with_versions(
    others: Floats, versions: Floats, blocks: int, rng: np.random.Generator, *, luck: float = 0.0
) -> TallyArrays:
    """Pairs: the versions, the last entrants, each have so many blocks against each of the others,
    and never meet; each two of the others have 100."""
    count = len(others)
    among = np.repeat(list(combinations(range(count), 2)), _ROUNDS, axis=0)
    meetings = [(k, count + v) for v in range(len(versions)) for k in range(count)]
    sets = np.concatenate([among, np.repeat(meetings, blocks, axis=0)])
    return _played(np.append(others, versions), sets, rng, luck)


def pool_with_links(
    strengths: Floats, blocks: int, links: int, rng: np.random.Generator, *, seats: int = 2
) -> TallyArrays:
    """Two halves, in each every table has so many blocks; ``links`` blocks join the halves."""
    half = len(strengths) // 2
    among = [own for start in (0, half) for own in combinations(range(start, start + half), seats)]
    joining = [(half - 1, half), (half - 1, half, half + 1)][seats - 2]
    sets = np.concatenate([np.repeat(among, blocks, axis=0), np.tile(joining, (links, 1))])
    return _played(strengths, sets, rng, 0.0)


def _played(strengths: Floats, sets: Ints, rng: np.random.Generator, luck: float) -> TallyArrays:
    """A deal for each row of ``sets``, which names entrants, in all rotations."""
    return (_pairs if sets.shape[1] == 2 else _tables)(strengths, np.sort(sets), rng, luck)


def _pairs(strengths: Floats, sets: Ints, rng: np.random.Generator, luck: float) -> TallyArrays:
    difference = strengths[sets[:, 0]] - strengths[sets[:, 1]]
    deal = rng.normal(0.0, luck, len(sets))
    codes = [
        2 * (rng.logistic(size=len(sets)) + (difference + edge) / ELO > 0) for edge in (deal, -deal)
    ]
    pairs, place = np.unique(sets, axis=0, return_inverse=True)
    keys = 25 * place.ravel() + 5 * codes[0] + codes[1]
    counts = np.bincount(keys, minlength=25 * len(pairs)).reshape(-1, 5, 5)
    terms = Seats("two", 2, len(strengths))
    cells = PairCells(terms, pairs[:, 0], pairs[:, 1], counts.astype(np.float64))
    return TallyArrays(_names(strengths), (terms,), (cells,), (), (), joined(list(cells.rows())))


def _tables(strengths: Floats, sets: Ints, rng: np.random.Generator, luck: float) -> TallyArrays:
    seats = sets.shape[1]
    order = rng.permuted(sets, axis=1)
    edge = rng.normal(0.0, luck / sqrt(2), (len(order), 1, seats))
    entrants = np.stack([np.roll(order, -turn, axis=1) for turn in range(seats)], axis=1)
    shown = rng.gumbel(size=entrants.shape) + (strengths[entrants] + edge) / ELO
    codes = [2 * (shown[..., a] > shown[..., b]) for a, b in combinations(range(seats), 2)]
    terms = Seats("more", seats, len(strengths))
    block = np.repeat(np.arange(len(order)), seats)
    games = MultiSeatArrays(
        terms, block, entrants.reshape(-1, seats), np.stack(codes, axis=-1).reshape(len(block), -1)
    )
    rows = joined(list(games.rows(len(strengths))))
    return TallyArrays(_names(strengths), (terms,), (), (games,), (), rows)


def _names(strengths: Floats) -> tuple[str, ...]:
    return tuple(f"bot-{number:02}" for number in range(len(strengths)))
