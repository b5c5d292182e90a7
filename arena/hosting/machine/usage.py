"""What a process and all that it started use of the machine, from the outside.

Never from a process that has been reaped: its number may be another's by then. Linux only.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from arena.hosting.machine import procfs
from arena.results import Limits

_MOST: Final = 4096
"""Processes of one tree that are counted; whoever has more has too many."""
_KIB: Final = 1024
_UNITS: Final = ((_KIB**3, "GiB"), (_KIB**2, "MiB"), (_KIB, "KiB"))
_ORDINARY: Final = os.SCHED_OTHER if hasattr(os, "SCHED_OTHER") else 0
_OF_STATUS: Final = (b"RssAnon", b"RssShmem", b"VmSwap", b"HugetlbPages", b"VmPTE")
_HIGH_WATER: Final = (b"VmHWM",)
_OF_ROLLUP: Final = (b"Pss_Anon", b"Pss_Shmem", b"SwapPss", b"Private_Hugetlb", b"Shared_Hugetlb")
_OF_FILE: Final = (b"Pss", b"SwapPss")
_OWN: Final = (b"Anonymous",)
_TABLES: Final = (b"VmPTE",)
_ADDRESSES: Final = (b"VmSize",)
_TICK_NS: Final = 1_000_000_000 // os.sysconf("SC_CLK_TCK")


class Usage(NamedTuple):
    """Of a process and all its descendants."""

    cpu_ns: int
    """Processor time of those that live, and of ended ones that a living one has waited for."""
    waited_ns: int | None
    """How long the bot was kept waiting for a processor, by others; None: nobody can tell."""
    memory: int
    """Bytes of what they have mapped, at most: what several of them share is counted for each.
    See ``exact_memory``."""
    processes: int
    """Processes and threads, without those above the bot's main process."""
    is_complete: bool = False
    """Whether both times are those of all that it ever started."""
    addresses: int = 0
    """Bytes of addresses that they have, in use or not: no more than that can be mapped."""
    shares: Mapping[int, tuple[int, int]] = {}
    """Processor time and time spent ready but not running, by process, in nanoseconds; empty where
    processes need not be distinguished."""


def together(each: Iterable[Usage]) -> Usage:
    """What several that share nothing use of memory and processes; their times are not told."""
    known = list(each)
    return Usage(
        cpu_ns=0,
        waited_ns=None,
        memory=sum(used.memory for used in known),
        processes=sum(used.processes for used in known),
        addresses=sum(used.addresses for used in known),
    )


def measure(pid: int, depth: int = 0) -> Usage | None:
    """What the process ``pid`` and its descendants have used; None if it is gone.

    ``depth``: how many generations below it the bot's main process is.
    """
    pids = tree(pid)
    if not pids:
        return None
    each = [usage for usage in map(_one, pids) if usage is not None]
    if not each:
        return None
    cpu, memory, threads, addresses = (sum(column) for column in zip(*each, strict=True))
    waited = waited_ns(main_process(pid, depth)) if len(pids) == 1 + depth else None
    return Usage(cpu, waited, memory, max(1, threads - depth), addresses=addresses)


def peak(pid: int, depth: int = 0) -> int:
    """The most bytes that a bot's process has held at once, and each that it started and that
    lives, added up: program files included, and what they share counted for each.

    Zero if it is gone. ``depth``: as of ``measure``.
    """
    total = 0
    for each in tree(main_process(pid, depth)):
        with contextlib.suppress(OSError, ValueError):  # gone
            total += _sum(procfs.status(each), _HIGH_WATER)
    return total


def _one(pid: int) -> tuple[int, int, int, int] | None:
    """Processor time, memory, threads and addresses of one process without its children."""
    try:
        cpu = cpu_ns(pid) + procfs.process(pid).reaped_ticks * _TICK_NS
        status = procfs.status(pid)
    except (OSError, ValueError):
        return None
    threads = int(status.get(b"Threads", b"1"))
    return cpu, _sum(status, _OF_STATUS), threads, _sum(status, _ADDRESSES)


def cpu_ns(pid: int) -> int:
    """Processor time of one process with all threads it ever had. Raises OSError if it is gone."""
    return time.clock_gettime_ns((~pid << 3) | 2)  # how the kernel numbers such clocks


def shares(pids: Iterable[int]) -> dict[int, tuple[int, int]]:
    """Return ``Usage.shares`` of these processes, without those that are gone."""
    found = {}
    for pid in pids:
        with contextlib.suppress(OSError):
            waited = waited_ns(pid)
            if waited is not None:
                found[pid] = cpu_ns(pid), waited
    return found


