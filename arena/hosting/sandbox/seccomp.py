"""The seccomp filter of the stricter levels, as the bytes that the kernel takes.

It closes what neither Landlock nor namespaces close, and what they close again: a second lock
costs nothing. Everything else stays allowed: a list of what bots may do would break runtimes
that nobody tried.

Calls fail with EPERM; with ENOSYS where libraries then take another way.
"""

from __future__ import annotations

import errno
import socket
import struct
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple, TypeAlias

Instruction: TypeAlias = bytes


class Machine(NamedTuple):
    """A processor architecture as seccomp sees it."""

    audit: int
    """Its AUDIT_ARCH number."""
    column: int
    """Which of the two numbers of a system call is its own."""


MACHINES: Final = {"x86_64": Machine(0xC000003E, 0), "aarch64": Machine(0xC00000B7, 1)}
"""By the name that ``os.uname`` gives."""

CALLS: Final[dict[str, tuple[int | None, int | None]]] = {
    # keys outlive their process and are the user's, not the process's
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    # wide doors into the kernel
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "memfd_secret": (447, 447),
    "modify_ldt": (154, None),
    # System V and POSIX objects pass messages to the next process
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
    # a thread that is hardly ever run can keep a pipe locked, and with it whoever reads it
    "setpriority": (141, 140),
    "sched_setscheduler": (144, 119),
    "sched_setparam": (142, 118),
    "sched_setattr": (314, 274),
    # whoever leaves the core of its worker takes that of another game
    "sched_setaffinity": (203, 122),
    # what of the system's files is in memory outlives a process: one bit for every page
    "fadvise64": (221, 223),
    "mincore": (27, 232),
    "readahead": (187, 213),
    # memory in a pipe is counted for nobody: a byte of a huge page keeps all of it
    "vmsplice": (278, 75),
    # network; a pair of connected sockets is all that is left
    "socket": (41, 198),
    "connect": (42, 203),
    "bind": (49, 200),
    "listen": (50, 201),
    "accept": (43, 202),
    "accept4": (288, 242),
    # the administrator's
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
    # files without their names, and watching those of others
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "fanotify_init": (300, 262),
    "fanotify_mark": (301, 263),
}
"""What is refused whatever its arguments: numbers on x86_64 and aarch64."""

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
"""What Landlock does not close: an ordinary user's bot could close the user's files to him."""

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
"""By which two who may read the same file of the system, or use the same device, can give signs to
each other, or see how full a disk is. A build may need them."""

MISSING: Final[dict[str, tuple[int | None, int | None]]] = {
    "io_uring_setup": (425, 425),  # its requests pass by this filter
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "clone3": (435, 435),  # its flags are out of the filter's sight; libraries take clone then
    "cachestat": (451, 451),  # from here on: what tells which pages of a file are in memory
    "preadv2": (327, 286),
    "pwritev2": (328, 287),
    "io_setup": (206, 0),
    "io_submit": (209, 2),
    "sysinfo": (99, 179),  # from here on: what tells of counts over all processes
    "memfd_create": (319, 279),  # each file in memory has a number of its own, as
    "pidfd_open": (434, 434),  # has each process, in whatever namespace
}
"""What fails as if the kernel did not have it."""

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
"""What depends on its arguments.

How another process is scheduled and how much it has computed is not only the business of that
one: it can choose both, and so leave word for others even while it is stopped.
"""

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
"""Numbers from here on belong to another ABI of x86_64."""

