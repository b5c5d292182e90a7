"""Applying a record again through the rules. Needs no random numbers: chance is recorded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from arena.records.format import Ply, Record, data_digest
from arena.records.read import RecordError
from arena.results import FaultKind, Termination, forfeit_places
from arena.rules.base import CHANCE, NOBODY, Action, InvalidActionError, Rules
from arena.rules.luck import Luck


class Step(NamedTuple):
    """One ply as the rules saw it."""

    ply: Ply
    seat: int
    """CHANCE or the seat that decided."""
    before: Any
    action: Action
    after: Any


def check_rules(record: Record, rules: Rules[Any, Action]) -> None:
    """Raises RecordError unless the record was played by exactly these rules."""
    header, spec = record.header, rules.spec
    for what, found, expected in (
        ("rules", header.rules, spec.name),
        ("options", header.options, spec.options),
        ("seats", len(header.spec.entrants), spec.seats),
        ("data_digest", header.data_digest, data_digest(spec)),
    ):
        if found != expected:
            raise RecordError(1, f"{what}: found {found!r}, expected {expected!r}")


def steps(record: Record, rules: Rules[Any, Action]) -> Iterator[Step]:
    """Every ply applied in turn. Raises RecordError at one that the rules do not allow."""
    state = rules.initial_state()
    for ply in record.plies:
        line = ply.ply + 2
        seat = rules.to_act(state)
        if seat == NOBODY:
            raise RecordError(line, "a ply after the game was over")
        if ply.seat != (None if seat == CHANCE else seat):
            raise RecordError(line, f"seat is {ply.seat}, expected {_who(seat)}")
        try:
            action = rules.decode_action(ply.action)
        except InvalidActionError as error:
            raise RecordError(line, f"no action of these rules: {error}") from None
        if seat == CHANCE:
            allowed = rules.is_chance_possible(state, action)
        else:
            allowed = action in rules.legal_actions(state)
        if not allowed:
            raise RecordError(line, f"{_who(seat)} could not do that: {ply.action}")
        after = rules.apply(state, action)
        yield Step(ply, seat, state, action, after)
        state = after


def verify(record: Record, rules: Rules[Any, Action], luck: Luck | None = None) -> None:
    """Apply the whole record; with ``luck`` also draw every chance action anew and compare.

    Raises RecordError at the first line that is not what the rules, the deal or the policy for
    faults make of it.
    """
    check_rules(record, rules)
    state = rules.initial_state()
    for step in steps(record, rules):
        if luck is not None and step.seat == CHANCE:
            drawn = rules.chance(step.before, luck)
            if drawn != step.action:
                raise RecordError(step.ply.ply + 2, "chance is not what the seed gives")
        state = step.after
    _check_end(record, rules, state)
    _check_blame(record, rules, state)
    _check_measured(record)


def _check_measured(record: Record) -> None:
    """Times that can have been measured, evidence for each fault and for nothing else."""
    measured, line = record.measured, len(record.plies) + 3
    times = zip(record.plies, measured.think_us, strict=True)
    if any(used < 0 or (used and ply.seat is None) for ply, used in times):
        raise RecordError(line, "a thinking time that is negative or of chance")
    if sum(measured.think_us) > measured.wall_us:
        raise RecordError(line, "more thinking than the whole game took")
    if [item.seat for item in measured.evidence] != [fault.seat for fault in record.end.faults]:
        raise RecordError(line, "evidence that does not belong to the faults")
    for ply in record.plies:
        if ply.seat is None and ply.info is not None:
            raise RecordError(ply.ply + 2, "chance has no info")


def _check_end(record: Record, rules: Rules[Any, Action], state: Any) -> None:
    end, line = record.end, len(record.plies) + 2
    outcome = rules.outcome(state)
    if outcome is not None:
        expected: tuple[Any, ...] = (Termination.COMPLETED, outcome.places, outcome.scores, ())
    elif end.faults:
        faulty = {fault.seat for fault in end.faults}
        places = forfeit_places(faulty, rules.spec.seats)
        expected = (Termination.FORFEITED, places, None, end.faults)
    else:
        raise RecordError(line, "the game is not over and nobody committed a fault")
    found = (end.termination, end.places, end.scores, end.faults)
    if found != expected:
        raise RecordError(line, f"found {_ending(found)}, expected {_ending(expected)}")


def _check_blame(record: Record, rules: Rules[Any, Action], state: Any) -> None:
    """Only seats that were not ready, or else the seat that was asked, can be at fault."""
    end, line = record.end, len(record.plies) + 2
    seat, seats = rules.to_act(state), [fault.seat for fault in end.faults]
    for fault in end.faults:
        if fault.kind is FaultKind.STARTUP:
            possible = range(0 if end.plies else rules.spec.seats)
        else:
            possible = range(seat, seat + 1)
        if fault.seat not in possible or fault.ply != end.plies or seats.count(fault.seat) > 1:
            raise RecordError(line, f"a {fault.kind} fault at ply {fault.ply} of seat {fault.seat}")


def _who(seat: int) -> str:
    return "chance" if seat == CHANCE else f"seat {seat}"


def _ending(values: tuple[Any, ...]) -> str:
    termination, places, scores, faults = values
    return f"{termination}, places {places}, scores {scores}, {len(faults)} faults"
