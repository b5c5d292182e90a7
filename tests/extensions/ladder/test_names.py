"""Bots whose folders are renamed, copied, swapped and taken away: one rating for the same files."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path

import pytest

from arena.extensions.ladder.store import digest_of
from arena.runs.manifest import read_manifest
from arena.runs.verify import RunVerifier
from tests.extensions.ladder.ladders import (
    World,
    active,
    bot,
    events,
    made,
    of_two,
    submit,
    table,
    told,
)
from tests.rows import some

OBSTACLES = ("plays as anna.", "are a version of anna.", "capitals make no difference")


def changes(world: World) -> list[tuple[list[str], list[str]]]:
    """Who entered and who left, by line of the run's entries."""
    lines = (world.folder / "run" / "entries.jsonl").read_text().splitlines()
    found = [json.loads(line) for line in lines]
    return [(list(each["entered"]), each["left"]) for each in found if each["entered"]]


def playing(folder: Path) -> World:
    world = of_two(folder)
    world.keep(rounds=2)
    return world


def test_a_renamed_bot_keeps_its_rating_and_its_name_in_the_tables(tmp_path: Path) -> None:
    world = playing(tmp_path)
    before, entered = table(world)["anna.x"], changes(world)
    anna = world.folder / "submissions" / "anna"
    (anna / "x").rename(anna / "y")
    world.keep(rounds=2)
    assert events(world)[-2:] == [("left", "anna.x"), ("back", "anna.y")]
    said = "back: these files have played before as anna.x, and play on under that name"
    assert said in told(world, "anna", "y")
    row = table(world)["anna.x"]
    assert (row["bot"], row["place"] is None) == ("y", before["place"] is None)
    assert row["games"] > before["games"]
    assert changes(world) == entered
    assert world.examined.count("anna.x") + world.examined.count("anna.y") == 1
    submit(world.folder, "anna", "x", 1300)  # whose name has been taken along
    world.keep(rounds=1)
    assert "anna.y plays as anna.x" in told(world, "anna", "x")
    submit(world.folder, "anna", "y", 1150)  # other files: another bot, with a name of its own
    world.keep(rounds=1)
    world.keep(rounds=1)
    assert active(world) == {"rock", "sand", "bert.x", "anna.y", "anna.x@2"}
    assert not list(RunVerifier(world.folder / "run").findings)


def test_a_refusal_ends_with_its_reason_in_the_same_session_and_after_a_start(tmp_path) -> None:
    world = playing(tmp_path)
    submissions = world.folder / "submissions"
    with world.keeper() as keeper:
        for name in ("y", "z"):
            shutil.copytree(submissions / "anna" / "x", submissions / "anna" / name)
        shutil.copytree(submissions / "anna" / "x", submissions / "carl" / "x")
        submit(world.folder, "Bert", "x", 1300)
        keeper.keep(rounds=2)
        for author, name, reason in (
            ("anna", "y", "the same files as anna.x, which plays: it is the same bot"),
            ("anna", "z", "the same files as anna.x, which plays: it is the same bot"),
            ("carl", "x", "the same files as anna.x, which was there before"),
            ("Bert", "x", "a bot is called bert.x, and capitals make no difference"),
        ):
            assert f"\nrefused\n{reason}" in told(world, author, name)
        assert len(events(world)) == 2
        shutil.rmtree(submissions / "anna" / "x")
        keeper.keep(rounds=2)
        assert events(world)[-2:] == [("left", "anna.x"), ("back", "anna.y")]
        own = told(world, "anna", "y")
        held = submit(world.folder, "anna", "y", 1200)
        shutil.rmtree(held)
        shutil.copytree(submissions / "bert" / "x", held)
        keeper.keep(rounds=1)
        assert "\nrefused; the version before plays on\nthe same files as" in told(
            world, "anna", "y"
        )
        shutil.rmtree(held)
        shutil.copytree(submissions / "anna" / "z", held)  # as it was
        keeper.keep(rounds=1)
        assert told(world, "anna", "y") == own
    shutil.rmtree(submissions / "anna" / "y")
    world.keep(rounds=1)
    assert events(world)[-2:] == [("left", "anna.y"), ("back", "anna.z")]
    assert active(world) == {"rock", "sand", "bert.x", "anna.x"}
    assert "the same files as anna.x, which was there before" in told(world, "carl", "x")


