"""``arena run`` of a ladder: played, stopped, changed, verified."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.shell import arena, bot
from tests.cli.test_rounds import games, rounds, stop_after, verified

NAMES = ("anna.one", "anna.two", "berta", "carla", "dora")


def cup(folder: Path, names: tuple[str, ...] = NAMES, rounds: int | None = 4) -> Path:
    """``cup.yaml``, and the bots that are not there yet."""
    for name in names:
        if not (folder / name).exists():
            bot(folder, name)
    path = folder / "cup.yaml"
    keys = "kind: ladder, deals: 1" + ("" if rounds is None else f", rounds: {rounds}")
    path.write_text(
        f"arena: 1\ngame: dragonheart\nseed: 1\nschedule: {{{keys}}}\nentrants:\n"
        + "".join(f"  - bot: {name}\n" for name in names)
    )
    return path


def test_one_without_an_end_is_not_played_by_run(tmp_path: Path) -> None:
    done = arena(tmp_path, "run", cup(tmp_path, rounds=None))
    assert (done.code, done.out) == (2, "")
    assert "schedule.rounds: found none, so the ladder has no end; expected rounds: N" in done.err


@pytest.mark.slow
@pytest.mark.process
def test_a_ladder_is_played_killed_changed_and_proved(tmp_path: Path) -> None:
    path = cup(tmp_path)
    done = arena(tmp_path, "run", path)
    assert done.code == 0, done.err
    assert "round 1 of 4: " in done.err
    assert "sits out" in done.err
    assert "4 of 4 rounds drawn so far" in done.out
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
    path = cup(tmp_path, ("anna.one", "berta", "carla", "emil"))
    done = arena(tmp_path, "run", path)
    assert done.code == 0, done.err
    assert "berta@2 enters" in done.err
    verified(tmp_path)
    shown = json.loads(arena(tmp_path, "standings", "runs/cup", "--format", "json").out)
    (table,) = shown["tables"]
    names = {row["name"] for row in table["data"]["rows"]}
    assert names == {"anna.one", "berta@2", "carla", "emil"}
    assert {row["rank"] for row in table["data"]["rows"]} <= {1, 2, 3, 4}
    assert {row["name"] for row in table["panels"]["gone"]} == {"anna.two", "berta", "dora"}
