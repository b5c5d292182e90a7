"""Many copies of one bot, each with a name of its own, at one worker: games per second."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import msgspec

from arena.runs.config.tournament import load_tournament
from arena.runs.live import locked
from arena.tournament.events import Event, GameEnded, GameVoided, Stoppable
from arena.tournament.prepare import play, with_workers
from arena.tournament.run import open_run
from arena.values.results import GameDone, Termination
from benchmarks.child import call, serve
from benchmarks.figures import Figure, Figures
from benchmarks.workshop import Workshop

_GAMES: Final = {2: "dragonheart", 4: "dragonkrak"}
"""By seats."""
_FIGURES: Final = {
    (2, 10): Figure.TWO_10,
    (2, 50): Figure.TWO_50,
    (2, 200): Figure.TWO_200,
    (4, 10): Figure.FOUR_10,
    (4, 50): Figure.FOUR_50,
    (4, 200): Figure.FOUR_200,
}
_MOST_PAIRINGS: Final = 1000


class Field(msgspec.Struct, frozen=True):
    """Who plays."""

    command: tuple[str, ...]
    entrants: int
    seats: int
    games: int


class Played(msgspec.Struct, frozen=True):
    """What it took, once every process that is kept has been started."""

    games: float
    """Per second."""


def two_seats(shop: Workshop) -> Figures:
    """Everybody against everybody."""
    return _measure_all(shop, 2, shop.sizes.entrants_games)


def four_seats(shop: Workshop) -> Figures:
    """A balanced choice of tables of four."""
    return _measure_all(shop, 4, shop.sizes.entrants_games // 3)


def _measure_all(shop: Workshop, seats: int, games: int) -> Figures:
    command = (shop.program("instant"),)
    found = {}
    for (wanted, entrants), figure in _FIGURES.items():
        if wanted == seats:
            field = Field(command, min(entrants, shop.sizes.entrants_most), seats, games)
            found[figure] = call(__name__, field, Played).games
    return found


class _Stopwatch:
    """Takes the time of so many games, once everybody has played in every seating."""

    def __init__(self, field: Field) -> None:
        self._missing = {
            (f"bot-{number:03}", seating)
            for number in range(field.entrants)
            for seating in range(field.seats)
        }
        self._left = field.games
        self._began = 0.0
        self.seconds = 0.0
        self.stop: Callable[[], None] = lambda: None

    def __call__(self, event: Event) -> None:
        """Take note of an event."""
        match event:
            case Stoppable(stop=stop):
                self.stop = stop
            case GameEnded(done=done):
                self._game(done)
            case GameVoided(void=void):
                raise RuntimeError(f"{void.game}: {void.reason}")

    def _game(self, done: GameDone) -> None:
        if done.result.termination is not Termination.COMPLETED:
            raise RuntimeError(f"{done.result.spec.game_id}: {done.result.faults}")
        if self._missing:
            spec = done.result.spec
            self._missing -= {(name, spec.seating) for name in spec.entrants}
            self._began = time.perf_counter()
            return
        self._left -= 1
        if not self._left:
            self.seconds = time.perf_counter() - self._began
            self.stop()


def _measure(field: Field) -> Played:
    watch = _Stopwatch(field)
    with tempfile.TemporaryDirectory(prefix="arena-bench-") as name:
        folder = Path(name)
        tournament = load_tournament(_write_tournament(folder, field))
        with locked(folder / "run"):
            run = open_run(tournament, folder / "run", None)
            play(with_workers(tournament, 1), run, watch)
    return Played(field.games / watch.seconds)


def _write_tournament(folder: Path, field: Field) -> Path:
    tournament: dict[str, Any] = {
        "arena": 1,
        "game": {"rules": _GAMES[field.seats], "seats": field.seats},
        "entrants": [
            {"command": list(field.command), "name": f"bot-{number:03}"}
            for number in range(field.entrants)
        ],
        "seed": 1,
        "schedule": {"deals": 10_000},
    }
    if field.seats > 2:
        tournament["schedule"]["max_pairings"] = _MOST_PAIRINGS
    path = folder / "field.yaml"
    path.write_bytes(msgspec.json.encode(tournament))  # JSON is YAML
    return path


if __name__ == "__main__":
    serve(Field, _measure)
