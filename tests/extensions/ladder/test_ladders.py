"""``arena run`` of a ladder: played, stopped, changed, verified."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.shell import arena
from tests.extensions.rounds.test_command import cup, games, rounds, stop_after, tables, verified
from tests.referee.processes import as_folder

NAMES = ("anna.one", "anna.two", "berta", "carla", "dora")


ENDLESS = "{kind: ladder, deals: 1}"
LADDER = "{kind: ladder, deals: 1, rounds: 4}"


@pytest.mark.slow
def test_one_without_an_end_is_not_played_by_run(tmp_path: Path) -> None:
    done = arena(tmp_path, "run", cup(tmp_path, NAMES, ENDLESS))
    assert (done.code, done.out) == (2, "")
    assert "schedule.rounds: found none, so the ladder has no end; expected rounds: N" in done.err


@pytest.mark.slow
@pytest.mark.process
def test_one_on_which_nobody_may_meet_waits_and_is_not_complete(tmp_path: Path) -> None:
    path = cup(tmp_path, ("anna.one", "anna.two"), LADDER)
    done = arena(tmp_path, "run", path)
    assert done.code == 0, done.err
    assert "run cup waits for other bots" in done.err
    assert "is complete" not in done.err
    assert "all 2 bots are of one author: no games until another author enters one" in done.err
    assert "0 of 4 rounds drawn so far" in done.out
    assert (
        arena(tmp_path, "run", cup(tmp_path, ("anna.one", "anna.two", "berta"), LADDER)).code == 0
    )
    assert len(rounds(tmp_path)) == 5


@pytest.mark.slow
@pytest.mark.process
def test_a_ladder_is_played_killed_changed_and_proved(tmp_path: Path) -> None:
    path = cup(tmp_path, NAMES, LADDER)
    done = arena(tmp_path, "run", path)
    assert done.code == 0, done.err
    assert "round 1 of 4: " in done.err
    assert "sits out" in done.err
    assert "4 of 4 rounds played: it has ended" in done.out
    verified(tmp_path)
    whole, played = rounds(tmp_path), games(tmp_path)
    assert [len(met) for met, _ in whole] == [2, 2, 2, 2, 0]
    assert ["anna.one", "anna.two"] not in [pair for met, _ in whole for pair in met]

    stop_after(tmp_path, kept_games=6, kept_rounds=2)
    assert arena(tmp_path, "run", path, "-j", "2").code == 0
    assert (rounds(tmp_path), games(tmp_path)) == (whole, played)
    verified(tmp_path)

    stop_after(tmp_path, kept_games=12, kept_rounds=3)
    (tmp_path / "berta" / "more.txt").write_text("another one by now\n")
    path = cup(tmp_path, ("anna.one", "berta", "carla", "emil"), LADDER)
    done = arena(tmp_path, "run", path)
    assert done.code == 0, done.err
    assert "berta@2 enters" in done.err
    verified(tmp_path)
    (table,) = tables(tmp_path)
    names = {row["name"] for row in table["data"]["rows"]}
    assert names == {"anna.one", "berta@2", "carla", "emil"}
    assert {row["rank"] for row in table["data"]["rows"]} <= {1, 2, 3, 4}
    assert {row["name"] for row in table["panels"]["gone"]} == {"anna.two", "berta", "dora"}


@pytest.mark.slow
@pytest.mark.process
def test_what_a_bot_has_played_before_the_round_in_which_it_was_withdrawn_counts(tmp_path) -> None:
    as_folder(tmp_path, "zeno", "exit_1")
    path = cup(tmp_path, ("berta", "carla", "dora", "zeno"), LADDER.replace("4", "6"))
    path.write_text(path.read_text() + "breaker: {after: 6}\n")  # two games in a round
    done = arena(tmp_path, "run", path)
    assert "zeno was withdrawn" in done.err
    assert "its games in the rounds before count" in done.err
    verified(tmp_path)
    met = [pairings for pairings, _ in rounds(tmp_path)]
    assert [any("zeno" in pair for pair in each) for each in met[:4]] == [True, True, True, False]
    (table,) = tables(tmp_path)
    ((gone, games_before),) = [(r["name"], r["games"]) for r in table["panels"]["gone"]]
    assert (gone, games_before) == ("zeno", 4)
    shown = {row["name"]: row["games"] for row in table["data"]["rows"]}
    assert sum(shown.values()) + games_before == 2 * (2 * 2 + 2 * 2 + 2 + 2 * 3)
    assert table["annulled"] == 2
    watched = json.loads(arena(tmp_path, "watch", "runs/cup", "--once", "--json").out)["data"]
    assert (watched["phase"], watched["done"]) == ("finished", watched["planned"])
