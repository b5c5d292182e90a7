"""Submissions at which arena fails, in which it is killed, and that take long."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import shutil
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from arena.extensions.ladder import intake, reception
from arena.extensions.ladder.days import CHECKS, LONG, STRETCH
from arena.hosting.sandbox.isolation import IsolationError
from arena.referee.session import MachineTooBusy
from arena.runs.disk import StoreError
from arena.tournament.executor import PoolError
from arena.values.bad_input import BadInput
from tests.extensions.ladder.ladders import (
    Killed,
    World,
    active,
    events,
    made,
    of_two,
    submit,
    told,
)


def raises(error: BaseException) -> Callable[[], object]:
    def fail() -> None:
        raise error

    return fail


def checks(world: World) -> list[int]:
    """How often checks were begun in vain."""
    return list(json.loads((world.folder / CHECKS).read_text())["times"].values())


def in_check(world: World, patch: pytest.MonkeyPatch) -> None:
    world.fails["anna.x"] = raises(KeyError("a bug"))


def without_end(world: World, patch: pytest.MonkeyPatch) -> None:
    world.fails["anna.x"] = raises(RecursionError())


def in_a_folder_of_ours(world: World, patch: pytest.MonkeyPatch) -> None:
    world.fails["anna.x"] = raises(FileNotFoundError(errno.ENOENT, "gone", "/proc/1"))


def as_if_it_was_told(world: World, patch: pytest.MonkeyPatch) -> None:
    world.fails["anna.x"] = raises(BadInput("no message for a ladder"))


def in_what_was_found(world: World, patch: pytest.MonkeyPatch) -> None:
    world.unfit["anna.x"] = ["it prints \ud800"]  # that no file can hold


def while_it_is_named(world: World, patch: pytest.MonkeyPatch) -> None:
    digest_of = reception.digest_of

    def failing(copy: Path) -> str:
        if "1100" in (copy / "strength").read_text():
            raise ValueError("a bug")
        return digest_of(copy)

    patch.setattr(reception, "digest_of", failing)


def while_it_is_read(world: World, patch: pytest.MonkeyPatch) -> None:
    survey = intake._Survey

    class Failing(survey):
        def _entry(self, name: str, folder: int, *where: Any) -> None:
            notes = Path(f"/proc/self/fd/{folder}/notes")
            if notes.exists() and "anna" in notes.read_text():
                raise UnicodeError("a bug")
            super()._entry(name, folder, *where)

    patch.setattr(intake, "_Survey", Failing)


FAILURES = [
    *(in_check, without_end, in_a_folder_of_ours, as_if_it_was_told),
    *(in_what_was_found, while_it_is_named, while_it_is_read),
]


@pytest.mark.slow
@pytest.mark.parametrize("fail", FAILURES)
def test_a_submission_at_which_we_fail_is_quarantined_and_all_else_goes_on(tmp_path, fail) -> None:
    world = of_two(tmp_path)
    with pytest.MonkeyPatch.context() as patch:
        fail(world, patch)
        assert world.keep(rounds=3) == "ROUND"
        assert active(world) == {"rock", "sand", "bert.x"}
        assert events(world) == [("admitted", "bert.x")]
        assert world.reported == ["anna.x is quarantined"]
        assert world.examined.count("anna.x") <= 1
        assert told(world, "anna", "x").endswith(
            "\nquarantined\nthe check itself failed, which is no fault of this bot; the organiser "
            "knows\nit is looked at again when its files or the programs of the machine change, "
            "and when the ladder is started again\n"
        )
        world.keep(rounds=1)  # the next start tries again, once
        assert world.reported == ["anna.x is quarantined"] * 2
    world.fails.clear()
    world.unfit.clear()
    world.keep(rounds=1)
    assert events(world) == [("admitted", "bert.x"), ("admitted", "anna.x")]
    assert "admitted" in told(world, "anna", "x")


def test_the_version_before_plays_on_and_other_files_are_looked_at(tmp_path: Path) -> None:
    world = of_two(tmp_path)
    with world.keeper() as keeper:
        keeper.keep(rounds=1)
        world.fails["anna.x"] = raises(ZeroDivisionError())
        submit(world.folder, "anna", "x", 1300)
        keeper.keep(rounds=2)
        assert "\nquarantined; the version before plays on\n" in told(world, "anna", "x")
        assert "anna.x" in active(world)
        world.fails.clear()
        submit(world.folder, "anna", "x", 1400)
        keeper.keep(rounds=2)
    assert "anna.x@2" in active(world)


def test_who_makes_us_fail_again_and_again_has_his_uploads(tmp_path: Path) -> None:
    world = of_two(tmp_path, "authors: {uploads: 3}")
    world.fails["anna.x"] = raises(ZeroDivisionError())
    with world.keeper() as keeper:
        for elo in range(5):
            submit(world.folder, "anna", "x", elo)
            keeper.keep(rounds=1)
        assert "waits: 3 versions of anna" in told(world, "anna", "x")
        assert world.reported == ["anna.x is quarantined"] * 3
        world.clock.next_day()
        keeper.keep(rounds=1)
    assert len(world.reported) == 4


@pytest.mark.parametrize(
    "error",
    [
        OSError(errno.ENOSPC, "No space left on device"),
        OSError(errno.EMFILE, "Too many open files"),
        IsolationError("no sandbox"),
        StoreError("away"),
    ],
)
def test_a_machine_that_cannot_go_on_blames_nobody(tmp_path: Path, error: Exception) -> None:
    world = of_two(tmp_path)
    world.fails["anna.x"] = raises(error)
    for _ in range(4):
        with pytest.raises(StoreError):
            world.keep(rounds=1)
    world.fails.clear()
    world.keep(rounds=1)
    assert world.reported == []
    assert events(world) == [("admitted", "anna.x"), ("admitted", "bert.x")]


@pytest.mark.parametrize("error", [PoolError("no workers"), MachineTooBusy("kept waiting")])
def test_a_check_that_the_machine_did_not_let_be_was_not_begun_in_vain(tmp_path, error) -> None:
    world = of_two(tmp_path)
    world.fails["anna.x"] = raises(error)
    for _ in range(4):
        world.keep(rounds=1)
    assert checks(world) == []
    assert events(world) == [("admitted", "bert.x")]


def test_files_in_whose_check_the_ladder_is_killed_are_quarantined_in_the_end(tmp_path) -> None:
    world = of_two(tmp_path)
    world.fails["anna.x"] = raises(Killed())
    for times in range(3):
        with pytest.raises(Killed):
            world.keep(rounds=1)
        assert checks(world) == [times + 1]
        assert not (world.folder / "submissions.jsonl").exists()
    assert world.keep(rounds=1) == "ROUND"
    assert world.examined == ["anna.x"] * 3 + ["bert.x"]
    assert events(world) == [("admitted", "bert.x")]
    assert "quarantined\nthe ladder was ended 3 times while these" in told(world, "anna", "x")
    shutil.rmtree(world.folder / "submissions" / "anna" / "x")
    world.keep(rounds=1)
    submit(world.folder, "anna", "x", 1100)  # the same
    world.keep(rounds=1)
    assert world.examined.count("anna.x") == 3
    world.fails.clear()
    submit(world.folder, "anna", "x", 1150)
    world.keep(rounds=1)
    assert events(world)[-1] == ("admitted", "anna.x")


def test_a_check_that_comes_to_an_end_is_forgotten(tmp_path: Path) -> None:
    world = of_two(tmp_path)
    world.fails["anna.x"] = raises(Killed())
    for _ in range(2):
        with pytest.raises(Killed):
            world.keep(rounds=1)
    world.fails.clear()
    world.keep(rounds=1)
    assert checks(world) == []
    assert "admitted" in told(world, "anna", "x")


@pytest.mark.parametrize(("seconds", "counted"), [(LONG - 1, []), (LONG, [3])])
def test_who_stops_the_ladder_is_not_blamed_on_a_check_that_has_just_begun(
    tmp_path: Path, seconds: float, counted: list[int]
) -> None:
    world = of_two(tmp_path)

    def stopped() -> None:
        world.clock.passed += seconds
        raise KeyboardInterrupt

    world.fails["anna.x"] = stopped
    for _ in range(3):
        with pytest.raises(KeyboardInterrupt):
            world.keep(rounds=1)
    assert checks(world) == counted
    world.fails.clear()
    world.keep(rounds=1)
    assert (("admitted", "anna.x") in events(world)) == (not counted)


@pytest.mark.parametrize("text", ["{", "[]", '{"a":3}', '{"machine":"","times":{"a":0}}', "\xff"])
def test_a_count_that_cannot_be_read_begins_anew(tmp_path: Path, text: str) -> None:
    world = of_two(tmp_path)
    (world.folder / CHECKS).write_text(text, "latin-1")
    world.keep(rounds=1)
    assert checks(world) == []
    assert len(events(world)) == 2


@pytest.mark.parametrize("place", ["book.add", "keep"])
def test_killed_between_check_and_book_it_is_checked_once_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    world = of_two(tmp_path)
    with world.keeper() as keeper:
        own = keeper.reception
        where, what = (own.book, "add") if place == "book.add" else (own._versions, "keep")
        monkeypatch.setattr(where, what, lambda *_: raises(Killed())())
        with pytest.raises(Killed):
            own.take_in()
    world.keep(rounds=1)
    assert world.examined == ["anna.x", "anna.x", "bert.x"]
    assert events(world) == [("admitted", "anna.x"), ("admitted", "bert.x")]
    assert checks(world) == []


def slow(world: World, seconds: float) -> Callable[[], object]:
    def pass_by() -> None:
        world.clock.passed += seconds

    return pass_by


def test_slow_checks_let_what_there_is_be_played(tmp_path: Path) -> None:
    world = made(tmp_path, "")
    for number in range(4):
        for name in ("x", "y"):
            submit(world.folder, f"a{number}", name, 1000 + number, version=ord(name))
            world.fails[f"a{number}.{name}"] = slow(world, STRETCH)
    submit(world.folder, "zoe", "x", 1100)
    with world.keeper() as keeper:
        keeper.keep(rounds=1)
        assert world.examined == ["a0.x"]
        assert "8 submissions to be checked: some rounds are played first" in world.said
        keeper.keep(rounds=1)
        assert len(world.examined) == 2
        games = world.games
        keeper.keep(rounds=3)
        assert world.games > games
        assert len(world.examined) == 2
        while len(world.examined) < 9:
            world.clock.passed += STRETCH
            keeper.keep(rounds=1)
    assert world.examined[:5] == ["a0.x", "a1.x", "a2.x", "a3.x", "zoe.x"]
    assert len(events(world)) == 9


def test_an_author_with_long_checks_waits_and_play_is_not_interrupted(tmp_path: Path) -> None:
    world = made(tmp_path, "")
    submit(world.folder, "eve", "x", 1000)
    submit(world.folder, "eve", "y", 1001)
    submit(world.folder, "zoe", "x", 1100)
    world.fails["eve.x"] = slow(world, STRETCH - 1)
    with world.keeper() as keeper:
        keeper.keep(rounds=1)
        assert world.examined == ["eve.x", "zoe.x"]
        answer = (world.folder / "answers" / "eve" / "y.txt").read_text()
        assert "waits: checks of eve took long today; the next begins after 2030-01-01T" in answer
        assert not keeper.reception.has_news()
        world.clock.passed += 20 * STRETCH
        assert keeper.reception.has_news()
        keeper.keep(rounds=1)
    assert world.examined == ["eve.x", "zoe.x", "eve.y"]


@pytest.mark.parametrize("more", ["budget: {games: 4}", "budget: {wall: 1 ms}"])
def test_where_nothing_is_to_be_played_checks_have_all_the_time(tmp_path: Path, more: str) -> None:
    world = made(tmp_path, more)
    for number in range(5):
        submit(world.folder, f"a{number}", "x", 1000 + number)
        world.fails[f"a{number}.x"] = slow(world, STRETCH)
    slept: list[float] = []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        if len(world.examined) == 5:
            raise KeyboardInterrupt

    world.clock.slept = sleep
    with pytest.raises(KeyboardInterrupt):
        world.keep()
    assert len(slept) <= 5
    assert world.examined == [f"a{number}.x" for number in range(5)]


@contextmanager
def leased(path: Path) -> Iterator[None]:
    """Hold a write lease on a file, so that nobody can open it."""
    handler = signal.signal(signal.SIGIO, signal.SIG_IGN)  # the kernel asks for the lease by it
    descriptor = os.open(path, os.O_RDONLY)
    try:
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_WRLCK)
        yield
    finally:
        os.close(descriptor)
        signal.signal(signal.SIGIO, handler)


@pytest.mark.parametrize("file", ["main.py", "../author.yaml"])
def test_a_file_that_cannot_be_opened_costs_ever_fewer_looks(tmp_path: Path, file: str) -> None:
    world, sessions, attempts = of_two(tmp_path), list[int](), 8
    path = world.folder / "submissions" / "anna" / "x" / file
    path.touch()
    play, clock = world.play, world.clock

    def counted(*what: Any) -> Any:
        sessions.append(1)
        return play(*what)

    world.play = counted  # type: ignore[method-assign]
    with world.keeper() as keeper:
        with leased(path):
            keeper.keep(rounds=8)
            assert len(sessions) <= 2
            for _ in range(attempts - 1):
                clock.passed += reception._AGAIN
                keeper.keep(rounds=2)
        said = [each for each in world.said if each.startswith("anna.x: cannot be copied")]
        assert [each.partition("(")[2] for each in said] == [
            *("1 attempt; next in 2 s)", "2 attempts; next in 8 s)"),
            *("4 attempts; next in 128 s)", "8 attempts; next in 600 s)"),
        ]
        first = f"waits: {path.name} cannot be read: Resource temporarily unavailable"
        assert first in told(world, "anna", "x")
        assert "8 attempts so far" in told(world, "anna", "x")
        assert events(world) == [("admitted", "bert.x")]
        clock.passed += reception._AGAIN
        keeper.keep(rounds=1)
    assert events(world) == [("admitted", "bert.x"), ("admitted", "anna.x")]
