from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from arena.hosting.machine import orphans, procfs
from tests.hosting.bots import needs_linux
from tests.hosting.chains import chain

__all__ = ["chain"]

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("leaves_nothing"), needs_linux]

DAEMON = """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(60)
    os._exit(0)
os.wait()
"""


@pytest.fixture
def kin() -> set[int]:
    """Children that are none of the test's."""
    orphans.adopt_orphans()
    return set(orphans.children())


def test_daemons_are_found_and_killed(kin: set[int]) -> None:
    for _ in range(3):
        subprocess.run([sys.executable, "-S", "-c", DAEMON], check=True)
    daemons = set(orphans.children()) - kin
    assert len(daemons) == 3
    assert orphans.sweep(keep=kin) == 3
    assert not any(Path(f"/proc/{pid}").exists() for pid in daemons)
    assert orphans.sweep(keep=kin) == 0


def test_children_to_be_kept_are_kept(kin: set[int]) -> None:
    with subprocess.Popen([sys.executable, "-S", "-c", "input()"], stdin=subprocess.PIPE) as child:
        assert orphans.sweep(keep=kin | {child.pid}) == 0
        assert child.poll() is None
        assert child.stdin is not None
        child.stdin.close()


def test_descendants_of_an_orphan_are_found_when_it_is_killed(kin: set[int]) -> None:
    code = (
        "import os, time\nfor _ in range(4):\n  if os.fork(): break\n  os.setsid()\ntime.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-S", "-c", code]):
        time.sleep(0.2)
        orphans.sweep(keep=kin)
    assert set(orphans.children()) == kin


def test_a_process_may_have_any_name(kin: set[int], tmp_path: Path) -> None:
    odd = tmp_path / ") 1 2 ("
    odd.symlink_to("/bin/sleep")
    with subprocess.Popen([str(odd), "60"]) as child:
        assert child.pid in orphans.children()
        child.kill()


TELLS_CHILDREN = procfs.children(os.getpid()) is not None


@pytest.mark.skipif(not TELLS_CHILDREN, reason="the kernel does not tell a process's children")
def test_a_program_that_flees_from_one_process_to_the_next_is_caught(kin, chain) -> None:
    for _ in range(20):
        subprocess.run([chain], check=True)
        assert orphans.sweep(keep=kin) > 0
        assert set(orphans.children()) == kin


def test_children_are_found_among_all_processes_too(kin, monkeypatch) -> None:
    monkeypatch.setattr(procfs, "children", lambda _: None)
    subprocess.run([sys.executable, "-S", "-c", DAEMON], check=True)
    assert len(set(orphans.children()) - kin) == 1
    assert orphans.sweep(keep=kin) == 1
    assert set(orphans.children()) == kin


def test_a_sweep_gives_up_in_the_end(kin: set[int], monkeypatch: pytest.MonkeyPatch) -> None:
    """Here because the stray cannot be killed at all."""
    monkeypatch.setattr(os, "kill", lambda *_: None)
    monkeypatch.setattr(orphans, "_SWEEP_SECONDS", 0.05)
    with subprocess.Popen(["/bin/sleep", "60"]) as child:
        assert orphans.sweep(keep=kin) == 1
        monkeypatch.undo()
        assert child.poll() is None
        child.kill()
