"""A tournament of two bots as ``arena run`` plays it: pool, pinned workers, run folder on disk."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final
from unittest import mock

import msgspec

from arena.cli.terminal.reporter import Reporter
from arena.referee.compiled import PURE
from arena.runs.config.tournament import load_tournament
from arena.runs.live import locked
from arena.tournament.events import Event, GameEnded, GameVoided
from arena.tournament.prepare import play, with_workers
from arena.tournament.run import open_run
from arena.values.results import Termination
from benchmarks import probe
from benchmarks.child import call, serve
from benchmarks.figures import Figure, Figures
from benchmarks.workshop import NAIVE_BOT, PROGRAMS, Workshop

_NAMES: Final = ("one", "two", "three", "four")
"""As many as there are seats, and seatings of a deal; a worker has a process of each for each."""
_AGREED: Final = 80
"""Decisions of each engine after which they agree: together the line of the rival's games."""
_WARM_UP: Final = 0.1
"""Share of the games that are played before the clock starts."""


class Contest(msgspec.Struct, frozen=True):
    """Copies of one bot play."""

    command: tuple[str, ...]
    workers: int
    games: int
    recording: bool = True
    rules: str = "dragonheart"
    seats: int = 2
    speaks_uci: bool = False
    """Whether they are engines, which agree on a draw after the line of the rival's games."""


class Played(msgspec.Struct, frozen=True):
    """What it took."""

    turns: float
    """Per second of wall time."""
    games: float
    """Per second of wall time."""
    worker_cpu: float
    """Own CPU of the workers per turn, µs."""
    parent_cpu: float
    """Own CPU of the parent per turn, µs."""
    parent_cpu_game: float
    """Own CPU of the parent per game, µs."""
    bots_cpu: float
    """CPU of the bots per turn, without what starting them takes, µs."""
    memory: float
    """Most that the parent held, MB."""


