"""A folder is the old or the new one wherever its replacement fails or is killed."""

from __future__ import annotations

import contextlib
import enum
import errno
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from arena.extensions.publishing import folders
from arena.extensions.publishing.folders import beside, recover, replace_folder, set_aside
from arena.runs.disk import StoreError

CALLS: Final = ("open", "fsync", "rename", "replace", "mkdir", "unlink", "rmdir", "fchmod")
"""Functions of ``os`` that a replacement needs."""
DEAD: Final = 99_999_999
"""Number that no process has."""


class Stop(enum.Enum):
    """How a replacement ends early."""

    KILLED = "killed"
    """No later call does anything, as after a kill."""
    FAILED = "failed"
    """One call raises OSError."""


class Stopped(BaseException):
    """The process is dead."""


class _Calls:
    """Functions of ``os`` that stop at their n-th call, counted over all of them."""

    def __init__(self, stop: Stop, at: int) -> None:
        self.count = 0
        self._stop = stop
        self._at = at

    def wrapped(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **keywords: Any) -> Any:
            self.count += 1
            if self._stop is Stop.KILLED and self.count >= self._at:
                raise Stopped
            if self.count == self._at:
                raise OSError(errno.EIO, "Input/output error")
            return real(*arguments, **keywords)

        return call


def stop_at_every_call(
    place: Path,
    prepare: Callable[[Path], object],
    act: Callable[[Path], object],
    stop: Stop,
    *,
    exchanges: bool = True,
) -> Iterator[Path]:
    """Yield a folder for each call of ``act`` that stopped it, and the one where none did."""
    for at in range(1, 200):
        folder = place / f"{stop.value}-{at}"
        folder.mkdir()
        prepare(folder)
        calls = _Calls(stop, at)
        with (
            pytest.MonkeyPatch.context() as patch,
            contextlib.suppress(OSError, StoreError, Stopped),
        ):
            for name in CALLS:
                patch.setattr(os, name, calls.wrapped(getattr(os, name)))
            exchange = folders._exchange if exchanges else lambda new, target: False
            patch.setattr(folders, "_exchange", calls.wrapped(exchange))
            if stop is Stop.KILLED:
                patch.setattr(os, "getpid", lambda: DEAD)
            act(folder)
        yield folder
        if calls.count < at:
            assert at > 5, "the calls are not counted"
            return
    raise AssertionError("more calls than expected")


def fill(folder: Path, text: str) -> Path:
    (folder / "below").mkdir(parents=True)
    for path in (folder / "one", folder / "below/two"):
        path.write_text(text)
    return folder


def content(folder: Path) -> set[str]:
    assert {path.name for path in folder.rglob("*")} == {"one", "two", "below"}
    return {path.read_text() for path in folder.rglob("*") if path.is_file()}


def replace(folder: Path) -> None:
    target = folder / "target"
    replace_folder(fill(beside(target), "new"), target)


@pytest.mark.parametrize("stop", Stop)
@pytest.mark.parametrize("exchanges", [True, False])
def test_a_folder_is_old_or_new_wherever_it_stops(tmp_path, stop, exchanges) -> None:
    seen = list[set[str]]()
    for folder in stop_at_every_call(
        tmp_path, lambda folder: fill(folder / "target", "old"), replace, stop, exchanges=exchanges
    ):
        assert all(content(path) for path in folder.glob(".*.old")), "it may be restored"
        if stop is Stop.KILLED or not (folder / "target").exists():
            recover(folder / "target")
            assert [path.name for path in folder.iterdir()] == ["target"]
        seen.append(content(folder / "target"))
    assert seen[0] == {"old"}
    assert seen[-1] == {"new"}
    assert all(each in ({"old"}, {"new"}) for each in seen)


@pytest.mark.parametrize("stop", Stop)
def test_a_recovery_may_stop_as_well(tmp_path: Path, stop: Stop) -> None:
    def prepare(folder: Path) -> None:
        fill(folder / f".target-{DEAD}-0.old", "old")
        fill(folder / f".target-{DEAD}-1", "unfinished")

    for folder in stop_at_every_call(
        tmp_path, prepare, lambda folder: recover(folder / "target"), stop
    ):
        recover(folder / "target")
        assert [path.name for path in folder.iterdir()] == ["target"]
        assert content(folder / "target") == {"old"}


def test_a_folder_that_was_set_aside_returns_after_an_error(tmp_path: Path) -> None:
    target = fill(tmp_path / "target", "old")
    with pytest.raises(FileExistsError), set_aside(target):
        fill(fill(target, "new"), "again")
    assert content(target) == {"old"}
    assert list(tmp_path.iterdir()) == [target]


def test_a_recovery_leaves_what_others_need(tmp_path: Path) -> None:
    names = {
        f".target-{os.getpid()}-0",
        f".target-{os.getpid()}-1.old",
        ".target-x-0",
        f".targets-{DEAD}-0",
        "target",
    }
    for name in names:
        (tmp_path / name).mkdir()
    recover(tmp_path / "target")
    assert {path.name for path in tmp_path.iterdir()} == names


def test_links_of_a_tree_are_not_followed(tmp_path: Path) -> None:
    new = fill(beside(tmp_path / "target"), "new")
    (new / "below/gone").symlink_to(tmp_path / "nothing")
    (new / "away").symlink_to("/proc")
    replace_folder(new, tmp_path / "target")
    assert (tmp_path / "target/away").is_symlink()
    assert list(tmp_path.iterdir()) == [tmp_path / "target"]


def test_the_kernel_exchanges_folders_or_says_that_it_does_not(tmp_path: Path) -> None:
    one, other = fill(tmp_path / "one", "one"), fill(tmp_path / "other", "other")
    if not folders._exchange(one, other):
        pytest.skip("the file system cannot exchange folders")
    assert (content(one), content(other)) == ({"other"}, {"one"})
    assert not folders._exchange(one, tmp_path / "missing")
    assert content(one) == {"other"}
