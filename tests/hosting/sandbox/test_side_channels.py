from __future__ import annotations

import ctypes
import errno
import os
import sys
from pathlib import Path

import pytest

from arena.hosting.process import BotProcess
from arena.hosting.sandbox import side_channels
from arena.hosting.sandbox.isolation import Launch, Level
from arena.hosting.workspace.cells import Workspace
from tests.hosting.bots import MACHINE, finished


def number() -> int:
    reading, writing = os.pipe()
    try:
        return os.fstat(reading).st_ino
    finally:
        os.close(reading)
        os.close(writing)


@pytest.mark.parametrize("by_sockets", [True, False])
def test_a_secret_amount_of_numbers_is_used_up(by_sockets, monkeypatch) -> None:
    if by_sockets:
        assert side_channels._is_numbered()
    else:  # as where another rule refuses the socket before it has a number
        monkeypatch.setattr(side_channels, "_refused_socket", lambda: -1)
        ctypes.set_errno(errno.EACCES)
        assert not side_channels._is_numbered()
    wanted: list[int] = []

    def secret(most: int) -> int:
        wanted.append(most)
        return 1500

    monkeypatch.setattr(side_channels.secrets, "randbelow", secret)
    used = []
    for _ in range(3):  # on another processor the count is another one
        before = number()
        side_channels.skip_inode_numbers()
        used.append(number() - before)
    assert wanted == [side_channels.MAX_INODE_NUMBERS] * 3
    assert max(used) >= 1500


def test_the_amounts_differ() -> None:
    used = []
    for _ in range(8):
        before = number()
        side_channels.skip_inode_numbers()
        used.append(number() - before)
    assert len(set(used)) > 4


@pytest.mark.process
@pytest.mark.parametrize("level", list(Level))
def test_it_is_done_for_sandboxes(level, tmp_path, monkeypatch) -> None:
    MACHINE.require(level)
    done: list[None] = []
    monkeypatch.setattr(side_channels, "skip_inode_numbers", lambda: done.append(None))
    workspace = Workspace.create()
    try:
        place = str(workspace.snapshot("bot", tmp_path))
        command = (sys.executable, "-S", "-c", "print('ready')")
        assert finished(
            BotProcess(Launch(command, place, level=level, copied=True), workspace)
        ) == ("ready\n", "")
    finally:
        workspace.close()
    assert len(done) == level.at_least(Level.LANDLOCK)


def test_the_kernel_is_told_to_forget_names(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(side_channels, "DROP_CACHES", str(tmp_path / "caches"))
    assert not side_channels.can_drop_name_cache()
    side_channels.drop_name_cache()
    written = (tmp_path / "caches").read_bytes()
    assert int(written) & 2, "names and inodes"
    assert not int(written) & 1, "pages stay: all would be slow without them"
    monkeypatch.setattr(side_channels, "DROP_CACHES", str(tmp_path / "nowhere" / "caches"))
    side_channels.drop_name_cache()


@pytest.mark.skipif(not side_channels.can_drop_name_cache(), reason="only root may, where it may")
def test_names_are_forgotten(tmp_path: Path) -> None:
    def known() -> int:
        return int(Path("/proc/sys/fs/dentry-state").read_text().split()[0])

    for number in range(20_000):
        (tmp_path / f"no-{number}").exists()
    before = known()
    side_channels.drop_name_cache()
    assert known() < before - 10_000
