"""Functions and bots at one table, played from a program."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import arena


def first(question: Any) -> int:
    return 0


def chance(question: Any) -> tuple[int, Any]:
    choice = random.Random(str(question.observation)).randrange(len(question.legal))
    return choice, {"eval": len(question.events), "seat": question.seat}


def failing(question: Any) -> Any:
    if len(question.legal) > 5:
        raise ValueError("too many to choose from")
    return question.legal[-1]


def test_functions_play_and_fail(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    run = arena.play(
        "dragonheart",
        [first, chance, failing],
        deals=2,
        seed="17",
        into=tmp_path / "run",
        progress=lambda *at: seen.append(at),
    )
    assert seen == [(number, 12) for number in range(1, 13)]
    assert run.bots == ("first", "chance", "failing")
    indices = {row["action_index"] for row in run.plies() if row["bot"] == "first"}
    assert indices == {0}
    assert {row["info"] for row in run.plies() if row["bot"] == "first"} == {None}
    assert all(row["eval"] is not None for row in run.plies() if row["bot"] == "chance"
               and row["kind"] == "decision")  # fmt: skip
    faults = [row for row in run.seats() if row["fault"]]
    assert {row["bot"] for row in faults} == {"failing"}
    assert {row["fault"] for row in faults} == {"crash"}
    said = (tmp_path / "run/logs/failing.stderr").read_text()
    assert "ValueError: too many to choose from" in said
    assert "functions.py" not in said
    assert (tmp_path / "run/standings.txt").is_file()
    with pytest.raises(arena.Error, match="holds a run already"):
        arena.play("dragonheart", [first, chance], into=tmp_path / "run")


def test_equal_seeds_give_equal_games() -> None:
    runs = [
        arena.play("dragonkrak", {"a": chance, "b": first}, seats=2, seed="1") for _ in range(2)
    ]
    digests = [[game["digest"] for game in run.games()] for run in runs]
    assert digests[0] == digests[1]
    assert runs[0].folder != runs[1].folder
    folder = runs[0].folder
    assert folder.is_dir()
    del runs
    assert not folder.exists()


def test_mistakes_are_errors() -> None:
    with pytest.raises(arena.Error, match="halma"):
        arena.play("halma", [first, chance])
    with pytest.raises(arena.Error, match="nobody"):
        arena.play("dragonheart", ["nobody", chance])
    with pytest.raises(TypeError, match="3: expected a bot or a function"):
        arena.play("dragonheart", {"3": 3, "a": first})  # type: ignore[dict-item]


@pytest.mark.slow
@pytest.mark.process
def test_programs_sit_at_the_same_table_and_children_stay() -> None:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        run = arena.play("dragonheart", ["builtin:greedy", chance], deals=2)
        assert next(iter(run.standings()))["bot"] == "greedy"
        assert child.poll() is None, "the processes of the caller are not arena's to end"
    finally:
        child.communicate(b"\n")


@pytest.mark.slow
@pytest.mark.process
def test_a_match_has_the_verdict_of_the_command(tmp_path: Path) -> None:
    games: list[int] = []
    report = arena.compare(
        *("builtin:greedy", "builtin:random", "dragonheart"),
        into=tmp_path / "match",
        progress=games.append,
        seed="1",
    )
    assert report.verdict == "pass"
    assert games[-1] >= report.games_counted > 0
    assert arena.open(tmp_path / "match").bots == ("greedy", "random")
    with pytest.raises(arena.Error, match='--mode: found "x"'):
        arena.compare("builtin:greedy", "builtin:random", "dragonheart", mode="x")


def test_names_are_given_once_whatever_functions_and_bots_are_called() -> None:
    def first(question: Any) -> int:
        return 0

    class Greedy:
        def __call__(self, question: Any) -> int:
            return 0

    def renamed(name: str) -> Any:
        def own(question: Any) -> int:
            return 0

        own.__name__ = name
        return own

    run = arena.play("dragonheart", [first, first, renamed("first-2"), Greedy()], deals=1)
    assert [*run.bots] == ["first", "first-2", "first-2-2", "Greedy"]
    with pytest.raises(ValueError, match="capitals"):
        arena.play("dragonheart", {"a": first, "A": first})


def test_a_huge_eval_is_kept_and_unknown_in_tables() -> None:
    def boast(question: Any) -> Any:
        return 0, {"eval": int("9" * 400)}

    run = arena.play("dragonheart", [boast, lambda question: 0], deals=1)
    rows = [row for row in run.plies() if row["info"]]
    assert rows
    assert {row["eval"] for row in rows} == {None}
