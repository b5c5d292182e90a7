"""A tournament in shards as a person plays it: opened, played, killed, gone on with, merged."""

from __future__ import annotations

import json
import re
import shutil
import time
from pathlib import Path

import msgspec
import pytest

from arena.runs.manifest import MANIFEST
from tests.cli import test_refills
from tests.cli.shell import arena, bot, started, tournament, wait_for_lines

pytestmark = [pytest.mark.slow, pytest.mark.process]

BOTS = ("anna", "berta", "clara")


def cup(folder: Path, deals: int = 4, more: str = "") -> Path:
    """``cup.yaml`` with three bots, two games and a seed."""
    for name in BOTS:
        bot(folder, name)
    path = tournament(folder, deals, more, BOTS)
    games = "games: [{rules: dragonheart}, {rules: dragonkrak, seats: 3, schedule: {deals: 3}}]"
    path.write_text(path.read_text().replace("game: dragonheart", games))
    return path


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run of 33 games, opened as ``runs/cup``: its three shards, and the whole."""
    folder = tmp_path_factory.mktemp("played")
    cup(folder)
    assert arena(folder, "run", "cup.yaml", "--commit").code == 0
    shutil.copytree(folder / "runs/cup", folder / "runs/whole")
    assert arena(folder, "run", "runs/whole", "-q", "-j", "1").code == 0
    for number in (1, 2, 3):
        done = arena(folder, "run", "cup.yaml", "--shard", f"{number}/3", "-j", "1")
        assert done.code == 0
        assert "33 games, of which 11 in this shard" in done.err
        assert f"shard {number}/3 is complete; with all of them in one place: " in done.err
        assert "arena merge runs/cup.*of3\n" in done.err
        assert f"shard {number}/3: a part of the run" in done.out
    return folder


def lines(run: Path) -> list[object]:
    """Of games.jsonl, without what is measured, and the machine."""
    found = []
    for line in (run / "games.jsonl").read_text().splitlines():
        stored = json.loads(line)
        del stored["record"], stored["result"]["think_us"], stored["result"]["wall_us"]
        del stored["spent"]
        del stored["played_at"]
        stored.pop("machine", None)
        found.append(stored)
    return found


def shards_of(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in (folder / "runs").glob("cup.*of3"))


def test_an_opened_run_tells_its_commitment_and_holds_no_game(tmp_path: Path) -> None:
    path = cup(tmp_path)
    first = arena(tmp_path, "run", path, "--commit")
    run = tmp_path / "runs/cup"
    assert {each.name for each in run.iterdir()} == {"run.json", "seed.json", "records"}
    assert (run / "seed.json").stat().st_mode & 0o777 == 0o600
    commitment = json.loads((run / MANIFEST).read_text())["commitment"]
    assert (first.code, first.out) == (0, f"commitment {commitment}\n")
    again = arena(tmp_path, "run", path, "--commit", "-q", "--json")
    assert (again.code, again.err) == (0, "")
    assert json.loads(again.out)["data"]["commitment"] == commitment, "opened once"
    alone = arena(tmp_path, "run", path)
    assert alone.code == 0
    assert "nothing of this run was played yet: all of it is now played here" in alone.err
    assert "was played yet" not in arena(tmp_path, "run", path).err


@pytest.mark.extensions("studies")
def test_a_merged_run_is_the_one_that_one_machine_plays(played: Path, tmp_path: Path) -> None:
    done = arena(played, "merge", *shards_of(played), "-o", tmp_path / "merged")
    assert done.code == 0
    whole, merged = played / "runs/whole", tmp_path / "merged"
    names = {path.name for path in whole.iterdir()}
    assert {path.name for path in merged.iterdir()} == names
    for name in names - {"games.jsonl", "records", "logs"}:
        assert (merged / name).read_bytes() == (whole / name).read_bytes(), name
        assert (merged / name).stat().st_mode == (whole / name).stat().st_mode, name
    assert lines(merged) == lines(whole)
    assert done.out == (whole / "standings.txt").read_text()
    full = [arena(played, "standings", run, "--full").out for run in (whole, merged)]
    assert "\ntime per move, processor and memory\n" in full[0]
    full = [
        re.sub(r"\ntime per move, .*?\n\n.*?(?=\n\n|\Z)", "", text, flags=re.S) for text in full
    ]
    alike, _, machines = full[1].partition("\nmachines\n")
    assert alike.rstrip() == full[0].rstrip()
    assert [f"shard {number}/3" in machines for number in (1, 2, 3)] == [True] * 3
    assert arena(played, "verify", merged).out == "33 of 33 games verified: all as it should be\n"
    assert arena(played, "run", merged, "-q").code == 0
    assert arena(played, "report", merged, "--games", "none").code == 0


def test_a_shard_is_looked_at_as_what_it_is(played: Path) -> None:
    run = "runs/cup.2of3"
    checked = arena(played, "verify", run)
    assert (checked.code, checked.out) == (0, "11 of 11 games verified: all as it should be\n")
    assert checked.err == "this is shard 2/3; of the others nothing is proved\n"
    watched = json.loads(arena(played, "watch", run, "--once", "--json").out)
    assert watched["run"] == "cup shard 2/3"
    assert (watched["data"]["done"], watched["data"]["planned"]) == (11, 11)
    table = json.loads(arena(played, "standings", run, "--format", "json").out)
    assert table["run"] == "cup shard 2/3"
    assert (played / run / "seed.json").stat().st_mode & 0o777 == 0o600, "secret until it is merged"
    page = arena(played, "report", run, "--games", "none", "-o", played / "shard.html")
    assert page.code == 0
    seed = json.loads((played / run / "seed.json").read_text())
    assert seed["salt"] not in (played / "shard.html").read_text()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("run cup.yaml --shard 0/5", 'found "0/5", expected a share such as 2/5, from 1/5 to 5/5'),
        ("run cup.yaml --shard 6/5", 'found "6/5", expected a share'),
        ("run cup.yaml --shard 2/1", 'found "2/1", expected a share'),
        ("run cup.yaml --shard x", 'found "x", expected a share'),
        ("run cup.yaml --shard 1/3 --commit", "found 1/3 with --commit"),
        ("run runs/cup --commit", "runs/cup: found a run, expected a file or -g"),
        ("run -g dragonheart anna berta --shard 1/3", "found 1/3 with -g"),
        ("run runs/cup.2of3 --shard 3/3", "runs/cup.2of3: holds shard 2/3, asked for is shard 3/3"),
        ("run cup.yaml --shard 3/3 -o runs/cup.2of3", "holds shard 2/3, asked for is shard 3/3"),
        ("run cup.yaml -o runs/cup.2of3", "holds shard 2/3 of a run, not the whole of it"),
        ("run runs/cup.2of3 -n 9", "a run continues as it began"),
        ("run runs/whole --shard 1/3", "runs/whole: holds games, expected a run that was only op"),
        ("run runs/whole --shard 1/3 -o runs/whole", "holds a whole run, asked for is shard 1/3"),
        ("run cup.yaml --shard 1/3 --name other", "runs/other: found no run, expected one that wa"),
        ("run cup.yaml --shard 1/3 -n 9 -o x", "schedule.deals: the run has 4, asked for is 9"),
        ("compare anna berta -g dragonheart --shard 1/3", 'unknown option "--shard"'),
        ("merge", "RUN...: missing"),
        ("merge runs/whole", "runs/whole: holds a whole run, expected a shard of one"),
        ("merge runs/cup.1of3 runs/none", "runs/none: found no run.json"),
        ("merge runs/cup.1of3", "found 1 of 3 shards, 2/3 and 3/3 are missing: bring or play"),
        (
            "merge runs/cup.1of3 runs/cup.2of3 runs/cup.3of3 -o runs/whole",
            "runs/whole: is there already, expected a new folder (--output)",
        ),
    ],
)
def test_what_cannot_be_is_refused_in_one_sentence(played: Path, words: str, told: str) -> None:
    before = sorted((played / "runs").iterdir())
    done = arena(played, *words.split())
    assert done.code == 2
    assert told in done.err
    lines = [line for line in done.err.splitlines() if "killed run" not in line]  # of other tests
    assert len(lines) == 1 or "schedule.deals" in told
    assert sorted((played / "runs").iterdir()) == before
    assert not (played / "x").exists()


def test_a_match_is_not_sharded(played: Path, tmp_path: Path) -> None:
    options = ("-g", "dragonheart", "--max-games", "4", "-o", tmp_path / "match", "-q")
    arena(played, "compare", "anna", "berta", *options)
    done = arena(played, "run", tmp_path / "match", "--shard", "1/3")
    assert done.code == 2
    assert "a match is judged by all its games as they come: no shard of it" in done.err


def test_an_opened_run_of_another_version_is_refused(played: Path, tmp_path: Path) -> None:
    run = tmp_path / "cup"
    shutil.copytree(played / "runs/cup", run)
    found = json.loads((run / MANIFEST).read_text())
    (run / MANIFEST).write_bytes(msgspec.json.encode(found | {"arena": "0.0"}))
    done = arena(played, "run", run, "--shard", "1/3")
    assert done.code == 2
    assert "opened by arena 0.0, this is arena" in done.err
    (run / MANIFEST).unlink()
    assert not (tmp_path / "cup.1of3").exists()


def test_a_run_that_was_opened_anew_is_not_mixed_with_its_old_shards(played, tmp_path) -> None:
    shutil.copytree(played, tmp_path / "there")
    shutil.rmtree(tmp_path / "there/runs/cup")
    assert arena(tmp_path / "there", "run", "cup.yaml", "--commit").code == 0
    done = arena(tmp_path / "there", "run", "cup.yaml", "--shard", "2/3")
    assert done.code == 2
    assert "runs/cup.2of3: holds a shard of another run than " in done.err
    assert "runs/cup, which was opened again since" in done.err


def test_parts_are_merged_when_asked_to_and_gone_on_with(played: Path, tmp_path: Path) -> None:
    """In another place, as if the folder where the run was opened were on another machine."""
    shutil.copytree(played, tmp_path / "there", ignore=shutil.ignore_patterns("whole"))
    runs = tmp_path / "there/runs"
    for folder in runs.glob("cup.*"):
        text = (folder / MANIFEST).read_text()
        (folder / MANIFEST).write_text(text.replace(f'"{played}"', '"/nowhere"'))
    done = arena(tmp_path / "there", "merge", "runs/cup.1of3", "runs/cup.3of3", "--partial")
    assert done.code == 4
    assert "11 games still to be played; go on with: arena run runs/cup.merged" in done.err
    assert (runs / "cup.merged/seed.json").stat().st_mode & 0o777 == 0o600
    away = arena(tmp_path, "run", runs / "cup.merged", "-q")
    assert away.code == 2
    assert "is gone; go to a folder that has it, and run this again" in away.err
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    text = (runs / "cup.merged" / MANIFEST).read_text()
    there = text.replace('"/nowhere"', f'"{elsewhere}"')
    (runs / "cup.merged" / MANIFEST).write_text(there)
    again = arena(tmp_path / "there", "run", "runs/cup.merged", "-q", "-j", "1")
    assert (again.code, again.err) == (0, "")
    assert again.out == (played / "runs/whole/standings.txt").read_text()
    assert (runs / "cup.merged/seed.json").stat().st_mode & 0o777 == 0o644


@pytest.mark.soak
def test_a_shard_that_is_killed_goes_on(played: Path, tmp_path: Path) -> None:
    path = cup(tmp_path, deals=60)
    assert arena(tmp_path, "run", path, "--commit", "-q").code == 0
    games = tmp_path / "runs/cup.1of2/games.jsonl"
    with started(tmp_path, "run", path, "--shard", "1/2", "-q"):
        wait_for_lines(games)
    stored = len(games.read_text().splitlines())
    assert 0 < stored < 186
    merged = arena(tmp_path, "merge", "runs/cup.1of2")
    assert merged.code == 2
    assert "found 1 of 2 shards, 2/2 is missing; shard 1/2 has " in merged.err
    done = arena(tmp_path, "run", "runs/cup.1of2")
    assert done.code == 0
    assert "games are stored" in done.err
    assert "186/186  100%" in done.err
    assert arena(tmp_path, "verify", "runs/cup.1of2").code == 0


def test_a_merge_that_is_killed_leaves_nothing_in_the_way(played: Path, tmp_path: Path) -> None:
    shutil.copytree(played / "runs", tmp_path / "runs")
    begun = tmp_path / "runs/.cup.merged.merging"
    for _ in range(5):
        with started(tmp_path, "merge", *shards_of(tmp_path)) as process:
            while process.poll() is None and not (begun / "run.json").exists():
                time.sleep(0.001)
        merged = tmp_path / "runs/cup.merged"
        if merged.exists():  # it was too quick; then it is whole
            assert arena(tmp_path, "verify", merged).code == 0
            shutil.rmtree(merged)
    done = arena(tmp_path, "merge", *shards_of(tmp_path))
    assert done.code == 0
    assert not begun.exists()
    assert lines(tmp_path / "runs/cup.merged") == lines(played / "runs/whole")


def test_unlike_machines_are_told(played: Path, tmp_path: Path) -> None:
    shutil.copytree(played / "runs", tmp_path / "runs")
    path = tmp_path / "runs/cup.3of3" / MANIFEST
    found = json.loads(path.read_text())
    found["machine"]["cores"] = 96
    path.write_bytes(msgspec.json.encode(found))
    done = arena(tmp_path, "merge", *shards_of(tmp_path))
    assert done.code == 0
    assert "the shards were played on unlike machines: 1/3 and 2/3 on " in done.err
    assert "3/3 on " in done.err
    assert "96 cores" in done.err


@pytest.mark.soak
def test_shards_are_filled_after_they_are_merged(tmp_path: Path) -> None:
    path = test_refills.cup(tmp_path)
    arena(tmp_path, "run", path, "--commit")
    for share in ("1/2", "2/2"):
        arena(tmp_path, "run", path, "--shard", share)
    done = arena(tmp_path, "merge", "runs/cup.1of2", "runs/cup.2of2", "-o", "runs/whole")
    assert "tables of withdrawn bots are still to be filled again" in done.err
    assert "arena run runs/whole" in done.err
    done = arena(tmp_path, "verify", "runs/whole")
    assert "tables of withdrawn bots are still to be filled again" in done.err
    done = arena(tmp_path, "run", "runs/whole")
    assert "in place of those of withdrawn bots" in done.err
    found = arena(tmp_path, "verify", "runs/whole")
    assert (found.code, "all as it should be" in found.out) == (0, True), found.out + found.err
