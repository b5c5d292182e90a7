"""A Swiss tournament of named entrants: the next round and the table, from the rounds before.

Two seats are paired by the Dutch system, three and four by ``tables``. Names are in the order of
the initial ranking; who enters late comes behind those who are there, and has a bye without
points for each round it missed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

import msgspec

from arena.games.luck import Luck
from arena.schedule.rounds import dutch
from arena.schedule.rounds.history import (
    ABSENT,
    Colour,
    History,
    Player,
    Points,
    Result,
    Turn,
)
from arena.schedule.rounds.tables import (
    Round,
    Table,
    Tables,
    contenders,
    meetings,
    tables,
)

_ratio = Fraction.as_integer_ratio
"""What results are found by: the hash of a fraction takes longer than all else that is done here.
"""
_PLAYED = {(1, 1): Result.WIN, (1, 2): Result.DRAW, (0, 1): Result.LOSS}
_NOT_PLAYED = {(1, 1): Result.FORFEIT_WIN, (0, 1): Result.FORFEIT_LOSS}


class Swiss(msgspec.Struct, frozen=True, kw_only=True):
    """The rules of one Swiss tournament."""

    rounds: int
    seats: int = 2
    points: Points = Points()
    """At two seats. At more, a table brings 0 to 1 to each, and a bye 1."""
    colours: bool = False
    """At two seats, whether who sits first counts: not where every pairing has both seatings."""
    short: bool = True
    """At three and four seats, whether tables may lack a seat; else there are more byes."""


def rules_of(seats: int) -> str:
    """The name of the rules of pairing, for the record: another edition has another one."""
    return "dutch-2026" if seats == 2 else "tables-1"


def default_rounds(entrants: int) -> int:
    """One more than it takes to find a winner, but no more than have a pairing for everybody."""
    most = max(1, entrants - 1 + entrants % 2)
    return min(most, max(0, entrants - 1).bit_length() + 1)


def next_round(
    names: Sequence[str],
    rounds: Sequence[Round],
    plan: Swiss,
    luck: Luck,
    away: Mapping[str, Result] | None = None,
) -> Tables:
    """Who meets whom, the first at a table of two with the first move where colours count.

    ``away``: who is not to be paired, with the bye each has. Raises NoPairing, and
    TooManyWishes as ``dutch.pair``.
    """
    gone = away or {}
    if plan.seats == 2:
        found = dutch.pair(history(names, rounds, plan, gone), colours=plan.colours)
        return Tables(
            tuple((names[a - 1], names[b - 1]) for a, b in found.pairs),
            () if found.bye is None else (names[found.bye - 1],),
        )
    there = [name for name in names if name not in gone]
    return tables(
        contenders(there, rounds, plan.seats),
        meetings(rounds),
        plan.seats,
        luck,
        number=len(rounds) + 1,
        short=plan.short,
    )


def history(
    names: Sequence[str],
    rounds: Iterable[Round],
    plan: Swiss,
    away: Mapping[str, Result] | None = None,
) -> History:
    """At two seats all that a pairing, a table or a tournament report file is made of."""
    number = {name: place for place, name in enumerate(names, 1)}
    turns: dict[str, list[Turn]] = {name: [] for name in names}
    for each in rounds:
        found = {name: Turn(bye) for name, bye in each.away.items()}
        found |= {name: Turn(Result.BYE) for name in each.byes}
        for table in each.tables:
            found |= _turns(table, number, plan.colours)
        for name in names:
            turns[name].append(found.get(name, ABSENT))
    return History(
        players=tuple(Player(number[name], tuple(turns[name]), name) for name in names),
        rounds=plan.rounds,
        points=plan.points,
        away={number[name]: bye for name, bye in (away or {}).items()},
    )


def _turns(table: Table, number: Mapping[str, int], colours: bool) -> dict[str, Turn]:
    """Of both players. Raises ValueError of points that are none of a match."""
    results = _PLAYED if table.is_played else _NOT_PLAYED
    found = [results[ratio] for ratio in map(_ratio, table.points) if ratio in results]
    if not len(table.names) == len(table.points) == len(found) == 2:
        raise ValueError(f"{' v '.join(table.names)}: no result of a match")
    blocks = table.blocks or (0, 0)
    return {
        name: Turn(result, number[other], colour if colours else None, own)
        for name, other, result, colour, own in zip(
            table.names, reversed(table.names), found, Colour, blocks, strict=True
        )
    }
