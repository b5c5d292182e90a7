"""A stage of a search as a run: pairs of one bot with different options, on deals of their own.

Each pair has its own copy of each discipline that is searched in, named with the pair's number
behind it, in which the two play a match of fixed length. The options are part of the run's
identity, so a stage that was begun continues with the same pairs.

The parameters that are searched are those of ``--param``, checked against the options that the bot
declares.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec
import numpy as np

from arena.entrants.manifest import BotOption, OptionKind
from arena.extensions.matches.statistics.blocks import MatchDiscipline, block_result, game_score
from arena.extensions.studies.tune.surface import (
    Axis,
    CategoricalOption,
    Number,
    PointGames,
    Space,
    Value,
)
from arena.extensions.studies.tune.tuner import PointPair, games_of_block
from arena.runs.config.tournament import Tournament
from arena.runs.disk import StoreError
from arena.runs.manifest import Manifest, TuningSource, is_run, read_manifest
from arena.runs.reader import StoredRun
from arena.tournament.events import Judge
from arena.tournament.run import ConfigMismatch, found_run
from arena.values.bad_input import BadInput
from arena.values.clean import cut
from arena.values.problems import did_you_mean, either, quote
from arena.values.results import GameResult, Then

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


def check_same(tournament: Tournament, folder: Path, source: TuningSource) -> None:
    """Raise StoreError unless the run in ``folder`` is this stage, with the same bots."""
    began = read_manifest(folder).source
    try:
        found_run(tournament, folder)
    except ConfigMismatch as error:
        found, *_ = error.found
        if isinstance(began, TuningSource) and began.params != source.params:
            found = f"{_asked(began)}, asked for is {_asked(source)}"
        text = f"{folder}: holds another search: {found}; search into another folder (-o)"
        raise StoreError(text) from None


def _asked(source: TuningSource) -> str:
    return cut(" ".join(f"--param {each}" for each in source.params), _SHOWN)


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


_MOST: Final = 10
"""Greatest number of options; for more, a few thousand games say too little."""
_LARGEST: Final = 10**15
"""Greatest end of a range, up to which a float is exact to less than 1."""
_SHOWN: Final = 60
"""Columns of a parameter in messages."""
_MOST_VALUES: Final = 20
"""Greatest number of values of a choice."""


def axes_of(texts: Sequence[str], declared: Mapping[str, BotOption], bot: str) -> list[Axis]:
    """Return the axes to search. Raises BadInput with the first thing that is wrong."""
    if not texts:
        raise BadInput("--param: missing; --param depth=2:8 tunes an option of the bot's bot.yaml")
    if len(texts) > _MOST:
        raise BadInput(f"--param: found {len(texts)}, expected at most {_MOST}")
    axes: dict[str, Axis] = {}
    for text in texts:
        name, is_given, values = text.partition("=")
        where = f"--param {cut(text, _SHOWN)}"
        if name not in declared:
            names = [quote(each) for each in declared]
            known = either(names) if names else "options in its bot.yaml"
            hint = did_you_mean(name, declared)
            more = f" ({hint})" if hint else ""
            found = f"found {quote(name)}, which {bot} does not declare"
            raise BadInput(f"{where}: {found}, expected {known}{more}")
        if name in axes:
            raise BadInput(f"{where}: found {quote(name)} a second time")
        axes[name] = _axis(name, declared[name], values if is_given else None, where)
    return list(axes.values())


def _axis(name: str, option: BotOption, text: str | None, where: str) -> Axis:
    match option.type:
        case OptionKind.INT | OptionKind.FLOAT:
            return _number(name, option, text, where)
        case OptionKind.BOOL:
            if text is not None:
                raise BadInput(f"{where}: found values of a bool, expected --param {name}")
            return CategoricalOption(name, (False, True))
        case OptionKind.CHOICE:
            return _choice(name, option, text, where)
        case OptionKind.TEXT:
            raise BadInput(
                f"{where}: found an option of the type text, expected int, float, bool or choice"
            )


def _number(name: str, option: BotOption, text: str | None, where: str) -> Number:
    is_whole = option.type is OptionKind.INT
    noun = "whole numbers" if is_whole else "numbers"
    if text is None and option.min is not None and option.max is not None:
        text = f"{option.min}:{option.max}"
    if text is None:
        raise BadInput(f"{where}: found no range, expected {noun}: --param {name}=LOW:HIGH")
    try:
        low, high = (int(each) if is_whole else float(each) for each in text.split(":"))
    except ValueError:
        raise BadInput(f"{where}: found {quote(text)}, expected two {noun}: LOW:HIGH") from None
    if not low < high:
        raise BadInput(f"{where}: found {quote(text)}, expected a low end below the high end")
    if max(-low, high) > _LARGEST:
        expected = f"expected ends from {-_LARGEST:g} to {_LARGEST:g}"
        raise BadInput(f"{where}: found {quote(text)}, {expected}")
    least = low if option.min is None else option.min
    most = high if option.max is None else option.max
    if low < least or high > most:
        limits = " and ".join(
            words
            for words, limit in (
                (f"at least {option.min}", option.min),
                (f"at most {option.max}", option.max),
            )
            if limit is not None
        )
        raise BadInput(f"{where}: found {quote(text)}, expected {noun} {limits}, as declared")
    return Number(name, float(low), float(high), is_whole)


def _choice(name: str, option: BotOption, text: str | None, where: str) -> CategoricalOption:
    values = option.choices if text is None else tuple(each.strip() for each in text.split(","))
    for value in values:
        if value not in option.choices:
            known = either([quote(each) for each in option.choices])
            raise BadInput(f"{where}: found {quote(value)}, expected {known}, as declared")
    if not 2 <= len(set(values)) == len(values) <= _MOST_VALUES:
        raise BadInput(f"{where}: expected 2 to {_MOST_VALUES} different values: A,B")
    return CategoricalOption(name, values)
