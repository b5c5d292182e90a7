from __future__ import annotations

import os
from pathlib import Path

import pytest

from arena.entrants import folders as module
from arena.entrants.folders import FolderError
from arena.extensions.sources.growth import check_growth
from tests.entrants.test_folders import bot, sparse
from tests.tournament.folders import write

__all__ = ["bot"]


def test_growth_is_what_takes_room(bot: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_BYTES", 1 << 18)
    sparse(bot / "sparse", 1 << 40)
    (bot / "out").symlink_to("/", target_is_directory=True)
    (bot / "a" / "b").mkdir(parents=True)
    (bot / "a" / "b" / "data").write_bytes(b"x" * 150_000)
    os.link(bot / "a" / "b" / "data", bot / "twin")
    check_growth([str(bot), str(bot / "gone"), str(bot / "main.py")])
    with pytest.raises(FolderError, match="more than 256 KiB"):
        check_growth([str(bot), str(write(bot.parent / "scratch" / "x", "x" * 200_000).parent)])


def test_growth_is_looked_at_no_further_than_needed(
    bot: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_FILES", 5)
    (bot / "a" / "b" / "c").mkdir(parents=True)
    check_growth([str(bot)])
    (bot / "a" / "b" / "c" / "d").mkdir()
    with pytest.raises(FolderError, match="more than 5 files and folders"):
        check_growth([str(bot)])
    monkeypatch.setattr(module, "MAX_DEPTH", 2)
    with pytest.raises(FolderError, match="more than 2 folders deep"):
        check_growth([str(bot)])
