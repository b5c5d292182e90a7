"""Build the seccomp filter of the stricter levels, as the bytes that the kernel takes.

The filter closes what neither Landlock nor namespaces close. It also closes some of what they do:
a second lock is free. Everything else stays allowed, because a list of allowed calls would break
untested runtimes.

Refused calls fail with EPERM, or with ENOSYS where libraries then fall back to another call.
"""

from __future__ import annotations

import errno
import socket
import struct
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Final, NamedTuple, TypeAlias

Instruction: TypeAlias = bytes


class Architecture(NamedTuple):
    """A processor architecture, as seccomp sees it."""

    audit: int
    """AUDIT_ARCH number."""
    column: int
    """Index of this architecture in pairs of system call numbers."""


MACHINES: Final = {"x86_64": Architecture(0xC000003E, 0), "aarch64": Architecture(0xC00000B7, 1)}
"""Supported architectures, by the name that ``os.uname`` returns."""

CALLS: Final[dict[str, tuple[int | None, int | None]]] = {
    # keys outlive their process and belong to the user, not to the process
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    # large attack surface of the kernel
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "memfd_secret": (447, 447),
    "modify_ldt": (154, None),
    # System V and POSIX objects can pass messages to the next process
    "msgget": (68, 186),
    "msgsnd": (69, 189),
    "msgrcv": (70, 188),
    "msgctl": (71, 187),
    "semget": (64, 190),
    "semop": (65, 193),
    "semtimedop": (220, 192),
    "semctl": (66, 191),
    "shmget": (29, 194),
    "shmat": (30, 196),
    "shmdt": (67, 197),
    "shmctl": (31, 195),
    "mq_open": (240, 180),
    "mq_unlink": (241, 181),
    "mq_timedsend": (242, 182),
    "mq_timedreceive": (243, 183),
    "mq_notify": (244, 184),
    "mq_getsetattr": (245, 185),
    # namespaces and mounts
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "move_mount": (429, 429),
    "open_tree": (428, 428),
    "open_tree_attr": (467, 467),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "statmount": (457, 457),
    "listmount": (458, 458),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    # other processes
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "kcmp": (312, 272),
    "pidfd_getfd": (438, 438),
    "migrate_pages": (256, 238),
    "move_pages": (279, 239),
    # a thread that hardly ever runs can keep a pipe locked, which blocks its reader
    "setpriority": (141, 140),
    "sched_setscheduler": (144, 119),
    "sched_setparam": (142, 118),
    "sched_setattr": (314, 274),
    # a bot that leaves the core of its worker takes that of another game
    "sched_setaffinity": (203, 122),
    # whether pages of system files are cached outlives a process: one bit for every page
    "fadvise64": (221, 223),
    "mincore": (27, 232),
    "readahead": (187, 213),
    # memory in a pipe is charged to no process: a byte of a huge page keeps all of it
    "vmsplice": (278, 75),
    # network; only pairs of connected sockets are left
    "socket": (41, 198),
    "connect": (42, 203),
    "bind": (49, 200),
    "listen": (50, 201),
    "accept": (43, 202),
    "accept4": (288, 242),
    # administration
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "reboot": (169, 142),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "acct": (163, 89),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "clock_settime": (227, 112),
    "clock_adjtime": (305, 266),
    "settimeofday": (164, 170),
    "adjtimex": (159, 171),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "syslog": (103, 116),
    "vhangup": (153, 58),
    "iopl": (172, None),
    "ioperm": (173, None),
    "lookup_dcookie": (212, 18),
    "nfsservctl": (180, 42),
    # access to files without their names, and watching files of others
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "fanotify_init": (300, 262),
    "fanotify_mark": (301, 263),
}
"""Calls refused with any arguments: numbers on x86_64 and aarch64."""

ATTRIBUTES: Final[dict[str, tuple[int | None, int | None]]] = {
    "chmod": (90, None),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "chown": (92, None),
    "fchown": (93, 55),
    "lchown": (94, None),
    "fchownat": (260, 54),
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "setxattrat": (463, 463),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "fremovexattr": (199, 16),
    "removexattrat": (466, 466),
    "file_setattr": (469, 469),
}
"""Calls that Landlock does not close: a bot that runs as an ordinary user could make that user's
files inaccessible to the user."""

