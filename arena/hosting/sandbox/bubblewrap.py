"""Build the options of bubblewrap, and interpret its messages."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from arena.hosting.sandbox.paths import FileSystemView

FOLDER: Final = "/bot"
"""Folder of the bot, as seen inside."""
LEARNT: Final = "/learning/read"
WRITTEN: Final = "/learning/write"
"""Folders of what the bot learns, as seen inside."""
SHARED: Final = "/dev/shm"
TEMPORARY: Final = "/tmp"

PROCESSES_ABOVE: Final = 2
"""Generations between the started process and the bot: bubblewrap and its process 1."""
OVERHEAD: Final = 1
"""Number of bubblewrap's own processes that count against a limit inside."""

_SHARED_BYTES: Final = 64 << 20
_SIGNALLED: Final = 128

_REMEDIES: Final = (
    (
        "No permissions to create new namespace",
        "user namespaces are forbidden here (a container, or user.max_user_namespaces); "
        "permit them or use isolation landlock",
    ),
    (
        "setting up uid map: Permission denied",
        "AppArmor forbids user namespaces; give bwrap an AppArmor profile that permits them, or "
        "use isolation landlock",
    ),
    (
        "loopback: Failed RTM_NEWADDR",
        "AppArmor forbids user namespaces; give bwrap an AppArmor profile that permits them, or "
        "use isolation landlock",
    ),
    (
        "setting up uid map: Operation not permitted",
        "user namespaces are forbidden here; run on the host, or use isolation landlock",
    ),
    (
        "Unknown option",
        "this bubblewrap is too old; version 0.8 or later is needed",
    ),
    (
        "Can't mount proc",
        "the container hides parts of /proc, so that no new one may be mounted; "
        "use isolation landlock",
    ),
)


def find() -> str | None:
    """Return the absolute path, free of links, of bubblewrap; None if it is not installed."""
    found = shutil.which("bwrap", path=f"{os.environ.get('PATH', '')}:/usr/local/bin:/usr/bin")
    return None if found is None else os.path.realpath(found)


def options(
    seen: FileSystemView,
    folder: str,
    env: Mapping[str, str],
    *,
    place: str,
    writable: bool,
    temporary_bytes: int | None,
    learning: Sequence[str] = (),
) -> tuple[str, ...]:
    """Return options for a read-only system with the bot's folder at ``place``.

    ``temporary_bytes``: size of the writable folder for temporary files; None for the default.
    ``learning``: folders of what the bot learns, to read and to write; none without.
    """
    size = () if temporary_bytes is None else ("--size", str(temporary_bytes))
    shared = min(_SHARED_BYTES, temporary_bytes or _SHARED_BYTES)
    words: list[str] = ["--unshare-all", "--unshare-user", "--disable-userns", "--new-session"]
    words += ["--die-with-parent", "--hostname", "bot", "--clearenv"]
    for name, value in env.items():
        words += ["--setenv", name, value]
    words += [*size, "--tmpfs", TEMPORARY, "--proc", "/proc", "--dev", "/dev"]
    words += ["--size", str(shared), "--tmpfs", SHARED]
    words += _shown(seen)
    words += ["--bind" if writable else "--ro-bind", folder, place, "--chdir", place]
    if learning:
        words += ["--ro-bind", learning[0], LEARNT, "--bind", learning[1], WRITTEN]
    words += ["--remount-ro", "/dev", "--remount-ro", "/"]
    return tuple(words)


def exit_status(status: int) -> int:
    """Return the exit status of the bot, negative for a signal, from that of bubblewrap.

    Bubblewrap reports a signal as 128 plus its number.
    """
    return _SIGNALLED - status if _SIGNALLED < status <= _SIGNALLED + 64 else status


def remedy(message: str) -> str:
    """Return the remedy for a message of bubblewrap."""
    for part, text in _REMEDIES:
        if part in message:
            return text
    return "try it by hand, or use isolation landlock"


def _shown(seen: FileSystemView) -> Iterator[str]:
    for path in seen.paths:
        yield from ("--ro-bind", path, path)
    for path, target in seen.links:
        yield from ("--symlink", target, path)
