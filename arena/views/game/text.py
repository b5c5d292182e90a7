"""One game as plain text and as a JSON document."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from arena.games.board import Json
from arena.referee.records.perspective import SPECTATOR
from arena.values import clean
from arena.values.numbers import score_line
from arena.values.results import Evidence
from arena.values.schema import RunAnswer
from arena.views.game import replay
from arena.views.last_words import crash_summary

STDERR_LINES: Final = 20
"""Most lines of standard error that are shown: the last ones."""


def text(view: replay.View, plies: range) -> Iterator[str]:
    """Yield the lines of header, plies in words and end.

    ``plies``: those of the record to show. The view of a seat has its board before each of its
    decisions.
    """
    yield from header_lines(view)
    yield ""
    if len(plies) < len(view.plies):
        yield f"plies {plies.start}-{plies.stop - 1} of 0-{len(view.plies) - 1}"
    for ply in view.plies[plies.start : plies.stop]:
        yield from _ply_lines(view, ply)
    if view.plies:
        yield ""
    yield from end_lines(view)


@clean.safe_lines
def header_lines(view: replay.View) -> Iterator[str]:
    """Yield the lines on the rules, the players and the view."""
    title = view.replay.title
    named = title.casefold()
    options = ", ".join(
        f"{key} {_option(value)}"
        for key, value in view.header.options.items()
        if not (isinstance(value, str) and value.casefold() in named)
    )
    yield f"{view.header.spec.game_id}  game {view.replay.number} of {view.replay.games}"
    yield f"{title}; {options}" if options else title
    for seat, name in enumerate(view.table.names):
        yield f"seat {seat}  {name}"
    if view.machine:
        yield f"machine: {view.machine}"
    yield f"view: {replay.view_name(view)}"
    yield from view.replay.notices


def _option(value: object) -> str:
    """Return an option as written in a tournament file."""
    return value if isinstance(value, str) else replay.plain_json(value)


def _ply_lines(view: replay.View, ply: replay.ShownPly) -> Iterator[str]:
    if not replay.is_shown(ply):
        return
    if ply.seat is not None and ply.seat == view.seat:
        for line in view.board.compact(ply.before[ply.seat], view.table):
            yield f"{'':6}{line}"
    yield f"{ply.ply:4}  {replay.sentence(view, ply)}"
    if ply.info is not None:
        yield f"{'':6}info: {replay.plain_json(ply.info)}"


def end_lines(view: replay.View) -> Iterator[str]:
    """Yield places, scores, faults with their evidence, and think times.

    A bot that plays alone has no place.
    """
    names = view.table.names
    points = f", {score_line(view.end.scores)}" if view.end.scores is not None else ""
    by = f" by {view.end.ruling}" if view.end.ruling else ""
    yield f"{view.end.termination.value}{by} after {count(len(view.plies), 'ply', 'plies')}{points}"
    for seat in view.ranking:
        scored = (
            "" if view.end.scores is None else f"  {view.replay.score}: {view.end.scores[seat]}"
        )
        place = f"place {view.end.places[seat]}  " if len(names) > 1 else ""
        yield f"{place}{names[seat]} (seat {seat}){scored}"
    for fault in view.faults:
        yield from fault_lines(view, fault)
    times = [f"{names[seat]} {replay.duration(used)}" for seat, used in thinking(view).items()]
    if times:
        yield "thinking time: " + ", ".join(times)


def count(number: int, one: str, many: str) -> str:
    """Return ``number`` with its noun."""
    return f"{number} {one if number == 1 else many}"


def thinking(view: replay.View) -> dict[int, int]:
    """Return the total think time in microseconds, by seat whose bot decided in this view."""
    used: dict[int, int] = {}
    for ply in view.plies:
        if ply.seat is not None and ply.thought_us is not None:
            used[ply.seat] = used.get(ply.seat, 0) + ply.thought_us
    return dict(sorted(used.items()))


@clean.safe_lines
def fault_lines(
    view: replay.View, fault: replay.ShownFault, stderr_lines: int = STDERR_LINES
) -> Iterator[str]:
    """Yield the fault, then its evidence indented, with at most ``stderr_lines`` of stderr."""
    who = f"{view.table.names[fault.seat]} (seat {fault.seat})"
    detail = f": {fault.detail}" if fault.detail else ""
    yield f"fault of {who} at ply {fault.ply}: {fault.kind.value}{detail}"
    if fault.evidence is not None:
        said = fault.detail or ""
        yield from (f"  {line}" for line in _evidence_lines(fault.evidence, said, stderr_lines))


def _evidence_lines(evidence: Evidence, said: str, stderr_lines: int) -> Iterator[str]:
    """Yield the lines of evidence.

    ``said``: detail of the fault, whose facts are not repeated.
    """
    if times := ", ".join(_times(evidence)):
        yield times
    if evidence.exit_status is not None and not _tells_exit(said, evidence.exit_status):
        yield exit_words(evidence.exit_status)
    if evidence.line:
        yield f"line: {evidence.line}"
    if evidence.stderr and stderr_lines:
        yield "end of its standard error:"
        lines = evidence.stderr.splitlines()[-stderr_lines:]
        why = crash_summary(evidence.stderr)
        if not any(why.endswith(line.strip()) for line in lines if line.strip()):
            yield f"  {why}"
            yield f"  {clean.ELLIPSIS}"
        for line in lines:
            yield f"  {line.expandtabs()}"


def _times(evidence: Evidence) -> Iterator[str]:
    """Yield the measured times that the bot, the machine and the referee used."""
    if evidence.waited_us:
        yield f"waited {_span(evidence.waited_us)}"
    if evidence.cpu_us is not None:
        # the processor time of the first moments is not measured
        yield f"used at least {_span(evidence.cpu_us)} of the processor"
    if evidence.excused_us:
        yield f"was given back {_span(evidence.excused_us)} that the machine took"
    if evidence.lag_us or evidence.cpu_us is not None:
        yield f"referee late by {evidence.lag_us / 1000:.0f} ms"


def _span(microseconds: int) -> str:
    """Return a time, in seconds from one second on."""
    seconds = microseconds / 1_000_000
    return f"{seconds:.3f} s" if seconds >= 1 else replay.duration(microseconds)


def _tells_exit(text: str, status: int) -> bool:
    words = exit_words(status).removeprefix("killed by ")
    return re.search(rf"\b{re.escape(words)}\b", text) is not None


def exit_words(status: int) -> str:
    """Describe how a process ended, from its ``returncode``."""
    if status >= 0:
        return f"exit status {status}"
    try:
        return f"killed by {signal.Signals(-status).name}"
    except ValueError:
        return f"killed by signal {-status}"


class ReplayData(msgspec.Struct, frozen=True):
    """A replayed game in JSON."""

    header: dict[str, Json]
    plies: tuple[dict[str, Json], ...]
    end: dict[str, Json]


class ReplayDocument(RunAnswer[ReplayData], frozen=True, tag="arena.replay/1"):
    """The JSON form of a view of a game."""


def json_text(view: replay.View, plies: range) -> str:
    """Return the view as an indented JSON document with a final newline."""
    shown = filter(replay.is_shown, view.plies[plies.start : plies.stop])
    data = ReplayData(_header(view), tuple(ply_data(view, ply) for ply in shown), _end(view))
    return clean.json_document(
        ReplayDocument(run=view.replay.run, data=data, warnings=view.replay.notices)
    )


def _header(view: replay.View) -> dict[str, Json]:
    return {
        "spec": view.header.spec,
        "number": view.replay.number,
        "games": view.replay.games,
        "view": "spectator" if view.seat == SPECTATOR else view.seat,
        "rules": view.header.rules,
        "options": view.header.options,
        "data_digest": view.header.data_digest,
        "bot_seeds": _by_seat(view.bot_seeds),
        **({"machine": view.machine} if view.machine else {}),
    }


def ply_data(view: replay.View, ply: replay.ShownPly) -> dict[str, Json]:
    """Return a ply that the view shows, as a member of a document.

    ``observation``: what the deciding seat was given, if the view is of that seat or of all.
    """
    asked = None if ply.seat is None else ply.before.get(ply.seat)
    return {
        "ply": ply.ply,
        "seat": ply.seat,
        "action": ply.action,
        "observation": asked,
        "events": _by_seat(ply.events),
        "think_us": ply.think_us,
        "info": ply.info,
        "autopilot": ply.autopilot,
    }


def _end(view: replay.View) -> dict[str, Json]:
    return {
        "plies": len(view.plies),
        "termination": view.end.termination,
        "ruling": view.end.ruling or None,
        "places": view.end.places,
        "scores": view.end.scores,
        "faults": [_fault(fault) for fault in view.faults],
    }


def _fault(fault: replay.ShownFault) -> dict[str, Json]:
    """Return a fault with all fields of its evidence, including defaults."""
    evidence = None if fault.evidence is None else msgspec.structs.asdict(fault.evidence)
    return fault._asdict() | {"evidence": evidence}


def _by_seat(values: Any) -> dict[str, Json]:
    """Return ``values`` with text keys: JSON has no number keys, and a spectator has no seat."""
    return {
        "spectator" if seat == SPECTATOR else str(seat): value for seat, value in values.items()
    }
