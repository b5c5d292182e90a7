"""How a bot is started at its isolation level, as a value. The only place that knows levels.

From ``limits`` on a bot is started by way of ``launcher``, which follows the plan made here;
at ``bubblewrap`` a second time, inside.
"""

from __future__ import annotations

import marshal
import math
import os
import secrets
import sys
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

from arena.hosting.machine import marks, procfs
from arena.hosting.sandbox import bubblewrap, landlock, paths, seccomp
from arena.hosting.sandbox.isolation import IsolationError, Launch, Level
from arena.hosting.sandbox.paths import Cover, View
from arena.hosting.workspace.cells import Cell
from arena.results import Limits

Rlimit: TypeAlias = tuple[str, int, int]
"""Name in the module ``resource``, soft and hard limit."""

LAUNCHER: Final = str(Path(__file__).with_name("launcher.py").resolve())
"""The program between fork and exec."""

_UMASK: Final = 0o077
_FIRST_TO_DIE: Final = 1000
_SPARE_PROCESSES: Final = 1024
"""Room for others where the processes of a user are counted together."""
_TOKEN_BYTES: Final = 8
_KEPT: Final = 256
"""Views of the machine that are remembered: what is installed does not change in a run."""

_STATUS: Final = 3
_PLAN: Final = 4
_OPTIONS: Final = 5
_ERRORS: Final = 6
"""Numbers of descriptors on the way through bubblewrap."""

_DEVICES: Final = ("/dev/null", "/dev/zero", "/dev/full")
_SOURCES: Final = ("/dev/random", "/dev/urandom")

_NO_LINUX: Final = "isolation {} needs Linux; use isolation none, for bots of your own only"
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


class Steps(NamedTuple):
    """What the launcher does, in this order; None: not done."""

    token: bytes
    """Before every report, so that no bot can forge one."""
    is_last: bool
    """Whether its program is the bot's."""
    cgroups: tuple[str, ...] | None = None
    oom_score: int | None = None
    no_times: bool | None = None
    """Files do not note when they are read."""
    view: tuple[str, str] | None = None
    """A folder, and where it is to be seen, read-only."""
    covers: tuple[Cover, ...] | None = None
    user: int | None = None
    parent: int | None = None
    """Dies with it."""
    umask: int | None = None
    folder: str | None = None
    signals: bool | None = None
    no_new_privileges: bool | None = None
    landlock: landlock.Ruleset | None = None
    mark: tuple[tuple[int, int], ...] | None = None
    """See ``marks``."""
    limits: tuple[Rlimit, ...] | None = None
    seccomp: bytes | None = None
    files: tuple[tuple[int, bytes], ...] = ()
    """Contents that the program finds at descriptors."""
    copies: tuple[tuple[int | None, int], ...] = ()
    """Descriptors that it finds at another number; None: the one for reports."""
    command: tuple[str, ...] = ()
    env: Mapping[str, str] = {}

    def packed(self) -> bytes:
        """As the launcher takes it."""
        return marshal.dumps(_plain({**self._asdict(), "env": dict(self.env)}))


class Plan(NamedTuple):
    """How to start a bot."""

    command: tuple[str, ...]
    """Of the bot, as it will see it."""
    folder: str
    env: Mapping[str, str]
    """Of the bot."""
    user: int | None
    steps: Steps | None
    """For the launcher; None: the program is started directly."""
    depth: int = 0
    """Generations between the process that is started and the bot."""


def plan(launch: Launch, cell: Cell) -> Plan:
    """How to start a bot in its cell. Raises IsolationError, OSError."""
    if launch.level is Level.NONE:
        return _direct(launch, cell)
    if sys.platform != "linux":
        raise IsolationError(_NO_LINUX.format(launch.level))
    if launch.level is Level.LIMITS:
        return _limited(launch, cell)
    if os.geteuid() == 0 and cell.uid is None:
        raise IsolationError(_ROOT.format(launch.level))
    if os.path.realpath(cell.folder) == "/":
        raise IsolationError(_NO_FOLDER.format(launch.level, cell.folder))
    if launch.level is Level.LANDLOCK:
        return _fenced(launch, cell)
    return _enclosed(launch, cell)


