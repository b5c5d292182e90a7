"""Instructions that the referee executes per ply, counted by valgrind: needs no quiet machine.

    python -m benchmarks.instructions [--games N] [GAME:SEATS ...]

Instant bots in C play whole games with one referee, which runs below ``valgrind --tool=callgrind``;
what the kernel and the bots execute is not counted. Start-up is not counted either.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from arena.games.base import RulesError
from arena.games.installed import GameError
from arena.games.luck import Luck, derive_key
from arena.games.registry import make_rules, rules_spec
from arena.referee.play import GameConditions, play_game
from arena.values.results import GameSpec, TimeControl
from benchmarks.loop import bot_session
from benchmarks.workshop import QUICK, ROOT, Workshop

_TABLES: Final = ("dragonheart:2", "dragonkrak:4", "dragonrealm:4")
_TABLE: Final = re.compile(r"[a-z_]+:[1-4]")
_COUNTED: Final = re.compile(r"Collected : (\d+)")


def main() -> int:
    """Print a line for each table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.instructions", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("tables", nargs="*", default=_TABLES, metavar="GAME:SEATS")
    parser.add_argument("--games", type=_positive, default=6)
    parser.add_argument("--referee", metavar="BOT", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.referee:
        _referee(asked.tables[0], asked.games, asked.referee)
        return 0
    if unknown := [table for table in asked.tables if not _TABLE.fullmatch(table)]:
        parser.error(f"found {unknown[0]!r}, expected GAME:SEATS such as {_TABLES[0]}")
    try:
        for table in asked.tables:
            make_rules(rules_spec(*_game_of(table)))
    except (GameError, RulesError) as error:
        parser.error(str(error))
    if shutil.which("valgrind") is None:
        parser.error("valgrind is not installed")
    with tempfile.TemporaryDirectory(prefix="arena-count-") as scratch:
        bot = Workshop(QUICK, Path(scratch)).program("instant")
        for table in asked.tables:
            count, plies = counted(table, asked.games, bot)
            print(
                f"{table:14} {count / plies:10,.0f} instructions a ply, {plies} plies", flush=True
            )
    return 0


def counted(table: str, games: int, bot: str) -> tuple[int, int]:
    """Return the instructions of a referee that plays ``games`` games, and their plies."""
    tool = ("valgrind", "--tool=callgrind", "--instr-atstart=no", "--callgrind-out-file=/dev/null")
    own = (sys.executable, "-m", __spec__.name if __spec__ else __name__)
    process = subprocess.Popen(
        [*tool, *own, table, "--games", str(games), "--referee", bot],
        cwd=ROOT,
        env=os.environ | {"PYTHONHASHSEED": "0"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    if process.stdout is not None:
        process.stdout.readline()
    control = ["callgrind_control", "-i", "on", str(process.pid)]
    subprocess.run(control, check=True, stdout=subprocess.DEVNULL)
    out, said = process.communicate("go\n")
    found = _COUNTED.search(said)
    if process.returncode or found is None:
        raise RuntimeError(said)
    return int(found[1]), int(out)


def _game_of(table: str) -> tuple[str, int]:
    name, _, seats = table.partition(":")
    return name, int(seats)


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("expected 1 or more")
    return number


def _referee(table: str, games: int, bot: str) -> None:
    """Play one game, wait for the counter, play ``games`` games and print their plies."""
    name, seats = _game_of(table)
    rules = make_rules(rules_spec(name, seats))
    sessions = [bot_session((bot,)) for _ in range(seats)]
    names = tuple("abcd"[:seats])
    empty: dict[str, object] = {}
    terms = GameConditions(TimeControl(move=60.0), "0" * 16, (1,) * len(names), (empty,) * 4, None)
    plies = 0
    for number in range(-1, games):
        if number == 0:
            print("ready", flush=True)
            sys.stdin.readline()
        block = f"{'+'.join(names)}:{number}"
        spec = GameSpec(f"{block}:0", block, block, 0, names)
        luck = Luck(derive_key("benchmark", number))
        played = play_game(rules, sessions, spec, luck, terms).result
        if played.faults:
            raise RuntimeError(str(played.faults))
        plies += played.plies * (number >= 0)
    print(plies, flush=True)
    os._exit(0)


if __name__ == "__main__":
    sys.exit(main())
