"""Looking at, and laying hands on, what belongs to others."""

import contextlib
import ctypes
import mmap
import os
import resource
import struct
import sys
import time
from pathlib import Path

from kit import raid
from system import LIBC, call, checked, in_a_child, opponent, others, permitted, reading

# Looking


def own_environment(targets):
    return next((value for value in os.environ.values() if "secret-" in value), None)


def others_environment(targets):
    return reading(*(entry / "environ" for entry in others()), word="secret")


def opponents_environment(targets):
    environment = Path(f"/proc/{opponent()}/environ").read_bytes()
    return "the opponent's variables" if b"HOME=" in environment else None


def command_lines(targets):
    return f"process {opponent()}" if opponent() else None


def private_file(targets):
    return Path(targets["private_file"]).read_text()


def public_file(targets):
    return Path(targets["public_file"]).read_text()


def run_folder(targets):
    return Path(targets["run_folder"], "run.json").read_text()


def password_file(targets):
    return "the list of users" if "root" in Path("/etc/passwd").read_text() else None


def opponents_source(targets):
    """Wherever the folders of bots may be: beside and above its own, or by the process."""
    above = list(Path.cwd().parents)[:2]
    roots = [*above, *(above[-1] / str(number) for number in range(200))]
    roots.append(Path(targets["sources"]))
    with contextlib.suppress(OSError):
        roots.append(Path(f"/proc/{opponent()}/cwd/."))
    ideas = (file for root in roots for file in found(root, 3) if file.name == "idea.txt")
    return reading(*ideas, word="idea")


def found(folder, depth):
    """All files, so many folders deep."""
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return
    for entry in entries:
        if entry.is_file(follow_symlinks=False):
            yield Path(entry.path)
        elif depth and entry.is_dir(follow_symlinks=False):
            yield from found(entry.path, depth - 1)


def parents_memory(targets):
    os.close(os.open(f"/proc/{os.getppid()}/mem", os.O_RDONLY))
    return "the memory of the parent"


def opponents_memory(targets):
    os.close(os.open(f"/proc/{opponent()}/mem", os.O_RDWR))
    return "the memory of the opponent"


def parents_memory_by_call(targets):
    word = ctypes.create_string_buffer(8)
    here = struct.pack("PN", ctypes.addressof(word), 8)
    there = struct.pack("PN", ctypes.addressof(word), 8)
    try:
        call("process_vm_readv", os.getppid(), here, 1, there, 1, 0)
    except OSError as error:
        if error.errno != 14:  # permitted, but there is nothing at this address
            raise
    return "the memory of the parent"


def devices(targets):
    for path in ("/dev/mem", "/dev/kmsg", "/dev/sda", "/dev/vda", "/dev/nvme0n1"):
        try:
            os.close(os.open(path, os.O_RDONLY))
        except OSError:
            continue
        return path
    return None


def inherited_descriptors(targets):
    """More than the three it is to have; found without looking into a folder."""
    held = []
    for descriptor in range(3, 1024):
        try:
            os.fstat(descriptor)
        except OSError:
            continue
        held.append(descriptor)
    return f"descriptors {held}" if held else None


def others_scheduling(targets):
    """Which a process sets for itself: a word for others, even while it stands still."""
    parent = os.getppid()
    return permitted(
        {
            "sched_getattr": lambda: call(
                "sched_getattr", parent, ctypes.create_string_buffer(56), 56, 0
            ),
            "sched_getscheduler": lambda: os.sched_getscheduler(parent),
            "sched_getparam": lambda: os.sched_getparam(parent),
            "sched_rr_get_interval": lambda: os.sched_rr_get_interval(parent),
            "getpriority": lambda: os.getpriority(os.PRIO_PROCESS, parent),
        }
    )


def others_time(targets):
    """How much another process has computed, by its clock."""
    return f"{time.clock_gettime(~os.getppid() << 3 | 2)} s"


def page_cache(targets):
    """Which pages of a file are in memory: set by one process, read by the next."""
    file = os.open(os.__file__, os.O_RDONLY)
    page = mmap.mmap(file, mmap.PAGESIZE, flags=mmap.MAP_PRIVATE)
    address = ctypes.c_void_p(ctypes.addressof(ctypes.c_char.from_buffer(page)))
    size = ctypes.c_size_t(mmap.PAGESIZE)
    got = ctypes.create_string_buffer(64)
    span = ctypes.create_string_buffer(struct.pack("QQ", 0, mmap.PAGESIZE))
    return permitted(
        {
            "fadvise": lambda: os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED),
            "readahead": lambda: call("readahead", file, 0, mmap.PAGESIZE),
            "preadv2": lambda: os.preadv(file, [bytearray(1)], 0, os.RWF_NOWAIT),
            "cachestat": lambda: call("cachestat", file, span, got, 0),
            "mincore": lambda: checked(LIBC.mincore(address, size, got)),
            "io_setup": lambda: call("io_setup", 1, ctypes.byref(ctypes.c_ulong())),
        }
    )


