"""Installs the two games in a folder, as one package."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.kuhn.install import announce


def install(folder: Path) -> Path:
    games = {"goofspiel": "goofspiel_game:GAME", "cycles": "cycles_game:GAME"}
    for value in games.values():
        shutil.copy(Path(__file__).with_name(f"{value.partition(':')[0]}.py"), folder)
    announce(folder, "games-at-once", "1.0", games)
    return folder
