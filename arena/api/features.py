"""Vectors of a fixed length for observations and actions of any game.

Feature hashing: Weinberger, Dasgupta, Langford, Smola and Attenberg, "Feature Hashing for Large
Scale Multitask Learning", 2009. Each fact has an entry of the vector, by a hash of its place and
its text; two facts may share one. So no game has to be described, and no list has to have a bound.
"""

from __future__ import annotations

import zlib
from functools import lru_cache
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

LIMIT: Final = 1e6
"""Largest entry of a vector; larger numbers are cut."""
Vector: TypeAlias = NDArray[np.float32]


def vector(value: Any, width: int) -> Vector:
    """Return the vector of parsed JSON.

    A number adds its value to the entry of its place, a text 1 to the entry of its place and text.
    A text in a list also adds 1 to an entry that does not depend on its index.
    """
    found = np.zeros(width, np.float32)
    _add(found, "", value, width)
    return np.clip(found, -LIMIT, LIMIT, out=found)


@lru_cache(maxsize=1 << 17)
def _entry(fact: str, width: int) -> int:
    """Return the entry of a fact, equal in every process."""
    return zlib.crc32(fact.encode()) % width


def _add(found: Vector, place: str, value: Any, width: int) -> None:
    if isinstance(value, dict):
        for key, inner in value.items():
            _add(found, f"{place}/{key}", inner, width)
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            _add(found, f"{place}/{number}", inner, width)
            if isinstance(inner, str):
                found[_entry(f"{place}[]={inner}", width)] += 1
    elif isinstance(value, int | float):
        found[_entry(place, width)] += value
    else:
        found[_entry(f"{place}={value}", width)] += 1
