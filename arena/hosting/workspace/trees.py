"""Copy and remove whole folders with untrusted contents.

The functions use directory descriptors and never follow a link. Neither the depth nor the
permissions of what a bot has left can stop a removal.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Final, TypeAlias

Skip: TypeAlias = Callable[[str, bool], bool]
"""Predicate of a relative path, and whether it is a folder: True to leave it out."""

_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY
_SOURCE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
_TARGET: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
_HANDLE: Final = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW
_CHUNK: Final = 1 << 20
_PRIVATE: Final = 0o700
_OPEN: Final = 0o755
_PLAIN: Final = 0o644
_LISTED: Final = 0o006
"""Permission bits of others that allow them to list or change a folder."""
_MAX_DEPTH: Final = 100
_ATTEMPTS: Final = 8


def skip_nothing(path: str, is_folder: bool) -> bool:
    """Return False: nothing is left out."""
    return False


def is_foreign(path: str, is_folder: bool) -> bool:
    """Return whether a path is not part of a bot: data of git or Python's cache.

    ``.git`` may also be a file, which names the repository's folder.
    """
    name = os.path.basename(path)
    return name == ".git" or (is_folder and name == "__pycache__")


def copy_tree(
    source: Path,
    target: Path,
    *,
    owner: int | None = None,
    skip: Skip = skip_nothing,
    most: int | None = None,
    opened: int | None = None,
) -> None:
    """Copy a folder to a new one. Links stay links, with the same text.

    The copy keeps only paths, contents and the owner's executable bit: no other permissions, times
    or order. So a digest of these identifies a copy. ``owner``: user and group of the
    copy; None for those of this process. ``most``: maximal size of all files, in bytes, checked
    before a file is read; None for no limit. ``opened``: a descriptor of ``source``, whose path
    then only names it. A folder whose contents ``skip`` leaves out is left out, too. The new folder
    itself is accessible only to its owner (0700). Raises OSError with the path at fault, in the
    source or in the copy; also for anything that is not a file, folder or link.
    """
    os.mkdir(target, _PRIVATE)
    copy = _Copy(source, target, owner, skip, most)
    origins = _opened(source) if opened is None else contextlib.nullcontext(opened)
    with origins as origin, _opened(target) as goal:
        copy.entries(origin, goal, "", 0)
        with _named(target):
            copy.hand_over(goal)


class _Copy:
    def __init__(
        self, source: Path, target: Path, owner: int | None, skip: Skip, most: int | None
    ) -> None:
        self._room = most
        self._source = source
        self._target = target
        self._owner = owner
        self._skip = skip

    def entries(self, origin: int, goal: int, path: str, depth: int) -> bool:
        """Copy everything in the folder ``origin``, at ``path`` below the source, into ``goal``.

        Returns whether the folder itself counts: not if all its contents were left out.
        """
        if depth > _MAX_DEPTH:
            shown = str(self._source / path)
            raise OSError(errno.ELOOP, f"more than {_MAX_DEPTH} folders deep", shown)
        with _named(self._source / path), os.scandir(origin) as found:
            entries = sorted(found, key=lambda entry: entry.name)
        counts = not entries
        for entry in entries:
            below = os.path.join(path, entry.name)
            with _named(self._source / below):
                if not self._skip(below, entry.is_dir(follow_symlinks=False)):
                    counts |= self._entry(entry, origin, goal, below, depth)
        return counts

    def _entry(
        self, entry: os.DirEntry[str], origin: int, goal: int, path: str, depth: int
    ) -> bool:
        """Copy one entry; return whether it counts."""
        name, made = entry.name, self._target / path
        if entry.is_symlink():
            text = os.readlink(name, dir_fd=origin)
            with _named(made):
                os.symlink(text, name, dir_fd=goal)
                if self._owner is not None:
                    os.chown(name, self._owner, self._owner, dir_fd=goal, follow_symlinks=False)
        elif entry.is_dir(follow_symlinks=False):
            with _opened(name, origin) as below, _named(made):
                os.mkdir(name, _PRIVATE, dir_fd=goal)
                with _opened(name, goal) as new:
                    if counts := self.entries(below, new, path, depth + 1):
                        os.fchmod(new, _OPEN)
                        self.hand_over(new)
                if not counts:
                    os.rmdir(name, dir_fd=goal)
            return counts
        elif entry.is_file(follow_symlinks=False):
            self._file(name, origin, goal, path)
        else:
            raise OSError(errno.EINVAL, "neither file nor folder nor link")
        return True

    def _file(self, name: str, origin: int, goal: int, path: str) -> None:
        with _descriptor(os.open(name, _SOURCE, dir_fd=origin)) as source:
            found = os.fstat(source)
            if not stat.S_ISREG(found.st_mode):  # it was a regular file a moment ago
                raise OSError(errno.EINVAL, "neither file nor folder nor link")
            if self._room is not None:
                self._room -= found.st_size
                if self._room < 0:
                    raise OSError(errno.EFBIG, "more than may be copied")
            with (
                _named(self._target / path),
                _descriptor(os.open(name, _TARGET, _PRIVATE, dir_fd=goal)) as target,
            ):
                self._bytes(source, target, found.st_size, path)
                os.fchmod(target, _OPEN if found.st_mode & stat.S_IXUSR else _PLAIN)
                self.hand_over(target)

    def _bytes(self, source: int, target: int, size: int, path: str) -> None:
        """Copy at most ``size`` bytes: a file that grows meanwhile is cut.

        Btrfs and XFS share the blocks of both files until one changes.
        """
        with contextlib.suppress(OSError):  # a failure recurs below, with the path at fault
            while (
                hasattr(os, "copy_file_range")
                and size > 0
                and (done := os.copy_file_range(source, target, size))
            ):
                size -= done
        while size > 0:
            with _named(self._source / path):
                data = os.read(source, min(_CHUNK, size))
            if not data:
                return
            size -= len(data)
            while data:
                data = data[os.write(target, data) :]

    def hand_over(self, descriptor: int) -> None:
        """Give an open file or folder to the owner of the copy."""
        if self._owner is not None:
            os.fchown(descriptor, self._owner, self._owner)


def private_folder(path: Path) -> None:
    """Create a folder that other users cannot enter, with any umask.

    An existing folder keeps its mode, unless others may list it or write to it. So an organiser can
    give access to a group, or let others pass through. Raises OSError.
    """
    try:
        os.mkdir(path)
    except FileExistsError:
        if not path.stat().st_mode & _LISTED:
            return
    path.chmod(_PRIVATE)


def remove_tree(path: Path) -> None:
    """Remove a folder with all its contents; a missing folder is ignored.

    Raises OSError if something remains: it belongs to another user, is a mount point, or is still
    being filled.
    """
    try:
        with _opened(path.parent) as parent:
            _remove(path.name, parent)
    except FileNotFoundError:
        return


def _remove(name: str, parent: int) -> None:
    with _unlocked(name, parent) as pit:
        for _ in range(_ATTEMPTS):  # repeated against a process that still fills it
            _empty(pit)
            with contextlib.suppress(OSError):
                os.rmdir(name, dir_fd=parent)
                return
    os.rmdir(name, dir_fd=parent)


def _empty(pit: int) -> None:
    """Remove the contents of the folder.

    Deeper folders are first moved up to it, so that no path and no stack grows long.
    """
    numbers, prefix = count(), secrets.token_hex(8)
    folders = _remove_files(pit)
    while folders:
        name = folders.pop()
        with contextlib.suppress(FileNotFoundError), _unlocked(name, pit) as folder:
            for below in _remove_files(folder):
                fresh = f"{prefix}-{next(numbers)}"
                _unlock(below, folder)
                os.rename(below, fresh, src_dir_fd=folder, dst_dir_fd=pit)
                folders.append(fresh)
            with contextlib.suppress(OSError):  # filled again: the next attempt removes it
                os.rmdir(name, dir_fd=pit)


def _remove_files(folder: int) -> list[str]:
    """Remove everything in the folder but folders that are not empty; return their names."""
    left = []
    with os.scandir(folder) as found:
        entries = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in found]
    for name, is_folder in entries:
        try:
            os.rmdir(name, dir_fd=folder) if is_folder else os.unlink(name, dir_fd=folder)
        except FileNotFoundError:
            continue
        except OSError:
            if not is_folder:
                raise
            left.append(name)
    return left


@contextlib.contextmanager
def _unlocked(name: str, parent: int) -> Iterator[int]:
    """Open a folder after giving its owner all permissions."""
    _unlock(name, parent)
    with _opened(name, parent) as folder:
        yield folder


def _unlock(name: str, parent: int) -> None:
    """Give the owner all permissions on a folder, even if its mode forbids opening it."""
    if not hasattr(os, "O_PATH"):  # without a handle; no process of a bot lives there any more
        mode = os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode
        if stat.S_ISDIR(mode) and mode & _PRIVATE != _PRIVATE:
            os.chmod(name, _PRIVATE, dir_fd=parent)
        return
    with _descriptor(os.open(name, _HANDLE, dir_fd=parent)) as handle:
        if os.fstat(handle).st_mode & _PRIVATE != _PRIVATE:
            os.chmod(f"/proc/self/fd/{handle}", _PRIVATE)


@contextlib.contextmanager
def _opened(name: str | Path, parent: int | None = None) -> Iterator[int]:
    flags = _FOLDER if parent is None else _FOLDER | os.O_NOFOLLOW
    with _descriptor(os.open(name, flags, dir_fd=parent)) as folder:
        yield folder


@contextlib.contextmanager
def _descriptor(descriptor: int) -> Iterator[int]:
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def _named(path: Path) -> Iterator[None]:
    """Let an OSError name the whole path, not only its last part."""
    try:
        yield
    except OSError as error:
        if not isinstance(error.filename, str) or not os.path.isabs(error.filename):
            error.filename, error.filename2 = str(path), None
        raise
