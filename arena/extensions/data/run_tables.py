"""The tables of a run for Python programs."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterator, Sequence
from typing import Any, Final

from arena.cli.api.errors import TEXT, TEXT_OR_TEXTS, as_error, check_argument
from arena.cli.api.runs import Game
from arena.cli.api.standings import Table
from arena.extensions.data.tables.card import without_plies
from arena.extensions.data.tables.columns import GAMES, TABLES
from arena.extensions.data.tables.source import ChosenGame, ChosenGames, TableView
from arena.extensions.data.tables.stream import TableStream
from arena.runs.manifest import Manifest
from arena.runs.reader import StoredRun
from arena.values.bad_input import BadInput
from arena.values.problems import check_entrant, check_one_of, quote
from arena.values.results import FaultKind
from arena.views.game.find import find
from arena.views.game.rows import GameFilter, GameOutcome

_CONDITIONS: Final = ("bot", "against", "discipline", "result", "fault")
"""Names of the conditions on games."""


class _Games(Table):
    """The table of games, whose rows are games."""

    def __init__(self, source: ChosenGames, stream: TableStream) -> None:
        super().__init__(GAMES, lambda: (stream.columns(game)[GAMES.name] for game in source))
        self._source, self._stream = source, stream

    def __iter__(self) -> Iterator[Game]:
        with as_error():
            for game in self._source:
                yield Game(_row(self._stream, game), self._source.run, game.stored)


def _row(stream: TableStream, game: ChosenGame) -> dict[str, Any]:
    columns = stream.columns(game)[GAMES.name]
    return {name: column[0] for name, column in zip(GAMES.names, columns, strict=True)}


def run_table(run: StoredRun, name: str, view: str | None, conditions: dict[str, Any]) -> Table:
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

    return Table(table, batches)


def stored_game(run: StoredRun, name: str) -> Game:
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
