"""The table of a Swiss tournament at three and four seats: scores and tie-breaks.

There is no standard for these. Equal scores are ordered by the opponents' scores, then by the
points of blocks, and last by a lot from the seed.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import msgspec

from arena.games.luck import Luck
from arena.schedule.rounds.tables import FinishedRound, contenders


class Placing(msgspec.Struct, frozen=True):
    """One line of the table."""

    name: str
    score: Fraction
    """Sum over the rounds: 0 to 1 for each table, 1 for a bye."""
    opponents: Fraction
    """Mean score of the others at its table, summed over the rounds.

    In a round without a game, its own score counts.
    """
    blocks: Fraction
    """Mean of the block points at the tables that were played."""
    by_lot: bool
    """True if only the lot separates it from a neighbour."""


def placings(
    names: Sequence[str], rounds: Sequence[FinishedRound], seats: int, luck: Luck
) -> tuple[Placing, ...]:
    """Return the table, best first."""
    scores = {each.name: each.score for each in contenders(names, rounds, seats)}
    opponents = dict.fromkeys(names, Fraction())
    blocks: dict[str, list[int]] = {name: [] for name in names}
    for each in rounds:
        met = {
            name: [other for other in table.names if other != name]
            for table in each.tables
            if table.is_played
            for name in table.names
        }
        for name in names:
            others = met.get(name, [name])
            opponents[name] += sum((scores[other] for other in others), Fraction()) / len(others)
        for table in each.tables:
            for name, points in zip(table.names, table.blocks, strict=True):
                blocks[name] += [points] * table.is_played
    values = {
        name: (scores[name], opponents[name], Fraction(sum(own), len(own) or 1))
        for name, own in blocks.items()
    }
    lot = {name: place for place, name in enumerate(luck.shuffle("lot", 0, sorted(names)))}
    order = sorted(names, key=lambda name: (*(-value for value in values[name]), lot[name]))
    alike = list(values.values())
    return tuple(Placing(name, *values[name], alike.count(values[name]) > 1) for name in order)
