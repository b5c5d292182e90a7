"""The folders of the bots, and how each of them is started."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import msgspec

from arena.hosting.sandbox.isolation import Launch, Level
from arena.hosting.workspace.cells import Workspace
from arena.values.results import Limits
from tests.hostile import builds
from tests.hostile.canaries import Canaries
from tests.hostile.facts import available
from tests.hostile.rows import Row

BOTS: Final = Path(__file__).parents[1] / "bots" / "hostile"
MARK_VARIABLE: Final = "HOSTILE_MARK"
LIMITS: Final = Limits(
    memory=256 << 20, processes=32, cpu=120.0, disk=8 << 20, files=64, stderr=16 * 1024
)
NONE: Final = msgspec.structs.replace(
    LIMITS, memory=None, processes=None, cpu=None, disk=None, files=None
)
"""What is in force where there are no limits."""
SUFFIXES: Final = {".py": "python", ".c": "c", ".js": "node"}
"""Kinds of bots, each with a folder of its own."""
_COMPILER: Final = ("cc", "-std=gnu11", "-O1", "-pthread", "-o")


class Folders:
    """Snapshots of the bots in a workspace."""

    def __init__(self, workspace: Workspace, canaries: Canaries) -> None:
        self._mark = canaries.mark
        self._workspace, self._place = workspace, canaries.sources
        self._sources = sources(canaries.sources, canaries.idea)
        self._paths = {
            name: str(workspace.snapshot(name, folder)) for name, folder in self._sources.items()
        }

    def launch(self, row: Row, level: str) -> Launch:
        """How to start a hostile bot."""
        limits = msgspec.structs.replace(LIMITS, **(row.limits or {}))
        folder = SUFFIXES.get(Path(row.file).suffix, "python")
        if row.file == builds.FILE:
            folder = self._built(level)
        return self._launch(folder, row, level, limits)

    def _built(self, level: str) -> str:
        """The snapshot of what the victim got, if the machine gives the level."""
        if available([level])[level]:
            return builds.VICTIM
        if level not in self._paths:
            folders = [self._sources[name] for name in (builds.ATTACKER, builds.VICTIM)]
            made = builds.built(folders, level, self._place)
            self._paths[level] = str(self._workspace.snapshot(level, made))
        return level

    def honest(self, bot: str, level: str) -> Launch:
        """How to start its opponent, ``honest`` or ``slow``."""
        return self._launch("honest", Row("t", "life.py", bot), level, LIMITS)

    def _launch(self, folder: str, row: Row, level: str, limits: Limits) -> Launch:
        path = self._paths[folder]
        return Launch(
            command(row, path),
            path,
            env={MARK_VARIABLE: self._mark},
            level=Level(level),
            limits=limits,
            copied=True,
        )


def missing(row: Row) -> str:
    """The program that the bot needs and the machine has not; else empty."""
    needed = {".c": "cc", ".js": "node"}.get(Path(row.file).suffix, "")
    return needed if needed and shutil.which(needed) is None else ""


def command(row: Row, folder: str) -> tuple[str, ...]:
    """Program and arguments. ``folder``: where compiled bots are."""
    match Path(row.file).suffix:
        case ".py":
            hanging = ("hang",) if row.group == "m" and row.verdict != "ok" else ()
            return (sys.executable, "-S", row.file, row.bot, *hanging)
        case ".c" if row.bot == "is_no_program":
            return (f"{folder}/zoo.c",)
        case ".c":
            return (f"{folder}/zoo", row.bot)
        case ".js":
            return (str(shutil.which("node")), row.file, row.bot)
    return (row.file,)


def sources(place: Path, idea: str) -> dict[str, Path]:
    """By kind: a folder with bots of one language, or that of an entrant with a build."""
    found = {}
    for kind in ("python", "honest", "c", "node"):
        found[kind] = folder = place / kind
        suffix = next((s for s, k in SUFFIXES.items() if k == kind), ".py")
        folder.mkdir()
        for path in BOTS.glob(f"*{suffix}"):
            shutil.copy(path, folder)
    found |= builds.hand_in(place, BOTS, "is_built_by_another")
    (found["honest"] / "idea.txt").write_text(idea)
    source = found["c"] / "zoo.c"
    source.chmod(0o755)
    if shutil.which("cc"):
        subprocess.run([*_COMPILER, source.with_suffix(""), source], check=True)
    return found
