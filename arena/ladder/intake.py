"""What lies in the folder of submissions, and how it is taken from there.

    submissions/AUTHOR/BOT/     a bot.yaml and whatever else it needs
    submissions/BOT/            the same: a bot that is its own author
    submissions/AUTHOR/author.yaml      place: BOT, see ``ladder.authors``

Authors are strangers, and may write there at any moment. So everything is reached from descriptors
of folders, no link is followed, nothing is waited for, and all is bounded. A folder is complete
when nothing in it has changed for some seconds, as the file system tells it: one that appears by a
rename is so at once, and one that is being copied is not yet.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import stat
import time
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Final, NamedTuple

from arena.config.ladder import AuthorsFile
from arena.documents.problems import printable
from arena.entrants.manifest import MANIFEST_FILE
from arena.hosting.workspace.trees import copy_tree, is_foreign
from arena.ladder.book import Bot

AUTHOR_FILE: Final = "author.yaml"
_AUTHOR: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,29}")
_BOT: Final = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,31}")
_MOST: Final = 10_000
"""Entries of a folder that are looked at."""
_SPARE: Final = 50
"""Folders of an author that are looked at, besides as many as bots of his may play."""
_MOST_DEEP: Final = 32
_MOST_LONG: Final = 1_000
"""Bytes of a path in a bot's folder: it stands behind that of the copy, and systems bound both."""
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_SECOND: Final = 1_000_000_000
_DAY: Final = 86_400.0
_NO_FOLDER: Final = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)


class Unfit(Exception):
    """A folder that no bot can be; the text says why, for its author."""


class Busy(Exception):
    """A folder that cannot be copied now; the text says why, for its author."""


class Stamp(NamedTuple):
    """A folder as it was found: what is changed in it changes this."""

    inode: int
    entries: int
    size: int
    changed: int
    """The latest change of anything in it, nanoseconds: by the file system, not by who wrote."""


class Found(NamedTuple):
    """A folder in which a bot may be."""

    bot: Bot
    steps: tuple[str, ...]
    """From the folder of submissions to it."""
    stamp: Stamp | None
    """None: it is not fit."""
    reason: str = ""
    """Why it is not."""
    age: float = 0.0
    """Seconds since anything in it was changed."""
    failure: Exception | None = None
    """Why we could not look at it, where that is no fault of what is there."""


class Look(NamedTuple):
    """What was found in the folder of submissions."""

    found: tuple[Found, ...]
    """By name."""
    odd: tuple[str, ...]
    """What is there and can be no submission, in words."""
    authors: dict[str, float]
    """Whose folders are there, and for how many seconds nothing came to them or left them."""
    unread: frozenset[str] = frozenset()
    """Whose folders are there and could not be read: of their bots nothing is known."""
    age: float = 0.0
    """For how many seconds nothing came to the folder of submissions or left it."""


def file_time() -> float:
    """Seconds since 1970, as the file system tells the age of files."""
    return time.time()


def look(submissions: Path, terms: AuthorsFile, now: float) -> Look:
    """All that is there now. ``now``: of the file system's clock, seconds since 1970."""
    try:
        top = os.open(submissions, _FOLDER & ~os.O_NOFOLLOW)
    except OSError:
        return Look((), (f"{submissions}: found no folder of submissions",), {})
    found: list[Found] = []
    odd: list[str] = []
    authors: dict[str, float] = {}
    unread: set[str] = set()
    with _closing(top):
        try:
            age, names = _age(os.fstat(top).st_ctime_ns, now), _names(top, odd)
        except OSError as error:
            return Look((), (f"{submissions}: cannot be read: {error.strerror}",), {})
        for name in names:
            if not _AUTHOR.fullmatch(name):
                odd.append(f"{_shown(name)}: no name of an author: letters, digits, - and _, to 30")
                continue
            try:
                with _opened(name, top) as folder:
                    authors[name] = _age(os.fstat(folder).st_ctime_ns, now)
                    found += _in_folder_of(name, folder, terms, now, odd)
            except OSError as error:
                if error.errno in _NO_FOLDER:
                    odd.append(f"{_shown(name)}: no folder")
                else:
                    unread.add(name)
                    odd.append(f"{_shown(name)}: cannot be read: {error.strerror}")
    return Look(tuple(found), tuple(odd), authors, frozenset(unread), age)


