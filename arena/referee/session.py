"""A bot after its handshake, or a person in its place: its channel and what it requested.

A person is sent the same lines as a bot, and so cannot see more than a bot sees. A person has no
time limit.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from arena import __version__
from arena.protocol.messages import (
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
from arena.referee.channel import Channel, Reply
from arena.referee.deadline import NO_DELAY, SECOND, SchedulerDelay, seconds
from arena.referee.faults import MachineTooBusy, Offence, shown, silent
from arena.results import FaultKind, Limits, TimeControl

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
