"""The headline of a competition: the leader or winner, in the same words for every form.

A lead that may be chance is not clear: the headline names the next entrant too. Equal entrants are
level.

A headline follows from what decides the competition: the places by points, the last tie of a
knockout, or else the rating. Entrants without a place cannot lead: anchors of a ladder, further
bots of an author, and bots that play no more.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple

import msgspec

from arena.ratings.elo.rating import Bound, Rated, ValueUnit
from arena.ratings.elo.standings import Standings
from arena.values.numbers import count, listed
from arena.values.titles import called
from arena.views.tables import chance

PROVISIONAL: Final = 100.0
"""Half of a 95 % interval, in Elo, above which a rating is provisional."""
NAMED: Final = 3
"""Most leaders that a headline names; more of them are counted."""
CLEAR: Final = 0.95
"""Likelihood that the leader is stronger than the next entrant, below which no lead is clear."""


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
    is_level: bool = False
    """True if no entrant has another place."""
    second: str = ""
    """Name of the next entrant, if ``likelihood`` or ``decided`` is about it."""
    decided: str = ""
    """Reason why the first is before an equal ``second``: ``tie-break``, ``better seed``."""
    likelihood: float | None = None
    """Likelihood that the leader is stronger than the next entrant; None if unknown or shared."""

    def title(self) -> str:
        """Return a short sentence: ``anna leads``, or ``29 bots share the lead``."""
        are_many = len(self.names) > NAMED
        names = count(len(self.names), "bot") if are_many else listed([*map(called, self.names)])
        if self.is_level:
            return f"{names} are level" + ("" if self.has_won else " so far")
        if self.is_close:
            who = "winner" if self.has_won else "leader"
            return f"no clear {who}: {names} is ahead of {called(self.second)}"
        if are_many:
            return f"{names} share {'the first place' if self.has_won else 'the lead'}"
        verb = ("win" if self.has_won else "lead") + ("s" if len(self.names) == 1 else "")
        return f"{names} {verb}" + (" the knockout" if self.by is Criterion.KNOCKOUT else "")

    def evidence(self) -> str:
        """Return the end of the sentence: ``with 1042 Elo (provisional)``; empty if unknown.

        Where the likelihood that the leader is stronger than the next one is known, it replaces
        the mark: it says more.
        """
        if self.by is Criterion.KNOCKOUT or self.by is Criterion.POINTS:
            start = self.value if self.by is Criterion.KNOCKOUT else f"with {self.value}"
            ahead = f", ahead of {called(self.second)}" if self.second else ""
            return start + ahead + (f" by {self.decided}" if self.decided else "")
        than = chance(("it", self.second), self.comparative, self.likelihood)
        if self.is_close:  # the title names the second
            than = [line.replace(f" than {called(self.second)}", "") for line in than]
        mark = " (provisional)" if self.is_provisional and not than else ""
        return "; ".join([f"with {self.value}{mark}", *than])

    @property
    def is_close(self) -> bool:
        """True if the only leader may be ahead by chance."""
        return self.likelihood is not None and self.likelihood < CLEAR

    @property
    def comparative(self) -> str:
        """The word for the better of two entrants: ``stronger``, by a mean ``better``."""
        return "better" if self.by is Criterion.MEAN else "stronger"

    def words(self) -> str:
        """Return the whole sentence: ``anna leads with 1042 Elo (provisional)``."""
        evidence = self.evidence()
        between = ": " if self.by is Criterion.KNOCKOUT and evidence else " "
        return f"{self.title()}{between}{evidence}".rstrip()


class Heading(NamedTuple):
    """Head of a page that begins with the headline."""

    title: str
    mark: str = ""
    """Word behind the title, for a competition that continues."""
    evidence: str = ""


def heading(headline: Headline | None, name: str, *, is_over: bool) -> Heading:
    """Return the heading of the page of the competition ``name``."""
    if headline is None:
        return Heading(name if is_over else "No winner yet")
    title, evidence = headline.title(), headline.evidence()
    if headline.is_close:
        title = f"N{title[1:]}"
    mark = "" if is_over or headline.is_level else "so far"
    return Heading(title, mark, f"{evidence[0].upper()}{evidence[1:]}." if evidence else "")


def is_provisional(half: float | None, bound: Bound = Bound.BOTH) -> bool:
    """Return whether a rating is provisional: its interval is wide.

    ``half``: half of its 95 % interval in Elo, None without an interval.
    """
    return bound is not Bound.BOTH or half is None or half > PROVISIONAL


def is_row_provisional(standings: Standings, row: Rated) -> bool:
    """Return whether the rating of ``row`` is provisional; no set rating and no mean score is."""
    is_fixed = not standings.unit.is_elo or standings.is_fixed(row.name)
    return not is_fixed and is_provisional(row.error, row.bound)


def by_standings(standings: Standings, *, has_won: bool = False) -> Headline | None:
    """Return the headline of a table; None if no rated row has the first place."""
    first = [row for row in standings.rows if row.rank == 1 and row.value is not None]
    if not first:
        return None
    names = tuple(row.name for row in first)
    placed = [row.name for row in standings.rows if row.rank is not None]
    likelihood = standings.first_over_second if [*names] == placed[:1] else None
    return Headline(
        names,
        has_won,
        Criterion.RATING if standings.unit.is_elo else Criterion.MEAN,
        value_words(first[0].value or 0.0, standings.unit),
        is_provisional=any(is_row_provisional(standings, row) for row in first),
        is_level=len(names) == len(placed) > 1,
        second="" if likelihood is None else placed[1],
        likelihood=likelihood,
    )


def value_words(value: float, unit: ValueUnit) -> str:
    """Return ``1042 Elo`` or ``a mean of 3.25 deserters``."""
    shown = f"{value:.{unit.decimals}f} {unit.name}"
    return shown if unit.is_elo else f"a mean of {shown}"
