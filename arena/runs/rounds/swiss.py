"""Pair a round of a Swiss tournament or a round robin, and rank its players."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import NamedTuple

from arena.documents.bad_input import BadInput
from arena.runs.rounds.played import Now, RoundPairing
from arena.schedule.kinds.registry import kind_of
from arena.schedule.rounds.dutch import NoPairing
from arena.schedule.rounds.history import Result
from arena.schedule.rounds.matching import TooManyWishes
from arena.schedule.rounds.swiss import Swiss, history, next_round, rules_of
from arena.schedule.rounds.tiebreaks import TieBreak, placings, standings
from arena.schedule.schedule import Discipline

_TENTHS = 10
_HALVES = 2
"""Number of points counted for a won block; a drawn one counts 1."""


class SwissStanding(NamedTuple):
    """A line of the table of a Swiss tournament."""

    name: str
    points: float
    tie_breaks: dict[str, float]
    """Tie-breaks by name, in the order in which they decide."""
    by_lot: bool
    """True if only the lot separates the player from a neighbour."""


def swiss(discipline: Discipline) -> Swiss:
    """Return the rules of pairing for a discipline."""
    return Swiss(rounds=discipline.schedule.rounds or 0, seats=discipline.rules.seats)


def rules(discipline: Discipline) -> str:
    """Return the name of the rules of pairing."""
    return rules_of(discipline.rules.seats)


def pair(now: Now) -> RoundPairing | None:
    """Return the next round, or None after the last one or without a legal pairing.

    Raises BadInput if there are too many players for the rules of pairing.
    """
    plan = swiss(now.discipline)
    if len(now.before) >= plan.rounds or len(now.there) < plan.seats:
        return None
    away: Mapping[str, Result] = {
        name: Result.ZERO_BYE for name in now.players if name not in now.there
    }
    try:
        found = next_round(now.players, [each.round for each in now.before], plan, now.luck, away)
    except NoPairing:
        return None
    except TooManyWishes as error:
        number, players = now.earlier + len(now.before) + 1, len(now.there)
        last = now.earlier + plan.rounds
        raise BadInput(
            f"round {number} of {last}: found {players} players whose pairing by the Dutch system "
            f"has {error}, expected fewer players or rounds; what was played stands"
        ) from None
    return RoundPairing(found.tables, found.byes)


def circle_rules(_: Discipline) -> str:
    """Return the name of the pairing rules of a round robin."""
    return "circle-1"


def circle(now: Now) -> RoundPairing | None:
    """Return the next round of a two-seat round robin by the circle method, or None."""
    names: list[str | None] = list(now.began)
    if not names:
        return None
    names += [None] * (len(names) % 2)
    met = {frozenset(table.names) for each in now.before for table in each.round.tables}
    first, *others = names
    half = len(names) // 2
    for number in range(len(others)):
        turned = [first, *others[number:], *others[:number]]
        there = [
            tuple(name for name in pair if name is not None and name in now.there)
            for pair in zip(turned[:half], reversed(turned[half:]), strict=True)
        ]
        tables = tuple(each for each in there if len(each) > 1 and frozenset(each) not in met)
        if tables:
            return RoundPairing(tables, tuple(each[0] for each in there if len(each) == 1))
    return None


def order(now: Now) -> list[SwissStanding]:
    """Return the table, best player first."""
    rounds = [each.round for each in now.before]
    names, seats = tuple(now.players), now.discipline.rules.seats
    if seats > 2:
        return [
            SwissStanding(
                each.name,
                float(each.score),
                {"opponents": float(each.opponents), "blocks": float(each.blocks / _HALVES)},
                each.by_lot,
            )
            for each in placings(names, rounds, now.luck)
        ]
    plan = Swiss(rounds=max(planned(now), len(rounds)))
    return [
        SwissStanding(
            names[each.number - 1],
            each.score / _TENTHS,
            {
                kind.value: _value(kind, value)
                for kind, value in zip(TieBreak, each.values, strict=True)
            },
            each.by_lot,
        )
        for each in standings(history(names, rounds, plan), now.luck)
    ]


def places(now: Now) -> list[str]:
    """Return all players, best first."""
    return [each.name for each in order(now)]


def planned(now: Now) -> int:
    """Return the planned number of rounds."""
    plan = now.discipline.schedule
    return kind_of(plan).planned_rounds(plan, len(now.began))


def _value(kind: TieBreak, value: Fraction) -> float:
    if kind is TieBreak.DIRECT_ENCOUNTER:
        return float(1 - value)
    return float(value / (_HALVES if kind is TieBreak.BLOCKS else _TENTHS))
