"""Manage the workspace of a run: snapshots of bots' folders, and a cell for each process.

A workspace is a temporary folder that its owner, the parent of a run, keeps locked. Workers join.
``clear_abandoned`` removes what a killed owner has left, including processes.

::

    arena-NAME/          0711: others may pass through, but not list it
        lock             held by the owner; contains the boot and the process namespace
        bots/NUMBER/     snapshots, below a folder for arena alone; the numbers cannot be guessed
        cells/NAME/      one for each process; the names reveal neither worker nor order
            entry        processes that live there: see ``leftovers``
            bot/         the private copy of the snapshot, 0700 and the bot's own; or the place
                         where its process sees the snapshot
            scratch/     a private folder for temporary files
            read/ write/ what the bot learnt, and what it writes: see ``learning``

At the levels that let no bot change its folder, processes are started from the snapshot itself, so
that start times do not grow with its size. Where bots have user ids of their own, each process sees
the snapshot by its own read-only mount, and no other process sees anything there. Otherwise the
snapshot is read in place: the sandbox prevents changes.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import secrets
import tempfile
import threading
from collections import deque
from functools import cache
from pathlib import Path
from typing import Final

from arena.hosting.machine import cgroups, orphans, procfs
from arena.hosting.machine.cgroups import ControlGroup
from arena.hosting.sandbox.isolation import IsolationError, Launch, Level
from arena.hosting.workspace import leftovers
from arena.hosting.workspace.learning import Given, LearningFolders
from arena.hosting.workspace.leftovers import Tenant
from arena.hosting.workspace.trees import copy_tree, is_foreign, remove_tree
from arena.values.results import Limits

_NEW_MOUNTS: Final = 0x00020000
_MS_PRIVATE: Final = 1 << 18 | 1 << 14
"""MS_PRIVATE with MS_REC: mounts are not propagated to other namespaces."""
_BIND: Final = 1 << 12
_NEVER_READ: Final = 1 << 33
"""Seconds since 1970, in the year 2242. The kernel updates the access time of a file, unless it is
later than all other times. So this access time does not show who has read the file."""


def keep_access_times(folder: Path) -> None:
    """Make the access times of a folder's contents constant (on mounts with ``relatime``).

    A process could leave a bit for the next process in each file that it reads. Raises OSError.
    """
    for above, folders, files in os.walk(folder):
        for name in (".", *folders, *files):
            path = os.path.join(above, name)
            changed = os.lstat(path).st_mtime_ns
            times = (_NEVER_READ * 1_000_000_000, changed)
            os.utime(path, ns=times, follow_symlinks=False)


@cache
def can_mount() -> bool:
    """Return whether a process of arena may mount one folder at the place of another.

    Tries to mount in a thread with a namespace of its own, which ends with the thread. Containers
    often forbid this even to root.
    """
    found: list[bool] = []
    thread = threading.Thread(target=lambda: found.append(_mounts()))
    thread.start()
    thread.join()
    return found == [True]


def _mounts() -> bool:
    libc = ctypes.CDLL(None, use_errno=True)
    if not hasattr(libc, "unshare"):
        return False
    private, bind = ctypes.c_ulong(_MS_PRIVATE), ctypes.c_ulong(_BIND)
    with tempfile.TemporaryDirectory() as place:
        target = os.fsencode(place)
        return bool(
            libc.unshare(_NEW_MOUNTS) == 0
            and libc.mount(b"none", b"/", None, private, None) == 0
            and libc.mount(b"/", target, None, bind, None) == 0
            and libc.umount2(target, 0) == 0
        )


PREFIX: Final = "arena-"
SLOTS: Final = 64
"""Number of cells that a process may have at once when each needs a user id."""

_SPARE_SLOTS: Final = 4
_PASSAGE: Final = 0o711
_PRIVATE: Final = 0o700
_OPEN: Final = 0o755
_SNAPSHOTS: Final = "bots"
_NUMBER_BYTES: Final = 8
_SCRATCH_LEVELS: Final = frozenset({Level.NONE, Level.LIMITS})

_SANDBOX_PROCESSES: Final = 2
"""Number of bubblewrap's own processes."""

_HIGH_USERS: Final = leftovers.HIGH_USERS
_MOST_PROCESSES: Final = 1 << 22
_LOW_USERS: Final = 61000
_LOW_COUNT: Final = 4000

_slots = deque(range(SLOTS))
"""Free slots, least recently used first: the last user of the first slot has surely gone."""
_holders: list[int] = []
"""Ids of idle threads of this process; their numbers yield further user ids: see ``provide``."""
_slots_lock = threading.Lock()


