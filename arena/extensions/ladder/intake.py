"""The folder of submissions, and the copying of bots from it.

    submissions/AUTHOR/BOT/     a bot.yaml and all other files of the bot
    submissions/BOT/            a bot that is its own author
    submissions/AUTHOR/author.yaml      place: BOT, see ``ladder.authors``

Authors are strangers and may write there at any moment. So all access uses descriptors of folders,
no link is followed, no operation blocks, and all sizes are bounded. A folder is complete when
nothing in it has changed for some seconds by the time of the file system. A folder that appears by
a rename is complete at once; one that is being copied is not.
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

from arena.entrants.manifest import MANIFEST_FILE
from arena.extensions.ladder.book import LadderBot
from arena.extensions.ladder.file import AuthorsFile
from arena.hosting.workspace.trees import copy_tree, is_foreign

AUTHOR_FILE: Final = "author.yaml"
_AUTHOR: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,29}")
_BOT: Final = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,31}")
_MOST: Final = 10_000
"""Limit of entries of a folder that are looked at."""
_SPARE: Final = 50
"""Entries of an author that are looked at in addition to the bots an author may have."""
_MOST_DEEP: Final = 32
_MOST_LONG: Final = 1_000
"""Limit of a path in a bot's folder, in bytes. The copy's path stands before it, and systems bound
the sum of both."""
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_SECOND: Final = 1_000_000_000
_DAY: Final = 86_400.0
_NO_FOLDER: Final = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)


class UnfitFolder(Exception):
    """Raised for a folder that cannot be a bot; the text is the reason for its author."""


class FolderBusy(Exception):
    """Raised for a folder that cannot be copied now; the text is the reason for its author."""


class Stamp(NamedTuple):
    """The state of a folder: any change in the folder changes its stamp."""

    inode: int
    entries: int
    size: int
    changed: int
    """Latest change of anything in the folder, by the file system's clock, in nanoseconds. Authors
    cannot set this time."""


class SubmittedFolder(NamedTuple):
    """A folder in which a bot may be."""

    bot: LadderBot
    steps: tuple[str, ...]
    """Path from the folder of submissions, in steps."""
    stamp: Stamp | None
    """State of the folder; None if it cannot be a bot."""
    reason: str = ""
    """Reason why the folder cannot be a bot; else empty."""
    age: float = 0.0
    """Time since the last change in the folder, in seconds."""
    failure: Exception | None = None
    """Exception that kept arena from looking at the folder and is no fault of its contents."""


class IntakeSurvey(NamedTuple):
    """The contents of the folder of submissions."""

    found: tuple[SubmittedFolder, ...]
    """Folders in which bots may be, by name."""
    odd: tuple[str, ...]
    """Descriptions of entries that cannot be submissions."""
    authors: dict[str, float]
    """Age of the last arrival or departure in each author's folder, in seconds, by author."""
    unread: frozenset[str] = frozenset()
    """Authors whose folders could not be read: the state of their bots is unknown."""
    age: float = 0.0
    """Age of the last arrival or departure in the folder of submissions, in seconds."""


def file_time() -> float:
    """Return the time of the clock from which ages of files are computed, in s since 1970."""
    return time.time()


def look(submissions: Path, terms: AuthorsFile, now: float) -> IntakeSurvey:
    """Return the present contents of the folder ``submissions``.

    ``now``: time of the file system's clock, in seconds since 1970.
    """
    try:
        top = os.open(submissions, _FOLDER & ~os.O_NOFOLLOW)
    except OSError:
        return IntakeSurvey((), (f"{submissions}: found no folder of submissions",), {})
    found: list[SubmittedFolder] = []
    odd: list[str] = []
    authors: dict[str, float] = {}
    unread: set[str] = set()
    with _closing(top):
        try:
            age, names = _age(os.fstat(top).st_ctime_ns, now), _names(top, odd)
        except OSError as error:
            return IntakeSurvey((), (f"{submissions}: cannot be read: {error.strerror}",), {})
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
    return IntakeSurvey(tuple(found), tuple(odd), authors, frozenset(unread), age)


def _in_folder_of(
    author: str, folder: int, terms: AuthorsFile, now: float, odd: list[str]
) -> list[SubmittedFolder]:
    """Return all submissions in the open folder of ``author``. Raises OSError.

    Descriptions of entries that cannot be submissions are added to ``odd``.
    """
    if _holds(folder, MANIFEST_FILE):
        return [_found(LadderBot(author, author), (author,), folder, terms, now)]
    return list(_of_author(author, folder, terms, now, odd))


def _of_author(
    author: str, folder: int, terms: AuthorsFile, now: float, odd: list[str]
) -> Iterator[SubmittedFolder]:
    most, names = terms.bots + _SPARE, _names(folder, odd)
    if len(names) > most:
        odd.append(f"{author}: more than {most:,} entries: only the first by name are looked at")
    for name in names[:most]:
        if name == AUTHOR_FILE:
            continue
        own, steps = LadderBot(author, name), (author, name)
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
                yield SubmittedFolder(own, steps, None, reason, _age(changed, now))


