"""Give a process what its bot learnt in earlier rounds, and take what it writes for later ones.

A process finds two folders: one to read, and an empty one to write. A bot is not trusted: nothing
but plain files of its own is read, and no link is followed.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

from arena.values.results import LEARNT_NAME, Learning

READ: Final = "ARENA_READ"
WRITE: Final = "ARENA_WRITE"
"""Variables in the environment of a process with the paths of its two folders."""
FLOOD: Final = 16
"""Multiple of the bounds at which a running process is ended, before it fills the disk."""
_PRIVATE: Final = 0o700
_BLOCK: Final = 512
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_MACHINE: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EIO})
"""Errors that are not the fault of a bot."""


class _Unfit(Exception):
    """Files cannot be kept; the text has the reason."""


class Given(NamedTuple):
    """Files that a process is given, and the bounds on what it may keep."""

    files: Mapping[str, bytes]
    most: Learning


class LearningFolders:
    """The two folders of a process, in its cell."""

    def __init__(self, place: Path, given: Given, owner: int | None) -> None:
        """Create the folders in ``place``, for the user ``owner``. Raises OSError."""
        self.read, self.write = str(place / "read"), str(place / "write")
        self.written: dict[str, bytes] = {}
        """Contents by name of the files to keep, once ``take`` was called."""
        self.dropped = ""
        """Reason why its files are not kept; empty if they are."""
        self.error: OSError | None = None
        """Error of the machine by which its files could not be read."""
        self._most = given.most
        self._owner = os.geteuid() if owner is None else owner
        for folder in (self.read, self.write):
            os.mkdir(folder, _PRIVATE)
        for name, content in given.files.items():
            Path(self.read, name).write_bytes(content)
        files = (os.path.join(self.read, name) for name in given.files)
        for path in (*files, self.read, self.write) if owner is not None else ():
            os.chown(path, self._owner, self._owner)

    @property
    def env(self) -> dict[str, str]:
        """Variables for the process, with the paths outside of any sandbox."""
        return {READ: self.read, WRITE: self.write}

    def is_flooded(self) -> bool:
        """Return whether the process has written so much that it would fill the disk."""
        entries, size, folders = 0, 0, [self.write]
        while folders:
            try:
                with os.scandir(folders.pop()) as found:
                    for entry in found:
                        entries += 1
                        with contextlib.suppress(FileNotFoundError):
                            size += entry.stat(follow_symlinks=False).st_blocks * _BLOCK
                        if entries > FLOOD * self._most.files or size > FLOOD * self._most.size:
                            return True
                        if entry.is_dir(follow_symlinks=False):
                            folders.append(entry.path)
            except (FileNotFoundError, NotADirectoryError):
                pass  # the bot has replaced it meanwhile
            except OSError as error:  # as of folders too deep or not permitted to be looked into
                return error.errno not in _MACHINE
        return False

    def take(self) -> None:
        """Read what the process left; it has ended, or at least been killed. Never raises.

        Nothing is read after ``dropped`` was set.
        """
        try:
            self.written = {} if self.dropped else self._files()
        except _Unfit as reason:
            self.dropped = str(reason)
        except OSError as error:
            if error.errno in _MACHINE:
                self.error = error
            else:
                self.dropped = f"it cannot be read: {error.strerror}"

    def _files(self) -> dict[str, bytes]:
        """Return contents by name. Raises _Unfit and OSError."""
        found, room = {}, self._most.size
        folder = os.open(self.write, _FOLDER)
        try:
            with os.scandir(folder) as entries:
                names = sorted(each.name for each in islice(entries, self._most.files + 1))
            if len(names) > self._most.files:
                raise _Unfit(f"it is more than {self._most.files} files")
            for name in names:
                if not LEARNT_NAME.fullmatch(name):
                    raise _Unfit("a name has other characters than letters, digits and . _ + - @")
                found[name] = self._content(name, folder, room)
                room -= len(found[name])
        finally:
            os.close(folder)
        return found

    def _content(self, name: str, folder: int, room: int) -> bytes:
        """Return the content of a file, at most ``room`` bytes. Raises _Unfit and OSError."""
        self._check(os.stat(name, dir_fd=folder, follow_symlinks=False), room)
        with open(os.open(name, _FILE, dir_fd=folder), "rb") as file:
            self._check(os.fstat(file.fileno()), room)  # it may have been another file before
            return file.read(room)

    def _check(self, found: os.stat_result, room: int) -> None:
        if not stat.S_ISREG(found.st_mode):
            raise _Unfit("it holds something that is no file")
        if found.st_nlink != 1:
            raise _Unfit("a file has several names")
        if found.st_uid != self._owner:
            raise _Unfit("a file belongs to another user")
        if found.st_size > room:
            raise _Unfit(f"it is more than {self._most.size} bytes")
