"""Puts a package with a game where Python looks for packages, as an installer would."""

from __future__ import annotations

import shutil
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Final

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


def announce(folder: Path, name: str, version: str, games: Mapping[str, str]) -> None:
    """What an installer notes of a package."""
    noted = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    noted.mkdir(parents=True)
    (noted / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    lines = "".join(f"{game} = {value}\n" for game, value in games.items())
    (noted / "entry_points.txt").write_text(f"[arena.games]\n{lines}")
