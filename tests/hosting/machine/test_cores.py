from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.hosting.machine import cores


@pytest.fixture(autouse=True)
def _temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


@pytest.fixture(autouse=True)
def _two_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {5, 2}, raising=False)


def test_workers_are_spread_over_the_cores_they_may_use() -> None:
    with cores.taken(3) as taken:
        assert taken == [2, 5, 2]


def test_cores_without_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sched_getaffinity")
    with cores.taken(2) as taken:
        assert taken == [-1, -1]


def test_two_arenas_share_a_core_only_if_there_is_no_other() -> None:
    with cores.taken(1) as first, cores.taken(1) as second, cores.taken(2) as third:
        assert (first, second) == ([2], [5])
        assert third == [2, 5], "none is free"
    with cores.taken(1) as after:
        assert after == [2], "a core that nobody holds is free again"


def _a_file(folder: Path) -> None:
    folder.write_text("")


def _a_link(folder: Path) -> None:
    folder.symlink_to(folder.parent)


@pytest.mark.parametrize("make", [_a_file, _a_link])
def test_where_nothing_can_be_locked_cores_are_shared(
    tmp_path: Path, make: Callable[[Path], None]
) -> None:
    make(tmp_path / f"cores-of-arena-{os.getuid()}")
    with cores.taken(1) as first, cores.taken(1) as second:
        assert (first, second) == ([2], [2])
