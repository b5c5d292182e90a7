"""Find the parts of the file system that a bot needs: the system, its interpreter, its folder.

A path is needed with every symbolic link on its way. Nothing here changes any file.
"""

from __future__ import annotations

import contextlib
import errno
import glob
import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Final, NamedTuple

SYSTEM: Final = ("/usr", "/lib", "/lib32", "/lib64", "/libx32", "/bin", "/sbin")
"""Folders of programs and libraries."""
SYSTEM_PATH: Final = "/usr/local/bin:/usr/bin:/bin"
"""PATH where none is set."""

_SETTINGS: Final = (
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/alternatives",
    "/etc/localtime",
    "/etc/nsswitch.conf",
    "/etc/ssl/openssl.cnf",
    "/etc/java-*",
    "/etc/python3*",
)
"""Patterns of files that runtimes read at start; none names users or machines."""

_OF_A_PREFIX: Final = ("bin", "lib", "lib32", "lib64", "libexec", "share", "conf", "pyvenv.cfg")
"""Parts of an installation prefix that its programs need."""
_MOST_LINKS: Final = 40
_MOST_ENTRIES: Final = 1000


class ResolvedPath(NamedTuple):
    """Real path that a path leads to, and the links on the way."""

    real: str
    links: tuple[tuple[str, str], ...]
    """Symbolic links on the way: the path of each, free of links, and its target as written."""


class FileSystemView(NamedTuple):
    """A part of the file system, with the links that lead into it."""

    paths: tuple[str, ...]
    """Existing files and folders, free of links, none below another."""
    links: tuple[tuple[str, str], ...]
    """Symbolic links to these paths that lie below none of them, as in ``ResolvedPath``."""

    def holds(self, path: str) -> bool:
        """Return whether an absolute path leads into the view."""
        real = os.path.realpath(path)
        return any(is_below(real, shown) for shown in self.paths)


class Cover(NamedTuple):
    """A folder that a user may not pass, and what is needed below it."""

    folder: str
    paths: tuple[tuple[str, bool], ...]
    """Paths, each with True if it must be writable."""
    links: tuple[tuple[str, str], ...]


def way(path: str) -> ResolvedPath:
    """Follow an absolute path, as far as it exists. Raises OSError for a cycle of links."""
    links: list[tuple[str, str]] = []
    here = "/"
    ahead = path.split("/")[::-1]
    while ahead:
        name = ahead.pop()
        if name in ("", "."):
            continue
        if name == "..":
            here = os.path.dirname(here)
            continue
        step = os.path.join(here, name)
        try:
            target = os.readlink(step)
        except OSError:  # not a link, or missing
            here = step
            continue
        if len(links) == _MOST_LINKS:
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)
        links.append((step, target))
        here = "/" if target.startswith("/") else here
        ahead += target.split("/")[::-1]
    return ResolvedPath(here, tuple(links))


def destination(word: str, folder: str) -> str:
    """Return where a word of a submission in ``folder`` leads, as an absolute path.

    Links inside the folder are followed, and the result has no links if it lies there. From the
    first step out of the folder on, only the text counts: nothing outside is examined, so the
    result does not depend on what lies there. Raises OSError for a cycle of links.
    """
    home, links = os.path.realpath(folder), 0
    here, ahead = home, [os.path.normpath(word)]
    while ahead:
        name = ahead.pop()
        if name.startswith("/"):
            root = next((r for r in (os.path.abspath(folder), home) if is_below(name, r)), None)
            if root is None:
                return _outside([name, *ahead[::-1]], home)
            here, name = home, name[len(root) :].lstrip("/")
        first, _, rest = name.partition("/")
        ahead += [rest.lstrip("/")] if rest else []
        step = os.path.dirname(here) if first == ".." else os.path.join(here, first)
        if not is_below(step, home):
            return _outside([step, *ahead[::-1]], home)
        if first in ("", ".", ".."):
            here = step if first == ".." else here
            continue
        try:
            ahead.append(os.readlink(step))
        except OSError:  # not a link, or missing
            here = step
            continue
        links += 1
        if links > _MOST_LINKS:
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), word)
    return here


def _outside(steps: Sequence[str], home: str) -> str:
    """Return the end of a way out of ``home``, or the root if it would lead in again."""
    found = os.path.normpath(os.path.join(*steps))
    return "/" if is_below(found, home) else found


def is_own(word: str, folder: str) -> bool:
    """Return whether a word of a submission leads to a place in its folder."""
    try:
        return is_below(destination(word, folder), os.path.realpath(folder))
    except (OSError, ValueError):  # a cycle of links, or not a path
        return False


def is_seen(word: str, folder: str, readable: Iterable[str]) -> bool:
    """Return whether an isolated bot can see the file that ``word`` of its submission names.

    It sees its ``folder``, the system, installed programs, and the paths in ``readable``.
    """
    try:
        found = destination(word, folder)
    except (OSError, ValueError):
        return False
    inside = (os.path.realpath(folder), *SYSTEM, *readable)
    return is_installed(found) or any(is_below(found, each) for each in inside)


def view(paths: Iterable[str]) -> FileSystemView:
    """Return the view that shows all existing ``paths``. Raises OSError as ``way`` does."""
    ways = [way(path) for path in paths]
    shown: list[str] = []
    for real in sorted({found.real for found in ways}):
        if os.path.lexists(real) and not any(is_below(real, other) for other in shown):
            shown.append(real)
    links = sorted({link for found in ways for link in found.links})
    outside = (link for link in links if not any(is_below(link[0], other) for other in shown))
    return FileSystemView(tuple(shown), tuple(outside))


