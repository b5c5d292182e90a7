"""Plan how a bot is started at its isolation level, as a value.

From ``limits`` on, a bot is started through ``launcher``, which follows the plan made here; at
``bubblewrap`` the launcher runs a second time, inside the sandbox.
"""

from __future__ import annotations

import marshal
import math
import os
import secrets
import sys
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from importlib.machinery import SourceFileLoader
from itertools import chain
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

from arena.hosting.machine import kernel, orphans, procfs
from arena.hosting.sandbox import bubblewrap, landlock, paths, seccomp
from arena.hosting.sandbox.isolation import IsolationError, Launch, Level
from arena.hosting.sandbox.paths import Cover, FileSystemView
from arena.hosting.workspace.cells import Cell
from arena.hosting.workspace.learning import READ, WRITE
from arena.values.results import Limits

Rlimit: TypeAlias = tuple[str, int, int]
"""Name in the module ``resource``, soft limit, hard limit."""

LAUNCHER: Final = str(Path(__file__).with_name("launcher.py").resolve())
"""Program that runs between fork and exec."""

_UMASK: Final = 0o077
_FIRST_TO_DIE: Final = 1000
_SPARE_PROCESSES: Final = 1024
"""Extra processes allowed where all processes of a user are counted together."""
_TOKEN_BYTES: Final = 8
_KEPT: Final = 256
"""Number of cached views of the machine; what is installed does not change during a run."""

_STATUS: Final = 3
_PLAN: Final = 4
_OPTIONS: Final = 5
_ERRORS: Final = 6
_CODE: Final = 7
"""Numbers of descriptors passed through bubblewrap."""

_RUN: Final = "import marshal, sys; exec(marshal.load(open(int(sys.argv.pop(1)), 'rb')))"
"""Program that runs the bytecode in the descriptor that is its first argument."""

_MARSHALLED: Final = frozenset({str, int, bytes, bool, type(None)})

_DEVICES: Final = ("/dev/null", "/dev/zero", "/dev/full")
_SOURCES: Final = ("/dev/random", "/dev/urandom")

_NO_SANDBOX: Final = (
    "a sandbox needs calls of Linux; {} has isolation none and limits, for bots of your own only"
)
_NO_LANDLOCK: Final = (
    "isolation landlock needs version {} of Landlock (Linux 6.12), this kernel has {}; "
    "update it, or use isolation bubblewrap"
)
_NO_FILTER: Final = "isolation {} has no system call filter for the processor {}"
_NO_BUBBLEWRAP: Final = (
    "isolation bubblewrap needs the program bwrap; install the package bubblewrap"
)
_ROOT: Final = "isolation {} is not for root: start the bot in a workspace, or as another user"
_NO_FOLDER: Final = "isolation {} needs a folder for the bot alone, not {}"


class LaunchSteps(NamedTuple):
    """Steps of the launcher, in this order; it skips steps that are None."""

    token: bytes
    """Secret that begins every report, so that no bot can forge a report."""
    is_last: bool
    """True if the program is the bot's."""
    cgroups: tuple[str, ...] | None = None
    oom_score: int | None = None
    no_times: bool | None = None
    """True if reading a file must not update its access time."""
    view: tuple[str, str] | None = None
    """A folder, and the path where it is shown read-only."""
    covers: tuple[Cover, ...] | None = None
    user: int | None = None
    parent: int | None = None
    """Process whose end kills the bot."""
    umask: int | None = None
    folder: str | None = None
    signals: bool | None = None
    no_new_privileges: bool | None = None
    landlock: landlock.Ruleset | None = None
    mark: tuple[tuple[int, int], ...] | None = None
    """Limits that mark a bot, see ``orphans``."""
    limits: tuple[Rlimit, ...] | None = None
    seccomp: bytes | None = None
    files: tuple[tuple[int, bytes], ...] = ()
    """Descriptor numbers and contents of files that the program inherits."""
    copies: tuple[tuple[int | None, int], ...] = ()
    """Descriptors to duplicate, each with its new number; None for the one for reports."""
    command: tuple[str, ...] = ()
    env: Mapping[str, str] = {}

    def packed(self) -> bytes:
        """Return the steps as the launcher reads them."""
        return marshal.dumps(_plain({**self._asdict(), "env": dict(self.env)}))


class LaunchPlan(NamedTuple):
    """Command, environment, user and launcher steps with which a bot is started."""

    command: tuple[str, ...]
    """Command of the bot, with paths as the bot sees them."""
    folder: str
    env: Mapping[str, str]
    """Environment of the bot."""
    user: int | None
    steps: LaunchSteps | None
    """Steps for the launcher; None if the program is started directly."""
    depth: int = 0
    """Number of generations between the started process and the bot."""


