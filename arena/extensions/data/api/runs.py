"""A stored run, its tables and its games."""

from __future__ import annotations

import os
import shutil
import warnings
import weakref
from collections.abc import Collection, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Final, NamedTuple

from arena.extensions.data.api.errors import TEXT, TEXT_OR_TEXTS, as_error, check_argument, checked
from arena.extensions.data.api.payoffs import Payoffs, Returns, block_scores
from arena.extensions.data.api.standings import Standings, Table
from arena.extensions.data.tables.card import without_plies
from arena.extensions.data.tables.columns import GAMES, PLIES, SEATS, TABLES
from arena.extensions.data.tables.source import ChosenGame, ChosenGames, TableView
from arena.extensions.data.tables.stream import TableStream
from arena.ratings.elo.crosstable import pairs_of
from arena.referee.records.perspective import plain
from arena.referee.records.replay import steps
from arena.runs.manifest import Manifest
from arena.runs.reader import StoredRun, ladder_of
from arena.runs.store import Stored
from arena.values.bad_input import BadInput
from arena.values.problems import check_entrant, check_one_of, either, quote
from arena.values.results import FaultKind, RatedBy, Seat
from arena.views.game.find import find
from arena.views.game.rows import GameFilter, GameOutcome
from arena.views.standings.counted import is_scored
from arena.views.standings.standings import parts_of, read, sections_of, table_of

_CONDITIONS: Final = ("bot", "against", "discipline", "result", "fault")
"""Names of the conditions on games."""


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

    def payoffs(self, discipline: str | None = None) -> Payoffs:
        """Return the scores of all bots against each other, in the unit of the discipline's table.

        ``discipline``: may be left out where there is one. Raises Error, also for a game alone.
        """
        with as_error():
            return _payoffs(self._stored, discipline or "")

    def game(self, name: str) -> Game:
        """Return a game by its id, or by its number as text. Raises Error."""
        with as_error():
            check_argument("name", name, TEXT)
            return _stored_game(self._stored, name)

    def _table(self, name: str, view: str | None, conditions: dict[str, Any]) -> Table:
        with as_error():
            return _run_table(self._stored, name, view, conditions)

    def __repr__(self) -> str:
        return f"<arena.Run {self.name}: {', '.join(self.bots)}>"


@checked()
def open_run(folder: str | os.PathLike[str]) -> Run:
    """Open a run, or the run of a ladder, by its folder. Raises Error."""
    path = Path(folder)
    holds_run = (path / "ladder.yaml").is_file() and not (path / "run.json").exists()
    return Run(path / "run" if holds_run else path)


class _Games(Table):
    """The table of games, whose rows are games."""

    def __init__(self, source: ChosenGames, stream: TableStream) -> None:
        super().__init__(
            GAMES,
            lambda: (stream.columns(game)[GAMES.name] for game in source),
            lambda: len(source),
        )
        self._source, self._stream = source, stream

    def __iter__(self) -> Iterator[Game]:
        with as_error():
            for game in self._source:
                yield Game(_row(self._stream, game), self._source.run, game.stored)


def _row(stream: TableStream, game: ChosenGame) -> dict[str, Any]:
    columns = stream.columns(game)[GAMES.name]
    return {name: column[0] for name, column in zip(GAMES.names, columns, strict=True)}


def _run_table(run: StoredRun, name: str, view: str | None, conditions: dict[str, Any]) -> Table:
    """Return a table of a run; the arguments are those of ``Run.plies``. Raises BadInput."""
    source, table, title = _chosen(run, view, conditions), TABLES[name], run.manifest.name
    if table is GAMES:
        return _Games(source, TableStream(source, title, [name]))

    def batches() -> Iterator[Sequence[list[Any]]]:
        with TableStream(source, title, [name]) as stream:
            for game in source:
                yield stream.columns(game).get(name, [[] for _ in table.columns])
        for words in without_plies(stream.records.thinned, stream.records.lost):
            warnings.warn(f"{run.folder}: left out: {words}", stacklevel=3)

    def count() -> int:
        if table is SEATS:
            return sum(len(game.stored.result.spec.entrants) for game in source)
        with TableStream(source, title, [name]) as stream:
            records = filter(None, (stream.records.read(game.stored) for game in source))
            plies = chain.from_iterable(record.plies for record in records)
            return sum(table is PLIES or ply.seat is not None for ply in plies)

    return Table(table, batches, count if table is SEATS or view is None else None)


