"""How long the command line takes to say anything."""

from __future__ import annotations

import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.figures import Figure, Figures
from benchmarks.workshop import ROOT, Workshop


def startup(shop: Workshop) -> Figures:
    """Wall seconds of each command, the commands taking turns."""
    arena = arena_command()
    commands = {
        Figure.PYTHON_START: [sys.executable, "-c", "pass"],
        Figure.HELP: [*arena, "--help"],
        Figure.VERSION: [*arena, "--version"],
    }
    taken: dict[Figure, list[float]] = {figure: [] for figure in commands}
    for _ in range(shop.sizes.starts):
        for figure, command in commands.items():
            taken[figure].append(_wall(command))
    return {figure: statistics.median(times) for figure, times in taken.items()}


def arena_command() -> list[str]:
    """The installed program of this Python, else the module."""
    program = shutil.which("arena", path=str(Path(sys.executable).parent))
    return [program] if program else [sys.executable, "-m", "arena"]


def _wall(command: list[str]) -> float:
    began = time.perf_counter()
    subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - began
