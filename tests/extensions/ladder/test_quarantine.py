"""Submissions that this machine cannot check or build, and when they return."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena.entrants.entrants import Entrant
from arena.extensions.ladder import days, intake
from arena.extensions.ladder.admission import examiner
from arena.extensions.ladder.book import LadderBot
from arena.extensions.ladder.days import MOST_ENDED
from arena.extensions.ladder.file import CheckLevel, TableForm, load_ladder
from arena.extensions.ladder.intake import FolderBusy
from arena.extensions.ladder.keeper import Keeper
from arena.extensions.ladder.store import QUARANTINE, Quarantined
from arena.extensions.ladder.table import LadderRow, LadderTable, render
from arena.runs.verify import RunVerifier
from arena.tournament import players
from arena.tournament.executor import PoolError
from arena.values.numbers import GameCount
from arena.values.problems import ConfigError
from tests.cli.shell import BOT
from tests.cli.shell import bot as real_bot
from tests.extensions.ladder.ladders import (
    Killed,
    World,
    active,
    events,
    ladder,
    made,
    of_two,
    submit,
    table,
    told,
)

TOOL = "arena-test-tool"


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder of PATH, which is empty."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return folder


def install(folder: Path, version: str = "2.0") -> None:
    path = folder / TOOL
    path.write_text(f"#!/bin/sh\necho {version}\n")
    path.chmod(0o755)


def cases(world: World) -> dict[str, str]:
    """Return the reasons in the quarantine file, by bot."""
    found = json.loads((world.folder / QUARANTINE).read_text())
    return {each["bot"]: each["reason"] for each in found}


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.parametrize(
    ("manifest", "reason"),
    [
        ({"command": f"[{TOOL}, main.py]"}, "was not found on PATH"),
        ({"needs": f'{{{TOOL}: "1"}}'}, "was not found on PATH"),
        ({"needs": '{python3: "99"}'}, "expected at least 99"),
        ({"build": f"[[{TOOL}]]"}, "was not found on PATH"),
        ({"build": f"[[sh, -c, {TOOL}]]"}, "ended with status 127"),
        ({"command": "[./main.py]"}, "No such file or directory"),
        ({"build": "[['false']]"}, None),
        ({"command": "[./missing.py]"}, None),
        ({"command": f"[{TOOL}, main.py]", "language": "7"}, None),
    ],
)
def test_a_missing_program_is_no_fault_of_a_bot(tmp_path, manifest, reason) -> None:
    examine = examiner(load_ladder(ladder(tmp_path / "l")).plan, CheckLevel.ESSENTIAL)
    source = f"#!/usr/bin/env {TOOL}\n{BOT}"
    folder = real_bot(tmp_path, "mine", source, **manifest)
    (folder / "main.py").chmod(0o755)
    if reason is None:
        assert not examine(folder, LadderBot("anna", "mine")).fit
        return
    with pytest.raises(Quarantined) as found:
        examine(folder, LadderBot("anna", "mine"))
    assert reason in "\n".join(found.value.said)
    assert str(tmp_path) not in "\n".join(found.value.said)


@pytest.mark.process
def test_a_cache_that_cannot_be_written_is_no_fault_of_a_bot(tmp_path, monkeypatch) -> None:
    examine = examiner(load_ladder(ladder(tmp_path / "l")).plan, CheckLevel.ESSENTIAL)
    folder = real_bot(tmp_path, "mine", BOT, build="[['true']]")
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(Quarantined) as found:
        examine(folder, LadderBot("anna", "mine"))
    assert "bots cannot be kept there" in found.value.said[0]


def test_what_lacks_a_program_is_checked_once_it_is_installed_and_nobody_is_charged(
    tmp_path: Path, programs: Path
) -> None:
    world = of_two(tmp_path, "authors: {uploads: 1}")

    def lacks() -> None:
        if not (programs / TOOL).exists():
            raise Quarantined([f'"{TOOL}" was not found on PATH'])

    world.fails["anna.x"] = lacks
    with world.keeper() as keeper:
        keeper.keep(rounds=3)
        assert world.examined.count("anna.x") == 1
        assert cases(world) == {"anna.x": f'"{TOOL}" was not found on PATH'}
        assert f'anna.x: quarantined: "{TOOL}" was not found on PATH' in world.said
        assert "\nquarantined\n" in told(world, "anna", "x")
        (programs / "other").write_text("")
        keeper.keep(rounds=3)
        assert world.examined.count("anna.x") == 2
        install(programs)
        keeper.keep(rounds=1)
    assert events(world) == [("admitted", "bert.x"), ("admitted", "anna.x")]
    assert cases(world) == {}
    assert world.reported == []


@pytest.mark.parametrize("obstacle", ["busy", "pool", "uploads"])
def test_a_second_check_that_is_put_off_is_tried_again(
    tmp_path: Path, programs: Path, monkeypatch: pytest.MonkeyPatch, obstacle: str
) -> None:
    world = of_two(tmp_path, "authors: {uploads: 1}")

    def lacks() -> None:
        raise Quarantined(["lacks a program"])

    def is_busy() -> None:
        raise PoolError("no memory")

    def is_copied_by_another(*_: object) -> None:
        raise FolderBusy("its files changed while they were copied")

    world.fails["anna.x"] = lacks
    with world.keeper() as keeper:
        keeper.keep(rounds=1)
        assert set(cases(world)) == {"anna.x"}
        world.fails.clear()
        if obstacle == "uploads":
            submit(world.folder, "anna", "y", 1150)
            world.clock.next_day()
            keeper.keep(rounds=1)
            assert ("admitted", "anna.y") in events(world)
        install(programs)
        with monkeypatch.context() as patch:
            if obstacle == "busy":
                patch.setattr(intake, "take", is_copied_by_another)
            elif obstacle == "pool":
                world.fails["anna.x"] = is_busy
            keeper.keep(rounds=1)
        assert ("admitted", "anna.x") not in events(world)
        world.fails.clear()
        world.clock.next_day()
        keeper.keep(rounds=1)
    assert ("admitted", "anna.x") in events(world)
    assert cases(world) == {}


@pytest.mark.parametrize(
    "key",
    [
        f"command: [{TOOL}, x]",
        f'needs: {{{TOOL}: "2"}}',
        f'command: [{TOOL}, x]\nneeds: {{{TOOL}: "2"}}',
    ],
)
def test_an_admitted_bot_whose_program_is_gone_plays_on_when_it_is_back(
    tmp_path: Path, programs: Path, key: str
) -> None:
    world = of_two(tmp_path)
    install(programs)
    yaml = submit(world.folder, "anna", "x", 1100) / "bot.yaml"
    lines = [each for each in yaml.read_text().splitlines() if key[:4] != each[:4]]
    yaml.write_text("\n".join([*lines, key, ""]))
    world.keep(rounds=2)
    games = table(world)["anna.x"]["games"]
    (programs / TOOL).unlink()
    with world.keeper() as keeper:
        assert keeper.keep(rounds=2).name == "ROUND"
        assert active(world) == {"rock", "sand", "bert.x"}
        assert table(world)["anna.x"]["state"] == "quarantined"
        assert table(world)["anna.x"]["games"] == games
        assert f'anna.x is quarantined: "{TOOL}" was not found' in "".join(
            (world.folder / "table.txt").read_text().splitlines()
        )
        assert "\nquarantined\n" in told(world, "anna", "x")
        assert told(world, "anna", "x").count("was not found on PATH") == 1
        install(programs)
        keeper.keep(rounds=3)
        assert active(world) == {"rock", "sand", "bert.x", "anna.x"}
        assert table(world)["anna.x"]["games"] > games
        assert table(world)["anna.x"]["state"] != "quarantined"
    assert "admitted" in told(world, "anna", "x")
    assert cases(world) == {}
    assert [what for what, _ in events(world)] == ["admitted"] * 2
    assert not list(RunVerifier(world.folder / "run").findings)


def renamed(world: World, keeper: Keeper) -> str:
    anna = world.folder / "submissions" / "anna"
    (anna / "x").rename(anna / "y")
    return "y"


def replaced_and_put_back(world: World, keeper: Keeper) -> str:
    path = world.folder / "submissions" / "anna" / "x"
    shutil.copytree(path, world.folder / "old")
    submit(world.folder, "anna", "x", 1150)
    world.clock.sleep(100)
    keeper.keep(rounds=1)
    assert events(world)[-1] == ("admitted", "anna.x")
    shutil.rmtree(path)
    shutil.copytree(world.folder / "old", path)
    return "x"


@pytest.mark.parametrize("back", [renamed, replaced_and_put_back])
def test_a_quarantined_version_that_comes_back_is_quarantined_again(
    tmp_path: Path, programs: Path, back: Callable[[World, Keeper], str]
) -> None:
    world = of_two(tmp_path)
    install(programs)
    yaml = submit(world.folder, "anna", "x", 1100) / "bot.yaml"
    yaml.write_text(yaml.read_text() + f"needs: {{{TOOL}: '1'}}\n")
    world.keep(rounds=1)
    (programs / TOOL).unlink()
    with world.keeper() as keeper:
        keeper.keep(rounds=1)
        name = back(world, keeper)
        keeper.keep(rounds=2)
        assert active(world) & {"anna.x", "anna.y"} == set()
        assert table(world)["anna.x"]["state"] == "quarantined"
        assert set(cases(world)) == {f"anna.{name}"}
        assert "\nquarantined\n" in told(world, "anna", name)
        install(programs)
        keeper.keep(rounds=2)
    assert "anna.x" in active(world)
    assert cases(world) == {}


def test_a_build_that_fails_after_the_admission_gives_no_bot_up(
    tmp_path: Path, programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world, build = of_two(tmp_path), players.build

    def failing(entrant: Entrant, **terms: object) -> Entrant:
        if entrant.name == "anna.x" and not (programs / TOOL).exists():
            raise ConfigError([])
        return build(entrant)

    monkeypatch.setattr(players, "build", failing)
    with world.keeper() as keeper:
        keeper.keep(rounds=2)
        assert active(world) == {"rock", "sand", "bert.x"}
        assert table(world)["anna.x"]["state"] == "quarantined"
        assert cases(world) == {"anna.x": "it can be built no longer"}
        install(programs)
        keeper.keep(rounds=2)
    assert active(world) == {"rock", "sand", "bert.x", "anna.x"}
    assert events(world) == [("admitted", "anna.x"), ("admitted", "bert.x")]


@pytest.mark.slow
@pytest.mark.process
def test_bounds_on_builds_are_those_of_submissions_alone(tmp_path: Path) -> None:
    world = made(tmp_path, "authors: {size: 1 MiB}")
    build = "[[sh, -c, 'head -c 5000000 /dev/zero > net']]"
    yaml = world.folder / "anchors" / "rock" / "bot.yaml"
    yaml.write_text(f"{yaml.read_text()}build: {build}\n")
    submit(world.folder, "bert", "x", 1200)
    world.keep(rounds=1)
    assert active(world) == {"rock", "sand", "bert.x"}


def test_a_quarantined_bot_that_left_costs_no_session_a_round(tmp_path, programs) -> None:
    world, sessions = of_two(tmp_path), list[int]()
    install(programs)
    yaml = submit(world.folder, "anna", "x", 1100) / "bot.yaml"
    yaml.write_text(yaml.read_text() + f"needs: {{{TOOL}: '1'}}\n")
    world.keep(rounds=1)
    (programs / TOOL).unlink()
    play = world.play

    def counted(*what: Any) -> Any:
        sessions.append(1)
        return play(*what)

    world.play = counted  # type: ignore[method-assign]
    with world.keeper() as keeper:
        keeper.keep(rounds=1)
        shutil.rmtree(world.folder / "submissions" / "anna" / "x")
        keeper.keep(rounds=2)
        install(programs)
        sessions.clear()
        keeper.keep(rounds=8)
    assert len(sessions) <= 2
    assert events(world)[-1] == ("left", "anna.x")
    assert cases(world) == {}


def killed(world: World) -> None:
    def die() -> None:
        raise Killed

    world.fails["anna.x"] = die
    for _ in range(MOST_ENDED):
        with pytest.raises(Killed):
            world.keep(rounds=1)
    world.fails.clear()
    for _ in range(2):  # neither time nor a start brings it back
        world.keep(rounds=1)


def other_machine(world: World, patch: pytest.MonkeyPatch) -> None:
    patch.setattr(days, "machine", lambda: "with more memory")
    world.keep(rounds=1)


def by_command(world: World, patch: pytest.MonkeyPatch) -> None:
    with world.keeper() as keeper:
        keeper.reception.retry()
        keeper.keep(rounds=1)


def other_files(world: World, patch: pytest.MonkeyPatch) -> None:
    submit(world.folder, "anna", "x", 1150)
    world.keep(rounds=1)


@pytest.mark.parametrize("back", [other_machine, by_command, other_files])
def test_what_was_checked_when_the_ladder_was_killed_is_refused_by_nobody(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    back: Callable[[World, pytest.MonkeyPatch], None],
) -> None:
    world = of_two(tmp_path)
    killed(world)
    assert events(world) == [("admitted", "bert.x")]
    assert world.examined.count("anna.x") == MOST_ENDED
    said = "the ladder was ended 3 times while these files were checked"
    assert cases(world)["anna.x"].startswith(said)
    assert f"\nquarantined\n{said}" in told(world, "anna", "x")
    back(world, monkeypatch)
    assert events(world) == [("admitted", "bert.x"), ("admitted", "anna.x")]
    assert cases(world) == {}


def test_what_is_gone_is_in_no_quarantine(tmp_path: Path) -> None:
    world = of_two(tmp_path)
    world.fails["anna.x"] = lambda: {}[0]
    world.keep(rounds=1)
    assert set(cases(world)) == {"anna.x"}
    (world.folder / "submissions").rename(world.folder / "away")
    world.keep(rounds=1)
    assert set(cases(world)) == {"anna.x"}
    shutil.rmtree(world.folder / "submissions", ignore_errors=True)
    (world.folder / "away").rename(world.folder / "submissions")
    shutil.rmtree(world.folder / "submissions" / "anna" / "x")
    world.keep(rounds=1)
    assert cases(world) == {}


@pytest.mark.parametrize("text", ["{", "{}", "[0]", '[{"at":3}]', "\xff"])
def test_a_quarantine_that_cannot_be_read_is_begun_again(tmp_path: Path, text: str) -> None:
    world = of_two(tmp_path)
    (world.folder / QUARANTINE).write_text(text, "latin-1")
    world.fails["anna.x"] = lambda: {}[0]
    world.keep(rounds=1)
    assert set(cases(world)) == {"anna.x"}


@pytest.mark.parametrize("form", TableForm)
def test_programs_that_authors_name_are_text_in_every_form_of_the_table(form: TableForm) -> None:
    reason = '"<b>[a](http://b)</b>" was not found on PATH'
    row = LadderRow(None, "anna.x", "anna", "x", None, None, 3, None, 0, "", "quarantined", reason)
    shown = render(LadderTable("l", 1, GameCount(2, 2), (row,)), form)
    if form in (TableForm.MD, TableForm.HTML):
        assert "<b>" not in shown
    assert ("[a](http" in shown) is (form is not TableForm.MD)
