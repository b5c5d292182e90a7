"""Files of a run folder: read, append and replace them safely, and explain failures of disks."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import shlex
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import UnionType
from typing import Any, Final, TypeVar

import msgspec

from arena.values.bad_input import ArenaError
from arena.values.problems import shown_path

_REMEDIES: Final = {
    errno.ENOSPC: "free some space",
    errno.EDQUOT: "free some space",
    errno.EFBIG: "raise the limit on the size of files",
    errno.EROFS: "make it writable",
    errno.EACCES: "make it writable",
    errno.EPERM: "make it writable",
    errno.EIO: "check the disk",
    errno.EMFILE: "raise the limit on open files",
    errno.ENFILE: "close some programs",
}


NOT_READABLE: Final = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)
"""Exceptions of decoding a file that arena did not write."""

STORE_LOG: Final = "arena.store"
"""Name of the log for oddities of a run folder that do not end the run."""

T = TypeVar("T")


class StoreError(ArenaError):
    """The run folder cannot be used. The message says where and why, on one line."""


def cannot_write(path: Path, error: OSError, run: Path | None = None) -> StoreError:
    """Return the error of a failed write, on one line; with ``run``, also how to resume it."""
    text = f"{error.filename or path}: cannot be written: {error.strerror}"
    remedy = _REMEDIES.get(error.errno or 0)
    if run is not None and remedy is not None:
        text += f"; nothing that was saved is lost: {remedy}, then: arena {to_continue(run)}"
    return StoreError(text)


@contextlib.contextmanager
def writing(path: Path, run: Path | None = None) -> Iterator[None]:
    """Raise the error of ``cannot_write`` if the block raises OSError."""
    try:
        yield
    except OSError as error:
        raise cannot_write(path, error, run) from error


@contextlib.contextmanager
def reading(path: Path) -> Iterator[None]:
    """Raise StoreError if the block, which reads ``path``, raises OSError."""
    try:
        yield
    except OSError as error:
        raise StoreError(f"{path}: cannot be read: {error.strerror}") from None


def to_continue(run: Path) -> str:
    """Return the command that resumes the run, without the program's name."""
    is_of_ladder = (run.parent / "ladder.yaml").is_file()
    word, folder = ("ladder", run.parent) if is_of_ladder else ("run", run)
    return f"{word} {shlex.quote(shown_path(folder))}"


def stored_lines(
    path: Path, kind: type[T], what: str, advice: Callable[[], str] = str
) -> Iterator[tuple[int, T]]:
    """Yield every line of a JSON lines file with its number, from 1; nothing without a file.

    A torn last line is left out. Raises StoreError, which ends with what ``advice`` returns, at a
    line that is not a ``what``.
    """
    decoder = msgspec.json.Decoder(kind)
    check_file(path)
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if not line.endswith(b"\n"):
                    return
                try:
                    found = decoder.decode(line)
                except NOT_READABLE as error:
                    raise StoreError(f"{path}:{number}: no {what}: {error}{advice()}") from None
                yield number, found
    except FileNotFoundError:
        return
    except OSError as error:
        raise StoreError(f"{path}: cannot be read: {error.strerror}") from None


def read_json(path: Path, kind: type[Any] | UnionType) -> Any:
    """Return a JSON file decoded as ``kind``, a struct or a union of structs. Raises StoreError."""
    check_file(path)
    try:
        with reading(path):
            return msgspec.json.decode(path.read_bytes(), type=kind)
    except NOT_READABLE as error:
        raise StoreError(f"{path}: found something else than arena writes there: {error}") from None


def write_json(path: Path, document: msgspec.Struct) -> None:
    """Replace a file with an indented struct; create its folder if needed. Raises StoreError."""
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n")


def check_file(path: Path) -> None:
    """Raise StoreError if ``path`` exists and is not a regular file: reading it might never end."""
    with contextlib.suppress(OSError):
        if not stat.S_ISREG(path.stat().st_mode):
            raise StoreError(f"{path}: found something that is no regular file")


