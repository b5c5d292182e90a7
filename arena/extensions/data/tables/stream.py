"""Turn the results and records of a run into columns, one game at a time."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from arena.extensions.data.tables.columns import DECISIONS, GAMES, PLIES, SEATS, Row
from arena.extensions.data.tables.moves import AsText, Columns, MoveReader
from arena.extensions.data.tables.source import ChosenGame, ChosenGames
from arena.referee.records.read import RecordError, SealedRecord, parse_sealed, unpack
from arena.runs.disk import StoreError, check_file
from arena.runs.field import EntrantIdentity
from arena.runs.reader import StoredRun
from arena.runs.store import Stored, check_inside
from arena.schedule.keys import Discipline
from arena.values.results import GameResult, Seat, SeatUsage


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
        if GAMES.name in self._tables:
            row = game_row(self._name, run.discipline(spec.discipline), game)
            found[GAMES.name] = _turned([view.game(row, named=named)])
        if SEATS.name in self._tables:
            less = run.manifest.games[spec.discipline].less_is_better
            discipline = run.discipline(spec.discipline)
            rows = seat_rows(self._name, discipline, self._players, game, less_is_better=less)
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


def game_row(run: str, discipline: Discipline, game: ChosenGame) -> Row:
    """Return the row of a game of a discipline."""
    result = game.stored.result
    spec = result.spec
    return (
        run,
        game.game_id,
        spec.discipline,
        discipline.rules.name,
        spec.deal,
        spec.block,
        spec.seating,
        result.termination.value,
        result.ruling or None,
        result.plies,
        result.wall_us or None,
        result.digest,
        game.is_counted,
        *_table(discipline, game),
    )


def _table(discipline: Discipline, game: ChosenGame) -> Row:
    """Return the values of ``seats``, ``options`` and ``played_at``."""
    rules = discipline.rules
    options = msgspec.json.encode(rules.options).decode()
    return rules.seats, options, game.stored.played_at or None


def seat_rows(
    run: str,
    discipline: Discipline,
    players: Mapping[str, EntrantIdentity],
    game: ChosenGame,
    *,
    less_is_better: bool,
) -> list[Row]:
    """Return the rows of the seats of a game.

    ``discipline``: that of the game. ``players``: the entrants by name. ``less_is_better``: whether
    a lower score is better.
    """
    result, spent = game.stored.result, game.stored.spent
    margins = result.margins(less_is_better=less_is_better)
    faults = {fault.seat: fault for fault in result.faults}
    spec, table = result.spec, _table(discipline, game)
    rows: list[Row] = []
    for seat, name in enumerate(result.spec.entrants):
        fault, player = faults.get(seat), players.get(name)
        slowest, decisions = _answers(spent[seat] if spent else None)
        rows.append(
            (
                run,
                game.game_id,
                seat,
                name,
                (player.digest or None) if player is not None else None,
                result.places[seat],
                None if result.scores is None else result.scores[seat],
                margins[seat] if margins else None,
                points_of(result, seat),
                None if fault is None else fault.kind.value,
                None if fault is None else fault.ply,
                result.think_us[seat] if result.think_us else None,
                slowest,
                decisions,
                spec.discipline,
                spec.deal,
                spec.block,
                result.termination.value,
                game.is_counted,
                *table,
            )
        )
    return rows


def points_of(result: GameResult, seat: Seat) -> float | None:
    """Return the mean score of ``seat`` against the seats of other bots, as standings add it up.

    None without such a seat. Two seats at fault give each other nothing.
    """
    names = result.spec.entrants
    others = [other for other, name in enumerate(names) if name != names[seat]]
    if not others:
        return None
    return sum(result.pair_score(seat, other) or 0.0 for other in others) / len(others)


def _answers(usage: SeatUsage | None) -> tuple[int | None, int | None]:
    """Return the time of the slowest answer and the number of answers, as far as known."""
    if usage is None:
        return None, None
    return usage.longest_us if usage.times else None, sum(usage.times[1::2])


class RecordFiles:
    """The open files of records of one run. Use as a context manager."""

    def __init__(self, run: StoredRun) -> None:
        self._run = run
        self._open: dict[str, tuple[int, int]] = {}
        """Descriptor and size of each file; descriptor -1 for a file that is lost."""
        self.thinned = 0
        """Number of records asked for that were removed by rule."""
        self.lost = 0
        """Number of records asked for that are lost."""

    def __enter__(self) -> RecordFiles:
        return self

    def __exit__(self, *_: object) -> None:
        for descriptor, _size in self._open.values():
            if descriptor >= 0:
                os.close(descriptor)
        self._open.clear()

    def read(self, stored: Stored) -> SealedRecord | None:
        """Return the record of a game; None if it was removed or is lost, which is counted.

        Raises StoreError, with the game, if the record is damaged or that of another game.
        """
        with self._run.record_errors(stored):
            if self._run.is_expired(stored.record):
                self.thinned += 1
                return None
            data = self._bytes(stored)
            if data is None:
                self.lost += 1
                return None
            record = parse_sealed(unpack(data))
            if record.header.spec != stored.result.spec:
                raise RecordError(1, f"found the game {record.header.spec.game_id}")
            return record

    def _bytes(self, stored: Stored) -> bytes | None:
        """Return the packed record; None if it is lost. Raises StoreError."""
        name, offset, length = stored.record.file, stored.record.offset, stored.record.length
        try:
            if name not in self._open:
                self._open[name] = _opened(self._run.folder, self._run.folder / name)
            descriptor, size = self._open[name]
            if descriptor < 0 or not 0 <= offset <= offset + length <= size:
                return None
            return os.pread(descriptor, length, offset)
        except OSError as error:
            told = error.strerror
        except ValueError as error:
            told = str(error)
        raise StoreError(f"{self._run.folder / name}: cannot be read: {told}")


def _opened(folder: Path, path: Path) -> tuple[int, int]:
    """Open a file of records; return its descriptor and size, or -1 and 0 if it is missing."""
    check_inside(folder, path)
    check_file(path)
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return -1, 0
    return descriptor, os.fstat(descriptor).st_size
