"""A pack on disk: a folder or a zip file, complete or not there, with the same bytes every time."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Protocol

import msgspec

MANIFEST: Final = "manifest.json"
"""In every pack; by it a folder is known as one."""
SCHEMA: Final = "arena.pack/1"
_ZIP: Final = ".zip"
_EPOCH: Final = (1980, 1, 1, 0, 0, 0)
"""The earliest time that a zip file can hold."""
_UNIX: Final = 3
_PLAIN_FILE: Final = 0o100644 << 16


class PackError(Exception):
    """The pack cannot be written there. The text says why, in one line."""


class Sink(Protocol):
    """Takes the files of a pack, one after another."""

    def add(self, name: str, data: bytes) -> None:
        """``name``: relative, with slashes; each only once."""


class _ZipSink:
    def __init__(self, file: zipfile.ZipFile, root: str) -> None:
        self._file = file
        self._root = root

    def add(self, name: str, data: bytes) -> None:
        entry = zipfile.ZipInfo(f"{self._root}/{name}", _EPOCH)
        entry.create_system = _UNIX
        entry.external_attr = _PLAIN_FILE
        entry.compress_type = zipfile.ZIP_DEFLATED
        self._file.writestr(entry, data)


class _FolderSink:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def add(self, name: str, data: bytes) -> None:
        path = self._folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def file_name(text: str) -> str:
    """The text as the name of a file in whatever folder: a run folder can come from anywhere."""
    return re.sub(r"[^\w.+-]", "_", text).lstrip(".") or "_"


def check_target(path: Path, *, force: bool) -> None:
    """Raises PackError if there is something that may not be replaced.

    ``force`` replaces a file by a file, and a folder by a folder if that is a pack or empty.
    """
    if not path.exists() and not path.is_symlink():
        if not path.parent.is_dir():
            raise PackError(f"{path}: the folder {path.parent} does not exist")
        return
    if not force:
        raise PackError(f"{path}: exists already; --force replaces it")
    if is_zip(path):
        if not path.is_file():
            raise PackError(f"{path}: found something that is no regular file")
    elif not _is_replaceable(path):
        raise PackError(f"{path}: found something that is no pack, which --force does not replace")


@contextlib.contextmanager
def writing(path: Path, root: str, *, force: bool = False) -> Iterator[Sink]:
    """A sink for a pack at ``path``: a zip file if the name ends so, else a folder.

    The pack is there as a whole when the block ends, and not at all if it raises. ``root``: the
    folder in a zip file that holds everything. Raises PackError or OSError.
    """
    if not is_zip(path):
        with writing_folder(path, force=force) as folder:
            yield _FolderSink(folder)
        return
    check_target(path, force=force)
    with _in_place_of(path) as temporary:
        with temporary.open("xb") as raw, zipfile.ZipFile(raw, "w") as file:
            yield _ZipSink(file, root)
        temporary.replace(path)


@contextlib.contextmanager
def writing_folder(path: Path, *, force: bool = False) -> Iterator[Path]:
    """An empty folder that takes the place of ``path`` when the block ends; else as ``writing``."""
    check_target(path, force=force)
    with _in_place_of(path) as temporary:
        temporary.mkdir()
        yield temporary
        _replace_folder(Path(os.path.abspath(path)), temporary)


@contextlib.contextmanager
def _in_place_of(path: Path) -> Iterator[Path]:
    """Where it may be made; nothing is left there if the block raises."""
    path = Path(os.path.abspath(path))
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        yield temporary
    except BaseException:
        _remove(temporary)
        raise


def is_zip(path: Path) -> bool:
    """Whether that is the name of a zip file."""
    return path.name.lower().endswith(_ZIP)


def _is_replaceable(path: Path) -> bool:
    if path.is_symlink() or not path.is_dir():
        return False
    return not any(path.iterdir()) or _has_manifest(path)


def _has_manifest(folder: Path) -> bool:
    file = folder / MANIFEST
    if not file.is_file():
        return False
    try:
        found = msgspec.json.decode(file.read_bytes())
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return False
    return isinstance(found, dict) and found.get("schema") == SCHEMA


def _replace_folder(path: Path, new: Path) -> None:
    if not path.exists():
        new.rename(path)
        return
    old = path.with_name(f"{new.name}.old")
    path.rename(old)
    new.rename(path)
    shutil.rmtree(old)


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        if path.is_dir():
            shutil.rmtree(path)
        else:
            os.unlink(path)