def plan(launch: Launch, cell: Cell) -> LaunchPlan:
    """Return how to start the bot of ``launch`` in ``cell`` at its isolation level.

    Raises IsolationError, OSError.
    """
    if launch.level is Level.NONE:
        return _direct(launch, cell)
    if launch.level is Level.LIMITS:
        return _limited(launch, cell)
    if not kernel.offered().controls_processes:
        raise IsolationError(_NO_SANDBOX.format(kernel.offered().name))
    if os.geteuid() == 0 and cell.uid is None:
        raise IsolationError(_ROOT.format(launch.level))
    if os.path.realpath(cell.folder) == "/":
        raise IsolationError(_NO_FOLDER.format(launch.level, cell.folder))
    if launch.level is Level.LANDLOCK:
        return _fenced(launch, cell)
    return _enclosed(launch, cell)


def clean_environment(extra: Mapping[str, str], path: str | None = None) -> dict[str, str]:
    """Return the environment of a bot: without secrets of the host, equal on every machine.

    ``extra`` is added to it. A fixed hash seed makes Python bots that iterate over sets
    repeatable. Bots can import ``arena``, for its games.
    """
    return {
        "PATH": os.environ.get("PATH", paths.SYSTEM_PATH) if path is None else path,
        "HOME": "/nonexistent",
        "LANG": "C.UTF-8",
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": paths.importable(),
        **extra,
    }


def _direct(launch: Launch, cell: Cell) -> LaunchPlan:
    """Plan a start without confinement; the launcher is used only if the user needs covers."""
    command = _moved(launch, cell, cell.folder)
    env = clean_environment(cell.env | launch.env)
    covers = _covers(launch, cell)
    if not covers:
        return LaunchPlan(command, cell.folder, env, cell.uid, None)
    steps = LaunchSteps(
        _token(),
        is_last=True,
        covers=covers,
        user=cell.uid,
        folder=cell.folder,
        signals=True,
        command=command,
        env=env,
    )
    return LaunchPlan(command, cell.folder, env, cell.uid, steps)


def _sizes(limits: Limits) -> dict[str, str]:
    """Return variables with the memory size, for runtimes that size their heap by it.

    They cannot ask the kernel, whose counts are closed; some C libraries then return any number.
    """
    memory = limits.memory or os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return {
        "JAVA_TOOL_OPTIONS": f"-XX:MaxRAM={memory}",
        "DOTNET_GCHeapHardLimit": f"{memory:x}",
    }


def _limited(launch: Launch, cell: Cell) -> LaunchPlan:
    steps = _limiting(launch, cell, clean_environment(cell.env | launch.env))
    return LaunchPlan(steps.command, cell.folder, steps.env, cell.uid, steps)


def _limiting(launch: Launch, cell: Cell, env: Mapping[str, str]) -> LaunchSteps:
    """Return the steps common to all levels from ``limits`` on."""
    return LaunchSteps(
        _token(),
        is_last=True,
        **_entry(cell, _covers(launch, cell)),
        umask=_UMASK,
        folder=cell.folder,
        signals=True,
        no_new_privileges=kernel.offered().controls_processes or None,
        mark=orphans.of_bots(),
        limits=rlimits(launch.limits, _most_processes(launch.limits, cell)),
        command=_moved(launch, cell, cell.folder),
        env=env,
    )


def _fenced(launch: Launch, cell: Cell) -> LaunchPlan:
    version = landlock.version()
    if version < landlock.LOWEST:
        raise IsolationError(_NO_LANDLOCK.format(landlock.LOWEST, version or "none"))
    seen = _view(launch)
    writable = {"TMPDIR": cell.folder} if launch.writable else {}
    env = clean_environment(
        _sizes(launch.limits) | cell.env | writable | launch.env, _search_path(seen)
    )
    own = (cell.folder,)
    learnt, written = _learning(cell)
    readable = (*seen.paths, *_SOURCES, *(() if launch.writable else own), *learnt)
    changed = (*(own if launch.writable else ()), *written)
    steps = _limiting(launch, cell, env)._replace(
        no_times=None if cell.uid is None else True,
        landlock=landlock.ruleset(readable, changed, _DEVICES),
        seccomp=_filter(launch, attributes=launch.writable),
    )
    return LaunchPlan(steps.command, cell.folder, env, cell.uid, steps)


