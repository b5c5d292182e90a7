"""Functions and bots at one table, played from a program."""

from __future__ import annotations

import logging
import random
import subprocess
import sys
from collections.abc import Callable
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
    with pytest.raises(arena.Error, match="holds a run that has ended"):
        arena.play("dragonheart", [first, chance], into=tmp_path / "run")


def test_a_run_that_was_stopped_continues(tmp_path: Path) -> None:
    asked = 0

    def counted(question: Any) -> int:
        nonlocal asked
        asked += 1
        if asked == 150:
            raise KeyboardInterrupt
        return 0

    def play(deals: int = 3, **others: Any) -> arena.Run:
        players = {"counted": counted, "chance": chance, **others}
        return arena.play("dragonheart", players, deals=deals, into=tmp_path / "run")

    with pytest.raises(KeyboardInterrupt):
        play()
    stored = len((tmp_path / "run/games.jsonl").read_text().splitlines())
    assert 0 < stored < 6
    for other, told in (
        (lambda: play(deals=4), r"cannot continue: .*deals"),
        (lambda: play(third=first), "cannot continue: .*third"),
    ):
        with pytest.raises(arena.Error, match=told):
            other()
    seen: list[tuple[int, int]] = []
    run = arena.play(
        "dragonheart",
        {"counted": counted, "chance": chance},
        deals=3,
        into=tmp_path / "run",
        progress=lambda *at: seen.append(at),
    )
    assert seen == [(number, 6) for number in range(stored + 1, 7)]
    assert len({game["game"] for game in run.games()}) == 6


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


PLAY: Any = arena.play
COMPARE: Any = arena.compare
"""Both without types: mistaken calls are what is tried."""
NONSENSE: list[tuple[Callable[[], Any], str]] = [
    (lambda: PLAY("halma", [first, chance]), "halma"),
    (lambda: PLAY("dragonheart", ["nobody", chance]), "nobody"),
    (lambda: PLAY(3, [first, first]), "^game: found 3, expected text$"),
    (
        lambda: PLAY("dragonheart", None),
        "^bots: found nothing, expected a list of bots and functions",
    ),
    (
        lambda: PLAY("dragonheart", "builtin:greedy"),
        '^bots: found "builtin:greedy", expected a list',
    ),
    (lambda: PLAY("dragonheart", {"3": 3, "a": first}), "^bots: found 3, expected the folder"),
    (lambda: PLAY("dragonheart", {1: first, 2: first}), "^bots: found 1, expected text$"),
    (lambda: PLAY("dragonheart", [first, first], deals="x"), '^deals: found "x", expected a whole'),
    (
        lambda: PLAY("dragonheart", [first, first], deals=True),
        "^deals: found true, expected a whole",
    ),
    (lambda: PLAY("dragonheart", [first, first], deals=0), "deals: found 0, expected .* from 1"),
    (
        lambda: PLAY("dragonheart", [first, first], options=3),
        "^options: found 3, expected a mapping",
    ),
    (lambda: PLAY("dragonheart", [first, first], options={"x": 1}), 'unknown key "x"'),
    (
        lambda: PLAY("dragonheart", [first, first], seed=[]),
        "^seed: found an empty list, expected text or",
    ),
    (lambda: PLAY("dragonheart", [first, first], into="a\0"), "^into: found .*, expected a path$"),
    (lambda: PLAY("dragonheart", [first, first], into="/proc/x"), "^/proc/x: cannot be written"),
    (
        lambda: PLAY("dragonheart", [first, first], progress=1),
        "^progress: found 1, expected a func",
    ),
    (
        lambda: PLAY("dragonheart", [first, first], settings="x=1"),
        "^settings: found .* list of texts",
    ),
    (lambda: PLAY("dragonheart", [first, first], settings=["x"]), "^settings x: no key and value"),
    (lambda: COMPARE(first, first, "dragonheart"), "^candidate: found function object, exp"),
    (lambda: COMPARE("a", "b", "dragonheart", elo0="x"), '^elo0: found "x", expected a num'),
    (lambda: COMPARE("a", "b", "dragonheart", workers=0), "^workers: found 0, expected a wh"),
    (lambda: COMPARE("a", "b", "dragonheart", alpha="x"), '^alpha: found "x", expected a n'),
    (lambda: COMPARE("a", "b", None), "^game: found nothing, expected text or a list"),
]


@pytest.mark.parametrize(("call", "told"), NONSENSE, ids=[told for _, told in NONSENSE])
def test_nonsense_is_one_clear_error(call: Callable[[], Any], told: str) -> None:
    with pytest.raises(arena.Error, match=told):
        call()


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
def test_a_match_has_the_verdict_of_the_command_and_leaves_logs_alone(tmp_path: Path) -> None:
    games: list[int] = []
    root = logging.getLogger()
    before = [*root.handlers], root.level, logging.raiseExceptions
    report = arena.compare(
        *("builtin:greedy", "builtin:random", "dragonheart"),
        into=tmp_path / "match",
        progress=games.append,
        seed="1",
    )
    assert report.verdict == "pass"
    assert (root.handlers, root.level, logging.raiseExceptions) == before
    assert games[-1] >= report.games_counted > 0
    assert arena.open(tmp_path / "match").bots == ("greedy", "random")
    with pytest.raises(arena.Error, match='mode: found "x"'):
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
    with pytest.raises(arena.Error, match='found "A" twice'):
        arena.play("dragonheart", {"a": first, "A": first})


def test_a_huge_eval_is_kept_and_unknown_in_tables() -> None:
    def boast(question: Any) -> Any:
        return 0, {"eval": int("9" * 400)}

    run = arena.play("dragonheart", [boast, lambda question: 0], deals=1)
    rows = [row for row in run.plies() if row["info"]]
    assert rows
    assert {row["eval"] for row in rows} == {None}
