"""Time budgets as arithmetic on given instants, in nanoseconds; reads no clock."""

from __future__ import annotations

from typing import Final

from arena.results import Seat, TimeControl

SECOND: Final = 1_000_000_000


class GameClock:
    """The time left to each seat in one game."""

    __slots__ = ("_bank", "_increment", "_move")

    def __init__(self, control: TimeControl, seats: int) -> None:
        self._move = _nanoseconds(control.move)
        self._increment = _nanoseconds(control.increment) or 0
        bank = _nanoseconds(control.bank)
        self._bank = None if bank is None else [bank] * seats

    @property
    def has_bank(self) -> bool:
        """True if answers are charged to a bank."""
        return self._bank is not None

    def allowance(self, seat: Seat) -> int | None:
        """Return the time limit of the next answer in nanoseconds; None without a limit."""
        if self._bank is None:
            return self._move
        bank = self._bank[seat]
        return bank if self._move is None else min(bank, self._move)

    def words(self, seat: Seat) -> str:
        """Return the time limit of the next answer for people, without a measured quantity."""
        move, allowance = self._move, self.allowance(seat)
        if allowance is not None and allowance != move:
            return "what was left of its bank"
        return "its time" if move is None else seconds(move)

    def charge(self, seat: Seat, used: int) -> None:
        """Account for an answer that took ``used`` nanoseconds of the bot's own time."""
        if self._bank is not None:
            self._bank[seat] = max(0, self._bank[seat] - used) + self._increment


def seconds(nanoseconds: int) -> str:
    """Return a configured time for people, such as ``1 s``."""
    return f"{nanoseconds / SECOND:g} s"


def _nanoseconds(seconds: float | None) -> int | None:
    return None if seconds is None else round(seconds * SECOND)
