"""Think times of bots per move."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from math import ceil, floor, log10
from typing import Final, NamedTuple

BINS: Final = 8
"""Number of bins per power of ten."""


class Times(NamedTuple):
    """Think times of one bot, in microseconds."""

    name: str
    moves: int
    p50: int
    p90: int
    p99: int
    longest: int
    bins: Sequence[tuple[float, float, int]]
    """Bins as (from, to, moves), of equal width in logarithms."""


def times_of(name: str, moves: Sequence[int]) -> Times | None:
    """Return the quantiles and bins of ``moves``; None without moves.

    A quantile is the least value that holds its share.
    """
    if not moves:
        return None
    ordered = array("q", sorted(moves))

    def quantile(share: float) -> int:
        return ordered[max(0, ceil(share * len(ordered)) - 1)]

    counts: dict[int, int] = {}
    for value in ordered:
        place = floor(BINS * log10(max(1, value)))
        counts[place] = counts.get(place, 0) + 1
    bins = [(10 ** (k / BINS), 10 ** ((k + 1) / BINS), n) for k, n in sorted(counts.items())]
    return Times(
        name, len(ordered), quantile(0.5), quantile(0.9), quantile(0.99), ordered[-1], bins
    )
