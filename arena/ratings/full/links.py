"""Groups that results do not connect, and the games that would connect them.

Strengths can be compared within a group: everybody in it scored, directly or through others,
against everybody else in it. Between groups the prior alone decides.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec
import numpy as np

from arena.ratings.counting.arrays import Bools
from arena.ratings.counting.encounters import EncounterArrays
from arena.ratings.elo.fit import reachable
from arena.ratings.elo.rating import Bound, RatingFit
from arena.ratings.elo.standings import Standings


class Lacks(StrEnum):
    """Missing results between two groups."""

    GAMES = "games"
    """No chain of games leads from one group to the other."""
    LOSS = "loss"
    """The first group never lost a point to the other group."""
    WIN = "win"
    """The first group never won a point off the other group."""
    POINTS = "points"
    """Only games of others connect the two groups, and their points go one way."""


class Link(msgspec.Struct, frozen=True):
    """Pairing that would connect two groups as soon as both of its entrants score."""

    name: str
    other: str
    blocks: int
    """Number of blocks in which the two have met."""
    lacks: Lacks


class ComparableGroup(msgspec.Struct, frozen=True):
    """Entrants whose strengths can be compared."""

    letter: str | None
    """Letter of the group in the table; None for an entrant that was not compared."""
    names: tuple[str, ...]
    """Names, strongest first."""
    bound: Bound
    """Sides on which the results bound its ratings."""
    link: Link | None
    """Link to the core, or without a core to the group before; None for the first group."""


def group_list(
    ratings: RatingFit, standings: Standings, met: EncounterArrays
) -> tuple[ComparableGroup, ...]:
    """Return the groups in the order of the table, with the core, if any, first.

    Return an empty tuple if all entrants are in one group.
    """
    number = {name: k for k, name in enumerate(ratings.entrants)}
    parts: dict[int, list[int]] = {}
    letters: dict[int, str | None] = {}
    for row in standings.rows:
        k = number[row.name]
        group = ratings.ratings[k].group
        key = -1 - k if group is None else group  # an entrant without games is a group of its own
        parts.setdefault(key, []).append(k)
        letters[key] = row.group
    if len(parts) < 2:
        return ()
    keys = sorted(parts, key=lambda key: not ratings.core[parts[key][0]])
    has_core = bool(ratings.core.any())
    linked, scored = reachable(met.blocks > 0), reachable(met.score > 0)
    found = []
    for place, key in enumerate(keys):
        link = None
        if place:
            other = parts[keys[0 if has_core else place - 1]]
            lacks = _lacks(parts[key], other, linked, scored)
            link = _link(ratings.entrants, parts[key], other, lacks, met)
        names = tuple(ratings.entrants[k] for k in parts[key])
        found.append(
            ComparableGroup(letters[key], names, ratings.ratings[parts[key][0]].bound, link)
        )
    return tuple(found)


def _lacks(own: list[int], other: list[int], linked: Bools, scored: Bools) -> Lacks:
    if not linked[np.ix_(own, other)].any():
        return Lacks.GAMES
    won, lost = scored[np.ix_(own, other)].any(), scored[np.ix_(other, own)].any()
    if won == lost:
        return Lacks.POINTS
    return Lacks.LOSS if won else Lacks.WIN


def _link(
    names: tuple[str, ...], own: list[int], other: list[int], lacks: Lacks, met: EncounterArrays
) -> Link:
    """Return the pairing of the entrants that are most likely to score against each other.

    Both groups, ``own`` and ``other``, are ordered strongest first.
    """
    match lacks:
        case Lacks.LOSS:
            one, two = own[-1], other[0]
        case Lacks.WIN:
            one, two = own[0], other[-1]
        case _:
            one, two = own[len(own) // 2], other[len(other) // 2]
    return Link(names[one], names[two], int(met.blocks[one, two]), lacks)
