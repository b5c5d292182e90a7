"""What is left behind: every test of processes must end as it began, and memory is let go."""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import gc
import logging
import os
import re
import sys
import threading
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

import psutil
import pytest
from hypothesis import HealthCheck, settings

from arena.hosting.machine import kernel, orphans
from arena.tournament import run
from arena.values.bad_input import BROUGHT, lacking
from tests.cli import shell, warm

_DYING_SECONDS: Final = 5.0
_IDLE_SECONDS: Final = 30.0
_IDLE_PERCENT: Final = 5.0
"""Share of all cores that other processes may use where a test needs an idle machine."""
_MOST_GROWTH: Final = 350
"""Megabytes by which one file of tests may raise the memory of its process."""
settings.register_profile(
    "untimed",
    deadline=None,
    max_examples=int(os.environ.get("ARENA_EXAMPLES", "40")),  # others in each run
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("untimed")  # on a busy machine everything is slow


@pytest.fixture
def empty_records(monkeypatch: pytest.MonkeyPatch) -> None:
    """Play games from memory: a run that is opened would take their records for damaged."""
    monkeypatch.setattr(run, "set_damage_aside", lambda folder: 0)


_LACKING: Final = {name for name in BROUGHT if lacking(name)}
"""Extensions of arena that are not in this tree."""
_ROOT: Final = Path(__file__).parents[1]
_IMPORT: Final = re.compile(r"^(?:from ([\w.]+) )?import (\([^)]*\)|.*)", re.MULTILINE)
_WORD: Final = re.compile(r"[\w.]+")


@cache
def _imports(file: Path) -> tuple[set[str], set[Path]]:
    """Extensions that a file imports, and where what it imports beside arena may lie."""
    extensions, files = set[str](), set[Path]()
    for module, words in _IMPORT.findall(file.read_text("utf-8") if file.is_file() else ""):
        inside = f"{module}." if module else ""
        for name in (module, *(f"{inside}{word}" for word in _WORD.findall(words))):
            top, *inner = name.split(".")
            if top in ("arena", "tests") and inner[:1] == ["extensions"]:
                extensions |= {*inner[1:2]}
            elif top == "arena" and inner[:1] == ["testing"]:
                extensions.add("authors")
            elif top in ("tests", "docs", "benchmarks"):
                path = _ROOT.joinpath(top, *inner)
                files |= {path.with_suffix(".py"), path / "__init__.py"}
    return extensions, files


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave out files that import an extension that is not here, perhaps through others."""
    if not _LACKING or collection_path.suffix != ".py":
        return None
    seen, files = set[Path](), {collection_path}
    while files := files - seen:
        seen |= files
        found = [_imports(file) for file in files]
        if any(_LACKING & extensions for extensions, _ in found):
            return True
        files = set[Path]().union(*(more for _, more in found))
    return None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with slow tests come first: then no process waits for another one at the end."""
    for item in items if _LACKING else ():
        for mark in item.iter_markers("extensions"):
            if gone := _LACKING & {*(mark.args or BROUGHT)}:
                item.add_marker(pytest.mark.skip(reason=f"without {', '.join(sorted(gone))}"))
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)


def pytest_collection_finish() -> None:
    """What was collected stays to the end; from now on nobody looks through it for garbage."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Bots are built, but not for whoever runs the tests.

    Where Python is told to write no bytecode, hundreds of commands would compile the program anew;
    and ``python3`` is our own: that of a version manager is a script which takes three times as
    long to start.
    """
    cache = tmp_path_factory.mktemp("cache")
    ours = os.path.dirname(sys.executable)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(cache))
        patch.setenv("PATH", ours + os.pathsep + os.environ.get("PATH", os.defpath))
        if sys.dont_write_bytecode:
            patch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
            patch.setenv("PYTHONPYCACHEPREFIX", str(cache / "bytecode"))
        yield


