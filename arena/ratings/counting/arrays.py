"""The numbers of a tally as arrays, in an order that does not depend on how it was filled.

Entrants are numbered by sorted name. Parameters are the entrants' strengths, followed by one seat
term per seat of each discipline with at least two seats. All games reach the solver as comparisons
of two entrants. Scores are halves and counts are integers, so every sum of them is exact.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from arena.ratings.counting.counts import CODES, NO_ROW, MultiSeatCounts
from arena.ratings.counting.scored import ABSENT, FORFEIT, SoloTally
from arena.ratings.counting.tally import Tally

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
Bools: TypeAlias = npt.NDArray[np.bool_]
Codes: TypeAlias = npt.NDArray[np.int8]


class Seats(NamedTuple):
    """Seat terms of one discipline."""

    discipline: str
    seats: int
    first: int
    """Parameter number of seat 0; the parameters of the other seats follow."""


class Rows(NamedTuple):
    """Comparisons of ``first`` with ``second``, one element per row; equal comparisons are joined.

    An entrant without a seat has the parameter number after the last one, whose value is always 0.
    """

    first: Ints
    """Parameter number of the entrant whose score is counted."""
    second: Ints
    first_seat: Ints
    """Parameter number of the seat term of ``first``."""
    second_seat: Ints
    weight: Floats
    games: Floats
    score: Floats
    """Sum of the scores of ``first``, 0 … games."""

    def parameters(self) -> tuple[tuple[Ints, float], ...]:
        """Return the four parameter numbers in a difference of strength, each with its sign."""
        return (
            (self.first, 1.0),
            (self.second, -1.0),
            (self.first_seat, 1.0),
            (self.second_seat, -1.0),
        )

    def difference(self, x: Floats) -> Floats:
        """Return the difference of strength in each row, in nats, for parameters ``x``."""
        x = np.append(x, 0.0)
        return x[self.first] - x[self.second] + x[self.first_seat] - x[self.second_seat]


def weight(entrants: int) -> float:
    """Return the weight of one pair in a game, or on a solo deal, of ``entrants`` entrants.

    With this weight the information of independent games equals the variance of their scores at
    equal strength: a game has sensitivity n/4 and score variance n(n+1)/12 per contrast.
    """
    return 3.0 / (entrants + 1)


def rows(
    first: Ints, second: Ints, seats: tuple[int, int], weight: float, games: Floats, score: Floats
) -> Rows:
    """Return rows of one ``weight`` whose entrants sat on the same two ``seats``."""
    ones = np.ones_like(first)
    return Rows(
        first, second, ones * seats[0], ones * seats[1], weight * np.ones_like(games), games, score
    )


def joined(parts: Sequence[Rows]) -> Rows:
    """Return all rows of the ``parts``, in their order."""
    nothing = np.empty(0, np.int64)
    parts = [rows(nothing, nothing, (0, 0), 0.0, np.empty(0), np.empty(0)), *parts]
    return Rows(*map(np.concatenate, zip(*parts, strict=True)))


def added(keys: Ints, values: Floats, size: int) -> Floats:
    """Return the sums of ``values`` by key 0 … size-1; values are added in their order."""
    return np.bincount(keys, values, size).astype(np.float64, copy=False)


def distinct(keys: Ints) -> Ints:
    """Return each key once, in ascending order.

    For keys that are nearly in order this takes a tenth of the time of np.unique.
    """
    ordered = np.sort(keys, kind="stable")
    found: Ints = ordered[np.append(np.ones(len(ordered[:1]), bool), ordered[1:] != ordered[:-1])]
    return found


def scatter(values: Floats, a: Ints, b: Ints, size: int) -> Floats:
    """Return a size x size matrix with the ``values`` added up at [a, b]."""
    return added(a * size + b, values, size * size).reshape(size, size)


@dataclass(frozen=True)
class PairCells:
    """Blocks of the pairs first[k] < second[k] of a two-seat discipline.

    counts[k, a, b] is as in ``PairCounts.cells``.
    """

    seats: Seats
    first: Ints
    second: Ints
    counts: Floats

    def within(self, group: Ints) -> PairCells:
        """Return the blocks between entrants of one group; ``group`` holds a number per entrant."""
        inside = group[self.first] == group[self.second]
        return PairCells(self.seats, self.first[inside], self.second[inside], self.counts[inside])

    def blocks(self) -> Floats:
        """Return the number of blocks with at least one decided game, per pair."""
        undecided = self.counts[:, NO_ROW:, NO_ROW:].sum(axis=(1, 2))
        blocks: Floats = self.counts.sum(axis=(1, 2)) - undecided
        return blocks

    def rows(self) -> Iterator[Rows]:
        """Yield the comparisons of all pairs by the seat of the first name."""
        base = self.seats.first
        for other_axis, seats in ((2, (base, base + 1)), (1, (base + 1, base))):
            by_code = self.counts.sum(axis=other_axis)[:, :NO_ROW]
            met = np.flatnonzero(by_code.sum(axis=1))
            games, score = by_code.sum(axis=1)[met], (0.5 * by_code[:, 1] + by_code[:, 2])[met]
            yield rows(self.first[met], self.second[met], seats, weight(2), games, score)


@dataclass(frozen=True)
class MultiSeatArrays:
    """Games of a discipline with more than two seats, sorted by block and content."""

    seats: Seats
    block: Ints
    """Block number per game: 0, 1, … in the order of block names."""
    entrants: Ints
    """Entrant number by [game, seat]."""
    codes: Ints
    """Result code by [game, pair of seats]."""

    def within(self, group: Ints) -> MultiSeatArrays:
        """Return the games without the comparisons of entrants of different groups.

        ``group`` holds a number per entrant.
        """
        held = group[self.entrants]
        codes = self.codes.copy()
        for k, (a, b) in enumerate(combinations(range(self.seats.seats), 2)):
            codes[held[:, a] != held[:, b], k] = NO_ROW
        return replace(self, codes=codes)

    def pairs(self) -> Iterator[tuple[int, int, Ints]]:
        """Yield each pair of seats with the codes of its games."""
        for k, (a, b) in enumerate(combinations(range(self.seats.seats), 2)):
            yield a, b, self.codes[:, k]

    def rows(self, size: int) -> Iterator[Rows]:
        """Yield the comparisons of each pair of seats, summed by entrants.

        ``size``: number of entrants.
        """
        for a, b, codes in self.pairs():
            valid = codes != NO_ROW
            key = (self.entrants[:, a] * size + self.entrants[:, b])[valid]
            count = np.bincount(key, minlength=size * size).astype(np.float64)
            score = added(key, codes[valid] / 2, size * size)
            met = np.flatnonzero(count)
            seats = (self.seats.first + a, self.seats.first + b)
            weighed = weight(self.seats.seats)
            yield rows(met // size, met % size, seats, weighed, count[met], score[met])

    def blocks_against(self, opponents: Bools) -> Ints:
        """Return the number of blocks that compared each entrant with one of the ``opponents``."""
        size, met = len(opponents), np.zeros(self.entrants.shape, bool)
        for a, b, codes in self.pairs():
            for mine, other in ((a, b), (b, a)):
                met[:, mine] |= (codes != NO_ROW) & opponents[self.entrants[:, other]]
        keys = (self.block[:, None] * size + self.entrants)[met]
        return np.bincount(distinct(keys) % size, minlength=size)

    def blocks_within(self, group: Ints) -> Ints:
        """Return, per group, the number of blocks that compared two of its members.

        ``group`` holds a number per entrant, -1 for an entrant without a group.
        """
        size, held = int(group.max()) + 1, group[self.entrants]
        keys = [np.empty(0, np.int64)]
        for a, b, codes in self.pairs():
            valid = (codes != NO_ROW) & (held[:, a] == held[:, b]) & (held[:, a] >= 0)
            keys.append(distinct(self.block[valid] * size + held[valid, a]))
        return np.bincount(distinct(np.concatenate(keys)) % size, minlength=size)


@dataclass(frozen=True)
class Deals:
    """Deals of one solo discipline that the same number of entrants played.

    With m entrants on a deal, each pair scores 1, 1/2 or 0 with the weight of a pair at a table of
    m. There are no seats, and each deal is a block. A forfeit is worse than any score; two forfeits
    on the same deal are not compared.
    """

    players: int
    """Number of entrants that played each of these deals."""
    values: Ints
    """Score by [deal, entrant], higher is better; FORFEIT and ABSENT as in ``SoloTally``."""

    def among(self, members: Bools) -> Deals:
        """Return the deals as if only the ``members`` had played; pairs keep their weight."""
        return replace(self, values=np.where(members, self.values, ABSENT))

    def codes(self) -> Iterator[Codes]:
        """Yield the codes of each entrant by [deal, other entrant]; NO_ROW if undecided."""
        decided = self.values > FORFEIT
        played = self.values != ABSENT
        for k in range(self.values.shape[1]):
            own = self.values[:, k : k + 1]
            codes = (own > self.values).astype(np.int8) + (own >= self.values)
            compared = played[:, k : k + 1] & played & (decided[:, k : k + 1] | decided)
            compared[:, k] = False
            codes[~compared] = NO_ROW
            yield codes

    def rows(self, nowhere: int) -> Iterator[Rows]:
        """Yield the comparisons of every pair of entrants once.

        ``nowhere`` is the parameter number that stands for no seat.
        """
        for k, codes in enumerate(self.codes()):
            later = codes[:, k + 1 :]
            games = (later != NO_ROW).sum(axis=0)
            score = np.where(later == NO_ROW, 0, later).sum(axis=0) / 2
            met = np.flatnonzero(games)
            ones = np.ones_like(met)
            yield rows(
                ones * k,
                met + k + 1,
                (nowhere, nowhere),
                weight(self.players),
                games[met].astype(np.float64),
                score[met],
            )

    def residuals(self, expected: Floats, root: Floats) -> Floats:
        """Return weighted score minus expected score against the others, by [deal, entrant].

        ``expected``: expected score of each pair, by [entrant, other]. ``root``: further weight.
        """
        found = np.zeros(self.values.shape)
        for k, codes in enumerate(self.codes()):
            residual = np.where(codes == NO_ROW, 0.0, codes / 2 - expected[k]) * root[k]
            found[:, k] = weight(self.players) * residual.sum(axis=1)
        return found

    def met(self, opponents: Bools) -> Bools:
        """Return whether a deal compares an entrant with ``opponents``, by [deal, entrant].

        ``opponents``: truth value per entrant.
        """
        played, decided = self.values != ABSENT, self.values > FORFEIT
        others_played = (played & opponents).sum(axis=1, keepdims=True) > (played & opponents)
        others_decided = (decided & opponents).sum(axis=1, keepdims=True) > (decided & opponents)
        met: Bools = (decided & others_played) | (played & others_decided)
        return met


@dataclass(frozen=True)
class TallyArrays:
    """Arrays from which a fit is computed."""

    entrants: tuple[str, ...]
    seats: tuple[Seats, ...]
    """Seat terms of the disciplines in which entrants share a table, ordered by name."""
    cells: tuple[PairCells, ...]
    games: tuple[MultiSeatArrays, ...]
    deals: tuple[Deals, ...]
    rows: Rows

    @property
    def size(self) -> int:
        """Number of parameters."""
        return _parameters(self.entrants, self.seats)

    def within(self, group: Ints) -> TallyArrays:
        """Return the arrays with only comparisons within a group; all parameters remain.

        ``group`` holds a number per entrant.
        """
        if group.max(initial=0) == group.min(initial=0):
            return self
        first, second = self.rows.first, self.rows.second
        several = np.flatnonzero(np.bincount(group[group >= 0]) > 1).tolist()
        return replace(
            self,
            cells=tuple(cells.within(group) for cells in self.cells),
            games=tuple(games.within(group) for games in self.games),
            deals=tuple(deals.among(group == k) for deals in self.deals for k in several),
            rows=Rows(*(column[group[first] == group[second]] for column in self.rows)),
        )

    def blocks_against(self, opponents: Bools) -> Ints:
        """Return the number of blocks that compared each entrant with one of the ``opponents``."""
        counts = np.zeros(len(self.entrants))
        for cells in self.cells:
            blocks = cells.blocks()
            counts += added(cells.first, blocks * opponents[cells.second], len(counts))
            counts += added(cells.second, blocks * opponents[cells.first], len(counts))
        for games in self.games:
            counts += games.blocks_against(opponents)
        for deals in self.deals:
            counts += deals.met(opponents).sum(axis=0)
        return counts.astype(np.int64)

    def blocks_within(self, group: Ints) -> Ints:
        """Return, per group, the number of blocks that compared two of its members.

        ``group`` holds a number per entrant, -1 for an entrant without a group.
        """
        total = np.zeros(int(group.max(initial=-1)) + 1, np.int64)
        for cells in self.cells:
            inside = (group[cells.first] == group[cells.second]) & (group[cells.first] >= 0)
            blocks = cells.blocks()[inside]
            total += added(group[cells.first[inside]], blocks, len(total)).astype(np.int64)
        for games in self.games:
            total += games.blocks_within(group)
        for deals in self.deals:
            for number in np.flatnonzero(np.bincount(group[group >= 0]) > 1).tolist():
                inside = group == number
                total[number] += (deals.met(inside) & inside).any(axis=1).sum()
        return total

    def blocks_among(self, members: Bools) -> int:
        """Return the number of blocks in which two of the ``members`` were compared."""
        return int(self.blocks_within(np.where(members, 0, -1)).sum())


def arrays_of(tally: Tally) -> TallyArrays:
    """Return the arrays of a tally."""
    entrants = tally.entrants
    rank = {name: k for k, name in enumerate(entrants)}
    seats: list[Seats] = []
    cells: list[PairCells] = []
    games: list[MultiSeatArrays] = []
    for name, counts in tally.counts.items():
        terms = Seats(name, counts.seats, _parameters(entrants, seats))
        pairs = counts.pairs.cells()
        if pairs:
            seats.append(terms)
            cells.append(_pair_cells(terms, pairs, rank))
        elif counts.tables.blocks:
            seats.append(terms)
            games.append(_games(terms, counts.tables, rank))
    solo = [part for counted in _paired(tally) for part in solo_deals(counted, entrants)]
    parts = [row for part in cells for row in part.rows()]
    parts += [row for part in games for row in part.rows(len(entrants))]
    parts += [row for part in solo for row in part.rows(_parameters(entrants, seats))]
    return TallyArrays(
        entrants, tuple(seats), tuple(cells), tuple(games), tuple(solo), joined(parts)
    )


def _parameters(entrants: Sequence[str], seats: Sequence[Seats]) -> int:
    return len(entrants) + sum(terms.seats for terms in seats)


def _pair_cells(
    seats: Seats, counted: Mapping[tuple[str, str], Sequence[int]], rank: Mapping[str, int]
) -> PairCells:
    pairs = np.array([(rank[a], rank[b]) for a, b in counted], np.int64)
    counts = np.array(list(counted.values()), np.float64).reshape(-1, CODES, CODES)
    return PairCells(seats, pairs[:, 0], pairs[:, 1], counts)


def _games(seats: Seats, tables: MultiSeatCounts, rank: Mapping[str, int]) -> MultiSeatArrays:
    ranks = np.array([rank[name] for name in tables.entrant_ids], np.int64)
    by_name = np.empty(len(tables.block_ids), np.int64)
    by_name[[tables.block_ids[name] for name in sorted(tables.block_ids)]] = np.arange(len(by_name))
    games = len(tables.blocks)
    block = by_name[np.array(tables.blocks)]
    entrants = ranks[np.array(tables.entrants)].reshape(games, -1)
    codes = np.array(tables.codes).reshape(games, -1)
    order = np.lexsort((*codes.T, *entrants.T, block))
    return MultiSeatArrays(seats, block[order], entrants[order], codes[order])


def _paired(tally: Tally) -> list[SoloTally]:
    """Return the solo disciplines, whose deals several entrants play; blocks are not such deals."""
    return [solo for solo in tally.solo.values() if solo.games is None]


def solo_deals(solo: SoloTally, entrants: tuple[str, ...]) -> list[Deals]:
    """Return the deals grouped by number of players, each group in the order of deal names.

    Columns are ``entrants``, which must include all entrants of the tally.
    """
    names = solo.deals
    order = np.array(sorted(range(len(names)), key=names.__getitem__), np.int64)
    sign = -1 if solo.less_is_better else 1
    values = np.array([solo.scores(name) for name in entrants], np.int64)
    values = values.reshape(len(entrants), len(names)).T[order]
    values = np.where(values > FORFEIT, sign * values, values)
    players = (values != ABSENT).sum(axis=1)
    return [Deals(int(m), values[players == m]) for m in np.unique(players)]
