"""What the kernel tells about processes in ``/proc``. Elsewhere than on Linux: nothing."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

FileId: TypeAlias = tuple[int, int]
"""Device and inode number."""

_BLOCK: Final = 512
CHILDLESS: Final[set[int]] = set()
"""Threads of this process that start nothing, and adopt nothing as the main one lives."""

_TOLD: Final = 16
_ROOT: Final = Path("/proc")
_ENDED: Final = "ZX"
_NAMELESS: Final = b" (deleted)"
"""What maps write behind a file without a name; memory that is shared is one too."""
_KCMP: Final = {"x86_64": 312, "aarch64": 272}
"""Number of the call that compares what two processes have; 0: the same."""
_KCMP_VM: Final = 1
_SHARED: Final = b" [anon_shmem:"
"""Before a name that a process has given to such memory itself."""


class Process(NamedTuple):
    """A process at one moment."""

    pid: int
    state: str
    """One letter, of its main thread; see ``has_ended``."""
    parent: int
    session: int
    started: int
    """Clock ticks since boot. Two processes of one boot with equal ``pid`` differ in it."""
    nice: int
    policy: int
    """Of scheduling; 0 is the ordinary one."""
    reaped_ticks: int
    """Processor time, in clock ticks, of descendants that ended and were waited for."""
    threads: int

    @property
    def has_ended(self) -> bool:
        """Whether it only waits to be reaped. Other threads may outlive the main one."""
        return self.state in _ENDED and self.threads <= 1


def process(pid: int) -> Process:
    """The process as it is now. Raises OSError if it is gone."""
    return _process(_ROOT / str(pid), pid)


def threads(pid: int) -> list[Process]:
    """Each thread of a process, with what it shares with the others. Nothing if it is gone."""
    found, tasks = [], _ROOT / str(pid) / "task"
    with contextlib.suppress(OSError):
        for thread in map(int, os.listdir(tasks)):
            with contextlib.suppress(OSError):  # it has ended meanwhile
                found.append(_process(tasks / str(thread), thread))
    return found


def _process(place: Path, pid: int) -> Process:
    """Raises OSError."""
    try:
        text = (place / "stat").read_bytes()
    except ProcessLookupError as error:  # it went between the opening and the reading
        raise FileNotFoundError(*error.args) from None
    fields = text[text.rindex(b")") + 1 :].split()  # the name in brackets may hold anything
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
    """Where the kernel tells what a process holds: nothing at a main thread that has ended.

    Raises OSError if it is gone.
    """
    place, found = _ROOT / str(pid), process(pid)
    if found.state in _ENDED and not found.has_ended:
        for thread in threads(pid):
            if thread.state not in _ENDED:
                return place / "task" / str(thread.pid)
    return place


def kill(victim: Process) -> None:
    """Kill this very process and none that got its number since. Raises OSError if it is gone."""
    pidfd = os.pidfd_open(victim.pid)
    try:
        if process(victim.pid).started == victim.started:
            signal.pidfd_send_signal(pidfd, signal.SIGKILL)
    finally:
        os.close(pidfd)


def is_in_memory_of_parent(pid: int) -> bool:
    """Whether a process has no memory of its own, as from its start until it is a new program.

    False if nobody can tell.
    """
    number = _KCMP.get(os.uname().machine)
    with contextlib.suppress(OSError):
        if number is not None and (parent := process(pid).parent):
            is_same = ctypes.CDLL(None).syscall(number, pid, parent, _KCMP_VM, 0, 0) == 0
            # main threads that have ended have none, and so the same
            return is_same and b"VmSize" in fields(_ROOT / str(pid) / "status")
    return False


class Mapping(NamedTuple):
    """A piece of the memory of a process."""

    file: FileId
    """Zeros: none."""
    fields: dict[bytes, bytes]
    """As ``fields``."""


def all_pids() -> list[int]:
    """Ids of all processes that can be seen."""
    try:
        return [int(name) for name in os.listdir(_ROOT) if name.isdigit()]
    except OSError:
        return []


def children(pid: int) -> list[int] | None:
    """Ids of the children of all threads of a process, ended ones included.

    None where the kernel does not tell or the process is gone. Not all of them if children
    come and go meanwhile.
    """
    tasks = f"{_ROOT}/{pid}/task"  # as text: asked after every game
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
    """Numbers in a row. The same are asked for again and again, and hundreds take their time."""
    return tuple(map(int, text.split()))


def fields(path: Path) -> dict[bytes, bytes]:
    """A file of lines ``Name: value``. Raises OSError."""
    lines = (line.partition(b":") for line in _lines(path))
    return {name: value.strip() for name, _, value in lines}


def _lines(path: Path) -> list[bytes]:
    """As the kernel writes them: names of files and threads may hold any other end of a line.

    Raises OSError.
    """
    return path.read_bytes().removesuffix(b"\n").split(b"\n")


def nameless_files(pids: Iterable[int]) -> dict[FileId, int]:
    """Bytes of memory in files that these processes have open and that have no name.

    Nothing is told of a process that is gone or not ours to look into.
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
    """File systems whose files are held in memory."""
    found = set()
    with contextlib.suppress(OSError):
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
    """What a process has mapped. Raises OSError if it is gone or not ours to look into."""
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
    """Bytes of files without a name that these processes have mapped and that may be in memory.

    From the beginning of each file to the last of it that is mapped: whatever was written there
    stays, touched or not. Nothing is told of a process that is gone or not ours to look into.
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
    """As maps write it."""
    major, minor = (int(number, 16) for number in device.split(b":"))
    return os.makedev(major, minor), int(inode)


def status(pid: int) -> dict[bytes, bytes]:
    """The file ``status`` of a process. Raises OSError if it is gone."""
    return fields(alive(pid) / "status")


def locks(pid: int) -> tuple[int, int]:
    """Its soft and hard limit on file locks; -1: none. Raises OSError if it is gone."""
    return _limits(pid, b"Max file locks")


def resident(pid: int) -> tuple[int, int]:
    """Its soft and hard limit on resident memory; -1: none. Raises OSError if it is gone."""
    return _limits(pid, b"Max resident set")


def _limits(pid: int, name: bytes) -> tuple[int, int]:
    text = (_ROOT / str(pid) / "limits").read_bytes()
    soft, hard = text.partition(name)[2].split()[:2] or (b"unlimited",) * 2
    return _limit(soft), _limit(hard)


def _limit(value: bytes) -> int:
    return -1 if value == b"unlimited" else int(value)


def users(pid: int) -> set[int]:
    """Real, effective, saved and file system user ids. Raises OSError if it is gone."""
    return set(map(int, status(pid)[b"Uid"].split()))


def threads_of(user: int) -> int:
    """Processes and threads that the user has now."""
    found = 0
    for pid in all_pids():
        with contextlib.suppress(OSError):
            tasks = os.stat(_ROOT / str(pid) / "task")
            found += tasks.st_nlink - 2 if tasks.st_uid == user else 0
    return found


def environment(pid: int) -> list[bytes]:
    """``NAME=value`` as the process was given them, or has written over them since.

    Raises OSError if it is gone or not ours to look at.
    """
    return (alive(pid) / "environ").read_bytes().split(b"\0")


def ancestors(pid: int) -> set[int]:
    """The process itself, its parent and so on, as far as can be seen."""
    found: set[int] = set()
    while pid > 0 and pid not in found:
        found.add(pid)
        try:
            pid = process(pid).parent
        except OSError:
            break
    return found
