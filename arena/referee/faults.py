"""Faults made from what a bot did. Values only, no I/O.

No bot can cause a fault of another, and no fault is overlooked. How the game continues is decided
by ``is_played_on`` and ``ending`` of ``arena.results``.
"""

from __future__ import annotations

import signal
from typing import Final, NamedTuple

from arena.referee.channel import Channel, Silence
from arena.referee.deadline import NO_DELAY, SECOND, SchedulerDelay
from arena.results import FaultKind

_SHOWN: Final = 200
"""Length of the piece of an offending line that is kept, in bytes."""


class Offence(NamedTuple):
    """The problem with an answer, before its seat and ply are added."""

    kind: FaultKind
    detail: str
    line: str = ""
    """Offending line, cut."""
    exit_status: int | None = None
    stderr: str = ""
    waited: int = 0
    """Time between the question and the verdict, in nanoseconds."""
    scheduler_delay: SchedulerDelay = NO_DELAY


class MachineTooBusy(RuntimeError):
    """Raised if the machine kept a bot from having its time: the game is void without blame."""


class RulesBroken(RuntimeError):
    """Raised if the rules engine breaks its interface; the game is void."""


def silent(silence: Silence, channel: Channel, *, within: str, is_first: bool = False) -> Offence:
    """Return the offence of a bot that gave no line.

    ``within`` is the time the bot had, in words. ``is_first`` means that it has not answered in
    this game yet, so it may have ended before the game. Raises MachineTooBusy if the machine is to
    blame.
    """
    rest = channel.rest()
    part = shown(rest.strip())
    match silence:
        case Silence.TIMED_OUT:
            text = f"no line within {within}: {_unfinished(rest)}"
            return Offence(FaultKind.TIMEOUT, text, part)
        case Silence.STDIN_BLOCKED:
            return Offence(FaultKind.TIMEOUT, "it does not read its input", part)
        case Silence.ENDED:
            status = channel.exit_status()
            when = " before its first answer of the game" if is_first else ""
            text = f"the process ended{when} ({exit_text(status)})"
            return Offence(FaultKind.CRASH, text, part, exit_status=status)
        case Silence.OVER_LIMIT:
            text = channel.over_limit() or "over a limit"
            return Offence(FaultKind.LIMIT, text, part, exit_status=channel.exit_status())
        case Silence.TOO_LONG:
            return Offence(FaultKind.OVERFLOW, "a line longer than the limit", part)
        case Silence.STARVED:
            excused = channel.scheduler_delay().excused / SECOND
            raise MachineTooBusy(f"the machine kept a bot waiting for {excused:.1f} s")


def _unfinished(rest: bytes) -> str:
    """Return what was written in place of a line in time, in words."""
    if not rest:
        return "nothing was written or flushed"
    if not rest.strip():
        return "only blank lines were written"
    return "it came later" if b"\n" in rest else "what was written has no line end"


def exit_text(status: int | None) -> str:
    """Return an exit status in words."""
    if status is None:
        return "exit status unknown"
    if status >= 0:
        return f"exit status {status}"
    try:
        return f"signal {signal.Signals(-status).name}"
    except ValueError:
        return f"signal {-status}"


def shown(line: bytes) -> str:
    """Return the beginning of an offending line as text that is safe to print."""
    text = line[:_SHOWN].decode("utf-8", "backslashreplace")
    text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return text + (" …" if len(line) > _SHOWN else "")
