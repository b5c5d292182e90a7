"""Records of toy games."""

from __future__ import annotations

from typing import Any

import msgspec

from arena.referee.channel import Silence
from arena.referee.records.format import Record, pack
from arena.referee.records.read import parse, unpack
from arena.referee.session import Offence
from arena.values.results import FaultKind, GameDone
from tests.referee.scripted import Scripted, play


def played(seats: int = 2) -> GameDone:
    return play(*(Scripted([seat % 3, 1]) for seat in range(seats)))


def forfeited() -> GameDone:
    return play(Scripted(), Scripted([0, Silence.TIMED_OUT]))


def with_faults(*answers: Any, **terms: Any) -> Record:
    """By seat: the answers of its bot; None for one that could not be started."""
    absent = Offence(FaultKind.STARTUP, "cannot be started")
    players = (absent if script is None else Scripted(script) for script in answers)
    return read(play(*players, **terms).record)


def read(packed: bytes) -> Record:
    return parse(unpack(packed))[0]


def changed(record: Record, line: str, **changes: Any) -> Record:
    """Another record, as a forger would write it: its seal is computed anew."""
    part = msgspec.structs.replace(getattr(record, line), **changes)
    return read(pack(record._replace(**{line: part}))[0])


def with_plies(record: Record, *plies: Any) -> Record:
    """Another record with these plies, numbered and counted anew."""
    numbered = tuple(msgspec.structs.replace(ply, ply=n) for n, ply in enumerate(plies))
    end = msgspec.structs.replace(record.end, plies=len(plies))
    measured = msgspec.structs.replace(record.measured, think_us=(0,) * len(plies))
    return read(pack(record._replace(plies=numbered, end=end, measured=measured))[0])
