"""Replace tables that withdrawn bots have emptied, once everything else is played."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple

from arena.documents.problems import printable
from arena.runs.field import Field, FieldChange, Refill
from arena.runs.manifest import Manifest
from arena.runs.withdrawals import WithdrawalState
from arena.schedule.pairings import Pairing
from arena.schedule.refill import RULES, is_refilled, refill
from arena.schedule.rounds.state import VERSION_JOINT
from arena.schedule.schedule import Schedule


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
        bots = {_bot(name) for name in plan.focus}
        focus = {name for name in left if _bot(name) in bots}
        if plan.focus and not focus:
            continue
        if met := refill(left, focus, planned, seats, lost):
            found[first.name] = met
    return Refilled(Refill(tuple(sorted(out)), RULES), found)


def _bot(name: str) -> str:
    return name.partition(VERSION_JOINT)[0]


def differing(
    manifest: Manifest, schedule: Schedule, verdict: WithdrawalState
) -> Iterator[tuple[int, str]]:
    """Yield each stored refill that does not follow: its line number, and what differs."""
    first = Field.first(manifest.identity.entrants, manifest.identity.disciplines)
    fields = accumulate(manifest.changes, Field.then, initial=first)
    for number, (field, change) in enumerate(zip(fields, manifest.changes, strict=False), 1):
        if isinstance(change.refills, Refill):
            expected = refilled(field, verdict, schedule.start_of(number))
            if differs := _differs(change, change.refills, expected):
                yield number, differs


def _differs(change: FieldChange, why: Refill, expected: Refilled) -> str:
    if why.by != expected.why.by:
        found = printable(why.by)
        return f"tables were filled again by {found}, this arena has {expected.why.by}"
    if why.withdrawn != expected.why.withdrawn:
        return "tables were filled again for others than the withdrawn bots"
    if change.pairings != expected.pairings:
        return "the tables that were filled again are not those that follow from who was withdrawn"
    return ""
