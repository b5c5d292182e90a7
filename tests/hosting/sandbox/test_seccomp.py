from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import shutil
import socket
import struct
import subprocess
import termios
from pathlib import Path
from typing import Final

import pytest

from arena.hosting.sandbox import seccomp
from arena.hosting.sandbox.seccomp import ATTRIBUTES, CALLS, JUDGED, MACHINES, MISSING, SIGNS

ALLOWED: Final = "allowed"
KILLED: Final = "killed"
VERDICTS: Final = {0x7FFF0000: ALLOWED, 0x80000000: KILLED}

CONTROLS: Final = (termios.TCGETS, termios.TIOCGWINSZ, termios.FIONREAD, termios.FIONBIO)
OF_FILE_SYSTEMS: Final = (0x40086602, 0x401C5820, 0x40087602, 0xC020662A, 0xC020660B)
"""FS_IOC_SETFLAGS, FS_IOC_FSSETXATTR, FS_IOC_SETVERSION, EXT4_IOC_GET_ES_CACHE, FS_IOC_FIEMAP."""
SOCKET_OPTIONS: Final = ((7, ALLOWED), (16, ALLOWED), (76, errno.EPERM))
HEADERS: Final = {
    "x86_64": "asm/unistd_64.h",
    "aarch64": "asm-generic/unistd.h",  # the numbers that newer architectures share
}


def run(program: bytes, audit: int, number: int, arguments: tuple[int, ...] = ()) -> str | int:
    """What the kernel would do with a call: a verdict or an errno."""
    words = [*arguments, *[0] * (6 - len(arguments))]
    data = struct.pack("=IIQ6Q", number & 0xFFFFFFFF, audit, 0, *words)
    code: list[tuple[int, int, int, int]] = list(struct.iter_unpack("=HBBI", program))
    at, accumulator = 0, 0
    while True:
        operation, if_true, if_false, operand = code[at]
        at += 1
        match operation:
            case 0x20:
                (accumulator,) = struct.unpack_from("=I", data, operand)
            case 0x54:
                accumulator &= operand
            case 0x05:
                at += operand
            case 0x15:
                at += if_true if accumulator == operand else if_false
            case 0x35:
                at += if_true if accumulator >= operand else if_false
            case 0x45:
                at += if_true if accumulator & operand else if_false
            case 0x06:
                return VERDICTS.get(operand, operand & 0xFFFF)
            case _:
                raise AssertionError(f"unknown operation {operation:#x}")