_UNKNOWN: Final = 470
"""Nobody has looked yet at what system calls from here on tell."""
_QUERY: Final = 0xFFFFFFFF
_ONE_PROCESS: Final = 0
_ONE_IO_PROCESS: Final = 1
_TYPE: Final = 0xF
_NOT_IN_A_CLONE: Final = 0x7E029000
"""Every CLONE_NEW flag that clone can have, CLONE_PIDFD, and CLONE_PARENT: its process would be no
child of the bot."""
_NUMBERED: Final = (57, 71, 76, 77)
"""SO_COOKIE and SO_NETNS_COOKIE are numbers that the kernel counts up; SO_PASSPIDFD and
SO_PEERPIDFD give descriptors of processes, whose numbers are likewise."""
_CONTROLS: Final = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451, 0x802C542A)
"""What libraries ask of descriptors: whether it is a terminal and how wide, what there is to read,
not to wait, to be closed. File systems and devices have hundreds of others, some of which change
files that are open for reading, or tell which parts of them somebody has read."""
_MOUNTS: Final = 0x5000
"""STATX_MNT_ID and STATX_MNT_ID_UNIQUE: the latter counts the mounts of the machine, and so the
sandboxes that were started."""
_ABOUT_OTHERS: Final = (12, 20, 21)
"""MADV_MERGEABLE, MADV_COLD, MADV_PAGEOUT: for pages that others hold, too."""
_MERGE: Final = 67
"""PR_SET_MEMORY_MERGE, the first of these for all of a process."""
_OF_A_PROCESS: Final = 0x80000000
"""Clocks that count the time of a process or thread have this bit."""
_OF_A_THREAD: Final = 4
"""Of these, clocks of threads; the kernel gives them to their own process alone."""
_OWN_CLOCKS: Final = (0xFFFFFFF8, 0xFFFFFFF9, 0xFFFFFFFA)
"""Those of the calling process, without its number."""
_DUMPABLE: Final = 4
"""PR_SET_DUMPABLE hides what memory a process uses."""
_OF_DESCRIPTORS: Final = (0, 1, 2, 3, 4, 1030)
"""F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC. Others leave word in a file that is
open for reading, or make whoever opens it wait."""
_LOCKS: Final = (5, 6, 7, 36, 37, 38)
"""F_GETLK, F_SETLK, F_SETLKW and the same for open files."""


def program(machine: str, *, attributes: bool, signs: bool) -> bytes | None:
    """The filter for an architecture; None if there is none for it.

    ``attributes``: whether files' modes and owners may be changed. ``signs``: whether files may be
    locked and watched, and their times changed.
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
    """What each call of ``JUDGED`` is put to. Every way through ends with a verdict."""
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
    """Refuse unless each argument, by its index, has its value."""
    code = []
    for index, value in expected:
        code += [_argument(index), _jump(_EQUAL, value, 1, 0), _fail(errno.EPERM)]
    return [*code, _jump(_RETURN, _ALLOW)]


def _only(index: int, values: Iterable[int], number: int) -> list[Instruction]:
    """Fail with the errno unless the argument has one of the values."""
    code = [_argument(index)]
    for value in values:
        code += [_jump(_EQUAL, value, 0, 1), _jump(_RETURN, _ALLOW)]
    return [*code, _fail(number)]


def _if_any(index: int, values: Iterable[int]) -> list[Instruction]:
    """Refuse if the argument has one of the values."""
    code = [_argument(index)]
    for value in values:
        code += [_jump(_EQUAL, value, 0, 1), _fail(errno.EPERM)]
    return [*code, _jump(_RETURN, _ALLOW)]


def _connected_pair() -> list[Instruction]:
    """Only pairs of the local kind whose ends know each other alone: an address that is given to a
    stream or a sequence of packets is ignored or refused, a datagram goes to any socket by name.
    Rust's library makes a sequence for each process that it starts."""
    return [
        _argument(0),
        _jump(_EQUAL, int(getattr(socket, "AF_UNIX", 1)), 1, 0),
        _fail(errno.EPERM),
        _argument(1),
        _jump(_AND, _TYPE),
        _jump(_EQUAL, int(socket.SOCK_STREAM), 2, 0),
        _jump(_EQUAL, int(socket.SOCK_SEQPACKET), 1, 0),
        _fail(errno.EPERM),
        _jump(_RETURN, _ALLOW),
    ]


def _own_clock() -> list[Instruction]:
    """Any clock but those of other processes."""
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
    """Fail with the errno for each of the calls; their jumps all lead to one instruction."""
    jumps = [_jump(_EQUAL, call, len(numbers) - at, 0) for at, call in enumerate(numbers)]
    return [*jumps, _jump(_JUMP, 1), _fail(number)]


def _numbers(calls: dict[str, tuple[int | None, int | None]], column: int) -> list[int]:
    return [number for pair in calls.values() if (number := pair[column]) is not None]


def _argument(index: int) -> Instruction:
    """Load the lower half of an argument: all that the kernel looks at of these."""
    return _jump(_LOAD, _ARGUMENTS + 8 * index)


def _fail(number: int) -> Instruction:
    return _jump(_RETURN, _ERRNO | number)


def _jump(code: int, operand: int, if_true: int = 0, if_false: int = 0) -> Instruction:
    return struct.pack("=HBBI", code, if_true, if_false, operand)
