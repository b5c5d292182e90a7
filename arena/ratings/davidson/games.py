"""The games of a tally as stages: who was left, and who was placed next."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from arena.ratings.counting.arrays import Games, PairCells, Sums
from arena.ratings.counting.codes import CODES, DRAW, LOSS, NO_ROW, WIN
from arena.ratings.counting.graph import Bools
from arena.ratings.counting.rows import Floats, Ints
from arena.ratings.davidson.sets import sets_of, stages

MAX_SEATS: Final = 6
"""The sets of more seats are too many."""
MAX_GAMES: Final = 400_000
"""Of a discipline of more than two seats; of more, blocks are taken at even distances."""

Stage = tuple[tuple[int, ...], tuple[int, ...]]


class Stages(NamedTuple):
    """Stages with as many seats left; one element per stage."""

    game: Ints
    """Row of ``Placings``."""
    seats: Ints
    """[stage, seat left]"""
    chosen: Ints
    """Number of the set that was placed next."""


@dataclass(frozen=True)
class Placings:
    """The games of one discipline; equal blocks of two seats are joined."""

    discipline: str
    seats: int
    ties: tuple[int, ...]
    """Sizes of ties that occurred. Others have no parameter and no chance."""
    entrants: Ints
    """[game, seat]"""
    block: Ints
    """Of each game: 0, 1, …"""
    weight: Floats
    """By block: how many there are."""
    stages: tuple[Stages, ...]
    complete: Bools
    """By game: whether it is known to the last place."""
    places: Ints
    """[game, seat]: 1 … seats, 0 where the game is not complete."""
    tie_sizes: Ints
    """[game, tie]: how many ties of each size, of complete games."""
    share: float
    """Of the blocks: less than 1 if they were too many."""

    @property
    def games(self) -> Floats:
        """By game: how many there are."""
        weights: Floats = self.weight[self.block]
        return weights


def placings(sums: Sums) -> tuple[list[Placings], list[str]]:
    """By discipline of at most MAX_SEATS with a known place, and the names of larger ones.

    What a game leaves open is not guessed: its stages count up to the first in which it is not
    known who is placed next. Of two faulty seats none is placed above the other; if a fault
    ended a game of three and more seats, the others are not told apart.
    """
    found, large = [], []
    for cells in sums.cells:
        found.append(_of_pairs(cells))
    for games in sums.games:
        if games.seats.seats > MAX_SEATS:
            large.append(games.seats.discipline)
        else:
            found.append(_of_games(games))
    known = [each for each in found if each.stages]
    return sorted(known, key=lambda each: each.discipline), large


def _of_pairs(cells: PairCells) -> Placings:
    """A row for each pair and way its two games went, weighed with the number of such blocks."""
    pair, one, two = np.nonzero(cells.counts)
    weight = cells.counts[pair, one, two]
    opposite = np.array([WIN, DRAW, LOSS, *range(NO_ROW, CODES)])
    codes = np.concatenate([one, opposite[two]])
    entrants = np.concatenate(
        [
            np.stack([cells.first[pair], cells.second[pair]], axis=1),
            np.stack([cells.second[pair], cells.first[pair]], axis=1),
        ]
    )
    block = np.tile(np.arange(len(pair)), 2)
    decided = codes < NO_ROW
    return _staged(
        cells.seats.discipline,
        2,
        entrants[decided],
        codes[decided, None],
        block[decided],
        weight,
        1.0,
    )


def _of_games(games: Games) -> Placings:
    block, entrants, codes = games.block, games.entrants, games.codes
    blocks = int(block[-1]) + 1
    step = -(-len(block) // MAX_GAMES)
    taken = block % step == 0
    block = np.unique(block[taken], return_inverse=True)[1].astype(np.int64).ravel()
    count = int(block.max()) + 1
    return _staged(
        games.seats.discipline,
        games.seats.seats,
        entrants[taken],
        codes[taken],
        block,
        np.ones(count),
        count / blocks,
    )


def _staged(
    discipline: str,
    seats: int,
    entrants: Ints,
    codes: Ints,
    block: Ints,
    weight: Floats,
    share: float,
) -> Placings:
    key = (codes << (2 * np.arange(codes.shape[1]))).sum(axis=1)
    example, pattern = np.unique(key, return_index=True, return_inverse=True)[1:]
    pattern = pattern.ravel()
    known = [stages(codes[k], seats) for k in example.tolist()]
    ties = tuple(sorted({len(c) for found, _ in known for _, c in found if len(c) > 1}))
    complete = np.array([whole for _, whole in known], bool)
    places = np.array([_places(f, seats) if whole else [0] * seats for f, whole in known], np.int64)
    sizes = np.array(
        [[sum(len(c) == t for _, c in found) for t in ties] for found, _ in known], np.int64
    )
    return Placings(
        discipline=discipline,
        seats=seats,
        ties=ties,
        entrants=entrants,
        block=block,
        weight=weight,
        stages=_stages([found for found, _ in known], pattern, ties),
        complete=complete[pattern] if len(known) else np.zeros(0, bool),
        places=places.reshape(-1, seats)[pattern],
        tie_sizes=sizes.reshape(len(known), len(ties))[pattern],
        share=share,
    )


def _places(found: list[Stage], seats: int) -> list[int]:
    """1, 1, 3 from the stages; who is never placed comes last."""
    places = [seats] * seats
    for left, chosen in found:
        for seat in chosen:
            places[seat] = seats - len(left) + 1
    return places


def _stages(known: list[list[Stage]], pattern: Ints, ties: tuple[int, ...]) -> tuple[Stages, ...]:
    """Joined over patterns, by how many seats are left."""
    order = np.argsort(pattern, kind="stable")
    ends = np.searchsorted(pattern[order], np.arange(len(known) + 1))
    parts: defaultdict[int, list[Stages]] = defaultdict(list)
    for k, found in enumerate(known):
        rows = order[ends[k] : ends[k + 1]]
        for left, chosen in found:
            number = sets_of(len(left), ties).number[tuple(left.index(seat) for seat in chosen)]
            seats = np.tile(np.array(left), (len(rows), 1))
            parts[len(left)].append(Stages(rows, seats, np.full(len(rows), number)))
    joined = []
    for left_over in sorted(parts):
        columns = zip(*parts[left_over], strict=True)
        joined.append(Stages(*(np.concatenate(column) for column in columns)))
    return tuple(joined)
