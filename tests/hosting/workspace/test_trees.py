"""Copies and removals of folders that were made to be difficult."""

from __future__ import annotations

import errno
import os
import shutil
import socket
import stat
import subprocess
from pathlib import Path
from typing import Any

import pytest

from arena.hosting.workspace import trees
from arena.hosting.workspace.trees import copy_tree, is_foreign, remove_tree

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("leaves_nothing")]

DEPTH = 2000
"""Folders in one another: more than a path, a stack or the descriptors of a process can take."""


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "source"
    (folder / "lib" / "deep").mkdir(parents=True)
    (folder / "main.py").write_text("print()\n")
    (folder / "lib" / "deep" / "data").write_bytes(bytes(range(256)) * 8192)
    (folder / "empty").touch()
    (folder / "run").write_text("#!/bin/sh\n")
    (folder / "run").chmod(0o4755)
    (folder / "closed").mkdir()
    (folder / "closed").chmod(0o555)
    (folder / "link").symlink_to("lib/deep/data")
    (folder / "outside").symlink_to("/etc/passwd")
    (folder / "dangling").symlink_to("nowhere")
    for skipped in (".git", "lib/__pycache__", "old/__pycache__"):
        (folder / skipped).mkdir(parents=True)
        (folder / skipped / "x").touch()
    return folder


