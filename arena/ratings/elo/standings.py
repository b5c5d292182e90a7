"""Rows of a table: the scores of each entrant, its rating, and how much luck decides.

The influence of luck is the correlation of a bot's scores between the seatings of a deal.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, replace
from math import sqrt
from typing import Final

import numpy as np
from msgspec import UNSET, UnsetType

from arena.ratings.counting.arrays import (
    Bools,
    Deals,
    Floats,
    Ints,
    MultiSeatArrays,
    PairCells,
    TallyArrays,
)
from arena.ratings.counting.counts import DRAW, LOSS, NO_ROW, WIN, EntrantRecord
from arena.ratings.counting.scored import ABSENT, FORFEIT
from arena.ratings.counting.tally import Tally
from arena.ratings.elo.rating import (
    ELO_UNIT,
    Bound,
    Estimate,
    Rated,
    RatingFit,
    SeatTerm,
    ValueUnit,
    difference,
    stable,
)
from arena.ratings.elo.scale import Anchor, Model

LEAST: Final = 1e-9
"""Variance, in blocks, that rounding of identical scores can reach."""


def luck_correlation(arrays: TallyArrays) -> float | None:
    """Return the correlation r of a bot's scores in two games of a deal, -1 … 1.

    It is pooled over sets of entrants, after subtracting the mean score of each bot and seat, so
    that neither strength nor the seat adds to it. Only blocks with all games decided count. The
    mean of the g games of a block varies 1 + (g-1) r times as much as that of g games on deals of
    their own: r is 0 where deals do not matter and -1/(g-1) where a deal and a seat decide
    everything.

    Return None if scores do not vary, or unless exactly one discipline has at least two seats.
    """
    if len(arrays.seats) != 1:
        return None
    return _of_pairs(arrays.cells[0]) if arrays.cells else _of_tables(arrays.games[0])


def _of_pairs(cells: PairCells) -> float | None:
    """Return the correlation of the first name's scores; the second name mirrors them."""
    score = np.array([0.0, 0.5, 1.0])
    counts = cells.counts[:, :NO_ROW, :NO_ROW]
    blocks = np.maximum(counts.sum(axis=(1, 2)), 1.0)
    one, two = counts.sum(axis=2), counts.sum(axis=1)
    totals = (one * score).sum(axis=1), (two * score).sum(axis=1)
    both = (counts * np.multiply.outer(score, score)).sum(axis=(1, 2))
    covariance = float((both - totals[0] * totals[1] / blocks).sum())
    variances = [
        float(((by_code * score**2).sum(axis=1) - total**2 / blocks).sum())
        for by_code, total in zip((one, two), totals, strict=True)
    ]
    if min(variances) < LEAST:
        return None
    return stable(max(-1.0, min(1.0, covariance / sqrt(variances[0] * variances[1]))))


def _of_tables(games: MultiSeatArrays) -> float | None:
    """Return the intraclass correlation of a bot's scores within the blocks with most games."""
    whole = _whole_blocks(games)
    if not whole.any():
        return None
    entrants, points = games.entrants[whole], _points(games)[whole]
    table = np.unique(np.sort(entrants, axis=1), axis=0, return_inverse=True)[1].reshape(-1, 1)
    bots = int(entrants.max()) + 1
    seat = (table * bots + entrants) * games.seats.seats + np.arange(games.seats.seats)
    score = _centred(seat.ravel(), points.ravel())
    bot = (games.block[whole][:, None] * bots + entrants).ravel()
    squares = float((score**2).sum())
    if squares < LEAST:
        return None
    products = float((np.bincount(bot, score) ** 2).sum()) - squares
    others = int(np.bincount(games.block[whole]).max()) - 1
    return stable(products / (others * squares))


def _whole_blocks(games: MultiSeatArrays) -> Bools:
    """Return, per game, whether it is part of a whole block.

    A block is whole if its bots differ and all of its games were played and decided.
    """
    alone = (np.diff(np.sort(games.entrants, axis=1), axis=1) > 0).all(axis=1)
    decided = alone & (games.codes != NO_ROW).all(axis=1)
    by_block = np.bincount(games.block, decided)
    most = by_block.max()
    whole: Bools = decided & (by_block[games.block] == most) & (most > 1)
    return whole


