"""Check what this machine can do and how fast it is; define the values that describe a machine.

Speed is measured by random games of arena, without bots.
"""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from arena import __version__
from arena.entrants.cache import cache_folder
from arena.entrants.toolchains import find_on_path, version_of
from arena.extensions.machines.timing import timing
from arena.games.base import CHANCE, NOBODY, Rules, RulesError
from arena.games.luck import Luck, derive_key
from arena.games.registry import GAMES, make_rules, rules_spec
from arena.hosting.machine import capacity, cgroups, kernel, orphans
from arena.hosting.sandbox import bubblewrap, landlock, side_channels
from arena.hosting.sandbox.isolation import SANDBOX, IsolationError, Level
from arena.hosting.sandbox.probes import Probe, probe, resolve
from arena.referee.compiled import VARIANT

ISOLATION: Final = "isolation"
OPEN: Final = "open here"
TIMING: Final = "timing"
PROGRAMS: Final = ("bwrap", "cc", "g++", "go", "rustc", "cargo", "java", "javac", "node")
"""Programs that build and run bots; the first one isolates bots."""
_SEATS: Final = 2
_ALL: Final = {"memory", "processes", "freezing"}
"""Uses of control groups, each of which suffices to end all bots with their run."""
_ENOUGH: Final = 1 << 30
"""Disk space that should be free for bots, in bytes."""
_WHOLE: Final = 0.95
"""Least share of a core's time, from 0 to 1, at which no other program seems to use the core."""


class CheckupLine(msgspec.Struct, frozen=True):
    """One line of the answer: a property of the machine, and whether it is good."""

    section: str
    name: str
    good: bool
    detail: str


class Checkup(msgspec.Struct, frozen=True, kw_only=True):
    """All known properties of a machine; ``arena doctor --json`` prints them as JSON."""

    schema: str = "arena.doctor/1"
    arena: str
    machine: str
    """Host name that the machine reports."""
    system: str
    release: str
    architecture: str
    python: str
    cores: int
    """Number of cores that the process may use."""
    wanted: str | None = None
    """Isolation that was asked for; ``level`` is its meaning on this machine."""
    level: Level | None = None
    games: dict[str, str] = {}
    """Package and version of each game, by name of the game."""
    programs: dict[str, str] = {}
    """Version of each program found, by name; empty if it fails without a user's settings."""
    speed: Speed | None = None
    findings: tuple[CheckupLine, ...] = ()

    def works(self, level: str) -> bool:
        """Return whether isolation at ``level``, or at ``sandbox``, worked when it was tried."""
        return any(
            found.good and found.section == ISOLATION and found.name == level
            for found in self.findings
        )


def check() -> Checkup:
    """Run all checks of this machine and return what they found. Takes seconds."""
    programs = {name: path for name in PROGRAMS if (path := _find(name)) is not None}
    versions = {name: version_of(path) for name, path in programs.items()}
    fast = _speed()
    return Checkup(
        arena=__version__,
        machine=platform.node(),
        system=platform.system(),
        release=platform.release(),
        architecture=platform.machine(),
        python=platform.python_version(),
        cores=capacity.cores(),
        games=GAMES.sources(),
        programs=versions,
        speed=fast,
        findings=(*_findings(), *_programs(programs, versions), _cache(), *_timing(fast)),
    )


def answer(wanted: str) -> tuple[Level | None, str]:
    """Return the level that isolation ``wanted`` means here; or None and the reason."""
    try:
        return resolve(wanted), ""
    except IsolationError as problem:
        return None, str(problem)


def _findings() -> Iterator[CheckupLine]:
    for found in (*(probe(level) for level in Level), _sandbox()):
        yield CheckupLine(ISOLATION, found.name, found.works, found.detail)
    yield from _mechanisms()
    for name, gap in _gaps():
        yield CheckupLine(OPEN, name, good=False, detail=gap)


def _sandbox() -> Probe:
    try:
        return Probe(SANDBOX, works=True, detail=f"means {resolve(SANDBOX)} here")
    except IsolationError:
        return Probe(SANDBOX, works=False, detail="neither landlock nor bubblewrap works here")


