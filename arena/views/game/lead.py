"""The course of the lead in a game: when the game was decided, and the largest swing."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from arena.results import Seat, margins_of
from arena.views.game.replay import View


class LeadCourse(NamedTuple):
    """Turning points of the lead, from a replayed record."""

    decided: int | None
    """Ply since which the winner led alone; None without a single winner, or with a fault."""
    swing: int | None
    """Largest change of a seat's margin over the best other seat by one ply, in points.

    Scores that are dealt before the first decision do not count. None alone and without scores.
    """
    swing_ply: int | None
    """The first ply with that change; None without one."""


NO_LEAD: Final = LeadCourse(None, None, None)
"""Course of a lead of which nothing is known."""


def lead_course(view: View) -> LeadCourse:
    """Return the course of the lead in a view."""
    less = view.board.fewest_lead
    margins = [_margins(scores, less_is_better=less) for scores in view.all_scores()]
    first = next((ply.ply for ply in view.plies if ply.seat is not None), len(view.plies))
    swing, swing_ply = _swing(margins, first)
    winners = [seat for seat, place in enumerate(view.places) if place == 1]
    decided = None
    if len(winners) == 1 and len(view.places) > 1 and not view.faults:
        decided = _decided(margins, winners[0])
    return LeadCourse(decided, swing, swing_ply)


def _margins(scores: Sequence[int] | None, *, less_is_better: bool) -> list[int]:
    """Return the margin of each seat; empty without scores or without other seats."""
    if scores is None or len(scores) < 2:
        return []
    return margins_of(scores, less_is_better=less_is_better)


def _swing(margins: Sequence[Sequence[int]], first: int) -> tuple[int | None, int | None]:
    """Return the largest change of a margin from ply ``first`` on, and the first such ply."""
    largest, at = None, None
    for ply, (before, after) in enumerate(pairwise(margins)):
        if ply < first or not before or not after:
            continue
        change = max(abs(new - old) for old, new in zip(before, after, strict=True))
        if largest is None or change > largest:
            largest, at = change, ply if change else None
    return largest, at


def _decided(margins: Sequence[Sequence[int]], winner: Seat) -> int | None:
    """Return the ply since which ``winner`` led alone, the last one if only the end decided."""
    if not all(margins):
        return None
    position = len(margins) - 1
    if margins[position][winner] > 0:
        while position and margins[position - 1][winner] > 0:
            position -= 1
    return max(position - 1, 0)