SIGNS: Final[dict[str, tuple[int | None, int | None]]] = {
    "flock": (73, 32),
    "utime": (132, None),
    "utimes": (235, None),
    "futimesat": (261, None),
    "utimensat": (280, 88),
    "inotify_init": (253, None),
    "inotify_init1": (294, 26),
    "inotify_add_watch": (254, 27),
    "statfs": (137, 43),
    "fstatfs": (138, 44),
    "ustat": (136, None),
}
"""Calls by which two bots that read the same system file, or use the same device, can exchange
signals or see how full a disk is. A build may need them."""

MISSING: Final[dict[str, tuple[int | None, int | None]]] = {
    "io_uring_setup": (425, 425),  # its requests bypass this filter
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "clone3": (435, 435),  # the filter cannot see its flags; libraries fall back to clone
    "cachestat": (451, 451),  # from here on: calls that reveal which pages of a file are cached
    "preadv2": (327, 286),
    "pwritev2": (328, 287),
    "io_setup": (206, 0),
    "io_submit": (209, 2),
    "sysinfo": (99, 179),  # from here on: calls that reveal counts over all processes
    "memfd_create": (319, 279),  # each file in memory has a machine-wide number
    "pidfd_open": (434, 434),  # each process has one, too, in every namespace
}
"""Calls that fail as if the kernel did not have them."""

JUDGED: Final[dict[str, tuple[int | None, int | None]]] = {
    "personality": (135, 92),
    "prlimit64": (302, 261),
    "getpriority": (140, 141),
    "ioprio_set": (251, 30),
    "ioprio_get": (252, 31),
    "sched_getscheduler": (145, 120),
    "sched_getparam": (143, 121),
    "sched_getattr": (315, 275),
    "sched_rr_get_interval": (148, 127),
    "clock_gettime": (228, 113),
    "clock_nanosleep": (230, 115),
    "timer_create": (222, 107),
    "socketpair": (53, 199),
    "getsockopt": (55, 209),
    "setsockopt": (54, 208),
    "madvise": (28, 233),
    "prctl": (157, 167),
    "statx": (332, 291),
    "ioctl": (16, 29),
    "fcntl": (72, 25),
    "clone": (56, 220),
}
"""Calls whose arguments decide.

A process can choose its scheduling and the processor time it uses. If others could read them, they
would carry messages even while the process is stopped."""

_LOAD: Final = 0x20
_AND: Final = 0x54
_JUMP: Final = 0x05
_EQUAL: Final = 0x15
_AT_LEAST: Final = 0x35
_ANY_BIT: Final = 0x45
_RETURN: Final = 0x06

_ALLOW: Final = 0x7FFF0000
_ERRNO: Final = 0x00050000
_KILL: Final = 0x80000000

_NUMBER: Final = 0
_ARCHITECTURE: Final = 4
_ARGUMENTS: Final = 16
_X32: Final = 0x40000000
"""First number of another ABI of x86_64."""

