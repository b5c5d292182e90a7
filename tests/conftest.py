"""What is left behind: every test of processes must end as it began."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Iterator
from typing import Final

import pytest

from arena.hosting import orphans

_DYING_SECONDS: Final = 5.0


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Bots are built, but not for whoever runs the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture
def leaves_nothing() -> Iterator[None]:
    """Fails a test that leaves a child process, an open descriptor or a thread."""
    if sys.platform != "linux":
        yield
        return
    before = _held()
    yield
    _reap_orphans(before[0])
    assert _held() == before


def _reap_orphans(ours: set[int]) -> None:
    """Bury what was killed: an earlier test's pool may have made us its parent.

    On a busy machine a killed process takes its time to end.
    """
    give_up = time.monotonic() + _DYING_SECONDS
    while (left := set(orphans.children()) - ours) and time.monotonic() < give_up:
        for pid in left:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
        time.sleep(0.001)


def _held() -> tuple[set[int], dict[str, str], int]:
    return set(orphans.children()), _descriptors(), threading.active_count()


def _descriptors() -> dict[str, str]:
    """Where each open descriptor leads."""
    found = {}
    for name in os.listdir("/proc/self/fd"):
        try:
            found[name] = os.readlink(f"/proc/self/fd/{name}")
        except FileNotFoundError:  # the one that listed the folder
            continue
    return found
