"""The games of a run that go into tables, in the order of the schedule."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

import msgspec
import numpy as np

from arena.documents.bad_input import BadInput
from arena.runs.disk import NOT_READABLE, StoreError
from arena.runs.reader import StoredGame, StoredRun
from arena.runs.store import GAMES, Stored
from arena.schedule.schedule import Done
from arena.views.data.view import WHOLE, TableView
from arena.views.game.rows import GameFilter, row_of
from arena.views.standings.counted import Counted
from arena.views.standings.standings import read

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
        self.name = run.manifest.name
        """Value of the column ``run``."""
        done, found = Done(run.schedule.numbers), (array("q"), array("q"), array("Q"))
        self._counted: Counted = read(run, look=self._looker(done, wanted, found))[0]
        self._cut = self._counted.cut
        kept = np.fromiter(map(run.visible_games(done), found[0]), np.bool_, len(found[0]))
        self._chosen, self._lines, digests = (np.array(each)[kept] for each in found)
        self.held_back = len(kept) - len(self._chosen)
        """Number of games left out because their deals are not completed."""
        is_revealed = run.is_revealed(done)
        self.has_names = view.is_whole or run.tells_names(view.bot, is_revealed=is_revealed)
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
        is_out = self._counted.is_out(StoredGame(line, number, stored))
        if not self.has_names:
            game_id = str(alias)
        return ChosenGame(game_id, stored, not is_out and number not in self._cut)
