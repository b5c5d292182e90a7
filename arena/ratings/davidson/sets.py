"""Who is placed next: the sets of seats that may share a place, and what they make of it.

Places are given out in stages. At each stage a set of c of the seats that are left is placed
next, with a weight of delta_c * exp(mean strength of its members); delta_1 is 1. The stages of
a game are independent given who is left. With two seats this is Davidson's model (1970), without
ties Plackett and Luce's (Firth, Kosmidis, Turner: Davidson-Luce, arXiv 1909.07123).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import combinations
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from arena.ratings.counting.codes import LOSS, NO_ROW, WIN
from arena.ratings.counting.graph import Bools
from arena.ratings.counting.rows import Floats, Ints

LARGEST_TIE: Final = 4
"""Seats that may share a place in the model."""
_FARTHEST: Final = 150.0
"""Nats from the mean of a table; beyond it no chance changes."""
_DUEL: Final = {0b01: 0, 0b11: 1, 0b10: 2}
"""Above, level, below, from which of seats 0 and 1 is placed while both are left."""


class Sets(NamedTuple):
    """The sets that may be placed next when ``left`` seats are left."""

    left: int
    ties: tuple[int, ...]
    """Sizes above 1 that occur."""
    members: Bools
    """[set, seat]"""
    features: Floats
    """[set, seat or tie]: a member's share in the mean strength, then 1 at its size."""
    number: Mapping[tuple[int, ...], int]
    """By members."""


@cache
def sets_of(left: int, ties: tuple[int, ...]) -> Sets:
    """Of ``left`` seats, all single ones and all sets with a size in ``ties``."""
    found = [
        chosen
        for size in range(1, left + 1)
        if size == 1 or size in ties
        for chosen in combinations(range(left), size)
    ]
    members = np.zeros((len(found), left), bool)
    for k, chosen in enumerate(found):
        members[k, list(chosen)] = True
    sizes = members.sum(axis=1, keepdims=True)
    tied = sizes == np.array(ties, np.int64)
    features = np.hstack([members / sizes, tied.astype(np.float64)])
    return Sets(left, ties, members, features, {chosen: k for k, chosen in enumerate(found)})


class Chances(NamedTuple):
    """What places to expect; a tie shares the better place and skips the next, as in 1, 1, 3."""

    place: Floats
    """[table, seat, place - 1]"""
    shared: Floats
    """[table, seat]: that the place is shared."""
    ties: Floats
    """[table, tie]: mean number of ties of each size."""
    above: Floats
    """[table]: that seat 0 is placed above seat 1."""
    level: Floats
    below: Floats


def chances(strengths: Floats, deltas: Floats, ties: tuple[int, ...]) -> Chances:
    """From [table, seat] strengths in nats and the ln delta of each size in ``ties``."""
    tables, seats = strengths.shape
    centred = np.clip(strengths - strengths.mean(axis=1, keepdims=True), -_FARTHEST, _FARTHEST)
    sets = sets_of(seats, ties)
    logs = np.einsum("ij,kj->ki", np.hstack([centred, np.tile(deltas, (tables, 1))]), sets.features)
    weights = np.exp(logs - logs.max(axis=0))
    masks = (sets.members << np.arange(seats)).sum(axis=1).tolist()
    place = np.zeros((tables, seats, seats))
    duel = np.zeros((3, tables))
    shared, tied = np.zeros((tables, seats)), np.zeros((tables, len(ties)))
    reached: dict[int, Floats] = {(1 << seats) - 1: np.ones(tables)}
    for left in _downwards(seats):
        chance = reached.pop(left, None)
        if chance is None:
            continue
        inside = [k for k, mask in enumerate(masks) if mask & ~left == 0]
        chance = chance / sum(weights[k] for k in inside)
        for k in inside:
            next_is = chance * weights[k]
            members = sets.members[k]
            size = int(members.sum())
            place[:, members, seats - left.bit_count()] += next_is[:, None]
            if left & masks[k] & 0b11 and left & 0b11 == 0b11:
                duel[_DUEL[masks[k] & 0b11]] += next_is
            if size > 1:
                shared[:, members] += next_is[:, None]
                tied[:, ties.index(size)] += next_is
            rest = left & ~masks[k]
            reached[rest] = reached[rest] + next_is if rest in reached else next_is
    return Chances(place, shared, tied, *duel)


Stage: TypeAlias = tuple[tuple[int, ...], tuple[int, ...]]
"""Seats left, and those of them that are placed next."""


def _downwards(seats: int) -> Iterator[int]:
    """Every non-empty set of seats as bits, larger sets first."""
    yield from sorted(range(1, 1 << seats), key=int.bit_count, reverse=True)


def stages(codes: Ints, seats: int) -> tuple[list[Stage], bool]:
    """((seats left, seats placed next) per stage, whether all are known) from codes by pair.

    ``codes`` holds a code for each pair of seats, in the order of ``combinations``. The stages
    end before the first in which it is not known who comes next, or too many share a place; a
    last seat alone is no stage.
    """
    beats, silent = _matrices(codes, seats)
    found: list[Stage] = []
    left = tuple(range(seats))
    while len(left) > 1:
        chosen = tuple(s for s in left if not any(beats[t, s] for t in left))
        if len(chosen) > LARGEST_TIE or any(silent[s, t] for s in chosen for t in chosen):
            return found, False
        found.append((left, chosen))
        left = tuple(s for s in left if s not in chosen)
    return found, True


def _matrices(codes: Ints, seats: int) -> tuple[Bools, Bools]:
    """[a, b]: a is placed above b; and: nothing is known of a and b."""
    beats, silent = np.zeros((seats, seats), bool), np.zeros((seats, seats), bool)
    for (a, b), code in zip(combinations(range(seats), 2), codes.tolist(), strict=True):
        beats[a, b], beats[b, a] = code == WIN, code == LOSS
        silent[a, b] = silent[b, a] = code == NO_ROW
    return beats, silent
