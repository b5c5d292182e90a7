"""Assumptions of a fit besides the games: anchors, the ghost, and seat terms.

An anchor states the rating of a bot on a known scale, exactly or with an error. An anchor with an
error is a normal prior on the rating of its bot. Nothing else fixes the zero of the scale, so a
single anchor does not change differences between bots. Several anchors hold their bots at their
stated distances, the closer the smaller their errors are.
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
"""Number of drawn games with the ghost used for a prior of 0, so that strengths stay finite."""


class Anchor(msgspec.Struct, frozen=True):
    """Known rating of a bot."""

    name: str
    elo: float
    error: float = 0.0
    """Half the width of its 95 % interval in Elo; 0 if the rating is exact."""


@dataclass(frozen=True)
class Model:
    """Settings of a fit."""

    anchors: tuple[Anchor, ...] = ()
    mean: float = 1000.0
    """Elo of the mean of the core, used if there is no anchor."""
    prior: float = 1.0
    """Number of games that each bot and each seat draws with a ghost of strength 0."""
    seats: bool = True
    """True if seats may have an advantage."""

    @property
    def anchor(self) -> str | None:
        """Name of the only anchor if it is exact, otherwise None."""
        return self.anchors[0].name if len(self.anchors) == 1 and self.is_exact else None

    @property
    def first(self) -> str | None:
        """Name of the first anchor, exact or not; None without anchors."""
        return self.anchors[0].name if self.anchors else None

    @property
    def is_exact(self) -> bool:
        """True if no anchor has an error."""
        return not any(anchor.error for anchor in self.anchors)

    @property
    def level(self) -> float:
        """Elo of the first anchor, or of the mean without anchors."""
        return self.anchors[0].elo if self.anchors else self.mean

    def check(self, names: Sequence[str]) -> None:
        """Check the settings for entrants ``names``.

        Raises ValueError for an unknown or repeated anchor, or for a number that cannot be used.
        """
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
    """Constraints that hold parameters away from where the games alone would put them.

    With t the targets, the fit is held by -(x-t)' W (x-t) / 2, W the ``precision``.
    """

    column: Ints
    """Number of the unknown that each parameter moves with, -1 for a parameter that stays at 0."""
    target: Floats
    """Target of each parameter in nats; 0 for all but anchors."""
    precision: Floats
    """Matrix by [parameter, parameter] in nats⁻². It constrains differences only, not the level."""
    share: Floats
    """Weight of each entrant's anchor in the zero of the scale; sum 1, or 0 without anchors."""
    variance: Floats
    """Variance of each entrant's anchor in nats²; 0 for all others."""

    @property
    def is_loose(self) -> bool:
        """True if there is no constraint: the fit follows from the games alone."""
        return self.unknowns == len(self.column) and not self.precision.any()

    @property
    def unknowns(self) -> int:
        """Number of unknowns."""
        return int(self.column.max(initial=-1)) + 1

    def reduced(self, matrix: Floats) -> Floats:
        """Return a matrix over parameters as a matrix over unknowns."""
        moving, size = self.column >= 0, self.unknowns
        own = self.column[moving]
        keys = (own[:, None] * size + own).ravel()
        return added(keys, matrix[np.ix_(moving, moving)].ravel(), size * size).reshape(size, size)

    def gathered(self, values: Floats) -> Floats:
        """Return a vector, or the rows of a matrix, over parameters as one over unknowns."""
        found = np.zeros((self.unknowns, *values.shape[1:]))
        moving = self.column >= 0
        np.add.at(found, self.column[moving], values[moving])
        return found

    def spread(self, values: Floats) -> Floats:
        """Return a vector, or the rows of a matrix, over unknowns as one over parameters."""
        if not len(values):
            return np.zeros((len(self.column), *values.shape[1:]))
        found: Floats = values[np.maximum(self.column, 0)]
        found[self.column < 0] = 0.0
        return found


def hold_of(data: TallyArrays, model: Model) -> Hold:
    """Return the constraints that the anchors of ``model`` set.

    Every anchor must be an entrant of ``data``.
    """
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
    """Return the ``Hold.column`` of all parameters.

    Bots with exact anchors move together; without seat terms the seats do not move.
    """
    leads = np.arange(size)
    leads[exact] = exact[:1].max(initial=0)
    moving = np.ones(size, bool)
    moving[entrants:] = seats
    numbers = np.cumsum((leads == np.arange(size)) & moving) - 1
    return np.where(moving, numbers[leads], -1)


def tied(data: TallyArrays, model: Model) -> Bools:
    """Return the matrix [entrant, entrant] that is true if both have an anchor.

    Their anchors state their distance.
    """
    anchored = np.isin(data.entrants, [each.name for each in model.anchors])
    return np.logical_and.outer(anchored, anchored)