def _payoffs(run: StoredRun, discipline: str) -> Payoffs:
    """Return the payoffs of a discipline; "" where there is one. Raises BadInput, StoreError."""
    known = [each.name for each in run.manifest.disciplines]
    if not discipline and len(known) > 1:
        raise BadInput(f"discipline: found none, expected {either(known)}")
    check_argument("discipline", discipline, TEXT)
    name = discipline or known[0]
    source = ChosenGames(run, _filter(run.manifest, discipline=name))
    (part,) = (each for each in sections_of(run, *read(run)) if each.section.title == name)
    chosen = run.discipline(name)
    if part.ratings is None and not is_scored(chosen):
        raise BadInput(f"{name}: bots do not score against each other there")
    bots = [row.name for row in part.section.standings.rows]
    facts, returns, by = run.manifest.games[name], None, RatedBy.PLACES
    if is_scored(chosen):
        by = RatedBy.MARGIN if chosen.by is RatedBy.MARGIN else RatedBy.SCORE
        returns = Returns(by is RatedBy.MARGIN, facts.less_is_better, facts.worst_score)
    return Payoffs(
        bots,
        () if part.ratings is None else pairs_of(part.ratings.arrays),
        lambda: block_scores(bots, (g.stored.result for g in source if g.is_counted), returns),
        by,
    )


def _stored_game(run: StoredRun, name: str) -> Game:
    """Return a game by its id, or by its number as text. Raises BadInput or StoreError."""
    found = find(run, name).stored
    wanted = GameFilter(discipline=found.result.spec.discipline)
    source = ChosenGames(run, wanted)
    stream = TableStream(source, run.manifest.name, [GAMES.name])
    for each in source:
        if each.game_id == found.result.spec.game_id:
            return Game(_row(stream, each), run, found)
    raise BadInput(f"{name}: its deal is not completed")


def _chosen(run: StoredRun, view: str | None, conditions: dict[str, Any]) -> ChosenGames:
    reader = TableView()
    if view == "public":
        reader = TableView(is_public=True)
    elif view is not None:
        check_argument("view", view, TEXT)
        check_entrant("view", view, run.manifest.entrants, "a bot of this run, or public")
        reader = TableView(view)
    for name in conditions:
        check_one_of("conditions", name, _CONDITIONS)
    return ChosenGames(run, _filter(run.manifest, **conditions), reader)


def _filter(
    manifest: Manifest,
    *,
    bot: str | Collection[str] = (),
    against: str | Collection[str] = (),
    discipline: str = "",
    result: str | None = None,
    fault: bool | str | None = None,
) -> GameFilter:
    for where, names in (("bot", bot), ("against", against)):
        check_argument(where, names, TEXT_OR_TEXTS)
    for where, text in (("discipline", discipline), ("result", result or "")):
        check_argument(where, text, TEXT)
    if fault is not None and not isinstance(fault, bool | str):
        raise BadInput(f"fault: found {quote(fault)}, expected true, false or a kind of fault")
    if result is not None and not bot:
        raise BadInput("result: found without bot, expected with it")
    bots, others = _names(bot), _names(against)
    for where, names in (("bot", bots), ("against", others)):
        for name in names:
            check_entrant(where, name, manifest.entrants, "a bot of this run")
    if discipline:
        check_one_of("discipline", discipline, [each.name for each in manifest.disciplines])
    if result is not None:
        check_one_of("result", result, [each.value for each in GameOutcome])
    if isinstance(fault, str):
        check_one_of("fault", fault, [each.value for each in FaultKind])
    kinds = frozenset([FaultKind(fault)]) if isinstance(fault, str) else frozenset(FaultKind)
    return GameFilter(
        bots=bots,
        against=others,
        outcome=None if result is None else GameOutcome(result),
        faults=kinds if fault else None,
        discipline=discipline,
    )


def _names(given: str | Collection[str]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)
