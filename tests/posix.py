"""Run a command as on a system without Linux's own calls: ``python -m tests.posix COMMAND ...``.

What only Linux has is refused or missing there, for the command and all that it starts: system
calls by a filter, ``/proc`` and ``/sys`` by empty folders, names of Python's modules by a
``sitecustomize``. Needs user namespaces. The command runs as an ordinary user, and ``ps`` works.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final, NoReturn

from arena.hosting.sandbox import seccomp

HIDDEN: Final = "ARENA_TESTS_PROC"
"""Variable with the place of the real ``/proc``, for tools of tests alone."""

_REFUSED: Final = {
    "pidfd_send_signal": (424, 424),
    "pidfd_open": (434, 434),
    "pidfd_getfd": (438, 438),
    "prctl": (157, 167),
    "landlock_create_ruleset": (444, 444),
    "landlock_add_rule": (445, 445),
    "landlock_restrict_self": (446, 446),
    "sched_setaffinity": (203, 122),
    "sched_getaffinity": (204, 123),
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "clone3": (435, 435),
    "memfd_create": (319, 279),
    "epoll_create": (213, None),
    "epoll_create1": (291, 20),
    "signalfd": (282, None),
    "signalfd4": (289, 74),
    "eventfd": (284, None),
    "eventfd2": (290, 19),
    "timerfd_create": (283, 85),
    "inotify_init": (253, None),
    "inotify_init1": (294, 26),
    "renameat2": (316, 276),
    "copy_file_range": (326, 285),
    "splice": (275, 76),
    "vmsplice": (278, 75),
    "fallocate": (285, 47),
    "fadvise64": (221, 223),
    "waitid": (247, 95),
    "setresuid": (117, 147),
    "setresgid": (119, 149),
    "kcmp": (312, 272),
    "seccomp": (317, 277),
    "io_uring_setup": (425, 425),
}
"""Calls that fail as if the kernel did not have them: numbers on x86_64 and aarch64."""
_CLONE: Final = (56, 220)
_OF_LINUX: Final = 0x7E029000
"""CLONE_NEW flags, CLONE_PIDFD and CLONE_PARENT."""
_CLOCKS: Final = (228, 113)
_OF_OTHERS: Final = 0x80000000
_LIMITS: Final = (302, 261)

_NAMES: Final = {
    "os": "memfd_create pidfd_open sched_getaffinity sched_setaffinity waitid copy_file_range "
    "splice pipe2 eventfd setresuid setresgid getresuid getresgid posix_fadvise posix_fallocate "
    "O_PATH O_TMPFILE ST_NOATIME MFD_CLOEXEC SCHED_BATCH",
    "signal": "pidfd_send_signal sigtimedwait sigwaitinfo",
    "select": "epoll",
    "resource": "prlimit RLIMIT_OFILE RLIMIT_NICE RLIMIT_MSGQUEUE RLIMIT_SIGPENDING",
    "fcntl": "F_SETPIPE_SZ F_GETPIPE_SZ F_ADD_SEALS",
}
"""Names of modules that are missing elsewhere, or in Python 3.11 elsewhere."""

_USER: Final = 1000
"""What root is there: an ordinary user, to whom everything of root belongs."""
_PS: Final = """#!{python} -IS
import os, time
place = {proc!r}
now = float(open(place + "/uptime").read().split()[0])
for pid in filter(str.isdigit, os.listdir(place)):
    try:
        fields = open(place + "/" + pid + "/stat").read().rpartition(")")[2].split()
    except OSError:
        continue
    age = max(0, int(now - int(fields[19]) / os.sysconf("SC_CLK_TCK")))
    hours, rest = divmod(age, 3600)
    age = "%d-%02d:%02d:%02d" % (hours // 24, hours % 24, *divmod(rest, 60))
    try:
        told = open(place + "/" + pid + "/environ", errors="replace").read()
    except OSError:
        told = ""
    print(pid, fields[2], fields[0], age, "command", *told.replace(chr(0), " ").split())
"""
"""Program ``ps`` that shows what arena asks for, with environments as on macOS."""
_NEW_USER: Final = 0x10000000
_NEW_MOUNTS: Final = 0x00020000
_PRIVATE: Final = 1 << 18 | 1 << 14
_BIND: Final = 1 << 12 | 1 << 14
_libc: Final = ctypes.CDLL(None, use_errno=True)


def _checked(result: int, what: str) -> None:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), what)


def _mounted(source: str, target: str, kind: str | None, flags: int) -> None:
    words = (word and word.encode() for word in (source, target, kind))
    _checked(_libc.mount(*words, ctypes.c_ulong(flags), None), target)


def hide(place: str) -> None:
    """Cover ``/proc`` and ``/sys`` for this process; the former stays at ``place``."""
    user, group = os.getuid(), os.getgid()
    _checked(_libc.unshare(_NEW_MOUNTS | _NEW_USER), "unshare")
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{user or _USER} {user} 1")
    Path("/proc/self/gid_map").write_text(f"{group or _USER} {group} 1")
    _mounted("none", "/", None, _PRIVATE)
    _mounted("/proc", place, None, _BIND)
    for folder in ("/proc", "/sys"):
        _mounted("none", folder, "tmpfs", 0)


def filtered() -> bytes:
    """The filter as the kernel takes it."""
    _, column = seccomp.MACHINES[os.uname().machine]
    refused = seccomp._numbers(_REFUSED, column)
    jump, fail = seccomp._jump, seccomp._fail
    allow = jump(seccomp._RETURN, seccomp._ALLOW)

    def judged(call: tuple[int, int], bits: int, number: int) -> list[bytes]:
        test = [seccomp._argument(0), jump(seccomp._ANY_BIT, bits, 0, 1), fail(number), allow]
        return [jump(seccomp._EQUAL, call[column], 0, len(test)), *test]

    code = [
        jump(seccomp._LOAD, seccomp._NUMBER),
        *seccomp._any_of(refused, errno.ENOSYS),
        *judged(_CLONE, _OF_LINUX, errno.EINVAL),
        *judged(_CLOCKS, _OF_OTHERS, errno.EINVAL),
        *judged(_LIMITS, 0xFFFFFFFF, errno.ENOSYS),  # only those of the calling process
        allow,
    ]
    return b"".join(code)


def refuse() -> None:
    """Refuse the calls to this process and its descendants."""
    program = filtered()
    text = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("=Q", len(program) // 8) + struct.pack("=Q", ctypes.addressof(text))
    _checked(_libc.prctl(38, 1, 0, 0, 0), "prctl")
    _checked(_libc.prctl(22, 2, header, 0, 0), "seccomp")


def prepared(place: Path) -> dict[str, str]:
    """The environment of the command; ``place`` gets what it needs."""
    (place / "proc").mkdir()
    lines = ["import " + ", ".join(_NAMES)]
    for module, names in _NAMES.items():
        lines += [f"for _name in {names.split()!r}:", f"    vars({module}).pop(_name, None)"]
    (place / "sitecustomize.py").write_text("\n".join(lines))
    (place / "ps").write_text(_PS.format(python=sys.executable, proc=str(place / "proc")))
    (place / "ps").chmod(0o755)
    found = {"PYTHONPATH": str(place), "PATH": f"{place}{os.pathsep}{os.environ['PATH']}"}
    return {**os.environ, **found, "ARENA_PURE": "1", HIDDEN: str(place / "proc")}


def main(*words: str) -> NoReturn:
    with tempfile.TemporaryDirectory(prefix="posix-") as folder:
        env = prepared(Path(folder))
        child = subprocess.Popen(words, env=env, preexec_fn=lambda: (hide(env[HIDDEN]), refuse()))
        sys.exit(child.wait())


if __name__ == "__main__":
    main(*sys.argv[1:])
