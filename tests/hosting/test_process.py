from __future__ import annotations

import errno
import json
import os
import signal
import sys
import time
from pathlib import Path

import pytest

from arena.hosting.machine import orphans
from arena.hosting.process import BotProcess, clean_environment
from arena.hosting.sandbox.isolation import Launch

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("leaves_nothing")]


@pytest.fixture(params=[True, False], ids=["pidfd", "no pidfd"])
def pidfd(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if not request.param:
        monkeypatch.delattr(os, "pidfd_open", raising=False)


def python(code: str, folder: str = "/", **env: str) -> Launch:
    return Launch((sys.executable, "-S", "-c", code), folder, env)


def read_all(process: BotProcess) -> bytes:
    """Everything the process writes until it ends."""
    assert process.wait(60)
    return os.read(process.stdout, 65536)


@pytest.mark.usefixtures("pidfd")
@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("pass", 0),
        ("raise SystemExit(3)", 3),
        ("import os; os.kill(os.getpid(), 9)", -signal.SIGKILL),
        ("import os; os.abort()", -signal.SIGABRT),
    ],
)
def test_how_a_process_ended(code: str, status: int) -> None:
    process = BotProcess(python(code))
    try:
        assert process.wait(60)
        assert process.exit_status() == status
    finally:
        process.kill()
    assert process.exit_status() == status


@pytest.mark.usefixtures("pidfd")
def test_a_process_that_runs_has_not_ended() -> None:
    process = BotProcess(python("input()"))
    try:
        assert not process.wait(0.05)
        assert process.exit_status() is None
        assert not process.ended()
        process.close_stdin()
        assert process.wait(60)
    finally:
        process.kill()


def test_kill_reaps_and_may_be_repeated() -> None:
    process = BotProcess(python("input()"))
    process.kill()
    process.kill()
    assert process.exit_status() == -signal.SIGKILL
    assert process.pid not in orphans.children()


def test_the_group_dies_with_its_leader() -> None:
    orphans.adopt_orphans()
    before = set(orphans.children())
    process = BotProcess(
        python("import os, time\nos.fork()\nprint(os.getpid(), flush=True)\ntime.sleep(60)")
    )
    try:
        give_up = time.monotonic() + 60
        pids = b""
        while pids.count(b"\n") < 2 and time.monotonic() < give_up:
            time.sleep(0.01)
            pids += _read_now(process)
    finally:
        process.kill()
    assert process.pid not in orphans.children()
    orphans.sweep(keep=before)  # the child was killed with the group and is reaped here
    for pid in pids.split():
        assert not Path(f"/proc/{int(pid)}").exists()


def _read_now(process: BotProcess) -> bytes:
    try:
        return os.read(process.stdout, 100)
    except BlockingIOError:
        return b""


def test_a_bot_gets_a_clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("API_KEY", "secret")
    process = BotProcess(
        python("import json, os; print(json.dumps(dict(os.environ)))", LEVEL="3", HOME="/tmp")
    )
    try:
        found = json.loads(read_all(process))
    finally:
        process.kill()
    assert found.items() >= clean_environment({"LEVEL": "3", "HOME": "/tmp"}).items()
    assert "API_KEY" not in found


def test_a_bot_runs_in_its_folder_and_its_own_session(tmp_path: Path) -> None:
    leads = "os.getsid(0) == os.getpid()"
    code = (
        "import os, select\n"
        "poll = select.poll()\n"
        "for number in range(200): poll.register(number, 0)\n"
        "missing = [event & select.POLLNVAL for _, event in poll.poll(0)].count(select.POLLNVAL)\n"
        f"print(os.getcwd(), {leads}, 200 - missing)"
    )
    process = BotProcess(python(code, str(tmp_path)))
    try:
        folder, is_leader, descriptors = read_all(process).decode().split()
    finally:
        process.kill()
    assert folder == str(tmp_path)
    assert is_leader == "True"
    assert int(descriptors) == 3, "its pipes"


@pytest.mark.parametrize(
    ("launch", "number"),
    [
        (Launch(("/no/such/program",), "/"), errno.ENOENT),
        (Launch((sys.executable,), "/no/such/folder"), errno.ENOENT),
        (Launch(("/etc/passwd",), "/"), errno.EACCES),
    ],
)
def test_what_cannot_be_started_raises(launch: Launch, number: int) -> None:
    with pytest.raises(OSError) as caught:  # noqa: PT011 - the number says which
        BotProcess(launch)
    assert caught.value.errno == number


@pytest.mark.parametrize("number", [errno.ENOSYS, errno.EMFILE])
def test_a_system_that_refuses_pidfds_is_one_without(number, monkeypatch) -> None:
    def refuse(pid: int) -> int:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "pidfd_open", refuse, raising=False)
    process = BotProcess(python("pass"))
    try:
        assert process.pidfd is None
        assert process.wait(60)
    finally:
        process.kill()
