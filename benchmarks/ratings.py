"""Elo of many bots from a long run folder."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from itertools import combinations, cycle, islice
from pathlib import Path
from typing import Final

import msgspec

from arena.ratings.fit import fit
from arena.ratings.standings import standings
from arena.ratings.tally import Tally
from arena.results import GameResult, GameSpec, Termination
from arena.tournament.store import GAMES, RECORDS, Location, Stored, stored_games
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
    """Where the games are."""

    path: str


class Seconds(msgspec.Struct, frozen=True):
    """Wall time. Loading numpy is not in it."""

    total: float
    """Read, count, fit, table."""
    fit: float


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


def write_games(path: Path, games: int) -> None:
    """A games file as a run of 200 bots leaves it, the stronger bot winning more often."""
    rng = random.Random(1)
    encoder = msgspec.json.Encoder()
    with path.open("wb") as file:
        for number, spec in enumerate(islice(_specs(), games)):
            first, second = (int(name[-3:]) for name in spec.entrants)
            expected = 1 / (1 + 10 ** ((second - first) * _STEP / 400))
            won = rng.random() < expected
            result = GameResult(
                spec,
                Termination.COMPLETED,
                (1, 2) if won else (2, 1),
                73,
                _DIGEST,
                (31, 24) if won else (24, 31),
                think_us=(641, 655),
                wall_us=2_150,
            )
            where = Location(RECORDS, number * _RECORD_LENGTH, _RECORD_LENGTH)
            file.write(encoder.encode(Stored(result, where)) + b"\n")


def _specs() -> Iterator[GameSpec]:
    names = [f"bot-{number:03}" for number in range(_BOTS)]
    pairings = list(combinations(names, 2))
    for count, (first, second) in enumerate(cycle(pairings)):
        block = f"dragonheart-2/{first}+{second}:{count // len(pairings)}"
        yield GameSpec(f"{block}:0", block, block, 0, (first, second))
        yield GameSpec(f"{block}:1", block, block, 1, (second, first))


def _measure(folder: RunFolder) -> Seconds:
    began = time.perf_counter()
    tally = Tally()
    for stored in stored_games(Path(folder.path)):
        tally.add(stored.result)
    fitting = time.perf_counter()
    fitted = fit(tally)
    fit_ended = time.perf_counter()
    standings(tally, fitted)
    return Seconds(time.perf_counter() - began, fit_ended - fitting)


if __name__ == "__main__":
    serve(RunFolder, _measure)
