"""All forms in which a ladder is shown: terminal, full page, report, site, feed, table, packs."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from arena.runs.reader import StoredRun
from arena.views.standings.panels import full_section
from arena.views.standings.standings import FORMS, Table, parts_of, render
from tests.cli.shell import arena
from tests.ladder.ladders import Dealt, World, dated, ladder, made, submit


def changed(folder: Path) -> World:
    """Make a ladder in which a bot has left and another one has a new version."""
    world = made(folder, "budget: {games: 24}")
    for author in ("anna", "bert", "carl"):
        submit(world.folder, author, "x", 1100 + ord(author[0]))
    world.keep(once=True)
    submit(world.folder, "anna", "x", 1300)
    shutil.rmtree(world.folder / "submissions" / "bert" / "x")
    world.clock.next_day()
    world.keep(once=True)
    return world


def test_the_full_page_is_of_those_in_the_table(tmp_path: Path) -> None:
    run = StoredRun(changed(tmp_path).folder / "run")
    table = Table("l", tuple(full_section(*part) for part in parts_of(run)))
    for form in FORMS:
        assert render(table, form)
    (found,) = json.loads(render(table, "json"))["tables"]
    names = {row["name"] for row in found["data"]["rows"]}
    assert names == {"rock", "sand", "anna.x@2", "carl.x"}
    panels = found["panels"]
    assert {row["name"] for row in panels["gone"]} == {"anna.x", "bert.x"}
    for key in ("crosstable", "differences", "ranks", "seats"):
        assert {row["name"] for row in panels[key]} <= names, key
    assert sorted(row["rank"] for row in panels["ranks"]) == [1, 2, 3, 4]


def test_packs_have_the_games_whose_records_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = Dealt(ladder(tmp_path / "l", "budget: {games: 24}\nkeep: 1 d"))
    dated(world, monkeypatch)
    submit(world.folder, "anna", "x", 1200)
    for _ in range(3):
        world.keep(once=True)
        world.clock.next_day()
    run = StoredRun(world.folder / "run")
    gone = [game for game in run.games() if run.is_expired(game.stored.record)]
    assert gone
    for asked in (["--public"], ["--for", "anna.x"], ["--proof"]):
        done = arena(tmp_path, "export", "l", *asked, "-o", asked[0].strip("-"))
        assert done.code == 0, done
        why = "no records any more: this run keeps none of games before 2030-01-02"
        assert (why in done.err) == (asked != ["--proof"])
    manifest = json.loads((tmp_path / "public" / "manifest.json").read_text())
    assert (manifest["games"], manifest["expired"]) == (world.games - len(gone), len(gone))
    assert len((tmp_path / "public" / "games.jsonl").read_text().splitlines()) == manifest["games"]