class Cell:
    """Working directory, user id and control group of one bot process; removed with the process."""

    def __init__(
        self,
        folder: str,
        *,
        place: Path | None = None,
        source: str | None = None,
        scratch: str | None = None,
        user: int | None = None,
        slot: int | None = None,
        group: ControlGroup | None = None,
        learning: LearningFolders | None = None,
    ) -> None:
        """Describe a cell. Without a ``place`` in a workspace, it is only a working directory."""
        self.folder = folder
        """Working directory of the process, absolute."""
        self.source = source
        """Folder shown there read-only to the process; None for the contents already there."""
        self.scratch = scratch
        """Folder for temporary files of the process alone, absolute; None for none."""
        self.uid = user
        """User and group id of the process; None if arena is not root or without a workspace."""
        self.group = group
        """Control group; None if the machine provides none, or not to this user."""
        self.learning = learning
        """Folders of what the bot learns; None if it keeps nothing."""
        self.env: dict[str, str] = {} if learning is None else learning.env
        """Variables that the environment of the process must contain."""
        self._place = place
        self._slot = slot
        if place is not None:
            self.env[leftovers.MARKER] = f"{place.parent.parent.name}/{place.name}"
        if scratch is not None:
            self.env["TMPDIR"] = scratch

    def register(self, pid: int) -> None:
        """Record the process that lives here, before it receives any input. Never raises."""
        if self._place is not None:
            with contextlib.suppress(OSError):
                leftovers.add(self._place, Tenant.of(leftovers.BOT, pid))

    def close(self) -> None:
        """Remove everything that belongs to this cell; a second call does nothing. Never raises.

        The process and its descendants must have ended, or at least been killed.
        """
        if self.group is not None:
            self.group.close()
            self.group = None
        if self._place is not None:
            if self.learning is not None:
                self.learning.take()
            with contextlib.suppress(OSError):  # the owner of the workspace tries again
                remove_tree(self._place)
            self._place = None
        if self._slot is not None:
            _give_back(self._slot)
            self._slot = None