def write_atomically(path: Path, data: bytes, mode: int = 0o644) -> None:
    """Replace a file so that readers see the old or the new one, never a part.

    Raises OSError, which names ``path``.
    """
    try:
        _replace(path, data, mode)
    except OSError as error:  # it may name the temporary file
        raise OSError(error.errno, error.strerror, str(path)) from None


def _replace(path: Path, data: bytes, mode: int) -> None:
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fchmod(file.fileno(), mode)
            flush(file.fileno())
        Path(temporary).replace(path)
    except BaseException:
        remove(Path(temporary))
        raise
    sync(path.parent)


def in_place(path: str, flags: int) -> int:
    """Open the file ``path``, as an ``opener`` of ``open``; refuse a link or pipe in its place.

    Otherwise arena would write to a file of another user, or wait for a reader. A new file is
    private to its owner: it holds logs and exchanges of bots, which only their authors may read.
    Raises OSError.
    """
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o600)


def write_named(path: Path, data: bytes) -> None:
    """Write to a path that a person named: replace a file atomically, write to a device or pipe.

    Raises OSError.
    """
    try:
        is_file = stat.S_ISREG(path.stat().st_mode)
    except FileNotFoundError:
        is_file = True
    if not is_file:
        path.write_bytes(data)
        return
    write_atomically(Path(os.path.realpath(path)), data)


def sync(path: Path) -> None:
    """Wait until a file, or the directory entries of a folder, are on disk. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        flush(descriptor)
    finally:
        os.close(descriptor)


def flush(descriptor: int) -> None:
    """Wait until the written data is on disk. Raises OSError.

    The ``fsync`` of some systems ends as soon as the disk has the data in its own memory.
    """
    if hasattr(fcntl, "F_FULLFSYNC"):
        with contextlib.suppress(OSError):  # not of every file system
            fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
            return
    os.fsync(descriptor)


def is_running(pid: int) -> bool:
    """Return whether a process has the id ``pid``, as far as this user can see."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True  # a process of another user
    return True


def remove(path: Path) -> None:
    """Remove a file, a link or a folder, as far as that is possible."""
    with contextlib.suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


def append_line(path: Path, line: bytes, mode: int = 0o644) -> None:
    """Append a line to a file on disk, after cutting off a torn one. Raises as ``AppendLog``."""
    with contextlib.closing(AppendLog(path, complete_lines_end(path), mode)) as log:
        log.append(line)


class AppendLog:
    """An append-only file; appended data is on disk before it counts."""

    def __init__(self, path: Path, length: int, mode: int = 0o644) -> None:
        """Open the file and truncate it to ``length`` bytes. ``mode``: permissions of a new file.

        Raises OSError, or StoreError if the path is not a regular file.
        """
        self.path = path
        self._length = length
        flags = (
            os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOFOLLOW
        )
        check_file(path)
        self._descriptor = os.open(path, flags, mode)
        try:
            os.ftruncate(self._descriptor, length)
        except BaseException:
            self.close()
            raise

    def append(self, data: bytes) -> None:
        """Write all of ``data`` and wait until it is on disk.

        Raises OSError; the file then holds an unknown part of the data, and nothing more may be
        appended.
        """
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(self._descriptor, rest) :]
        flush(self._descriptor)
        self._length += len(data)

    def is_in_place(self) -> bool:
        """Return whether the path still leads to the file that was opened."""
        try:
            return os.path.samestat(self.path.stat(), os.fstat(self._descriptor))
        except OSError:
            return False

    def is_as_left(self) -> bool:
        """Return whether the file has the length that this object left. Raises OSError."""
        return os.fstat(self._descriptor).st_size == self._length

    def close(self) -> None:
        """Close the file; a second call does nothing."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def complete_lines_end(path: Path) -> int:
    """Return the length of the file without a torn last line; 0 without a file. Raises OSError."""
    if not path.exists():
        return 0
    with path.open("rb") as file:
        end = file.seek(0, os.SEEK_END)
        while end:
            start = max(0, end - 65536)
            file.seek(start)
            newline = file.read(end - start).rfind(b"\n")
            if newline >= 0:
                return start + newline + 1
            end = start
    return 0
