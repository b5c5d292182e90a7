"""Elo of many bots from a long run folder, and from as many plain results."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from itertools import combinations, cycle, islice
from pathlib import Path
from typing import Final

import msgspec

from arena.extensions.studies.plain.lines import decoded
from arena.extensions.studies.plain.read import chunks, read_results
from arena.ratings.counting.arrays import arrays_of
from arena.ratings.counting.tally import Tally
from arena.ratings.elo.fit import fit_model
from arena.ratings.elo.scale import Model
from arena.ratings.elo.standings import standings
from arena.runs.reader import placed_games
from arena.runs.store import GAMES, RECORDS, RecordLocation, Stored
from arena.schedule.keys import Discipline
from arena.schedule.keys import Schedule as Plan
from arena.schedule.schedule import Schedule
from arena.schedule.seeds import Seeds
from arena.values.results import GameResult, GameSpec, RulesSpec, Termination
from benchmarks.child import call, serve
from benchmarks.figures import Figure, Figures
from benchmarks.workshop import Workshop

_BOTS: Final = 200
_STEP: Final = 4.0
"""Elo between neighbours."""
_DIGEST: Final = "0123456789abcdef" * 2
_RECORD_LENGTH: Final = 1_700
_MILLION: Final = 1_000_000


class RunFolder(msgspec.Struct, frozen=True):
    """Where the games are: a run folder, or a file of plain results."""

    path: str


class Seconds(msgspec.Struct, frozen=True):
    """Wall time. Loading numpy is not in it."""

    total: float
    """Read, count, fit, table."""
    fit: float


class PlainSeconds(msgspec.Struct, frozen=True):
    """As ``Seconds``, of plain results."""

    total: float
    decoded: float
    """Lines read, decoded and checked, but not counted."""
    fit: float
    floor: float
    """Lines read and decoded one by one, not checked."""


def ratings(shop: Workshop) -> Figures:
    """Two-seat games between 200 bots, everybody against everybody."""
    folder = shop.scratch / "rated"
    if not folder.exists():
        folder.mkdir()
        write_games(folder / GAMES, shop.sizes.rated_games)
    seconds = call(__name__, RunFolder(str(folder)), Seconds)
    return {
        Figure.RATINGS_TOTAL: seconds.total / shop.sizes.rated_games * _MILLION,
        Figure.RATINGS_FIT: seconds.fit,
    }


def plain(shop: Workshop) -> Figures:
    """The same games as plain results, against their lines decoded and thrown away."""
    path = shop.scratch / "plain.jsonl"
    games = shop.sizes.rated_games
    if not path.exists():
        write_plain(path, games)
    seconds = call(__name__, RunFolder(str(path)), PlainSeconds)
    return {
        Figure.PLAIN_TOTAL: seconds.total / games * _MILLION,
        Figure.PLAIN_DECODED: seconds.decoded / games * _MILLION,
        Figure.PLAIN_COUNTED: (seconds.total - seconds.decoded - seconds.fit) / games * _MILLION,
        Figure.PLAIN_FITTED: seconds.fit,
        Figure.PLAIN_FLOOR: seconds.floor / games * _MILLION,
    }


def write_plain(path: Path, games: int) -> None:
    """As ``write_games``, in the shape of docs/results-format.md."""
    rng = random.Random(1)
    with path.open("wb") as file:
        for spec in islice(_specs(), games):
            line = {"deal": spec.deal, "seats": spec.entrants, "places": _places(spec, rng)}
            file.write(msgspec.json.encode(line) + b"\n")


def write_games(path: Path, games: int) -> None:
    """A games file as a run of 200 bots leaves it, the stronger bot winning more often."""
    rng = random.Random(1)
    encoder = msgspec.json.Encoder()
    with path.open("wb") as file:
        for number, spec in enumerate(islice(_specs(), games)):
            places = _places(spec, rng)
            result = GameResult(
                spec,
                Termination.COMPLETED,
                places,
                73,
                _DIGEST,
                (31, 24) if places[0] == 1 else (24, 31),
                think_us=(641, 655),
                wall_us=2_150,
            )
            where = RecordLocation(RECORDS, number * _RECORD_LENGTH, _RECORD_LENGTH)
            file.write(encoder.encode(Stored(result, where, 0)) + b"\n")


def _schedule() -> Schedule:
    """Of these games, and of as many more as there may be."""
    names = tuple(f"bot-{number:03}" for number in range(_BOTS))
    plan = Plan(deals=100)
    rules = RulesSpec("dragonheart", 2, {}, {})
    return Schedule([Discipline("dragonheart-2", rules, names, plan)], Seeds(b""))


def _places(spec: GameSpec, rng: random.Random) -> tuple[int, int]:
    first, second = (int(name[-3:]) for name in spec.entrants)
    expected = 1 / (1 + 10 ** ((second - first) * _STEP / 400))
    return (1, 2) if rng.random() < expected else (2, 1)


def _specs() -> Iterator[GameSpec]:
    names = [f"bot-{number:03}" for number in range(_BOTS)]
    pairings = list(combinations(names, 2))
    for count, (first, second) in enumerate(cycle(pairings)):
        block = f"dragonheart-2/{first}+{second}:{count // len(pairings)}"
        yield GameSpec(f"{block}:0", block, block, 0, (first, second))
        yield GameSpec(f"{block}:1", block, block, 1, (second, first))


def _measure(source: RunFolder) -> Seconds | PlainSeconds:
    path = Path(source.path)
    return _measure_run(path) if path.is_dir() else _measure_plain(path)


def _measure_plain(path: Path) -> PlainSeconds:
    decoder = msgspec.json.Decoder()
    began = time.perf_counter()
    with path.open("rb") as file:
        for line in file:
            decoder.decode(line)
    floor = time.perf_counter()
    with path.open("rb") as file:
        for chunk in chunks(file):
            decoded(chunk)
    reading = time.perf_counter()
    tally = read_results(path)
    fitting = time.perf_counter()
    fitted = fit_model(arrays_of(tally), Model())
    fit_ended = time.perf_counter()
    standings(tally, fitted)
    return PlainSeconds(
        total=time.perf_counter() - reading,
        decoded=reading - floor,
        fit=fit_ended - fitting,
        floor=floor - began,
    )


def _measure_run(folder: Path) -> Seconds:
    began = time.perf_counter()
    tally = Tally()
    for game in placed_games(folder, _schedule()):
        tally.add(game.result)
    fitting = time.perf_counter()
    fitted = fit_model(arrays_of(tally), Model())
    fit_ended = time.perf_counter()
    standings(tally, fitted)
    return Seconds(time.perf_counter() - began, fit_ended - fitting)


if __name__ == "__main__":
    serve(RunFolder, _measure)