def clean_environment(extra: Mapping[str, str], path: str | None = None) -> dict[str, str]:
    """What every bot gets instead of ours: no secret of the host, the same on every machine.

    A fixed hash seed makes Python bots that iterate over sets repeatable. They can import
    ``arena``, for its games.
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


def _direct(launch: Launch, cell: Cell) -> Plan:
    """Without confinement; by way of the launcher only if the user could not get there."""
    command = _moved(launch, cell, cell.folder)
    env = clean_environment(cell.env | launch.env)
    covers = _covers(launch, cell)
    if not covers:
        return Plan(command, cell.folder, env, cell.uid, None)
    steps = Steps(
        _token(),
        is_last=True,
        covers=covers,
        user=cell.uid,
        folder=cell.folder,
        signals=True,
        command=command,
        env=env,
    )
    return Plan(command, cell.folder, env, cell.uid, steps)


def _sizes(limits: Limits) -> dict[str, str]:
    """How much memory there is, for run-times that size their heap by it. They cannot ask the
    kernel where its counts are closed, and some C libraries then give them any number."""
    memory = limits.memory or os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return {
        "JAVA_TOOL_OPTIONS": f"-XX:MaxRAM={memory}",
        "DOTNET_GCHeapHardLimit": f"{memory:x}",
    }


def _limited(launch: Launch, cell: Cell) -> Plan:
    steps = _limiting(launch, cell, clean_environment(cell.env | launch.env))
    return Plan(steps.command, cell.folder, steps.env, cell.uid, steps)


def _limiting(launch: Launch, cell: Cell, env: Mapping[str, str]) -> Steps:
    """What is done from the level ``limits`` on."""
    return Steps(
        _token(),
        is_last=True,
        **_entry(cell, _covers(launch, cell)),
        umask=_UMASK,
        folder=cell.folder,
        signals=True,
        no_new_privileges=True,
        mark=marks.of_bots(),
        limits=rlimits(launch.limits, _most_processes(launch.limits, cell)),
        command=_moved(launch, cell, cell.folder),
        env=env,
    )


def _fenced(launch: Launch, cell: Cell) -> Plan:
    version = landlock.version()
    if version < landlock.LOWEST:
        raise IsolationError(_NO_LANDLOCK.format(landlock.LOWEST, version or "none"))
    seen = _view(launch)
    writable = {"TMPDIR": cell.folder} if launch.writable else {}
    env = clean_environment(
        _sizes(launch.limits) | cell.env | writable | launch.env, _search_path(seen)
    )
    readable = (*seen.paths, *_SOURCES, *(() if launch.writable else (cell.folder,)))
    steps = _limiting(launch, cell, env)._replace(
        no_times=None if cell.uid is None else True,
        landlock=landlock.ruleset(readable, (cell.folder,) if launch.writable else (), _DEVICES),
        seccomp=_filter(launch, attributes=launch.writable),
    )
    return Plan(steps.command, cell.folder, env, cell.uid, steps)


def _enclosed(launch: Launch, cell: Cell) -> Plan:
    program = bubblewrap.find()
    if program is None:
        raise IsolationError(_NO_BUBBLEWRAP)
    place = bubblewrap.FOLDER if launch.copied else cell.folder
    command = _moved(launch, cell, place)
    seen = _view(launch)
    env = clean_environment(
        {**_sizes(launch.limits), "TMPDIR": bubblewrap.TEMPORARY, **cell.env, **launch.env},
        _search_path(seen),
    )
    within = (bubblewrap.TEMPORARY, bubblewrap.SHARED, *((place,) if launch.writable else ()))
    token = _token()
    processes = launch.limits.processes
    inner = Steps(
        token,
        is_last=True,
        no_new_privileges=True,
        landlock=_inner_rules((*seen.paths, *_SOURCES, place), within),
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
        LAUNCHER,
        env,
        place=place,
        writable=launch.writable,
        temporary_bytes=launch.limits.disk,
    )
    steps = Steps(
        token,
        is_last=False,
        **_entry(cell, _covers(launch, cell, program)),
        umask=_UMASK,
        folder="/",
        signals=True,
        mark=marks.of_bots(),
        files=((_PLAN, inner.packed()), (_OPTIONS, _separated(options))),
        copies=((2, _ERRORS), (None, _STATUS), (None, 2)),
        command=(
            program,
            *("--args", str(_OPTIONS), "--"),
            *start(bubblewrap.LAUNCHER, _PLAN, _STATUS),
        ),
        env=dict(cell.env),
    )
    return Plan(command, place, env, cell.uid, steps, bubblewrap.PROCESSES_ABOVE)


def _inner_rules(readable: Iterable[str], writable: Iterable[str]) -> landlock.Ruleset | None:
    """So that nothing of ``/proc`` can be opened: it tells of all processes together. Links there
    can be followed, as run-times do to find their own program. Any version will do."""
    version = landlock.version()
    if not version:
        return None
    return landlock.ruleset(readable, writable, _DEVICES, version)


def start(launcher: str, *descriptors: int) -> tuple[str, ...]:
    """The command that starts the launcher with the plan's descriptor and the one for reports."""
    return (_python(), "-I", "-S", "-X", "utf8", launcher, *map(str, descriptors))


