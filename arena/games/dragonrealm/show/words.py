"""The words for cards, locations and enhancements of Dragonrealm."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import groupby
from typing import Final

INVENTED: Final = "si_"
"""Prefix of the ids of cards that a stand-in set invented."""


@lru_cache(maxsize=1024)
def name_of(name: str) -> str:
    """Return the displayed name of a location or enhancement: ``si_old_map`` is ``Old map``."""
    return name.removeprefix(INVENTED).replace("_", " ").capitalize()


def names_of(names: Sequence[str]) -> str:
    """Return the names of locations or enhancements in the order given."""
    return ", ".join(map(name_of, names))


def in_words(cards: Sequence[str]) -> str:
    """Return cards by suit in the order given, such as ``Bell 3 7, Drum 12, Goblins! left``."""
    return _grouped(tuple(cards))


@lru_cache(maxsize=16384)
def _grouped(cards: tuple[str, ...]) -> str:
    groups = groupby((card.partition(":") for card in cards), lambda parts: parts[0])
    return ", ".join(_group(suit, [parts[2] for parts in group]) for suit, group in groups)


def _group(suit: str, values: list[str]) -> str:
    if suit in ("goblins", "rockslide"):
        return ", ".join(f"{suit.capitalize()}! {value}" for value in values)
    return f"{suit.capitalize()} {' '.join(value.lstrip('0') for value in values)}"
