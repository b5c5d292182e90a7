"""Vectors of a fixed length for any JSON, by feature hashing.

Weinberger, Dasgupta, Langford, Smola and Attenberg, "Feature Hashing for Large Scale Multitask
Learning", 2009. Each fact has an entry of the vector, by a hash of its place and its text; two
facts may share one. So no game has to be described, and no list has to have a bound.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from functools import lru_cache
from itertools import chain
from operator import getitem
from typing import Any, Final, TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

LIMIT: Final = 1e6
"""Largest entry of a vector; larger numbers are cut."""
Vector: TypeAlias = NDArray[np.float32]
_MOST: Final = 1 << 19
"""Number of characters and items of values whose entries are kept."""


class Features:
    """Makes vectors of one width, equal in every process."""

    def __init__(self, width: int) -> None:
        self._width = width
        self.kept = 0
        """Number of characters and items of the values that are kept."""
        self._root = _Place(self, "")

    def entry(self, fact: str) -> int:
        """Return the entry of a fact."""
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


class _Place(dict[Any, tuple[int, ...]]):
    """A place in JSON, with the entries of texts and of tuples of texts that were met there."""

    __slots__ = ("_features", "_name", "inner", "is_mixed", "number")

    def __init__(self, features: Features, name: str) -> None:
        self._features, self._name = features, name
        self.number = features.entry(name)
        """Entry of a number."""
        self.inner = _Inner(features, name)
        self.is_mixed = False
        """True once a list here had other items than texts."""

    def __missing__(self, value: Any) -> tuple[int, ...]:
        if type(value) is not tuple:
            found: tuple[int, ...] = (self._features.entry(f"{self._name}={value}"),)
        elif (shorter := self.get(value[:-1])) and type(last := value[-1]) is str:
            found = shorter + self.inner[len(value) - 1][last] + self.inner[None][last]
        elif {*map(type, value)} <= {str}:
            by_index = map(getitem, map(self.inner.__getitem__, range(len(value))), value)
            anywhere = map(self.inner[None].__getitem__, value)
            found = (*chain.from_iterable(by_index), *chain.from_iterable(anywhere))
        else:
            raise TypeError("a list with other items than texts")
        self[value] = found
        self._features.kept += len(value or " ")
        return found


class _Inner(dict[str | int | None, _Place]):
    """Places of members by key, of items by index, and of items at any index."""

    __slots__ = ("_features", "_name")

    def __init__(self, features: Features, name: str) -> None:
        self._features, self._name = features, name

    def __missing__(self, key: str | int | None) -> _Place:
        name = f"{self._name}[]" if key is None else f"{self._name}/{key}"
        found = self[key] = _Place(self._features, name)
        self._features.kept += 1
        return found


def _add(ones: list[int], sums: dict[int, float], values: Iterable[tuple[_Place, Any]]) -> None:
    """Add to ``ones`` the entries of texts, and numbers to ``sums`` by entry."""
    for place, value in values:
        kind = type(value)
        if kind is list:
            kind, value = tuple, tuple(value)
        if kind is tuple and not place.is_mixed:
            try:
                ones += place[value]
                continue
            except TypeError:  # an item is no text, perhaps nothing that a dictionary holds
                place.is_mixed = True
        inner = place.inner
        if kind is dict:
            _add(ones, sums, zip(map(inner.__getitem__, value), value.values(), strict=True))
        elif kind is tuple:
            _add(ones, sums, zip(map(inner.__getitem__, range(len(value))), value, strict=True))
            for item in value:
                if type(item) is str:
                    ones += inner[None][item]
        elif kind is int or kind is float or kind is bool:
            sums[place.number] = sums.get(place.number, 0.0) + value
        else:
            ones += place[value]
