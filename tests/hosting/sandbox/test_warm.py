"""A bot that a warm launcher starts is in nothing another one than one that was started in full."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from arena.hosting.machine import orphans, procfs
from arena.hosting.process import BotProcess
from arena.hosting.sandbox import confine, warm
from arena.hosting.sandbox.isolation import IsolationError, Launch, Level
from arena.hosting.workspace.cells import Workspace
from tests.hosting.bots import MACHINE, needs_linux

pytestmark = [
    pytest.mark.process,
    pytest.mark.usefixtures("leaves_nothing"),
    needs_linux,
]

LEVELS = [Level.LIMITS, Level.LANDLOCK, Level.BUBBLEWRAP]
STATUS = (
    *(b"Groups", b"NoNewPrivs", b"Seccomp", b"SigBlk", b"SigIgn", b"SigCgt", b"Umask"),
    *(b"CapInh", b"CapPrm", b"CapEff", b"CapBnd", b"CapAmb", b"Cpus_allowed", b"Threads"),
)


@pytest.fixture
def kept(leaves_nothing: None) -> Iterator[warm.Warm]:
    before = orphans.resource.getrlimit(orphans.LOCKS)
    warm.keep(confine.start)
    found = warm._thread_state.warm
    assert found is not None
    yield found
    warm.drop()
    orphans.resource.setrlimit(orphans.LOCKS, before)


@pytest.fixture
def workspace() -> Iterator[Workspace]:
    with closing(Workspace.create()) as owner:
        yield owner


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    for folder in (tmp_path, *list(tmp_path.parents)[:2]):
        folder.chmod(0o755)
    return tmp_path


def start(workspace: Workspace, level: Level, folder: Path, code: str = "") -> BotProcess:
    code = code or "print('here', flush=True); input()"
    command = (os.path.realpath(sys.executable), "-I", "-S", "-c", code)
    snapshot = workspace.snapshot("bot", folder)
    return BotProcess(Launch(command, str(snapshot), level=level, copied=True), workspace)


def said(process: BotProcess) -> bytes:
    os.set_blocking(process.stdout, True)
    return os.read(process.stdout, 1000)


def bot_of(process: BotProcess) -> int:
    """The bot's own process, below those of a sandbox."""
    pid = process.pid
    while below := procfs.children(pid):
        pid = below[0]
    return pid


def seen(process: BotProcess) -> dict[str, object]:
    """All that the kernel tells of a bot that waits for its input."""
    assert said(process) == b"here\n"
    pid = bot_of(process)
    place, found = Path("/proc") / str(pid), procfs.process(pid)
    status = procfs.status(pid)
    names = sorted(part.partition(b"=")[0] for part in procfs.environment(pid))
    links = {name: os.readlink(place / "fd" / name) for name in os.listdir(place / "fd")}
    return {
        "status": {name: status.get(name) for name in STATUS},
        "limits": (place / "limits").read_text(),
        "oom": (place / "oom_score_adj").read_text(),
        "nice": (found.nice, found.policy),
        "environment": names,
        "descriptors": {name: link.partition(":")[0] for name, link in links.items()},
        "parent": procfs.process(process.pid).parent,
        "leads": os.getsid(process.pid) == os.getpgid(process.pid) == process.pid,
        "command": (place / "cmdline").read_bytes(),
        "groups": (place / "cgroup").read_text().count("/arena-"),
    }


@pytest.mark.parametrize("level", LEVELS)
def test_the_kernel_tells_the_same_of_both(level: Level, workspace: Workspace, bot: Path) -> None:
    MACHINE.require(level)
    before = orphans.resource.getrlimit(orphans.LOCKS)
    found = []
    for is_warm in (False, True):
        if is_warm:
            warm.keep(confine.start)
        process = start(workspace, level, bot)
        try:
            found.append(seen(process))
        finally:
            process.kill()
    warm.drop()
    orphans.resource.setrlimit(orphans.LOCKS, before)
    assert found[0] == found[1]
    assert found[1]["parent"] == os.getpid()


