"""Random command lines, run in this process.

    python -m tests.fuzz.commands [--rounds 2000] [--seed 1]

Every command with valid, damaged and foreign options and arguments. Nothing is played: ``run``
always has ``--dry-run``. The exit code must be 0 to 4 or 130, and never a traceback.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from arena.cli import app
from tests.fuzz.documents import FORGED, Failed, Kind, Workspace, invoke
from tests.fuzz.mutate import mutated

HOSTILE: Final = (
    f"a\n{FORGED} b",
    f"a\r\n    {FORGED}\x1b[1A\x9b2K",
    "\u202ea\u2066\u200b\x07",
    "\udcff",
)
"""Names that print a line of their own, move the cursor, turn text round, or have no bytes."""
OTHER: Final = (
    "",
    "-",
    "--",
    "-1",
    "0",
    "1",
    "3",
    "1-2",
    "-5",
    "99999999999999999999999",
    "1e9",
    "0x1",
    "nan",
    "txt",
    "md",
    "json",
    "always",
    "dragonheart",
    "dragonkrak",
    "dragonrealm",
    "DH-04",
    "dh-4",
    "protocol",
    "tournament",
    "record",
    "cup.yaml",
    "damaged.yaml",
    "deck.yaml",
    "run",
    "run/run.json",
    "bots",
    "bots/random",
    "bots/greedy",
    "bots/nobody",
    "python3 main.py",
    "python3 'main.py",
    "/",
    "..",
    "/dev/null",
    "/dev/zero",
    "/proc/self/mem",
    "no/such/file",
    "a" * 300,
    "\x1b[2J",
    *HOSTILE,
    "\udcff",
    "run\udcff\x1b",
    "cup\udcff.yaml",
    "é\u2028",
    "%s%n{0}",
    "clock.move='2 s'",
    "clock.move=",
    "schedule.deals=1",
    "entrants.0.name=x",
    "=",
    "none",
    "0" * 64,
    "heart/anna+berta:0:0",
)
GOOD: Final = {
    "standings": ("run",),
    "verify": ("run",),
    "replay": ("run", "2"),
    "rules": ("dragonheart",),
    "schema": ("protocol",),
    "run": ("cup.yaml",),
    "plan": ("run",),
    "compare": ("--pairs", "1,2,3,4,5"),
}
"""What some commands are happy with."""
_PLAYS: Final = "run"


def commands() -> dict[str, tuple[str, ...]]:
    """Every command with its options, as the program itself declares them."""
    return {
        name: tuple(word for p in app.load(name).params for word in p.opts if word.startswith("-"))
        for name in app.commands()
    }


def command_line(rng: random.Random, known: dict[str, tuple[str, ...]]) -> list[str]:
    """One command line."""
    name = rng.choice(list(known))
    words = [_word(rng) for _ in range(rng.choice((0, 1, 1, 2, 2, 3)))]
    if rng.random() < 0.6:
        words = list(GOOD.get(name, ()))
    for _ in range(rng.choice((0, 0, 1, 1, 2, 4))):
        option = rng.choice(known[name] or ("--help",))
        at = rng.randrange(len(words) + 1)
        words[at:at] = [option] if rng.random() < 0.3 else [option, _word(rng)]
    if name == _PLAYS:
        words.insert(0, "--dry-run")
    before = ["--color", _word(rng)] if rng.random() < 0.03 else []
    return [*before, name, *words]


def _word(rng: random.Random) -> str:
    word = rng.choice(OTHER)
    if rng.random() < 0.15:
        damaged = mutated(rng, os.fsencode(word), [b"a"])[:200]
        word = os.fsdecode(damaged.replace(b"\0", b""))
    return word


def run_rounds(seed: int | str, first: int, count: int, tally: Counter[str]) -> None:
    """Many command lines in the current folder. Raises Failed."""
    known = commands()
    for number in range(first, first + count):
        line = command_line(random.Random(f"{seed}/{number}"), known)
        try:
            tally[f"{line[0]}: {invoke(line)}"] += 1
        except Failed as error:
            raise Failed(f"seed {seed}, round {number}: {str(error)[-1500:]}") from error


def prepare(folder: Path) -> dict[str, Kind]:
    """What the command lines name: bots, tournaments, a run and it again under an odd name.

    Returns the kinds of documents there.
    """
    kinds = Workspace(folder).kinds()
    (folder / "run\udcff\x1b").symlink_to("run")
    (folder / "cup\udcff.yaml").symlink_to("cup.yaml")
    return kinds


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the rounds; 0 if every command line had a good end."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=2000)
    parser.add_argument("--seed", default="1")
    options = parser.parse_args(arguments)
    tally: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as name:
        prepare(Path(name))
        os.chdir(name)
        try:
            run_rounds(options.seed, 0, options.rounds, tally)
        except Failed as error:
            print(error, file=sys.stderr)
            return 1
        finally:
            os.chdir("/")
    for verdict, times in sorted(tally.items()):
        print(f"{times:>8,}  {verdict}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
