"""A bot after its handshake, or a person in its place, and the faults of bots that do not answer.

A person is sent the same lines as a bot, and so cannot see more than a bot sees. A person has no
time limit.

A fault is made here if no line came in time: startup, timeout, crash, limit, overflow. No bot can
cause a fault of another, and no fault is overlooked. How the game continues is decided by
``is_played_on`` and ``ending`` of ``arena.values.results``.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from typing import Final, NamedTuple

from arena import __version__
from arena.referee.channel import Channel, Reply, Silence
from arena.referee.deadline import NO_DELAY, SECOND, SchedulerDelay, seconds
from arena.referee.protocol import (
    PROTOCOL,
    USUAL_PARTS,
    BadMessage,
    Bye,
    Hello,
    Part,
    Ready,
    decode,
    encode,
)
from arena.values.results import FaultKind, Limits, TimeControl

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


GRACE_SECONDS: Final = 0.5
"""Time for dismissed bots to end by themselves, in seconds."""


class BotSession:
    """One running bot process after its handshake."""

    __slots__ = ("channel", "prepares", "wants")

    def __init__(self, channel: Channel, ready: Ready) -> None:
        self.channel = channel
        self.wants: frozenset[Part] = frozenset(ready.wants)
        self.prepares = ready.prepares

    def begin(self, start: bytes, control: TimeControl) -> Offence | None:
        """Send ``start``; wait for ``ready``, off the clock of the game, if the bot prepares.

        The channel is closed after an offence. Raises MachineTooBusy as ``handshake``.
        """
        if not self.prepares:
            self.channel.tell(start)
            return None
        answer = _request(self.channel, start, control, "in answer to start")
        if isinstance(answer, Ready):
            return None
        self.channel.close()
        return answer

    def dismiss(self) -> None:
        """Send the bot the message that there are no more games. Never waits."""
        self.channel.dismiss(encode(Bye()))

    def close(self, grace: float) -> None:
        """Let a dismissed bot end by itself, for at most ``grace`` seconds; then kill it."""
        self.channel.close(grace)


def handshake(channel: Channel, control: TimeControl, limits: Limits) -> BotSession | Offence:
    """Say hello and wait for ``ready``. Every offence here is a ``startup`` fault.

    Raises MachineTooBusy, with the channel closed, if the machine did not let the bot start.
    """
    hello = Hello((PROTOCOL,), f"arena {__version__}", limits, control.startup)
    answer = _request(channel, encode(hello), control, "as the first line")
    return BotSession(channel, answer) if isinstance(answer, Ready) else answer


def _request(channel: Channel, line: bytes, control: TimeControl, when: str) -> Ready | Offence:
    """Send a line that asks for ``ready``, and return the answer. Raises as ``handshake``.

    ``when`` the answer is expected, in words.
    """
    asked = time.monotonic_ns()
    reply = channel.ask(line, round(control.startup * SECOND))
    waited = time.monotonic_ns() - asked
    try:
        answer = _judge(reply, channel, seconds(round(control.startup * SECOND)), when)
    except MachineTooBusy:
        channel.close()
        raise
    if isinstance(answer, Ready):
        return answer
    status = channel.exit_status()
    return answer._replace(
        exit_status=status, waited=waited, scheduler_delay=channel.scheduler_delay()
    )


def _judge(reply: Reply, channel: Channel, within: str, when: str) -> Ready | Offence:
    """Return the ``ready`` message, or the offence. Raises MachineTooBusy."""
    if not isinstance(reply, bytes):
        offence = silent(reply, channel, within=within)
        text = f"before ready: {offence.detail}"
        return offence._replace(kind=FaultKind.STARTUP, detail=text)
    try:
        message = decode(reply)
    except BadMessage as error:
        found = shown(str(error).encode())
        text = f"expected a ready message {when} on standard output: {found}"
        return Offence(FaultKind.STARTUP, text, shown(reply))
    if not isinstance(message, Ready):
        return Offence(FaultKind.STARTUP, "expected ready, found action", shown(reply))
    if message.protocol != PROTOCOL:
        text = f"ready: protocol is {message.protocol}, expected {PROTOCOL}"
        return Offence(FaultKind.STARTUP, text, shown(reply))
    return message


class PersonLeft(Exception):
    """Raised if the person has left the table, so that the game cannot continue."""


class PersonChannel:
    """A channel to a person."""

    def __init__(self, hears: Callable[[bytes], None], answers: Callable[[], bytes | None]) -> None:
        """Open a channel made from two callbacks.

        ``hears`` receives every line for the person, questions included. ``answers`` waits for the
        answer to the last question, and returns None if the person has left.
        """
        self.ply: int | None = None
        """See Channel."""
        self._hears = hears
        self._answers = answers

    def ask(self, question: bytes | bytearray, allowance: int | None) -> Reply:
        """See Channel. Waits without a limit. Raises PersonLeft."""
        self._hears(bytes(question))
        answer = self._answers()
        if answer is None:
            raise PersonLeft
        return answer

    def tell(self, line: bytes) -> None:
        """See Channel."""
        self._hears(line)

    def rest(self) -> bytes:
        """See Channel. Always empty, since each question has one answer."""
        return b""

    def scheduler_delay(self) -> SchedulerDelay:
        """See Channel."""
        return NO_DELAY

    def over_limit(self) -> None:
        """See Channel. There are no limits."""

    def exit_status(self) -> None:
        """See Channel. There is no process."""

    def stderr(self) -> str:
        """See Channel."""
        return ""

    def dismiss(self, farewell: bytes) -> None:
        """See Channel. A person needs no farewell."""

    def close(self, grace: float = 0.0) -> None:
        """See Channel. There is no process to kill."""


def person_session(channel: PersonChannel, wants: tuple[Part, ...] = USUAL_PARTS) -> BotSession:
    """Return the session of a person, who requests the parts ``wants`` of a question."""
    return BotSession(channel, Ready(PROTOCOL, wants=wants))
