"""Strengths of players from sums of their results, by which a ladder pairs them.

``Sums`` is updated while games are added. The strengths of a fit depend only on how often any two
entrants met and how much each scored in total. So no game is kept after it is added, and a fit
begins where the last one ended. Seats are assumed to have no advantage: every deal is played in all
seatings. Each Newton step is found by conjugate gradients, because there may be many hundred
unknowns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from arena.ratings.counting.arrays import Floats, weight
from arena.ratings.elo.scale import ELO, Model
from arena.ratings.elo.strengths import ITERATIONS, STEP, TOLERANCE, log_logistic, logistic
from arena.ratings.probability import NORMAL_95

_ROOM: Final = 64
_PRIOR: Final = Model().prior / 2
_RESIDUE: Final = 1e-9
"""Residue that a step may leave, as a share of the length of the gradient."""


class RoundedStrength(NamedTuple):
    """Strength of one entrant in whole Elo, because further digits differ with the machine."""

    elo: int
    """Elo against a ghost with which everybody has drawn a game."""
    error: int
    """Half of the 95 % interval, if the opponents' strengths were known and games independent."""


class _At(NamedTuple):
    """Objective of a fit at a point, with its derivatives."""

    objective: float
    gradient: Floats
    slopes: Floats
    """Negated off-diagonal elements of the information, by [entrant, other]; 0 on the diagonal."""
    diagonal: Floats
    """Diagonal of the information."""


class Sums:
    """Sums of encounters and scores, with the fit to them."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}
        self._games: Floats = np.zeros((_ROOM, _ROOM))
        """Weighted number of comparisons of two entrants, by [entrant, other]."""
        self._score: Floats = np.zeros(_ROOM)
        self._x: Floats = np.zeros(_ROOM)

    def add(self, names: Sequence[str], points: Sequence[float]) -> None:
        """Count a table of the entrants ``names``.

        ``points``: sum of each entrant's scores in its comparisons with the others, 1 for a win.
        """
        places = [self._place(name) for name in names]
        # Two faulty entrants are not compared, so the points are spread over all pairs.
        games = 2.0 * sum(points) / (len(names) * (len(names) - 1))
        for place, scored in zip(places, points, strict=True):
            for other in places:
                if other != place:
                    self._games[place, other] += weight(len(names)) * games
            self._score[place] += weight(len(names)) * scored

    def fit(self, names: Sequence[str]) -> list[RoundedStrength]:
        """Return the strengths of ``names`` from all added games.

        An entrant without games has the strength of the ghost.
        """
        x = self._x[: len(self._places)]
        at = self._at(x)
        for _ in range(ITERATIONS if len(x) else 0):
            step = _step(at)
            length = float(np.abs(step).max())
            step *= min(1.0, STEP / max(length, TOLERANCE))
            slack = 1e-12 * abs(at.objective)
            following = self._at(x + step)
            while following.objective < at.objective - slack:
                step = step / 2
                following = self._at(x + step)
            x, at = x + step, following
            if length < TOLERANCE:
                break
        self._x[: len(x)] = x
        elo = ELO * np.append(x, 0.0)
        errors = NORMAL_95 * ELO / np.sqrt(np.append(at.diagonal, _PRIOR / 2))
        found = [self._places.get(name, len(x)) for name in names]
        return [RoundedStrength(round(float(elo[k])), round(float(errors[k]))) for k in found]

    def _at(self, x: Floats) -> _At:
        size = len(x)
        games, score = self._games[:size, :size], self._score[:size]
        expected = logistic(np.subtract.outer(x, x))
        ghost = logistic(x)
        both = games * (np.logaddexp(x[:, None], x) / 2)
        slopes = games * expected * (1.0 - expected)
        return _At(
            float(
                (x * score).sum() - both.sum() + _PRIOR * (log_logistic(x) + log_logistic(-x)).sum()
            ),
            score - (games * expected).sum(axis=1) + _PRIOR * (1.0 - 2.0 * ghost),
            slopes,
            slopes.sum(axis=1) + 2.0 * _PRIOR * ghost * (1.0 - ghost),
        )

    def _place(self, name: str) -> int:
        place = self._places.setdefault(name, len(self._places))
        room = len(self._x)
        if place >= room:
            self._games = np.pad(self._games, (0, room))
            self._score, self._x = np.pad(self._score, (0, room)), np.pad(self._x, (0, room))
        return place


def _step(at: _At) -> Floats:
    """Return the Newton step by conjugate gradients, each unknown scaled by its own information."""
    step = np.zeros(len(at.gradient))
    rest = at.gradient.copy()
    enough = _RESIDUE**2 * (rest * rest).sum()
    scaled = rest / at.diagonal
    way, length = scaled.copy(), (rest * scaled).sum()
    for _ in range(2 * len(step)):
        if not (rest * rest).sum() > enough:
            break
        turned = at.diagonal * way - (at.slopes * way).sum(axis=1)
        stride = length / (way * turned).sum()
        step += stride * way
        rest -= stride * turned
        scaled = rest / at.diagonal
        before, length = length, (rest * scaled).sum()
        way = scaled + length / before * way
    return step
