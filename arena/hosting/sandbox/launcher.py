"""Confine this process as the plan says, then become the bot: runs between fork and exec.

Started as ``python -I -S launcher.py PLAN STATUS``, the numbers of two open descriptors: PLAN holds
the plan, a marshalled ``confine.LaunchSteps``; STATUS takes reports. With one number only, that of
a socket, it is a warm launcher: see ``warm``. It knows no levels and decides nothing: steps that
the plan does not name are not done.

It imports little, because every start of a bot waits for it: ``posix`` and ``_ctypes``, which are
in the interpreter or one file, instead of ``os`` and ``ctypes``, which are built on them.
"""

from __future__ import annotations

import _ctypes
import errno
import fcntl
import marshal
import posix as os
import resource
import sys

TYPE_CHECKING = False  # ``typing`` takes longer to import than all the rest
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Final, NoReturn

_SIGKILL: Final = 9
_SIGNALS: Final = 64
_ABOVE: Final = 10
"""Lowest descriptor of the launcher's own; lower ones belong to the program."""
_FOLDER: Final = 0o040000

_SET_PARENT_DEATH_SIGNAL: Final = 1
_SET_SECCOMP: Final = 22
_FILTER: Final = 2
_SET_NO_NEW_PRIVILEGES: Final = 38

_CLONE: Final = {"x86_64": 56, "aarch64": 220}
_CLONE_PARENT: Final = 0x8000
_SIGCHLD: Final = 17
_CLONE3: Final = 435
_INTO_CGROUP: Final = 1 << 33
_HANDED: Final = 6
"""Most descriptors that come with a message."""
_INT: Final = 4

_CREATE_RULESET: Final = 444
_ADD_RULE: Final = 445
_RESTRICT_SELF: Final = 446
_BENEATH: Final = 1

_NEW_MOUNTS: Final = 0x00020000
_READ_ONLY: Final = 1
_NO_SETUID: Final = 2
_NO_DEVICES: Final = 4
_REMOUNT: Final = 32
_BIND: Final = 4096
_RECURSIVE: Final = 16384
_PRIVATE: Final = 1 << 18

_SET_ATTRIBUTES: Final = 442
_ALL_BELOW: Final = 0x8000
_NO_ACCESS_TIMES: Final = 0x10
_ANY_ACCESS_TIMES: Final = 0x70


class _Int(_ctypes._SimpleCData):  # type: ignore[type-arg]  # it takes no argument at run time
    _type_ = "i"


class _Word(_ctypes._SimpleCData):  # type: ignore[type-arg]  # it takes no argument at run time
    """An argument that is wider than an int."""

    _type_ = "L"


class _Pointer(_ctypes._SimpleCData):  # type: ignore[type-arg]  # it takes no argument at run time
    """A pointer to bytes; its own bytes are the address."""

    _type_ = "z"


class _Function(_ctypes.CFuncPtr):
    """A C function with a result of type int, which sets ``get_errno``."""

    _flags_ = _ctypes.FUNCFLAG_CDECL | _ctypes.FUNCFLAG_USE_ERRNO
    _restype_ = _Int


def _function(name: str) -> Callable[..., int]:
    """Return a C function; without it, one that fails like a call that the kernel lacks."""
    try:
        return _Function(_ctypes.dlsym(_ctypes.dlopen(None, 0), name))  # type: ignore[arg-type]  # its types lack addresses
    except OSError:
        return _missing


def _missing(*_: object) -> int:
    _ctypes.set_errno(errno.ENOSYS)
    return -1


_mount, _prctl, _signal, _syscall, _unshare = map(
    _function, ("mount", "prctl", "signal", "syscall", "unshare")
)
_PATH: Final = getattr(os, "O_PATH", 0)
_memory: Final = getattr(os, "memfd_create", _missing)


def main(plan_descriptor: int, status_descriptor: int, is_in_group: bool = False) -> NoReturn:
    """Follow the plan. Ends with the program in place of this one, or with a report.

    ``is_in_group``: whether this process is in the first control group of the plan already.
    """
    status = _move(status_descriptor)
    with open(_move(plan_descriptor), "rb") as file:
        plan: dict[str, Any] = marshal.load(file)
    if is_in_group:
        plan["cgroups"] = plan["cgroups"][1:]
    stage = ""
    try:
        for stage, step in _STEPS:
            if (details := plan[stage]) is not None:
                step(details)
        stage = "inherit"
        _inherit(plan["files"], plan["copies"], status)
        if plan["is_last"]:
            _report(status, plan["token"], "reached")
        stage = "exec"
        os.execve(plan["command"][0], plan["command"], plan["env"])
    except OSError as error:
        path = error.filename if isinstance(error.filename, str) else ""
        _report(status, plan["token"], stage, error.errno or 0, path)
    except MemoryError:
        _report(status, plan["token"], stage, errno.ENOMEM)
    os._exit(127)