def _found(
    bot: LadderBot, steps: tuple[str, ...], folder: int, terms: AuthorsFile, now: float
) -> SubmittedFolder:
    survey = _Survey(terms)
    try:
        stamp = survey.stamp(folder)
    except UnfitFolder as unfit:
        return SubmittedFolder(bot, steps, None, str(unfit), _age(survey.changed, now))
    except OSError as error:
        name = f"{_shown(os.fsdecode(error.filename))}: " if error.filename else ""
        reason = f"{name}cannot be read: {error.strerror}"
        return SubmittedFolder(bot, steps, None, reason, _age(survey.changed, now))
    except Exception as error:  # a bug of arena: the other bots are still looked at
        reason, age = f"cannot be read: {type(error).__name__}", _age(survey.changed, now)
        return SubmittedFolder(bot, steps, None, reason, age, error)
    return SubmittedFolder(bot, steps, stamp, age=_age(stamp.changed, now))


class _Survey:
    def __init__(self, terms: AuthorsFile) -> None:
        self._terms = terms
        self.entries = self.size = self.changed = 0

    def stamp(self, folder: int) -> Stamp:
        """Return the stamp of an open folder, which may change. Raises UnfitFolder, OSError."""
        self._folder(folder, "", 0)
        return Stamp(os.fstat(folder).st_ino, self.entries, self.size, self.changed)

    def _folder(self, folder: int, path: str, depth: int) -> None:
        if depth > _MOST_DEEP:
            raise UnfitFolder(f"more than {_MOST_DEEP} folders deep")
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
            raise UnfitFolder(_too_many(self._terms))
        if len(os.fsencode(path)) > _MOST_LONG:
            raise UnfitFolder(f"{_shown(path)}...: a path of more than {_MOST_LONG:,} bytes")
        try:
            found = os.stat(name, dir_fd=folder, follow_symlinks=False)
        except FileNotFoundError:  # an author is writing there
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
                raise UnfitFolder(_too_large(self._terms))
        elif stat.S_ISLNK(found.st_mode):
            raise UnfitFolder(f"{_shown(path)} is a symbolic link; copy what it leads to")
        else:
            raise UnfitFolder(f"{_shown(path)} is neither file nor folder")


def take(submissions: Path, found: SubmittedFolder, terms: AuthorsFile, target: Path) -> None:
    """Copy the submission ``found`` to the new folder ``target``.

    Raises FolderBusy if the submission changed meanwhile or a file cannot be opened now,
    UnfitFolder if it cannot be a bot, OSError if the copy cannot be written.
    """
    source = os.path.abspath(submissions.joinpath(*found.steps))
    try:
        with _reached(submissions, found.steps) as folder:
            entries = count(1)

            def skip(path: str, is_folder: bool) -> bool:
                if is_foreign(path, is_folder):
                    return True
                if next(entries) > terms.files:  # the folder has grown since it was looked at
                    raise UnfitFolder(_too_many(terms))
                return False

            copy_tree(Path(source), target, skip=skip, most=terms.size, opened=folder)
            if _Survey(terms).stamp(folder) != found.stamp:
                raise FolderBusy("its files changed while they were copied")
    except OSError as error:
        if _is_ours(error, target):
            raise
        if error.errno == errno.EFBIG:
            raise UnfitFolder(_too_large(terms)) from None
        path = re.sub(rf"^{re.escape(source)}/?", "", os.fsdecode(error.filename or ""))
        said = f"{_shown(path) or 'the folder'} cannot be read: {error.strerror}"
        if error.errno in (errno.EACCES, errno.EPERM):
            raise UnfitFolder(said) from None
        raise FolderBusy(said) from None


def _too_many(terms: AuthorsFile) -> str:
    return f"holds more than {terms.files:,} files and folders"


def _too_large(terms: AuthorsFile) -> str:
    return f"its files have more than {terms.size:,} bytes"


def _is_ours(error: OSError, target: Path) -> bool:
    """Return whether the error is one of writing the copy, not of reading the source."""
    is_full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EROFS)
    return is_full or str(error.filename or "").startswith(str(target))


def author_file(submissions: Path, author: str, most: int) -> bytes | None:
    """Return the beginning of author.yaml, at most ``most`` bytes; None if there is no such file.

    Raises FolderBusy if it cannot be opened now.
    """
    with contextlib.suppress(OSError), _reached(submissions, (author,)) as folder:
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        try:
            file = os.open(AUTHOR_FILE, flags, dir_fd=folder)
        except BlockingIOError as error:  # another process holds a lease on it
            raise FolderBusy(f"{AUTHOR_FILE} cannot be read: {error.strerror}") from None
        with _closing(file):
            if stat.S_ISREG(os.fstat(file).st_mode):
                return os.read(file, most)
    return None


@contextlib.contextmanager
def _reached(submissions: Path, steps: Sequence[str]) -> Iterator[int]:
    """Yield a descriptor of the bot's folder, opened step by step. Raises OSError."""
    with contextlib.ExitStack() as opened:
        folder = os.open(submissions, _FOLDER & ~os.O_NOFOLLOW)
        opened.callback(os.close, folder)
        for step in steps:
            folder = opened.enter_context(_opened(step, folder))
        yield folder


def _names(folder: int, odd: list[str]) -> list[str]:
    """Return the sorted names in a folder, without hidden ones: these are work in progress."""
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
    """Yield a descriptor of a folder. Raises OSError."""
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
    """Return the seconds from ``changed`` to ``now``.

    A change more than a day in the future, made while a clock was wrong, counts as equally long
    ago. Otherwise the folder would be incomplete until that time.
    """
    age = now - changed / _SECOND
    return -age if age < -_DAY else age


def _shown(name: str) -> str:
    return name[:80]


@contextlib.contextmanager
def _closing(descriptor: int) -> Iterator[None]:
    try:
        yield
    finally:
        os.close(descriptor)