_UNKNOWN: Final = 470
"""First system call number that was not reviewed for leaks."""
_QUERY: Final = 0xFFFFFFFF
_ONE_PROCESS: Final = 0
_ONE_IO_PROCESS: Final = 1
_TYPE: Final = 0xF
_NOT_IN_A_CLONE: Final = 0x7E029000
"""All CLONE_NEW flags of clone, CLONE_PIDFD, and CLONE_PARENT, whose process would not be
a child of the bot."""
_NUMBERED: Final = (57, 71, 76, 77)
"""SO_COOKIE and SO_NETNS_COOKIE: numbers that the kernel counts up. SO_PASSPIDFD and SO_PEERPIDFD:
descriptors of processes, which are numbered likewise."""
_CONTROLS: Final = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451, 0x802C542A)
"""Requests that libraries make: terminal settings and width, bytes to read, non-blocking mode,
closing on exec. File systems and devices have hundreds of others. Some of these change files
that are open for reading, or reveal which parts of a file were read."""
_MOUNTS: Final = 0x5000
"""STATX_MNT_ID and STATX_MNT_ID_UNIQUE; the latter counts the mounts of the machine, and so the
sandboxes started."""
_ABOUT_OTHERS: Final = (12, 20, 21)
"""MADV_MERGEABLE, MADV_COLD, MADV_PAGEOUT: they affect pages that other processes hold, too."""
_MERGE: Final = 67
"""PR_SET_MEMORY_MERGE: MADV_MERGEABLE for a whole process."""
_OF_A_PROCESS: Final = 0x80000000
"""Bit of clocks that count the time of a process or thread."""
_OF_A_THREAD: Final = 4
"""Bit of clocks of threads; the kernel shows these only to their own process."""
_OWN_CLOCKS: Final = (0xFFFFFFF8, 0xFFFFFFF9, 0xFFFFFFFA)
"""Clocks of the calling process, without its number."""
_DUMPABLE: Final = 4
"""PR_SET_DUMPABLE, which hides how much memory a process uses."""
_OF_DESCRIPTORS: Final = (0, 1, 2, 3, 4, 1030)
"""F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC. Others leave a message in a file
open for reading, or block a process that opens it."""
_LOCKS: Final = (5, 6, 7, 36, 37, 38)
"""F_GETLK, F_SETLK, F_SETLKW and their versions for open file descriptions."""


@cache
def program(machine: str, *, attributes: bool, signs: bool) -> bytes | None:
    """Return the filter for an architecture; None if the architecture is not supported.

    ``attributes``: whether modes and owners of files may be changed. ``signs``: whether files may
    be locked and watched, and their times changed.
    """
    if machine not in MACHINES:
        return None
    audit, column = MACHINES[machine]
    refused = CALLS | ({} if attributes else ATTRIBUTES) | ({} if signs else SIGNS)
    code = [
        _jump(_LOAD, _ARCHITECTURE),
        _jump(_EQUAL, audit, 1, 0),
        _jump(_RETURN, _KILL),
        _jump(_LOAD, _NUMBER),
        _jump(_AT_LEAST, _X32, 0, 1),
        _fail(errno.EPERM),
        _jump(_AT_LEAST, _UNKNOWN, 0, 1),
        _fail(errno.ENOSYS),
        *_any_of(_numbers(refused, column), errno.EPERM),
        *_any_of(_numbers(MISSING, column), errno.ENOSYS),
    ]
    for name, test in _tests(signs).items():
        number = JUDGED[name][column]
        if number is not None:
            code += [_jump(_EQUAL, number, 0, len(test)), *test]
    return b"".join([*code, _jump(_RETURN, _ALLOW)])


def _tests(signs: bool) -> dict[str, list[Instruction]]:
    """Return the code that tests each call of ``JUDGED``; all its paths end in a verdict."""
    to_itself = _unless([(0, 0)])
    return {
        "personality": _unless([(0, _QUERY)]),
        "prlimit64": to_itself,
        "getpriority": _unless([(0, _ONE_PROCESS), (1, 0)]),
        **dict.fromkeys(("ioprio_set", "ioprio_get"), _unless([(0, _ONE_IO_PROCESS), (1, 0)])),
        "sched_getscheduler": to_itself,
        "sched_getparam": to_itself,
        "sched_getattr": to_itself,
        "sched_rr_get_interval": to_itself,
        **dict.fromkeys(("clock_gettime", "clock_nanosleep", "timer_create"), _own_clock()),
        "socketpair": _connected_pair(),
        **dict.fromkeys(("getsockopt", "setsockopt"), _if_any(2, _NUMBERED)),
        "madvise": _if_any(2, _ABOUT_OTHERS),
        "prctl": _if_any(0, (_DUMPABLE, _MERGE)),
        "statx": [
            _argument(3),
            _jump(_ANY_BIT, _MOUNTS, 0, 1),
            _fail(errno.EPERM),
            _jump(_RETURN, _ALLOW),
        ],
        "ioctl": _only(1, _CONTROLS, errno.ENOTTY),
        "fcntl": _only(1, _OF_DESCRIPTORS + _LOCKS if signs else _OF_DESCRIPTORS, errno.EPERM),
        "clone": [
            _argument(0),
            _jump(_ANY_BIT, _NOT_IN_A_CLONE, 0, 1),
            _fail(errno.EPERM),
            _jump(_RETURN, _ALLOW),
        ],
    }


