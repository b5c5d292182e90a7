"""A Swiss tournament of named entrants: the next round and the table, from earlier rounds.

Two seats are paired by the Dutch system, three and four by ``tables``. Names are in the order of
the initial ranking. Late entrants come after those who are there, and have a bye without points for
each round that they missed.
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
    PlayerRound,
    Points,
    Result,
)
from arena.schedule.rounds.tables import (
    FinishedRound,
    TableResult,
    Tables,
    contenders,
    meetings,
    tables,
)

_ratio = Fraction.as_integer_ratio
"""Key of the result tables; hashing a fraction takes longer than all the rest here."""
_PLAYED = {(1, 1): Result.WIN, (1, 2): Result.DRAW, (0, 1): Result.LOSS}
_NOT_PLAYED = {(1, 1): Result.FORFEIT_WIN, (0, 1): Result.FORFEIT_LOSS}


class Swiss(msgspec.Struct, frozen=True, kw_only=True):
    """The rules of one Swiss tournament."""

    rounds: int
    seats: int = 2
    points: Points = Points()
    """Points at two seats. At more seats, a table brings 0 to 1 to each, and a bye 1."""
    colours: bool = False
    """True if seat order counts at two seats; False where every pairing has both seatings."""


def rules_of(seats: int) -> str:
    """Return the name of the pairing rules, for the record; other editions have other names."""
    return "dutch-2026" if seats == 2 else "tables-1"


def next_round(
    names: Sequence[str],
    rounds: Sequence[FinishedRound],
    plan: Swiss,
    luck: Luck,
    away: Mapping[str, Result] | None = None,
) -> Tables:
    """Return the next tables; where colours count, the first of a table of two moves first.

    ``away``: byes of the players who are not to be paired. Raises NoPairing, and TooManyWishes as
    ``dutch.pair``.
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
        contenders(there, rounds),
        meetings(rounds),
        plan.seats,
        luck,
        number=len(rounds) + 1,
    )


def history(
    names: Sequence[str],
    rounds: Iterable[FinishedRound],
    plan: Swiss,
    away: Mapping[str, Result] | None = None,
) -> History:
    """Return the data of a pairing, a table or a tournament report file, at two seats."""
    number = {name: place for place, name in enumerate(names, 1)}
    turns: dict[str, list[PlayerRound]] = {name: [] for name in names}
    for each in rounds:
        found = {name: PlayerRound(bye) for name, bye in each.away.items()}
        found |= {name: PlayerRound(Result.BYE) for name in each.byes}
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


def _turns(table: TableResult, number: Mapping[str, int], colours: bool) -> dict[str, PlayerRound]:
    """Return the turns of both players. Raises ValueError if the points are no match result."""
    results = _PLAYED if table.is_played else _NOT_PLAYED
    found = [results[ratio] for ratio in map(_ratio, table.points) if ratio in results]
    if not len(table.names) == len(table.points) == len(found) == 2:
        raise ValueError(f"{' v '.join(table.names)}: no result of a match")
    blocks = table.blocks or (0, 0)
    return {
        name: PlayerRound(result, number[other], colour if colours else None, own)
        for name, other, result, colour, own in zip(
            table.names, reversed(table.names), found, Colour, blocks, strict=True
        )
    }