# Laying hands on other processes


def signal_to_parent(targets):
    os.kill(os.getppid(), 0)
    return "could end its parent"


def signal_to_opponent(targets):
    os.kill(opponent(), 0)
    return "could end its opponent"


def signal_to_all(targets):
    """Whom would ``kill(-1)`` reach, of all processes with a number like its own?"""
    own = os.getpid()
    for pid in range(max(2, own - 3000), own + 1000):
        with contextlib.suppress(OSError):
            if pid != own:
                os.kill(pid, 0)
                return "could end other processes"
    return None


def opponents_input(targets):
    os.close(os.open(f"/proc/{opponent()}/fd/0", os.O_RDONLY | os.O_NONBLOCK))
    return "could take the opponent's questions"


def opponents_output(targets):
    os.close(os.open(f"/proc/{opponent()}/fd/1", os.O_WRONLY | os.O_NONBLOCK))
    return "could answer for the opponent"


def trace_parent(targets):
    """In a child, whose end gives the parent free again."""
    seize, parent = 0x4206, os.getppid()

    def trace_it(_):
        return checked(LIBC.ptrace(seize, parent, None, None)) == 0

    return in_a_child(trace_it)(targets)


def parents_limits(targets):
    parent = os.getppid()
    limits = resource.prlimit(parent, resource.RLIMIT_NOFILE)
    resource.prlimit(parent, resource.RLIMIT_NOFILE, limits)
    return "could take the parent's descriptors"


def parents_priority(targets):
    parent = os.getppid()
    os.setpriority(os.PRIO_PROCESS, parent, os.getpriority(os.PRIO_PROCESS, parent))
    return "could slow the parent down"


def parents_cores(targets):
    parent = os.getppid()
    os.sched_setaffinity(parent, os.sched_getaffinity(parent))
    return "could pin the parent"


def all_cores(targets):
    os.sched_setaffinity(0, range(1024))
    return "takes the cores of other games"


def own_priority(targets):
    os.nice(-5)
    return "raised its priority"


def real_time(targets):
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))
    return "runs before everybody"


def oom_score(targets):
    """To be the last that is killed when memory is short."""
    Path("/proc/self/oom_score_adj").write_text("-500")
    return "will be spared"


def own_cgroup(targets):
    """To leave the group that counts and ends it."""
    for base in Path("/sys/fs/cgroup").rglob("cgroup.procs"):
        if base.parent.name.startswith(("arena", "Arena")):
            continue
        try:
            base.write_text("0")
        except OSError:
            continue
        return str(base)
    return None


BOTS = {
    "reads_its_environment": own_environment,
    "reads_others_environment": others_environment,
    "reads_the_opponents_environment": opponents_environment,
    "reads_command_lines": command_lines,
    "reads_a_private_file": private_file,
    "reads_a_public_file": public_file,
    "reads_the_run_folder": run_folder,
    "reads_the_list_of_users": password_file,
    "reads_the_opponents_source": opponents_source,
    "reads_its_parents_memory": parents_memory,
    "reads_its_parents_memory_by_call": parents_memory_by_call,
    "opens_the_opponents_memory": opponents_memory,
    "opens_devices": devices,
    "inherits_descriptors": inherited_descriptors,
    "signals_its_parent": signal_to_parent,
    "signals_its_opponent": signal_to_opponent,
    "signals_everybody": signal_to_all,
    "takes_the_opponents_input": opponents_input,
    "answers_for_the_opponent": opponents_output,
    "traces_its_parent": trace_parent,
    "limits_its_parent": parents_limits,
    "slows_its_parent": parents_priority,
    "pins_its_parent": parents_cores,
    "leaves_its_core": in_a_child(all_cores),
    "reads_others_scheduling": others_scheduling,
    "reads_others_processor_time": others_time,
    "remembers_by_the_page_cache": page_cache,
    "raises_its_priority": in_a_child(own_priority),
    "runs_in_real_time": in_a_child(real_time),
    "escapes_the_memory_killer": oom_score,
    "leaves_its_cgroup": own_cgroup,
}


if __name__ == "__main__":
    raid(BOTS[sys.argv[1]])