def _enclosed(launch: Launch, cell: Cell) -> LaunchPlan:
    program = bubblewrap.find()
    if program is None:
        raise IsolationError(_NO_BUBBLEWRAP)
    place = bubblewrap.FOLDER if launch.copied else cell.folder
    command = _moved(launch, cell, place)
    seen = _view(launch)
    learning = {} if cell.learning is None else {READ: bubblewrap.LEARNT, WRITE: bubblewrap.WRITTEN}
    own = {"TMPDIR": bubblewrap.TEMPORARY, **cell.env, **learning}
    env = clean_environment(_sizes(launch.limits) | own | launch.env, _search_path(seen))
    within = [bubblewrap.TEMPORARY, bubblewrap.SHARED, *((place,) if launch.writable else ())]
    within += [bubblewrap.WRITTEN] * bool(learning)
    token = _token()
    processes = launch.limits.processes
    inner = LaunchSteps(
        token,
        is_last=True,
        no_new_privileges=True,
        landlock=_inner_rules((*seen.paths, *_SOURCES, place, bubblewrap.LEARNT), within),
        umask=_UMASK,
        signals=True,
        limits=rlimits(
            launch.limits, None if processes is None else processes + bubblewrap.OVERHEAD
        ),
        seccomp=_filter(launch, attributes=True),
        copies=((_ERRORS, 2),),
        command=command,
        env=env,
    )
    options = bubblewrap.options(
        seen,
        cell.folder,
        env,
        place=place,
        writable=launch.writable,
        temporary_bytes=launch.limits.disk,
        learning=list(chain.from_iterable(_learning(cell))),
    )
    steps = LaunchSteps(
        token,
        is_last=False,
        **_entry(cell, _covers(launch, cell, program)),
        umask=_UMASK,
        folder="/",
        signals=True,
        mark=orphans.of_bots(),
        files=((_PLAN, inner.packed()), (_OPTIONS, _separated(options)), (_CODE, _code())),
        copies=((2, _ERRORS), (None, _STATUS), (None, 2)),
        command=(
            program,
            *("--args", str(_OPTIONS), "--"),
            *_run_by("-c", _RUN, str(_CODE)),
            *map(str, (_PLAN, _STATUS)),
        ),
        env=dict(cell.env),
    )
    return LaunchPlan(command, place, env, cell.uid, steps, bubblewrap.PROCESSES_ABOVE)


def _inner_rules(readable: Iterable[str], writable: Iterable[str]) -> landlock.Ruleset | None:
    """Return Landlock rules that prevent opening files below ``/proc``, which show all processes.

    Links there can still be followed, as runtimes do to find their own program. Any version of
    Landlock suffices; None without Landlock.
    """
    version = landlock.version()
    if not version:
        return None
    return landlock.ruleset(readable, writable, _DEVICES, version)


def start(*descriptors: int) -> tuple[str, ...]:
    """Return the command of the launcher, with descriptors of the plan and of reports.

    With one descriptor, that of a socket, it is a warm launcher.
    """
    return _run_by(LAUNCHER, *map(str, descriptors))


def _run_by(*words: str) -> tuple[str, ...]:
    """Return the command of a Python that imports next to nothing, with these ``words``."""
    return (_python(), "-I", "-S", "-X", "utf8", *words)


@cache
def _code() -> bytes:
    """Return the launcher as bytecode for ``_RUN``; compiling it takes as long as all its steps."""
    name = "launcher"
    return marshal.dumps(SourceFileLoader(name, LAUNCHER).get_code(name))


@cache
def _python() -> str:
    return os.path.realpath(sys.executable)


def rlimits(limits: Limits, processes: int | None) -> tuple[Rlimit, ...]:
    """Return the limits as the kernel takes them.

    ``processes``: limit on processes, as the kernel counts them.
    """
    wanted: list[tuple[str, int | None]] = [
        ("RLIMIT_DATA", limits.memory),
        ("RLIMIT_FSIZE", limits.disk),
        ("RLIMIT_NOFILE", limits.files),
        ("RLIMIT_CORE", 0),
        ("RLIMIT_NPROC", processes),
    ]
    found = [(name, value, value) for name, value in wanted if value is not None]
    if limits.cpu is not None:
        seconds = math.ceil(limits.cpu)
        found.append(("RLIMIT_CPU", seconds, seconds + 1))
    return tuple(found)


def _entry(cell: Cell, covers: tuple[Cover, ...]) -> dict[str, Any]:
    """Return the steps that begin every confinement."""
    offered = kernel.offered()
    return {
        "cgroups": None if cell.group is None else cell.group.procs,
        "oom_score": _FIRST_TO_DIE if offered.shows_processes else None,
        "view": None if cell.source is None else (cell.source, cell.folder),
        "covers": covers or None,
        "user": cell.uid,
        "parent": os.getpid() if offered.controls_processes else None,
    }