def _mechanisms() -> Iterator[CheckupLine]:
    root = "arena is root: every bot runs as a user of its own"
    user = root if os.geteuid() == 0 else "bots run as the user who runs arena"
    yield CheckupLine("mechanisms", "user", True, user)
    yield _room()
    if not kernel.offered().controls_processes:
        detail = f"{kernel.offered().name} has the calls of POSIX alone: bots are ended by group"
        yield CheckupLine("mechanisms", "processes", False, detail)
        return
    version = landlock.version()
    missing = "not offered by this kernel; at bubblewrap a bot can read all of /proc"
    detail = f"version {version}" if version else missing
    yield CheckupLine("mechanisms", "landlock", version >= landlock.LOWEST, detail)
    yield _access_times()
    yield _names()
    for use, where in cgroups.describe().items():
        works = not where.startswith("no: ")
        yield CheckupLine("mechanisms", f"cgroup: {use}", works, where.removeprefix("no: "))


def _access_times() -> CheckupLine:
    """Check whether a bot can signal to the next one by the access times of system files."""
    if hasattr(os, "ST_NOATIME") and os.statvfs("/usr").f_flag & os.ST_NOATIME:
        return CheckupLine("mechanisms", "times of reading", True, "not kept: mounted with noatime")
    if os.geteuid() == 0:
        return CheckupLine(
            "mechanisms", "times of reading", True, "kept, but not for reads of bots"
        )
    detail = "kept: at landlock a bot can leave word by them; mount the system with noatime"
    return CheckupLine("mechanisms", "times of reading", False, detail)


def _names() -> CheckupLine:
    """Check whether a bot can signal to the next one by looking for files that do not exist."""
    if side_channels.can_drop_name_cache():
        detail = "forgotten between games of fresh bots"
        return CheckupLine("mechanisms", "names looked for", True, detail)
    detail = "remembered: in any sandbox a bot can leave word by them; only root can forget them"
    return CheckupLine("mechanisms", "names looked for", False, detail)


def _room() -> CheckupLine:
    """Check whether the limits on this process allow as many workers as there are cores."""
    level = answer(SANDBOX)[0] or Level.NONE
    try:
        capacity.require(capacity.cores(), _SEATS, capacity.processes_of(level))
    except IsolationError as problem:
        return CheckupLine("mechanisms", "room", good=False, detail=str(problem))
    workers = f"{capacity.cores()} worker{'s'[: capacity.cores() != 1]}"
    detail = f"for {workers} with tables of {_SEATS} at {level}"
    return CheckupLine("mechanisms", "room", good=True, detail=detail)


def _gaps() -> Iterator[tuple[str, str]]:
    """Yield the kind and description of each isolation gap that is specific to this machine.

    The documentation lists the gaps that no machine closes.
    """
    groups = cgroups.describe()
    missing = {use for use, where in groups.items() if where.startswith("no: ")}
    is_root = os.geteuid() == 0
    if not is_root:
        yield "files", "at none and limits a bot reads, changes and stops what this user can"
    if not kernel.offered().shows_processes:
        yield (
            "memory",
            "not watched, nor the number of processes: at limits only what setrlimit keeps",
        )
        yield (
            "end",
            "what a bot starts in a session of its own lives until the run ends, or hides",
        )
        yield "end", "a bot can outlive arena and workers killed at one blow, until the next start"
        yield "time", "who made a bot wait, the machine or the bot, is not known"
        return
    if missing & {"memory", "processes"}:
        yield "memory", "a bot can be over its limit for a fraction of a second"
        yield "memory", "not counted: what waits in pipes and sockets, notes of the kernel"
        yield (
            "memory",
            "not counted, nor bounded: what is written to shared memory and unmapped again",
        )
        yield "memory", "not counted at bubblewrap: temporary files, of bounded size"
        yield "memory", "not counted at limits: /dev/shm, System V, files in memory that hide"
        yield "memory", "at limits huge pages can wait in pipes, and files in memory in sockets"
    if not is_root and missing >= _ALL:
        yield "end", "a bot can outlive arena and workers killed at one blow, until the next start"
        yield "end", "at none for good; at limits with the help of other programs of this user"
        if not orphans.can_keep():
            yield "end", "or for good: the hard limit on file locks (ulimit -Hx) is low here"
        if not orphans.sees_others():
            yield "end", "or for good: /proc hides processes here (hidepid)"
    if not is_root and "processes" in missing:
        yield (
            "processes",
            "at limits and landlock a bot can take those that its opponent needs to start threads",
        )
    if "freezing" in missing:
        yield "time", "who made a bot wait, the machine or the bot, is not known well"


