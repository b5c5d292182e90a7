"""A run as of a round: every view equals that of a folder in which nothing came later."""

from __future__ import annotations

import json
import pickle
import shutil
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.runs.field import ENTRIES
from arena.runs.growth.past import as_of
from arena.runs.manifest import is_run
from arena.runs.reader import StoredRun
from arena.runs.store import GAMES
from arena.runs.voids import VOIDS
from arena.views.standings.measured import full_section
from arena.views.standings.standings import StandingsTable, parts_of, render, table_of
from tests.rows import some
from tests.tournament.test_histories import KINDS, History


def cut(folder: Path, target: Path, number: int) -> StoredRun:
    """Copy a run, and remove the lines that came after the end of a round from its files."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(folder, target)
    kept = []
    for change in StoredRun(folder).manifest.changes:
        later = change.follows is not msgspec.UNSET and change.follows.over >= number
        if later and change.pairings:
            break
        kept.append(change.line)
    (target / ENTRIES).write_bytes(b"".join(kept))
    schedule = StoredRun(target).schedule
    for name, key in ((GAMES, "game_id"), (VOIDS, "game")):
        path = target / name
        lines = path.read_bytes().splitlines(keepends=True) if path.exists() else []
        path.write_bytes(b"".join(line for line in lines if _is_of(line, key, schedule)))
    return StoredRun(target)


def _is_of(line: bytes, key: str, schedule: object) -> bool:
    found = json.loads(line)
    game = found[key] if key in found else found["result"]["spec"][key]
    return schedule.number(game) is not None  # type: ignore[attr-defined]


def forms(run: StoredRun) -> list[str]:
    full = StandingsTable("cup", tuple(full_section(part) for part in parts_of(run)))
    return [render(table_of(run), "json"), render(full, "txt")]


@pytest.mark.slow
@pytest.mark.usefixtures("empty_records")
@pytest.mark.parametrize("kind", some([kind for kind in KINDS if kind != "refills"], every=3))
@given(seed=st.integers(0, 2**32))
@settings(max_examples=2, deadline=None)
def test_a_past_run_is_the_run_of_then(kind, seed, tmp_path_factory) -> None:
    history = History(tmp_path_factory.mktemp(kind), kind, seed)
    for _ in range(6):
        if history.play(2, history.chance.choice([0, 0, 0.05])):
            break
    folder = history.folder / "run"
    if not is_run(folder):
        return
    run = StoredRun(folder)
    drawn = [each for each in run.manifest.field.rounds[1:] if each]
    for number in range(1, len(drawn) + 1):
        past = pickle.loads(pickle.dumps(as_of(run, number, "--round")))
        then = cut(folder, history.folder / "then", number)
        past.notices = ()
        assert forms(past) == forms(then)
        assert past.schedule.games == then.schedule.games
    assert as_of(run, len(drawn), "--round") is run
