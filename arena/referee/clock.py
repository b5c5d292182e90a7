"""Time budgets as arithmetic on given instants; reads no clock. Nanoseconds inside."""

from __future__ import annotations

from typing import Final

from arena.results import Seat, TimeControl

SECOND: Final = 1_000_000_000


class Clock:
    """The time left to each seat in one game."""

    __slots__ = ("_bank", "_increment", "_move")

    def __init__(self, control: TimeControl, seats: int) -> None:
        self._move = _nanoseconds(control.move)
        self._increment = _nanoseconds(control.increment) or 0
        bank = _nanoseconds(control.bank)
        self._bank = None if bank is None else [bank] * seats

    @property
    def has_bank(self) -> bool:
        """Whether it matters what an answer is charged for."""
        return self._bank is not None

    def allowance(self, seat: Seat) -> int | None:
        """Nanoseconds the next answer may take; None without any limit."""
        if self._bank is None:
            return self._move
        bank = self._bank[seat]
        return bank if self._move is None else min(bank, self._move)

    def words(self, seat: Seat) -> str:
        """The same for people, without a measured quantity."""
        move, allowance = self._move, self.allowance(seat)
        if allowance is not None and allowance != move:
            return "what was left of its bank"
        return "its time" if move is None else seconds(move)

    def charge(self, seat: Seat, used: int) -> None:
        """Account for an answer that took ``used`` nanoseconds of the bot's own time."""
        if self._bank is not None:
            self._bank[seat] = max(0, self._bank[seat] - used) + self._increment


def seconds(nanoseconds: int) -> str:
    """``1 s``: a time that was set, for people."""
    return f"{nanoseconds / SECOND:g} s"


def _nanoseconds(seconds: float | None) -> int | None:
    return None if seconds is None else round(seconds * SECOND)