class Workspace:
    """The folder of a run for snapshots and cells of its bots."""

    def __init__(self, root: Path) -> None:
        """Join the workspace at ``root``."""
        self.root = root
        self._lock: int | None = None
        self._snapshots: dict[str, Path] = {}

    @classmethod
    def create(cls) -> Workspace:
        """Create a workspace and own it. Raises OSError."""
        workspace = cls(Path(tempfile.mkdtemp(prefix=PREFIX)))
        try:
            workspace._lock = _locked(workspace.root)
            _make(workspace.root / _SNAPSHOTS, _PRIVATE)
            _make(workspace.root / "cells", _PASSAGE)
            workspace.root.chmod(_PASSAGE)
        except BaseException:
            workspace.close()
            raise
        return workspace

    def snapshot(self, name: str, folder: Path) -> Path:
        """Return the copy of a bot's folder, made at the first request for ``name``.

        The copy excludes what is not part of a bot, see ``trees``. Raises OSError, also if a folder
        holds anything other than files, folders and links.
        """
        if name not in self._snapshots:
            number = int.from_bytes(secrets.token_bytes(_NUMBER_BYTES))
            target = self.root / _SNAPSHOTS / str(number)
            copy_tree(folder, target, skip=is_foreign)
            target.chmod(_OPEN)  # bots with user ids of their own read it through a mount
            keep_access_times(target)
            self._snapshots[name] = target
        return self._snapshots[name]

    def cell(self, launch: Launch, given: Given | None = None) -> Cell:
        """Create a cell for a process. Raises IsolationError: failures are not the bot's fault.

        ``given``: files of earlier rounds, in a run with learning.
        """
        try:
            return self._cell(launch, given)
        except OSError as error:
            where = error.filename or self.root
            raise IsolationError(f"{where}: {error.strerror or error}") from error

    def _cell(self, launch: Launch, given: Given | None) -> Cell:
        slot = _take_slot() if os.geteuid() == 0 else None
        holder = 0 if slot is None or slot < SLOTS else _holders[slot // SLOTS - 1]
        user = None if slot is None else user_of(holder or os.getpid(), slot % SLOTS)
        place = self.root / "cells" / secrets.token_hex(_NUMBER_BYTES)
        try:
            _make(place, _PASSAGE)
            leftovers.add(place, Tenant.of(leftovers.WORKER, os.getpid(), None if holder else user))
            if holder:
                leftovers.add(place, Tenant.of(leftovers.WORKER, holder, user))
            folder, source, scratch = launch.folder, None, None
            if launch.is_shareable and user is not None and can_mount():
                folder, source = str(place / "bot"), launch.folder
                _make(place / "bot", _PRIVATE)
            elif launch.copied and not (launch.is_shareable and user is None):
                copy_tree(Path(launch.folder), place / "bot", owner=user)
                folder = str(place / "bot")
            if launch.level in _SCRATCH_LEVELS:
                scratch = str(place / "scratch")
                _make(place / "scratch", _PRIVATE, user)
            learning = None if given is None else LearningFolders(place, given, user)
        except BaseException:
            Cell("/", place=place, slot=slot).close()
            raise
        group = cgroups.create(f"{self.root.name}-{place.name}", _limits_of_group(launch))
        return Cell(
            folder,
            place=place,
            source=source,
            scratch=scratch,
            user=user,
            slot=slot,
            group=group,
            learning=learning,
        )

    def close(self) -> None:
        """Remove everything, including processes. Only for the owner. Never raises OSError."""
        leftovers.clear(self.root)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def clear_abandoned() -> int:
    """Remove this user's workspaces whose owners are gone, after killing their processes.

    Also kills processes of bots that have outlived their arena. Returns the number of workspaces
    removed. Does not touch workspaces whose owners live. Never raises OSError.
    """
    orphans.end_abandoned()
    cleared = 0
    for root in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        lock = leftovers.abandoned(root)
        if lock is not None:
            leftovers.clear(root)
            os.close(lock)
            cleared += 1
        else:
            leftovers.remove_unfinished(root)
    return cleared


def _limits_of_group(launch: Launch) -> Limits:
    if not launch.level.at_least(Level.LIMITS):
        return Limits(memory=None, processes=None)
    processes = launch.limits.processes
    if launch.level is Level.BUBBLEWRAP and processes is not None:
        processes += _SANDBOX_PROCESSES
    return Limits(memory=launch.limits.memory, processes=processes)


def user_of(pid: int, slot: int) -> int:
    """Return the user id for a cell of the process ``pid``.

    It is unique on the machine if the user namespace holds high numbers, else almost certainly.
    """
    wanted = pid * SLOTS + slot
    if _holds_users(_HIGH_USERS, _MOST_PROCESSES * SLOTS):
        return _HIGH_USERS + wanted
    return _LOW_USERS + wanted % _LOW_COUNT


def provide(bots: int) -> int:
    """Make room for cells of ``bots`` bots at once; return the number that has room.

    User ids are derived from the id of this process. No process has the id of a thread, so a few
    idle threads, which live as long as this process, yield further user ids.
    """
    if os.geteuid() != 0:
        return bots
    with _slots_lock, contextlib.suppress(RuntimeError):  # no more threads can be started
        if _holds_users(_HIGH_USERS, _MOST_PROCESSES * SLOTS):
            while SLOTS * (1 + len(_holders)) < bots + _SPARE_SLOTS:
                thread = threading.Thread(target=threading.Event().wait, daemon=True)
                thread.start()
                number = thread.native_id or 0  # known wherever there are user ids
                procfs.CHILDLESS.add(number)
                _slots.extend(range(SLOTS * (1 + len(_holders)), SLOTS * (2 + len(_holders))))
                _holders.append(number)
    return min(bots, SLOTS * (1 + len(_holders)) - _SPARE_SLOTS)


def _holds_users(first: int, number: int) -> bool:
    try:
        ranges = Path("/proc/self/uid_map").read_text("ascii").splitlines()
    except OSError:
        return False
    held = ((int(inside), int(size)) for inside, _, size in map(str.split, ranges))
    return any(start <= first and first + number <= start + size for start, size in held)


def _take_slot() -> int:
    """Return a random slot of the less recently used half: a bot can infer it from its user id."""
    with _slots_lock:
        if not _slots:
            raise OSError(f"more than {SLOTS * (1 + len(_holders))} bots at once")
        slot = _slots[secrets.randbelow((len(_slots) + 1) // 2)]
        _slots.remove(slot)
        return slot


def _give_back(slot: int) -> None:
    with _slots_lock:
        _slots.append(slot)


def _make(folder: Path, mode: int, owner: int | None = None) -> None:
    """Create a folder with exactly these permissions, independent of the umask."""
    folder.mkdir()
    if owner is not None:
        os.chown(folder, owner, owner)
    folder.chmod(mode)


def _locked(root: Path) -> int:
    """Return the held lock of a new workspace. Its file is complete before it becomes visible."""
    hidden = root / leftovers.NEW_LOCK
    lock = os.open(hidden, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.write(lock, leftovers.here().encode())
        hidden.rename(root / "lock")
    except BaseException:
        os.close(lock)
        raise
    return lock
