"""Measure from outside what a process and its descendants use of the machine.

Never measure a process that was reaped: its id may already belong to another. Linux only.
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
from arena.values.results import Limits

_MOST: Final = 4096
"""Greatest number of processes counted in one tree; a tree with more has too many in any case."""
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
    """Resources used by a process and all its descendants."""

    cpu_ns: int
    """Processor time, in nanoseconds, of living processes and of ended ones that a living one
    has waited for."""
    waited_ns: int | None
    """Time that others kept the bot waiting for a processor, in nanoseconds; None if not known."""
    memory: int
    """Upper bound on mapped memory, in bytes: shared memory counts once for each process. See
    ``exact_memory``."""
    processes: int
    """Number of processes and threads, without those above the bot's main process."""
    is_complete: bool = False
    """True if both times cover everything that the process ever started."""
    addresses: int = 0
    """Size of all address spaces, in bytes, used or not: an upper bound on mapped memory."""
    shares: Mapping[int, tuple[int, int]] = {}
    """Processor time and time spent ready but not running, by process, in nanoseconds; empty where
    processes need not be distinguished."""


def together(each: Iterable[Usage]) -> Usage:
    """Return the total memory and processes of process trees that share nothing, without times."""
    known = list(each)
    return Usage(
        cpu_ns=0,
        waited_ns=None,
        memory=sum(used.memory for used in known),
        processes=sum(used.processes for used in known),
        addresses=sum(used.addresses for used in known),
    )


def measure(pid: int, depth: int = 0) -> Usage | None:
    """Return the usage of the process ``pid`` and its descendants; None if it is gone.

    ``depth``: number of generations between ``pid`` and the bot's main process.
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
    """Return the sum of peak memory, in bytes, over the living processes of a bot.

    Program files are included, and shared memory counts once for each process. Returns 0 if the
    process is gone. ``depth``: as for ``measure``.
    """
    total = 0
    for each in tree(main_process(pid, depth)):
        with contextlib.suppress(OSError, ValueError):  # it is gone
            total += _sum(procfs.status(each), _HIGH_WATER)
    return total


def _one(pid: int) -> tuple[int, int, int, int] | None:
    """Return processor time, memory, threads and addresses of one process without its children.

    Returns None if it is gone.
    """
    try:
        cpu = cpu_ns(pid) + procfs.process(pid).reaped_ticks * _TICK_NS
        status = procfs.status(pid)
    except (OSError, ValueError):
        return None
    threads = int(status.get(b"Threads", b"1"))
    return cpu, _sum(status, _OF_STATUS), threads, _sum(status, _ADDRESSES)


def cpu_ns(pid: int) -> int:
    """Return the processor time of a process with all threads it ever had, in nanoseconds.

    Raises OSError if it is gone.
    """
    return time.clock_gettime_ns((~pid << 3) | 2)  # number of this clock in the kernel


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
    """Return the time that threads of a process were ready but not running, in nanoseconds.

    Returns None if that is unknown, or if ``lets_others_go_first``.
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
    """Return the process ``depth`` generations below ``pid``, following the oldest child."""
    for _ in range(depth):
        pid = next(iter(procfs.children(pid) or ()), pid)
    return pid


def exact_memory(pids: Iterable[int]) -> int:
    """Return the memory and swap of these processes, in bytes; shared memory counts once.

    Program files are not counted, because their pages are shared by the whole machine. Unnamed
    files that are mapped but not open, and shared memory, count by their size: data stays there
    after a process unmaps the pages, and its amount is not known. If a process cannot be inspected,
    its shared memory counts in full. Takes about a millisecond per 100 MiB.
    """
    pids = list(pids)
    own = [pid for pid in pids if not procfs.is_in_memory_of_parent(pid)]
    held = procfs.nameless_mappings(own) | procfs.nameless_files(pids)
    return sum(held.values()) + sum(_mapped_memory(pid, held.keys()) for pid in own)


def _mapped_memory(pid: int, held: Collection[procfs.FileId]) -> int:
    """Return the mapped memory of a process, in bytes, without mappings of the files ``held``."""
    try:
        return _exactly(pid, held)
    except OSError:  # it is gone, or may not be inspected although its status is readable
        with contextlib.suppress(OSError):
            return _sum(procfs.status(pid), _OF_STATUS)
    return 0


def _exactly(pid: int, held: Collection[procfs.FileId]) -> int:
    """Return the exact value of ``_mapped_memory``. Raises OSError if it cannot be inspected."""
    mapped = _sum(procfs.fields(procfs.alive(pid) / "smaps_rollup"), _OF_ROLLUP)
    for mapping in procfs.mappings(pid) if held else ():
        if mapping.file in held:
            mapped -= _sum(mapping.fields, _OF_FILE) - _sum(mapping.fields, _OWN)
    return max(0, mapped) + _sum(procfs.status(pid), _TABLES)


def excess(used: Usage, limits: Limits, pids: Callable[[], Iterable[int]]) -> str | None:
    """Return a phrase if the usage ``used`` exceeds a limit on processes or memory, else None.

    ``pids``: returns the ids of the processes; called only if necessary.
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
    """Return the phrase for use above the limit on memory."""
    return f"used more than {_in_words(limits.memory or 0)} of memory"


def tree(pid: int) -> list[int]:
    """Return the process and all its descendants, parents first; an empty list if it is gone."""
    if procfs.children(pid) is None:
        return _tree_by_parents(pid)
    found = [pid]
    for each in found:
        if len(found) >= _MOST:
            break
        found += procfs.children(each) or ()
    return found


def _tree_by_parents(pid: int) -> list[int]:
    """Return ``tree`` from all processes of the machine: not all kernels list children."""
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
    """Return a size such as ``123 kB`` in bytes; 0 if the field is missing."""
    return int((fields.get(key) or b"0").split()[0]) * _KIB


def _in_words(size: int) -> str:
    for factor, unit in _UNITS:
        if size and size % factor == 0:
            return f"{size // factor} {unit}"
    return f"{size} bytes"
