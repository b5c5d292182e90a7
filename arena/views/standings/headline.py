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
from arena.text.numbers import count, listed
from arena.text.tables import chance

PROVISIONAL: Final = 100.0
"""Half of a 95 % interval, in Elo, above which a rating is provisional."""
NAMED: Final = 3
"""Most leaders that a headline names; more of them are counted."""


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
    second: str = ""
    """Name of the next entrant, if ``likelihood`` is known."""
    likelihood: float | None = None
    """Likelihood that the leader is stronger than the next entrant; None if unknown or shared."""

    def title(self, show: Callable[[str], str]) -> str:
        """Return a short sentence: ``anna leads``, or ``29 bots share the lead``."""
        if len(self.names) > NAMED:
            shared = "the first place" if self.has_won else "the lead"
            return f"{count(len(self.names), 'bot')} share {shared}"
        verb = "win" if self.has_won else "lead"
        end = "s" if len(self.names) == 1 else ""
        return f"{listed([show(name) for name in self.names])} {verb}{end}"

    def evidence(self, show: Callable[[str], str]) -> str:
        """Return the end of the sentence: ``with 1042 Elo (provisional)``.

        Where the likelihood that the leader is stronger than the next one is known, it replaces
        the mark: it says more.
        """
        if self.by is Criterion.KNOCKOUT:
            return "the knockout"
        than = chance(("it", show(self.second)), self.comparative, self.likelihood)
        mark = " (provisional)" if self.is_provisional and not than else ""
        return "; ".join([f"with {self.value}{mark}", *than])

    @property
    def comparative(self) -> str:
        """The word for the better of two entrants: ``stronger``, by a mean ``better``."""
        return "better" if self.by is Criterion.MEAN else "stronger"

    def words(self, show: Callable[[str], str]) -> str:
        """Return the whole sentence: ``anna leads with 1042 Elo (provisional)``."""
        return f"{self.title(show)} {self.evidence(show)}"


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
        found = _headline([row.name for row in best], Criterion.MEAN, value, has_won=has_won)
    else:
        first = [row for row in standings.rows if row.rank == 1 and row.elo is not None]
        value = f"{first[0].elo:.0f} Elo" if first else ""
        is_open = any(is_row_provisional(standings, row) for row in first)
        found = _headline([row.name for row in first], Criterion.RATING, value, has_won=has_won)
        if found is not None:
            found = msgspec.structs.replace(found, is_provisional=is_open)
    placed = [row.name for row in standings.rows if row.rank is not None]
    likelihood = standings.first_over_second
    if found is None or likelihood is None or found.names != (placed[0],):
        return found
    return msgspec.structs.replace(found, second=placed[1], likelihood=likelihood)


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
