"""Conditions under which a note below a table says something."""

from __future__ import annotations

from typing import Final

from arena.ratings.elo.rating import Estimate

_NARROW: Final = 100.0
"""Half of the widest 95 % interval, in Elo, that excludes a large advantage of a seat."""
_MANY: Final = 25
"""Least number of blocks from which the correlation of their games is stated: by chance alone it
is then about 0.2."""
_REPEATED: Final = 0.1
"""Least share of repeated games that is stated; fewer make intervals at most 5 % too narrow."""


def is_advantage_known(found: Estimate) -> bool:
    """Return whether the interval of a seat's advantage excludes 0, or large values."""
    return found.error is not None and (found.error <= _NARROW or abs(found.elo) > found.error)


def is_correlation_known(blocks: int) -> bool:
    """Return whether so much was played that the correlation of games is more than chance."""
    return blocks >= _MANY


def are_repeats_many(games: int, repeated: int) -> bool:
    """Return whether ``repeated`` of all ``games`` make the intervals too narrow."""
    return repeated >= _REPEATED * games > 0
