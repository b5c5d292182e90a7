"""Check that the faults of a record are possible and that all their consequences happened."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from arena.games.base import Action
from arena.records.format import Ply, Record
from arena.records.read import RecordError
from arena.results import Fault, FaultKind, Seat, is_played_on


class FaultCheck:
    """A check of the faults of one record, which follows its plies as they are applied again.

    A seat can commit one fault: by not being ready before the first ply, or when it is asked.
    """

    def __init__(self, record: Record, seats: int) -> None:
        """Take the faults at start-up. Raises RecordError at an impossible fault."""
        self._seats = seats
        self._on_fault = record.header.on_fault
        self._end_line = len(record.plies) + 2
        self._left = deque(record.end.faults)
        self.faulty: set[Seat] = set()
        while self._left and self._left[0].kind is FaultKind.STARTUP:
            fault = self._left.popleft()
            in_order = all(seat < fault.seat for seat in self.faulty)
            self._take(fault, possible=fault.ply == 0 and in_order)

    def is_played_on(self) -> bool:
        """Return whether the game continues after the faults taken so far."""
        return is_played_on(self._on_fault, self.faulty, self._seats)

    def ask(self, plies: int, seat: Seat) -> None:
        """Take the fault that ``seat`` commits now, if any; it is to act after ``plies`` plies.

        Raises RecordError at an impossible fault.
        """
        if self._left and self._left[0].ply == plies:
            fault = self._left.popleft()
            asked = self.is_played_on() and fault.seat == seat and seat not in self.faulty
            self._take(fault, possible=asked and fault.kind is not FaultKind.STARTUP)

    def check_ply(self, ply: Ply, action: Action, legal: Sequence[Action]) -> None:
        """Check a ply after ``ask``; ``legal``: the actions it was chosen from.

        Raises RecordError unless exactly the seats at fault are played by the autopilot.
        """
        if not self.faulty and not ply.autopilot and (ply.info is None or ply.seat is not None):
            return  # the usual case
        if not self.is_played_on():
            raise _refusal(ply, "a ply after a fault had ended the game")
        if ply.autopilot and ply.seat not in self.faulty:
            raise _refusal(ply, "the autopilot's, but its seat is not at fault")
        if ply.seat in self.faulty and not ply.autopilot:
            raise _refusal(ply, f"seat {ply.seat} is at fault, but this is not the autopilot's")
        if ply.autopilot and action != legal[0]:
            raise _refusal(ply, "the autopilot's, but not the first legal action")
        if ply.info is not None and (ply.autopilot or ply.seat is None):
            raise _refusal(ply, "info that no bot gave")

    def finish(self) -> None:
        """Check after the last ``ask`` that all faults occurred. Raises RecordError."""
        if self._left:
            raise self._impossible(self._left[0])

    def _take(self, fault: Fault, *, possible: bool) -> None:
        if not possible or fault.seat not in range(self._seats):
            raise self._impossible(fault)
        self.faulty.add(fault.seat)

    def _impossible(self, fault: Fault) -> RecordError:
        what = f"a {fault.kind} fault at ply {fault.ply} of seat {fault.seat} cannot be"
        return RecordError(self._end_line, what)


def _refusal(ply: Ply, what: str) -> RecordError:
    return RecordError(ply.ply + 2, what)
