"""Vectors of a fixed length for any JSON, by feature hashing.

Weinberger, Dasgupta, Langford, Smola and Attenberg, "Feature Hashing for Large Scale Multitask
Learning", 2009. Each fact has an entry of the vector, by a hash of its place and its text; two
facts may share one. So no game has to be described, and no list has to have a bound.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from functools import lru_cache
from operator import getitem
from typing import Any, Final, TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

LIMIT: Final = 1e6
"""Largest entry of a vector; larger numbers are cut."""
Vector: TypeAlias = NDArray[np.float32]
_MOST: Final = 1 << 21
"""Number of characters of facts whose entries are kept."""


class Features:
    """Makes vectors of one width, equal in every process."""

    def __init__(self, width: int) -> None:
        self._width = width
        self.kept = 0
        """Number of characters of the facts whose entries are kept."""
        self._root = _Place(self, "")

    def entry(self, fact: str) -> int:
        """Return the entry of a fact."""
        self.kept += len(fact)
        return zlib.crc32(fact.encode()) % self._width

    def vector(self, value: Any) -> Vector:
        """Return the vector of the JSON of a value.

        A number adds its value to the entry of its place, a text 1 to the entry of its place and
        text. A text in a list also adds 1 to an entry that does not depend on its index.
        """
        if self.kept > _MOST:
            self.kept, self._root = 0, _Place(self, "")
        ones: list[int] = []
        sums: dict[int, float] = {}
        _add(ones, sums, [(self._root, msgspec.to_builtins(value, str_keys=True))])
        entries = np.fromiter(ones, np.intp, len(ones))
        found = np.bincount(entries, minlength=self._width).astype(np.float32)
        for entry, total in sums.items():
            found[entry] = found.item(entry) + total
        if len(ones) + sum(map(abs, sums.values())) > LIMIT:
            np.clip(found, -LIMIT, LIMIT, out=found)
        return found


features = lru_cache(maxsize=8)(Features)


class _Texts(dict[str | None, int]):
    """Entries of the texts that were met somewhere in a list."""

    __slots__ = ("_features", "_name")

    def __init__(self, features: Features, name: str) -> None:
        self._features, self._name = features, name

    def __missing__(self, text: Any) -> int:
        if type(text) is not str:
            raise TypeError("an item that is no text")
        found = self[text] = self._features.entry(f"{self._name}={text}")
        return found


class _Place(_Texts):
    """A place in JSON, with the entries of the texts that were met there, and of None."""

    __slots__ = ("anywhere", "inner", "is_mixed", "number", "places")

    def __init__(self, features: Features, name: str) -> None:
        super().__init__(features, name)
        self.number = features.entry(name)
        """Entry of a number."""
        self.inner: dict[str, _Place] = {}
        """Places of members, by key."""
        self.places: list[_Place] = []
        """Places of items, by index."""
        self.anywhere = _Texts(features, f"{name}[]")
        self.is_mixed = False
        """True once a list here had other items than texts."""

    def __missing__(self, text: str | None) -> int:
        found = self[text] = self._features.entry(f"{self._name}={text}")
        return found

    def within(self, key: str) -> _Place:
        """Return the place of a member."""
        if (found := self.inner.get(key)) is None:
            found = self.inner[key] = _Place(self._features, f"{self._name}/{key}")
        return found

    def extended_to(self, length: int) -> list[_Place]:
        """Return the places of at least as many items. Several threads may ask at once."""
        known = self.places
        more = range(len(known), length)
        self.places = found = known + [
            _Place(self._features, f"{self._name}/{number}") for number in more
        ]
        return found


def _add(ones: list[int], sums: dict[int, float], values: Iterable[tuple[_Place, Any]]) -> None:
    """Add to ``ones`` the entries of texts, and numbers to ``sums`` by entry."""
    for place, value in values:
        kind = type(value)
        if kind is tuple or kind is list:
            items, size = place.places, len(ones)
            if len(items) < len(value):
                items = place.extended_to(len(value))
            if not place.is_mixed:
                try:
                    ones.extend(map(place.anywhere.__getitem__, value))
                    ones.extend(map(getitem, items, value))
                    continue
                except TypeError:  # an item is no text
                    del ones[size:]
                    place.is_mixed = True
            _add(ones, sums, zip(items, value, strict=False))
            ones.extend(place.anywhere[item] for item in value if type(item) is str)
        elif kind is dict:
            _add(ones, sums, zip(map(place.within, value), value.values(), strict=True))
        elif kind is int or kind is float or kind is bool:
            sums[place.number] = sums.get(place.number, 0.0) + value
        else:
            ones.append(place[value])
