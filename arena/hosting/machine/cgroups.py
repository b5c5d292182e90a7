"""Manage control groups: one for each bot process and its descendants, where the machine allows.

Version 2 does what it can, version 1 the rest. Groups are created below those of this process;
groups that may not be written are not used. Missing groups are never an error here: ``describe``
reports them.
"""

from __future__ import annotations

import contextlib
import os
import re
import time
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from itertools import count
from pathlib import Path
from typing import Final, NamedTuple

from arena.hosting.machine import procfs
from arena.values.results import Limits

_SELF: Final = Path("/proc/self")
_UNIFIED: Final = "unified"
_LIMITED: Final = ("memory", "pids", "cpu")
_V1: Final = ("memory", "pids", "cpu", "freezer", "cpuacct")
_PRESSURE: Final = re.compile(r"^full .*total=(\d+)$", re.MULTILINE)
_FREEZE_SECONDS: Final = 0.1
_REMOVE_SECONDS: Final = 0.2
_NAP_SECONDS: Final = 0.0002
_QUICK_TURNS: Final = 20
_KILL_ROUNDS: Final = 50
_MEMORY: Final = {"memory.max": "memory.current", "memory.limit_in_bytes": "memory.usage_in_bytes"}
_PIDS: Final = {"pids.max": "pids.current"}
"""File with a limit, and the file with the current usage, in both versions."""
_NO_LIMIT: Final = 1 << 60


class Bases(NamedTuple):
    """Folders below which groups can be created, and why others are missing."""

    v2: Path | None
    """Folder of version 2, which freezes and kills whole groups and counts their processor time."""
    offered: frozenset[str]
    """Subset of ``memory``, ``pids`` and ``cpu`` that version 2 limits or shares out there."""
    v1: dict[str, Path]
    """Folder by controller of version 1, only for what version 2 does not do."""
    lacks: dict[str, str]
    """Reason why a controller (or version 2, as ``unified``) is not used."""


