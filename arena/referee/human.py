"""A person in place of a bot: the referee asks, and other code shows the question and waits.

A person is sent the same lines as a bot, and so cannot see more than a bot sees. A person has no
time limit.
"""

from __future__ import annotations

from collections.abc import Callable

from arena.protocol.messages import PROTOCOL, Ready
from arena.referee.channel import Reply
from arena.referee.deadline import NO_DELAY, SchedulerDelay
from arena.referee.session import BotSession


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


def person_session(channel: PersonChannel) -> BotSession:
    """Return the session of a person, who requests every part of a question."""
    return BotSession(channel, Ready(PROTOCOL))