@pytest.fixture(scope="session", autouse=True)
def writes_stay_in_memory() -> Iterator[None]:
    """No test cuts the power; to wait for the disk took a fifth of the time of all tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", warm.no_fsync)
        patch.delattr(fcntl, "F_FULLFSYNC", raising=False)
        yield


@pytest.fixture(scope="module", autouse=True)
def stays_small(request: pytest.FixtureRequest) -> Iterator[None]:
    """Drop what the tests of a file have cached; fail a file whose own memory is too large.

    What earlier files left in the process does not count: one worker runs all of them.
    """
    before = _held_megabytes()
    yield
    grown = _peak_megabytes() - before
    for name in [name for name in sys.modules if name.startswith("tests.")]:
        for value in vars(sys.modules[name]).values():
            if getattr(value, "__module__", None) == name and hasattr(value, "cache_clear"):
                value.cache_clear()
    if sys.platform == "linux":
        with contextlib.suppress(AttributeError):  # only glibc keeps what was freed
            ctypes.CDLL(None).malloc_trim(0)
    if grown > _MOST_GROWTH:
        pytest.fail(f"{request.node.name} took {grown} MB, expected at most {_MOST_GROWTH}")


@pytest.fixture(scope="module", autouse=True)
def commands_start_soon(request: pytest.FixtureRequest) -> None:
    """What starts the commands of a file is there before its tests: it is no child of theirs."""
    if getattr(request.module, "arena", None) is shell.arena:
        warm.start()


def _held_megabytes() -> int:
    """Return what this process holds now, and begin a new peak with it; 0 where unknown."""
    try:
        with open("/proc/self/clear_refs", "w", encoding="utf-8") as peak:
            peak.write("5")  # resets VmHWM, see proc(5)
    except OSError:  # then the peak is that of all files before, and nothing can be said
        return sys.maxsize
    return _peak_megabytes()


def _peak_megabytes() -> int:
    """Return the peak of this process; 0 where unknown. ``getrusage`` counts the parent's too."""
    try:
        with open("/proc/self/status", encoding="utf-8") as status:
            return next((int(line.split()[1]) >> 10 for line in status if "VmHWM" in line), 0)
    except OSError:
        return 0


@pytest.fixture
def leaves_nothing() -> Iterator[None]:
    """Fails a test that leaves a child process, an open descriptor or a thread."""
    if not kernel.offered().shows_processes:
        yield
        return
    before = _held()
    yield
    _reap_orphans(before[0])
    _wait_for_threads(before[2])
    assert _held() == before


@pytest.fixture
def spared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stray children are killed; here that are only those of the test."""
    orphans.adopt_orphans()
    found, before = orphans.children, set(orphans.children())
    monkeypatch.setattr(orphans, "children", lambda: [p for p in found() if p not in before])


@pytest.fixture
def idle() -> None:
    """Wait until nothing else uses the cores; skip the test if that takes too long."""
    give_up = time.monotonic() + _IDLE_SECONDS
    while psutil.cpu_percent(interval=0.5) > _IDLE_PERCENT:
        if time.monotonic() > give_up:
            pytest.skip("other work on this machine may excuse any bot")


@pytest.fixture(autouse=True)
def log_is_closed() -> Iterator[None]:
    """A command that was run in this process logs into its run folder no more."""
    yield
    for handler in logging.getLogger().handlers[:]:
        if type(handler).__module__ == "arena.runs.live":
            logging.getLogger().removeHandler(handler)
            handler.close()


def _reap_orphans(ours: set[int]) -> None:
    """Bury what was killed: an earlier test's pool may have made us its parent.

    On a busy machine a killed process takes its time to end.
    """
    give_up = time.monotonic() + _DYING_SECONDS
    ours = ours | warm.held()[0]
    while (left := set(orphans.children()) - ours) and time.monotonic() < give_up:
        for pid in left:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
        time.sleep(0.001)


def _wait_for_threads(most: int) -> None:
    """A timer that was cancelled, too, ends a moment later."""
    give_up = time.monotonic() + _DYING_SECONDS
    while threading.active_count() > most and time.monotonic() < give_up:
        time.sleep(0.001)


def _held() -> tuple[set[int], dict[str, str], int]:
    pids, descriptors = warm.held()
    return set(orphans.children()) - pids, _descriptors(descriptors), threading.active_count()


def _descriptors(but: set[str]) -> dict[str, str]:
    """Where each open descriptor leads."""
    found = {}
    for name in set(os.listdir("/proc/self/fd")) - but:
        try:
            found[name] = os.readlink(f"/proc/self/fd/{name}")
        except FileNotFoundError:  # the one that listed the folder
            continue
    return found