def settings() -> tuple[str, ...]:
    """Return the files of /etc that runtimes read."""
    return tuple(path for pattern in _SETTINGS for path in sorted(glob.glob(pattern)))


def python() -> tuple[str, ...]:
    """Return the paths that this interpreter needs."""
    return tuple(
        path for prefix in (sys.prefix, sys.base_prefix) for path in _parts_of_prefix(prefix)
    )


def arena() -> str:
    """Return the folder of the package ``arena``: its code, which is not secret."""
    return str(Path(__file__).parents[2])


def importable() -> str:
    """Return a folder, for PYTHONPATH, where Python finds ``arena`` and nothing else.

    After an editable install, the folder above ``arena`` holds more than bots may see.
    """
    return str(Path(__file__).with_name("importable"))


def program(path: str) -> tuple[str, ...]:
    """Return the paths that a program needs: itself, and what is installed beside it.

    Assumes that it is installed as ``PREFIX/bin/NAME``, with libraries in ``PREFIX/lib``, and so is
    every link on the way to it. A home folder is not a prefix.
    """
    found = way(path)
    places = [path, *(link for link, _ in found.links), found.real]
    return (path, *(part for place in places for part in _installed_with(place)))


def is_installed(program: str) -> bool:
    """Return whether a program lies in a folder of arena's PATH, or beside this interpreter.

    ``program``: absolute path; links are not followed.
    """
    folder, name = os.path.split(program)
    if name in ("", os.curdir, os.pardir):
        return False
    ours = os.environ.get("PATH", SYSTEM_PATH).split(os.pathsep)
    ours += [os.path.join(sys.prefix, "bin"), os.path.dirname(sys.executable)]
    return folder in {os.path.normpath(each) for each in ours if os.path.isabs(each)}


def is_of_system(path: str) -> bool:
    """Return whether ``path``, free of links, lies in the system, which all bots may read."""
    return any(is_below(path, folder) for folder in SYSTEM)


def opened(folder: str, user: int) -> tuple[str, ...]:
    """Return ``folder``, or its entries if nothing but its own mode keeps the user out.

    Entries that are covered one by one are visible in a new folder that the user may enter.
    """
    entries: list[str] = []
    with contextlib.suppress(OSError):
        if not _passes(folder, user):
            entries = os.listdir(folder)
    if not 0 < len(entries) <= _MOST_ENTRIES:
        return (folder,)
    return tuple(os.path.join(folder, name) for name in entries)


def covers(seen: FileSystemView, writable: Iterable[str], user: int) -> tuple[Cover, ...]:
    """Return the covers that show ``seen`` to an unprivileged user with a group of the same number.

    ``writable``: paths that must stay writable. Each cover is the outermost closed folder.
    """
    changed = {os.path.realpath(path) for path in writable}
    closed: dict[str, tuple[list[tuple[str, bool]], list[tuple[str, str]]]] = {}
    passes = cache(partial(_passes, user=user))  # most paths lie in the same few folders
    for path in seen.paths:
        if (folder := _closed_above(path, passes)) is not None:
            closed.setdefault(folder, ([], []))[0].append((path, path in changed))
    for link in seen.links:
        if (folder := _closed_above(link[0], passes)) is not None:
            closed.setdefault(folder, ([], []))[1].append(link)
    return tuple(_cover(folder, found, links) for folder, (found, links) in closed.items())


def _cover(folder: str, found: list[tuple[str, bool]], links: list[tuple[str, str]]) -> Cover:
    """Return a cover without paths and links below another shown path, which shows them already."""
    shown: dict[str, bool] = {}
    for path, writable in sorted(found):
        if not any(is_below(path, other) for other in shown):
            shown[path] = writable
    outside = {link for link in links if not any(is_below(link[0], other) for other in shown)}
    return Cover(folder, tuple(shown.items()), tuple(sorted(outside)))


def _installed_with(place: str) -> Iterator[str]:
    folder, prefix = os.path.dirname(place), os.path.dirname(os.path.dirname(place))
    if os.path.basename(folder) == "bin" and not _is_home(prefix):
        yield from _parts_of_prefix(prefix)


def _parts_of_prefix(prefix: str) -> Iterator[str]:
    return (os.path.join(prefix, part) for part in _OF_A_PREFIX)


def _is_home(folder: str) -> bool:
    """Return whether a folder is a home or the root, which hold more than programs."""
    homes = {os.path.expanduser("~"), "/root", "/"}
    return folder in homes or os.path.dirname(folder) == "/home" or folder.endswith("/.local")


def _closed_above(path: str, passes: Callable[[str], bool]) -> str | None:
    """Return the outermost folder above a path free of links that a user may not pass."""
    names = path.split("/")
    for depth in range(1, len(names)):
        folder = "/".join(names[:depth]) or "/"
        try:
            if not passes(folder):
                return folder
        except OSError:
            return None
    return None


def _passes(folder: str, user: int) -> bool:
    """Return whether the mode of a folder lets the user pass through. Raises OSError."""
    found = os.stat(folder)
    mine = stat.S_IXUSR if found.st_uid == user else stat.S_IXOTH
    if found.st_uid != user and found.st_gid == user:
        mine = stat.S_IXGRP
    return bool(found.st_mode & mine)


def is_below(path: str, folder: str) -> bool:
    """Return whether a path is the folder, or lies in it by its text."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")
