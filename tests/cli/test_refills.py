"""``arena run`` fills the tables again that bots emptied which really crash."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.shell import arena, bot
from tests.extensions.rounds.test_command import games, stop_after, verified
from tests.referee.processes import as_folder

pytestmark = [pytest.mark.slow, pytest.mark.process]

GOOD = ("anna", "berta", "carla", "dora", "emil")
BAD = ("zeno", "yves")


def cup(folder: Path, bad: str = "exit_1") -> Path:
    """Two games at three and at four seats, each with a choice of tables."""
    for name in GOOD:
        bot(folder, name)
    for name in BAD:
        as_folder(folder, name, bad)
    path = folder / "cup.yaml"
    path.write_text(
        "arena: 1\nseed: 1\nbreaker: {after: 4}\nschedule: {deals: 1, max_pairings: 6}\n"
        "games:\n  - {rules: dragonkrak, seats: 3}\n  - {rules: dragonkrak, seats: 4}\nentrants:\n"
        + "".join(f"  - bot: {name}\n" for name in (*GOOD, *BAD))
    )
    return path


def lines(folder: Path) -> list[Any]:
    path = folder / "runs/cup/entries.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def counted(played: list[Any]) -> list[Any]:
    """Without what withdrawn bots have played: how much that is depends on the workers."""
    return [each for each in played if not any(name in each[0] for name in BAD)]


def test_tables_of_bots_that_crash_are_filled_again(tmp_path: Path) -> None:
    path = cup(tmp_path)
    done = arena(tmp_path, "run", path, "-j", "2")
    assert done.code == 0, done.err
    assert "in place of those of withdrawn bots" in done.err
    (own,) = lines(tmp_path)
    assert sorted(own["refills"]["withdrawn"]) == sorted(BAD)
    assert {name for met in own["pairings"].values() for t in met for name in t} <= {*GOOD}
    verified(tmp_path)

    shown = json.loads(arena(tmp_path, "standings", "runs/cup", "--format", "json").out)
    for table in shown["tables"]:
        rows = {row["name"]: row["games"] for row in table["data"]["rows"]}
        assert rows.keys() == {*GOOD}
        assert min(rows.values()) > 0
        assert not any("so far" in notice for notice in table["notices"])
    new = sum(len(table) for met in own["pairings"].values() for table in met)
    told = [notice for table in shown["tables"] for notice in table["notices"]]
    tables = sum(map(len, own["pairings"].values()))
    assert sum(int(each.split()[0]) for each in told if "filled again" in each) == tables
    watched = json.loads(arena(tmp_path, "watch", "runs/cup", "--once", "--json").out)["data"]
    assert (watched["phase"], watched["done"]) == ("finished", watched["planned"])
    assert watched["planned_with_withdrawn"] == 6 * 3 + 6 * 4 + new
    assert watched["done"] == sum(
        sum(row["games"] for row in table["data"]["rows"]) // seats
        for table, seats in zip(shown["tables"], (3, 4), strict=False)
    )

    whole, again = games(tmp_path), lines(tmp_path)
    done = arena(tmp_path, "run", path)  # nothing is left
    assert (games(tmp_path), lines(tmp_path)) == (whole, again)
    for kept_games, kept_rounds in ((len(whole) - new // 2, 1), (len(whole) - new - 3, 0)):
        # its seed is public since the run has ended: as if a kill had come before that
        (tmp_path / "runs/cup/seed.json").chmod(0o600)
        stop_after(tmp_path, kept_games, kept_rounds)
        assert arena(tmp_path, "run", path, "-j", "1").code == 0
        (then,) = lines(tmp_path)
        assert then["pairings"] == own["pairings"]
        assert counted(games(tmp_path)) == counted(whole)
        verified(tmp_path)

    stop_after(tmp_path, len(games(tmp_path)) - new, kept_rounds=0)
    done = arena(tmp_path, "run", path)  # whoever knows the seed knows the deals of new tables
    assert (done.code, lines(tmp_path)) == (0, [])
    verified(tmp_path)


def test_a_run_that_lost_nothing_has_no_such_line(tmp_path: Path) -> None:
    path = cup(tmp_path, bad="honest")
    done = arena(tmp_path, "run", path)
    assert done.code == 0, done.err
    assert lines(tmp_path) == []
    verified(tmp_path)
