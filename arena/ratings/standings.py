"""Table rows: what each entrant scored, and how strong that makes it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt

import numpy as np

from arena.ratings.marks import Bound
from arena.ratings.rating import Estimate, Rating, Ratings, SeatTerm, stable
from arena.ratings.sums import PairCells
from arena.ratings.tally import DRAW, LOSS, NO_ROW, WIN, Record, Tally
from arena.results import FaultKind


@dataclass(frozen=True)
class Standing:
    """One row. Elo, error, bound and limit are those of ``Rating``."""

    rank: int
    """1 = strongest; equal ratings share the better rank, as unrated entrants share the last."""
    name: str
    elo: float | None
    error: float | None
    bound: Bound
    limit: float | None
    group: str | None
    """A, B, … if results do not connect all entrants; A is the core, if there is one."""
    games: int
    points: float
    """Per game: the mean score against the seats of other entrants, 0 … 1."""
    wins: int
    """Nobody else shared the first place."""
    draws: int
    """Somebody else shared the first place."""
    losses: int
    """Not first, or first by name only: two faulty seats both lose."""
    score: float | None
    """Points per game, 0 … 1; None without a game against others."""
    faults: dict[FaultKind, int]


@dataclass(frozen=True)
class Standings:
    """A whole table, strongest first."""

    rows: tuple[Standing, ...]
    anchor: str | None
    anchor_elo: float
    anchor_in_core: bool
    """Errors are against the anchor; otherwise against the mean of the core."""
    blocks: int
    first_over_second: float | None
    """The likelihood that the first entrant is stronger than the second."""
    seat_advantage: Estimate | None
    """Seat 0 over seat 1 at tables of two."""
    seats: tuple[SeatTerm, ...]
    luck_correlation: float | None
    """Of the two games of a deal; negative when the cards decide and mirroring pays."""


def standings(tally: Tally, ratings: Ratings) -> Standings:
    """Join a tally with a fit of it."""
    records = _two_seat_records(tally, ratings)
    grouped = len({rating.group for rating in ratings.ratings} - {None}) > 1
    rows = [
        _standing(tally, name, ratings, record, grouped)
        for name, record in zip(ratings.entrants, records, strict=True)
    ]
    rows.sort(key=lambda row: (row.rank, row.name))
    if not any(row.bound is Bound.BOTH for row in rows):  # no core that would have to be A
        rows = _lettered_in_order(rows)
    ahead = [row.name for row in rows[:2] if row.elo is not None]
    anchor = ratings.anchor
    return Standings(
        rows=tuple(rows),
        anchor=anchor,
        anchor_elo=ratings.anchor_elo,
        anchor_in_core=anchor is not None and ratings.of(anchor).bound is Bound.BOTH,
        blocks=ratings.blocks,
        first_over_second=ratings.superiority(*ahead) if len(ahead) == 2 else None,
        seat_advantage=ratings.seat_advantage,
        seats=ratings.seats,
        luck_correlation=luck_correlation(ratings.sums.cells),
    )


def luck_correlation(cells: PairCells) -> float | None:
    """Correlation of one bot's scores in the two seatings of a deal, -1 … 1.

    Pooled over pairs of entrants, each pair's mean score per seating taken out, so that
    neither strength nor the seat adds to it. Only blocks with both games decided count.
    None if scores do not vary.
    """
    score = np.array([0.0, 0.5, 1.0])
    counts = cells.counts[:, :NO_ROW, :NO_ROW]
    blocks = np.maximum(counts.sum(axis=(1, 2)), 1.0)
    one, two = counts.sum(axis=2), counts.sum(axis=1)
    sums = (one * score).sum(axis=1), (two * score).sum(axis=1)
    both = (counts * np.multiply.outer(score, score)).sum(axis=(1, 2))
    covariance = float((both - sums[0] * sums[1] / blocks).sum())
    variances = [
        float(((by_code * score**2).sum(axis=1) - total**2 / blocks).sum())
        for by_code, total in zip((one, two), sums, strict=True)
    ]
    # Below a billionth of a block the variance is rounding of identical scores.
    if min(variances) < 1e-9:
        return None
    return stable(max(-1.0, min(1.0, covariance / sqrt(variances[0] * variances[1]))))


def _standing(tally: Tally, name: str, ratings: Ratings, two: Record, grouped: bool) -> Standing:
    rating, more = ratings.of(name), tally.record(name)
    contested = [two.wins + more.wins, two.draws + more.draws, two.losses + more.losses]
    points = two.points + more.points
    return Standing(
        rank=_rank(rating, ratings),
        name=name,
        elo=rating.elo,
        error=rating.error,
        bound=rating.bound,
        limit=rating.limit,
        group=group_letters(rating.group) if grouped and rating.group is not None else None,
        games=two.games + more.games,
        points=float(points),
        wins=contested[0],
        draws=contested[1],
        losses=contested[2],
        score=float(points / sum(contested)) if sum(contested) else None,
        faults=tally.faults(name),
    )


def group_letters(number: int) -> str:
    """0 … 25 as A … Z, then AA, AB and so on."""
    letters = ""
    while number >= 0:
        letters = chr(ord("A") + number % 26) + letters
        number = number // 26 - 1
    return letters


def _lettered_in_order(rows: list[Standing]) -> list[Standing]:
    """With A for the group that is met first, and so on."""
    met = list(dict.fromkeys(row.group for row in rows if row.group is not None))
    letters = {group: group_letters(number) for number, group in enumerate(met)}
    return [replace(row, group=letters[row.group]) if row.group else row for row in rows]


def _rank(rating: Rating, ratings: Ratings) -> int:
    rated = [other.elo for other in ratings.ratings if other.elo is not None]
    if rating.elo is None:
        return len(rated) + 1
    return 1 + sum(elo > rating.elo for elo in rated)


def _two_seat_records(tally: Tally, ratings: Ratings) -> list[Record]:
    """By entrant, from the counts: results of the first name, mirrored for the second."""
    cells, size = ratings.sums.cells, len(ratings.entrants)
    codes = cells.counts.sum(axis=2) + cells.counts.sum(axis=1)
    records = []
    totals = np.zeros((size, NO_ROW + 1))
    for entrants, order in (
        (cells.first, (LOSS, DRAW, WIN, NO_ROW)),
        (cells.second, (WIN, DRAW, LOSS, NO_ROW)),
    ):
        np.add.at(totals, entrants, codes[:, order])
    for losses, draws, wins, both_faulty in totals.astype(int).tolist():
        record = Record()
        record.wins, record.draws, record.losses = wins, draws, losses + both_faulty
        record.games = wins + draws + losses + both_faulty
        record.add_points(2 * wins + draws, 1)
        records.append(record)
    return records
