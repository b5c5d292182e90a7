"""Two programs for ``python -m tests.hostile.census``: one looks at all that it can read, the
other does all that might be seen of it.

Each answers a line on its input by a line on its output, and does not end before its input does.
Besides lines on its input, ``looks`` takes a file with paths that somebody may have told it.
"""

import contextlib
import ctypes
import fcntl
import hashlib
import json
import mmap
import os
import re
import resource
import select
import socket
import stat
import sys
import threading
import time

MOST = 1 << 20
MOST_NUMBERS = 2000
NUMBER = re.compile(rb"\d+")
OPTIONS = range(128)
BELOW = ("", "/task", "/fd", "/fdinfo", "/stat", "/status", "/ns/net", "/cwd", "/exe", "/maps")
"""Of the folder of a process."""
KEPT = []

# Looking


def fields(prefix, values):
    return {f"{prefix}.{name}": value for name, value in values.items()}


def of_descriptor(name, *descriptors):
    """All that can be asked about the first; all are closed."""
    try:
        found = os.fstat(descriptors[0])
        told = {field: getattr(found, field) for field in ("st_ino", "st_dev", "st_size")}
        with contextlib.suppress(OSError):
            told["link"] = os.readlink(f"/proc/self/fd/{descriptors[0]}").partition(":")[0]
        with contextlib.suppress(OSError):
            told["free"] = os.fstatvfs(descriptors[0]).f_bfree
        return fields(name, told)
    finally:
        for descriptor in descriptors:
            os.close(descriptor)


def shared_memory():
    return os.memfd_create("census")


def new_child():
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    return {"child": child}


def options():
    told = {}
    first, second = socket.socketpair()
    with first, second:
        for option in OPTIONS:
            with contextlib.suppress(OSError):
                value = first.getsockopt(socket.SOL_SOCKET, option, 64)
                told[f"socket.{option}"] = int.from_bytes(value, sys.byteorder)
    return told


def limits():
    """How many of a kind can be had until the kernel refuses."""
    made, told = [], {}
    with contextlib.suppress(OSError):
        while len(made) < 4096:
            made.append(os.pipe())
    told["pipes"] = len(made)
    if made:
        with contextlib.suppress(OSError):
            told["pipe.size"] = fcntl.fcntl(made[-1][0], 1032)
    for pair in made:
        for end in pair:
            os.close(end)
    return told


def calls():
    libc = ctypes.CDLL(None, use_errno=True)
    words = (ctypes.c_ulong * 32)()
    told = {}
    if libc.sysinfo(words) == 0:
        told |= {f"sysinfo.{at}": words[at] for at in range(1, 14)}
    told["pages"] = libc.sysconf(84), libc.sysconf(85), libc.sysconf(86)
    told["loadavg"] = 0
    with contextlib.suppress(OSError):
        told["loadavg"] = os.getloadavg()
    told["cores"] = sorted(os.sched_getaffinity(0))
    for name in ("ru_majflt", "ru_inblock", "ru_oublock", "ru_nswap"):
        told[name] = getattr(resource.getrusage(resource.RUSAGE_SELF), name)
    return told


def descriptors():
    makers = {
        "pipe": os.pipe,
        "memory": lambda: (shared_memory(),),
        "event": lambda: (os.eventfd(0),),
        "epoll": lambda: (os.dup(select.epoll().fileno()),),
        "process": lambda: (os.pidfd_open(os.getpid()),),
        "sockets": lambda: [end.detach() for end in socket.socketpair()],
        "timer": lambda: (ctypes.CDLL(None).timerfd_create(1, 0),),
        "null": lambda: (os.open("/dev/null", os.O_RDONLY),),
        "terminal": lambda: (os.open("/dev/ptmx", os.O_RDWR),),
    }
    told = {}
    for name, make in makers.items():
        with contextlib.suppress(OSError, AttributeError):
            told |= of_descriptor(name, *make())
    return told


def others(pids):
    """What the kernel says about processes of which nothing is known but their number."""
    told = {}
    asked = {
        "group": os.getpgid,
        "session": os.getsid,
        "signal": lambda pid: os.kill(pid, 0),
        "policy": os.sched_getscheduler,
        "cores": lambda pid: sorted(os.sched_getaffinity(pid)),
        "priority": lambda pid: os.getpriority(os.PRIO_PROCESS, pid),
        "clock": lambda pid: time.clock_gettime(~pid << 3 | 2),
        "limit": lambda pid: resource.prlimit(pid, resource.RLIMIT_NOFILE),
    }
    for pid in pids:
        for name, ask in asked.items():
            try:
                told[f"{name} of {pid}"] = ask(pid)
            except OSError as error:
                told[f"{name} of {pid}"] = error.strerror
    return told


