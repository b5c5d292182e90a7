"""Bots outside of a tournament: named as anywhere else."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import pytest

from arena.entrants.folders import folder_digest
from arena.extensions.authors.bots import find_bots
from arena.hosting.sandbox.isolation import Isolation
from arena.hosting.workspace.trees import is_foreign
from tests.entrants.repositories import git, repository

ROOT: Final = Path(__file__).parents[3]


def test_a_builtin_bot() -> None:
    found = find_bots(["builtin:greedy", "builtin:random"], Isolation.LIMITS)[0].entrant
    digest = folder_digest(ROOT / "bots" / "greedy", is_foreign)
    assert (found.given, found.digest, bool(found.version)) == ("builtin:greedy", digest, True)


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.extensions("sources")
def test_a_revision(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.chdir(repository(tmp_path / "repo"))
    found = find_bots(("bots/mine@v1", "bots/other"), Isolation.LIMITS)
    assert [each.entrant.commit for each in found] == [git(Path(), "rev-parse", "v1"), ""]