def _in_folder_of(
    author: str, folder: int, terms: AuthorsFile, now: float, odd: list[str]
) -> list[Found]:
    """All of it, or an OSError."""
    if _holds(folder, MANIFEST_FILE):
        return [_found(Bot(author, author), (author,), folder, terms, now)]
    return list(_of_author(author, folder, terms, now, odd))


def _of_author(
    author: str, folder: int, terms: AuthorsFile, now: float, odd: list[str]
) -> Iterator[Found]:
    most, names = terms.bots + _SPARE, _names(folder, odd)
    if len(names) > most:
        odd.append(f"{author}: more than {most:,} entries: only the first by name are looked at")
    for name in names[:most]:
        if name == AUTHOR_FILE:
            continue
        own, steps = Bot(author, name), (author, name)
        if not _BOT.fullmatch(name):
            allowed = "a letter, then letters, digits, . - _, to 32"
            odd.append(f"{author}/{_shown(name)}: no name of a bot: {allowed}")
            continue
        try:
            with _opened(name, folder) as bot:
                yield _found(own, steps, bot, terms, now)
        except OSError:
            reason = "is no folder that can be read; a bot is a folder with a bot.yaml"
            with contextlib.suppress(OSError):  # gone meanwhile
                changed = os.stat(name, dir_fd=folder, follow_symlinks=False).st_ctime_ns
                yield Found(own, steps, None, reason, _age(changed, now))


def _found(bot: Bot, steps: tuple[str, ...], folder: int, terms: AuthorsFile, now: float) -> Found:
    survey = _Survey(terms)
    try:
        stamp = survey.stamp(folder)
    except Unfit as unfit:
        return Found(bot, steps, None, str(unfit), _age(survey.changed, now))
    except OSError as error:
        name = f"{_shown(os.fsdecode(error.filename))}: " if error.filename else ""
        reason = f"{name}cannot be read: {error.strerror}"
        return Found(bot, steps, None, reason, _age(survey.changed, now))
    except Exception as error:  # a bug of ours: the others are looked at all the same
        reason, age = f"cannot be read: {type(error).__name__}", _age(survey.changed, now)
        return Found(bot, steps, None, reason, age, error)
    return Found(bot, steps, stamp, age=_age(stamp.changed, now))


class _Survey:
    def __init__(self, terms: AuthorsFile) -> None:
        self._terms = terms
        self.entries = self.size = self.changed = 0

    def stamp(self, folder: int) -> Stamp:
        """What stands in an open folder, however it is filled meanwhile. Raises Unfit, OSError."""
        self._folder(folder, "", 0)
        return Stamp(os.fstat(folder).st_ino, self.entries, self.size, self.changed)

    def _folder(self, folder: int, path: str, depth: int) -> None:
        if depth > _MOST_DEEP:
            raise Unfit(f"more than {_MOST_DEEP} folders deep")
        self.changed = max(self.changed, os.fstat(folder).st_ctime_ns)
        with os.scandir(folder) as entries:
            for entry in entries:
                below = os.path.join(path, entry.name)
                is_folder = entry.is_dir(follow_symlinks=False)
                if not is_foreign(below, is_folder):
                    self._entry(entry.name, folder, below, depth)

    def _entry(self, name: str, folder: int, path: str, depth: int) -> None:
        self.entries += 1
        if self.entries > self._terms.files:
            raise Unfit(_too_many(self._terms))
        if len(os.fsencode(path)) > _MOST_LONG:
            raise Unfit(f"{_shown(path)}...: a path of more than {_MOST_LONG:,} bytes")
        try:
            found = os.stat(name, dir_fd=folder, follow_symlinks=False)
        except FileNotFoundError:  # somebody is at work there
            self.changed = max(self.changed, os.fstat(folder).st_ctime_ns)
            return
        self.changed = max(self.changed, found.st_ctime_ns)
        if stat.S_ISDIR(found.st_mode):
            below = os.open(name, _FOLDER, dir_fd=folder)
            with _closing(below):
                self._folder(below, path, depth + 1)
        elif stat.S_ISREG(found.st_mode):
            self.size += found.st_size
            if self.size > self._terms.size:
                raise Unfit(_too_large(self._terms))
        elif stat.S_ISLNK(found.st_mode):
            raise Unfit(f"{_shown(path)} is a symbolic link; copy what it leads to")
        else:
            raise Unfit(f"{_shown(path)} is neither file nor folder")


