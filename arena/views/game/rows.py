"""Stored games as rows: the facts by which lists of games are shown, filtered and sorted.

Commands, reports and exports share the filters and orders; ``report-rows.js`` has the same ones for
the browser. The course of the lead says when a game was decided, and its largest swing.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from itertools import pairwise
from operator import itemgetter
from typing import Final, NamedTuple

from arena.runs.reader import StoredRun
from arena.runs.store import Stored
from arena.values.results import Fault, FaultKind, Seat, margins_of
from arena.views.game.find import FoundGame, NumberRange, load
from arena.views.game.replay import View, view_of


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
    less, scores = view.board.fewest_lead, view.all_scores()
    known = {each: _margins(each, less_is_better=less) for each in set(scores)}
    margins = [known[each] for each in scores]
    first = view.plies.first_decision()
    swing, swing_ply = _swing(margins, first)
    winners = [seat for seat, place in enumerate(view.end.places) if place == 1]
    decided = None
    if len(winners) == 1 and len(view.end.places) > 1 and not view.faults:
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
        if ply < first or not before or not after or (before is after and largest is not None):
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


class GameRow(NamedTuple):
    """A game of a list."""

    number: int
    """Number from 1, in the order of the list of all games."""
    game_id: str
    discipline: str
    deal: str
    names: tuple[str, ...]
    """Names by seat."""
    places: tuple[int, ...]
    scores: tuple[int, ...] | None
    plies: int
    faults: tuple[Fault, ...]
    margin: int | None
    """Score of the first place over the best other; None alone, and in a game with a fault."""
    slowest_us: int | None
    """Think time of the slowest move, in microseconds; None if unknown or without moves."""
    lead: LeadCourse | None = None
    """Course of the lead; None if the record was not replayed."""


class GameRows(NamedTuple):
    """Rows of a run."""

    rows: list[GameRow]
    """Rows that were kept, by number."""
    stored: Mapping[int, Stored]
    """Stored games of the rows, by number."""
    games: int
    """Number of all stored games."""


def row_of(number: int, stored: Stored, *, less_is_better: bool) -> GameRow:
    """Return the row of a stored game. ``less_is_better``: whether a lower score is better."""
    result = stored.result
    spec, margins = result.spec, result.margins(less_is_better=less_is_better)
    return GameRow(
        number=number,
        game_id=spec.game_id,
        discipline=spec.discipline,
        deal=spec.deal,
        names=spec.entrants,
        places=result.places,
        scores=result.scores,
        plies=result.plies,
        faults=result.faults,
        margin=margins[result.places.index(1)] if len(margins) > 1 else None,
        slowest_us=max((own.longest_us for own in stored.spent if own.times), default=None),
    )


def with_lead(run: StoredRun, row: GameRow, stored: Stored) -> GameRow:
    """Return the row with the course of its lead, from the record of the game.

    Raises StoreError for a missing or damaged record.
    """
    replay = load(run, FoundGame(stored, row.number, row.number))
    return row._replace(lead=lead_course(view_of(replay, None)))


def game_rows(run: StoredRun, is_kept: Callable[[GameRow], bool]) -> GameRows:
    """Read all games of ``run`` once and return the rows for which ``is_kept`` returns True.

    Records are not read. Raises StoreError.
    """
    less = {name: each.less_is_better for name, each in run.manifest.games.items()}
    numbers: list[int] = []
    found: list[tuple[int, GameRow, Stored]] = []
    for game in run.stored():
        numbers.append(game.number)
        discipline = game.result.spec.discipline
        row = row_of(0, game.stored, less_is_better=less[discipline])
        if is_kept(row):
            found.append((game.number, row, game.stored))
    numbers.sort()
    found.sort(key=itemgetter(0))
    rows: list[GameRow] = []
    stored: dict[int, Stored] = {}
    for number, row, game_stored in found:
        rank = bisect_left(numbers, number) + 1
        rows.append(row._replace(number=rank))
        stored[rank] = game_stored
    return GameRows(rows, stored, len(numbers))


class GameOutcome(Enum):
    """Outcome of a game for one seat, as tables count it."""

    WON = "won"
    DRAWN = "drawn"
    LOST = "lost"


class GameFilter(NamedTuple):
    """Conditions that a listed game has to meet; the default keeps every game.

    A game is kept if one of its seats meets the conditions on bots, opponents, outcome and fault
    together.
    """

    bots: tuple[str, ...] = ()
    """Names, one of which the seat has to have; empty: any."""
    against: tuple[str, ...] = ()
    """Names, one of which another seat has to have; empty: any."""
    outcome: GameOutcome | None = None
    faults: frozenset[FaultKind] | None = None
    """Kinds, one of which a fault of the seat has to have; None: with or without faults."""
    discipline: str = ""
    """Name of the discipline; empty: any."""
    margin: NumberRange = NumberRange()
    plies: NumberRange = NumberRange()

    def keeps(self, row: GameRow) -> bool:
        """Return whether ``row`` meets all conditions."""
        return (
            (not self.discipline or row.discipline == self.discipline)
            and self.margin.has(row.margin)
            and self.plies.has(row.plies)
            and any(self._fits(row, seat) for seat in range(len(row.names)))
        )

    def _fits(self, row: GameRow, seat: Seat) -> bool:
        if self.bots and row.names[seat] not in self.bots:
            return False
        if self.against and not any(
            name in self.against for other, name in enumerate(row.names) if other != seat
        ):
            return False
        if self.outcome is not None and outcome_of(row, seat) is not self.outcome:
            return False
        kinds = self.faults
        return kinds is None or any(own.seat == seat and own.kind in kinds for own in row.faults)


def outcome_of(row: GameRow, seat: Seat) -> GameOutcome:
    """Return the outcome for ``seat``: a fault loses, seats of the same bot do not draw."""
    if row.places[seat] != 1 or any(fault.seat == seat for fault in row.faults):
        return GameOutcome.LOST
    own = row.names[seat]
    tied = (name != own for name, place in zip(row.names, row.places, strict=True) if place == 1)
    return GameOutcome.DRAWN if any(tied) else GameOutcome.WON


class GameOrder(Enum):
    """Key by which games are sorted: numbers ascend, of all others the largest comes first."""

    NUMBER = "number"
    MARGIN = "margin"
    PLIES = "plies"
    SLOWEST = "slowest"
    DECIDED = "decided"
    SWING = "swing"

    @property
    def needs_records(self) -> bool:
        """True if records have to be replayed for the key."""
        return self in (GameOrder.DECIDED, GameOrder.SWING)


_KEYS: Final[dict[GameOrder, Callable[[GameRow], int | None]]] = {
    GameOrder.NUMBER: lambda row: row.number,
    GameOrder.MARGIN: lambda row: row.margin,
    GameOrder.PLIES: lambda row: row.plies,
    GameOrder.SLOWEST: lambda row: row.slowest_us,
    GameOrder.DECIDED: lambda row: None if row.lead is None else row.lead.decided,
    GameOrder.SWING: lambda row: None if row.lead is None else row.lead.swing,
}


def ordered(
    rows: Iterable[GameRow], order: GameOrder, *, is_reversed: bool = False
) -> list[GameRow]:
    """Return the rows sorted; equal ones by number, and those without a value last."""
    key = _KEYS[order]
    by_number = sorted(rows, key=lambda row: row.number)
    pairs = [(key(row), row) for row in by_number]
    known = [(value, row) for value, row in pairs if value is not None]
    known.sort(key=lambda pair: pair[0], reverse=is_reversed == (order is GameOrder.NUMBER))
    return [*(row for _, row in known), *(row for value, row in pairs if value is None)]