@pytest.mark.parametrize("level", LEVELS)
def test_how_it_ended_is_known(level, workspace, bot, kept) -> None:
    MACHINE.require(level)
    for code, status in (("raise SystemExit(7)", 7), ("import os; os.kill(os.getpid(), 9)", -9)):
        process = start(workspace, level, bot, code)
        try:
            assert process.wait(60)
            assert process.exit_status() == status
        finally:
            process.kill()
        assert process.exit_status() == status
        assert process.pid not in orphans.children()


@pytest.mark.usefixtures("kept")
def test_what_fails_on_the_way_is_told(workspace, bot, monkeypatch) -> None:
    MACHINE.require(Level.LIMITS)
    monkeypatch.setattr(confine, "_FIRST_TO_DIE", 12345)
    process = start(workspace, Level.LIMITS, bot)
    try:
        assert process.wait(60)
        error = process.start_error()
        assert isinstance(error, IsolationError)
        assert str(error).endswith("failed in step oom_score: Invalid argument")
    finally:
        process.kill()


def test_where_it_died_bots_are_started_in_full(workspace, bot, kept) -> None:
    MACHINE.require(Level.LIMITS)
    os.kill(kept._process.pid, signal.SIGKILL)
    for _ in range(2):
        process = start(workspace, Level.LIMITS, bot)
        try:
            assert said(process) == b"here\n"
        finally:
            process.kill()
    assert warm._thread_state.warm is None
    assert not orphans.HELPERS


def test_it_is_no_stray(workspace: Workspace, bot: Path, kept: warm.Warm) -> None:
    MACHINE.require(Level.LIMITS)
    orphans.sweep(keep=orphans.children())
    process = start(workspace, Level.LIMITS, bot)
    try:
        assert said(process) == b"here\n"
        assert process.pid in orphans.children()
        assert kept._process.pid not in orphans.children()
    finally:
        process.kill()
    assert warm._thread_state.warm is not None


@pytest.mark.usefixtures("kept")
def test_it_serves_its_own_thread_alone(workspace: Workspace, bot: Path) -> None:
    MACHINE.require(Level.LIMITS)
    found = []
    thread = threading.Thread(target=lambda: found.append(warm.start(-1, -1)))
    thread.start()
    thread.join()
    assert found == [None]


def test_it_is_begun_once_it_is_worth_it(workspace: Workspace, bot: Path) -> None:
    MACHINE.require(Level.LIMITS)
    before = orphans.resource.getrlimit(orphans.LOCKS)
    warm.keep(confine.start, 2)
    found = []
    for _ in range(3):
        found.append(warm._thread_state.warm is not None)
        start(workspace, Level.LIMITS, bot).kill()
    warm.drop()
    orphans.resource.setrlimit(orphans.LOCKS, before)
    assert found == [False, False, True]


def test_who_leaves_at_once_ends_it_himself(kept: warm.Warm) -> None:
    orphans.end_helpers()
    with pytest.raises(ChildProcessError):
        os.waitpid(kept._process.pid, os.WNOHANG)


def test_it_ends_with_its_owner() -> None:
    code = (
        "import os\n"
        "from arena.hosting.sandbox import confine, warm\n"
        "warm.keep(confine.start)\n"
        "print(warm._thread_state.warm._process.pid, flush=True)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    orphans.adopt_orphans()
    reading, writing = os.pipe()
    pid = os.posix_spawn(
        sys.executable,
        [sys.executable, "-c", code],
        os.environ,
        file_actions=[(os.POSIX_SPAWN_DUP2, writing, 1)],
    )
    os.close(writing)
    with os.fdopen(reading) as printed:
        helper = int(printed.readline())
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -9
    assert os.waitpid(helper, 0)[0] == helper
