"""What the second model says of a tally: strengths, predictions, and how well they fit."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Final, NamedTuple

import numpy as np

from arena.ratings.counting.graph import Bools
from arena.ratings.counting.rows import Floats, added
from arena.ratings.counting.tally import Tally
from arena.ratings.davidson.checks import ChiSquare, Equality, equality, goodness
from arena.ratings.davidson.fit import Solution, solve
from arena.ratings.davidson.games import Placings, placings
from arena.ratings.davidson.sets import Chances, chances
from arena.ratings.elo.fit import fit
from arena.ratings.elo.quantile import quantile_95
from arena.ratings.elo.rating import ELO, Spread, stable

_AT_ONCE: Final = 1 << 14
"""Tables whose chances are computed together."""


@dataclass(frozen=True)
class Strength:
    """An entrant in this model."""

    name: str
    strength: float
    """Elo of decided games against the mean of the core: 100 more are odds of 1.78 to 1."""
    error: float | None
    """Half-width of the 95 % interval; None as for ``Rating``."""


@dataclass(frozen=True)
class Placement:
    """An entrant at the tables of a discipline; shares are 0 … 1, elements by place from 1.

    A tie shares the better place and skips the next, as in 1, 1, 3.
    """

    name: str
    games: int
    """Whose places are all known; the observed and fitted numbers are of these."""
    observed: tuple[float, ...]
    fitted: tuple[float, ...]
    observed_shared: float
    """Of games in which the place is shared."""
    fitted_shared: float
    predicted: tuple[float, ...]
    """Against average opponents, on seats of equal worth."""
    predicted_shared: float
    predicted_mean: float
    """Mean place."""


class Encounter(NamedTuple):
    """Two entrants at a table whose other seats are average; chances 0 … 1."""

    first: str
    second: str
    above: float
    """That the first is placed above the second."""
    level: float
    below: float


@dataclass(frozen=True)
class Tie:
    """Ties of one size."""

    size: int
    delta: float
    """Weight of a tie among equals against that of one of them alone."""
    observed: float
    """Ties per game whose places are all known."""
    fitted: float


@dataclass(frozen=True)
class Discipline:
    """One discipline by itself."""

    discipline: str
    seats: int
    seat_worth: tuple[float, ...]
    """Elo of decided games against the mean seat."""
    ties: tuple[Tie, ...]
    placements: tuple[Placement, ...]
    """Strongest first."""
    goodness: ChiSquare | None
    incomplete: int
    """Games whose places are not all known."""
    sampled: float
    """Share of the blocks that was used."""
    names: tuple[str, ...]
    strengths: tuple[float, ...]
    """Nats, by name; what ``encounters`` predicts from."""
    deltas: tuple[float, ...]
    """ln delta, by size of tie."""

    def encounters(self) -> tuple[Encounter, ...]:
        """Every pair, in the order of ``placements``, on seats of equal worth."""
        order = [self.names.index(row.name) for row in self.placements]
        pairs = np.array([*combinations(order, 2)], np.int64).reshape(-1, 2)
        strengths = np.array(self.strengths)
        mean = strengths[order].mean() if order else 0.0
        tables = np.full((len(pairs), self.seats), mean)
        tables[:, :2] = strengths[pairs]
        found = chances(tables, np.array(self.deltas), tuple(tie.size for tie in self.ties))
        return tuple(
            Encounter(self.names[i], self.names[j], stable(above), stable(level), stable(below))
            for (i, j), above, level, below in zip(
                pairs.tolist(), found.above, found.level, found.below, strict=True
            )
        )


@dataclass(frozen=True)
class SecondModel:
    """A fit of all disciplines with places; strengths are common to them."""

    strengths: tuple[Strength, ...]
    """Strongest first."""
    disciplines: tuple[Discipline, ...]
    """Each fitted with strengths of its own."""
    equality: Equality | None
    """Whether strengths are the same in all disciplines; None of one."""
    too_large: tuple[str, ...]
    """Disciplines of more than ``davidson_games.MAX_SEATS`` seats; they are left out."""
    blocks: int


def second_model(tally: Tally) -> SecondModel | None:
    """None without a game of 2 … ``davidson_games.MAX_SEATS`` seats in which a place is known."""
    ratings = fit(tally)
    names = ratings.entrants
    found, large = placings(ratings.sums)
    if not found:
        return None
    joint = solve(len(names), found)
    met = np.zeros(len(names), bool)
    for each in found:
        met[each.entrants.ravel()] = True
    core = ratings.core & met if (ratings.core & met).any() else met
    several = len(found) > 1
    own = [solve(len(names), [each]) if several else joint for each in found]
    return SecondModel(
        strengths=_strengths(names, found, joint, core, met, rated=ratings.core),
        disciplines=tuple(
            _discipline(names, each, solution, core)
            for each, solution in zip(found, own, strict=True)
        ),
        equality=equality(found, joint, own) if several else None,
        too_large=tuple(large),
        blocks=int(joint.blocks),
    )


def _strengths(
    names: tuple[str, ...],
    found: list[Placings],
    joint: Solution,
    core: Bools,
    met: Bools,
    rated: Bools,
) -> tuple[Strength, ...]:
    """Errors within ``rated``, the core of the ratings; ``core`` sets the level."""
    x, size = joint.x, len(names)
    elo = ELO * (x[:size] - x[:size][core].mean())
    contrasts = np.zeros((size, len(x)))
    contrasts[:, :size] = np.eye(size) - core / core.sum()
    errors: list[float | None] = [None] * size
    free = int(core.sum()) - 1 + sum(each.seats - 1 + len(each.ties) for each in found)
    if rated.sum() > 1 and joint.blocks > free:
        bread = joint.bread
        clustered = joint.clustered(bread) * joint.blocks / (joint.blocks - free)
        spread = Spread(
            clustered,
            clustered,
            bread,
            quantile_95(int(joint.blocks), int(joint.blocks) - free),
        )
        errors = spread.errors(contrasts)
    rows = [
        Strength(name, stable(elo[k]), errors[k] if rated[k] else None)
        for k, name in enumerate(names)
        if met[k]
    ]
    return tuple(sorted(rows, key=lambda row: (-row.strength, row.name)))


def _discipline(
    names: tuple[str, ...], placings: Placings, solution: Solution, core: Bools
) -> Discipline:
    x, where = solution.x, solution.layout
    seats, deltas = x[where.seats(0, placings)], x[where.deltas(0, placings)]
    strengths = x[: len(names)]
    fitted = _Fitted(placings, strengths, seats, deltas)
    games = float(fitted.games.sum())
    ties = tuple(
        Tie(size, *(stable(n) for n in (np.exp(deltas[t]), *(fitted.ties[:, t] / max(games, 1.0)))))
        for t, size in enumerate(placings.ties)
    )
    return Discipline(
        discipline=placings.discipline,
        seats=placings.seats,
        seat_worth=tuple(stable(ELO * (worth - seats.mean())) for worth in seats),
        ties=ties,
        placements=_placements(names, placings, fitted, strengths, deltas, core),
        goodness=goodness(solution, 0, placings, len(names)),
        incomplete=int(placings.games[~placings.complete].sum()),
        sampled=stable(placings.share),
        names=names,
        strengths=tuple(map(stable, strengths)),
        deltas=tuple(map(stable, deltas)),
    )


class _Fitted:
    """Sums over the games whose places are all known."""

    def __init__(
        self, placings: Placings, strengths: Floats, seats: Floats, deltas: Floats
    ) -> None:
        size, width = len(strengths), placings.seats
        rows = np.flatnonzero(placings.complete)
        self.games = placings.games[rows]
        self.by_entrant = np.zeros(size)
        self.place = np.zeros((2, size, width))
        """[observed or fitted, entrant, place - 1]"""
        self.shared = np.zeros((2, size))
        self.ties = np.zeros((2, len(placings.ties)))
        self.ties[0] = (self.games[:, None] * placings.tie_sizes[rows]).sum(axis=0)
        for start in range(0, len(rows), _AT_ONCE):
            part = rows[start : start + _AT_ONCE]
            weight = self.games[start : start + _AT_ONCE]
            entrants, places = placings.entrants[part], placings.places[part]
            expected = chances(strengths[entrants] + seats, deltas, placings.ties)
            self.ties[1] += (weight[:, None] * expected.ties).sum(axis=0)
            level = (places[:, :, None] == places[:, None, :]).sum(axis=2) > 1
            for seat in range(width):
                who = entrants[:, seat]
                self.by_entrant += added(who, weight, size)
                self.shared[0] += added(who, weight * level[:, seat], size)
                self.shared[1] += added(who, weight * expected.shared[:, seat], size)
                key = who * width + places[:, seat] - 1
                self.place[0] += added(key, weight, size * width).reshape(size, width)
                for place in range(width):
                    chance = weight * expected.place[:, seat, place]
                    self.place[1, :, place] += added(who, chance, size)


def _placements(
    names: tuple[str, ...],
    placings: Placings,
    fitted: _Fitted,
    strengths: Floats,
    deltas: Floats,
    core: Bools,
) -> tuple[Placement, ...]:
    met = np.unique(placings.entrants)
    field = strengths[met[core[met]] if core[met].any() else met].mean()
    tables = np.full((len(met), placings.seats), field)
    tables[:, 0] = strengths[met]
    predicted = _first_seat(chances(tables, deltas, placings.ties))
    rows = []
    for row, k in enumerate(met.tolist()):
        games = max(fitted.by_entrant[k], 1.0)
        place = predicted[0][row]
        rows.append(
            Placement(
                name=names[k],
                games=int(fitted.by_entrant[k]),
                observed=_stable(fitted.place[0, k] / games),
                fitted=_stable(fitted.place[1, k] / games),
                observed_shared=stable(fitted.shared[0, k] / games),
                fitted_shared=stable(fitted.shared[1, k] / games),
                predicted=_stable(place),
                predicted_shared=stable(predicted[1][row]),
                predicted_mean=stable((place * np.arange(1, len(place) + 1)).sum()),
            )
        )
    order = sorted(range(len(rows)), key=lambda r: (-strengths[met[r]], rows[r].name))
    return tuple(rows[r] for r in order)


def _first_seat(found: Chances) -> tuple[Floats, Floats]:
    return found.place[:, 0], found.shared[:, 0]


def _stable(numbers: Floats) -> tuple[float, ...]:
    return tuple(map(stable, numbers))
