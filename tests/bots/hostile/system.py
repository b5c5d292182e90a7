"""System calls, and the other processes of the machine, for bots that attack them."""

import ctypes
import os
import re
from pathlib import Path

LIBC = ctypes.CDLL(None, use_errno=True)
NUMBERS = {
    "x86_64": {
        "add_key": 248,
        "keyctl": 250,
        "io_uring_setup": 425,
        "bpf": 321,
        "perf_event_open": 298,
        "userfaultfd": 323,
        "process_vm_readv": 310,
        "kcmp": 312,
        "shmget": 29,
        "mq_open": 240,
        "inotify_init1": 294,
        "inotify_add_watch": 254,
        "cachestat": 451,
        "io_setup": 206,
        "readahead": 187,
        "sched_getattr": 315,
        "futex": 202,
    },
    "aarch64": {
        "add_key": 217,
        "keyctl": 219,
        "io_uring_setup": 425,
        "bpf": 280,
        "perf_event_open": 241,
        "userfaultfd": 282,
        "process_vm_readv": 270,
        "kcmp": 272,
        "shmget": 194,
        "mq_open": 180,
        "inotify_init1": 26,
        "inotify_add_watch": 27,
        "cachestat": 451,
        "io_setup": 0,
        "readahead": 213,
        "sched_getattr": 275,
        "futex": 98,
    },
}


def checked(result):
    """The result of a function of the C library; raises OSError."""
    if result == -1:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def call(name, *arguments):
    """A system call by name."""
    number = NUMBERS[os.uname().machine][name]
    words = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    return checked(LIBC.syscall(ctypes.c_long(number), *words))


def permitted(attempts):
    """Which of some attempts, by name, the kernel does not refuse."""
    done = []
    for name, attempt in attempts.items():
        try:
            attempt()
        except BlockingIOError:  # an answer too: it could not be had at once
            done.append(name)
        except OSError:
            continue
        else:
            done.append(name)
    return ", ".join(done)


def in_a_child(attack):
    """For what changes the process that does it. The child reports by its exit status."""

    def tried(targets):
        child = os.fork()
        if child == 0:
            try:
                os._exit(0 if attack(targets) else 1)
            except OSError as error:
                os._exit(error.errno or 1)
            except BaseException:
                os._exit(1)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if status:
            raise OSError(status, os.strerror(abs(status)))
        return attack.__name__.replace("_", " ")

    return tried


def others():
    """All processes but this one and its own."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            yield entry


def reading(*paths, word):
    """A secret in one of the files; nothing else of them is ever reported."""
    for path in paths:
        try:
            found = re.search(rf"{word}-[0-9a-f]{{16}}", Path(path).read_text("utf-8", "replace"))
        except OSError:
            continue
        if found:
            return found[0]
    return None


def opponent():
    """The process of an honest bot that the same worker has started."""
    for entry in others():
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
            parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        if b"honest" in words and parent == os.getppid():
            return int(entry.name)
    raise FileNotFoundError(2, "no opponent in sight")
