"""How many bits a process can leave to the next one by the inode numbers of pipes.

    python -m tests.hostile.words [--level L] [--bits B ...] [--spacing N ...] [--tries N]

One process leaves a word, ends, two more are started as bots are, the second reads. All on one
core, as bots of a run are. Printed is how many words arrived, and how long leaving one took.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import mean
from typing import Final

from arena.hosting.process import BotProcess
from arena.hosting.sandbox import side_channels
from arena.hosting.sandbox.isolation import Launch, Level
from arena.hosting.workspace.cells import Workspace
from tests.hosting.bots import finished

PROGRAM: Final = Path(__file__).parents[1] / "bots" / "looking" / "word.c"


def main() -> int:
    """0 if it could be tried."""
    parser = argparse.ArgumentParser(prog="python -m tests.hostile.words")
    parser.add_argument("--level", choices=list(Level), default=Level.BUBBLEWRAP)
    parser.add_argument("--bits", type=int, nargs="+", default=[2, 5, 8])
    parser.add_argument(
        "--spacing", type=int, nargs="+", default=[64, 2 * side_channels.MAX_INODE_NUMBERS]
    )
    parser.add_argument("--tries", type=int, default=20)
    options = parser.parse_args()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    with contextlib.closing(Workspace.create()) as workspace, tempfile.TemporaryDirectory() as name:
        program = Path(name) / "word"
        subprocess.run(["cc", "-O2", "-o", program, PROGRAM], check=True)
        place = str(workspace.snapshot("word", Path(name)))
        for spacing in options.spacing:
            for bits in options.bits:
                tries = [
                    _tried(place, workspace, options.level, bits, spacing)
                    for _ in range(options.tries)
                ]
                arrived = sum(found for found, _ in tries)
                took = mean(seconds for _, seconds in tries)
                print(f"{bits} bits {spacing} apart: {arrived} of {len(tries)}, {took:.3f} s each")
    return 0


def _tried(
    place: str, workspace: Workspace, level: str, bits: int, spacing: int
) -> tuple[bool, float]:
    """Whether a word arrived, and the seconds it took."""

    def said(*words: object) -> list[str]:
        command = (f"{place}/word", *map(str, words))
        out, _ = finished(
            BotProcess(Launch(command, place, level=Level(level), copied=True), workspace)
        )
        return out.split()

    word = random.randrange(1 << bits)
    seconds = said("leave", bits, spacing, word)[2]
    said("read", bits, spacing)
    got = int(said("read", bits, spacing)[0])
    return got == word, float(seconds)


if __name__ == "__main__":
    sys.exit(main())
