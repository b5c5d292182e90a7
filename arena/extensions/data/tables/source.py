"""The games of a run that go into tables, in the order of the schedule, and who reads the tables.

A reader is shown everything, what a bot was shown, or what spectators were. Of the columns it gets
what it was given, as packs do (see ``data.export``); other values are null.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

import msgspec
import numpy as np

from arena.extensions.data.tables import columns as tables
from arena.extensions.data.tables.columns import PLIES, SEATS, Row
from arena.extensions.data.tables.moves import Columns
from arena.extensions.publishing.visible import is_revealed, tells_names, visible_games
from arena.referee.records.perspective import plain, public_event
from arena.referee.records.replay import steps
from arena.runs.disk import NOT_READABLE, StoreError
from arena.runs.reader import StoredGame, StoredRun
from arena.runs.store import GAMES, Stored
from arena.schedule.schedule import Done
from arena.values.bad_input import BadInput
from arena.values.results import GameSpec, Seat
from arena.views.game.rows import GameFilter, row_of
from arena.views.standings.counted import Counted
from arena.views.standings.standings import read

_encode: Final = msgspec.json.Encoder().encode
_IDENTIFYING: Final = {"deal", "block", "seating", "counted"}
"""Columns from which names can be found."""
_HIDDEN_OF_GAMES: Final = {"ruling", "plies", "wall_us", "digest", "played_at"}
_HIDDEN_OF_SEATS: Final = {"played_at"}
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
        return _without(row, tables.GAMES.names, hidden)

    def seats(self, rows: list[Row], spec: GameSpec, *, named: bool) -> list[Row]:
        """Return the rows of the seats of a game for the reader."""
        if self.is_whole:
            return rows
        own = self.seat(spec)
        of_all = _HIDDEN_OF_SEATS if named else _HIDDEN_OF_SEATS | _IDENTIFYING
        of_others = set(_OWN_OF_SEATS) if self.is_public else {*_OWN_OF_SEATS, "think_us"}
        shown = []
        for seat, row in enumerate(rows):
            hidden = of_all if seat == own else of_all | of_others
            if not named:
                hidden = hidden | ({"points"} if seat == own else {"points", "bot"})
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


_STORED: Final = msgspec.json.Decoder(Stored)


class ChosenGame(NamedTuple):
    """A game for the tables."""

    game_id: str
    """Id in the tables; a number if names are hidden."""
    stored: Stored
    is_counted: bool
    """True if the standings count the game."""


class ChosenGames:
    """The games of one run that meet a filter, of completed deals only.

    Keeps 24 bytes for each game. The games of incomplete deals would show cards that bots of a run
    that continues have yet to meet.
    """

    def __init__(self, run: StoredRun, wanted: GameFilter, view: TableView = WHOLE) -> None:
        """Read all results once and choose.

        ``view``: reader of the tables. Raises BadInput for conditions on names that the reader may
        not know, and StoreError.
        """
        self.run, self.view = run, view
        self._rulings = run.manifest.rulings
        self.name = run.manifest.name
        """Value of the column ``run``."""
        done, found = Done(run.schedule.numbers), (array("q"), array("q"), array("Q"))
        self._counted: Counted = read(run, look=self._looker(done, wanted, found))[0]
        self._cut = self._counted.cut
        kept = np.fromiter(map(visible_games(run, done), found[0]), np.bool_, len(found[0]))
        self._chosen, self._lines, digests = (np.array(each)[kept] for each in found)
        self.held_back = len(kept) - len(self._chosen)
        """Number of games left out because their deals are not completed."""
        is_over = is_revealed(run, done)
        self.has_names = view.is_whole or tells_names(run, view.bot, is_over=is_over)
        """True if the tables may say who played."""
        if not self.has_names and (wanted.bots or wanted.against):
            raise BadInput(
                f"{run.folder}: names are hidden, so --bot and --against would show them"
            )
        keys = self._chosen if self.has_names else digests
        self._order = np.argsort(keys, kind="stable")

    def __len__(self) -> int:
        return len(self._chosen)

    def _looker(
        self, done: Done, wanted: GameFilter, found: tuple[array[int], array[int], array[int]]
    ) -> Callable[[StoredGame], None]:
        """Return a function that adds the number of each game to ``done`` and chooses games.

        ``found``: takes number, line and beginning of the digest of each chosen game.
        """
        numbers, lines, digests = found
        less = {name: each.less_is_better for name, each in self.run.manifest.games.items()}
        is_all = wanted == GameFilter()

        def look(game: StoredGame) -> None:
            done.add(game.number)
            discipline, bot = game.result.spec.discipline, self.view.bot
            if bot is not None and bot not in game.result.spec.entrants:
                return
            if is_all or wanted.keeps(row_of(0, game.stored, less_is_better=less[discipline])):
                numbers.append(game.number)
                lines.append(game.line)
                digests.append(int(game.result.digest[:16] or "0", 16))

        return look

    def __iter__(self) -> Iterator[ChosenGame]:
        """Yield the games in the order of the schedule; without names in one that shows no pairing.

        Raises StoreError.
        """
        path = self.run.folder / GAMES
        if not len(self):  # a run that has not begun has no file
            return
        try:
            with path.open("rb") as file:
                starts, place = array("q"), 0
                for line in file:
                    starts.append(place)
                    place += len(line)
                for alias, index in enumerate(self._order, 1):
                    number, at = int(self._chosen[index]), int(self._lines[index])
                    file.seek(starts[at - 1])
                    yield self._game(number, at, _STORED.decode(file.readline()), alias)
        except (*NOT_READABLE, IndexError):
            raise StoreError(f"{path}: was changed while it was read") from None
        except OSError as error:
            raise StoreError(f"{path}: cannot be read: {error.strerror}") from None

    def _game(self, number: int, line: int, stored: Stored, alias: int) -> ChosenGame:
        game_id = stored.result.spec.game_id
        if self.run.schedule.number(game_id) != number:
            raise StoreError(f"{self.run.folder / GAMES}: was changed while it was read")
        result = self._rulings.adjudged(stored.result)
        if result is not stored.result:
            stored = msgspec.structs.replace(stored, result=result)
        is_out = self._counted.is_out(StoredGame(line, number, stored))
        if not self.has_names:
            game_id = str(alias)
        return ChosenGame(game_id, stored, not is_out and number not in self._cut)