@pytest.fixture(params=list(MACHINES))
def machine(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


def verdict(
    machine: str, name: str, *arguments: int, attributes: bool = False, signs: bool = False
) -> str | int | None:
    """Return what the kernel would do; None if the architecture has no such call."""
    audit, column = MACHINES[machine]
    number = (CALLS | ATTRIBUTES | SIGNS | MISSING | JUDGED)[name][column]
    if number is None:
        return None
    program = seccomp.program(machine, attributes=attributes, signs=signs)
    assert program is not None
    return run(program, audit, number, arguments)


def test_what_is_refused(machine: str) -> None:
    for name in CALLS:
        assert verdict(machine, name) in (errno.EPERM, None), name
        assert verdict(machine, name, attributes=True) in (errno.EPERM, None), name
    assert sum(verdict(machine, name) is not None for name in CALLS) > 50


def test_attributes_locks_and_watches_are_for_builders_alone(machine: str) -> None:
    for option, names in (("attributes", ATTRIBUTES), ("signs", SIGNS)):
        for name in names:
            assert verdict(machine, name) in (errno.EPERM, None), name
            assert verdict(machine, name, **{option: True}) in (ALLOWED, None), name
    for lock in (fcntl.F_GETLK, fcntl.F_SETLK, fcntl.F_SETLKW, 36, 37, 38):
        assert verdict(machine, "fcntl", 0, lock) == errno.EPERM, lock
        assert verdict(machine, "fcntl", 0, lock, signs=True) == ALLOWED, lock


def test_what_the_kernel_seems_not_to_have(machine: str) -> None:
    for name in MISSING:
        assert verdict(machine, name) in (errno.ENOSYS, None), name


BY_ARGUMENTS: Final[list[tuple[str, tuple[int, ...], str | int]]] = [
    ("personality", (0xFFFFFFFF,), ALLOWED),
    ("personality", (0,), errno.EPERM),
    ("personality", (0x0040000,), errno.EPERM),
    ("prlimit64", (0, 7), ALLOWED),
    ("prlimit64", (1, 7), errno.EPERM),
    ("ioprio_set", (1, 0, 5), ALLOWED),
    ("ioprio_set", (3, 0, 5), errno.EPERM),
    ("ioprio_get", (1, 0), ALLOWED),
    ("ioprio_get", (1, 2), errno.EPERM),
    ("ioprio_get", (3, 0), errno.EPERM),
    ("getpriority", (0, 0), ALLOWED),
    ("getpriority", (0, 2), errno.EPERM),
    ("getpriority", (2, 0), errno.EPERM),
    *[
        (f"sched_{name}", (pid,), ALLOWED if pid == 0 else errno.EPERM)
        for name in ("getscheduler", "getparam", "getattr", "rr_get_interval")
        for pid in (0, 2)
    ],
    *[
        (name, (clock & 0xFFFFFFFF,), expected)
        for name in ("clock_gettime", "clock_nanosleep", "timer_create")
        for clock, expected in [
            *[(clock, ALLOWED) for clock in range(12)],
            *[(~0 << 3 | kind, ALLOWED) for kind in (0, 1, 2, 4, 5, 6)],
            *[(~7 << 3 | kind, errno.EPERM) for kind in (0, 1, 2, 3)],  # of process 7
            *[(~7 << 3 | kind, ALLOWED) for kind in (4, 5, 6)],  # of thread 7
        ]
    ],
    ("socketpair", (1, 1), ALLOWED),
    ("socketpair", (1, 1 | 0o2000000 | 0o4000), ALLOWED),
    ("socketpair", (1, 2), errno.EPERM),
    ("socketpair", (1, 2 | 0o2000000), errno.EPERM),
    ("socketpair", (1, 3), errno.EPERM),
    ("socketpair", (1, 5), ALLOWED),
    ("socketpair", (1, 5 | 0o2000000), ALLOWED),
    ("socketpair", (1, 1, 1), errno.EPERM),
    ("socketpair", (1, 1, 99), errno.EPERM),
    ("socketpair", (2, 1), errno.EPERM),
    ("socketpair", (2, 5), errno.EPERM),
    *[("ioctl", (0, control), ALLOWED) for control in CONTROLS],
    *[("ioctl", (0, control), errno.ENOTTY) for control in (0, 0x5412, 0x541C, 0x8912)],
    *[("ioctl", (0, control), errno.ENOTTY) for control in OF_FILE_SYSTEMS],
    ("ioctl", (0, (1 << 32) | 0x5412), errno.ENOTTY),
    *[("fcntl", (0, operation), ALLOWED) for operation in (0, 1, 2, 3, 4, 1030)],
    *[("fcntl", (0, operation), errno.EPERM) for operation in (8, 10, *range(1024, 1030))],
    *[("fcntl", (0, operation), errno.EPERM) for operation in range(1031, 1040)],
    *[("madvise", (0, 4096, advice), ALLOWED) for advice in (0, 3, 4, 8, 14, 23)],
    *[("madvise", (0, 4096, advice), errno.EPERM) for advice in (12, 20, 21)],
    *[("prctl", (option,), ALLOWED) for option in (1, 3, 15, 38)],
    *[("prctl", (option,), errno.EPERM) for option in (4, 67)],
    ("statx", (0, 0, 0, 0xFFF), ALLOWED),
    ("statx", (0, 0, 0, 0x17FF), errno.EPERM),
    ("statx", (0, 0, 0, 0x4000), errno.EPERM),
    ("clone", (0x01200011,), ALLOWED),
    ("clone", (0x003D0F00,), ALLOWED),
    *[("clone", (1 << bit | 17,), errno.EPERM) for bit in (12, 15, 17, *range(25, 31))],
    *[("getsockopt", (0, 1, option), ALLOWED) for option in (3, 4, 17)],
    *[("getsockopt", (0, 1, option), errno.EPERM) for option in (57, 71, 77)],
    *[("setsockopt", (0, 1, option), expected) for option, expected in SOCKET_OPTIONS],
]


def test_what_depends_on_arguments(machine: str) -> None:
    for name, arguments, expected in BY_ARGUMENTS:
        assert verdict(machine, name, *arguments) in (expected, None), (name, arguments)


def test_an_end_of_a_pair_that_is_allowed_reaches_its_peer_alone(tmp_path: Path) -> None:
    """What the kernel does with an address, for both kinds; a datagram would go there."""
    address = str(tmp_path / "s")
    for kind in (socket.SOCK_STREAM, socket.SOCK_SEQPACKET, socket.SOCK_DGRAM):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as named:
            named.bind(address)
            named.setblocking(False)
            first, second = socket.socketpair(socket.AF_UNIX, kind)
            with first, second:
                with contextlib.suppress(OSError):
                    first.sendto(b"x", address)
                reached = False
                with contextlib.suppress(BlockingIOError):
                    reached = named.recv(1) == b"x"
            assert reached is (kind == socket.SOCK_DGRAM)
        os.unlink(address)


def test_everything_else_is_allowed(machine: str) -> None:
    audit, column = MACHINES[machine]
    program = seccomp.program(machine, attributes=False, signs=False)
    assert program is not None
    listed = {pair[column] for pair in (CALLS | ATTRIBUTES | SIGNS | MISSING | JUDGED).values()}
    for number in set(range(470)) - listed:
        assert run(program, audit, number) == ALLOWED
    for number in (470, 500, 0x3FFFFFFF):
        assert run(program, audit, number) == errno.ENOSYS, "nobody has looked at it yet"


def test_another_architecture_is_killed_and_x32_refused() -> None:
    program = seccomp.program("x86_64", attributes=False, signs=False)
    assert program is not None
    assert run(program, 0x40000003, 1) == KILLED  # i386
    assert run(program, MACHINES["x86_64"].audit, 0x40000000) == errno.EPERM
    assert run(program, MACHINES["x86_64"].audit, -1) == errno.EPERM


def test_no_filter_for_what_was_never_tried() -> None:
    assert seccomp.program("riscv64", attributes=False, signs=False) is None


def test_no_call_is_listed_twice(machine: str) -> None:
    column = MACHINES[machine].column
    tables = (CALLS, ATTRIBUTES, SIGNS, MISSING, JUDGED)
    numbers = [pair[column] for table in tables for pair in table.values()]
    known = [number for number in numbers if number is not None]
    assert len(known) == len(set(known))
    assert sum(len(table) for table in tables) == len(CALLS | ATTRIBUTES | SIGNS | MISSING | JUDGED)


@pytest.mark.process
def test_the_numbers_are_those_of_the_kernel(machine: str) -> None:
    numbers = _numbers(machine)
    newest = max(numbers.values())
    column = MACHINES[machine].column
    for name, pair in (CALLS | ATTRIBUTES | SIGNS | MISSING | JUDGED).items():
        expected = numbers.get(name)
        if expected is None and (pair[column] or 0) > newest:
            continue  # younger than this system's headers
        assert pair[column] == expected, name


def _numbers(machine: str) -> dict[str, int]:
    """System calls by name, from the headers of the kernel."""
    compiler = shutil.which("cc")
    if compiler is None or (machine == "x86_64" and os.uname().machine != machine):
        pytest.skip("needs a C compiler and the headers of that architecture")
    defined = ("MEMFD_SECRET", "SYS_CLONE3", "NEW_STAT", "SET_GET_RLIMIT", "TIME32_SYSCALLS")
    source = "".join(f"#define __ARCH_WANT_{name}\n" for name in defined)
    source += f"#define __BITS_PER_LONG 64\n#include <{HEADERS[machine]}>\n"
    command = [compiler, "-E", "-dM", "-"]
    done = subprocess.run(command, input=source, capture_output=True, text=True)
    if done.returncode:
        pytest.skip("needs the headers of the kernel")
    lines = [line.split() for line in done.stdout.splitlines() if "__NR" in line]
    values = {line[1]: line[2] for line in lines if len(line) == 3}
    found = {}
    for name, value in values.items():
        number = values.get(value, value)
        if number.isdigit() and name != "__NR_syscalls":
            found[name.removeprefix("__NR_").removeprefix("__NR3264_")] = int(number)
    return found
