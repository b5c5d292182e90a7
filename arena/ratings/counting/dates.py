"""Dates of the first and the last game of each entrant, and the number of undated games."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class DateSpan(NamedTuple):
    """Dates of the games of one entrant, in seconds since 1970 UTC; 0 if no game has a date."""

    first: int = 0
    last: int = 0
    undated: int = 0
    """Number of games without a date."""

    def joined(self, other: DateSpan) -> DateSpan:
        """Return the dates of the games of both spans together."""
        known = [each for each in (self.first, other.first) if each]
        first = min(known, default=0)
        return DateSpan(first, max(self.last, other.last), self.undated + other.undated)


class Dates(dict[str, DateSpan]):
    """Span of dates by name of the entrant."""

    def add(self, entrants: Iterable[str], played: int) -> None:
        """Count one game; ``played`` is in seconds since 1970 UTC, 0 if the game has no date."""
        own = DateSpan(played, played, not played)
        for name in {*entrants}:
            span = self.get(name)
            if span is None:
                self[name] = own
            elif not (span.first <= played <= span.last and played):
                self[name] = span.joined(own)

    def absorb(self, name: str, span: DateSpan) -> None:
        """Add the games of one entrant that ``span`` summarises."""
        self[name] = self[name].joined(span) if name in self else span
