"""Solo games as comparisons: a deal compares all entrants that played it.

With m entrants on a deal, each pair scores 1, 1/2 or 0 with the weight of a pair at a
table of m. There are no seats, and the deal is the block. A forfeit is worse than any
score; two forfeits on the same deal say nothing about each other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from arena.ratings.counting.codes import NO_ROW
from arena.ratings.counting.counts import Record
from arena.ratings.counting.graph import Bools
from arena.ratings.counting.rows import Floats, Ints, Rows, rows, weight
from arena.ratings.counting.solo import ABSENT, FORFEIT, SoloTally

Codes: TypeAlias = npt.NDArray[np.int8]


@dataclass(frozen=True)
class Deals:
    """The deals of one solo discipline that as many entrants have played."""

    players: int
    """How many entrants played each of these deals."""
    values: Ints
    """[deal, entrant], higher is better; FORFEIT and ABSENT as in ``SoloTally``."""

    def among(self, members: Bools) -> Deals:
        """As if only the ``members`` had played, each comparison with its weight."""
        return replace(self, values=np.where(members, self.values, ABSENT))

    def codes(self) -> Iterator[Codes]:
        """For each entrant [deal, other entrant]: its code, NO_ROW where nothing is decided."""
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
        """Every pair of entrants once; ``nowhere`` is the parameter of no seat."""
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

    def residuals(self, expected: Floats) -> Floats:
        """[deal, entrant]: weighted score minus expected score against the others.

        ``expected``: [entrant, other], the expected score of a pair.
        """
        found = np.zeros(self.values.shape)
        for k, codes in enumerate(self.codes()):
            residual = np.where(codes == NO_ROW, 0.0, codes / 2 - expected[k])
            found[:, k] = weight(self.players) * residual.sum(axis=1)
        return found

    def met(self, opponents: Bools) -> Bools:
        """[deal, entrant]: whether the deal compared it with one of the ``opponents``."""
        played, decided = self.values != ABSENT, self.values > FORFEIT
        others_played = (played & opponents).sum(axis=1, keepdims=True) > (played & opponents)
        others_decided = (decided & opponents).sum(axis=1, keepdims=True) > (decided & opponents)
        met: Bools = (decided & others_played) | (played & others_decided)
        return met

    def records(self) -> list[Record]:
        """By entrant; alone on its deals it plays games that are not contested."""
        played = self.values != ABSENT
        best = self.values.max(axis=1, keepdims=True)
        first = (self.values == best) & (best > FORFEIT)
        shared = first.sum(axis=1) > 1
        found = []
        for k, codes in enumerate(self.codes()):
            record = Record()
            record.games = int(played[:, k].sum())
            if self.players > 1:
                record.wins = int((first[:, k] & ~shared).sum())
                record.draws = int((first[:, k] & shared).sum())
                record.losses = record.games - record.wins - record.draws
                half_points = int(np.where(codes == NO_ROW, 0, codes).sum())
                record.add_points(half_points, self.players - 1)
            found.append(record)
        return found


def solo_deals(solo: SoloTally, entrants: tuple[str, ...]) -> list[Deals]:
    """The deals by number of players, each in the order of names.

    Columns are ``entrants``, which must hold all of the tally's.
    """
    names = solo.deals
    sign = -1 if solo.less_is_better else 1
    values = np.array([solo.scores(name) for name in entrants], np.int64)
    values = values.reshape(len(entrants), len(names)).T[_sorted(names)]
    values = np.where(values > FORFEIT, sign * values, values)
    players = (values != ABSENT).sum(axis=1)
    return [Deals(int(m), values[players == m]) for m in np.unique(players)]


def _sorted(names: tuple[str, ...]) -> Ints:
    return np.array(sorted(range(len(names)), key=names.__getitem__), np.int64)
