"""A project as its author has it: a git repository with bots, a remote, and a new version."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Final

from tests.entrants.repositories import commit, git

BOTS: Final = Path(__file__).parent.parent / "bots"


def project(folder: Path) -> Path:
    """A clone whose ``bots/mine`` is better than on ``origin/main``; ``bots/rival`` is weak too.

    The remote lies beside it and ends in ``.git``.
    """
    folder.mkdir()
    git(folder, "init", "--quiet", "-b", "main")
    for name in ("mine", "rival"):
        put(folder, "random", name)
    (folder / ".gitignore").write_text("/runs/\n")
    commit(folder, "Bots that choose at random")
    remote = folder.with_suffix(".git")
    git(folder, "clone", "--quiet", "--bare", str(folder), str(remote))
    git(folder, "remote", "add", "origin", str(remote))
    git(folder, "fetch", "--quiet", "origin")
    git(folder, "switch", "--quiet", "-c", "better")
    put(folder, "greedy", "mine")
    commit(folder, "Take the most")
    return folder


def put(folder: Path, kind: str, name: str) -> None:
    """One of our bots under another name, in place of what was there."""
    home = folder / "bots" / name
    shutil.rmtree(home, ignore_errors=True)
    shutil.copytree(BOTS / kind, home, ignore=shutil.ignore_patterns("__pycache__"))
    manifest = home / "bot.yaml"
    manifest.write_text(manifest.read_text().replace(f"name: {kind}\n", f"name: {name}\n"))
