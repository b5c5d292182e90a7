"""``arena run`` of a file whose entrants are others than when the run began."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.cli.shell import BOT, PAIR, arena, bot, tournament
from tests.tournament.folders import unbind

pytestmark = [pytest.mark.slow, pytest.mark.process]


def stored(folder: Path) -> list[dict[str, Any]]:
    lines = (folder / "runs/cup/games.jsonl").read_text().splitlines()
    return [json.loads(line)["result"] for line in lines]


def names(folder: Path) -> set[str]:
    done = arena(folder, "standings", "runs/cup", "--format", "json")
    (table,) = json.loads(done.out)["tables"]
    return {row["name"] for row in table["data"]["rows"]}


def verified(folder: Path, *given: str) -> None:
    done = arena(folder, "verify", "runs/cup", *given)
    assert (done.code, "all as it should be" in done.out) == (0, True), done.out + done.err


def commitment(folder: Path) -> str:
    return str(json.loads((folder / "runs/cup/run.json").read_text())["commitment"])


@pytest.fixture
def played(tmp_path: Path) -> Path:
    """A run of anna and berta, played."""
    assert arena(tmp_path, "run", tournament(tmp_path, 3)).code == 0
    return tmp_path


def late(folder: Path) -> None:
    """Let carla enter."""
    bot(folder, "carla")
    with (folder / "cup.yaml").open("a") as file:
        file.write("  - bot: carla\n")


def test_a_late_bot_and_a_new_version_go_on_with_the_run(played: Path) -> None:
    first, before = commitment(played), stored(played)
    late(played)
    (played / "berta/main.py").write_text(BOT + "# better\n")
    done = arena(played, "run", "cup.yaml")
    assert done.code == 0, done.err
    for line in (
        "berta@2 enters: berta has changed since",
        "carla enters",
        "berta plays no more; its games stand",
        "6 games are stored, 18 to play",
    ):
        assert line in done.err
    assert stored(played)[:6] == before
    met = {tuple(sorted(each["spec"]["entrants"])) for each in stored(played)[6:]}
    assert met == {("anna", "berta@2"), ("anna", "carla"), ("berta@2", "carla")}
    assert names(played) == {"anna", "berta", "berta@2", "carla"}
    assert "berta plays no more" in done.out
    verified(played, "--commitment", first)
    again = arena(played, "run", "cup.yaml")
    assert (again.code, again.out) == (0, done.out)
    assert len((played / "runs/cup/entries.jsonl").read_text().splitlines()) == 1
    assert arena(played, "report", "runs/cup").code == 0
    for whom in ("--public", "--for=berta@2", "--for=berta"):
        done = arena(played, "export", "runs/cup", whom, "-o", f"pack{whom}")
        assert done.code == 0, done.err
    game = stored(played)[-1]["spec"]["game_id"]
    assert arena(played, "replay", "runs/cup", game).code == 0


def test_what_was_left_of_others_is_played_and_of_those_who_left_is_not(tmp_path: Path) -> None:
    path = tournament(tmp_path, 4, bots=PAIR | {"carla": BOT})
    assert arena(tmp_path, "run", path).code == 0
    folder = tmp_path / "runs/cup"
    lines = (folder / "games.jsonl").read_bytes().splitlines(keepends=True)
    (folder / "games.jsonl").write_bytes(b"".join(lines[:7]))  # as if it had been stopped there
    kept = [json.loads(line)["result"]["spec"] for line in lines[:7]]
    path.write_text(path.read_text().replace("  - bot: carla\n", ""))
    done = arena(tmp_path, "run", path)
    assert done.code == 0, done.err
    with_carla = [each for each in stored(tmp_path) if "carla" in each["spec"]["entrants"]]
    assert len(with_carla) == sum("carla" in spec["entrants"] for spec in kept)
    others = [each for each in stored(tmp_path) if "carla" not in each["spec"]["entrants"]]
    assert len(others) == 8
    assert "games played so far" not in done.out
    verified(tmp_path)
    path.write_text(path.read_text() + "  - bot: carla\n")
    assert arena(tmp_path, "run", path).code == 0
    assert len(stored(tmp_path)) == 24
    verified(tmp_path)


def test_a_change_that_a_kill_cut_short_is_made_again(played: Path) -> None:
    late(played)
    assert arena(played, "run", "cup.yaml").code == 0
    for left in (b"", b'{"number":1,"crea'):  # the seed is there, the line is not
        (played / "runs/cup/entries.jsonl").write_bytes(left)
        unbind(played / "runs/cup")
        lines = (played / "runs/cup/games.jsonl").read_bytes().splitlines(keepends=True)
        (played / "runs/cup/games.jsonl").write_bytes(b"".join(lines[:6]))
        assert arena(played, "run", "cup.yaml").code == 0
        assert names(played) == {"anna", "berta", "carla"}
        verified(played)


def test_a_line_that_was_removed_is_found(played: Path) -> None:
    (played / "berta/main.py").write_text(BOT + "# better\n")
    assert arena(played, "run", "cup.yaml").code == 0
    entries = played / "runs/cup/entries.jsonl"
    kept = entries.read_bytes()
    entries.write_bytes(b"")
    for given, code in (("verify", 1), ("run", 2)):
        done = arena(played, given, "runs/cup")
        text = done.out + done.err
        assert done.code == code, text
        assert "entries.jsonl: found 0 lines without the last one that was written" in text
    assert entries.read_bytes() == b""
    entries.write_bytes(kept)
    assert arena(played, "run", "runs/cup").code == 0
    verified(played)


def test_another_seed_for_a_round_is_found(played: Path) -> None:
    late(played)
    assert arena(played, "run", "cup.yaml").code == 0
    path = played / "runs/cup/seed.json"
    found = json.loads(path.read_text())
    found["later"][0]["seed"] = "another"
    path.write_text(json.dumps(found))
    done = arena(played, "verify", "runs/cup")
    assert done.code == 1
    assert "entries.jsonl line 1: the seed does not fit the commitment" in done.out + done.err


def test_other_terms_are_refused_as_ever(played: Path) -> None:
    bot(played, "carla")
    path = played / "cup.yaml"
    path.write_text(path.read_text().replace("deals: 3", "deals: 4") + "  - bot: carla\n")
    done = arena(played, "run", path)
    assert done.code == 2
    assert "games.dragonheart-2.schedule.deals: the run has 3, asked for is 4" in done.err
    assert not (played / "runs/cup/entries.jsonl").exists()


def test_newcomers_do_not_play_alone_what_everybody_knows(tmp_path: Path) -> None:
    for name in ("anna", "berta", "carla"):
        bot(tmp_path, name)
    head = "arena: 1\ngame: {rules: dragonkrak, seats: 1}\nschedule: {deals: 2}\nentrants:\n"
    path = tmp_path / "cup.yaml"
    path.write_text(head + "  - bot: anna\n  - bot: berta\n")
    assert arena(tmp_path, "run", path).code == 0
    path.write_text(path.read_text() + "  - bot: carla\n")
    done = arena(tmp_path, "run", path)
    assert done.code != 0
    assert "its deals are public since it ended" in done.err
    shutil.rmtree(tmp_path / "runs")
    path.write_text("seed: 1\n" + path.read_text().replace("  - bot: carla\n", ""))
    assert arena(tmp_path, "run", path).code == 0
    path.write_text(path.read_text() + "  - bot: carla\n")
    assert arena(tmp_path, "run", path).code == 0
    assert len(stored(tmp_path)) == 6
    assert len({each["spec"]["deal"] for each in stored(tmp_path)}) == 2
    verified(tmp_path)


@pytest.mark.extensions("studies")
def test_versions_of_one_run_have_a_history(played: Path) -> None:
    (played / "berta/main.py").write_text(BOT + "# better\n")
    assert arena(played, "run", "cup.yaml").code == 0
    done = arena(played, "standings", "runs/cup", "--history", "berta")
    assert done.code == 0, done.err
    assert "berta@1" not in done.out
    panel = done.out.partition("strength of berta over time")[2]
    shown = [line.split()[0] for line in panel.splitlines() if line.startswith("berta")]
    assert shown[:2] == ["berta", "berta@2"]


@pytest.mark.extensions("studies")
def test_a_withdrawn_version_is_told_where_it_is_not_in_the_history(played: Path) -> None:
    (played / "berta/main.py").write_text("raise SystemExit(1)\n")
    arena(played, "run", "cup.yaml")
    (played / "berta/main.py").write_text(BOT + "# better\n")
    arena(played, "run", "cup.yaml")
    done = arena(played, "standings", "runs/cup", "--history", "berta")
    assert done.code == 0, done.err
    assert "berta@2 was withdrawn: it is not in the history" in done.out + done.err
    checked = arena(played, "verify", "runs/cup")
    assert "games of berta@2, who was withdrawn, are not played" in checked.err
