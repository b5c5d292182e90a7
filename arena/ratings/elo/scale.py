"""What a fit takes for granted besides the games: anchors, the ghost, and whether seats differ.

An anchor says where a bot stands on a scale that others know: exactly, or with an error. The
one with an error is a normal prior on the rating of that bot. Nothing else says where the zero of
the scale is, so one anchor moves nobody against anybody; several hold their bots at the distances
that they say, the closer the smaller their errors are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, log
from typing import Final

import msgspec
import numpy as np

from arena.ratings.counting.arrays import Bools, Floats, Ints, TallyArrays, added
from arena.ratings.probability import NORMAL_95

ELO: Final = 400.0 / log(10.0)
"""Elo per nat."""
NO_PRIOR: Final = 1e-6
"""Drawn games with the ghost that stand for none: strengths stay finite, and no more."""


class Anchor(msgspec.Struct, frozen=True):
    """Where a bot stands."""

    name: str
    elo: float
    error: float = 0.0
    """Half the width of a 95 % interval, as everywhere; 0: exactly there."""


@dataclass(frozen=True)
class Model:
    """How games are rated."""

    anchors: tuple[Anchor, ...] = ()
    mean: float = 1000.0
    """Elo of the mean of the core, if there is no anchor."""
    prior: float = 1.0
    """Games that every bot, and every seat, draws with a ghost of strength 0; 0: none."""
    seats: bool = True
    """Whether seats may be worth something."""

    @property
    def anchor(self) -> str | None:
        """The only one, if it is exact."""
        return self.anchors[0].name if len(self.anchors) == 1 and self.is_exact else None

    @property
    def first(self) -> str | None:
        """The first anchor, exact or not."""
        return self.anchors[0].name if self.anchors else None

    @property
    def is_exact(self) -> bool:
        """Whether no anchor has an error."""
        return not any(anchor.error for anchor in self.anchors)

    @property
    def level(self) -> float:
        """Elo of the first anchor, or of the mean."""
        return self.anchors[0].elo if self.anchors else self.mean

    def check(self, names: Sequence[str]) -> None:
        """Raises ValueError for an unknown anchor, one that is there twice, or a number that
        cannot be used."""
        known = [anchor.name for anchor in self.anchors]
        for name in known:
            if name not in names:
                raise ValueError(f"anchor {name!r} is not among the entrants")
            if known.count(name) > 1:
                raise ValueError(f"anchor {name!r} is there twice")
        if not 0.0 <= self.prior < inf or not abs(self.mean) < inf:
            raise ValueError(f"unusable prior {self.prior / 2!r} or Elo {self.mean!r}")
        for anchor in self.anchors:
            if not (abs(anchor.elo) < inf and 0.0 <= anchor.error < inf):
                raise ValueError(f"unusable anchor Elo {anchor.elo!r} ± {anchor.error!r}")


@dataclass(frozen=True)
class Hold:
    """What keeps parameters from going where the games alone would put them.

    With t the targets, the fit is held by -(x-t)' W (x-t) / 2, W the ``precision``.
    """

    column: Ints
    """By parameter: the unknown with which it moves, -1 for one that stays at 0."""
    target: Floats
    """By parameter: of anchors, nats; 0 of all others."""
    precision: Floats
    """[parameter, parameter], nats⁻²: nothing about the level, only about differences."""
    share: Floats
    """By entrant: the zero of the scale is where these shares of the anchors put it; sum 1, or
    all 0 without an anchor."""
    variance: Floats
    """By entrant: of what its anchor says, nats²; 0 for all others."""

    @property
    def is_loose(self) -> bool:
        """Whether it holds nothing: the fit is that of the games."""
        return self.unknowns == len(self.column) and not self.precision.any()

    @property
    def are_tied(self) -> Bools:
        """By parameter: whether others move with it."""
        together = np.bincount(self.column[self.column >= 0], minlength=1)
        return (self.column >= 0) & (together[np.maximum(self.column, 0)] > 1)

    @property
    def unknowns(self) -> int:
        """How many there are."""
        return int(self.column.max(initial=-1)) + 1

    def reduced(self, matrix: Floats) -> Floats:
        """A matrix over parameters as one over unknowns."""
        moving, size = self.column >= 0, self.unknowns
        own = self.column[moving]
        keys = (own[:, None] * size + own).ravel()
        return added(keys, matrix[np.ix_(moving, moving)].ravel(), size * size).reshape(size, size)

    def gathered(self, values: Floats) -> Floats:
        """A vector, or the rows of a matrix, over parameters as one over unknowns."""
        found = np.zeros((self.unknowns, *values.shape[1:]))
        moving = self.column >= 0
        np.add.at(found, self.column[moving], values[moving])
        return found

    def spread(self, values: Floats) -> Floats:
        """A vector, or the rows of a matrix, over unknowns as one over parameters."""
        if not len(values):
            return np.zeros((len(self.column), *values.shape[1:]))
        found: Floats = values[np.maximum(self.column, 0)]
        found[self.column < 0] = 0.0
        return found


def hold_of(data: TallyArrays, model: Model) -> Hold:
    """That of a model, whose anchors are among the entrants of the games."""
    size, entrants = data.size, len(data.entrants)
    target, share, variance = np.zeros(size), np.zeros(entrants), np.zeros(entrants)
    places = np.array([data.entrants.index(each.name) for each in model.anchors], np.int64)
    elo = np.array([each.elo for each in model.anchors])
    if len(places):
        target[places] = (elo - elo.mean()) / ELO
        variance[places] = [(each.error / NORMAL_95 / ELO) ** 2 for each in model.anchors]
    exact, loose = places[variance[places] == 0], places[variance[places] > 0]
    precision = np.zeros((size, size))
    weight = 1.0 / variance[loose]
    precision[loose, loose] = weight
    if len(exact):
        share[exact[0]] = 1.0
        precision[loose, exact[0]] = precision[exact[0], loose] = -weight
        precision[exact[0], exact[0]] = weight.sum()
    elif len(loose):
        share[loose] = weight / weight.sum()
        precision[np.ix_(loose, loose)] -= np.multiply.outer(weight, weight) / weight.sum()
    return Hold(_columns(size, entrants, exact, model.seats), target, precision, share, variance)


def _columns(size: int, entrants: int, exact: Ints, seats: bool) -> Ints:
    """Bots with exact anchors move as one, seats that are worth nothing not at all."""
    leads = np.arange(size)
    leads[exact] = exact[:1].max(initial=0)
    moving = np.ones(size, bool)
    moving[entrants:] = seats
    numbers = np.cumsum((leads == np.arange(size)) & moving) - 1
    return np.where(moving, numbers[leads], -1)


def tied(data: TallyArrays, model: Model) -> Bools:
    """[entrant, entrant]: both have an anchor, which says how far they are apart."""
    anchored = np.isin(data.entrants, [each.name for each in model.anchors])
    return np.logical_and.outer(anchored, anchored)
