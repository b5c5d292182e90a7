"""What is worth jumping to in a game: the turning points of a view."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from arena.report.replay import View


class MomentKind(StrEnum):
    """Why a ply is worth a look."""

    FAULT = "fault"
    """A bot committed a fault when it was asked there."""
    LEAD = "lead"
    """Another seat than before leads."""
    GAIN = "gain"
    """One of the largest gains in scores."""
    SWING = "swing"
    """A bot's own evaluation (``info.eval``) changed most."""
    SLOW = "slow"
    """The longest thought of a seat."""
    END = "end"
    """The end was announced, or the game ended."""


class Moment(NamedTuple):
    """One of them."""

    ply: int
    """Shown by the position after it."""
    kind: MomentKind
    words: str
    """Says in a few words what happened; without the ply."""


def moments(view: View) -> list[Moment]:
    """By ply, made only of what the view shows; a handful, also for a long game."""
    return [
        Moment(fault.ply, MomentKind.FAULT, f"{view.table.names[fault.seat]}: {fault.kind.value}")
        for fault in view.faults
    ]