class ControlGroup:
    """Control group of one bot process. No method raises OSError."""

    def __init__(self, v2: Path | None, v1: Mapping[str, Path]) -> None:
        """Wrap the folders of this group; ``v1`` has one by controller."""
        self._v2 = v2
        self._v1 = dict(v1)
        self.limits_memory = False
        """True if the group never gets more memory than allowed."""
        self.limits_processes = False
        """True if the group never gets more processes and threads than allowed."""

    @property
    def procs(self) -> tuple[str, ...]:
        """Files of the group: a process that writes "0" into each enters it, with descendants."""
        return tuple(str(folder / "cgroup.procs") for folder in self._folders())

    @property
    def folder(self) -> Path | None:
        """Folder of version 2, the first of ``procs``; a process can be forked into it."""
        return self._v2

    @property
    def freezes(self) -> bool:
        """True if ``freeze`` has an effect."""
        return self._v2 is not None or "freezer" in self._v1

    def limit(self, limits: Limits) -> None:
        """Set those of ``limits`` that this group can enforce.

        Afterwards ``limits_memory`` and ``limits_processes`` state whether it enforces these two.
        """
        if limits.memory is not None:
            self.limits_memory = self._limit_memory(limits.memory)
        if limits.processes is not None:
            folder = self._v1.get("pids", self._v2)
            self.limits_processes = _put(folder, "pids.max", limits.processes)

    def _limit_memory(self, limit: int) -> bool:
        if "memory" in self._v1:
            folder = self._v1["memory"]
            done = _put(folder, "memory.limit_in_bytes", limit)
            _put(folder, "memory.memsw.limit_in_bytes", limit)  # only where swap is accounted
            return done
        _put(self._v2, "memory.swap.max", 0)
        _put(self._v2, "memory.oom.group", 1)
        return _put(self._v2, "memory.max", limit)

    def oom_kills(self) -> int:
        """Return how many processes the kernel killed because the group had too little memory."""
        if "memory" in self._v1:
            return _number(self._v1["memory"], "memory.oom_control", "oom_kill")
        return _number(self._v2, "memory.events", "oom_kill")

    def refused_forks(self) -> int:
        """Return how many processes and threads the kernel refused because of the limit."""
        return _number(self._v1.get("pids", self._v2), "pids.events", "max")

    def cpu_ns(self) -> int | None:
        """Return the processor time of all processes ever in the group, in nanoseconds.

        Returns None if it is not counted.
        """
        if self._v2 is not None:
            return 1000 * _number(self._v2, "cpu.stat", "usage_usec")
        if "cpuacct" in self._v1:
            return int(_get(self._v1["cpuacct"], "cpuacct.usage") or 0)
        return None

    def stalled_ns(self) -> int | None:
        """Return the time in which every runnable process of the group waited for a processor.

        Waiting for others of the group does not count. In nanoseconds; None if not measured.
        """
        found = _PRESSURE.search("" if self._v2 is None else _get(self._v2, "cpu.pressure"))
        return None if found is None else 1000 * int(found[1])

    def freeze(self) -> None:
        """Stop all processes of the group, and wait briefly until they have stopped."""
        if self._v2 is not None:
            if _put(self._v2, "cgroup.freeze", 1):
                _wait(lambda: _number(self._v2, "cgroup.events", "frozen") == 1, _FREEZE_SECONDS)
        elif (folder := self._v1.get("freezer")) and _put(folder, "freezer.state", "FROZEN"):
            _wait(lambda: _get(folder, "freezer.state").strip() == "FROZEN", _FREEZE_SECONDS)

    def thaw(self) -> None:
        """Continue all processes of the group."""
        if self._v2 is not None:
            _put(self._v2, "cgroup.freeze", 0)
        elif "freezer" in self._v1:
            _put(self._v1["freezer"], "freezer.state", "THAWED")

    def kill(self) -> None:
        """Send SIGKILL to all processes of the group, frozen or not."""
        if _put(self._v2, "cgroup.kill", 1):
            return
        for _ in range(_KILL_ROUNDS):
            self.freeze()  # so that no process escapes by forking
            members = self.members()
            for pid in members:
                self._kill_member(pid)
            self.thaw()  # in version 1, frozen processes do not die
            if not members:
                return
            time.sleep(_NAP_SECONDS)

    def close(self) -> None:
        """Kill the remaining processes of the group and remove it."""
        if any(_get(folder, "cgroup.procs") for folder in self._folders()):
            self.kill()
        for folder in self._folders():
            _wait(partial(_removed, folder), _REMOVE_SECONDS)

    def _folders(self) -> list[Path]:
        folders = [*self._v1.values()] if self._v2 is None else [self._v2, *self._v1.values()]
        return list(dict.fromkeys(folders))  # two controllers of version 1 may share a folder

    def members(self) -> set[int]:
        """Return the ids of the processes in the group that have not ended."""
        pids = {
            int(pid) for folder in self._folders() for pid in _get(folder, "cgroup.procs").split()
        }
        return {pid for pid in pids if _is_alive(pid)}

    def _kill_member(self, pid: int) -> None:
        """Kill a process if it is still in the group, but not one that reused its id."""
        with contextlib.suppress(OSError):
            procfs.kill_if(lambda: pid in self.members(), pid)


def create(name: str, limits: Limits) -> ControlGroup | None:
    """Create a group with as many of these limits as possible; None if that fails."""
    bases = find()
    wanted = {"memory": limits.memory is not None, "pids": limits.processes is not None}
    v2 = None if bases.v2 is None else _made(bases.v2 / name)
    v1 = {}
    for controller, base in bases.v1.items():
        if wanted.get(controller, True) and (folder := _made(base / name)) is not None:
            v1[controller] = folder
    if v2 is None and not v1:
        return None
    group = ControlGroup(v2, v1)
    group.limit(limits)
    return group


class Shared(NamedTuple):
    """A limit on the joint usage of a group that contains this process."""

    folder: Path
    used: str
    """Name of the file with the current usage."""
    limit: int

    def free(self) -> float:
        """Return the free share of the limit, 0 to 1; memory that can be dropped counts as free."""
        found = _get(self.folder, self.used).strip()
        if not found.isdecimal():
            return 1.0
        droppable = 0
        if self.used in _MEMORY.values():
            stat = partial(_number, self.folder, "memory.stat")
            droppable = stat("total_inactive_file") or stat("inactive_file")
        return max(0.0, 1 - (int(found) - droppable) / self.limit)


