"""Read facts about processes from ``/proc``. Only Linux has such facts."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import signal
from collections.abc import Callable, Iterable, Iterator
from functools import cache, lru_cache
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

FileId: TypeAlias = tuple[int, int]
"""Device and inode number."""

_BLOCK: Final = 512
CHILDLESS: Final[set[int]] = set()
"""Threads of this process that start no processes, and adopt none while the main thread lives."""

_TOLD: Final = 16
_ROOT: Final = Path("/proc")
_ENDED: Final = "ZX"
_NAMELESS: Final = b" (deleted)"
"""Ending, in maps, of a file without a name; shared memory is such a file, too."""
_KCMP: Final = {"x86_64": 312, "aarch64": 272}
"""Number of the system call that compares two processes; its result 0 means equal."""
_KCMP_VM: Final = 1
_SHARED: Final = b" [anon_shmem:"
"""Text before a name that a process itself gave to shared memory."""


class Process(NamedTuple):
    """State of a process at one moment."""

    pid: int
    state: str
    """Letter for the state of its main thread; see ``has_ended``."""
    parent: int
    session: int
    started: int
    """Start time in clock ticks since boot; it differs between processes with equal ``pid``."""
    nice: int
    policy: int
    """Scheduling policy; 0 is the ordinary one."""
    reaped_ticks: int
    """Processor time, in clock ticks, of descendants that ended and were waited for."""
    threads: int

    @property
    def has_ended(self) -> bool:
        """True if the process only waits to be reaped. Threads may outlive the main thread."""
        return self.state in _ENDED and self.threads <= 1


def process(pid: int) -> Process:
    """Return the process as it is now. Raises OSError if it is gone."""
    return _process(f"{_ROOT}/{pid}", pid)


def threads(pid: int) -> list[Process]:
    """Return each thread of a process, with the values it shares; an empty list if it is gone."""
    found, tasks = [], f"{_ROOT}/{pid}/task"
    with contextlib.suppress(OSError):
        for thread in map(int, os.listdir(tasks)):
            with contextlib.suppress(OSError):  # the thread has ended meanwhile
                found.append(_process(f"{tasks}/{thread}", thread))
    return found


def _process(place: str, pid: int) -> Process:
    """Return the process or thread described below ``place``. Raises OSError."""
    try:
        with open(f"{place}/stat", "rb", buffering=0) as file:
            text = file.read()
    except ProcessLookupError as error:  # it ended between open and read
        raise FileNotFoundError(*error.args) from None
    fields = text[text.rindex(b")") + 1 :].split()  # the name in brackets may contain anything
    return Process(
        pid,
        state=fields[0].decode("ascii"),
        parent=int(fields[1]),
        session=int(fields[3]),
        started=int(fields[19]),
        nice=int(fields[16]),
        policy=int(fields[38]),
        reaped_ticks=int(fields[13]) + int(fields[14]),
        threads=int(fields[17]),
    )


def alive(pid: int) -> Path:
    """Return the folder in ``/proc`` that shows what a process holds.

    It is the folder of a living thread: a main thread that has ended holds nothing. Raises OSError
    if the process is gone.
    """
    place, found = _ROOT / str(pid), process(pid)
    if found.state in _ENDED and not found.has_ended:
        for thread in threads(pid):
            if thread.state not in _ENDED:
                return place / "task" / str(thread.pid)
    return place


def kill(victim: Process) -> None:
    """Kill this very process, not one that reused its id. Raises OSError if it is gone."""
    kill_if(lambda: process(victim.pid).started == victim.started, victim.pid)


def kill_if(is_it: Callable[[], bool], pid: int) -> None:
    """Kill a process if it is the one meant, tested while its id cannot be reused.

    Raises OSError if it is gone, or if the system cannot hold an id.
    """
    if not (hasattr(os, "pidfd_open") and hasattr(signal, "pidfd_send_signal")):
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    pidfd = os.pidfd_open(pid)
    try:
        if is_it():
            signal.pidfd_send_signal(pidfd, signal.SIGKILL)
    finally:
        os.close(pidfd)


def is_in_memory_of_parent(pid: int) -> bool:
    """Return whether a process shares its parent's memory, as between its start and its exec.

    Returns False if that is not known.
    """
    number = _KCMP.get(os.uname().machine)
    with contextlib.suppress(OSError):
        if number is not None and (parent := process(pid).parent):
            is_same = ctypes.CDLL(None).syscall(number, pid, parent, _KCMP_VM, 0, 0) == 0
            # ended main threads have no memory, so they compare as equal
            return is_same and b"VmSize" in fields(_ROOT / str(pid) / "status")
    return False


class Mapping(NamedTuple):
    """A mapped part of the memory of a process."""

    file: FileId
    """File; zeros for none."""
    fields: dict[bytes, bytes]
    """Values as from ``fields``."""


def all_pids() -> list[int]:
    """Return the ids of all visible processes."""
    try:
        return [int(name) for name in os.listdir(_ROOT) if name.isdigit()]
    except OSError:
        return []


def children(pid: int) -> list[int] | None:
    """Return the ids of the children of all threads of a process, including ended ones.

    Returns None if the kernel does not list them or the process is gone. May miss some if children
    start and end meanwhile.
    """
    tasks = f"{_ROOT}/{pid}/task"  # a string, since this is called after every game
    found: list[int] | None = None
    try:
        threads = os.listdir(tasks)
    except OSError:
        return None
    for thread in threads:
        if int(thread) in CHILDLESS:
            continue
        with (
            contextlib.suppress(OSError),  # a thread may have ended since
            open(f"{tasks}/{thread}/children", "rb", buffering=0) as file,
        ):
            found = [*(found or ()), *_numbers(file.readall())]
    return found


@lru_cache(maxsize=_TOLD)
def _numbers(text: bytes) -> tuple[int, ...]:
    """Return a row of numbers; cached, because hundreds take time and the same row recurs."""
    return tuple(map(int, text.split()))


def fields(path: Path) -> dict[bytes, bytes]:
    """Return the fields of a file with lines ``Name: value``. Raises OSError."""
    lines = (line.partition(b":") for line in _lines(path))
    return {name: value.strip() for name, _, value in lines}


def _lines(path: Path) -> list[bytes]:
    """Return the lines of a file, split at line feeds only.

    Names of files and threads may contain any other line separator. Raises OSError.
    """
    return path.read_bytes().removesuffix(b"\n").split(b"\n")


def nameless_files(pids: Iterable[int]) -> dict[FileId, int]:
    """Return the memory, in bytes, of files without a name that these processes have open.

    Processes that are gone or may not be inspected are skipped.
    """
    found = {}
    for pid in pids:
        with contextlib.suppress(OSError):
            for entry in os.scandir(alive(pid) / "fd"):
                with contextlib.suppress(OSError):  # closed meanwhile
                    file = entry.stat()
                    if not file.st_nlink and file.st_dev in _devices_in_memory():
                        found[file.st_dev, file.st_ino] = file.st_blocks * _BLOCK
    return found


@cache
def _devices_in_memory() -> frozenset[int]:
    """Return the devices of file systems whose files are held in memory."""
    found = set()
    with contextlib.suppress(OSError):
        if hasattr(os, "memfd_create"):
            file = os.memfd_create("device")
            found.add(os.fstat(file).st_dev)
            os.close(file)
        for line in (_ROOT / "self" / "mountinfo").read_text("utf-8", "replace").splitlines():
            mount, _, kind = line.partition(" - ")
            if kind.startswith("tmpfs "):
                major, minor = map(int, mount.split()[2].split(":"))
                found.add(os.makedev(major, minor))
    return frozenset(found)


def mappings(pid: int) -> Iterator[Mapping]:
    """Yield the mappings of a process. Raises OSError if it is gone or may not be inspected."""
    mapping = None
    for line in _lines(alive(pid) / "smaps"):
        name, *values = line.split(maxsplit=5)
        if name.endswith(b":"):
            if mapping is not None:
                mapping.fields[name[:-1]] = b" ".join(values)
            continue
        if mapping is not None:
            yield mapping
        mapping = Mapping(_file(values[2], values[3]), {})
    if mapping is not None:
        yield mapping


def nameless_mappings(pids: Iterable[int]) -> dict[FileId, int]:
    """Return the size, in bytes, of unnamed mapped files that may be in memory.

    The size of a file reaches from its beginning to its last mapped byte: data written there stays,
    in use or not. Processes that are gone or may not be inspected are skipped.
    """
    found: dict[FileId, int] = {}
    for pid in pids:
        with contextlib.suppress(OSError):
            for line in _lines(alive(pid) / "maps"):
                if line.endswith(_NAMELESS) or _SHARED in line:
                    addresses, _, offset, device, inode, _ = line.split(maxsplit=5)
                    file = _file(device, inode)
                    if file[0] in _devices_in_memory():
                        first, last = (int(each, 16) for each in addresses.split(b"-"))
                        found[file] = max(found.get(file, 0), int(offset, 16) + last - first)
    return found


def _file(device: bytes, inode: bytes) -> FileId:
    """Return the file id from the text in maps."""
    major, minor = (int(number, 16) for number in device.split(b":"))
    return os.makedev(major, minor), int(inode)


def status(pid: int) -> dict[bytes, bytes]:
    """Return the file ``status`` of a process. Raises OSError if it is gone."""
    return fields(alive(pid) / "status")


def locks(pid: int) -> tuple[int, int]:
    """Return the soft and hard limit on file locks; -1 for none. Raises OSError if gone."""
    return _limits(pid, b"Max file locks")


def resident(pid: int) -> tuple[int, int]:
    """Return the soft and hard limit on resident memory; -1 for none. Raises OSError if gone."""
    return _limits(pid, b"Max resident set")


def _limits(pid: int, name: bytes) -> tuple[int, int]:
    text = (_ROOT / str(pid) / "limits").read_bytes()
    soft, hard = text.partition(name)[2].split()[:2] or (b"unlimited",) * 2
    return _limit(soft), _limit(hard)


def _limit(value: bytes) -> int:
    return -1 if value == b"unlimited" else int(value)


def users(pid: int) -> set[int]:
    """Return real, effective, saved and file system user ids. Raises OSError if it is gone."""
    return set(map(int, status(pid)[b"Uid"].split()))


def threads_of(user: int) -> int | None:
    """Return the number of processes and threads that a user has now; None if it is unknown."""
    found, pids = 0, all_pids()
    for pid in pids:
        with contextlib.suppress(OSError):
            tasks = os.stat(_ROOT / str(pid) / "task")
            found += tasks.st_nlink - 2 if tasks.st_uid == user else 0
    return found if pids else None


def environment(pid: int) -> list[bytes]:
    """Return ``NAME=value`` entries, as given to the process or overwritten by it since.

    Raises OSError if it is gone or may not be inspected.
    """
    return (alive(pid) / "environ").read_bytes().split(b"\0")


def ancestors(pid: int) -> set[int]:
    """Return the process itself, its parent and so on, as far as they are visible."""
    found: set[int] = set()
    while pid > 0 and pid not in found:
        found.add(pid)
        try:
            pid = process(pid).parent
        except OSError:
            break
    return found
