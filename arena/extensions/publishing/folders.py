"""Replace a folder as a whole, so that readers never see a part of a new one."""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from arena.runs.disk import is_running, remove, sync

_ASIDE: Final = ".old"
_HERE: Final = -100
_EXCHANGE: Final = 2
"""``AT_FDCWD`` and ``RENAME_EXCHANGE`` of the system call renameat2."""


def beside(target: Path, key: str = "") -> Path:
    """Return a temporary path beside ``target`` at which this process prepares a replacement.

    ``recover`` removes a file or folder there once this process has ended. ``key``: letters and
    digits in the name, random if empty.
    """
    return target.with_name(f".{target.name}-{os.getpid()}-{key or secrets.token_hex(4)}")


def replace_folder(new: Path, target: Path) -> None:
    """Move the folder ``new`` to ``target``, once it is on disk; an older folder there is removed.

    ``target`` is the old or the new folder at every time. Where the system cannot exchange folders
    and arena is killed between two calls, it is missing until ``recover``. Raises OSError.
    """
    for place, _, names in os.walk(new, onerror=_fail):
        for path in (Path(place, name) for name in names):
            if not path.is_symlink():
                sync(path)
        sync(Path(place))
    if _exchange(new, target):
        sync(target.parent)
        remove(new)
        return
    with set_aside(target):
        new.rename(target)


def _fail(error: OSError) -> None:
    raise error


def _exchange(new: Path, target: Path) -> bool:
    """Exchange two folders in one step; return False if one is missing or the system cannot."""
    call = getattr(ctypes.CDLL(None), "renameat2", None)
    paths = _HERE, os.fsencode(new), _HERE, os.fsencode(target)
    return call is not None and call(*paths, _EXCHANGE) == 0


@contextlib.contextmanager
def set_aside(
    target: Path, key: str = "", is_written: Callable[[str], bool] = lambda key: False
) -> Iterator[None]:
    """Move ``target`` away, if it exists; remove it after the block, or restore it if that raises.

    ``key``: name of what the block writes once the new ``target`` is complete. If the block raises
    although ``is_written(key)`` has become true, the new folder stays. ``recover`` finds the key in
    the name of a folder and asks ``is_written`` about it.
    Raises OSError.
    """
    old = beside(target, f"{key or secrets.token_hex(4)}{_ASIDE}")
    was_written = is_written(key)
    if target.exists():
        target.rename(old)
    try:
        yield
    except BaseException:
        if old.exists() and (was_written or not is_written(key)):
            _restore(old, target)
        raise
    sync(target.parent)
    _discard(old)


def recover(target: Path, is_written: Callable[[str], bool] = lambda key: True) -> None:
    """Complete or undo the replacements of ``target`` that a kill has ended.

    A folder that was set aside returns if ``target`` is missing, or if ``is_written`` is false for
    its key. What ended processes have prepared is removed. Errors are ignored: writes report them.
    """
    name = re.compile(rf"\.{re.escape(target.name)}-(\d+)-(\w+)({re.escape(_ASIDE)})?")
    with contextlib.suppress(OSError):
        for path in list(target.parent.iterdir()):
            if not (found := name.fullmatch(path.name)):
                continue
            process, key, is_aside = found.groups()
            if is_aside and not target.exists():
                _restore(path, target)
            elif is_running(int(process)):
                continue
            elif is_aside and not is_written(key):
                _restore(path, target)
            else:
                _discard(path)


def _restore(old: Path, target: Path) -> None:
    successor = beside(target)
    if target.exists():
        target.rename(successor)
    old.rename(target)
    sync(target.parent)
    remove(successor)


def _discard(path: Path) -> None:
    """Remove the folder ``path``; rename it first, so that a kill leaves nothing to restore."""
    with contextlib.suppress(OSError):
        remove(path.rename(path.with_name(path.name.removesuffix(_ASIDE))))
