"""What every case needs: sizes, cores, a scratch folder, compiled programs."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).resolve().parent.parent
"""Where ``python -m benchmarks`` finds its modules."""
PROGRAMS: Final = Path(__file__).parent / "programs"
NAIVE_BOT: Final = PROGRAMS / "naive.py"
_COMPILERS: Final = ("cc", "gcc", "clang")


class UnavailableError(Exception):
    """A case cannot run here; the text says what is missing, in one line."""


class Sizes(NamedTuple):
    """How much work a case is."""

    round_trips: int
    games: int
    """Of a run with two workers; one worker plays half, the long run ten times as many."""
    naive_games: int
    rival_games: int
    entrants_games: int
    entrants_most: int
    """Where there should be more of them, there are only so many."""
    loop_games: int
    rules_games: int
    starts: int
    """Of each command line."""
    rated_games: int


FULL: Final = Sizes(
    round_trips=100_000,
    games=2_000,
    naive_games=600,
    rival_games=1_000,
    entrants_games=3_000,
    entrants_most=200,
    loop_games=600,
    rules_games=1_000,
    starts=5,
    rated_games=1_000_000,
)
QUICK: Final = Sizes(
    round_trips=2_000,
    games=40,
    naive_games=12,
    rival_games=20,
    entrants_games=24,
    entrants_most=6,
    loop_games=12,
    rules_games=20,
    starts=1,
    rated_games=20_000,
)


class Workshop:
    """One for all cases of a run."""

    def __init__(self, sizes: Sizes, scratch: Path) -> None:
        self.sizes = sizes
        self.scratch = scratch

    def program(self, name: str) -> str:
        """The path of a C program, compiled once. Raises UnavailableError without a compiler."""
        path = self.scratch / name
        if not path.exists():
            compiler = next(filter(None, map(shutil.which, _COMPILERS)), None)
            if compiler is None:
                tried = ", ".join(_COMPILERS)
                raise UnavailableError(
                    f"no C compiler on PATH ({tried}): programs in C are left out"
                )
            source = PROGRAMS / f"{name}.c"
            subprocess.run([compiler, "-O2", "-o", str(path), str(source)], check=True)
        return str(path)


@contextlib.contextmanager
def pinned(number: int) -> Iterator[None]:
    """What is started meanwhile stays on one core: the ``number``-th that we may use.

    Does nothing where cores have no names.
    """
    if sys.platform != "linux":
        yield
        return
    allowed = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {allowed[number % len(allowed)]})
    try:
        yield
    finally:
        os.sched_setaffinity(0, allowed)