def warm(number: int) -> tuple[str, ...]:
    """The command that starts one to be kept warm, with the number of its socket."""
    return start(LAUNCHER, number)


@cache
def _python() -> str:
    return os.path.realpath(sys.executable)


def rlimits(limits: Limits, processes: int | None) -> tuple[Rlimit, ...]:
    """The limits as the kernel takes them; ``processes`` as it counts them."""
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
    """The steps that every confinement begins with."""
    return {
        "cgroups": None if cell.group is None else cell.group.procs,
        "oom_score": _FIRST_TO_DIE,
        "view": None if cell.source is None else (cell.source, cell.folder),
        "covers": covers or None,
        "user": cell.uid,
        "parent": os.getpid(),
    }


def _view(launch: Launch) -> View:
    """What a bot may read where files are closed, besides its own folder."""
    return _system_view(_program(launch), launch.readable)


@lru_cache(maxsize=_KEPT)
def _system_view(program: str, readable: tuple[str, ...]) -> View:
    return paths.view([*paths.SYSTEM, *paths.settings(), *_runtime(program), *readable])


def _covers(launch: Launch, cell: Cell, helper: str = "") -> tuple[Cover, ...]:
    """What lies in the way of the user that the bot runs as. ``helper``: a program that starts
    the bot."""
    if cell.uid is None:
        return ()
    runtime = _runtime_view(_program(launch), helper, launch.readable)
    place = [cell.folder] if launch.copied else paths.opened(cell.folder, cell.uid)
    own = [*place, *([] if cell.scratch is None else [cell.scratch])]
    # only what is not copied is a command of the organiser's own
    named = () if launch.copied else (word for word in launch.command if word.startswith("/"))
    seen = paths.view([*own, *named])
    # one that holds another may be open where the other is not, so both are looked at
    both = View(runtime.paths + seen.paths, runtime.links + seen.links)
    return paths.covers(both, own, cell.uid)


@lru_cache(maxsize=_KEPT)
def _runtime_view(program: str, helper: str, readable: tuple[str, ...]) -> View:
    return paths.view([*_runtime(program), *_runtime(helper), *readable, LAUNCHER])


def _program(launch: Launch) -> str:
    """The program, if anything outside of the bot's own folder is to be opened for it; else empty.
    The words of a submission open nothing but what is installed."""
    word = launch.command[0]
    if _leads_into(word, launch.folder):
        return ""
    return word if not launch.copied or paths.is_installed(word) else ""


def _runtime(program: str) -> tuple[str, ...]:
    """What this interpreter, with arena in it, and a program need."""
    return (*paths.python(), paths.arena(), *(paths.program(program) if program else ()))


def _moved(launch: Launch, cell: Cell, place: str) -> tuple[str, ...]:
    """The command, with the paths into the folder that was copied leading to ``place``."""
    if not launch.copied:
        return launch.command
    return tuple(
        place + word[len(launch.folder) :] if _leads_into(word, launch.folder) else word
        for word in launch.command
    )


def _leads_into(word: str, folder: str) -> bool:
    return word == folder or word.startswith(folder.rstrip("/") + "/")


def _search_path(seen: View) -> str:
    """Where programs are sought: what the bot can see of our own, and the interpreter's."""
    folders = os.environ.get("PATH", paths.SYSTEM_PATH).split(os.pathsep)
    folders.append(os.path.dirname(sys.executable))
    visible = [folder for folder in folders if folder.startswith("/") and seen.holds(folder)]
    return os.pathsep.join(dict.fromkeys(visible)) or paths.SYSTEM_PATH


def _filter(launch: Launch, *, attributes: bool) -> bytes:
    machine = os.uname().machine
    program = seccomp.program(machine, attributes=attributes, signs=launch.writable)
    if program is None:
        raise IsolationError(_NO_FILTER.format(launch.level, machine))
    return program


def _most_processes(limits: Limits, cell: Cell) -> int | None:
    """As the kernel counts: all of a user together, so a user of his own is counted exactly."""
    if limits.processes is None or cell.uid is not None:
        return limits.processes
    return procfs.threads_of(os.getuid()) + limits.processes + _SPARE_PROCESSES


def _token() -> bytes:
    return secrets.token_hex(_TOKEN_BYTES).encode()


def _separated(words: Iterable[str]) -> bytes:
    return b"".join(os.fsencode(word) + b"\0" for word in words)


def _plain(value: Any) -> Any:
    """With nothing but what ``marshal`` knows."""
    if isinstance(value, dict):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(entry) for entry in value]
    return str(value) if isinstance(value, str) else value
