"""A bot that tries to get at what is none of its business, and says how far it came.

Its argument is a JSON object: what there is to get at, and the numbers of system calls. It
prints one: for each attempt ``open`` or the name of an errno; and facts about itself. Needs
nothing but Python.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import json
import os
import resource
import signal
import socket
import struct
import sys
from collections.abc import Callable
from typing import Any, TextIO

TARGETS: dict[str, Any] = json.loads(sys.argv[1])
SECRET: str = TARGETS["secret"]
BESIDE = os.path.dirname(SECRET)
ARENA: int = TARGETS["arena"]
HOST = "127.0.0.1", TARGETS["port"]
LIBC = ctypes.CDLL(None, use_errno=True)


def call(name: str, *arguments: Any) -> int:
    """A system call by its name. Raises OSError."""
    result = int(LIBC.syscall(TARGETS["calls"][name], *arguments))
    if result < 0:
        raise OSError(ctypes.get_errno(), name)
    return result


def in_child(function: Callable[[], object]) -> None:
    """Try something that would change this process in one of its own. Raises OSError."""
    child = os.fork()
    if not child:
        try:
            function()
        except OSError as error:
            os._exit(error.errno or 255)
        except BaseException:
            os._exit(255)
        os._exit(0)
    number = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if number:
        raise OSError(number, "in a child")


def clone(flags: int, place: object = 0) -> None:
    if not call("clone", flags | signal.SIGCHLD, 0, place, 0, 0):
        os._exit(0)
    os.wait()


def use(path: str, mode: str = "r") -> None:
    open(path, mode).close()


def read(path: str) -> None:
    with open(path) as file:
        file.read()


def local(address: str) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as end:
        end.connect(address)


def tcp_listen() -> None:
    with socket.socket() as end:
        end.bind(("127.0.0.1", 0))
        end.listen()


def udp() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as end:
        end.sendto(b"x", HOST)


def with_pair(kind: int, use: Callable[[socket.socket], object]) -> None:
    first, second = socket.socketpair(socket.AF_UNIX, kind)
    with first, second:
        use(first)


def keep_priority(kind: int, who: int) -> None:
    os.setpriority(kind, who, os.getpriority(kind, who))


def counted_memory() -> None:
    if LIBC.sysinfo(ctypes.create_string_buffer(256)):
        raise OSError(ctypes.get_errno(), "sysinfo")


def with_own_file(*calls: Callable[[TextIO], object]) -> None:
    with open("attempts.py") as file:
        for each in calls:
            each(file)


def much_memory() -> None:
    try:
        bytearray(TARGETS["memory"] + (1 << 20))
    except MemoryError:
        raise OSError(errno.ENOMEM, "memory") from None


def big_file() -> None:
    place = os.environ.get("TMPDIR", "/tmp")
    with open(os.path.join(place, "big"), "wb") as file:
        file.truncate(TARGETS["disk"] + 1)


def many_files() -> None:
    opened = []
    try:
        for _ in range(TARGETS["files"]):
            opened.append(os.open("attempts.py", os.O_RDONLY))
    finally:
        for descriptor in opened:
            os.close(descriptor)


def many_processes() -> None:
    children = []
    reading, writing = os.pipe()
    try:
        for _ in range(TARGETS["processes"]):
            child = os.fork()
            if not child:
                os.close(writing)
                os.read(reading, 1)  # until it is closed
                os._exit(0)
            children.append(child)
    finally:
        os.close(writing)
        os.close(reading)
        for child in children:
            os.waitpid(child, 0)


def more_than_allowed() -> None:
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most + 1))
    except ValueError:
        raise OSError(errno.EPERM, "limits") from None


ATTEMPTS: dict[str, Callable[[], object]] = {
    "read_users": lambda: use("/etc/passwd"),
    "read_secret": lambda: use(SECRET),
    "list_other_folder": lambda: os.listdir(BESIDE),
    "change_secret": lambda: os.chmod(SECRET, 0o644),
    "touch_secret": lambda: os.utime(SECRET),
    "write_secret": lambda: use(SECRET, "a"),
    "write_beside": lambda: use(os.path.join(BESIDE, "new"), "w"),
    "write_in_folder": lambda: use("new", "w"),
    "change_own_file": lambda: os.chmod("attempts.py", 0o600),
    "tcp_connect": lambda: socket.create_connection(HOST, 5).close(),
    "tcp_listen": tcp_listen,
    "udp": udp,
    "netlink": lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW).close(),
    "named_socket": lambda: local(TARGETS["socket"]),
    "abstract_socket": lambda: local("\0" + TARGETS["abstract"]),
    # an end of it can send to any socket that has a name
    "datagram_pair": lambda: with_pair(socket.SOCK_DGRAM, lambda end: end),
    "signal_arena": lambda: os.kill(ARENA, 0),
    "environment_of_arena": lambda: read(f"/proc/{ARENA}/environ"),
    "command_of_arena": lambda: read(f"/proc/{ARENA}/cmdline"),
    "limits_of_arena": lambda: resource.prlimit(ARENA, resource.RLIMIT_NOFILE),
    "priority_of_arena": lambda: keep_priority(os.PRIO_PROCESS, ARENA),
    "cores_of_arena": lambda: os.sched_setaffinity(ARENA, os.sched_getaffinity(0)),
    "priority_of_user": lambda: keep_priority(os.PRIO_USER, os.getuid()),
    "be_traced": lambda: in_child(lambda: call("ptrace", 0, 0, 0, 0)),
    "user_namespace": lambda: in_child(lambda: call("unshare", 0x10000000)),
    "clone_namespace": lambda: in_child(lambda: clone(0x10000000)),
    "new_style_clone": lambda: call("clone3", None, 0),
    "io_uring": lambda: os.close(call("io_uring_setup", 1, ctypes.create_string_buffer(120))),
    "keyring": lambda: call("add_key", b"user", b"arena-test", b"x", 1, -1),
    "shared_memory": lambda: call("shmctl", call("shmget", 0, 4096, 0o1600), 0, None),
    "message_queue": lambda: call("msgctl", call("msgget", 0, 0o1600), 0, None),
    "file_in_memory": lambda: os.close(os.memfd_create("test")),
    "counted_memory": counted_memory,
    "file_of_process": lambda: os.close(os.pidfd_open(os.getpid())),
    # as its parent gets it from the call that makes it
    "file_of_child": lambda: in_child(lambda: clone(0x1000, ctypes.byref(ctypes.c_int()))),
    "cookie_of_socket": lambda: with_pair(
        socket.SOCK_STREAM, lambda end: end.getsockopt(socket.SOL_SOCKET, 57, 8)
    ),
    # any socket tells of them
    "network_interfaces": lambda: with_pair(
        socket.SOCK_STREAM, lambda end: fcntl.ioctl(end, 0x8912, bytes(16))
    ),
    "room_on_disk": lambda: os.statvfs("/usr"),
    "memory_of_all": lambda: use("/proc/meminfo"),
    "own_pages": lambda: use("/proc/self/smaps"),
    "other_personality": lambda: in_child(lambda: call("personality", 0x0040000)),
    "typed_input": lambda: fcntl.ioctl(0, 0x5412, b"x"),
    "lease": lambda: with_own_file(
        lambda file: fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK),
        lambda file: fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_UNLCK),
    ),
    # its threads can lock a pipe and then hardly ever be run
    "low_priority": lambda: in_child(
        lambda: os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    ),
    # all bots of the machine have the same
    "times_of_device": lambda: os.utime("/dev/null"),
    # which parts of a file somebody has looked for
    "cached_parts_of_file": lambda: with_own_file(
        lambda file: fcntl.ioctl(file, 0xC020660B, struct.pack("=QQIIII", 0, 1 << 20, 0, 0, 0, 0))
    ),
    # it stays with the file as long as that is in memory
    "hint_on_file": lambda: with_own_file(lambda file: fcntl.fcntl(file, 1035, bytes(8))),
    # inside bubblewrap, process 1 runs as the same user
    "memory_of_first": lambda: use("/proc/1/mem", "r+b"),
    "much_memory": much_memory,
    "big_file": big_file,
    "many_files": many_files,
    "many_processes": many_processes,
    "more_than_allowed": more_than_allowed,
}


def outcome(function: Callable[[], object]) -> str:
    try:
        function()
    except OSError as error:
        return errno.errorcode.get(error.errno or 0, str(error.errno))
    return "open"


def open_descriptors() -> list[int]:
    found = []
    for descriptor in range(512):
        try:
            fcntl.fcntl(descriptor, fcntl.F_GETFD)
        except OSError:
            continue
        found.append(descriptor)
    return found


def facts() -> dict[str, Any]:
    mask = os.umask(0)
    os.umask(mask)
    names = ("DATA", "FSIZE", "NOFILE", "CORE", "CPU")
    return {
        "uid": os.getuid(),
        "groups": os.getgroups(),
        "umask": mask,
        "descriptors": open_descriptors(),
        "no_new_privileges": LIBC.prctl(39, 0, 0, 0, 0),
        "ignored": [n for n in (1, 2, 15) if signal.getsignal(n) is signal.SIG_IGN],
        "limits": {name: resource.getrlimit(getattr(resource, f"RLIMIT_{name}")) for name in names},
        "folder": os.getcwd(),
        "arguments": sys.argv[2:],
        "environment": dict(os.environ),
        "leader": os.getsid(0) == os.getpid() or os.getpid() == 2,
    }


if __name__ == "__main__":
    told = facts()
    print(json.dumps({"attempts": {n: outcome(f) for n, f in ATTEMPTS.items()}, "facts": told}))
