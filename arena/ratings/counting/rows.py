"""Comparisons of two entrants, the form in which all games reach the solver."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]


class Seats(NamedTuple):
    """The seat terms of one discipline."""

    discipline: str
    seats: int
    first: int
    """Parameter of seat 0; those of the other seats follow."""


@dataclass(frozen=True)
class Rows:
    """Comparisons of ``first`` with ``second``, equal ones joined; one element per row.

    An entrant without a seat has the parameter after the last one, which is always 0.
    """

    first: Ints
    """Parameter of the entrant whose score is counted."""
    second: Ints
    first_seat: Ints
    """Parameter of the seat term of ``first``."""
    second_seat: Ints
    weight: Floats
    games: Floats
    score: Floats
    """Sum of scores of ``first``: 0 … games."""

    def parameters(self) -> tuple[tuple[Ints, float], ...]:
        """The four parameters in a difference of strength, each with its sign."""
        return (
            (self.first, 1.0),
            (self.second, -1.0),
            (self.first_seat, 1.0),
            (self.second_seat, -1.0),
        )

    def difference(self, x: Floats) -> Floats:
        """The difference of strength in each row, nats, for parameters ``x``."""
        x = np.append(x, 0.0)
        return x[self.first] - x[self.second] + x[self.first_seat] - x[self.second_seat]


def weight(entrants: int) -> float:
    """Of one pair among as many entrants as a game, or a solo deal, compares.

    With it the information of independent games equals the variance of their scores at
    equal strength: a game has sensitivity n/4 and score variance n(n+1)/12 per contrast.
    """
    return 3.0 / (entrants + 1)


def rows(
    first: Ints, second: Ints, seats: tuple[int, int], weight: float, games: Floats, score: Floats
) -> Rows:
    """Rows of one weight whose entrants sat on the same two seats."""
    ones = np.ones_like(first)
    return Rows(
        first, second, ones * seats[0], ones * seats[1], weight * np.ones_like(games), games, score
    )


def joined(parts: Sequence[Rows]) -> Rows:
    """All rows of the parts, in their order."""
    nothing = np.empty(0, np.int64)
    parts = [rows(nothing, nothing, (0, 0), 0.0, np.empty(0), np.empty(0)), *parts]
    names = [field.name for field in fields(Rows)]
    return Rows(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in names})


def added(keys: Ints, values: Floats, size: int) -> Floats:
    """Values added up by key 0 … size-1, in their order."""
    return np.bincount(keys, values, size).astype(np.float64, copy=False)
