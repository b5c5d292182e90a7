"""Two entrants that differ in their ``build`` script alone, loaded and built as arena does it."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from arena.hosting.sandbox.isolation import Level
from arena.runs.config.tournament import load_tournament
from arena.tournament.players import build

FILE: Final = "builds.py"
ATTACKER, VICTIM = "another", "itself"
_CACHE: Final = "XDG_CACHE_HOME"


def hand_in(place: Path, bots: Path, bot: str) -> dict[str, Path]:
    """The folders of both, by name."""
    found = {}
    for maker in (ATTACKER, VICTIM):
        found[maker] = folder = place / maker
        folder.mkdir()
        for name in (FILE, "kit.py"):
            shutil.copy(bots / name, folder)
        manifest = {
            "bot": 1,
            "name": bot,
            "command": ["python3", FILE, bot],
            "build": [["./build"]],
        }
        (folder / "bot.yaml").write_text(json.dumps(manifest), "utf-8")  # which is YAML
        (folder / "build").write_text(f"#!/bin/sh\necho {maker} > built_by\n", "utf-8")
        (folder / "build").chmod(0o755)
    return found


def built(folders: Sequence[Path], level: str, place: Path) -> Path:
    """Build them one after another with one cache; what the last one got."""
    entrants = [{"bot": str(folder), "name": folder.name} for folder in folders]
    file = place / "builds.yaml"
    file.write_text(
        json.dumps({"arena": 1, "game": "dragonheart", "isolation": level, "entrants": entrants}),
        "utf-8",
    )
    with _cache(place):
        made = [build(each, Level(level)) for each in load_tournament(file).entrants]
    return Path(made[-1].folder)


@contextmanager
def _cache(place: Path) -> Iterator[None]:
    """With a cache of its own."""
    before = os.environ.get(_CACHE)
    os.environ[_CACHE] = str(place / "cache")
    try:
        yield
    finally:
        del os.environ[_CACHE]
        if before is not None:
            os.environ[_CACHE] = before
