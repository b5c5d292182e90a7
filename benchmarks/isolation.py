"""What the isolation levels cost, as ratios against level none.

    python -m benchmarks.isolation [--rounds N] [--quick]

The levels take turns, round after round. Start-up is from the start of a process, its private
copy and its cell included, to its ``ready``. Own CPU is that of this process for a start and an
end, as a worker spends it. A turn is one of the referee's loop with rules that do no work (see
``loop``); with pondering off the bot is frozen between its turns. A game is one of such turns on a
table of two; *fresh* starts both bots for it and clears them away after it. The Python bot is also
run by other versions of Python in PATH. Levels and languages that the machine does not have are
left out.
"""

from __future__ import annotations

import argparse
import gc
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, NamedTuple, cast

from tabulate import tabulate

from arena.games.base import Action, Rules
from arena.games.luck import Luck, derive_key
from arena.games.registry import make_rules, rules_spec
from arena.hosting.process import BotProcess
from arena.hosting.sandbox import confine, warm
from arena.hosting.sandbox.isolation import IsolationError, Launch, Level
from arena.hosting.workspace.cells import Workspace
from arena.referee.channel import PipeChannel
from arena.referee.play import GameConditions, play_game
from arena.referee.session import BotSession, handshake
from arena.values.results import GameSpec, Limits, TimeControl
from benchmarks.loop import StillRules, middle_position
from benchmarks.workshop import FULL, NAIVE_BOT, ROOT, UnavailableError, Workshop, pinned

_TOKEN: Final = "0" * 16
_LUCK: Final = Luck(derive_key("benchmark"))
_CONTROL: Final = TimeControl(move=60.0, startup=60.0)
_GAMES_FRESH: Final = 3
_MINOR_VERSIONS: Final = range(11, 16)
_WHATS: Final = (
    ("start-up", "ms", 1e3),
    ("start and end, own CPU", "ms", 1e3),
    ("turn", "µs", 1e6),
    ("turn, pondering off", "µs", 1e6),
    ("game, reused", "ms", 1e3),
    ("game, fresh", "ms", 1e3),
)

Costs = Mapping[str, float]
"""Seconds by what was measured."""


class Sizes(NamedTuple):
    """How much work a round is, for each level and language."""

    starts: int
    games: int


class Bot(NamedTuple):
    """The bot of a language."""

    command: tuple[str, ...]
    folder: Path
    readable: tuple[str, ...] = ()


class Bench:
    """The bots of all languages, and the rules that they play."""

    def __init__(self, sizes: Sizes, scratch: Path) -> None:
        self._sizes = sizes
        real = make_rules(rules_spec("dragonheart", 2))
        self._rules = cast("Rules[int, Action]", StillRules(real, middle_position(real)))
        self._turns = self._rules.info.max_plies
        self.bots = _bots(scratch)

    def costs(self, level: Level, workspace: Workspace, bot: Bot) -> Costs:
        """All that is measured of one language. Raises IsolationError."""
        launch = Launch(
            bot.command,
            str(bot.folder),
            level=level,
            limits=Limits(),
            copied=True,
            readable=bot.readable,
        )
        walls, owns = zip(*self._starts(launch, workspace), strict=True)
        found = {
            "start-up": statistics.median(walls),
            "start and end, own CPU": statistics.median(owns),
        }
        for pondering, what in ((True, "turn"), (False, "turn, pondering off")):
            with _seated(launch, workspace, pondering) as players:
                self._play(players, 1)
                began = time.perf_counter()
                self._play(players, self._sizes.games)
                game = (time.perf_counter() - began) / self._sizes.games
            found[what] = game / self._turns
            if pondering:
                found["game, reused"] = game
        began = time.perf_counter()
        for _ in range(_GAMES_FRESH):
            with _seated(launch, workspace, True) as players:
                self._play(players, 1)
        found["game, fresh"] = (time.perf_counter() - began) / _GAMES_FRESH
        return found

    def _starts(self, launch: Launch, workspace: Workspace) -> Iterator[tuple[float, float]]:
        """Wall seconds to ``ready`` and own CPU seconds of each start."""
        for _ in range(self._sizes.starts):
            used, began = time.process_time(), time.perf_counter()
            player = _session(launch, workspace, True)
            wall = time.perf_counter() - began
            player.channel.close()
            yield wall, time.process_time() - used

    def _play(self, players: Sequence[BotSession], games: int) -> None:
        terms = GameConditions(_CONTROL, _TOKEN, (1, 2), ({}, {}), None)
        for number in range(games):
            spec = GameSpec(f"a+b:{number}:0", f"a+b:{number}", f"a+b:{number}", 0, ("a", "b"))
            played = play_game(self._rules, players, spec, _LUCK, terms)
            if played.result.faults:
                raise RuntimeError(str(played.result.faults))


