"""What a process leaves is read without trust."""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.hosting.workspace.learning import FLOOD, Given, LearningFolders
from arena.hosting.workspace.trees import remove_tree
from arena.values.results import Learning

MOST = Learning(size=1024, files=4)
OUTSIDE = b"a secret of the organiser"

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as own:
        own.bind(str(path))


def _sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(10**12)


def _deep(path: Path) -> None:
    here = os.open(path.parent, os.O_RDONLY)
    name = "d" * 250
    for _ in range(20):
        os.mkdir(name, dir_fd=here)
        below = os.open(name, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)


def _many(path: Path) -> None:
    for number in range(FLOOD * MOST.files + 1):
        path.with_name(f"f{number}").touch()


HOSTILE: dict[str, tuple[Callable[[Path], object], str]] = {
    "link": (lambda path: path.symlink_to(path.parents[2] / "secret"), "no file"),
    "hard link": (lambda path: path.hardlink_to(path.parents[2] / "secret"), "several names"),
    "folder": (Path.mkdir, "no file"),
    "link to a folder": (lambda path: path.symlink_to("/etc"), "no file"),
    "pipe": (os.mkfifo, "no file"),
    "socket": (_socket, "no file"),
    "sparse": (_sparse, "more than 1024 bytes"),
    "too large": (lambda path: path.write_bytes(bytes(1025)), "more than 1024 bytes"),
    "too many": (_many, "more than 4 files"),
    "deep": (_deep, "a name"),
    "no UTF-8": (lambda path: Path(os.fsdecode(bytes(path.parent) + b"/\xff")).touch(), "a name"),
    "hidden": (lambda path: path.with_name(".f").touch(), "a name"),
    "a path on another system": (lambda path: path.with_name("..\\f").touch(), "a name"),
    "terminal": (lambda path: path.with_name("\x1b[2J").touch(), "a name"),
    "long name": (lambda path: path.with_name("f" * 101).touch(), "a name"),
    "no folder": (lambda path: path.parent.rmdir(), "cannot be read"),
    "other folder": (
        lambda path: (path.parent.rmdir(), path.parent.symlink_to(path.parents[2])),
        "cannot be read",
    ),
    "device": (lambda path: os.mknod(path, 0o020666, os.makedev(1, 5)), "no file"),
    "of another": (lambda path: (path.touch(), os.chown(path, 4711, 4711)), "another user"),
}
FOR_ROOT = {"device", "of another"}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "secret").write_bytes(OUTSIDE)
    place = tmp_path / "cell"
    place.mkdir()
    return place


def folders(place: Path, given: dict[str, bytes] | None = None) -> LearningFolders:
    return LearningFolders(place, Given(given or {}, MOST), None)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[as_root] * (name in FOR_ROOT)) for name in HOSTILE]
)
def test_nothing_is_kept_of_a_folder_with_anything_but_plain_files(place: Path, name: str) -> None:
    leave, why = HOSTILE[name]
    own = folders(place)
    if not name.startswith(("no folder", "other")):
        Path(own.write, "good").write_bytes(b"1")
    leave(Path(own.write, "f"))
    own.take()
    assert own.written == {}
    assert why in own.dropped
    assert "\x1b" not in own.dropped
    assert own.is_flooded() == (name in ("too many", "deep"))


def test_plain_files_are_kept_by_name_and_content_alone(place: Path) -> None:
    own = folders(place, {"old": b"before"})
    assert Path(own.read, "old").read_bytes() == b"before"
    for name in ("b@2", "a", "empty"):
        Path(own.write, name).write_bytes(name.encode() * (name != "empty"))
    Path(own.write, "a").chmod(0o7755)
    os.utime(Path(own.write, "a"), (1, 1))
    own.take()
    assert list(own.written.items()) == [("a", b"a"), ("b@2", b"b@2"), ("empty", b"")]


@pytest.mark.parametrize(("levels", "is_flooded"), [(1500, False), (1990, True)])
def test_folders_deeper_than_a_stack_do_not_end_the_watchdog(
    place: Path, levels: int, *, is_flooded: bool
) -> None:
    """Nor does a file whose folder can be listed, and whose own path is too long."""
    own = LearningFolders(place, Given({}, Learning(files=1000)), None)
    left = 2 * levels - len(own.write)
    name = "f" * 250
    with contextlib.chdir(own.write):
        for _ in range(left // 2):
            os.mkdir("d")
            os.chdir("d")
        Path(name).touch()
    found = own.is_flooded()
    remove_tree(Path(own.write))  # before pytest tries to
    assert found == is_flooded


def test_an_error_of_the_machine_is_not_taken_for_one_of_the_bot(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = folders(place)

    def refuse(*_: object, **__: object) -> int:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(os, "open", refuse)
    own.take()
    assert own.error is not None
    assert own.dropped == ""