def of_content(content):
    """All numbers in a file that is not large; a digest of the rest."""
    numbers = NUMBER.findall(content)
    told = {}
    if len(numbers) < MOST_NUMBERS:
        told = {f"content#{at}": int(number) for at, number in enumerate(numbers)}
        content = NUMBER.sub(b"", content)
    return told | {"content": hashlib.sha256(content).hexdigest()[:16]}


def of_path(path):
    found = os.lstat(path)
    told = {
        name: getattr(found, name)
        for name in ("st_ino", "st_nlink", "st_size", "st_blocks", "st_atime_ns", "st_mtime_ns")
    }
    with contextlib.suppress(OSError):
        told["free"] = os.statvfs(path).f_bfree
    if stat.S_ISLNK(found.st_mode):
        with contextlib.suppress(OSError):
            told["target"] = os.readlink(path)
    with contextlib.suppress(OSError, ValueError):
        if stat.S_ISDIR(found.st_mode):
            told["names"] = sorted(os.listdir(path))
        elif stat.S_ISREG(found.st_mode) and not path.startswith("/usr"):
            descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
            with open(descriptor, "rb") as file:
                told |= of_content(file.read(MOST))
    return fields(path, told)


def census(paths, pids):
    told = {}
    for look in (descriptors, options, calls, limits, new_child, lambda: others(pids)):
        try:
            told |= look()
        except (OSError, ValueError) as error:
            told[getattr(look, "__name__", "?")] = str(error)
    for path in paths:
        with contextlib.suppress(OSError, ValueError):
            told |= of_path(path)
    return told


def looks():
    """Tell all, again and again."""
    for line in sys.stdin:
        asked = json.loads(line)
        with open("paths") as file:
            paths = file.read().splitlines()
        paths += [f"/proc/{pid}{below}" for pid in asked["pids"] for below in BELOW]
        print(json.dumps(census(paths, asked["pids"])), flush=True)


# Doing


def hold(act, *arguments):
    with contextlib.suppress(OSError, MemoryError, ValueError, RuntimeError):
        KEPT.append(act(*arguments))


def filled(size):
    memory = mmap.mmap(-1, size)
    for page in range(0, size, mmap.PAGESIZE):
        memory[page] = 1
    return memory


def private(size):
    return bytearray(os.urandom(4096)) * (size // 4096)


def mapped(path):
    with open(path, "rb") as file:
        memory = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
    return sum(memory[page] for page in range(0, len(memory), mmap.PAGESIZE)), memory


def child():
    number = os.fork()
    if number == 0:
        with contextlib.suppress(OSError):
            os.setpgid(0, 0)
            os.nice(7)
        time.sleep(600)
        os._exit(0)
    return number


def many(make, number):
    for _ in range(number):
        for end in make():
            os.close(end)


def written(folder):
    with open(os.path.join(folder, "word"), "wb") as file:
        file.write(bytes(1 << 18))


def read_all():
    """Files that nobody else is likely to read."""
    read = 0
    for folder, _, names in os.walk("/usr/share"):
        for name in names:
            with contextlib.suppress(OSError), open(os.path.join(folder, name), "rb") as file:
                file.read(4096)
                read += 1
            if read == 3000:
                return


def acts():
    """All at once, and keep it until the next line."""
    for _ in sys.stdin:
        hold(filled, 32 << 20)
        hold(private, 32 << 20)
        hold(mapped, sys.executable)
        hold(many, os.pipe, 100000)
        hold(many, lambda: [end.detach() for end in socket.socketpair()], 5000)
        hold(many, lambda: (shared_memory(),), 20000)
        hold(select.epoll)
        for _ in range(8):
            hold(os.pipe)
        for _ in range(10):
            hold(child)
        for _ in range(4):
            thread = threading.Thread(target=time.sleep, args=(600,), daemon=True)
            hold(thread.start)
        for folder in (".", "/tmp", "/dev/shm", "/var/tmp"):
            hold(written, folder)
        hold(os.nice, 1)
        hold(read_all)
        os.write(2, b"x" * 10000)
        print("done", flush=True)
    for pid in (each for each in KEPT if isinstance(each, int) and each > 1):
        with contextlib.suppress(OSError):
            os.kill(pid, 9)


if __name__ == "__main__":
    {"looks": looks, "acts": acts}[sys.argv[1]]()
