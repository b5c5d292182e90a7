"""A bot after its handshake: its channel and the message parts it requested."""

from __future__ import annotations

import time
from typing import Final

from arena import __version__
from arena.protocol.messages import PROTOCOL, BadMessage, Bye, Hello, Part, Ready, decode, encode
from arena.referee.channel import Channel, Reply
from arena.referee.clock import SECOND, seconds
from arena.referee.faults import MachineTooBusy, Offence, shown, silent
from arena.results import FaultKind, Limits, TimeControl

GRACE_SECONDS: Final = 0.5
"""Time for dismissed bots to end by themselves, in seconds."""


class BotSession:
    """One running bot process after its handshake."""

    __slots__ = ("channel", "name", "version", "wants")

    def __init__(self, channel: Channel, ready: Ready) -> None:
        self.channel = channel
        self.name = ready.name
        self.version = ready.version
        self.wants: frozenset[Part] = frozenset(ready.wants)

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
    asked = time.monotonic_ns()
    reply = channel.ask(encode(hello), round(control.startup * SECOND))
    waited = time.monotonic_ns() - asked
    try:
        answer = _judge(reply, channel, seconds(round(control.startup * SECOND)))
    except MachineTooBusy:
        channel.close()
        raise
    if isinstance(answer, Ready):
        return BotSession(channel, answer)
    status = channel.exit_status()
    return answer._replace(
        exit_status=status, waited=waited, scheduler_delay=channel.scheduler_delay()
    )


def _judge(reply: Reply, channel: Channel, within: str) -> Ready | Offence:
    """Return the ``ready`` message, or the offence. Raises MachineTooBusy."""
    if not isinstance(reply, bytes):
        offence = silent(reply, channel, within=within)
        text = f"before ready: {offence.detail}"
        return offence._replace(kind=FaultKind.STARTUP, detail=text)
    try:
        message = decode(reply)
    except BadMessage as error:
        found = shown(str(error).encode())
        text = f"expected a ready message as the first line on standard output: {found}"
        return Offence(FaultKind.STARTUP, text, shown(reply))
    if not isinstance(message, Ready):
        return Offence(FaultKind.STARTUP, "expected ready, found action", shown(reply))
    if message.protocol != PROTOCOL:
        text = f"ready: protocol is {message.protocol}, expected {PROTOCOL}"
        return Offence(FaultKind.STARTUP, text, shown(reply))
    return message
