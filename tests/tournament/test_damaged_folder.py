"""Run folders in which something is not what arena wrote there."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import msgspec
import pytest

from arena.runs.disk import StoreError
from arena.runs.store import GAMES, Store, read_manifest, read_opening, stored_games
from arena.schedule.keys import ScheduleKind
from tests.tournament.tables import discipline
from tests.tournament.test_store import MANIFEST, done


@pytest.mark.parametrize("name", ["run.json", "seed.json", GAMES])
def test_what_never_ends_is_not_read(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / name)
    with pytest.raises(StoreError, match=r"no regular file|found no run\.json"):
        {
            "run.json": read_manifest,
            "seed.json": read_opening,
            GAMES: lambda folder: list(stored_games(folder)),
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
        list(stored_games(tmp_path))


def played(**plan: Any) -> dict[str, object]:
    return {"disciplines": (discipline("a", "b", **plan),)}


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        (played(deals=0), "Expected `int` >= 1"),
        (played(deals=10**9), "Expected `int` <= 10000000"),
        (played(kind=ScheduleKind.GAUNTLET, focus=("c",)), "its schedule does not fit"),
        (played(kind=ScheduleKind.GAUNTLET, focus=("a", "a")), "its schedule does not fit"),
        (played(kind=ScheduleKind.PAIRINGS, pairings=(("a",),)), "its schedule does not fit"),
        (played(kind=ScheduleKind.PAIRINGS), "expected 1 to 1000000 pairings"),
        ({"disciplines": ()}, "found no game"),
        ({"disciplines": MANIFEST.disciplines * 2}, "two of one name"),
        ({"disciplines": (discipline("a", "x"),)}, "somebody plays who is no entrant"),
        ({"disciplines": (discipline("a"),)}, "at a table of 2 seats"),
        ({"disciplines": (discipline("a", "a"),)}, "some perhaps twice"),
        ({"anchor": "nobody"}, "the anchor is no entrant"),
        ({"entrants": ("a", "a")}, "an entrant is listed twice"),
    ],
)
def test_a_manifest_that_makes_no_sense(
    tmp_path: Path, changes: dict[str, object], told: str
) -> None:
    manifest = msgspec.structs.replace(MANIFEST, **changes)
    (tmp_path / "run.json").write_bytes(msgspec.json.encode(manifest))
    with pytest.raises(StoreError, match=told):
        read_manifest(tmp_path)
