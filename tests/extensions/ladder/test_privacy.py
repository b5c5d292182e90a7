"""What others with an account on the machine of a ladder can read of it, lock or slow down."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest

from arena.extensions.ladder.file import AuthorsFile
from arena.extensions.ladder.intake import SubmittedFolder, take
from arena.extensions.ladder.keeper import locked
from tests.extensions.ladder.ladders import World, made, submit, told

PUBLIC: Final = {"ladder.yaml", "anchors", "submissions", "table.txt", "table.md"} | {
    "table.json",
    "table.html",
}
AUTHOR: Final = 54_321
"""A user id of nobody else."""
LEASE_SECONDS: Final = 45.0
_READ: Final = """
import fcntl, os, sys
os.setgroups([])
os.setgid(int(sys.argv[2]))
os.setuid(int(sys.argv[2]))
for above, _, files in os.walk(sys.argv[1]):
    for path in (above, *(os.path.join(above, name) for name in files)):
        try:
            descriptor = os.open(path, os.O_RDONLY)
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            continue
        print(os.path.relpath(path, sys.argv[1]))
print("--", flush=True)
sys.stdin.read()
"""
"""Become another user; lock what can be read of a folder, name it, hold it until input ends."""


@contextmanager
def masked(umask: int) -> Iterator[None]:
    before = os.umask(umask)
    try:
        yield
    finally:
        os.umask(before)


def open_to_others(folder: Path) -> set[str]:
    """What of a ladder's folder is not closed to others."""
    return {each.name for each in folder.iterdir() if stat.S_IMODE(each.lstat().st_mode) & 0o077}


def kept(folder: Path) -> World:
    """A ladder that has played, with a bot that it admitted and one that it refused."""
    world = made(folder)
    submit(world.folder, "anna", "x", 1100)
    submit(world.folder, "bert", "y", 1000)
    world.unfit["bert.y"] = ["it is not fit"]
    world.keep(once=True)
    return world


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077, 0o027])
def test_only_what_is_public_is_open_to_others(tmp_path: Path, umask: int) -> None:
    world = made(tmp_path)
    submit(world.folder, "anna", "x", 1100)
    with masked(umask):
        world.keep(once=True)
    assert {each.name for each in world.folder.iterdir()} >= {"bots", "answers", "run", "day.json"}
    assert open_to_others(world.folder) <= PUBLIC
    assert "admitted" in told(world, "anna", "x")


def test_folders_that_were_open_are_closed_at_the_next_start(tmp_path: Path) -> None:
    world = kept(tmp_path)
    for name in ("bots", "answers", "answers/anna", "run"):
        (world.folder / name).chmod(0o755)
    (world.folder / "answers/anna/x.txt").chmod(0o644)
    world.clock.next_day()
    world.keep(once=True)
    assert open_to_others(world.folder) <= PUBLIC
    answers = world.folder / "answers"
    modes = [stat.S_IMODE(each.stat().st_mode) for each in answers.rglob("*")]
    assert not any(mode & 0o077 for mode in modes)


def test_an_organiser_may_open_the_answers_of_an_author_to_a_group(tmp_path: Path) -> None:
    world = kept(tmp_path)
    answers = world.folder / "answers"
    answers.chmod(0o711)
    (answers / "anna").chmod(0o2750)
    submit(world.folder, "anna", "x", 1200)
    world.clock.next_day()
    world.keep(once=True)
    modes = {each: stat.S_IMODE((answers / each).stat().st_mode) for each in ("", "anna", "bert")}
    assert modes == {"": 0o711, "anna": 0o2750, "bert": 0o700}
    assert stat.S_IMODE((answers / "anna/x.txt").stat().st_mode) == 0o640
    assert stat.S_IMODE((answers / "bert/y.txt").stat().st_mode) == 0o600


@pytest.mark.process
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another user")
def test_another_user_reads_and_locks_nothing_that_matters() -> None:
    with tempfile.TemporaryDirectory(prefix="test-of-privacy-") as folder, masked(0):
        os.chmod(folder, 0o711)
        world = kept(Path(folder))
        world.clock.next_day()
        with subprocess.Popen(
            (sys.executable, "-I", "-S", "-c", _READ, world.folder, str(AUTHOR)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as author:
            assert author.stdout is not None
            read = {line.strip() for line in iter(author.stdout.readline, "--\n")}
            assert {path.split("/")[0] for path in read} <= PUBLIC | {"."}
            assert "table.md" in read
            with locked(world.folder):
                assert world.keep(once=True) == "SPENT"
            author.communicate()


_LEASE: Final = """
import fcntl, os, signal, sys
signal.signal(signal.SIGIO, signal.SIG_IGN)
with open(sys.argv[1], "r+") as file:
    fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_WRLCK)
    print("held", flush=True)
    sys.stdin.read()
"""
"""Holds a lease on a file: the kernel lets others wait for up to 45 seconds when they open it."""


@pytest.mark.process
def test_a_submission_that_cannot_be_read_to_its_end_takes_a_twentieth_of_the_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world, taken = made(tmp_path, ""), list[float]()

    def slow(submissions: Path, found: SubmittedFolder, terms: AuthorsFile, target: Path) -> bool:
        began = time.monotonic()
        done = take(submissions, found, terms, target)
        assert time.monotonic() - began < LEASE_SECONDS / 2
        world.clock.passed += 0.05
        taken.append(world.clock.passed)
        return done

    monkeypatch.setattr("arena.extensions.ladder.intake.take", slow)
    own = submit(world.folder, "anna", "x", 1100)
    with subprocess.Popen(
        (sys.executable, "-I", "-S", "-c", _LEASE, own / "main.py"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        world.keep(rounds=60)
        holder.communicate()
    assert world.examined == []
    assert len(taken) * 0.05 <= (world.clock.passed + 2) / 20
    world.clock.passed += 10
    world.keep(rounds=2)
    assert world.examined == ["anna.x"]
