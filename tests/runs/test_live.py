"""live.json: there while a run is played, worth nothing afterwards; and files that grow."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from arena.runs import live
from arena.runs.live import (
    InHand,
    Live,
    LiveFile,
    SessionStart,
    forget_live,
    is_alive,
    read_live,
)

HAND = InHand("d/a+b:0:0", ("a", "b"), 12.5)


PACE = SessionStart(3.5, {"d": 7}, {"d": 900})


def found(folder: Path) -> Live:
    told = read_live(folder)
    assert told is not None
    return told


def test_it_is_there_while_a_run_is_played(tmp_path: Path) -> None:
    assert read_live(tmp_path) is None
    with LiveFile(tmp_path, PACE, {"by": "terms"}):
        told = found(tmp_path)
        assert (told.pid, told.pace, told.judge) == (os.getpid(), PACE, {"by": "terms"})
        assert told.workers == ()
        assert is_alive(told)
    assert list(tmp_path.iterdir()) == []


def test_at_most_once_a_second(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(live.time, "monotonic", lambda: now[0])
    with LiveFile(tmp_path, PACE) as file:
        file.update(lambda: pytest.fail("asked too early"))
        now[0] += 0.9
        file.update(lambda: pytest.fail("asked too early"))
        now[0] += 0.2
        file.update(lambda: [HAND, None])
        assert found(tmp_path).workers == (HAND, None)


def test_it_is_replaced_as_a_whole_and_read_by_its_owner_alone(tmp_path: Path) -> None:
    with LiveFile(tmp_path, PACE):
        status = (tmp_path / live.LIVE).stat()
        assert stat.S_IMODE(status.st_mode) == 0o600
        assert [path.name for path in tmp_path.iterdir()] == [live.LIVE]


@pytest.mark.parametrize("obstacle", ["folder gone", "folder in its place", "pipe in its place"])
def test_a_failure_to_write_it_is_passed_over(tmp_path: Path, obstacle: str) -> None:
    folder = tmp_path / "run"
    if obstacle != "folder gone":
        folder.mkdir()
    if obstacle == "folder in its place":
        (folder / live.LIVE).mkdir()
    if obstacle == "pipe in its place":
        os.mkfifo(folder / f".{live.LIVE}")
    with LiveFile(folder, PACE) as file:
        file.update(lambda: [HAND])


def test_what_a_killed_session_left_is_removed(tmp_path: Path) -> None:
    for name in (live.LIVE, f".{live.LIVE}"):
        (tmp_path / name).write_text("{}")
    forget_live(tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("text", [b"", b"{}", b"[1]", b"\xff", b"{" * 5000])
def test_what_is_no_such_file_tells_nothing(tmp_path: Path, text: bytes) -> None:
    (tmp_path / live.LIVE).write_bytes(text)
    assert read_live(tmp_path) is None


def test_of_a_machine_that_was_started_anew_nobody_is_alive() -> None:
    assert not is_alive(Live(os.getpid(), PACE, time.monotonic() + 100))


def test_a_pipe_in_its_place_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / live.LIVE)
    assert read_live(tmp_path) is None


@pytest.mark.process
def test_who_was_killed_is_not_alive() -> None:
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    told = Live(process.pid, PACE, 0.0)
    assert is_alive(told)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not is_alive(told)


@pytest.mark.parametrize("pid", [0, -1, 10**30])
def test_whose_process_cannot_be_looked_at_may_be_alive(pid: int) -> None:
    assert is_alive(Live(pid, PACE, 0.0))
