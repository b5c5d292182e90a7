"""Targets of jumps in a view of a game: positions, which are numbers of plies applied."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from arena.games.board import anyone
from arena.views.game.moments import Moment, moments
from arena.views.game.replay import View, is_shown, sentence


class Stops(NamedTuple):
    """Positions of each kind, in order and without duplicates."""

    turns: tuple[int, ...]
    """Positions where turns begin, and both ends."""
    faults: tuple[int, ...]
    moments: tuple[int, ...]
    scores: tuple[int, ...]
    """Positions just after a change of a score."""
    slowest: int | None
    """Position after the longest think time that the view shows; None if it shows none."""
    turning_points: tuple[Moment, ...]
    """The turning points at ``moments``."""


def stops_of(view: View) -> Stops:
    """Return the stops of the view."""
    found = tuple(moments(view))
    return Stops(
        turns=_ordered([0, *_turns(view), len(view.plies)]),
        faults=_ordered(shown_at(view, fault.ply) for fault in view.faults),
        moments=_ordered(shown_at(view, moment.ply) for moment in found),
        scores=tuple(_scores(view)),
        slowest=_slowest(view),
        turning_points=found,
    )


def shown_at(view: View, ply: int) -> int:
    """Return the position that shows ``ply``: after it, but not behind the end."""
    return min(max(ply + 1, 0), len(view.plies))


def matches(view: View, wanted: str) -> tuple[int, ...]:
    """Return the positions after plies whose words contain ``wanted``, ignoring case."""
    text = wanted.casefold()
    return tuple(
        ply.ply + 1
        for ply in view.plies
        if is_shown(ply) and text in sentence(view, ply).casefold()
    )


def after(stops: Sequence[int], position: int) -> int | None:
    """Return the first stop behind ``position``, or None."""
    return next((stop for stop in stops if stop > position), None)


def before(stops: Sequence[int], position: int) -> int | None:
    """Return the last stop before ``position``, or None."""
    return next((stop for stop in reversed(stops) if stop < position), None)


def _ordered(positions: Iterable[int]) -> tuple[int, ...]:
    return tuple(sorted(set(positions)))


def _turns(view: View) -> Iterator[int]:
    """Yield where turns begin, by turn and player of the observations or else by deciding seat."""
    seen = [anyone(view.observations(at)) for at in range(len(view.plies))]
    turns = [(one.get("turn"), one.get("player")) for one in seen]
    if any(isinstance(turn, int) for turn, _ in turns):
        yield from (at for at, (old, new) in enumerate(pairwise(turns), 1) if old != new)
        return
    seat = None
    for ply in view.plies:
        if ply.seat is not None and ply.seat != seat:
            seat = ply.seat
            yield ply.ply


def _scores(view: View) -> Iterator[int]:
    scores = [view.scores_at(at) for at in range(len(view.plies) + 1)]
    return (at for at, (old, new) in enumerate(pairwise(scores), 1) if old != new)


def _slowest(view: View) -> int | None:
    thought = [(ply.thought_us, -ply.ply) for ply in view.plies if ply.thought_us is not None]
    return 1 - max(thought)[1] if thought else None