def one_worker(shop: Workshop) -> Figures:
    """C bots on one core."""
    played = _play(shop, workers=1, games=shop.sizes.games // 2)
    return {Figure.TURNS_ONE: played.turns}


def two_workers(shop: Workshop) -> Figures:
    """C bots on two cores."""
    played = _play(shop, workers=2, games=shop.sizes.games)
    return {
        Figure.TURNS_TWO: played.turns,
        Figure.GAMES_TWO: played.games,
        Figure.TURN_TWO: 2e6 / played.turns,
        Figure.TURN_CPU: played.worker_cpu + played.parent_cpu,
        Figure.TURN_CPU_WORKER: played.worker_cpu,
        Figure.PARENT_CPU: played.parent_cpu_game,
        Figure.PARENT_MEMORY: played.memory,
    }


def pure(shop: Workshop) -> Figures:
    """The same without compiled code."""
    with mock.patch.dict(os.environ, {PURE: "1"}):
        played = _play(shop, workers=2, games=shop.sizes.games)
    return {
        Figure.PURE_TURN_CPU: played.worker_cpu + played.parent_cpu,
        Figure.PURE_TURNS_TWO: played.turns,
    }


def engines(shop: Workshop) -> Figures:
    """The engine of the rival's games, at chess."""
    command = (shop.program("uci_line"), str(PROGRAMS / "line.txt"))
    games = shop.sizes.rival_games // 5
    contest = Contest(command, workers=2, games=games, rules="chess", speaks_uci=True)
    played = call(__name__, contest, Played)
    return {Figure.ENGINES_CPU: played.worker_cpu + played.parent_cpu}


def dragonkrak(shop: Workshop) -> Figures:
    """C bots on two cores, four at a table."""
    played = _play_large(shop, "dragonkrak", shop.sizes.games // 5)
    return {
        Figure.KRAK_TURNS: played.turns,
        Figure.KRAK_TURN_CPU: played.worker_cpu + played.parent_cpu,
    }


def dragonrealm(shop: Workshop) -> Figures:
    """The same; who always takes the first action plays games of 11,000 turns."""
    played = _play_large(shop, "dragonrealm", max(4, shop.sizes.games // 125))
    return {
        Figure.REALM_TURNS: played.turns,
        Figure.REALM_TURN_CPU: played.worker_cpu + played.parent_cpu,
    }


def _play_large(shop: Workshop, rules: str, games: int) -> Played:
    contest = Contest((shop.program("instant"),), 2, games, rules=rules, seats=4)
    return call(__name__, contest, Played)


def unrecorded(shop: Workshop) -> Figures:
    """The same without records."""
    played = _play(shop, workers=2, games=shop.sizes.games, recording=False)
    return {Figure.TURNS_UNRECORDED: played.turns}


def long_run(shop: Workshop) -> Figures:
    """Ten times the games, for what the parent's memory does."""
    return {Figure.PARENT_MEMORY_LONG: _play(shop, workers=2, games=10 * shop.sizes.games).memory}


def naive_bots(shop: Workshop) -> Figures:
    """Python bots as most people write their first."""
    command = (sys.executable, str(NAIVE_BOT))
    contest = Contest(command, workers=2, games=shop.sizes.naive_games)
    played = call(__name__, contest, Played)
    referee = played.worker_cpu + played.parent_cpu
    return {
        Figure.TURNS_NAIVE: played.turns,
        Figure.REFEREE_SHARE: referee / (referee + played.bots_cpu),
    }


def _play(shop: Workshop, *, workers: int, games: int, recording: bool = True) -> Played:
    contest = Contest((shop.program("instant"),), workers, games, recording)
    return call(__name__, contest, Played)


class _Stopwatch:
    """Takes the time from the end of the warm-up to the last game."""

    def __init__(self, games: int) -> None:
        self._games = games
        self._warm = max(1, round(games * _WARM_UP))
        self._reporter = Reporter(quiet=False)
        self._began = self._ended = (0.0, 0.0)

    def __call__(self, event: Event) -> None:
        """Take note of an event."""
        match event:
            case GameVoided(void=void):
                raise RuntimeError(f"{void.game}: {void.reason}")
            case GameEnded():
                self._game(event)
        self._reporter(event)

    def per_game(self) -> tuple[float, float]:
        """Wall and own CPU, seconds."""
        games = self._games - self._warm
        wall, cpu = (b - a for a, b in zip(self._began, self._ended, strict=True))
        return wall / games, cpu / games

    def _game(self, event: GameEnded) -> None:
        progress, result = event.progress, event.done.result
        if result.termination not in (Termination.COMPLETED, Termination.ADJUDICATED):
            raise RuntimeError(f"{result.spec.game_id}: {result.termination}: {result.faults}")
        if progress.done == self._warm:
            self._began = time.perf_counter(), time.process_time()
        elif progress.done == self._games:
            self._ended = time.perf_counter(), time.process_time()


def _measure(contest: Contest) -> Played:
    watch = _Stopwatch(contest.games)
    with tempfile.TemporaryDirectory(prefix="arena-bench-") as name:
        folder = Path(name)
        tournament = load_tournament(_write_tournament(folder, contest))
        with locked(folder / "run"), probe.probing(folder, recording=contest.recording):
            run = open_run(tournament, folder / "run", None)
            play(with_workers(tournament, contest.workers), run, watch)
        spent = probe.read(folder)
    wall, parent_cpu = watch.per_game()
    turns = spent.turns / contest.games
    starting = _start_cpu(contest.command) * contest.workers * contest.seats**2
    return Played(
        turns=turns / wall,
        games=1 / wall,
        worker_cpu=spent.own / spent.turns * 1e6,
        parent_cpu=parent_cpu / turns * 1e6,
        parent_cpu_game=parent_cpu * 1e6,
        bots_cpu=(spent.bots - starting) / spent.turns * 1e6,
        memory=_peak_memory(),
    )


def _write_tournament(folder: Path, contest: Contest) -> Path:
    command: Any = list(contest.command)
    game: dict[str, Any] = {"rules": contest.rules, "seats": contest.seats}
    entrants = [{"command": command, "name": name} for name in _NAMES[: contest.seats]]
    if contest.speaks_uci:
        game["adjudicate"] = {"draw": {"moves": 3, "eval": 1, "after": _AGREED}}
        bot = folder / "bot"
        bot.mkdir()
        names = [Path(shutil.copy(each, bot)).name for each in contest.command]
        manifest = {"bot": 1, "name": "bot", "command": {"uci": names}}
        (bot / "bot.yaml").write_bytes(msgspec.json.encode(manifest))
        entrants = [{"bot": str(bot), "name": each["name"]} for each in entrants]
    tournament: dict[str, Any] = {
        "arena": 1,
        "game": game,
        "entrants": entrants,
        "seed": 1,
        "schedule": {"deals": contest.games // contest.seats},
    }
    path = folder / "contest.yaml"
    path.write_bytes(msgspec.json.encode(tournament))  # JSON is YAML
    return path


def _start_cpu(command: tuple[str, ...]) -> float:
    """Seconds of CPU to start a bot and let it end."""
    starts = 5
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    for _ in range(starts):
        subprocess.run(command, stdin=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return used / starts


def _peak_memory() -> float:
    """Megabytes. Not from getrusage, which counts what the parent had before exec too."""
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


if __name__ == "__main__":
    serve(Contest, _measure)
