"""A stage of a search as a run: pairs of one bot with different options, on deals of their own.

Each pair has its own copy of each discipline that is searched in, named with the pair's number
behind it, in which the two play a match of fixed length. The options are part of the run's
identity, so a stage that was begun continues with the same pairs.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec
import numpy as np

from arena.config.tournament import Tournament
from arena.ratings.match.blocks import MatchDiscipline, block_result, game_score
from arena.ratings.tuning.space import Space, Value
from arena.ratings.tuning.surface import PointGames
from arena.ratings.tuning.tuner import PointPair, games_of_block
from arena.results import GameResult, Then
from arena.runs.manifest import Manifest, is_run, read_manifest
from arena.runs.reader import StoredRun
from arena.tournament.events import Judge

_HOPELESS: Final = 40
"""Number of games that ends a stage if each of them had a fault."""
_NAME: Final = 48


class StageResult(NamedTuple):
    """Results of a stage, with the number of games with faults."""

    games: PointGames
    number: int
    """Number of games."""
    faulty: int
    """Number of games with a fault."""
    first_fault: str


def tournament_of(
    base: Tournament, space: Space, pairs: Sequence[PointPair], number: int, deals: int
) -> Tournament:
    """Return the tournament of stage ``number``.

    The first entrant of ``base`` is the bot with its defaults.
    """
    bot = base.entrants[0]
    entrants, disciplines = [], []
    for k, pair in enumerate(pairs, 1):
        names = tuple(f"{bot.name[:_NAME]}-{number}.{k}{side}" for side in "ab")
        for name, point in zip(names, pair, strict=True):
            options = bot.options | space.values(point)
            entrants.append(msgspec.structs.replace(bot, name=name, options=options))
        for each in base.disciplines:
            schedule = msgspec.structs.replace(each.schedule, deals=deals, focus=())
            disciplines.append(
                msgspec.structs.replace(
                    each, name=f"{each.name}.{k}", entrants=names, schedule=schedule
                )
            )
    return msgspec.structs.replace(
        base,
        entrants=tuple(entrants),
        disciplines=tuple(disciplines),
        breaker=msgspec.structs.replace(base.breaker, then=Then.IGNORE),
    )


def stored_pairs(folder: Path, space: Space) -> list[PointPair] | None:
    """Return the pairs of the stage begun in ``folder``; None without one. Raises StoreError."""
    if not is_run(folder):
        return None
    entrants = list(read_manifest(folder).players.values())
    points = [space.point(_known(each.options, space)) for each in entrants]
    return [PointPair(*both) for both in zip(points[::2], points[1::2], strict=False)]


def _known(options: Mapping[str, Any], space: Space) -> dict[str, Value]:
    """Return the values of the axes; 0 if missing, as another search's run is refused later."""
    return {axis.name: options.get(axis.name, 0) for axis in space.axes}


def played(
    folder: Path,
    manifest: Manifest,
    pairs: Sequence[PointPair],
    tables: Sequence[MatchDiscipline],
    deals: int,
) -> StageResult:
    """Return the results of the stored games of the first ``deals`` deals.

    ``tables``: those of the searched disciplines, in their order. Raises StoreError.
    """
    run = StoredRun(folder, manifest)
    blocks: dict[str, list[GameResult]] = defaultdict(list)
    number, faults = Counter[str](), ""
    for game in sorted(run.games(), key=lambda each: each.number):  # sums depend on the order
        if run.schedule.is_within(game.number, deals):
            result = game.result
            blocks[result.spec.block].append(result)
            number.update(games=1, faulty=bool(result.faults))
            if result.faults and not faults:
                fault = result.faults[0]
                faults = f"{fault.kind}: {fault.detail}"
    values: list[list[list[float]]] = [[[] for _ in pairs] for _ in tables]
    places = {each.name: divmod(k, len(tables)) for k, each in enumerate(manifest.disciplines)}
    names = {each.name: each.entrants[0] for each in manifest.disciplines}
    for results in blocks.values():
        name = results[0].spec.discipline
        pair, which = places[name]
        scores = [game_score(each, names[name]) for each in results]
        value = block_result(results, scores, names[name], tables[which]).places
        if len(results) == tables[which].block_games and value is not None:
            values[which][pair].append(value)
    rows = []
    for table, own in zip(tables, values, strict=True):
        worth = games_of_block(own, table.rounds)
        rows += [
            (*pair, sum(found) / len(found), worth * len(found))
            for pair, found in zip(pairs, own, strict=True)
            if found
        ]
    columns = zip(*rows, strict=True) if rows else ([], [], [], [])
    return StageResult(
        PointGames(*map(np.array, columns)), number["games"], number["faulty"], faults
    )


class Hopeless(Judge):
    """The judge that ends a stage in which all games have faults."""

    def __init__(self) -> None:
        self._games = 0
        self._faulty = 0

    def add(self, number: int, result: GameResult) -> None:
        """Count a finished game."""
        self._games += 1
        self._faulty += bool(result.faults)

    @property
    def is_over(self) -> bool:
        """True if all games so far had faults, so that further games are useless."""
        return self._games == self._faulty >= _HOPELESS