@cache
def shared() -> tuple[Shared, ...]:
    """Return the limits on memory and processes of all groups that contain this process."""
    return tuple(_shared(_SELF))


def _shared(proc: Path) -> Iterator[Shared]:
    mounts = _mounts(_get(proc, "mountinfo"))
    own = _own_groups(_get(proc, "cgroup"))
    for controller in (_UNIFIED, "memory", "pids"):
        place, folder = (
            mounts.get(controller),
            _own_folder(mounts.get(controller), own.get(controller)),
        )
        while place is not None and folder is not None and folder.is_relative_to(place[1]):
            for files in (_MEMORY, _PIDS):
                for limit, used in files.items():
                    found = _get(folder, limit).strip()
                    if found.isdecimal() and 0 < int(found) < _NO_LIMIT:
                        yield Shared(folder, used, int(found))
            folder = folder.parent


def clear(base: Path, prefix: str) -> None:
    """Kill and remove every group below ``base`` whose name begins with ``prefix``."""
    with contextlib.suppress(OSError):
        for name in os.listdir(base):
            if name.startswith(prefix):
                _as_group(base / name).close()


def _as_group(folder: Path) -> ControlGroup:
    """Return the group that contains ``folder`` as one of its folders."""
    if (folder / "cgroup.events").exists():
        return ControlGroup(folder, {})
    return ControlGroup(None, {"freezer" if (folder / "freezer.state").exists() else "": folder})


def folders() -> list[Path]:
    """Return the folders in which groups are created."""
    bases = find()
    found = [*bases.v1.values()] if bases.v2 is None else [bases.v2, *bases.v1.values()]
    return list(dict.fromkeys(found))


def describe() -> dict[str, str]:
    """Return, for each use of control groups, which group serves it, or why none does."""
    bases = find()
    told = {}
    uses = {"memory": "memory", "processes": "pids", "fair shares": "cpu", "freezing": "freezer"}
    uses["processor time"] = "cpuacct"
    for use, controller in uses.items():
        general = controller not in _LIMITED
        if bases.v2 is not None and (general or controller in bases.offered):
            told[use] = f"version 2, {bases.v2}"
        elif controller in bases.v1:
            told[use] = f"version 1, {bases.v1[controller]}"
        else:
            reasons = (bases.lacks.get(key) for key in (_UNIFIED, controller))
            told[use] = "no: " + "; ".join(dict.fromkeys(filter(None, reasons)))
    return told


@cache
def find() -> Bases:
    """Return the groups that this process may use.

    The result is cached, because the search creates and removes groups.
    """
    return search(_SELF)


def search(proc: Path) -> Bases:
    """Search as ``find`` does. ``proc``: holds ``mountinfo`` and ``cgroup`` of this process."""
    lacks: dict[str, str] = {}
    mounts = _mounts(_get(proc, "mountinfo"))
    own = _own_groups(_get(proc, "cgroup"))
    v2, offered = _search_v2(mounts, own, lacks)
    v1 = {}
    for controller in _V1:
        if controller in offered or (v2 is not None and controller not in _LIMITED):
            continue
        base = _own_folder(mounts.get(controller), own.get(controller))
        if base is None:
            lacks.setdefault(controller, f"there is no controller {controller}")
        elif problem := _problem(base):
            lacks.setdefault(controller, problem)
        else:
            v1[controller] = base
    return Bases(v2, offered, v1, lacks)


def _search_v2(
    mounts: Mapping[str, tuple[str, Path]], own: Mapping[str, str], lacks: dict[str, str]
) -> tuple[Path | None, frozenset[str]]:
    base = _own_folder(mounts.get(_UNIFIED), own.get(_UNIFIED))
    if base is None:
        lacks[_UNIFIED] = "version 2 is not mounted"
        return None, frozenset()
    if problem := _problem(base):
        lacks[_UNIFIED] = problem
        return None, frozenset()
    offered = set()
    for controller in _LIMITED:
        if controller not in _get(base, "cgroup.controllers").split():
            lacks[controller] = f"{base} has no controller {controller}"
        elif _is_enabled(base, controller):
            offered.add(controller)
        else:
            lacks[controller] = f"{base} does not pass {controller} on: it holds processes itself"
    return base, frozenset(offered)


