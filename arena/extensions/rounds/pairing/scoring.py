"""Points of a match: what a tournament file says of them, for pairings and for tables."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

import msgspec

from arena.extensions.rounds.pairing.history import Points
from arena.extensions.rounds.pairing.tables import TableResult
from arena.schedule.keys import CRITERIA, Bonus, Discipline, Ranking, TieBreak, WinPoints
from arena.schedule.kinds.kind import sides_of

_TENTHS: Final = 10
_SWISS: Final = {
    True: (TieBreak.BUCHHOLZ_CUT_1, TieBreak.DIRECT_ENCOUNTER, TieBreak.BLOCKS),
    False: (TieBreak.OPPONENTS, TieBreak.BLOCKS),
}
"""Tie-breaks where the file names none, by whether there are two seats."""
LEAGUE: Final = (
    TieBreak.DIRECT_ENCOUNTER,
    TieBreak.WINS,
    TieBreak.SONNEBORN_BERGER,
    TieBreak.KOYA,
)
"""Tie-breaks of leagues and groups at two seats where the file names none."""


class Scoring(msgspec.Struct, frozen=True):
    """The points of matches at one table size, and the order of equal points."""

    seats: int = 2
    points: Points = Points()
    """Points at two seats, in tenths."""
    places: tuple[Fraction, ...] = ()
    """Points of each place at more seats; empty for the share of opponents behind."""
    bonus: Bonus | None = None
    order: tuple[TieBreak, ...] = _SWISS[True]
    """Tie-breaks, without the points."""
    is_asked: bool = False
    """True if the tournament file sets points or order."""

    @property
    def win(self) -> Fraction:
        """Points of a won match, and of a bye."""
        if self.seats == 2:
            return Fraction(self.points.win, _TENTHS)
        return self.places[0] if self.places else Fraction(1)

    @property
    def best(self) -> Fraction:
        """Most points of a match."""
        return self.win + (0 if self.bonus is None else _exact(self.bonus.points))

    @property
    def most(self) -> Fraction:
        """Most points of a match that come from one opponent."""
        return self.best if self.seats == 2 else Fraction(1)

    def of(self, table: TableResult) -> tuple[Fraction, ...]:
        """Return the points of each in a match; equal places share theirs."""
        own = [self._place(table, share) for share in table.points]
        return tuple(a + b for a, b in zip(own, self.bonuses(table), strict=True))

    def _place(self, table: TableResult, share: Fraction) -> Fraction:
        if not table.is_played:
            return share * self.win
        if self.seats == 2:
            values = self.points.loss, self.points.draw, self.points.win
            return Fraction(values[int(2 * share)], _TENTHS)
        if not self.places:
            return share
        first = sum(other > share for other in table.points)
        alike = self.places[first : first + table.points.count(share)]
        return sum(alike, Fraction()) / len(alike)

    def bonuses(self, table: TableResult) -> tuple[Fraction, ...]:
        """Return the bonus of each at a table, none where a margin is not known."""
        bonus, margins = self.bonus, table.margins or (0,) * len(table.names)
        if bonus is None or not table.margins:
            return (Fraction(),) * len(table.names)
        top = max(table.points)
        is_alone = table.points.count(top) == 1
        return tuple(
            _exact(bonus.points)
            * _earns(bonus, own, won=share == top and is_alone, lost=share < top)
            for share, own in zip(table.points, margins, strict=True)
        )


def _earns(bonus: Bonus, own: int, *, won: bool, lost: bool) -> bool:
    """Return whether a match with the margin ``own`` earns the bonus."""
    is_high = won and bonus.margin is not None and own >= bonus.margin
    return is_high or (lost and bonus.within is not None and -own <= bonus.within)


def scoring_of(discipline: Discipline, usual: Sequence[TieBreak] = ()) -> Scoring:
    """Return the scoring of a discipline.

    ``usual``: tie-breaks at two seats where the file names none.
    """
    seats, ranking = sides_of(discipline), discipline.ranking or Ranking()
    points = Points()
    places: tuple[Fraction, ...] = ()
    if isinstance(ranking.points, WinPoints):
        win, draw, loss = map(
            _tenths, (ranking.points.win, ranking.points.draw, ranking.points.loss)
        )
        points = Points(win=win, draw=draw, loss=loss, bye=win)
    elif ranking.points is not None:
        places = tuple(map(_exact, ranking.points))
    order = tuple(CRITERIA[word] for word in ranking.order[1:])
    if not ranking.order:
        order = tuple(usual) if usual and seats == 2 else _SWISS[seats == 2]
    return Scoring(seats, points, places, ranking.bonus, order, bool(discipline.ranking))


def _tenths(points: float) -> int:
    return round(points * _TENTHS)


def _exact(points: float) -> Fraction:
    return Fraction(_tenths(points), _TENTHS)