def serve(number: int) -> NoReturn:
    """Fork a launcher for each message, as a child of this process's parent.

    A message comes with descriptors: the three standard ones, the plan, the one for reports, and
    the folder of the plan's first control group if that is of version 2. The answer is the process
    id of the fork, or a negated errno.
    """
    import _socket  # not at the top: only a warm launcher needs it; ``socket`` imports a lot

    _checked(_prctl(_SET_PARENT_DEATH_SIGNAL, _SIGKILL, 0, 0, 0))
    source = _socket.socket(fileno=number)
    while True:
        data, messages, _, _ = source.recvmsg(1, _socket.CMSG_SPACE(_HANDED * _INT))
        if not data:
            os._exit(0)
        given = memoryview(messages[0][2]).cast("i").tolist()
        *standard, plan, status = given[:5]
        pid, is_in_group = _forked(given[5:])
        if pid == 0:
            source.close()
            os.setsid()
            for target, descriptor in enumerate(standard):
                os.dup2(descriptor, target)
            for descriptor in (*standard, *given[5:]):
                os.close(descriptor)
            main(plan, status, is_in_group)
        for descriptor in given:
            os.close(descriptor)
        answer = pid if pid > 0 else -_ctypes.get_errno()
        source.send(answer.to_bytes(8, sys.byteorder, signed=True))


def _forked(groups: list[int]) -> tuple[int, bool]:
    """Fork a child of this process's parent, if possible into a control group of ``groups``.

    A process that enters a group later waits until every processor has taken note, some 10 ms.
    Returns the process id, 0 in the child, and whether it is in the group.
    """
    for folder in groups:
        flags = _CLONE_PARENT | _INTO_CGROUP
        words = (flags, *[0] * 9, folder)  # struct clone_args
        arguments = b"".join(word.to_bytes(8, sys.byteorder) for word in words)
        pid = _syscall(_CLONE3, arguments, _Word(len(arguments)))
        if pid >= 0:
            return pid, True
    clone = _CLONE.get(os.uname().machine, -1)
    return _syscall(clone, _CLONE_PARENT | _SIGCHLD, 0, 0, 0, 0), False


def _move(descriptor: int) -> int:
    """Move a descriptor to a number above those of the program, which does not inherit it."""
    moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, _ABOVE)
    os.close(descriptor)
    return moved


def _report(status: int, token: bytes, stage: str, number: int = 0, path: str = "") -> None:
    os.write(status, b"%s\0%s\0%d\0%s\n" % (token, stage.encode(), number, _encoded(path)))


def _encoded(path: str) -> bytes:
    return path.encode("utf-8", "surrogateescape")


def _checked(result: int, path: str | None = None) -> int:
    """Return the result of a C function; raise OSError with its errno if it is negative."""
    if result < 0:
        number = _ctypes.get_errno()
        raise OSError(number, os.strerror(number), path)
    return result


def _cgroups(files: list[str]) -> None:
    for path in files:
        descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
        try:
            os.write(descriptor, b"0")
        finally:
            os.close(descriptor)


def _oom_score(score: int) -> None:
    descriptor = os.open("/proc/self/oom_score_adj", os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(descriptor, b"%d" % score)
    finally:
        os.close(descriptor)


def _no_times(_: bool) -> None:
    """Keep access times unchanged, where the system permits it."""
    attributes = b"".join(
        word.to_bytes(8, sys.byteorder) for word in (_NO_ACCESS_TIMES, _ANY_ACCESS_TIMES, 0, 0)
    )
    try:
        _own_mounts()
        size = _Word(len(attributes))
        _checked(_syscall(_SET_ATTRIBUTES, -1, b"/", _ALL_BELOW, attributes, size), "/")
    except OSError:
        return


def _covers(covers: list[tuple[str, list[tuple[str, bool]], list[tuple[str, str]]]]) -> None:
    """Cover each closed folder with an open one, for this process, with only the needed paths."""
    mask = os.umask(0o022)
    _own_mounts()
    for folder, paths, links in covers:
        found = [(path, os.open(path, _PATH), writable) for path, writable in paths]
        _mounted("tmpfs", folder, _NO_SETUID | _NO_DEVICES, "tmpfs", "mode=0755")
        for path, descriptor, writable in found:
            _make_place(path, _is_folder(descriptor))
            _mounted(f"/proc/self/fd/{descriptor}", path, _BIND | _RECURSIVE)
            os.close(descriptor)
            if not writable:
                _protect(path)
        for path, target in links:
            _make_folder(path.rpartition("/")[0])
            os.symlink(target, path)
    os.umask(mask)


def _view(paths: tuple[str, str]) -> None:
    """Show a folder read-only at another place, for this process alone."""
    source, place = paths
    _own_mounts()
    _mounted(source, place, _BIND)
    _protect(place)


def _own_mounts() -> None:
    """Make later mounts visible to this process alone."""
    _checked(_unshare(_NEW_MOUNTS))
    _mounted("none", "/", _RECURSIVE | _PRIVATE)


def _make_place(path: str, is_folder: bool) -> None:
    """Create a file or folder to mount on."""
    _make_folder(path if is_folder else path.rpartition("/")[0])
    if not is_folder:
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o644))


