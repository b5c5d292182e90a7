"""fastchess, run here and now: two copies of an instant engine, as our referee plays its C bots.

Told where it is by the environment variable FASTCHESS. Every figure is the difference of a
long and a short match, so starting is not in it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path
from typing import Final, NamedTuple

from benchmarks.figures import Figure, Figures
from benchmarks.workshop import PROGRAMS, UnavailableError, Workshop

WHERE: Final = "FASTCHESS"
"""The variable that has its path."""
_LINE: Final = PROGRAMS / "line.txt"
_PLIES: Final = 160
"""Of the line that every game follows; then fastchess calls it a draw."""
_SHORT: Final = 20
"""Games of the short match; even, each line is played with both colours."""
_OPTIONS: Final = (
    "-each tc=600+1 -games 2 -repeat -ratinginterval 1000000 -concurrency 2 -use-affinity"
)


class _Match(NamedTuple):
    """What a match took, seconds."""

    wall: float
    own_cpu: float


def fastchess(shop: Workshop) -> Figures:
    """Plies per second and own CPU per ply. Raises UnavailableError unless we know where it is."""
    program = _program()
    games = max(_SHORT, shop.sizes.rival_games)
    short, long = _match(shop, program, _SHORT), _match(shop, program, _SHORT + games)
    plies = games * _PLIES
    return {
        Figure.FASTCHESS_CPU: (long.own_cpu - short.own_cpu) / plies * 1e6,
        Figure.FASTCHESS_PLIES: plies / (long.wall - short.wall),
    }


def _program() -> str:
    named = os.environ.get(WHERE)
    if not named:
        raise UnavailableError(f"{WHERE} does not say where fastchess is: it was not run")
    program = shutil.which(named)
    if program is None:
        raise UnavailableError(f"{WHERE}={named}: no program there: fastchess was not run")
    return program


def _match(shop: Workshop, program: str, games: int) -> _Match:
    engine = f"cmd={shop.program('uci_line')} args={_LINE}"
    command = [program, "-rounds", str(games // 2), "-maxmoves", str(_PLIES // 2)]
    for name in "AB":
        command += ["-engine", *engine.split(" ", 1), f"name={name}"]
    began = time.perf_counter()
    with subprocess.Popen(
        [*command, *_OPTIONS.split()], cwd=shop.scratch, stdout=subprocess.PIPE, text=True
    ) as running:
        if running.stdout is None:
            raise RuntimeError("no pipe")
        printed = running.stdout.read()
        if hasattr(os, "waitid"):
            os.waitid(os.P_PID, running.pid, os.WEXITED | os.WNOWAIT)
        match = _Match(time.perf_counter() - began, _own_cpu(running.pid))
    drawn = printed.count("{Draw by adjudication}")
    if running.returncode or drawn != games:
        raise RuntimeError(f"fastchess drew {drawn} of {games} games:\n{printed[-2000:]}")
    return match


def _own_cpu(pid: int) -> float:
    """Seconds of a process that has ended, without its engines."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
