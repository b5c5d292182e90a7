"""The columns of the games of one run, game by game."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from arena.views.data.columns import DECISIONS, GAMES, PLIES, SEATS, Row
from arena.views.data.moves import AsText, Columns, MoveReader
from arena.views.data.records import RecordFiles
from arena.views.data.rows import game_row, seat_rows
from arena.views.data.source import ChosenGame, ChosenGames


class TableStream:
    """Converter of the chosen games of a run into columns. Use as a context manager.

    It can be pickled before its first game.
    """

    def __init__(
        self,
        source: ChosenGames,
        name: str,
        tables: Iterable[str],
        as_text: AsText = bytes.decode,
    ) -> None:
        """Prepare the conversion.

        ``name``: value of ``run``. ``tables``: names of tables. ``as_text``: see ``AsText``.
        """
        self._as_text = as_text
        self._run, self._view, self._named = source.run, source.view, source.has_names
        self._name = name
        self._tables: Collection[str] = frozenset(tables)
        self._readers: dict[str, MoveReader] = {}
        self._players = source.run.manifest.players
        self.records = RecordFiles(source.run)
        self.bad_numbers = 0
        """Number of remarks so far whose ``eval`` or ``nodes`` is no number."""

    def __enter__(self) -> TableStream:
        self.records.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self.records.__exit__()

    def columns(self, game: ChosenGame) -> dict[str, Columns]:
        """Return the columns of a game by table; without plies if its record is gone.

        Raises StoreError.
        """
        found = {}
        run, view, named = self._run, self._view, self._named
        spec = game.stored.result.spec
        rules = run.rules(spec.discipline)
        if GAMES.name in self._tables:
            row = game_row(self._name, rules.spec.name, game)
            found[GAMES.name] = _turned([view.game(row, named=named)])
        if SEATS.name in self._tables:
            less = rules.info.less_is_better
            rows = seat_rows(self._name, self._players, game, less_is_better=less)
            found[SEATS.name] = _turned(view.seats(rows, spec, named=named))
        if PLIES.name in self._tables or DECISIONS.name in self._tables:
            found |= self._moves(game)
        return found

    def _moves(self, game: ChosenGame) -> dict[str, Columns]:
        run, view, spec = self._run, self._view, game.stored.result.spec
        record = self.records.read(game.stored)
        if record is None:
            return {}
        reader = self._readers.get(spec.discipline)
        if reader is None:
            reader = self._readers[spec.discipline] = MoveReader(
                run.rules(spec.discipline), self._as_text
            )
        with run.record_errors(game.stored):
            moves = reader.columns(
                self._name, game.game_id, record, with_decisions=DECISIONS.name in self._tables
            )
        self.bad_numbers += len(moves.bad_numbers)
        found = {}
        if PLIES.name in self._tables:
            plies = moves.plies
            found[PLIES.name] = plies if view.is_whole else view.plies(plies, run, game.stored)
        if moves.decisions is not None:
            found[DECISIONS.name] = view.decisions(moves.decisions, spec)
        return found


def _turned(rows: Sequence[Row]) -> list[list[Any]]:
    return [list(column) for column in zip(*rows, strict=True)]
