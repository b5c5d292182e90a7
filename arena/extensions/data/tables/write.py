"""Write games: tables of runs into a folder, as a whole or not at all, and games in notation."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from arena.extensions.data.export.pack import writing_folder
from arena.extensions.data.tables import card
from arena.extensions.data.tables.chunks import FORMATS, TableSink, chunks
from arena.extensions.data.tables.columns import TABLES
from arena.extensions.data.tables.source import WHOLE, ChosenGames, TableView
from arena.extensions.publishing.visible import held_back_words
from arena.games.game import NotedGame, NotedMove
from arena.games.registry import GAMES
from arena.runs.disk import writing
from arena.runs.reader import StoredRun
from arena.runs.store import Stored
from arena.values.bad_input import BadInput
from arena.values.numbers import count, listed


class TableOrder(NamedTuple):
    """A set of tables to be written to one folder."""

    tables: Collection[str]
    """Names of tables."""
    form: str
    """A key of ``FORMATS``."""
    path: Path
    append: bool = False
    """True to add the runs to the tables in the folder."""
    force: bool = False
    """True to replace older tables in the folder."""
    view: TableView = WHOLE
    workers: int = 1
    """Number of processes that convert games; it changes no byte."""


def write_tables(
    sources: Sequence[ChosenGames], order: TableOrder, show: Callable[[int], None]
) -> card.TablesManifest:
    """Write the tables and return their manifest.

    ``show``: called with the number of games after each one. The folder appears when everything is
    on disk. Raises BadInput, PackError, StoreError.
    """
    earlier = _earlier(order) if order.append else None
    _check_contents(order.path)
    if order.form == "parquet":
        from arena.extensions.data.tables.parquet import arrow

        arrow()
    force = order.force or order.append
    with writing(order.path), writing_folder(order.path, force=force) as folder:
        with _OpenTables(order, folder, earlier) as writer:
            taken = {run.run for run in earlier.runs} if earlier else set[str]()
            for source in sources:
                writer.add(source, _name(source, taken), show)
        manifest = writer.manifest()
        (folder / card.MANIFEST).write_bytes(card.manifest_bytes(manifest))
        (folder / card.README).write_text(card.card(manifest), encoding="utf-8")
    return manifest


def _check_contents(path: Path) -> None:
    """Raise BadInput if files that are no part of tables would go with the folder."""
    tables = card.read_manifest(path) if path.is_dir() else None
    if tables is None:
        return
    own = {card.MANIFEST, card.README, *(each.file for each in tables.tables)}
    if foreign := sorted({each.name for each in path.iterdir()} - own):
        raise BadInput(f"{path}: found {foreign[0]}, which is no part of the tables: move it away")


def _earlier(order: TableOrder) -> card.TablesManifest | None:
    """Return the manifest of the tables to which runs are added. Raises BadInput."""
    if not order.path.exists():
        return None
    found = card.read_manifest(order.path)
    if found is None:
        raise BadInput(f"{order.path}: found no tables to which --append could add")
    tables = {each.table for each in found.tables}
    before = found.format, tables, found.view
    if before != (order.form, {*order.tables}, order.view.label):
        held = f"{','.join(sorted(tables))} as {found.format} ({found.view})"
        asked = f"{','.join(sorted(order.tables))} as {order.form} ({order.view.label})"
        raise BadInput(f"{order.path}: found {held}, expected {asked} to append to")
    return found


def check_runs(sources: Sequence[ChosenGames], order: TableOrder) -> None:
    """Raise BadInput if a run is given twice, or is in the tables already."""
    earlier = _earlier(order) if order.append else None
    known = {run.commitment for run in earlier.runs} if earlier else set[str]()
    for source in sources:
        commitment = source.run.manifest.commitment
        if commitment in known:
            where = f"{order.path} has" if earlier else "found twice:"
            raise BadInput(f"{where} the games of {source.run.folder} already")
        known.add(commitment)


def _name(source: ChosenGames, taken: set[str]) -> str:
    """Return the name of a run that no other run in the tables has, and add it to ``taken``."""
    name = source.name
    if name in taken:
        name = f"{name}-{source.run.manifest.commitment[:8]}"
    taken.add(name)
    return name


class _OpenTables:
    """The open files of an export."""

    def __init__(
        self, order: TableOrder, folder: Path, earlier: card.TablesManifest | None
    ) -> None:
        self._order = order
        self._sinks: dict[str, TableSink] = {}
        self._runs: list[card.ExportedRun] = list(earlier.runs) if earlier else []
        self._games = 0
        try:
            self._open(folder, earlier)
        except BaseException:
            self._abandon()
            raise

    def _open(self, folder: Path, earlier: card.TablesManifest | None) -> None:
        """Create the files. Raises OSError; BadInput for damaged earlier tables."""
        order = self._order
        for table in TABLES.values():
            if table.name in order.tables:
                name = f"{table.name}.{order.form}"
                before = order.path / name if earlier else None
                self._sinks[table.name] = FORMATS[order.form].sink(table, folder / name, before)
        held = {each.table: each.rows for each in earlier.tables} if earlier else {}
        for name, rows in held.items():
            if (found := self._sinks[name].earlier) != rows:
                where = order.path / f"{name}.{order.form}"
                raise BadInput(f"{where}: found {count(found, 'row')}, expected {rows}: damaged")

    def __enter__(self) -> _OpenTables:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            for sink in self._sinks.values() if kind is None else ():
                sink.close()
        finally:
            self._abandon()

    def _abandon(self) -> None:
        """Close the files as they are."""
        for sink in self._sinks.values():
            sink.abandon()

    def add(self, source: ChosenGames, name: str, show: Callable[[int], None]) -> None:
        """Write the rows of a run. Raises OSError, BadInput, StoreError."""
        order, thinned, lost, bad_numbers = self._order, 0, 0, 0
        tables = tuple(self._sinks)
        with closing(chunks(source, name, tables, order.form, order.workers)) as found:
            for chunk in found:
                for table, (rows, data) in chunk.tables.items():
                    self._sinks[table].add(rows, data)
                thinned += chunk.thinned
                lost += chunk.lost
                bad_numbers += chunk.bad_numbers
                for _ in range(chunk.games):
                    self._games += 1
                    show(self._games)
        self._runs.append(
            card.ExportedRun(
                run=name,
                commitment=source.run.manifest.commitment,
                games=len(source),
                held_back=source.held_back,
                thinned=thinned,
                lost=lost,
                bad_numbers=bad_numbers,
            )
        )

    def manifest(self) -> card.TablesManifest:
        """Return the manifest of everything written."""
        files = tuple(
            card.TableFile(name, f"{name}.{self._order.form}", sink.earlier + sink.rows)
            for name, sink in self._sinks.items()
        )
        return card.TablesManifest(
            view=self._order.view.label,
            format=self._order.form,
            tables=files,
            runs=tuple(self._runs),
        )


def notations(games: ChosenGames) -> Iterator[str]:
    """Yield the games of rules that have a notation, each in it.

    Raises BadInput if no rules have one, or if names are hidden; StoreError for a record that is
    damaged or gone.
    """
    run = games.run
    if not _noted_disciplines(run):
        found = listed([each.rules.name for each in run.manifest.disciplines])
        raise BadInput(f"--pgn: found {found}, expected a run of chess")
    if not games.has_names:
        raise BadInput(f"{run.folder}: names are hidden, so --pgn would show them")
    for game in games:
        write = GAMES[run.rules(game.stored.result.spec.discipline).spec.name].notation
        if write is not None:
            yield write(_noted(run, game.stored))


def left_out(games: ChosenGames, written: int) -> list[str]:
    """Return what the file of ``written`` games does not have, a sentence for each reason."""
    run, found = games.run, []
    if games.held_back:
        found.append(held_back_words(games.held_back))
    if others := len(games) - written:
        found.append(f"{count(others, 'game')} of other rules: left out")
    if voids := {void.game for void in run.voids()}:
        voids -= {game.result.spec.game_id for game in run.games()}  # played again
    if voids:
        found.append(f"{count(len(voids), 'void game')}: left out")
    return found


def _noted_disciplines(run: StoredRun) -> list[str]:
    disciplines = run.manifest.disciplines
    return [each.name for each in disciplines if GAMES[each.rules.name].notation is not None]


def _noted(run: StoredRun, stored: Stored) -> NotedGame:
    record = run.record(stored)
    spec, faults = record.header.spec, record.end.faults
    moves = zip(record.plies, record.measured.think_us, strict=True)
    number = run.schedule.number(spec.game_id) or 0
    block = run.schedule.block(number)
    return NotedGame(
        event=run.manifest.name,
        round=f"{block.start // len(block) + 1}.{number - block.start + 1}",
        names=spec.entrants,
        options=record.header.options,
        moves=tuple(NotedMove(ply.action, ply.seat, us, ply.info) for ply, us in moves),
        places=record.end.places,
        ending=faults[0].kind.value if faults else record.end.termination.value,
        control=run.manifest.identity.clock,
        played_at=stored.played_at,
    )
