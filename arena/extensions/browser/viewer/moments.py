"""Targets of jumps in a view of a game: its turning points, and other positions.

A position is the number of plies applied.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from itertools import pairwise
from statistics import median
from typing import Final, NamedTuple

from arena.games.board import Json, anyone
from arena.referee.records.format import evaluation
from arena.referee.records.perspective import GameViews
from arena.values.numbers import score_line
from arena.values.results import Seat, Termination
from arena.views.game.replay import Plies, View, change_words, duration, is_shown, sentence

_MOST_FAULTS: Final = 5
_MOST_LEADS: Final = 4
_MOST_CHANGES: Final = 3
_MOST_SWINGS: Final = 3
_MOST_SLOW: Final = 3
_LEAST_DECISIONS: Final = 8
"""Fewest decisions of a seat for a think time to stand out."""
_SLOW_FACTOR: Final = 4
_LAST_TURN: Final = "final_turn"
"""Name of the member of an event that announces the last turn."""
_SLOW_US: Final = 10_000
"""Think time in microseconds from which a decision may count as slow.

A decision is slow if it took at least this time and ``_SLOW_FACTOR`` times the median of its seat.
"""


class MomentKind(StrEnum):
    """The reason why a ply is worth a look."""

    FAULT = "fault"
    """A bot committed a fault when it was asked there."""
    LEAD = "lead"
    """The lead passes to another seat."""
    CHANGE = "change"
    """The score change is among the largest."""
    SWING = "swing"
    """A bot's own evaluation (``info.eval``) changed most."""
    SLOW = "slow"
    """The longest think time of a seat stands out."""
    END = "end"
    """The end was announced, or the game ended."""


class Moment(NamedTuple):
    """A turning point of a game."""

    ply: int
    """Number of the ply, shown by the position after it; -1 in a game without plies."""
    kind: MomentKind
    words: str
    """Short description of what happened, without the ply."""


class ScoreChange(NamedTuple):
    """The scores before and after a ply that changed them."""

    ply: int
    before: tuple[int, ...]
    after: tuple[int, ...]

    @property
    def size(self) -> int:
        """The largest number of points that a seat gained or lost."""
        return max(abs(new - old) for old, new in zip(self.before, self.after, strict=True))


class GameFacts(NamedTuple):
    """Facts of a game from which the moments of all its views are found, worked out once."""

    changes: Sequence[ScoreChange]
    """Changes of the scores, by ply."""
    decided: Sequence[_Decision]
    """Decisions of bots, by ply."""
    announced: Sequence[int]
    """Plies at which the last turn was announced to any seat."""
    scored: dict[int, list[Moment]]
    """Cache of the moments at score changes, by the first decision that a view shows."""


def course_of(view: View, scores: Sequence[tuple[int, ...] | None]) -> GameFacts:
    """Return the course of a game.

    ``scores``: those of all positions, which are the same in all views of the game.
    """
    plies = view.plies
    return GameFacts(changes_of(scores), list(_decisions(plies)), _announced(plies.seen), {})


def moments(view: View, course: GameFacts | None = None) -> list[Moment]:
    """Return at most 20 moments by ply, also of a long game, from what the view shows.

    Of each kind the largest are kept, of faults the first. ``course``: that of the game, if it is
    known.
    """
    course = course or course_of(view, view.all_scores())
    decided = [each for each in course.decided if view.seat in (None, each.seat)]
    found = [
        *_faults(view),
        *_scored(view, course),
        *_swings(view, decided),
        *_slow(view, decided),
        *_ends(view, course.announced),
    ]
    kinds = list(MomentKind)
    return sorted(found, key=lambda moment: (moment.ply, kinds.index(moment.kind)))


def _largest(found: Iterable[tuple[float, Moment]], most: int) -> list[Moment]:
    """Return the ``most`` moments with the largest numbers; of equal numbers the earlier moment."""
    ordered = sorted(found, key=lambda item: (-item[0], item[1].ply))
    return [moment for _, moment in ordered[:most]]


def _faults(view: View) -> Iterator[Moment]:
    last = len(view.plies) - 1
    for fault in view.faults[:_MOST_FAULTS]:
        words = f"{view.table.names[fault.seat]}: {fault.kind.value}"
        yield Moment(min(fault.ply, last), MomentKind.FAULT, words)


class _Decision(NamedTuple):
    """The facts that a view shows of a ply that a bot decided."""

    ply: int
    seat: Seat
    info: Json
    thought_us: int | None


def _decisions(plies: Plies) -> Iterator[_Decision]:
    """Yield the decisions of all bots."""
    for ply, think_us in zip(plies.record.plies, plies.record.measured.think_us, strict=True):
        if ply.seat is not None and not ply.autopilot:
            yield _Decision(ply.ply, ply.seat, ply.info, think_us)


def changes_of(scores: Sequence[tuple[int, ...] | None]) -> list[ScoreChange]:
    """Return the changes between ``scores``, those of all positions."""
    return [
        ScoreChange(ply, before, after)
        for ply, (before, after) in enumerate(pairwise(scores))
        if before != after and before is not None and after is not None
    ]


