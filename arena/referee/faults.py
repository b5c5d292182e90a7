"""From what a bot did to a fault. Values only, no I/O.

There is no fault a bot can commit on another's account, and none that is overlooked. What
becomes of the game is settled by ``is_played_on`` and ``ending`` of ``arena.results``.
"""

from __future__ import annotations

import signal
from typing import Final, NamedTuple

from arena.referee.channel import Channel, Silence
from arena.results import FaultKind

_SHOWN: Final = 200
"""Longest piece of an offending line that is kept, bytes."""


class Offence(NamedTuple):
    """What is wrong with an answer, before it is known whose it was and when."""

    kind: FaultKind
    detail: str
    line: str = ""
    """The offending line, cut."""
    exit_status: int | None = None
    stderr: str = ""


def silent(silence: Silence, channel: Channel) -> Offence:
    """The offence of a bot that gave no line."""
    part = shown(channel.rest())
    match silence:
        case Silence.TIMED_OUT:
            why = "what was written has no line end" if part else "nothing was written or flushed"
            return Offence(FaultKind.TIMEOUT, f"no line before the deadline: {why}", part)
        case Silence.ENDED:
            status = channel.exit_status()
            text = f"the process ended ({exit_text(status)})"
            return Offence(FaultKind.CRASH, text, part, exit_status=status)
        case Silence.TOO_LONG:
            return Offence(FaultKind.OVERFLOW, "a line longer than the limit", part)
        case Silence.OVER_LIMIT | Silence.STARVED:
            raise NotImplementedError(silence)


def exit_text(status: int | None) -> str:
    """An exit status in words."""
    if status is None:
        return "exit status unknown"
    if status >= 0:
        return f"exit status {status}"
    try:
        return f"signal {signal.Signals(-status).name}"
    except ValueError:
        return f"signal {-status}"


def shown(line: bytes) -> str:
    """The beginning of an offending line as text that is safe to print."""
    text = line[:_SHOWN].decode("utf-8", "backslashreplace")
    text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return text + (" …" if len(line) > _SHOWN else "")
