"""Views of tables: of everything, of what a bot was shown, or of what spectators were.

A view lists what its reader was given, as packs do (see ``views.export``); other values are null.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import msgspec

from arena.records.perspective import plain, public_event
from arena.records.replay import steps
from arena.results import GameSpec, Seat
from arena.runs.reader import StoredRun
from arena.runs.store import Stored
from arena.views.data.columns import GAMES, PLIES, SEATS, Row
from arena.views.data.moves import Columns

_encode: Final = msgspec.json.Encoder().encode
_IDENTIFYING: Final = {"deal", "block", "seating", "counted"}
"""Columns of games from which names can be found."""
_HIDDEN_OF_GAMES: Final = {"ruling", "plies", "wall_us", "digest"}
_OWN_OF_SEATS: Final = {"version", "fault_ply", "slowest_us", "decisions"}
_ALWAYS: Final = {"run", "game", "ply"}


class TableView(NamedTuple):
    """The reader of the tables; the default sees everything."""

    bot: str | None = None
    """Entrant that reads; None for spectators or everything."""
    is_public: bool = False

    @property
    def is_whole(self) -> bool:
        """True if nothing is hidden."""
        return self.bot is None and not self.is_public

    @property
    def label(self) -> str:
        """Value of ``view`` in the manifest."""
        return "public" if self.is_public else "all" if self.bot is None else f"for {self.bot}"

    def seat(self, spec: GameSpec) -> Seat | None:
        """Return the seat of the reader."""
        return spec.entrants.index(self.bot) if self.bot in spec.entrants else None

    def game(self, row: Row, *, named: bool) -> Row:
        """Return the row of a game for the reader. ``named``: whether names may be shown."""
        if self.is_whole:
            return row
        hidden = _HIDDEN_OF_GAMES if named else _HIDDEN_OF_GAMES | _IDENTIFYING
        return _without(row, GAMES.names, hidden)

    def seats(self, rows: list[Row], spec: GameSpec, *, named: bool) -> list[Row]:
        """Return the rows of the seats of a game for the reader."""
        if self.is_whole:
            return rows
        own = self.seat(spec)
        of_others = set(_OWN_OF_SEATS) if self.is_public else {*_OWN_OF_SEATS, "think_us"}
        shown = []
        for seat, row in enumerate(rows):
            hidden = set[str]() if seat == own else set(of_others)
            if not named:
                hidden |= {"points"} if seat == own else {"points", "bot"}
            shown.append(_without(row, SEATS.names, hidden))
        return shown

    def plies(self, columns: Columns, run: StoredRun, stored: Stored) -> Columns:
        """Return the plies of which the reader saw something, with its event as last column.

        Only plies of its own seat have other values. Raises StoreError.
        """
        spec = stored.result.spec
        own, rules = self.seat(spec), run.rules(spec.discipline)
        events: list[str | None] = []
        record = run.record(stored)
        with run.record_errors(stored):
            for step in steps(record, rules):
                event = (
                    public_event(step, rules)
                    if own is None
                    else plain(rules.describe(step.before, step.action, step.after)[own])
                )
                events.append(None if event is None else _encode(event).decode())
        seats = columns[PLIES.names.index("seat")]
        is_own = [own is not None and seat == own for seat in seats]
        kept = [at for at, event in enumerate(events) if event is not None or is_own[at]]
        found: Columns = []
        for name, column in zip(PLIES.names, [*columns[:-1], events], strict=True):
            is_open = name in _ALWAYS or name == PLIES.names[-1]
            found.append([column[at] if is_open or is_own[at] else None for at in kept])
        return found

    def decisions(self, columns: Columns, spec: GameSpec) -> Columns:
        """Return the decisions of the reader; all if nothing is hidden."""
        if self.is_whole:
            return columns
        own = self.seat(spec)
        kept = [at for at, seat in enumerate(columns[PLIES.names.index("seat")]) if seat == own]
        return [[column[at] for at in kept] for column in columns]


WHOLE: Final = TableView()
"""The view of everything."""


def _without(row: Row, names: list[str], hidden: set[str]) -> Row:
    values: list[Any] = [
        None if name in hidden else value for name, value in zip(names, row, strict=True)
    ]
    return tuple(values)
