"""When each entrant played: the first and the last of its games, and those without a date."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Span(NamedTuple):
    """Of the games of one entrant. Seconds since 1970 UTC; 0 if no game has a date."""

    first: int = 0
    last: int = 0
    undated: int = 0
    """Games without a date."""

    def joined(self, other: Span) -> Span:
        """Of both together."""
        known = [each for each in (self.first, other.first) if each]
        first = min(known, default=0)
        return Span(first, max(self.last, other.last), self.undated + other.undated)


class Dates(dict[str, Span]):
    """By entrant."""

    def add(self, entrants: Iterable[str], played: int) -> None:
        """One game; ``played`` 0: it has no date."""
        own = Span(played, played, not played)
        for name in {*entrants}:
            span = self.get(name)
            if span is None:
                self[name] = own
            elif not (span.first <= played <= span.last and played):
                self[name] = span.joined(own)

    def absorb(self, name: str, span: Span) -> None:
        """More games of one entrant."""
        self[name] = self[name].joined(span) if name in self else span
