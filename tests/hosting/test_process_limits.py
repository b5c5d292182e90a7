"""Bots at isolation levels as the rest of arena sees them: starts that fail, use, verdicts."""

from __future__ import annotations

import errno
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from arena.hosting import process as module
from arena.hosting.machine import orphans, procfs
from arena.hosting.process import BotProcess
from arena.hosting.sandbox import bubblewrap, confine
from arena.hosting.sandbox.isolation import IsolationError, Launch, Level
from arena.hosting.workspace.cells import Workspace
from arena.values.results import Limits
from tests.hosting.bots import MACHINE, finished, needs_linux

pytestmark = [pytest.mark.slow, pytest.mark.process, pytest.mark.usefixtures("leaves_nothing")]

BUSY: Final = "while True: pass"
ALIVE: Final = "print('alive', flush=True)\nimport time\ntime.sleep(600)"
COUNTS: Final = """
import time
while True:
    print("alive", flush=True)
    time.sleep(0.01)
"""
GROWS: Final = """
import mmap
kept = mmap.mmap(-1, 256 << 20)
for at in range(0, len(kept), 4096):
    kept[at] = 1
print("survived")
"""
"""Shared memory is in no limit of a single process."""


@pytest.fixture
def workspace() -> Iterator[Workspace]:
    before = set(orphans.children())
    workspace = Workspace.create()
    yield workspace
    workspace.close()
    orphans.sweep(keep=before)  # bubblewrap's second process, if an earlier test adopts orphans


@pytest.fixture(params=list(Level))
def level(request: pytest.FixtureRequest) -> Level:
    level: Level = request.param
    MACHINE.require(level)
    return level


@pytest.fixture(params=[Level.LIMITS, Level.LANDLOCK, Level.BUBBLEWRAP])
def confined(request: pytest.FixtureRequest) -> Level:
    level: Level = request.param
    MACHINE.require(level)
    return level


Start = Callable[..., BotProcess]


@pytest.fixture
def start(workspace: Workspace, tmp_path: Path) -> Iterator[Start]:
    """Starts Python programs as bots at a level; kills them at the end."""
    started: list[BotProcess] = []

    def start(level: Level, code: str, **limits: Any) -> BotProcess:
        place = str(workspace.snapshot("bot", tmp_path))
        program = (sys.executable, "-S", "-c", code)
        values = msgspec.structs.replace(Limits(), **limits)
        launch = Launch(program, place, level=level, limits=values, copied=True)
        started.append(BotProcess(launch, workspace))
        return started[-1]

    yield start
    for process in started:
        process.kill()


def read(process: BotProcess) -> bytes:
    """The next that it writes; empty at the end of its output."""
    ready, _, _ = select.select([process.stdout], [], [], 60)
    assert ready
    return os.read(process.stdout, 65536)


def test_a_started_bot_has_no_start_error(level: Level, start: Start) -> None:
    process = start(level, ALIVE)
    assert read(process)
    assert process.start_error() is None
    assert process.over_limit is None
    process.kill()
    assert process.start_error() is None
    assert process.over_limit is None
    assert process.exit_status() == -signal.SIGKILL


@pytest.mark.parametrize(
    ("code", "status"), [("raise SystemExit(3)", 3), ("import os; os.abort()", -signal.SIGABRT)]
)
def test_how_a_bot_ended_is_told_alike_at_every_level(code, status, level, start) -> None:
    process = start(level, code)
    assert process.wait(60)
    assert process.exit_status() == status
    process.kill()
    assert process.exit_status() == status