def test_a_copy_has_the_same_files_links_and_executable_bits(source: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copy_tree(source, copy, skip=is_foreign)
    found = {str(path.relative_to(copy)) for path in copy.rglob("*")}
    assert found == {
        *("main.py", "lib", "lib/deep", "lib/deep/data", "empty", "run", "closed"),
        *("link", "outside", "dangling"),
    }
    assert (copy / "lib/deep/data").read_bytes() == (source / "lib/deep/data").read_bytes()
    assert os.readlink(copy / "outside") == "/etc/passwd"
    assert os.readlink(copy / "link") == "lib/deep/data"
    assert (mode(copy / "run"), mode(copy / "closed")) == (0o755, 0o755)
    assert mode(copy / "main.py") == 0o644
    assert mode(copy) == 0o700


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_a_copy_belongs_to_its_owner_entirely(source: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copy_tree(source, copy, owner=12345)
    owners = {(path.lstat().st_uid, path.lstat().st_gid) for path in [copy, *copy.rglob("*")]}
    assert owners == {(12345, 12345)}
    assert Path("/etc/passwd").stat().st_uid == 0


def a_socket(path: Path) -> None:
    folder = os.getcwd()
    os.chdir(path.parent)  # the path of a socket must be short
    with socket.socket(socket.AF_UNIX) as end:
        end.bind(path.name)
    os.chdir(folder)


@pytest.mark.parametrize("make", [os.mkfifo, a_socket])
def test_special_files_are_refused_by_name(source, tmp_path, make) -> None:
    make(odd := source / "lib" / "odd")
    with pytest.raises(OSError, match="neither file nor folder nor link") as caught:
        copy_tree(source, tmp_path / "copy")
    assert caught.value.filename == str(odd)


def test_what_cannot_be_read_is_refused_by_name(source: Path, tmp_path: Path) -> None:
    shutil.rmtree(source)
    with pytest.raises(FileNotFoundError) as caught:
        copy_tree(source, tmp_path / "copy")
    assert caught.value.filename == str(source)


@pytest.mark.parametrize(
    ("call", "path"),
    [
        *(("write", "empty"), ("mkdir", "lib"), ("symlink", "link"), ("fchmod", "lib/deep/data")),
        *(("fchown", "closed"), ("chown", "dangling")),
    ],
)
def test_a_full_disk_is_told_of_the_copy(call, path, source, tmp_path, monkeypatch) -> None:
    for entry in source.iterdir():
        if entry.name not in Path(path).parts:
            shutil.rmtree(entry) if entry.is_dir() and not entry.is_symlink() else entry.unlink()
    if path == "empty":
        (source / path).write_text("no more")
    copy, whole = tmp_path / "copy", getattr(os, call)

    def fail(*args: Any, **more: Any) -> Any:
        if args[0] == copy or (call == "fchown" and os.path.samestat(os.fstat(args[0]), top())):
            return whole(*args, **more)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def top() -> os.stat_result:
        return copy.stat()

    monkeypatch.setattr(os, call, fail)
    if call == "write":  # both write
        monkeypatch.setattr(os, "copy_file_range", fail, raising=False)
    with pytest.raises(OSError, match="No space left") as caught:
        copy_tree(source, copy, owner=os.getuid(), skip=is_foreign)
    assert caught.value.filename == str(copy / path)


def test_a_copy_has_a_greatest_depth(tmp_path: Path) -> None:
    (tmp_path / "source").joinpath(*["d"] * 200).mkdir(parents=True)
    with pytest.raises(OSError, match="more than 100 folders deep") as caught:
        copy_tree(tmp_path / "source", tmp_path / "copy")
    assert caught.value.errno == errno.ELOOP


def dig(folder: Path, depth: int) -> None:
    """Folders in one another, each with a file, all of them closed."""
    here = os.open(folder, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir("deeper", dir_fd=here)
        below = os.open("deeper", os.O_RDONLY, dir_fd=here)
        os.close(os.open("file", os.O_CREAT | os.O_WRONLY, 0o000, dir_fd=below))
        os.mkdir("beside", 0o000, dir_fd=below)
        os.fchmod(here, 0o000)
        os.close(here)
        here = below
    os.close(here)


@pytest.mark.slow
def test_a_deep_and_closed_tree_is_removed(tmp_path: Path) -> None:
    (tree := tmp_path / "tree").mkdir()
    dig(tree, DEPTH)
    remove_tree(tree)
    assert os.listdir(tmp_path) == []


@pytest.mark.skipif(os.geteuid() != 0, reason="the tests run as an ordinary user anyway")
def test_an_ordinary_user_can_do_so_too(tmp_path: Path) -> None:
    python = Path("/usr/bin/python3")
    if not python.exists():
        pytest.skip("no Python that everybody can reach")
    code = (
        "import os, pathlib, sys, types\n"
        "trees = types.ModuleType('trees'); exec(sys.argv[1], trees.__dict__)\n"
        "tree = pathlib.Path(sys.argv[2]) / 'tree'; tree.mkdir()\n"
        "for name in 'ab':\n"
        "    (tree / name / 'c' / 'd').mkdir(parents=True)\n"
        "    (tree / name / 'c' / 'd' / 'f').touch()\n"
        "    for folder in ('c/d', 'c', ''): (tree / name / folder).chmod(0)\n"
        "tree.chmod(0)\n"
        "trees.remove_tree(tree)\n"
        "print(os.getuid(), tree.exists())\n"
    )
    source = Path(trees.__file__).read_text("utf-8")  # the program itself may be out of reach
    folder = Path("/tmp") / f"trees-{os.getpid()}"
    folder.mkdir()
    os.chown(folder, 12345, 12345)
    try:
        ran = subprocess.run(
            [str(python), "-I", "-c", code, source, str(folder)],
            capture_output=True,
            text=True,
            user=12345,
            group=12345,
            extra_groups=(),
            cwd="/",
        )
    finally:
        shutil.rmtree(folder)
    assert (ran.stdout, ran.stderr) == ("12345 False\n", "")


def test_a_removal_follows_no_link(tmp_path: Path) -> None:
    (kept := tmp_path / "kept").mkdir()
    (kept / "file").touch()
    (tree := tmp_path / "tree").mkdir()
    (tree / "to-folder").symlink_to(kept)
    (tree / "to-file").symlink_to(kept / "file")
    (tree / "below").mkdir()
    (tree / "below" / "up").symlink_to("../../kept")
    remove_tree(tree)
    assert not tree.exists()
    assert (kept / "file").exists()
    (link := tmp_path / "link").symlink_to(kept)
    with pytest.raises(NotADirectoryError):
        remove_tree(link)
    assert (kept / "file").exists()


def test_what_is_gone_is_removed_already(tmp_path: Path) -> None:
    remove_tree(tmp_path / "gone")
    remove_tree(tmp_path / "gone" / "deeper")