def _points(games: MultiSeatArrays) -> Floats:
    """Return the sum of scores against the other seats, by [game, seat]."""
    points = np.zeros(games.entrants.shape)
    for a, b, codes in games.pairs():
        points[:, a] += codes / 2
        points[:, b] += 1.0 - codes / 2
    return points


def _centred(keys: Ints, values: Floats) -> Floats:
    """Return each value minus the mean of the values with the same key."""
    places = np.unique(keys, return_inverse=True)[1].ravel()
    means = np.bincount(places, values) / np.bincount(places)
    centred: Floats = values - means[places]
    return centred


@dataclass(frozen=True)
class Standings:
    """Table of rated entrants, the best first: of ratings in Elo, or of mean scores.

    A table of ratings has the default for each field that is about scores, and the reverse.
    """

    rows: tuple[Rated, ...]
    unit: ValueUnit
    blocks: int
    """Number of blocks that compared two entrants; of deals that were played, by scores."""
    first_over_second: float | None
    """Likelihood that the first entrant is better than the second. By scores it follows from their
    common deals, or from all of their blocks."""
    disciplines: tuple[str, ...] = ()
    """Names of the disciplines with games, sorted."""
    anchor: str | None = None
    """Name of the only anchor if it has no error, otherwise None."""
    anchor_elo: float = 0.0
    """Elo of the first anchor, or of the mean without anchors."""
    anchor_in_core: bool = False
    """True if errors are against the anchor, or on the scale of several; otherwise they are against
    the mean of the core."""
    seat_advantage: Estimate | None = None
    """Advantage of seat 0 over seat 1; None unless exactly one discipline has two seats."""
    seats: tuple[SeatTerm, ...] = ()
    luck_correlation: float | None = None
    """Correlation between the games of a deal; negative if the cards decide and mirroring pays.
    None unless exactly one discipline has several seats."""
    anchors: tuple[Anchor, ...] | UnsetType = UNSET
    """All anchors, if there are several or one has an error."""
    prior: float | UnsetType = UNSET
    """Number of games drawn with the ghost, if it is not the default."""
    seat_terms: bool | UnsetType = UNSET
    """False if seats were assumed to have no advantage."""
    worst_score: float = 0.0
    """Score that a forfeit counts as."""
    reference: str | None = None
    """The anchor if it has played, otherwise the first entrant with the best mean, if any. None
    for blocks."""
    complete: bool = True
    """True if everybody who has played has played all deals."""
    of_blocks: bool = False
    """True for games of several seats: the mean of a block stands for the score of a deal."""

    def is_fixed(self, name: str) -> bool:
        """Return True if the rating of ``name`` was set, without an error."""
        several = () if self.anchors is UNSET else self.anchors
        return name in (self.anchor, *(each.name for each in several if not each.error))


def standings(tally: Tally, ratings: RatingFit) -> Standings:
    """Join a tally with a fit of it."""
    records = _records(tally, ratings.arrays)
    grouped = len({rating.group for rating in ratings.ratings} - {None}) > 1
    values = sorted(rating.value for rating in ratings.ratings if rating.value is not None)
    rows = [
        _with_results(rating, record, tally, values, grouped)
        for rating, record in zip(ratings.ratings, records, strict=True)
    ]
    rows.sort(key=lambda row: (row.rank or 0, row.name))
    if not any(row.bound is Bound.BOTH for row in rows):  # without a core no group has to be A
        rows = _numbered_in_order(rows)
    ahead = [row.name for row in rows[:2] if row.value is not None]
    model, usual = ratings.model, Model()
    anchors = [ratings.of(each.name) for each in model.anchors]
    return Standings(
        rows=tuple(rows),
        unit=ELO_UNIT,
        disciplines=tally.disciplines,
        anchor=model.anchor,
        anchor_elo=model.level,
        anchor_in_core=bool(anchors) and all(each.bound is Bound.BOTH for each in anchors),
        blocks=ratings.blocks,
        first_over_second=difference(ratings, *ahead).superiority if len(ahead) == 2 else None,
        seat_advantage=ratings.seat_advantage,
        seats=ratings.seats,
        luck_correlation=luck_correlation(ratings.arrays),
        anchors=model.anchors if model.anchors and model.anchor is None else UNSET,
        prior=UNSET if model.prior == usual.prior else model.prior,
        seat_terms=UNSET if model.seats else False,
    )