def take(submissions: Path, found: Found, terms: AuthorsFile, target: Path) -> None:
    """Copy a bot to a new folder.

    Raises Busy if it changed meanwhile or a file cannot be opened now, Unfit for what no bot can
    be, OSError if the copy cannot be written.
    """
    try:
        with _reached(submissions, found.steps) as folder:
            source, entries = Path(f"/proc/self/fd/{folder}"), count(1)

            def skip(path: str, is_folder: bool) -> bool:
                if is_foreign(path, is_folder):
                    return True
                if next(entries) > terms.files:  # it was not so a moment ago
                    raise Unfit(_too_many(terms))
                return False

            copy_tree(source, target, skip=skip, most=terms.size)
            if _Survey(terms).stamp(folder) != found.stamp:
                raise Busy("its files changed while they were copied")
    except OSError as error:
        if _is_ours(error, target):
            raise
        if error.errno == errno.EFBIG:
            raise Unfit(_too_large(terms)) from None
        path = re.sub(r"^/proc/self/fd/\d+/?", "", os.fsdecode(error.filename or ""))
        said = f"{_shown(path) or 'the folder'} cannot be read: {error.strerror}"
        if error.errno in (errno.EACCES, errno.EPERM):
            raise Unfit(said) from None
        raise Busy(said) from None


def _too_many(terms: AuthorsFile) -> str:
    return f"holds more than {terms.files:,} files and folders"


def _too_large(terms: AuthorsFile) -> str:
    return f"its files have more than {terms.size:,} bytes"


def _is_ours(error: OSError, target: Path) -> bool:
    """Whether the copy is to blame, not what is copied."""
    is_full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EROFS)
    return is_full or str(error.filename or "").startswith(str(target))


def author_file(submissions: Path, author: str, most: int) -> bytes | None:
    """Return what stands in author.yaml, cut; None: there is none, or it is no file.

    Raises Busy if it cannot be opened now.
    """
    with contextlib.suppress(OSError), _reached(submissions, (author,)) as folder:
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        try:
            file = os.open(AUTHOR_FILE, flags, dir_fd=folder)
        except BlockingIOError as error:  # somebody holds a lease on it
            raise Busy(f"{AUTHOR_FILE} cannot be read: {error.strerror}") from None
        with _closing(file):
            if stat.S_ISREG(os.fstat(file).st_mode):
                return os.read(file, most)
    return None


@contextlib.contextmanager
def _reached(submissions: Path, steps: Sequence[str]) -> Iterator[int]:
    """The bot's folder, opened step by step. Raises OSError."""
    with contextlib.ExitStack() as opened:
        folder = os.open(submissions, _FOLDER & ~os.O_NOFOLLOW)
        opened.callback(os.close, folder)
        for step in steps:
            folder = opened.enter_context(_opened(step, folder))
        yield folder


def _names(folder: int, odd: list[str]) -> list[str]:
    """What stands in it, sorted, without what is hidden: that is somebody's who is at work."""
    names: list[str] = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if len(names) >= _MOST:
                odd.append(f"more than {_MOST:,} entries in a folder: the others are not looked at")
                break
            if not entry.name.startswith("."):
                names.append(entry.name)
    return sorted(names)


@contextlib.contextmanager
def _opened(name: str, parent: int) -> Iterator[int]:
    """A folder. Raises OSError."""
    folder = os.open(name, _FOLDER, dir_fd=parent)
    with _closing(folder):
        yield folder


def _holds(folder: int, name: str) -> bool:
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except OSError:
        return False
    return True


def _age(changed: int, now: float) -> float:
    """Seconds since; of a change more than a day ahead, as one has while a clock is wrong, as if
    that was how long ago it is: otherwise it would be waited for until then."""
    age = now - changed / _SECOND
    return -age if age < -_DAY else age


def _shown(name: str) -> str:
    return printable(name)[:80]


@contextlib.contextmanager
def _closing(descriptor: int) -> Iterator[None]:
    try:
        yield
    finally:
        os.close(descriptor)