def _unless(expected: Sequence[tuple[int, int]]) -> list[Instruction]:
    """Refuse the call unless each argument, by index, has its expected value."""
    code = []
    for index, value in expected:
        code += [_argument(index), _jump(_EQUAL, value, 1, 0), _fail(errno.EPERM)]
    return [*code, _jump(_RETURN, _ALLOW)]


def _only(index: int, values: Iterable[int], number: int) -> list[Instruction]:
    """Fail with the errno ``number`` unless the argument has one of ``values``."""
    code = [_argument(index)]
    for value in values:
        code += [_jump(_EQUAL, value, 0, 1), _jump(_RETURN, _ALLOW)]
    return [*code, _fail(number)]


def _if_any(index: int, values: Iterable[int]) -> list[Instruction]:
    """Refuse the call if the argument has one of ``values``."""
    code = [_argument(index)]
    for value in values:
        code += [_jump(_EQUAL, value, 0, 1), _fail(errno.EPERM)]
    return [*code, _jump(_RETURN, _ALLOW)]


def _connected_pair() -> list[Instruction]:
    """Allow only pairs of local sockets whose ends can reach only each other.

    On a stream or a sequence of packets, an address is ignored or refused; a datagram can go to any
    socket by name. Rust's library creates a sequence for each process that it starts. A wrong
    protocol would use up an inode number in half of the time of a pipe: see ``side_channels``.
    """
    return [
        _argument(0),
        _jump(_EQUAL, int(getattr(socket, "AF_UNIX", 1)), 1, 0),
        _fail(errno.EPERM),
        _argument(2),
        _jump(_EQUAL, 0, 1, 0),
        _fail(errno.EPERM),
        _argument(1),
        _jump(_AND, _TYPE),
        _jump(_EQUAL, int(socket.SOCK_STREAM), 2, 0),
        _jump(_EQUAL, int(socket.SOCK_SEQPACKET), 1, 0),
        _fail(errno.EPERM),
        _jump(_RETURN, _ALLOW),
    ]


def _own_clock() -> list[Instruction]:
    """Allow any clock except those of other processes."""
    own = [_jump(_EQUAL, clock, len(_OWN_CLOCKS) - at) for at, clock in enumerate(_OWN_CLOCKS)]
    return [
        _argument(0),
        _jump(_ANY_BIT, _OF_A_PROCESS, 0, len(own) + 2),
        _jump(_ANY_BIT, _OF_A_THREAD, len(own) + 1, 0),
        *own,
        _fail(errno.EPERM),
        _jump(_RETURN, _ALLOW),
    ]


def _any_of(numbers: Sequence[int], number: int) -> list[Instruction]:
    """Fail with the errno ``number`` for each of the calls; all jumps share one target."""
    jumps = [_jump(_EQUAL, call, len(numbers) - at, 0) for at, call in enumerate(numbers)]
    return [*jumps, _jump(_JUMP, 1), _fail(number)]


def _numbers(calls: dict[str, tuple[int | None, int | None]], column: int) -> list[int]:
    return [number for pair in calls.values() if (number := pair[column]) is not None]


def _argument(index: int) -> Instruction:
    """Load the lower half of an argument, which is all that the kernel uses of these arguments."""
    return _jump(_LOAD, _ARGUMENTS + 8 * index)


def _fail(number: int) -> Instruction:
    return _jump(_RETURN, _ERRNO | number)


def _jump(code: int, operand: int, if_true: int = 0, if_false: int = 0) -> Instruction:
    return struct.pack("=HBBI", code, if_true, if_false, operand)
