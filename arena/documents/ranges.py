"""Ranges of whole numbers as people write them: ``5``, ``5-20``, ``5-`` or ``-20``."""

from __future__ import annotations

from typing import Final, NamedTuple

from arena.documents.bad_input import BadInput
from arena.documents.problems import quote

_LONGEST_NUMBER: Final = 18


class NumberRange(NamedTuple):
    """A range of numbers, both ends included; None: no bound."""

    low: int | None = None
    high: int | None = None

    def has(self, number: int | None) -> bool:
        """Return whether ``number`` lies in the range; None lies in a range without bounds."""
        if number is None:
            return self == NumberRange()
        return (self.low is None or number >= self.low) and (
            self.high is None or number <= self.high
        )


def is_number(text: str) -> bool:
    """Return whether ``text`` is a whole number, not negative and not too long to be meant."""
    return text.isascii() and text.isdecimal() and len(text) <= _LONGEST_NUMBER


def read_range(option: str, text: str | None) -> NumberRange:
    """Return the range that ``A-B``, ``A``, ``A-`` or ``-B`` means; no bounds for None.

    Raises BadInput for anything else. ``option``: the option that ``text`` was given to.
    """
    if text is None:
        return NumberRange()
    first, dash, last = text.partition("-")
    if not (first or last) or not all(part == "" or is_number(part) for part in (first, last)):
        raise BadInput(f"{option}: found {quote(text)}, expected 5, 5-20, 5- or -20")
    low = int(first) if first else None
    high = int(last) if last else None if dash else low
    if low is not None and high is not None and low > high:
        raise BadInput(
            f"{option}: found {quote(text)}, which is backwards: expected {last}-{first}"
        )
    return NumberRange(low, high)