def _view(launch: Launch) -> FileSystemView:
    """Return the paths besides its own folder that a bot may read where files are closed."""
    return _system_view(_program(launch), launch.readable)


@lru_cache(maxsize=_KEPT)
def _system_view(program: str, readable: tuple[str, ...]) -> FileSystemView:
    return paths.view([*paths.SYSTEM, *paths.settings(), *_runtime(program), *readable])


def _covers(launch: Launch, cell: Cell, helper: str = "") -> tuple[Cover, ...]:
    """Return covers for closed folders that the user of the bot would have to pass.

    ``helper``: a program that starts the bot.
    """
    if cell.uid is None:
        return ()
    runtime = _runtime_view(_program(launch), helper, launch.readable)
    place = [cell.folder] if launch.copied else paths.opened(cell.folder, cell.uid)
    own = [*place, *([] if cell.scratch is None else [cell.scratch])]
    own += chain.from_iterable(_learning(cell))
    # only a command that is not copied is the organiser's own
    named = () if launch.copied else (word for word in launch.command if word.startswith("/"))
    seen = paths.view([*own, *named])
    # folders on both lists: one may be open where the other is not
    both = FileSystemView(runtime.paths + seen.paths, runtime.links + seen.links)
    return paths.covers(both, own, cell.uid)


@lru_cache(maxsize=_KEPT)
def _runtime_view(program: str, helper: str, readable: tuple[str, ...]) -> FileSystemView:
    return paths.view([*_runtime(program), *_runtime(helper), *readable])


def _program(launch: Launch) -> str:
    """Return the program if files outside the bot's folder are opened for it; else "".

    The command of a submission opens only installed programs.
    """
    word = launch.command[0]
    if paths.is_below(word, launch.folder):
        return ""
    return word if not launch.copied or paths.is_installed(word) else ""


def _runtime(program: str) -> tuple[str, ...]:
    """Return the paths that this interpreter, with arena, and a program need."""
    return (*paths.python(), paths.arena(), *(paths.program(program) if program else ()))


def _learning(cell: Cell) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the folders of what a bot learns: those to read, and those to write."""
    own = cell.learning
    return ((), ()) if own is None else ((own.read,), (own.write,))


def _moved(launch: Launch, cell: Cell, place: str) -> tuple[str, ...]:
    """Return the command, with paths into the copied folder replaced by paths into ``place``."""
    if not launch.copied:
        return launch.command
    return tuple(
        place + word[len(launch.folder) :] if paths.is_below(word, launch.folder) else word
        for word in launch.command
    )


def _search_path(seen: FileSystemView) -> str:
    """Return PATH for a bot: the visible folders of arena's PATH and of the interpreter."""
    return _visible(os.environ.get("PATH", paths.SYSTEM_PATH), seen)


@lru_cache(maxsize=_KEPT)
def _visible(search_path: str, seen: FileSystemView) -> str:
    folders = [*search_path.split(os.pathsep), os.path.dirname(sys.executable)]
    visible = [folder for folder in folders if folder.startswith("/") and seen.holds(folder)]
    return os.pathsep.join(dict.fromkeys(visible)) or paths.SYSTEM_PATH


def _filter(launch: Launch, *, attributes: bool) -> bytes:
    machine = os.uname().machine
    program = seccomp.program(machine, attributes=attributes, signs=launch.writable)
    if program is None:
        raise IsolationError(_NO_FILTER.format(launch.level, machine))
    return program


def _most_processes(limits: Limits, cell: Cell) -> int | None:
    """Return the limit on processes by the kernel's way of counting: per user.

    For a bot with a user id of its own, that count is exact. Returns None if it is not known.
    """
    if limits.processes is None or cell.uid is not None:
        return limits.processes
    known = procfs.threads_of(os.getuid())
    return None if known is None else known + limits.processes + _SPARE_PROCESSES


def _token() -> bytes:
    return secrets.token_hex(_TOKEN_BYTES).encode()


def _separated(words: Iterable[str]) -> bytes:
    return b"".join(os.fsencode(word) + b"\0" for word in words)


def _plain(value: Any) -> Any:
    """Return ``value`` converted to types that ``marshal`` supports."""
    if type(value) in _MARSHALLED:
        return value
    if isinstance(value, dict):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(entry) for entry in value]
    return str(value) if isinstance(value, str) else value