def _scored(view: View, course: GameFacts) -> list[Moment]:
    """Return the leads and gains from the first decision on: scores that are dealt do not count."""
    first = view.plies.first_decision()
    if first not in course.scored:
        changes = [change for change in course.changes if change.ply >= first]
        course.scored[first] = [*_leads(view, changes), *_gains(view, changes)]
    return course.scored[first]


def _leads(view: View, changes: Sequence[ScoreChange]) -> list[Moment]:
    """Return the longest leads that a seat took from another; a shared lead changes nothing."""
    taken = list(_taken_leads(view, changes))
    changed = taken[1:]  # the first to lead takes it from nobody
    ends = [*(moment.ply for moment in taken[2:]), len(view.plies)]
    lengths = (end - moment.ply for end, moment in zip(ends, changed, strict=False))
    return _largest(zip(lengths, changed, strict=True), _MOST_LEADS)


def _taken_leads(view: View, changes: Sequence[ScoreChange]) -> Iterator[Moment]:
    names, best = view.table.names, min if view.board.fewest_lead else max
    leader: Seat | None = None
    for change in changes if len(names) > 1 else ():
        ahead = [seat for seat, score in enumerate(change.after) if score == best(change.after)]
        if len(ahead) == 1 and ahead[0] != leader:
            leader = ahead[0]
            words = f"{names[leader]} takes the lead: {score_line(change.after)}"
            yield Moment(change.ply, MomentKind.LEAD, words)


def _gains(view: View, changes: Sequence[ScoreChange]) -> list[Moment]:
    """Return the largest score changes above the median of the game."""
    if not changes:
        return []
    sizes = [change.size for change in changes]
    usual, names = median(sizes), view.table.names
    pairs = [pair for pair in zip(sizes, changes, strict=True) if pair[0] > usual]
    largest = sorted(pairs, key=lambda pair: (-pair[0], pair[1].ply))[:_MOST_CHANGES]
    return [
        Moment(change.ply, MomentKind.CHANGE, change_words(names, change.before, change.after))
        for _, change in largest
    ]


def _swings(view: View, decided: Iterable[_Decision]) -> list[Moment]:
    """Return the largest change of evaluation of each seat, at most ``_MOST_SWINGS``."""
    found: dict[Seat, tuple[float, Moment]] = {}
    last: dict[Seat, float] = {}
    for ply in decided:
        now = evaluation(ply.info)
        if now is None:
            continue
        before = last.get(ply.seat, now)
        size = abs(now - before)
        if size > found.get(ply.seat, (0, None))[0]:
            words = f"{view.table.names[ply.seat]}: eval {before:.4g} → {now:.4g}"
            found[ply.seat] = (size, Moment(ply.ply, MomentKind.SWING, words))
        last[ply.seat] = now
    return _largest(found.values(), _MOST_SWINGS)


def _slow(view: View, decided: Iterable[_Decision]) -> list[Moment]:
    """Return the longest think time of each seat if it stands out, at most ``_MOST_SLOW``."""
    found = []
    by_seat: dict[Seat, list[tuple[int, int]]] = {}
    for ply in decided:
        if ply.thought_us is not None:
            by_seat.setdefault(ply.seat, []).append((ply.thought_us, -ply.ply))
    for seat, name in enumerate(view.table.names):
        times = by_seat.get(seat, [])
        if len(times) < _LEAST_DECISIONS:
            continue
        usual = max(1.0, median(time for time, _ in times))
        time, number = max(times)
        if time >= _SLOW_US and time >= _SLOW_FACTOR * usual:
            words = f"{name} thought {duration(time)}, usually {duration(round(usual))}"
            found.append((time / usual, Moment(-number, MomentKind.SLOW, words)))
    return _largest(found, _MOST_SLOW)


def _ends(view: View, announced: Iterable[int]) -> Iterator[Moment]:
    """Yield the announcement of the last turn, which some rules have, and the end."""
    for ply in announced:
        turn = view.plies[ply].event.get(_LAST_TURN)
        if isinstance(turn, int):
            yield Moment(ply, MomentKind.END, f"turn {turn} will be the last")
            break
    yield Moment(len(view.plies) - 1, MomentKind.END, result_line(view))


def _announced(seen: GameViews) -> list[int]:
    told = {id(event): event for events in seen.events for event in events.values()}
    found = {at for at, event in told.items() if event is not None and _LAST_TURN in event}
    every = enumerate(seen.events) if found else ()
    return [ply for ply, events in every if not found.isdisjoint(map(id, events.values()))]


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


def result_line(view: View) -> str:
    """Return termination, places and faults of a game on one line."""
    names = view.table.names
    places = ", ".join(f"{view.end.places[seat]}. {names[seat]}" for seat in view.ranking)
    if len(names) == 1:
        places = names[0] + (
            f", {view.replay.score}: {view.end.scores[0]}" if view.end.scores else ""
        )
    faults = "".join(f"; {names[f.seat]}: {f.kind.value}" for f in view.faults)
    words = "forfeited" if view.end.termination is Termination.FORFEITED else "over"
    words += f" by {view.end.ruling}" if view.end.ruling else ""
    return f"{words}: {places}{faults}"
