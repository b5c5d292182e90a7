"""How bubblewrap is called: its options as values, and what its messages mean."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from typing import Final

from arena.hosting.sandbox.paths import View

FOLDER: Final = "/bot"
"""Where a bot finds its folder inside."""
LAUNCHER: Final = "/launcher.py"
SHARED: Final = "/dev/shm"
TEMPORARY: Final = "/tmp"

PROCESSES_ABOVE: Final = 2
"""Generations between the process that was started and the bot: bubblewrap and its pid 1."""
OVERHEAD: Final = 1
"""Processes of its own that count against a limit inside."""

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
    """The program, an absolute path free of links; None: not installed."""
    found = shutil.which("bwrap", path=f"{os.environ.get('PATH', '')}:/usr/local/bin:/usr/bin")
    return None if found is None else os.path.realpath(found)


def options(
    seen: View,
    folder: str,
    launcher: str,
    env: Mapping[str, str],
    *,
    place: str,
    writable: bool,
    temporary_bytes: int | None,
) -> tuple[str, ...]:
    """What leads to a read-only system with the bot's folder at ``place``.

    ``temporary_bytes``: the size of the one writable folder; None: as the machine has it.
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
    words += ["--ro-bind", launcher, LAUNCHER]
    words += ["--bind" if writable else "--ro-bind", folder, place, "--chdir", place]
    words += ["--remount-ro", "/dev", "--remount-ro", "/"]
    return tuple(words)


def exit_status(status: int) -> int:
    """What became of the bot, as ``subprocess`` writes it: a signal is told as 128 and more."""
    return _SIGNALLED - status if _SIGNALLED < status <= _SIGNALLED + 64 else status


def remedy(message: str) -> str:
    """What to do about a message of bubblewrap's."""
    for part, text in _REMEDIES:
        if part in message:
            return text
    return "try it by hand, or use isolation landlock"


def _shown(seen: View) -> Iterator[str]:
    for path in seen.paths:
        yield from ("--ro-bind", path, path)
    for path, target in seen.links:
        yield from ("--symlink", target, path)