def _bots(scratch: Path) -> dict[str, Bot]:
    """The bots by language."""
    found: dict[str, Bot] = {}
    for name in ("C", "Python", "Node"):
        (scratch / name).mkdir()
    with suppress(UnavailableError):
        Workshop(FULL, scratch / "C").program("instant")
        found["C"] = Bot(("./instant",), scratch / "C")
    shutil.copy(NAIVE_BOT, scratch / "Python")
    found["Python"] = Bot((sys.executable, NAIVE_BOT.name), scratch / "Python")
    for name, (program, prefix) in _other_pythons().items():
        found[name] = found["Python"]._replace(
            command=(program, NAIVE_BOT.name), readable=(prefix,)
        )
    if (node := shutil.which("node")) is not None:
        shutil.copy(ROOT / "bots" / "last-legal" / "main.js", scratch / "Node")
        found["Node"] = Bot((node, "main.js"), scratch / "Node")
    return found


def _other_pythons() -> dict[str, tuple[str, str]]:
    """Program and prefix of other versions of Python in PATH, by name."""
    found = {}
    for minor in _MINOR_VERSIONS:
        program = shutil.which(f"python3.{minor}")
        if program is None or minor == sys.version_info.minor:
            continue
        asked = (program, "-c", "import sys; print(sys.executable); print(sys.prefix)")
        done = subprocess.run(asked, capture_output=True, text=True)
        if done.returncode == 0:
            real, prefix = done.stdout.splitlines()
            found[f"Python 3.{minor}"] = real, prefix
    return found


def _moved(bot: Bot, folder: Path) -> Bot:
    """The bot in its snapshot."""
    program, *rest = bot.command
    program = str(folder / program) if program.startswith("./") else program
    return bot._replace(command=(program, *rest), folder=folder)


def _session(launch: Launch, workspace: Workspace, pondering: bool) -> BotSession:
    limits = Limits()
    channel = PipeChannel(BotProcess(launch, workspace), limits.reply, limits.stderr, pondering)
    player = handshake(channel, _CONTROL, limits)
    if isinstance(player, BotSession):
        return player
    channel.close()
    raise IsolationError(f"{launch.command[0]} at {launch.level}: {player.detail}")


@contextmanager
def _seated(launch: Launch, workspace: Workspace, pondering: bool) -> Iterator[list[BotSession]]:
    players: list[BotSession] = []
    try:
        for _ in range(2):
            players.append(_session(launch, workspace, pondering))
        yield players
    finally:
        for player in players:
            player.channel.close()


def measure(sizes: Sizes, rounds: int) -> tuple[dict[tuple[str, Level], list[Costs]], list[str]]:
    """Rounds by language and level, and notes on what could not be measured."""
    found: dict[tuple[str, Level], list[Costs]] = {}
    notes: dict[str, None] = {}
    with tempfile.TemporaryDirectory(prefix="arena-bench-") as name, pinned(0):
        Path(name).chmod(0o755)  # a bot of a root arena is another user
        bench = Bench(sizes, Path(name))
        workspace = Workspace.create()
        warm.keep(confine.start)  # as a worker does
        gc.freeze()
        try:
            snapshots = {
                language: _moved(bot, workspace.snapshot(language, bot.folder))
                for language, bot in bench.bots.items()
            }
            for number in range(1, rounds + 1):
                for language, bot in snapshots.items():
                    for level in Level:
                        print(f"round {number}/{rounds}  {language}: {level}", file=sys.stderr)
                        try:
                            costs = bench.costs(level, workspace, bot)
                        except (IsolationError, OSError) as error:
                            notes[f"{language} at {level} was left out: {error}"] = None
                            continue
                        found.setdefault((language, level), []).append(costs)
        finally:
            warm.drop()
            workspace.close()
    return found, list(notes)


def table(found: Mapping[tuple[str, Level], Sequence[Costs]]) -> str:
    """The median and the least of the rounds, and the ratio to level none, round by round."""
    languages = list(dict.fromkeys(language for language, _ in found))
    levels = [level for level in Level if any(key[1] is level for key in found)]
    lines = []
    for what, unit, scale in _WHATS:
        for language in languages:
            plain = found.get((language, Level.NONE), ())
            cells = [
                _cell([c[what] for c in found.get((language, level), ())], plain, what, scale)
                for level in levels
            ]
            lines.append((f"{what}, {language}, {unit}", *cells))
    headers = ("", *(level.value for level in levels))
    return tabulate(lines, headers=headers, disable_numparse=True)


def _cell(values: Sequence[float], plain: Sequence[Costs], what: str, scale: float) -> str:
    if not values:
        return "–"
    text = f"{_shown(statistics.median(values) * scale)} [{_shown(min(values) * scale)}]"
    if len(plain) != len(values):
        return text
    ratios = [value / costs[what] for value, costs in zip(values, plain, strict=True)]
    return f"{text} ({statistics.median(ratios):.2f}×)"


def _shown(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.isolation", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--rounds", type=int, help="default 5, with --quick 1")
    parser.add_argument("--quick", action="store_true", help="a tenth of the work, one round")
    options = parser.parse_args(arguments)
    rounds = options.rounds or (1 if options.quick else 5)
    found, notes = measure(Sizes(2, 3) if options.quick else Sizes(15, 30), rounds)
    print(f"medians [least] of {rounds} round{'s' * (rounds != 1)} (ratio to level none)\n")
    print("\n".join([table(found), *(f"note: {note}" for note in notes)]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
