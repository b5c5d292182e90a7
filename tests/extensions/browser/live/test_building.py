"""A run that is watched from its first second, while its bots are still being built."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from arena.extensions.browser.live.read import Reader
from arena.extensions.browser.live.snapshot import RunPhase, document
from arena.extensions.browser.live.text import text, ticker
from arena.runs.config.tournament import load_tournament
from arena.runs.disk import StoreError
from arena.runs.identity import identity
from arena.runs.live import LiveFile, SessionStart
from arena.runs.store import begin
from arena.schedule.seeds import Opening
from tests.runs.manifests import manifest_of
from tests.tournament.folders import league, write


def test_a_run_can_be_watched_before_it_begins(tmp_path: Path) -> None:
    bots = "entrants: [bot: ../bots/random, bot: ../bots/greedy]"
    text_of_cup = f"arena: 1\ngame: dragonheart\nschedule: {{deals: 2}}\n{bots}\n"
    cup = identity(load_tournament(write(league(tmp_path) / "cups" / "cup.yaml", text_of_cup)))
    folder = tmp_path / "cup"
    folder.mkdir()
    with pytest.raises(StoreError, match="found no run"):
        Reader(folder)
    with LiveFile(folder, SessionStart(time.monotonic()), building="") as live:
        assert Reader(folder).refresh().phase is RunPhase.BUILDING
        live.building("7/30 team07")
        reader = Reader(folder)
        seen = reader.complete()
        assert text(seen) == "cup: building 7/30 team07\nno game is played yet\n"
        assert ticker(seen) == "building 7/30 team07"
        found = document(seen).data
        assert (found.phase, found.note) == ("building", "7/30 team07")
        begin(folder, manifest_of(cup), Opening("1", "salt"))
        seen = reader.refresh()
        assert (seen.phase, seen.note, seen.figures.total) == (RunPhase.BUILDING, "7/30 team07", 4)
    assert reader.refresh().phase is not RunPhase.BUILDING


def test_whoever_watches_is_told_when_no_run_begins(tmp_path: Path) -> None:
    with LiveFile(tmp_path, SessionStart(time.monotonic()), building=""):
        reader = Reader(tmp_path)
    with pytest.raises(StoreError, match="no run has begun"):
        reader.refresh()
