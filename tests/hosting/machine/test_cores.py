from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from arena.hosting.machine import capacity
from tests.hosting.bots import needs_linux


@pytest.fixture(autouse=True)
def _two_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {5, 2}, raising=False)
    monkeypatch.setattr(capacity, "_NAME", f"\0core-of-a-test-{os.getpid()}-{{}}")


def test_workers_are_spread_over_the_cores_they_may_use() -> None:
    with capacity.taken_cores(3) as taken:
        assert taken == [2, 5, 2]


def test_cores_without_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sched_getaffinity")
    with capacity.taken_cores(2) as taken:
        assert taken == [-1, -1]
    assert capacity.free_cores() == ()


def test_two_arenas_share_a_core_only_if_there_is_no_other() -> None:
    with (
        capacity.taken_cores(1) as first,
        capacity.taken_cores(1) as second,
        capacity.taken_cores(2) as third,
    ):
        assert (first, second) == ([2], [5])
        assert third == [2, 5], "none is free"
    with capacity.taken_cores(1) as after:
        assert after == [2], "a core that nobody holds is free again"


def test_of_given_cores_each_is_taken_once_and_the_rest_have_none() -> None:
    assert capacity.free_cores() == (2, 5)
    with capacity.taken_cores(1) as first:
        assert capacity.free_cores() == (5,)
        with capacity.taken_cores(3, (5, 2)) as others:
            assert (first, others) == ([2], [5, -1, -1])
            assert capacity.free_cores() == ()


def test_where_nothing_can_be_held_cores_are_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(socket, "socket", refuse)
    with capacity.taken_cores(1) as first, capacity.taken_cores(1) as second:
        assert (first, second) == ([2], [2])


@needs_linux
@pytest.mark.process
def test_an_arena_with_other_folders_takes_another_core(tmp_path: Path) -> None:
    name = capacity._NAME
    code = (
        "from arena.hosting.machine import capacity\n"
        f"capacity._NAME = {name!r}\n"
        "with capacity.taken_cores(2, (2, 5)) as taken:\n    print(taken)"
    )
    with capacity.taken_cores(1):
        said = subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"TMPDIR": str(tmp_path)},
            capture_output=True,
            text=True,
            check=True,
        )
    assert said.stdout == "[5, -1]\n"