def _is_enabled(base: Path, controller: str) -> bool:
    """Return whether groups below ``base`` have the controller; enable it if permitted."""
    if controller not in _get(base, "cgroup.subtree_control").split():
        _put(base, "cgroup.subtree_control", f"+{controller}")
    return controller in _get(base, "cgroup.subtree_control").split()


def _mounts(mountinfo: str) -> dict[str, tuple[str, Path]]:
    """Return the mounted folder of the hierarchy and its mount point, by controller."""
    found = {}
    for line in mountinfo.splitlines():
        before, _, after = line.partition(" - ")
        fields, kind = before.split(), after.split()
        if len(fields) < 5 or len(kind) < 3:
            continue
        place = fields[3], Path(fields[4])
        if kind[0] == "cgroup2":
            found[_UNIFIED] = place
        elif kind[0] == "cgroup":
            found.update(dict.fromkeys(kind[2].split(","), place))
    return found


def _own_groups(cgroup: str) -> dict[str, str]:
    """Return this process's own group, as a path in its hierarchy, by controller."""
    found = {}
    for line in cgroup.splitlines():
        _, controllers, path = line.split(":", 2)
        found.update(dict.fromkeys(controllers.split(",") if controllers else [_UNIFIED], path))
    return found


def _own_folder(mount: tuple[str, Path] | None, own: str | None) -> Path | None:
    if mount is None or own is None:
        return None
    root, place = mount
    inside = os.path.relpath(own, root)
    outside = inside.startswith("..")  # a container that sees its own group as the root
    return place if outside or inside == "." else place / inside


def _problem(base: Path) -> str | None:
    """Return why no groups can be created below ``base``; None if they can."""
    trial = base / f"arena-trial-{os.getpid()}"
    try:
        trial.mkdir()
        trial.rmdir()
        if not os.access(base / "cgroup.procs", os.W_OK):
            return f"{base / 'cgroup.procs'}: not ours to write"
    except OSError as error:
        return f"{base}: {error.strerror}"
    return None


def _made(folder: Path) -> Path | None:
    try:
        folder.mkdir()
    except OSError:
        return None
    return folder


def _removed(folder: Path) -> bool:
    try:
        folder.rmdir()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


def _is_alive(pid: int) -> bool:
    try:
        return not procfs.process(pid).has_ended
    except OSError:
        return False


def _put(folder: Path | None, file: str, value: int | str) -> bool:
    """Write to an existing file; return whether that succeeded."""
    if folder is None:
        return False
    try:
        target = os.open(f"{folder}/{file}", os.O_WRONLY | os.O_NOFOLLOW)
    except OSError:
        return False
    try:
        os.write(target, str(value).encode("ascii"))
    except OSError:
        return False
    finally:
        os.close(target)
    return True


def _get(folder: Path, file: str) -> str:
    """Return the text of a file; empty if it is missing."""
    try:
        with open(f"{folder}/{file}", encoding="utf-8") as found:  # a Path takes twice as long
            return found.read()
    except (OSError, ValueError):
        return ""


def _number(folder: Path | None, file: str, key: str) -> int:
    """Return a number from a file of lines ``key number``; 0 if it is missing."""
    if folder is None:
        return 0
    for line in _get(folder, file).splitlines():
        name, _, value = line.partition(" ")
        if name == key:
            return int(value)
    return 0


def _wait(condition: Callable[[], bool], seconds: float) -> bool:
    """Wait at most ``seconds`` until the condition holds; return whether it does."""
    give_up = time.monotonic() + seconds
    for turn in count():
        if condition():
            return True
        if time.monotonic() > give_up:
            return False
        if turn < _QUICK_TURNS:
            os.sched_yield()
        else:
            time.sleep(_NAP_SECONDS)
    return False
