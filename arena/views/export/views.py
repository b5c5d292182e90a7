"""One game as lines for somebody who may not see all of it: one seat, or a spectator.

A line is built by listing what its reader was given; nothing is copied from the record and then
hidden. ``told`` says what the tournament reveals of who plays.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

import msgspec

from arena.games.base import Action, Rules
from arena.records.format import Record
from arena.records.replay import Step
from arena.results import Fault, FaultKind, Seat

Json: TypeAlias = Any
Line: TypeAlias = dict[str, Json]


class Told(NamedTuple):
    """What is not in every pack, or not in the record."""

    names: bool
    """Whether names may be told; ids of games are made of them."""
    bot_options: Mapping[str, Json]
    """Of the bot whose view it is."""


def seat_lines(
    record: Record, steps: Iterable[Step], rules: Rules[Any, Action], seat: Seat, told: Told
) -> Iterator[Line]:
    """What ``seat`` was given, and what its bot made of it.

    ``steps``: the record applied to the rules; of a state, only what the seat may observe is used.
    Lines ``start``, then ``act`` for each question to the seat, with the answer unless it
    committed a fault, which a line ``fault`` tells; at the end ``over``.
    """
    yield _start(record, rules, told) | {
        "seat": seat,
        "bot_seed": record.header.bot_seeds[seat],
        "bot_options": dict(told.bot_options),
    }
    fault = next((fault for fault in record.end.faults if fault.seat == seat), None)
    if fault is not None and fault.kind is FaultKind.STARTUP:
        yield _fault(record, fault)
        fault = None
    state = rules.initial_state()
    seen: list[Json] = []
    think = iter(record.measured.think_us)
    for step in steps:
        used = next(think)
        state = step.after
        if step.seat == seat:
            question = _question(rules, step.before, seat, step.ply.ply, seen)
            if fault is not None and fault.ply == step.ply.ply:
                yield question
                yield _fault(record, fault)
                question, fault = question | {"events": []}, None
            seen = []
            yield question | _answer(step, used)
        event = rules.describe(step.before, step.action, step.after)[seat]
        if event is not None:
            seen.append(event)
    if fault is not None and rules.to_act(state) == seat:
        yield _question(rules, state, seat, len(record.plies), seen)
        yield _fault(record, fault)
        seen = []
    yield _over(record) | {"events": seen, "observation": rules.observe(state, seat)}


def public_lines(
    record: Record, steps: Iterable[Step], rules: Rules[Any, Action], told: Told
) -> Iterator[Line]:
    """What everybody at the table was given.

    Lines ``start``, then ``ply`` for each ply of which every seat saw something, at the end
    ``over``.
    """
    yield _start(record, rules, told)
    for step in steps:
        events = rules.describe(step.before, step.action, step.after)
        event = shared([_plain(event) for event in events])
        if isinstance(event, dict):
            yield {"line": "ply", "ply": step.ply.ply, "event": event}
    yield _over(record) | {"think_us": record.think_us()}


class _Unshared:
    """Stands for a value that not all have."""


UNSHARED: Final = _Unshared()


def shared(values: Sequence[Json]) -> Json:
    """The part of several JSON values that all have: UNSHARED if they have nothing.

    Of objects the keys that all have with what is shared of their values; of lists all or
    nothing, unless they are lists of as many objects.
    """
    first, *others = values
    if all(other == first for other in others):
        return first
    if all(isinstance(value, dict) for value in values):
        common = (key for key in first if all(key in other for other in others))
        parts = {key: shared([value[key] for value in values]) for key in common}
        return {key: part for key, part in parts.items() if part is not UNSHARED}
    if _are_alike(values):
        parts_of = [shared(items) for items in zip(*values, strict=True)]
        return UNSHARED if UNSHARED in parts_of else parts_of
    return UNSHARED


def _are_alike(values: Sequence[Json]) -> bool:
    """Whether they are lists of equally many objects."""
    return (
        all(isinstance(value, list) for value in values)
        and len({len(value) for value in values}) == 1
        and all(isinstance(item, dict) for value in values for item in value)
    )


def _start(record: Record, rules: Rules[Any, Action], told: Told) -> Line:
    spec = record.header.spec
    line: Line = {"line": "start"}
    if told.names:
        line |= {"game": spec.game_id, "names": spec.entrants}
    return line | {
        "discipline": spec.discipline,
        "rules": rules.spec.name,
        "options": rules.spec.options,
        "seats": rules.spec.seats,
    }


def _question(
    rules: Rules[Any, Action], state: Any, seat: Seat, ply: int, events: Sequence[Json]
) -> Line:
    return {
        "line": "act",
        "ply": ply,
        "observation": rules.observe(state, seat),
        "events": events,
        "legal": rules.legal_actions(state),
    }


def _answer(step: Step, used: int) -> Line:
    answer: Line = {"action": step.ply.action}
    if step.ply.autopilot:
        return answer | {"autopilot": True}
    if step.ply.info is not None:
        answer["info"] = step.ply.info
    return answer | {"think_us": used}


def _fault(record: Record, fault: Fault) -> Line:
    """A fault in full, for the seat that committed it."""
    evidence = next((e for e in record.measured.evidence if e.seat == fault.seat), None)
    return {
        "line": "fault",
        "ply": fault.ply,
        "kind": fault.kind,
        "detail": fault.detail,
        "evidence": None if evidence is None else msgspec.structs.asdict(evidence),
    }


def _over(record: Record) -> Line:
    """As a bot is told."""
    end = record.end
    return {
        "line": "over",
        "places": end.places,
        "scores": end.scores,
        "reason": end.termination,
        "faults": [{"seat": fault.seat, "kind": fault.kind} for fault in end.faults],
    }


def _plain(value: Any) -> Json:
    """Exactly what a bot reads."""
    return msgspec.json.decode(msgspec.json.encode(value))
