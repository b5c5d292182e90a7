"""One game as lines for a reader who may not see all of it: one seat, or a spectator.

A line lists what its reader was given; nothing is copied from the record and then hidden.
``Disclosure`` says what the tournament reveals about the players.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

import msgspec

from arena.games.base import Action, Json, Rules
from arena.referee.records.format import Record
from arena.referee.records.perspective import SeatView, fault_of, public_event, seat_views
from arena.referee.records.replay import Step
from arena.values.results import Fault, FaultKind, Seat

Line: TypeAlias = dict[str, Json]


class Disclosure(NamedTuple):
    """Facts that not every pack may show, or that are not in the record."""

    names: bool
    """True if names may be shown; ids of games contain names."""
    bot_options: Mapping[str, Json]
    """Options of the bot whose view it is."""


def seat_lines(
    record: Record,
    steps: Iterable[Step],
    rules: Rules[Any, Action],
    seat: Seat,
    disclosure: Disclosure,
) -> Iterator[Line]:
    """Yield the lines of a game as ``seat`` saw it, with the answers of its bot.

    ``disclosure``: what may be shown besides. ``steps``: the record applied to the rules; of a
    state, only what the seat may observe is used. The lines are ``start``, then ``act`` for each
    question to the seat, with the answer unless the seat committed a fault, which has a line
    ``fault``; at the end ``over``.
    """
    yield _start(record, rules, disclosure) | {
        "seat": seat,
        "bot_seed": record.header.bot_seeds[seat],
        "bot_options": dict(disclosure.bot_options),
    }
    fault = fault_of(record, seat)
    if fault is not None and fault.kind is FaultKind.STARTUP:
        yield _fault(record, fault)
    for look in seat_views(record, steps, rules, seat):
        if look.step is not None:
            yield _question(look) | _answer(look.step, look.think_us)
        elif look.fault is not None:
            yield _question(look)
            yield _fault(record, look.fault)
        else:
            yield _over(record) | {"events": look.events, "observation": look.observation}


def public_lines(
    record: Record, steps: Iterable[Step], rules: Rules[Any, Action], disclosure: Disclosure
) -> Iterator[Line]:
    """Yield the lines of a game with the events that every seat saw.

    The lines are ``start``, then ``ply`` for each ply of which every seat saw something, at the end
    ``over``.
    """
    yield _start(record, rules, disclosure)
    for step in steps:
        event = public_event(step, rules)
        if event is not None:
            yield {"line": "ply", "ply": step.ply.ply, "event": event}
    yield _over(record) | {"think_us": record.think_us()}


def _start(record: Record, rules: Rules[Any, Action], disclosure: Disclosure) -> Line:
    spec = record.header.spec
    line: Line = {"line": "start"}
    if disclosure.names:
        line |= {"game": spec.game_id, "names": spec.entrants}
    return line | {
        "discipline": spec.discipline,
        "rules": rules.spec.name,
        "options": rules.spec.options,
        "seats": rules.spec.seats,
    }


def _question(look: SeatView) -> Line:
    return {
        "line": "act",
        "ply": look.ply,
        "observation": look.observation,
        "events": look.events,
        "legal": look.legal,
    }


def _answer(step: Step, used: int) -> Line:
    answer: Line = {"action": step.ply.action}
    if step.ply.autopilot:
        return answer | {"autopilot": True}
    if step.ply.info is not None:
        answer["info"] = step.ply.info
    return answer | {"think_us": used}


def _fault(record: Record, fault: Fault) -> Line:
    """Return a fault in full, for the seat that committed it."""
    evidence = next((e for e in record.measured.evidence if e.seat == fault.seat), None)
    return {
        "line": "fault",
        "ply": fault.ply,
        "kind": fault.kind,
        "detail": fault.detail,
        "evidence": None if evidence is None else msgspec.structs.asdict(evidence),
    }


def _over(record: Record) -> Line:
    return {"line": "over"} | result(record)


def result(record: Record) -> Line:
    """Return places, scores, termination and faults of a game, as its message ``over`` does."""
    end = record.end
    return {
        "places": end.places,
        "scores": end.scores,
        "reason": end.termination,
        "faults": [{"seat": fault.seat, "kind": fault.kind} for fault in end.faults],
    }