def test_a_name_that_nobody_plays_under_is_free(tmp_path: Path) -> None:
    world = made(tmp_path, "")
    submit(world.folder, "anna", "X", 1100)
    world.unfit["anna.X"] = ["it prints"]
    world.keep(rounds=1)
    submit(world.folder, "anna", "x", 1200)
    world.keep(rounds=1)
    assert events(world) == [("refused", "anna.X"), ("admitted", "anna.x")]


def test_files_that_were_given_up_are_so_under_every_name(tmp_path: Path) -> None:
    world = made(tmp_path, "breaker: {faults: 30 %, after: 4}")
    submit(world.folder, "anna", "x", 1100, faults=1.0)
    submit(world.folder, "bert", "x", 1100)
    world.keep(rounds=3)
    answer = told(world, "anna", "x")
    assert events(world)[-1] == ("broken", "anna.x")
    world.keep(rounds=1)
    assert told(world, "anna", "x") == answer
    anna = world.folder / "submissions" / "anna"
    (anna / "x").rename(anna / "y")
    world.keep(rounds=1)
    assert "these files were given up: 4 of 4 games" in told(world, "anna", "y")
    assert active(world) == {"rock", "sand", "bert.x"}


def test_a_renamed_bot_that_fails_too_often_is_given_up_by_its_new_name(tmp_path: Path) -> None:
    world = made(tmp_path, "breaker: {faults: 30 %, after: 8}")
    submit(world.folder, "anna", "x", 1100, faults=1.0)
    submit(world.folder, "bert", "x", 1100)
    world.keep(rounds=1)
    anna = world.folder / "submissions" / "anna"
    (anna / "x").rename(anna / "y")
    world.keep(rounds=5)
    assert events(world)[-1] == ("broken", "anna.y")
    assert table(world)["anna.x"]["state"] == "broken"
    assert "plays no more" in told(world, "anna", "y")


@pytest.mark.slow
@pytest.mark.parametrize("seed", some(range(4), every=2))
def test_whatever_is_renamed_the_same_files_are_one_entrant_and_nobody_is_locked_out(
    tmp_path: Path, seed: int
) -> None:
    world = made(tmp_path, "authors: {bots: 9, uploads: 1000}")
    anna, rng = world.folder / "submissions" / "anna", random.Random(seed)
    bot(anna / "a", 1000 + seed)
    entrants: dict[str, str] = {}
    for step in range(14):
        here = sorted(path.name for path in anna.iterdir())
        one, other = rng.choice([*here, "a"]), rng.choice("abcA")
        match rng.randrange(5):
            case 0 if (anna / one).exists() and not (anna / other).exists():
                (anna / one).rename(anna / other)
            case 1 if (anna / one).exists() and not (anna / other).exists():
                shutil.copytree(anna / one, anna / other)
            case 2 if (anna / one).exists() and (anna / other).exists() and one != other:
                (anna / one).rename(anna / "aside")
                (anna / other).rename(anna / one)
                (anna / "aside").rename(anna / other)
            case 3 if len(here) > 1:
                shutil.rmtree(anna / rng.choice(here))
            case _:
                submit(world.folder, "anna", other, 1000 + rng.randrange(4))
        if rng.random() < 0.7:
            world.keep(rounds=1)
            for name, each in read_manifest(world.folder / "run").players.items():
                assert entrants.setdefault(each.digest, name) == name, step
    world.keep(rounds=1)
    players = read_manifest(world.folder / "run").players
    playing = {players[name].digest for name in active(world)}
    for path in anna.iterdir():
        if digest_of(path) not in playing:
            reason = told(world, "anna", path.name).splitlines()[2]
            assert any(each in reason for each in OBSTACLES), reason
    assert not list(RunVerifier(world.folder / "run").findings)