def _make_folder(path: str) -> None:
    """Create a folder and those above it, where they are missing."""
    names = path.split("/")
    for depth in range(2, len(names) + 1):
        try:
            os.mkdir("/".join(names[:depth]))
        except FileExistsError:
            continue


def _protect(path: str) -> None:
    """Make a mount read-only where permitted; file modes keep the bot from writing in any case."""
    try:
        _mounted("none", path, _REMOUNT | _BIND | _READ_ONLY)
    except PermissionError:
        return


def _mounted(source: str, target: str, flags: int, kind: str = "", options: str = "") -> None:
    result = _mount(
        _encoded(source),
        _encoded(target),
        kind.encode() or None,
        _Word(flags),
        options.encode() or None,
    )
    _checked(result, target)


def _is_folder(descriptor: int) -> bool:
    return os.fstat(descriptor).st_mode & 0o170000 == _FOLDER


def _user(number: int) -> None:
    os.setgroups([])
    os.setgid(number)  # of root: the real, effective and saved one
    os.setuid(number)


def _parent(expected: int) -> None:
    """Die with the parent, which may be gone already."""
    _checked(_prctl(_SET_PARENT_DEATH_SIGNAL, _SIGKILL, 0, 0, 0))
    if os.getppid() != expected:
        os.kill(os.getpid(), _SIGKILL)


def _signals(_: bool) -> None:
    """Reset signals to their defaults, because Python and the parent ignore some."""
    for number in range(1, _SIGNALS + 1):
        _signal(number, None)


def _no_new_privileges(_: bool) -> None:
    _checked(_prctl(_SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0))


def _landlock(ruleset: tuple[bytes, int, list[tuple[str, int]]]) -> None:
    handled, of_a_file, rules = ruleset
    created = _checked(_syscall(_CREATE_RULESET, handled, _Word(len(handled)), 0))
    for path, rights in rules:
        try:
            place = os.open(path, _PATH | os.O_CLOEXEC)
        except (FileNotFoundError, NotADirectoryError, PermissionError):
            continue
        allowed = rights if _is_folder(place) else rights & of_a_file
        rule = allowed.to_bytes(8, sys.byteorder) + place.to_bytes(4, sys.byteorder)
        _checked(_syscall(_ADD_RULE, created, _BENEATH, rule, 0), path)
        os.close(place)
    _checked(_syscall(_RESTRICT_SELF, created, 0))
    os.close(created)


def _mark(limits: list[tuple[int, int]]) -> None:
    """Set the limits that mark a bot, see ``orphans``."""
    for kind, limit in limits:
        most = resource.getrlimit(kind)[1]
        if most == resource.RLIM_INFINITY or most > limit:
            resource.setrlimit(kind, (limit, limit))


def _limits(limits: list[tuple[str, int, int]]) -> None:
    for name, soft, hard in limits:
        kind = getattr(resource, name)
        most = resource.getrlimit(kind)[1]
        if most != resource.RLIM_INFINITY:
            soft, hard = min(soft, most), min(hard, most)
        resource.setrlimit(kind, (soft, hard))


def _seccomp(program: bytes) -> None:
    address = bytes(_Pointer(program))
    count = (len(program) // 8).to_bytes(2, sys.byteorder)
    header = count.ljust(len(address), b"\0") + address  # struct sock_fprog
    _checked(_prctl(_SET_SECCOMP, _FILTER, header, 0, 0))


def _inherit(
    files: list[tuple[int, bytes]], copies: list[tuple[int | None, int]], status: int
) -> None:
    """Give the program its descriptors, by number. A copy of None is a copy of ``status``."""
    for number, content in files:
        memory = _memory("plan")
        os.write(memory, content)
        os.lseek(memory, 0, 0)
        os.dup2(memory, number)
        os.close(memory)
    for source, number in copies:
        os.dup2(status if source is None else source, number)
        if source is not None and source > 2:
            os.close(source)


_STEPS: Final[tuple[tuple[str, Callable[[Any], object]], ...]] = (
    ("cgroups", _cgroups),
    ("oom_score", _oom_score),
    ("no_times", _no_times),
    ("view", _view),  # before covers, which may show paths in it
    ("covers", _covers),
    ("user", _user),
    ("parent", _parent),  # after user, since a change of user resets it
    ("umask", os.umask),
    ("folder", os.chdir),
    ("signals", _signals),
    ("no_new_privileges", _no_new_privileges),
    ("landlock", _landlock),
    ("mark", _mark),
    ("limits", _limits),
    ("seccomp", _seccomp),
)
"""Steps in this order, because each removes something that an earlier one needs."""

if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2])) if sys.argv[2:] else serve(int(sys.argv[1]))