def waited_ns(pid: int) -> int | None:
    """Return how long the threads of a process have been ready to run and did not, all together.

    None if that is unknown, or as ``lets_others_go_first``.
    """
    tasks, waited = f"/proc/{pid}/task", 0
    try:
        if lets_others_go_first([pid]):
            return None
        for thread in os.listdir(tasks):
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # ended meanwhile
                waited += int(Path(tasks, thread, "schedstat").read_bytes().split()[1])
    except (OSError, ValueError, IndexError):
        return None
    return waited


def lets_others_go_first(pids: Iterable[int]) -> bool:
    """Return whether a thread of these processes has lowered its own priority.

    Its waiting is its own choice, and cannot be separated from that of the other threads.
    """
    threads = (thread for pid in pids for thread in procfs.threads(pid))
    return any(each.policy != _ORDINARY or each.nice > os.nice(0) for each in threads)


def main_process(pid: int, depth: int) -> int:
    """The process so many generations below ``pid``, each time the oldest child."""
    for _ in range(depth):
        pid = next(iter(procfs.children(pid) or ()), pid)
    return pid


def exact_memory(pids: Iterable[int]) -> int:
    """Bytes of memory and swap that these processes hold; what they share counts once.

    Program files are not counted: their pages are everybody's. Files without a name that are mapped
    and not open, and memory that is shared, count by their size: what was written there stays when
    a process lets go of the pages, and nothing tells how much that is. A process that keeps us from
    looking into it gets all that it shares counted in full. Takes about a millisecond for each
    100 MiB.
    """
    pids = list(pids)
    own = [pid for pid in pids if not procfs.is_in_memory_of_parent(pid)]
    held = procfs.nameless_mappings(own) | procfs.nameless_files(pids)
    return sum(held.values()) + sum(_mapped_memory(pid, held.keys()) for pid in own)


def _mapped_memory(pid: int, held: Collection[procfs.FileId]) -> int:
    """Of one process, without what it has mapped of the files that are ``held``."""
    try:
        return _exactly(pid, held)
    except OSError:  # gone; or not to be looked into, and what it is may still be told
        with contextlib.suppress(OSError):
            return _sum(procfs.status(pid), _OF_STATUS)
    return 0


def _exactly(pid: int, held: Collection[procfs.FileId]) -> int:
    """The same. Raises OSError if it is gone or not ours to look into."""
    mapped = _sum(procfs.fields(procfs.alive(pid) / "smaps_rollup"), _OF_ROLLUP)
    for mapping in procfs.mappings(pid) if held else ():
        if mapping.file in held:
            mapped -= _sum(mapping.fields, _OF_FILE) - _sum(mapping.fields, _OWN)
    return max(0, mapped) + _sum(procfs.status(pid), _TABLES)


def excess(used: Usage, limits: Limits, pids: Callable[[], Iterable[int]]) -> str | None:
    """How processes that use so much are over a limit, in words; None: they are not.

    ``pids``: theirs.
    """
    if limits.processes is not None and used.processes > limits.processes:
        return f"had more than {limits.processes} processes"
    if limits.memory is None:
        return None
    known = list(pids())
    most = used.memory + sum(procfs.nameless_files(known).values())
    if most <= limits.memory < most + used.addresses:
        most += sum(procfs.nameless_mappings(known).values())
    if most > limits.memory < exact_memory(known):
        return excess_of_memory(limits)
    return None


def excess_of_memory(limits: Limits) -> str:
    """How a process is over that limit, in words."""
    return f"used more than {_in_words(limits.memory or 0)} of memory"


def tree(pid: int) -> list[int]:
    """The process and all its descendants, parents before children; empty if it is gone."""
    if procfs.children(pid) is None:
        return _tree_by_parents(pid)
    found = [pid]
    for each in found:
        if len(found) >= _MOST:
            break
        found += procfs.children(each) or ()
    return found


def _tree_by_parents(pid: int) -> list[int]:
    """The same where the kernel does not tell children: from all processes of the machine."""
    families: defaultdict[int, list[int]] = defaultdict(list)
    alive = False
    for other in procfs.all_pids():
        with contextlib.suppress(OSError):
            families[procfs.process(other).parent].append(other)
            alive |= other == pid
    found = [pid] if alive else []
    for each in found:
        found += families[each]
    return found


def _sum(fields: dict[bytes, bytes], keys: Iterable[bytes]) -> int:
    return sum(_size(fields, key) for key in keys)


def _size(fields: dict[bytes, bytes], key: bytes) -> int:
    """``123 kB`` in bytes; 0 if it is not told."""
    return int((fields.get(key) or b"0").split()[0]) * _KIB


def _in_words(size: int) -> str:
    for factor, unit in _UNITS:
        if size and size % factor == 0:
            return f"{size // factor} {unit}"
    return f"{size} bytes"
