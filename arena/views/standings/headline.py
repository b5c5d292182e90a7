"""The headline of a competition: the leader or winner, in the same words for every form.

A headline follows from what decides the competition: the places by points, the last tie of a
knockout, or else the rating. Entrants without a place cannot lead: anchors of a ladder, further
bots of an author, and bots that play no more.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import Final

import msgspec

from arena.ratings.elo.rating import Bound
from arena.ratings.elo.solo_standings import SoloStandings
from arena.ratings.elo.standings import Standing, Standings
from arena.text.numbers import listed

PROVISIONAL: Final = 100.0
"""Half of a 95 % interval, in Elo, above which a rating is provisional."""


class Criterion(StrEnum):
    """Kind of the value that decides who leads."""

    RATING = "rating"
    MEAN = "mean"
    POINTS = "points"
    KNOCKOUT = "knockout"


class Headline(msgspec.Struct, frozen=True):
    """The leaders of a competition, or its winners."""

    names: tuple[str, ...]
    """Entrants that share the first place."""
    has_won: bool
    """True if no result can follow that changes it."""
    by: Criterion
    value: str = ""
    """Rating, mean or points of the leaders, with the unit: ``1042 Elo``; empty in a knockout."""
    is_provisional: bool = False
    """True if the rating of any of these entrants is provisional."""

    @property
    def label(self) -> str:
        """The word ``leader`` or ``winner``."""
        return "winner" if self.has_won else "leader"

    def who(self, show: Callable[[str], str]) -> str:
        """Return the names as ``show`` makes them: ``anna (provisional)``."""
        mark = " (provisional)" if self.is_provisional else ""
        return f"{listed([show(name) for name in self.names])}{mark}"

    def title(self, show: Callable[[str], str]) -> str:
        """Return a short sentence: ``anna leads``."""
        verb = "win" if self.has_won else "lead"
        end = "s" if len(self.names) == 1 else ""
        return f"{listed([show(name) for name in self.names])} {verb}{end}"

    def words(self, show: Callable[[str], str]) -> str:
        """Return the whole sentence: ``anna leads with 1042 Elo (provisional)``."""
        if self.by is Criterion.KNOCKOUT:
            return f"{self.title(show)} the knockout"
        mark = " (provisional)" if self.is_provisional else ""
        return f"{self.title(show)} with {self.value}{mark}"


def is_provisional(half: float | None, bound: Bound = Bound.BOTH) -> bool:
    """Return whether a rating is provisional: its interval is wide.

    ``half``: half of its 95 % interval in Elo, None without an interval.
    """
    return bound is not Bound.BOTH or half is None or half > PROVISIONAL


def is_row_provisional(standings: Standings, row: Standing) -> bool:
    """Return whether the rating of ``row`` is provisional; ratings of anchors never are."""
    return not standings.is_fixed(row.name) and is_provisional(row.error, row.bound)


def by_standings(standings: Standings | SoloStandings, *, has_won: bool = False) -> Headline | None:
    """Return the headline of a table; None if no rated row has the first place."""
    if isinstance(standings, SoloStandings):
        best = [row for row in standings.rows if row.rank == 1 and row.mean is not None]
        value = f"a mean of {best[0].mean:.2f} {standings.score}" if best else ""
        return _headline([row.name for row in best], Criterion.MEAN, value, has_won=has_won)
    first = [row for row in standings.rows if row.rank == 1 and row.elo is not None]
    value = f"{first[0].elo:.0f} Elo" if first else ""
    is_open = any(is_row_provisional(standings, row) for row in first)
    found = _headline([row.name for row in first], Criterion.RATING, value, has_won=has_won)
    return None if found is None else msgspec.structs.replace(found, is_provisional=is_open)


def by_values(
    values: Mapping[str, tuple[float, float | None]],
    solo: SoloStandings | None,
    fixed: Sequence[str],
) -> Headline | None:
    """Return the headline by the best value at some time; None if ``values`` is empty.

    ``values``: rating or mean of each entrant with a place, and half of its interval. ``solo``: the
    present table of a solo discipline, else None. ``fixed``: entrants whose ratings were set.
    """
    sign = -1 if solo is not None and solo.less_is_better else 1
    best = max((sign * value for value, _ in values.values()), default=0.0)
    names = sorted(name for name, (value, _) in values.items() if sign * value == best)
    if solo is not None:
        return _headline(names, Criterion.MEAN, f"a mean of {sign * best:.2f} {solo.score}")
    found = _headline(names, Criterion.RATING, f"{best:.0f} Elo")
    is_open = any(name not in fixed and is_provisional(values[name][1]) for name in names)
    return None if found is None else msgspec.structs.replace(found, is_provisional=is_open)


def by_points(name: str, points: float, *, has_won: bool = False) -> Headline:
    """Return the headline of a tournament by points, led or won by the bot ``name``."""
    unit = "point" if points == 1 else "points"
    return Headline((name,), has_won, Criterion.POINTS, f"{points:g} {unit}")


def by_knockout(winner: str) -> Headline:
    """Return the headline of a knockout that is decided."""
    return Headline((winner,), True, Criterion.KNOCKOUT)


def _headline(
    names: Sequence[str], by: Criterion, value: str, *, has_won: bool = False
) -> Headline | None:
    return Headline(tuple(names), has_won, by, value) if names else None