def test_a_bot_that_is_not_started_yet_is_no_started_bot(
    confined: Level, start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = tmp_path / "slow.py"
    slow.write_text("input()")
    slow.chmod(0o755)
    monkeypatch.setattr(confine, "LAUNCHER", str(slow))
    process = start(confined, ALIVE)
    error = process.start_error()
    assert isinstance(error, IsolationError)
    assert str(error) == "the confinement of a bot was not finished in time"
    process.kill()
    assert isinstance(process.start_error(), IsolationError)


def test_a_confinement_that_fails_is_the_machines_fault(confined, start, monkeypatch) -> None:
    monkeypatch.setattr(confine, "_FIRST_TO_DIE", 12345)
    process = start(confined, ALIVE)
    assert process.wait(60)
    error = process.start_error()
    assert isinstance(error, IsolationError)
    assert str(error).endswith("failed in step oom_score: Invalid argument")


@pytest.mark.parametrize(
    ("message", "remedy"),
    [
        ("bwrap: setting up uid map: Permission denied", "AppArmor forbids user namespaces"),
        ("bwrap: something new", "try it by hand"),
    ],
)
def test_a_bubblewrap_that_fails_is_the_machines_fault(
    message: str, remedy: str, start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    MACHINE.require(Level.BUBBLEWRAP)
    fake = tmp_path / "bwrap"
    fake.write_text(f"#!/bin/sh\necho '{message}' >&2\nexit 1\n")
    fake.chmod(0o755)
    monkeypatch.setattr(bubblewrap, "find", lambda: str(fake))
    process = start(Level.BUBBLEWRAP, ALIVE)
    out, err = finished(process)
    error = process.start_error()
    assert isinstance(error, IsolationError)
    assert str(error).startswith(f"{message}: {remedy}")
    assert (out, err) == ("", ""), "what it says is not the bot's"


def test_a_bot_cannot_forge_a_failure(confined: Level, start: Start) -> None:
    """Whatever it writes, wherever it can: it was started."""
    code = """
import os
for descriptor in range(1, 256):
    try:
        os.write(descriptor, b"0\\0cgroups\\0002\\0\\n")
    except OSError:
        pass
for process in (1, os.getppid()):
    try:
        with open(f"/proc/{process}/fd/2", "wb") as file:
            file.write(b"bwrap: No permissions to create new namespace\\n")
    except OSError:
        pass
"""
    process = start(confined, code)
    assert process.wait(60)
    assert process.start_error() is None


def test_a_bot_in_a_folder_closed_to_it(workspace: Workspace, tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("needs root")
    tmp_path.chmod(0o700)
    launch = Launch((sys.executable, "-c", "pass"), str(tmp_path), level=Level.LIMITS)
    process = BotProcess(launch, workspace)
    try:
        assert process.wait(60)
        assert "give the bot a folder with bot.yaml" in str(process.start_error())
    finally:
        process.kill()


@pytest.mark.parametrize("ignores", [False, True], ids=["plain", "ignores the signal"])
def test_a_bot_that_uses_too_much_of_the_processor(ignores, confined, start) -> None:
    first = "import signal; signal.signal(signal.SIGXCPU, signal.SIG_IGN)\n" if ignores else ""
    process = start(confined, first + BUSY, cpu=0.5)
    assert process.wait(100)
    if ignores and confined is Level.BUBBLEWRAP and process.over_limit is None:
        pytest.skip("needs a control group that counts the processor")
    assert process.over_limit == "used more than 0.5 s of the processor"
    process.kill()
    assert process.over_limit == "used more than 0.5 s of the processor"


def test_a_bot_killed_by_itself_was_over_no_limit(confined: Level, start: Start) -> None:
    process = start(confined, "import os; os.kill(os.getpid(), 9)")
    assert process.wait(60)
    assert process.exit_status() == -signal.SIGKILL
    assert process.over_limit is None


def test_a_bot_that_uses_too_much_memory_in_all(confined: Level, start: Start) -> None:
    process = start(confined, GROWS, memory=64 << 20)
    group = process._cell.group
    if group is None or not group.limits_memory:
        pytest.skip("needs a control group that limits memory")
    assert process.wait(60)
    assert process.over_limit == "used more than 64 MiB of memory"
    process.kill()
    assert process.over_limit == "used more than 64 MiB of memory"


def test_a_condemned_bot_ends_and_the_reason_stays(level: Level, start: Start) -> None:
    process = start(level, ALIVE)
    assert read(process)
    process.condemn("used more than 3 processes")
    process.condemn("something else")
    assert process.wait(60)
    assert process.over_limit == "used more than 3 processes"
    process.kill()
    process.condemn("too late")
    assert process.over_limit == "used more than 3 processes"


def test_what_has_ended_is_not_condemned(start: Start) -> None:
    process = start(Level.NONE, "pass")
    assert process.wait(60)
    process.condemn("too late")
    assert process.over_limit is None


@pytest.mark.parametrize("has_group", [True, False], ids=["group", "no group"])
def test_a_frozen_bot_does_nothing_until_it_is_thawed(has_group, level, start) -> None:
    process = start(level, COUNTS)
    if not has_group:
        process._group = None
    elif process._group is None:
        pytest.skip("needs a control group")
    assert read(process)
    process.freeze()
    _drain(process)
    time.sleep(0.05)
    assert not select.select([process.stdout], [], [], 0)[0]
    process.thaw()
    assert read(process)
    process.kill()
    process.freeze()
    process.thaw()


def _drain(process: BotProcess) -> None:
    try:
        while os.read(process.stdout, 65536):
            pass
    except BlockingIOError:
        return


@needs_linux
def test_who_lives_without_its_main_thread_is_stopped_only_when_it_is() -> None:
    number = {"x86_64": 60, "aarch64": 93}.get(os.uname().machine, 0)
    code = (
        "import ctypes, threading, time\n"
        "threading.Thread(target=time.sleep, args=(600,), daemon=True).start()\n"
        f"ctypes.CDLL(None).syscall({number}, 0)"
    )
    with subprocess.Popen([sys.executable, "-S", "-c", code]) as program:
        try:
            wait_until(lambda: procfs.process(program.pid).state == "Z")
            assert not procfs.process(program.pid).has_ended
            assert not module._is_stopped(program.pid)
            program.send_signal(signal.SIGSTOP)
            wait_until(lambda: module._is_stopped(program.pid))
        finally:
            program.kill()


def wait_until(condition: Callable[[], bool]) -> None:
    while not condition():
        time.sleep(0.01)


@pytest.mark.parametrize("has_group", [True, False], ids=["group", "no group"])
def test_a_frozen_bot_can_be_killed(has_group: bool, level: Level, start: Start) -> None:
    process = start(level, ALIVE)
    if not has_group:
        process._group = None
    assert read(process)
    process.freeze()
    process.kill()
    assert process.exit_status() == -signal.SIGKILL
    assert not Path(f"/proc/{process.pid}").exists()


def test_use_is_that_of_the_bot_at_every_level(level: Level, start: Start) -> None:
    code = "kept = b'x' * (64 << 20)\nfor _ in range(10**6): pass\n" + ALIVE
    process = start(level, code)
    assert read(process)
    used = process.usage()
    assert used is not None
    assert used.memory > 64 << 20
    assert used.cpu_ns > 0
    assert used.processes == 1
    process.kill()
    assert process.usage() is None


def test_a_cell_goes_with_its_process(level: Level, start: Start, workspace: Workspace) -> None:
    process = start(level, ALIVE)
    assert list((workspace.root / "cells").iterdir())
    process.kill()
    assert not list((workspace.root / "cells").iterdir())


@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENOMEM])
def test_a_start_that_fails_leaves_nothing(number, start, workspace, monkeypatch) -> None:
    MACHINE.require(Level.LIMITS)

    def fail(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr("arena.hosting.process._popen", fail)
    with pytest.raises(OSError) as caught:  # noqa: PT011 - the number says which
        start(Level.LIMITS, ALIVE)
    assert caught.value.errno == number
    assert not list((workspace.root / "cells").iterdir())


@pytest.mark.parametrize("counted", [True, False])
def test_times_are_those_of_its_use(counted: bool, level: Level, start: Start) -> None:
    process = start(level, "for _ in range(10**6): pass\n" + ALIVE)
    assert read(process)
    if not counted:
        process._group = None
    before, times, after = process.usage(), process.times(), process.usage()
    assert before is not None
    assert times is not None
    assert after is not None
    assert before.cpu_ns <= times.cpu_ns <= after.cpu_ns
    assert (times.waited_ns is None) == (before.waited_ns is None)
    assert times.is_complete == before.is_complete
    assert times.shares.keys() == before.shares.keys()
    process.kill()
    assert process.times() is None
