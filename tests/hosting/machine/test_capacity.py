"""Limits too low for a run are told before it begins, with what was found and what is needed."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from arena.hosting.machine import capacity, cgroups, procfs
from arena.hosting.machine.cgroups import Shared
from arena.hosting.sandbox.isolation import IsolationError, Level
from tests.hosting.bots import needs_linux

FREE = resource.RLIM_INFINITY


def limited(monkeypatch: pytest.MonkeyPatch, which: int, limit: int) -> None:
    monkeypatch.setattr(
        resource, "getrlimit", lambda asked: (limit if asked == which else FREE, FREE)
    )
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setattr(procfs, "threads_of", lambda _: 5)


@pytest.mark.parametrize(
    ("which", "limit", "workers", "said"),
    [
        (
            resource.RLIMIT_NOFILE,
            35,
            1,
            "only 35 open files (ulimit -n) can be had here, 1 worker needs 36: raise the limit",
        ),
        (
            resource.RLIMIT_NOFILE,
            60,
            8,
            "only 60 open files (ulimit -n) can be had here, 8 workers need 64: raise the limit, "
            "or take fewer workers (-j)",
        ),
        (
            resource.RLIMIT_NPROC,
            12,
            2,
            "only 7 more processes and threads (ulimit -u) can be had here, 2 workers need 13: "
            "raise the limit",
        ),
        (
            resource.RLIMIT_AS,
            200 << 20,
            2,
            "only 204800 kB of addresses (ulimit -v) can be had here, 2 workers need 278528: "
            "raise the limit",
        ),
    ],
)
def test_what_is_missing_is_told(which, limit, workers, said, monkeypatch) -> None:
    limited(monkeypatch, which, limit)
    with pytest.raises(IsolationError) as raised:
        capacity.require(workers, 2)
    assert str(raised.value) == said


@pytest.mark.parametrize(
    ("which", "limit"),
    [
        (resource.RLIMIT_NOFILE, 36),
        (resource.RLIMIT_NPROC, 18),
        (resource.RLIMIT_AS, 272 << 20),
        (resource.RLIMIT_CORE, 0),
    ],
)
def test_what_is_enough_is_enough(which: int, limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    limited(monkeypatch, which, limit)
    capacity.require(2, 2)


def test_a_bot_may_take_several_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    each = capacity.processes_of(Level.BUBBLEWRAP)
    assert (each, capacity.processes_of(Level.LANDLOCK)) == (3, 1)
    limited(monkeypatch, resource.RLIMIT_NPROC, 5 + 3 + 2 * (3 + 4 * each))
    capacity.require(2, 4, each)
    assert capacity.bots_of_each(2, each) == 4
    assert capacity.bots_of_each(1, each) == 9
    with pytest.raises(IsolationError, match="2 workers need 39"):
        capacity.require(2, 5, each)


def test_where_processes_are_not_limited_nor_are_bots(monkeypatch: pytest.MonkeyPatch) -> None:
    limited(monkeypatch, resource.RLIMIT_CORE, 0)
    assert capacity.bots_of_each(2, 3) is None


def test_root_may_start_as_many_as_it_wants(monkeypatch: pytest.MonkeyPatch) -> None:
    limited(monkeypatch, resource.RLIMIT_NPROC, 1)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    capacity.require(8, 2)


@pytest.mark.parametrize(("limit", "bots"), [(FREE, 60), (1024, 60), (200, 29), (36, 2), (0, -4)])
def test_as_many_bots_as_there_are_descriptors(limit, bots, monkeypatch) -> None:
    limited(monkeypatch, resource.RLIMIT_NOFILE, limit)
    assert capacity.bots_at_once(60) == bots


@pytest.mark.parametrize(
    ("memory", "tasks", "groups", "free"),
    [
        ((1000, 700), 10, (), 0.7),
        ((1000, 700), 60, (), 0.4),
        ((1000, 700), 200, (), 0.0),
        ((1000, 700), 10, ((100, 75),), 0.25),
    ],
)
def test_what_is_left_of_the_machine(memory, tasks, groups, free, tmp_path, monkeypatch) -> None:
    told = {b"MemTotal": b"%d kB" % memory[0], b"MemAvailable": b"%d kB" % memory[1]}
    monkeypatch.setattr(procfs, "fields", lambda _: told)
    monkeypatch.setattr(Path, "read_text", lambda *_: f"0.1 0.2 0.3 1/{tasks} 77\n")
    monkeypatch.setattr(capacity, "_most_tasks", lambda: 100)
    shared = [Shared(tmp_path, "memory.current", limit) for limit, _ in groups]
    monkeypatch.setattr(cgroups, "shared", lambda: tuple(shared))
    monkeypatch.setattr(cgroups, "_get", lambda folder, file: str(groups[0][1]))
    monkeypatch.setattr(cgroups, "_number", lambda *_: 0)
    assert capacity.free() == pytest.approx(free)


def test_nothing_is_left_where_nobody_tells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(procfs, "fields", lambda _: {})
    assert capacity.free() == 0.0


FILES = """
import resource, subprocess, sys
from arena.hosting.machine import capacity
resource.setrlimit(resource.RLIMIT_NOFILE, (100, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
capacity.raise_files()
assert capacity.bots_at_once(60) == 60, capacity.bots_at_once(60)
bot = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
capacity.lower_files(bot.pid)
print(resource.prlimit(bot.pid, resource.RLIMIT_NOFILE)[0])
bot.communicate()
"""


@needs_linux
def test_a_worker_may_open_more_files_and_its_bots_may_not() -> None:
    said = subprocess.run(
        [sys.executable, "-c", FILES], capture_output=True, text=True, check=False
    )
    assert said.stdout == "100\n", said.stderr
