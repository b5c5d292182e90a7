"""Puts a package with a game where Python looks for packages, as an installer would."""

from __future__ import annotations

import importlib
import shutil
import sys
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest

from arena.games.game import Game
from arena.games.registry import GAMES

HERE: Final = Path(__file__).parent


def install(folder: Path, version: str | None = None) -> Path:
    """Kuhn poker as its ``pyproject.toml`` has it, perhaps of another version."""
    project = tomllib.loads((HERE / "pyproject.toml").read_text("utf-8"))["project"]
    package = shutil.ignore_patterns("__pycache__")
    shutil.copytree(HERE / "kuhn_poker", folder / "kuhn_poker", ignore=package)
    announce(
        folder,
        project["name"],
        version or project["version"],
        project["entry-points"]["arena.games"],
    )
    return folder


@contextmanager
def loaded(folder: Path) -> Iterator[Game]:
    """Kuhn poker as a game of this process, installed in the folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(install(folder))
        game: Game = importlib.import_module("kuhn_poker").GAME
        patch.setitem(GAMES.loaded, game.name, game)
        patch.setattr(GAMES, "_claims", {})  # what is found meanwhile is not there afterwards
        yield game
    for module in [name for name in sys.modules if name.partition(".")[0] == "kuhn_poker"]:
        del sys.modules[module]


def announce(
    folder: Path, name: str, version: str, games: Mapping[str, str], group: str = "arena.games"
) -> None:
    """What an installer notes of a package."""
    noted = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    noted.mkdir(parents=True)
    (noted / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    lines = "".join(f"{game} = {value}\n" for game, value in games.items())
    (noted / "entry_points.txt").write_text(f"[{group}]\n{lines}")