def apart(
    whole: Standings, ratings: RatingFit, names: Set[str]
) -> tuple[Standings, tuple[Rated, ...]]:
    """Split off the rows of ``names``. Anchors are never split off.

    Numbers that were computed from all games stay unchanged.
    """
    fixed = {each.name for each in ratings.model.anchors}
    own = tuple(row for row in whole.rows if row.name in names - fixed)
    rows = tuple(row for row in whole.rows if row not in own)
    return replace(whole, rows=rows), own


def placed(
    whole: Standings, names: Set[str], superiority: Callable[[str, str], float | None]
) -> Standings:
    """Return the table with ranks for ``names`` only, counted among these entrants.

    ``superiority``: the likelihood that one entrant is better than another one.
    """
    ranks = sorted(row.rank for row in whole.rows if row.name in names and row.rank is not None)
    own = {row.name: 1 + ranks.index(row.rank) for row in whole.rows if row.rank in ranks}
    rows = tuple(
        replace(row, rank=own[row.name] if row.name in names else None) for row in whole.rows
    )
    ahead = [row.name for row in rows if row.rank is not None and row.value is not None][:2]
    first = superiority(*ahead) if len(ahead) == 2 else None
    return replace(whole, rows=rows, first_over_second=first)


def _with_results(
    rating: Rated, record: EntrantRecord, tally: Tally, values: Sequence[float], grouped: bool
) -> Rated:
    """Return the row of an entrant; ``values`` are all ratings, the lowest first."""
    below = 0 if rating.value is None else bisect_right(values, rating.value)
    return replace(
        rating,
        rank=1 + len(values) - below,
        group=rating.group if grouped else None,
        games=record.games,
        points=float(record.points),
        wins=record.wins,
        draws=record.draws,
        losses=record.losses,
        score=float(record.points / record.contested) if record.contested else None,
        faults=tally.faults(rating.name),
    )


def _numbered_in_order(rows: list[Rated]) -> list[Rated]:
    """Return the rows with groups numbered in the order in which they occur."""
    met = list(dict.fromkeys(row.group for row in rows if row.group is not None))
    return [row if row.group is None else replace(row, group=met.index(row.group)) for row in rows]


def _records(tally: Tally, arrays: TallyArrays) -> list[EntrantRecord]:
    """Return the results of each entrant in all games."""
    totals = [tally.record(name) for name in arrays.entrants]
    parts = [_two_seat_records(cells, len(totals)) for cells in arrays.cells]
    parts += [deal_records(deals) for deals in arrays.deals]
    for part in parts:
        for total, record in zip(totals, part, strict=True):
            total.add(record)
    return totals


def _two_seat_records(cells: PairCells, entrants: int) -> list[EntrantRecord]:
    """Return the results of each entrant, mirrored for the second name of a pair."""
    codes = cells.counts.sum(axis=2) + cells.counts.sum(axis=1)
    totals = np.zeros((entrants, NO_ROW + 1))
    for names, order in (
        (cells.first, (LOSS, DRAW, WIN, NO_ROW)),
        (cells.second, (WIN, DRAW, LOSS, NO_ROW)),
    ):
        np.add.at(totals, names, codes[:, order])
    records = []
    for losses, draws, wins, both_faulty in totals.astype(int).tolist():
        record = EntrantRecord()
        record.wins, record.draws, record.losses = wins, draws, losses + both_faulty
        record.games = record.contested
        record.add_points(2 * wins + draws, 1)
        records.append(record)
    return records


def deal_records(deals: Deals) -> list[EntrantRecord]:
    """Return the results of each entrant; games alone on a deal are not contested."""
    values, played = deals.values, deals.values != ABSENT
    best = values.max(axis=1, keepdims=True)
    first = (values == best) & (best > FORFEIT)
    shared = first.sum(axis=1) > 1
    records = []
    for k, codes in enumerate(deals.codes()):
        record = EntrantRecord()
        record.games = int(played[:, k].sum())
        if deals.players > 1:
            record.wins = int((first[:, k] & ~shared).sum())
            record.draws = int((first[:, k] & shared).sum())
            record.losses = record.games - record.wins - record.draws
            half_points = int(np.where(codes == NO_ROW, 0, codes).sum())
            record.add_points(half_points, deals.players - 1)
        records.append(record)
    return records
