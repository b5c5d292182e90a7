"""Filters and orders of lists of games, the same for commands, reports and exports.

Pure functions from rows to rows. ``report-games.js`` has the same ones for the browser.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import Enum
from typing import Final, NamedTuple

from arena.documents.ranges import NumberRange
from arena.results import FaultKind, Seat
from arena.views.game.rows import GameRow


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
