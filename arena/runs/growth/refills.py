"""Replace tables that withdrawn bots have emptied, once everything else is played.

Where pairings are a choice, a table with a withdrawn bot is lost to all its entrants. As many new
tables are formed among the remaining bots. Each begins with the bot that has fewest tables. It is
filled with bots that it has met least often and that have few tables. No new table repeats a
planned one. So the tables are a pure function of who is left.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import combinations
from typing import Final, NamedTuple

from arena.runs.field import Field, FieldChange, Refill
from arena.runs.withdrawals import WithdrawalState
from arena.schedule.keys import Schedule as Plan
from arena.schedule.pairings import Pairing
from arena.schedule.schedule import Schedule
from arena.values.results import player_of

RULES: Final = "refill-1"
"""Name of these rules; other rules have another name."""
FEWEST_SEATS: Final = 3


class Refilled(NamedTuple):
    """Tables that replace emptied ones."""

    why: Refill
    pairings: dict[str, tuple[Pairing, ...]]
    """Pairings by discipline; empty if nothing was lost, or all remaining pairs have met."""


def refilled(field: Field, verdict: WithdrawalState, end: int) -> Refilled:
    """Return the refills due when all games numbered below ``end`` are played or never will be."""
    withdrawn = (each.name for each in verdict.withdrawn.values() if each.at < end)
    out = {name for name in withdrawn if name in field.identities}  # others enter later, unbuilt
    found = {}
    for now, first in zip(field.disciplines, field.rounds[0], strict=True):
        seats, plan = first.rules.seats, first.schedule
        if not (out and is_refilled(seats, plan)):
            continue
        left = {name for name in now.entrants if name not in out and name not in field.left}
        planned = tuple(field.planned(first.name))
        lost = sum(not (out.isdisjoint(each) or left.isdisjoint(each)) for each in planned)
        lost -= field.refilled(first.name)
        bots = {player_of(name) for name in plan.focus}
        focus = {name for name in left if player_of(name) in bots}
        if plan.focus and not focus:
            continue
        if met := refill(left, focus, planned, seats, lost):
            found[first.name] = met
    return Refilled(Refill(tuple(sorted(out)), RULES), found)


def differing(
    lines: Iterable[tuple[Field, FieldChange]], schedule: Schedule, verdict: WithdrawalState
) -> Iterator[tuple[int, str]]:
    """Yield each stored refill that does not follow: its line number, and what differs.

    ``lines``: each change with the field before it.
    """
    for number, (field, change) in enumerate(lines, 1):
        if isinstance(change.refills, Refill):
            expected = refilled(field, verdict, schedule.start_of(number))
            if differs := _differs(change, change.refills, expected):
                yield number, differs


def _differs(change: FieldChange, why: Refill, expected: Refilled) -> str:
    if why.by != expected.why.by:
        found = why.by
        return f"tables were filled again by {found}, this arena has {expected.why.by}"
    if why.withdrawn != expected.why.withdrawn:
        return "tables were filled again for others than the withdrawn bots"
    if change.pairings != expected.pairings:
        return "the tables that were filled again are not those that follow from who was withdrawn"
    return ""


def is_refilled(seats: int, plan: Plan) -> bool:
    """Return whether lost tables are replaced."""
    return plan.max_pairings is not None and seats >= FEWEST_SEATS


def refill(
    left: Collection[str],
    focus: Collection[str],
    planned: Sequence[Pairing],
    seats: int,
    number: int,
) -> tuple[Pairing, ...]:
    """Return up to ``number`` new tables in order of play, fewer if no more exist.

    ``left``: the entrants that still play. ``focus``: if not empty, each table has exactly one of
    these. ``planned``: all tables so far; those with an entrant outside ``left`` are lost.
    """
    tables: Counter[str] = Counter()
    met: Counter[Pairing] = Counter()
    known = set(planned)
    for table in planned:
        if set(table) <= set(left):
            _count(table, tables, met)
    found: list[Pairing] = []
    while len(found) < number:
        new = _next(sorted(left), frozenset(focus), known, seats, tables, met)
        if new is None:
            break
        found.append(new)
        known.add(new)
        _count(new, tables, met)
    return tuple(found)


def _count(table: Pairing, tables: Counter[str], met: Counter[Pairing]) -> None:
    tables.update(table)
    met.update(combinations(table, 2))


def _next(
    left: Sequence[str],
    focus: frozenset[str],
    known: Collection[Pairing],
    seats: int,
    tables: Counter[str],
    met: Counter[Pairing],
) -> Pairing | None:
    """Return the most needed table that is not in ``known``, or None if no more exist."""

    def grown(table: Pairing) -> Iterator[Pairing]:
        """Yield all tables that contain ``table``, the most wanted first."""
        if len(table) == seats:
            yield table
            return
        has_focus = not focus.isdisjoint(table)
        is_last = len(table) + 1 == seats
        fits = [
            name
            for name in left
            if name not in table
            and (not focus or not (has_focus and name in focus))
            and (not focus or not is_last or has_focus or name in focus)
        ]

        def need(name: str) -> tuple[int, int, str]:
            return sum(met[_pair(name, other)] for other in table), tables[name], name

        for name in sorted(fits, key=need):
            yield from grown(tuple(sorted((*table, name))))

    seen: set[Pairing] = set()
    for table in grown(()):
        if table not in seen and table not in known:
            return table
        seen.add(table)
    return None


def _pair(one: str, other: str) -> Pairing:
    return (one, other) if one < other else (other, one)
