"""What the kernel counts for all processes together: a word for the opponent, or for the next one.

Each bot changes a number in a child, as another process would, and looks whether it sees that.
Between two children that know nothing of each other it works just as well.
"""

import contextlib
import ctypes
import mmap
import os
import re
import socket
import struct
import sys
import time
from pathlib import Path

from kit import raid
from system import LIBC, call, checked

PORTION = 1024
"""So many numbers a processor takes at once where they are counted by processor."""
MANY = 2 * PORTION
SHARED = 32 << 20

# Numbers of objects, which go on where the last process has stopped


def goes_on(number):
    """Whether a number is higher by what a child has used up."""
    before = number()
    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException):
            for _ in range(MANY):
                number()
        os._exit(0)
    os.waitpid(child, 0)
    for used in range(1, PORTION + 2):
        passed = number() - before - used
        if passed >= MANY - PORTION:
            return f"counted {passed} of another process"
    return None


def number_of(*descriptors):
    """The inode number of the first, all closed."""
    try:
        return os.fstat(descriptors[0]).st_ino
    finally:
        for descriptor in descriptors:
            os.close(descriptor)


def memory_numbers(targets):
    return goes_on(lambda: number_of(os.memfd_create("word")))


def pipe_numbers(targets):
    return goes_on(lambda: number_of(*os.pipe()))


def socket_numbers(targets):
    cookie = 57

    def number():
        first, second = socket.socketpair()
        with first, second:
            return struct.unpack("Q", first.getsockopt(socket.SOL_SOCKET, cookie, 8))[0]

    return goes_on(number)


def process_numbers(targets):
    """The kernel numbers all processes, in whatever namespace they are."""

    def number():
        child = os.fork()
        if child == 0:
            os._exit(0)
        try:
            return number_of(os.pidfd_open(child))
        finally:
            os.waitpid(child, 0)

    return goes_on(number)


# Sums over all processes


@contextlib.contextmanager
def another(act):
    """While this is held, a child has done something. What it returns is kept by it."""
    ready, done = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException):
            kept = act()
            os.write(ready[1], b"." if kept else b"?")
            os.close(done[1])
            os.read(done[0], 1)
        os._exit(0)
    os.close(ready[1])
    try:
        os.read(ready[0], 1)
        yield child
    finally:
        for descriptor in (ready[0], *done):
            os.close(descriptor)
        os.waitpid(child, 0)


def much_shared_memory():
    shared = mmap.mmap(-1, SHARED)
    for page in range(0, SHARED, mmap.PAGESIZE):
        shared[page] = 1
    return shared


def readable(readers):
    """What the readers tell, without those that cannot."""
    found = {}
    for name, reader in readers.items():
        with contextlib.suppress(OSError, TypeError):
            found[name] = reader()
    return found


def from_sysinfo():
    words = (ctypes.c_ulong * 32)()
    checked(LIBC.sysinfo(words))
    return words[6]


def from_file(path, pattern, unit):
    return int(re.search(pattern, Path(path).read_text())[1]) * unit


def shared_memory(targets):
    readers = {
        "sysinfo": from_sysinfo,
        "meminfo": lambda: from_file("/proc/meminfo", r"Shmem: *(\d+)", 1024),
        "vmstat": lambda: from_file("/proc/vmstat", r"nr_shmem (\d+)", mmap.PAGESIZE),
    }
    before = readable(readers)
    with another(much_shared_memory):
        after = readable(readers)
    seen = [name for name in after if after[name] - before[name] > SHARED // 2]
    return f"counted another's memory by {', '.join(seen)}" if seen else None


def shared_pages(targets):
    """How many processes use a page of a library tells how many others there are."""

    def users():
        text = Path("/proc/self/numa_maps").read_text()
        return sum(int(number) for number in re.findall(r"mapmax=(\d+)", text))

    readers = {
        "numa_maps": users,
        "smaps": lambda: -from_file("/proc/self/smaps_rollup", r"Pss_File: *(\d+)", 1),
    }
    before = readable(readers)
    with another(lambda: True):
        after = readable(readers)
    seen = [name for name in after if after[name] > before[name]]
    return f"counted others' use of a library by {', '.join(seen)}" if seen else None


def processes(targets):
    """The links of the folder of all processes."""
    before = os.stat("/proc").st_nlink
    with contextlib.ExitStack() as children:
        for _ in range(10):
            children.enter_context(another(lambda: True))
        passed = os.stat("/proc").st_nlink - before
    return f"counted {passed} processes" if passed >= 5 else None


def room(targets):
    """How full a disk is that others write to, arena with their messages among them."""
    folder = os.statvfs(os.path.dirname(os.__file__))
    return f"{folder.f_bfree} free blocks, {folder.f_ffree} free files"


# Marks on what everybody may read


def access_times(targets):
    """A file of the system tells when it was read last, to the day: as many words as files."""
    day, now = 86400, time.time()
    for folder, _, names in os.walk("/usr"):
        for path in (os.path.join(folder, name) for name in names):
            with contextlib.suppress(OSError):
                found = os.stat(path)
                if found.st_size and not found.st_mtime < found.st_atime > now - day:
                    with open(path, "rb") as file:
                        file.read(1)
                    passed = os.stat(path).st_atime != found.st_atime
                    return f"left a time at {path}" if passed else None
    return None


def waking(targets):
    """Who waits at a page of a file is seen, and can be woken, by whoever maps the same page."""
    wait, wake, private = 0, 1, 2
    LIBC.mmap.restype = ctypes.c_void_p
    with open(os.__file__, "rb") as file:
        where = LIBC.mmap(None, mmap.PAGESIZE, mmap.PROT_READ, private, file.fileno(), 0)
    word = ctypes.c_void_p(where)
    content = ctypes.c_int.from_address(where).value
    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException):
            call("futex", word, wait, content, None, None, 0)
        os._exit(0)
    try:
        give_up = time.monotonic() + 10
        while time.monotonic() < give_up:
            if call("futex", word, wake, 1, None, None, 0):
                return "woke another process"
            time.sleep(0.01)
    finally:
        os.kill(child, 9)
        os.waitpid(child, 0)
    return None


BOTS = {
    "remembers_by_numbers_of_memory": memory_numbers,
    "remembers_by_numbers_of_pipes": pipe_numbers,
    "remembers_by_numbers_of_sockets": socket_numbers,
    "remembers_by_numbers_of_processes": process_numbers,
    "remembers_by_times_of_files": access_times,
    "talks_by_shared_memory": shared_memory,
    "talks_by_shared_pages": shared_pages,
    "talks_by_counting_processes": processes,
    "talks_by_room_on_the_disk": room,
    "talks_by_waking_each_other": waking,
}


if __name__ == "__main__":
    raid(BOTS[sys.argv[1]])
