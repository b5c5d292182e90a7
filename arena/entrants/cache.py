"""A cache of bots for later runs: built ones, revisions, and bots sent by other machines.

There is one folder for each source, build commands and level. There is also one for each state of a
bot's files, at a revision or as sent. A bot cannot plant a folder here: its name is the digest of
everything it was made from, and only our user may write to the cache. Bots that run as our user
without a sandbox can write to it, too.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import platform
import tempfile
import time
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Final

import msgspec

from arena.entrants.folders import FolderError, disk_use, folder_digest
from arena.hosting.sandbox.isolation import Isolation, Level
from arena.hosting.workspace.trees import private_folder, remove_tree
from arena.values.problems import ConfigError, Problem

KEPT_SECONDS: Final = 30 * 86_400.0
"""Time after which an unused bot is removed, in seconds."""
MOST_BYTES: Final = 8 << 30
"""Largest size of all bots of a kind that are not in use, in bytes."""
IN_USE_SECONDS: Final = 3_600.0
"""Time after its last use in which a bot may be in use, in seconds.

Another arena may be about to copy it.
"""

BUILDS: Final = "builds"
REVISIONS: Final = "revisions"
TRAVELLERS: Final = "travellers"
"""Kind of bots that another machine has sent to play on this one."""

_FORMAT: Final = 2
FILES: Final = "files"
"""Name of the bot's folder in its place."""
_STAMP: Final = "digest"
_SIZE: Final = "size"
"""Name of the file with the size of the bot's folder on disk, a decimal number of bytes."""
_UNFINISHED: Final = ".new-"
_LOCK: Final = "lock"
"""Lock of the process that makes an unfinished folder; released when the process dies."""
_SANDBOX_LEVELS: Final = (Level.BUBBLEWRAP, Level.LANDLOCK)


