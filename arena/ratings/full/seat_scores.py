"""Scores of each entrant on each seat."""

from __future__ import annotations

import msgspec
import numpy as np

from arena.ratings.counting.arrays import Floats, MultiSeatArrays, PairCells, TallyArrays, added
from arena.ratings.counting.counts import NO_ROW
from arena.ratings.elo.rating import stable


class SeatScore(msgspec.Struct, frozen=True):
    """Score of one entrant on one seat of one discipline."""

    discipline: str
    name: str
    seat: int
    games: int
    """Number of games that compared the entrant with another one."""
    score: float | None
    """Mean score against each other entrant in these games, 0 … 1; None without games."""


def seat_scores(arrays: TallyArrays) -> tuple[SeatScore, ...]:
    """Return the scores by discipline, name and seat, with all seats of those that played."""
    size = len(arrays.entrants)
    parts = [(cells.seats, *_of_pairs(cells, size)) for cells in arrays.cells]
    parts += [(games.seats, *_of_tables(games, size)) for games in arrays.games]
    parts.sort(key=lambda part: part[0].discipline)
    return tuple(
        SeatScore(seats.discipline, name, seat, int(own[seat]), stable(s) if own[seat] else None)
        for seats, games, mean in parts
        for name, own, means in zip(arrays.entrants, games, mean, strict=True)
        if own.any()
        for seat, s in enumerate(means)
    )


def _of_pairs(cells: PairCells, size: int) -> tuple[Floats, Floats]:
    """Return the games and the mean scores, by [entrant, seat]."""
    games, score = np.zeros((size, 2)), np.zeros((size, 2))
    for seat, other_axis in ((0, 2), (1, 1)):
        # Codes are those of the first name on ``seat``; its opponent sits on the other seat.
        codes = cells.counts.sum(axis=other_axis)[:, :NO_ROW]
        total, won = codes.sum(axis=1), codes[:, 1] / 2 + codes[:, 2]
        for names, where, points in (
            (cells.first, seat, won),
            (cells.second, 1 - seat, total - won),
        ):
            games[:, where] += added(names, total, size)
            score[:, where] += added(names, points, size)
    return games, score / np.maximum(games, 1.0)


def _of_tables(games: MultiSeatArrays, size: int) -> tuple[Floats, Floats]:
    compared, points = np.zeros(games.entrants.shape), np.zeros(games.entrants.shape)
    for a, b, codes in games.pairs():
        valid = (codes != NO_ROW) & (games.entrants[:, a] != games.entrants[:, b])
        score = codes / 2
        for seat, own in ((a, score), (b, 1.0 - score)):
            compared[:, seat] += valid
            points[:, seat] += np.where(valid, own, 0.0)
    mean = points / np.maximum(compared, 1.0)
    met = (compared > 0).astype(np.float64)
    seats = range(games.seats.seats)
    count = np.stack([added(games.entrants[:, k], met[:, k], size) for k in seats], axis=1)
    total = np.stack([added(games.entrants[:, k], mean[:, k], size) for k in seats], axis=1)
    return count, total / np.maximum(count, 1.0)
