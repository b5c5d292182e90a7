"""A person in the place of a bot: the referee asks, and somebody else shows and waits.

A person is sent the very lines that a bot would be sent, so he cannot see more than a bot sees.
He has all the time in the world.
"""

from __future__ import annotations

from collections.abc import Callable

from arena.protocol.messages import PROTOCOL, Ready
from arena.referee.channel import Reply
from arena.referee.patience import NO_STRAIN, Strain
from arena.referee.session import Session


class PersonLeft(Exception):
    """The person has left the table; the game cannot go on."""


class PersonChannel:
    """A channel to a person."""

    def __init__(self, hears: Callable[[bytes], None], answers: Callable[[], bytes | None]) -> None:
        """``hears`` is given every line for the person, a question too. ``answers`` waits for the
        line that answers the last question; None: the person has left."""
        self.ply: int | None = None
        """See Channel."""
        self._hears = hears
        self._answers = answers

    def ask(self, question: bytes | bytearray, allowance: int | None) -> Reply:
        """See Channel. Waits without end. Raises PersonLeft."""
        self._hears(bytes(question))
        answer = self._answers()
        if answer is None:
            raise PersonLeft
        return answer

    def tell(self, line: bytes) -> None:
        """See Channel."""
        self._hears(line)

    def rest(self) -> bytes:
        """See Channel. Nothing: one question, one answer."""
        return b""

    def strain(self) -> Strain:
        """See Channel."""
        return NO_STRAIN

    def over_limit(self) -> None:
        """See Channel. There are no limits."""

    def exit_status(self) -> None:
        """See Channel. There is no process."""

    def stderr(self) -> str:
        """See Channel."""
        return ""

    def dismiss(self, farewell: bytes) -> None:
        """See Channel. A person takes his leave himself."""

    def close(self, grace: float = 0.0) -> None:
        """See Channel. There is nothing to kill."""


def person_session(channel: PersonChannel) -> Session:
    """The session of a person, who wants to be told everything that may be told."""
    return Session(channel, Ready(PROTOCOL))