def cache_folder(kind: str = BUILDS) -> Path:
    """Return the cache folder of a ``kind``: ``$XDG_CACHE_HOME/arena/builds``, or in ~/.cache."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(base):
        base = os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base, "arena", kind)


def place_of(digest: str, commands: Sequence[Sequence[str]], level: Level) -> Path:
    """Return the folder for the build of the source ``digest`` by ``commands`` at ``level``."""
    key = [_FORMAT, digest, commands, level.value, platform.machine()]
    return cache_folder() / hashlib.sha256(msgspec.json.encode(key)).hexdigest()


def is_built(digest: str, commands: Sequence[Sequence[str]], isolation: Isolation) -> bool:
    """Return whether a bot with commands to build it seems to be built."""
    return any(os.path.isfile(each / _STAMP) for each in places_of(digest, commands, isolation))


def places_of(
    digest: str, commands: Sequence[Sequence[str]], isolation: Isolation
) -> tuple[Path, ...]:
    """Return the folder for a build at each level that ``isolation`` may resolve to."""
    sandbox = isolation is Isolation.SANDBOX
    levels = _SANDBOX_LEVELS if sandbox else (Level(isolation.value),)
    return tuple(place_of(digest, commands, each) for each in levels)


def fetch(place: Path) -> tuple[Path, str] | None:
    """Return the folder and digest of the bot cached at ``place``; None unless it is complete.

    A damaged folder is removed.
    """
    files = place / FILES
    try:
        stamp = (place / _STAMP).read_text("ascii")
        if folder_digest(files) == stamp:
            with contextlib.suppress(OSError):  # it belongs to another user: read-only
                os.utime(place)
            return files, stamp
    except (OSError, ValueError, FolderError):
        pass
    with contextlib.suppress(OSError):
        remove_tree(place)
    return None


@contextlib.contextmanager
def making(kind: str = BUILDS) -> Iterator[Path]:
    """Yield a new folder in the cache, and remove it unless ``finish`` has moved it to its place.

    A lock keeps other processes from removing it meanwhile. What killed arenas left unfinished is
    removed first. Raises ConfigError if it cannot be created.
    """
    clear_unfinished()
    unfinished, lock = _begin(kind)
    try:
        yield unfinished
    finally:
        with contextlib.suppress(OSError):
            remove_tree(unfinished)
        os.close(lock)


def _begin(kind: str) -> tuple[Path, int]:
    cache = cache_folder(kind)
    try:
        cache.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        private_folder(cache)
        while True:
            unfinished = Path(tempfile.mkdtemp(prefix=_UNFINISHED, dir=cache))
            lock = os.open(unfinished / _LOCK, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
            with contextlib.suppress(OSError):  # without locks, nothing is cleared
                fcntl.flock(lock, fcntl.LOCK_EX)
            if os.fstat(lock).st_nlink:
                return unfinished, lock
            os.close(lock)  # it was cleared before it was locked
    except OSError as error:
        bots = "built bots" if kind == BUILDS else "bots"
        found = f"{bots} cannot be kept there: {error.strerror}"
        hint = "set XDG_CACHE_HOME to a folder that can be written"
        raise ConfigError([Problem(str(cache), "", found, hint=hint)]) from None


def finish(unfinished: Path, place: Path) -> None:
    """Move the folder ``unfinished``, made by ``making``, to ``place``.

    The bot is in the subfolder ``files`` of it. If another process of arena was first, its folder
    stays and ``unfinished`` is removed. Raises OSError, FolderError.
    """
    (unfinished / _STAMP).write_text(folder_digest(unfinished / FILES), "ascii")
    (unfinished / _SIZE).write_text(str(disk_use(unfinished / FILES)), "ascii")
    try:
        unfinished.rename(place)
        (place / _LOCK).unlink()
    except OSError:
        if not place.is_dir():
            raise
        remove_tree(unfinished)


def tidy(kind: str = BUILDS) -> None:
    """Remove what was unused for KEPT_SECONDS. Never raises OSError."""
    with contextlib.suppress(OSError):
        for entry in list(os.scandir(cache_folder(kind))):
            with contextlib.suppress(OSError):
                if time.time() - entry.stat(follow_symlinks=False).st_mtime > KEPT_SECONDS:
                    remove_tree(Path(entry.path))


def shrink(kind: str, keep: Collection[Path]) -> None:
    """Remove the least recently used bots until all take at most MOST_BYTES.

    ``keep``: places of bots that stay, as do those used within IN_USE_SECONDS. Never raises
    OSError.
    """
    entries: list[tuple[float, Path]] = []
    with contextlib.suppress(OSError), os.scandir(cache_folder(kind)) as found:
        for entry in found:
            with contextlib.suppress(OSError):
                entries.append((entry.stat(follow_symlinks=False).st_mtime, Path(entry.path)))
    now, room = time.time(), MOST_BYTES
    for used, place in sorted(entries, reverse=True):
        size = size_of(place)
        if size <= room or place in keep or abs(now - used) < IN_USE_SECONDS:
            room -= size
        else:
            discard(place)


def size_of(place: Path) -> int:
    """Return the size on disk of the bot at ``place``, in bytes; 0 if it does not exist."""
    try:
        return int((place / _SIZE).read_text("ascii"))
    except (OSError, ValueError):  # it is unfinished, or does not exist
        return disk_use(place)


def discard(place: Path) -> None:
    """Remove a bot. Never raises OSError."""
    with contextlib.suppress(OSError):
        remove_tree(place)


def clear_unfinished() -> None:
    """Remove the unfinished folders of killed arenas. Never raises OSError."""
    for kind in (BUILDS, REVISIONS, TRAVELLERS):
        with contextlib.suppress(OSError):
            for path in list(cache_folder(kind).glob(f"{_UNFINISHED}*")):
                with contextlib.suppress(OSError):
                    _clear(path)


def _clear(unfinished: Path) -> None:
    """Remove an unfinished folder. Raises OSError if it is in use or not locked yet."""
    lock = os.open(unfinished / _LOCK, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        remove_tree(unfinished)
    finally:
        os.close(lock)
