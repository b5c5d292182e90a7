"""Processes that use one copy of a bot's folder: what it costs, and what they can do to it."""

from __future__ import annotations

import json
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any, Final

import pytest

from arena.entrants.folders import folder_digest
from arena.hosting.process import BotProcess
from arena.hosting.sandbox.isolation import Launch, Level
from arena.hosting.workspace import cells as module
from arena.hosting.workspace.cells import Workspace, can_mount
from arena.values.results import Limits
from tests.hosting.bots import MACHINE, PATIENCE

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("leaves_nothing")]

SANDBOXES: Final = (Level.LANDLOCK, Level.BUBBLEWRAP)
IS_ROOT: Final = os.geteuid() == 0
PROGRAM: Final = """
import fcntl, json, os
def lease(kind):
    with open("main.py") as file:
        fcntl.fcntl(file, fcntl.F_SETLEASE, kind)
def lock():
    with open("main.py") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
tries = {
    "append": lambda: open("main.py", "a"),
    "truncate": lambda: os.truncate("main.py", 0),
    "remove": lambda: os.remove("main.py"),
    "rename": lambda: os.rename("main.py", "other.py"),
    "mode of file": lambda: os.chmod("main.py", 0o777),
    "mode of folder": lambda: os.chmod(".", 0o777),
    "mode by descriptor": lambda: os.fchmod(os.open("main.py", os.O_RDONLY), 0o777),
    "owner": lambda: os.chown("main.py", os.getuid(), os.getgid()),
    "times": lambda: os.utime("main.py", (1, 1)),
    "attribute": lambda: os.setxattr("main.py", "user.word", b"1"),
    "new file": lambda: open("new", "w"),
    "new folder": lambda: os.mkdir("new"),
    "link": lambda: os.link("main.py", "new"),
    "link by name": lambda: os.symlink("main.py", "new"),
    "lock": lock,
    "lease to read": lambda: lease(fcntl.F_RDLCK),
    "lease to write": lambda: lease(fcntl.F_WRLCK),
}
done = []
for name, attempt in tries.items():
    try:
        attempt()
        done.append(name)
    except OSError:
        pass
print(json.dumps([os.stat("main.py").st_ino, open("below/data").read(), done]))
"""
"""Reads its folder, and tries whatever would change it or be seen by another process."""


@pytest.fixture(autouse=True)
def temp(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="test-of-sharing-") as folder:
        os.chmod(folder, 0o711)
        monkeypatch.setattr(tempfile, "tempdir", folder)
        yield Path(folder)


@pytest.fixture
def owner(temp: Path) -> Iterator[Workspace]:
    folder = temp / "source" / "below"
    folder.mkdir(parents=True)
    (folder / "data").write_text("data")
    (folder.parent / "main.py").write_text(PROGRAM)
    with closing(Workspace.create()) as workspace:
        workspace.snapshot("bot", folder.parent)
        yield workspace


def launch(owner: Workspace, level: Level, *, writable: bool = False) -> Launch:
    folder = str(owner.snapshot("bot", Path("/nowhere")))
    command = (MACHINE.program("python3"), "-I", f"{folder}/main.py")
    return Launch(command, folder, level=level, limits=Limits(), copied=True, writable=writable)


@pytest.mark.parametrize("level", SANDBOXES)
def test_processes_share_a_folder_that_none_can_change(owner: Workspace, level: Level) -> None:
    MACHINE.require(level)
    wanted = launch(owner, level)
    snapshot = Path(wanted.folder)
    before = folder_digest(snapshot), _states(snapshot)
    with ExitStack() as stack:
        processes = [BotProcess(wanted, owner) for _ in range(2)]
        for each in processes:
            stack.callback(each.kill)
        said = [_said(each) for each in processes]
    inode = (snapshot / "main.py").stat().st_ino
    assert said == [[inode, "data", []]] * 2
    assert (folder_digest(snapshot), _states(snapshot)) == before
    assert stat.S_IMODE(snapshot.parent.stat().st_mode) == 0o700
    assert os.listdir(owner.root / "cells") == []


def _said(process: BotProcess) -> Any:
    assert process.wait(PATIENCE)
    assert process.start_error() is None
    said = os.read(process.stdout, 1 << 16)
    assert said, os.read(process.stderr, 1 << 16)
    return json.loads(said)


def _states(folder: Path) -> dict[str, tuple[int, ...]]:
    """All that one process could change and another see."""
    found = {str(each): each.stat() for each in (folder, *folder.rglob("*"))}
    return {
        name: (each.st_mode, each.st_uid, each.st_nlink, each.st_mtime_ns, each.st_atime_ns)
        for name, each in found.items()
    }


@pytest.mark.parametrize("level", Level)
@pytest.mark.parametrize("writable", [False, True])
@pytest.mark.parametrize("mounts", [False, True])
def test_only_who_may_change_a_folder_gets_a_copy(
    owner: Workspace, monkeypatch: pytest.MonkeyPatch, level: Level, writable: bool, mounts: bool
) -> None:
    monkeypatch.setattr(module, "can_mount", lambda: mounts)
    wanted = launch(owner, level, writable=writable)
    cell = owner.cell(wanted)
    is_shared = level in SANDBOXES and not writable and (mounts or not IS_ROOT)
    is_copy = os.path.exists(os.path.join(cell.folder, "main.py")) and (
        cell.folder != wanted.folder
    )
    assert is_copy != is_shared
    assert cell.source == (wanted.folder if is_shared and IS_ROOT else None)
    cell.close()
    assert Path(wanted.folder, "main.py").is_file()


@pytest.mark.skipif(not IS_ROOT, reason="bots of others are the user of arena")
def test_nobody_else_sees_what_a_process_sees(owner: Workspace) -> None:
    if not can_mount():
        pytest.skip("nothing can be mounted here")
    folder = owner.snapshot("bot", Path("/nowhere"))
    (folder / "main.py").write_text("print(flush=True)\ninput()\n")
    process = BotProcess(launch(owner, Level.LANDLOCK), owner)
    try:
        while not _read(process):
            pass
        (place,) = (owner.root / "cells").iterdir()
        assert os.listdir(place / "bot") == []
    finally:
        process.kill()


def _read(process: BotProcess) -> bytes:
    try:
        return os.read(process.stdout, 1)
    except BlockingIOError:
        return b""
