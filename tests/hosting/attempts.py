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
from typing import Any

TARGETS: dict[str, Any] = json.loads(sys.argv[1])
LIBC = ctypes.CDLL(None, use_errno=True)
ATTEMPTS: dict[str, Callable[[], object]] = {}


def attempt(function: Callable[[], object]) -> Callable[[], object]:
    ATTEMPTS[function.__name__] = function
    return function


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


def local(kind: int, address: str) -> None:
    with socket.socket(socket.AF_UNIX, kind) as end:
        end.connect(address)


@attempt
def read_users() -> None:
    open("/etc/passwd").close()


@attempt
def read_secret() -> None:
    open(TARGETS["secret"]).close()


@attempt
def list_other_folder() -> None:
    os.listdir(os.path.dirname(TARGETS["secret"]))


@attempt
def change_secret() -> None:
    os.chmod(TARGETS["secret"], 0o644)


@attempt
def touch_secret() -> None:
    os.utime(TARGETS["secret"])


@attempt
def write_secret() -> None:
    open(TARGETS["secret"], "a").close()


@attempt
def write_beside() -> None:
    open(os.path.join(os.path.dirname(TARGETS["secret"]), "new"), "w").close()


@attempt
def write_in_folder() -> None:
    open("new", "w").close()


@attempt
def change_own_file() -> None:
    os.chmod("attempts.py", 0o600)


@attempt
def tcp_connect() -> None:
    socket.create_connection(("127.0.0.1", TARGETS["port"]), 5).close()


@attempt
def tcp_listen() -> None:
    with socket.socket() as end:
        end.bind(("127.0.0.1", 0))
        end.listen()


@attempt
def udp() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as end:
        end.sendto(b"x", ("127.0.0.1", TARGETS["port"]))


@attempt
def netlink() -> None:
    socket.socket(socket.AF_NETLINK, socket.SOCK_RAW).close()


@attempt
def named_socket() -> None:
    local(socket.SOCK_STREAM, TARGETS["socket"])


@attempt
def abstract_socket() -> None:
    local(socket.SOCK_STREAM, "\0" + TARGETS["abstract"])


@attempt
def datagram_pair() -> None:
    """An end of it can send to any socket that has a name."""
    for end in socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM):
        end.close()


@attempt
def signal_arena() -> None:
    os.kill(TARGETS["arena"], 0)


@attempt
def environment_of_arena() -> None:
    with open(f"/proc/{TARGETS['arena']}/environ") as file:
        file.read()


@attempt
def command_of_arena() -> None:
    with open(f"/proc/{TARGETS['arena']}/cmdline") as file:
        file.read()


@attempt
def limits_of_arena() -> None:
    resource.prlimit(TARGETS["arena"], resource.RLIMIT_NOFILE)


@attempt
def priority_of_arena() -> None:
    who = os.PRIO_PROCESS, TARGETS["arena"]
    os.setpriority(*who, os.getpriority(*who))


@attempt
def cores_of_arena() -> None:
    os.sched_setaffinity(TARGETS["arena"], os.sched_getaffinity(0))


@attempt
def priority_of_user() -> None:
    who = os.PRIO_USER, os.getuid()
    os.setpriority(*who, os.getpriority(*who))


@attempt
def be_traced() -> None:
    in_child(lambda: call("ptrace", 0, 0, 0, 0))


@attempt
def user_namespace() -> None:
    in_child(lambda: call("unshare", 0x10000000))


@attempt
def clone_namespace() -> None:
    def clone() -> None:
        if not call("clone", 0x10000000 | signal.SIGCHLD, 0, 0, 0, 0):
            os._exit(0)
        os.wait()

    in_child(clone)


@attempt
def new_style_clone() -> None:
    call("clone3", None, 0)


@attempt
def io_uring() -> None:
    parameters = ctypes.create_string_buffer(120)
    os.close(call("io_uring_setup", 1, parameters))


@attempt
def keyring() -> None:
    call("add_key", b"user", b"arena-test", b"x", 1, -1)


@attempt
def shared_memory() -> None:
    call("shmctl", call("shmget", 0, 4096, 0o1600), 0, None)


@attempt
def message_queue() -> None:
    call("msgctl", call("msgget", 0, 0o1600), 0, None)


@attempt
def file_in_memory() -> None:
    os.close(os.memfd_create("test"))


@attempt
def counted_memory() -> None:
    if LIBC.sysinfo(ctypes.create_string_buffer(256)):
        raise OSError(ctypes.get_errno(), "sysinfo")


@attempt
def file_of_process() -> None:
    os.close(os.pidfd_open(os.getpid()))


@attempt
def file_of_child() -> None:
    """As its parent gets it from the call that makes it."""

    def clone() -> None:
        place = ctypes.c_int()
        if not call("clone", 0x1000 | signal.SIGCHLD, 0, ctypes.byref(place), 0, 0):
            os._exit(0)
        os.wait()

    in_child(clone)


@attempt
def cookie_of_socket() -> None:
    first, second = socket.socketpair()
    with first, second:
        first.getsockopt(socket.SOL_SOCKET, 57, 8)


@attempt
def network_interfaces() -> None:
    """Any socket tells of them."""
    first, second = socket.socketpair()
    with first, second:
        fcntl.ioctl(first, 0x8912, bytes(16))


@attempt
def room_on_disk() -> None:
    os.statvfs("/usr")


@attempt
def memory_of_all() -> None:
    open("/proc/meminfo").close()


@attempt
def own_pages() -> None:
    open("/proc/self/smaps").close()


@attempt
def other_personality() -> None:
    in_child(lambda: call("personality", 0x0040000))


@attempt
def typed_input() -> None:
    fcntl.ioctl(0, 0x5412, b"x")


@attempt
def lease() -> None:
    with open("attempts.py") as file:
        fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_UNLCK)


@attempt
def low_priority() -> None:
    """Its threads can lock a pipe and then hardly ever be run."""
    in_child(lambda: os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0)))


@attempt
def times_of_device() -> None:
    """All bots of the machine have the same."""
    os.utime("/dev/null")


@attempt
def cached_parts_of_file() -> None:
    """Which parts of a file somebody has looked for."""
    with open("attempts.py") as file:
        fcntl.ioctl(file, 0xC020660B, struct.pack("=QQIIII", 0, 1 << 20, 0, 0, 0, 0))


@attempt
def hint_on_file() -> None:
    """It stays with the file as long as that is in memory."""
    with open("attempts.py") as file:
        fcntl.fcntl(file, 1035, bytes(8))


@attempt
def memory_of_first() -> None:
    """Inside bubblewrap, process 1 runs as the same user."""
    open("/proc/1/mem", "r+b").close()


@attempt
def much_memory() -> None:
    try:
        bytearray(TARGETS["memory"] + (1 << 20))
    except MemoryError:
        raise OSError(errno.ENOMEM, "memory") from None


@attempt
def big_file() -> None:
    place = os.environ.get("TMPDIR", "/tmp")
    with open(os.path.join(place, "big"), "wb") as file:
        file.truncate(TARGETS["disk"] + 1)


@attempt
def many_files() -> None:
    opened = []
    try:
        for _ in range(TARGETS["files"]):
            opened.append(os.open("attempts.py", os.O_RDONLY))
    finally:
        for descriptor in opened:
            os.close(descriptor)


@attempt
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


@attempt
def more_than_allowed() -> None:
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most + 1))
    except ValueError:
        raise OSError(errno.EPERM, "limits") from None


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
