"""A stored run, its tables and its games."""

from __future__ import annotations

import os
import shutil
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from arena import extensions
from arena.cli.api.errors import TEXT, as_error, check_argument, checked
from arena.cli.api.standings import Standings, Table
from arena.referee.records.perspective import plain
from arena.referee.records.replay import steps
from arena.runs.reader import StoredRun, ladder_of
from arena.runs.store import Stored
from arena.values.results import Seat
from arena.views.standings.standings import parts_of, table_of


class Ply(NamedTuple):
    """A ply of a replayed game."""

    ply: int
    seat: Seat | None
    """Seat that acted; None for chance."""
    state: Any
    """State of the rules before the ply."""
    observation: Any
    """Observation of the seat, as JSON; None for chance."""
    legal: list[Any]
    """Legal actions as JSON; empty for chance."""
    action: Any
    """Action as JSON."""
    think_us: int | None
    """Time of the decision in microseconds; None for chance and the autopilot."""
    info: Any
    """Remark of the bot as JSON; None without one."""


class Game(dict[str, Any]):
    """A row of ``Run.games()``, which can be replayed."""

    def __init__(self, row: dict[str, Any], run: StoredRun, stored: Stored) -> None:
        super().__init__(row)
        self._run, self._stored = run, stored

    @property
    def bots(self) -> tuple[str, ...]:
        """Names of the bots by seat."""
        return self._stored.result.spec.entrants

    def replay(self) -> Iterator[Ply]:
        """Apply the record to the rules again; yield each ply. Raises Error if it is damaged."""
        with as_error():
            run, stored = self._run, self._stored
            record, rules = run.record(stored), run.rules(stored.result.spec.discipline)
            with run.record_errors(stored):
                for step, used in zip(steps(record, rules), record.measured.think_us, strict=True):
                    ply = step.ply
                    seen = None if ply.seat is None else plain(rules.observe(step.before, ply.seat))
                    legal = plain(list(step.legal))
                    is_timed = ply.seat is not None and not ply.autopilot
                    thought = used if is_timed else None
                    yield Ply(
                        ply.ply, ply.seat, step.before, seen, legal, ply.action, thought, ply.info
                    )


class Run:
    """A run folder. A run that is still played has the games of its completed deals."""

    def __init__(self, folder: Path, scratch: Path | None = None) -> None:
        """Open the run. ``scratch``: folder to remove when nothing uses the run. Raises Error."""
        with as_error():
            self._stored = StoredRun(folder)
            if ladder_of(folder) is not None:
                from arena.runs.reader import with_authors

                self._stored = with_authors(folder, self._stored.manifest)
        if scratch is not None:
            weakref.finalize(self._stored, shutil.rmtree, scratch, ignore_errors=True)
        self.folder = folder
        """Folder of the run."""

    @property
    def name(self) -> str:
        """Name of the run."""
        return self._stored.manifest.name

    @property
    def bots(self) -> tuple[str, ...]:
        """Names of all bots that play or played."""
        return self._stored.manifest.entrants

    @property
    def disciplines(self) -> tuple[str, ...]:
        """Names of the disciplines: rules with their options at one table size."""
        return tuple(each.name for each in self._stored.manifest.disciplines)

    def games(self, **conditions: Any) -> Table:
        """Return the games, each with ``replay``.

        ``conditions``: ``bot``, ``against`` (names or lists of names), ``discipline``, ``result``
        (won, drawn or lost, of ``bot``), ``fault`` (True or a kind). Raises Error.
        """
        return self._table("games", None, conditions)

    def seats(self, **conditions: Any) -> Table:
        """Return the seats of the games, see ``games``. Raises Error."""
        return self._table("seats", None, conditions)

    def plies(self, view: str | None = None, **conditions: Any) -> Table:
        """Return the plies of the games, see ``games``.

        ``view``: name of a bot that reads, or ``public``; None for everything. Raises Error.
        """
        return self._table("plies", view, conditions)

    def decisions(self, view: str | None = None, **conditions: Any) -> Table:
        """Return the plies of seats with observation and legal actions, see ``plies``."""
        return self._table("decisions", view, conditions)

    def standings(self) -> Standings:
        """Return the standings, a row for each bot and discipline. Raises Error."""
        with as_error():
            table = table_of(self._stored)
        return Standings(table.source, table.sections, lambda: parts_of(self._stored))

    def game(self, name: str) -> Game:
        """Return a game by its id, or by its number as text. Raises Error."""
        with as_error():
            check_argument("name", name, TEXT)
            game: Game = _of_tables("stored_game")(self._stored, name)
            return game

    def _table(self, name: str, view: str | None, conditions: dict[str, Any]) -> Table:
        with as_error():
            table: Table = _of_tables("run_table")(self._stored, name, view, conditions)
            return table

    def __repr__(self) -> str:
        return f"<arena.Run {self.name}: {', '.join(self.bots)}>"


def _of_tables(function: str) -> Any:
    """Return a function that reads tables of runs. Raises BadInput if it is not here."""
    return extensions.part("data", f"run_tables:{function}")


@checked()
def open_run(folder: str | os.PathLike[str]) -> Run:
    """Open a run, or the run of a ladder, by its folder. Raises Error."""
    path = Path(folder)
    holds_run = (path / "ladder.yaml").is_file() and not (path / "run.json").exists()
    return Run(path / "run" if holds_run else path)
