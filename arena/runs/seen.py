"""Which texts have come by, in a few bytes each."""

from __future__ import annotations

from array import array
from typing import Final

_ITEM: Final = "Q"
_BYTES: Final = 8
_FIRST: Final = 1 << 10
"""Places to begin with; a power of two, as ever after."""


class Seen:
    """A set of texts by their hashes alone: a million take 17 MB.

    That one of a million is taken for another happens once in forty million times, and the next
    time to others: hashes differ from process to process.
    """

    __slots__ = ("_count", "_hashes")

    def __init__(self) -> None:
        self._hashes = _empty(_FIRST)
        self._count = 0

    def add(self, text: str) -> bool:
        """Add a text; whether it was new."""
        key = hash(text) % (1 << 8 * _BYTES) or 1
        if not _put(self._hashes, key):
            return False
        self._count += 1
        if 3 * self._count > 2 * len(self._hashes):
            larger = _empty(2 * len(self._hashes))
            for each in filter(None, self._hashes):
                _put(larger, each)
            self._hashes = larger
        return True


def _empty(places: int) -> array[int]:
    return array(_ITEM, [0]) * places


def _put(hashes: array[int], key: int) -> bool:
    """Put a key into the first free place from its own on; whether it was not there."""
    last = len(hashes) - 1
    place = key & last
    while (found := hashes[place]) != key:
        if not found:
            hashes[place] = key
            return True
        place = (place + 1) & last
    return False
