"""Run folders in which something is not what arena wrote there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from arena.runs.disk import StoreError
from arena.runs.manifest import read_manifest
from arena.runs.store import GAMES, Store, all_lines, read_opening
from tests.runs.test_store import done


@pytest.mark.parametrize("name", ["run.json", "seed.json", GAMES])
def test_what_never_ends_is_not_read(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / name)
    with pytest.raises(StoreError, match=r"no regular file|found no run\.json"):
        {
            "run.json": read_manifest,
            "seed.json": read_opening,
            GAMES: lambda folder: list(all_lines(folder)),
        }[name](tmp_path)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"places":[', '"places":[2,'),
        ('"places":[1,2]', '"places":[]'),
        ('"entrants":["a","b"]', '"entrants":[]'),
        ('"digest"', '"faults":[{"seat":7,"kind":"crash","ply":0,"detail":""}],"digest"'),
    ],
)
def test_a_game_that_makes_no_sense_is_named(tmp_path: Path, old: str, new: str) -> None:
    with Store(tmp_path) as store:
        store.add(done(0))
    games = tmp_path / GAMES
    assert old in games.read_text()
    games.write_text(games.read_text().replace(old, new))
    with pytest.raises(StoreError, match=r"games\.jsonl:1: no stored game: "):
        list(all_lines(tmp_path))
