"""What readers of pages have: folders, and a sandbox or none."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from arena.hosting.sandbox.isolation import SANDBOX, IsolationError
from arena.hosting.sandbox.probes import resolve
from tests.entrants.repositories import commit, git
from tests.projects import put

_NEW: Final = {"a": "greedy", "b": "collector", "c": "first-legal"}


def candidates(folder: Path) -> Path:
    """Make a repository whose candidates are better than on ``main``, and a bot that got worse.

    ``bots/mine`` is that of ``v1.0`` until the commit "Choose faster".
    """
    with pytest.MonkeyPatch.context() as patch:
        for name in ("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"):
            patch.setenv(name, "2026-11-28T06:00:00+00:00")
        return _candidates(folder)


def _candidates(folder: Path) -> Path:
    git(folder, "init", "--quiet", "-b", "main")
    (folder / ".gitignore").write_text("/runs/\n")
    for name in ("greedy", "collector"):
        put(folder, name, name)
    for name in _NEW:
        put(folder, "random", name)
    put(folder, "greedy", "mine")
    commit(folder, "Begin")
    git(folder, "tag", "v1.0")
    for name, kind in _NEW.items():
        put(folder, kind, name)
    git(folder, "switch", "--quiet", "-c", "better")
    main = folder / "bots" / "mine" / "main.py"
    for number in range(1, 5):
        if number == 3:
            put(folder, "collector", "mine")
            commit(folder, "Choose faster")
        main.write_text(f"{main.read_text('utf-8')}# tidy {number}\n")
        commit(folder, f"Tidy up {number}")
    return folder


def has_sandbox() -> bool:
    """Return whether this machine has a sandbox."""
    try:
        resolve(SANDBOX)
    except IsolationError:
        return False
    return True