def _find(program: str) -> str | None:
    return bubblewrap.find() if program == "bwrap" else find_on_path(program)


def _programs(paths: dict[str, str], versions: dict[str, str]) -> Iterator[CheckupLine]:
    for name in PROGRAMS:
        path, version = paths.get(name), versions.get(name, "")
        if path is None:
            detail = "not found on PATH"
        elif version:
            detail = f"{version}  {path}"
        else:
            detail = f"{path} shows no version without a user's settings, which bots do not have"
        yield CheckupLine("programs", name, bool(version), detail)


def _cache() -> CheckupLine:
    """Check whether bots can be stored in the cache folder for the next run, and run from there."""
    folder = cache_folder().parent
    there = next(each for each in (folder, *folder.parents) if each.exists())
    system = os.statvfs(there)
    left = system.f_bavail * system.f_frsize
    problems = []
    if not os.access(there, os.W_OK | os.X_OK):
        problems.append("cannot be written: set XDG_CACHE_HOME")
    if left < _ENOUGH:
        problems.append("little room")
    told = (str(folder), f"{left / 1e9:.1f} GB free", *problems)
    return CheckupLine("folders", "cache", not problems, ", ".join(told))


def _speed() -> Speed | None:
    try:
        return measured()
    except RulesError:  # no game of arena's own is here, or it is broken
        return None


def _timing(fast: Speed | None) -> Iterator[CheckupLine]:
    for name, good, detail in timing():
        yield CheckupLine(TIMING, name, good, detail)
    how = "by compiled code" if VARIANT == "compiled" else "in Python, which is slower"
    yield CheckupLine(TIMING, "exchange", True, f"bots are asked {how}")
    if fast is not None:
        detail = f"{fast.rate:.0f} random games of {fast.game} in a second of one core"
        yield CheckupLine(TIMING, "speed", True, detail)
        detail = f"we had {fast.share:.0%} of one for {SECONDS:g} s"
        is_whole = fast.share >= _WHOLE
        if not is_whole:
            detail += ": others are busy here"
        yield CheckupLine(TIMING, "core", is_whole, detail)


SECONDS: Final = 0.5


class Speed(msgspec.Struct, frozen=True):
    """Speed of one core, measured by random games."""

    game: str
    rate: float
    """Random games per second of processor time."""
    share: float
    """Share of the elapsed time in which this process had the core, from 0 to 1."""


def measured(seconds: float = SECONDS) -> Speed:
    """Measure the speed by random games, the same on every machine. Raises RulesError."""
    game = GAMES.default
    rules = make_rules(rules_spec(game))
    _play(rules, 0)  # leave out one-time set-up
    games = 0
    began, spent = time.monotonic(), time.process_time()
    while not games or time.monotonic() < began + seconds:
        games += 1
        _play(rules, games)
    passed, spent = time.monotonic() - began, time.process_time() - spent
    return Speed(game, games / spent, min(1.0, spent / passed))


def _play(rules: Rules[Any, Any], number: int) -> None:
    luck = Luck(derive_key("speed", number))
    state, ply = rules.initial_state(), 0
    while (seat := rules.to_act(state)) != NOBODY:
        if seat == CHANCE:
            action = rules.chance(state, luck)
        else:
            legal = rules.legal_actions(state)
            action = legal[luck.below("choice", ply, len(legal))]
        state = rules.apply(state, action)
        ply += 1
