"""Real worker processes; what every executor keeps is in ``test_executors``.

The first legal action of every bot makes games that can be repeated.
"""

from __future__ import annotations

import contextlib
import gc
import logging
import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from arena.hosting.machine import orphans
from arena.schedule.schedule import Block
from arena.tournament import pool as runner
from arena.tournament.dispatch import Dispatch
from arena.tournament.executor import Job
from arena.tournament.pool import Pool
from arena.values.results import GameDone, GameSpec, GameVoid, VoidCause
from tests.hosting.bots import needs_linux
from tests.tournament.executors import in_order
from tests.tournament.tables import dragonheart, job, player, schedule

pytestmark = [
    pytest.mark.slow,
    pytest.mark.process,
    pytest.mark.usefixtures("leaves_nothing", "collected"),
    needs_linux,
]


@pytest.fixture
def collected() -> Iterator[None]:
    """Descriptors of ended processes are closed when their objects go."""
    yield
    gc.collect()


NAMES = ("a", "b", "c")
HONEST = job(*map(player, NAMES), rules=dragonheart())
PLAN = schedule(*NAMES, deals=4)


class Playing(Dispatch):
    """Has a pool play."""

    def __init__(self, pool: Pool) -> None:
        super().__init__(pool, 600.0)
        self.pool = pool

    def pid(self, number: int = 0) -> int:
        return self.pool._slots[number].process.pid


@contextmanager
def playing(setup: Job = HONEST, workers: int = 2) -> Iterator[Playing]:
    with Pool(setup, workers, pin=False) as pool:
        yield Playing(pool)


def play(
    under_way: Playing, during: Callable[[int], None] = lambda reports: None
) -> tuple[dict[str, str], list[GameVoid]]:
    """Digests of the games of PLAN, none of which came twice. ``during`` gets their number."""
    done: dict[str, str] = {}
    void: list[GameVoid] = []
    for report in filter(None, under_way.play(in_order(PLAN.blocks()))):
        if isinstance(report, GameVoid):
            assert report.cause is VoidCause.WORKER
            void.append(report)
        if isinstance(report, GameDone):
            assert report.result.spec.game_id not in done
            done[report.result.spec.game_id] = report.result.digest
        during(len(done) + len(void))
    return done, void


@pytest.fixture(scope="module")
def undisturbed() -> dict[str, str]:
    with playing(workers=1) as under_way:
        return play(under_way)[0]


@pytest.mark.parametrize("workers", [2, pytest.param(1, marks=pytest.mark.soak)])
def test_a_killed_worker_is_replaced_and_nothing_is_lost_or_doubled(
    workers: int, undisturbed: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    victims = {3: 0, 5: workers - 1}
    with playing(workers=workers) as under_way:

        def kill(reports: int) -> None:
            if reports in victims:
                os.kill(under_way.pid(victims.pop(reports)), signal.SIGKILL)

        os.kill(under_way.pid(), signal.SIGKILL)  # while it is idle
        time.sleep(0.2)
        done, void = play(under_way, kill)
    assert done == undisturbed
    assert len(void) <= 3
    assert {each.reason for each in void} <= {"its worker died (exit status -9)"}
    assert any("was being played" in message for message in caplog.messages)


def test_a_hung_worker_is_replaced(undisturbed, monkeypatch) -> None:
    monkeypatch.setattr(runner, "_GOODBYE_SECONDS", 0.2)
    with playing() as under_way:

        def stop(reports: int) -> None:
            if reports == 3:
                under_way._places[0].heard = -math.inf
                os.kill(under_way.pid(), signal.SIGSTOP)

        done, void = play(under_way, stop)
    assert done == undisturbed
    assert len(void) <= 1
    assert all(each.reason.startswith("its worker was silent for") for each in void)


def test_what_stops_the_parent_stops_no_worker(undisturbed: dict[str, str]) -> None:
    """Ctrl-Z goes to all of them, and bots would be late whose referee does not read."""
    with playing(workers=1) as under_way:
        os.kill(under_way.pid(), signal.SIGTSTP)
        time.sleep(0.2)
        assert psutil.Process(under_way.pid()).status() != psutil.STATUS_STOPPED
        assert play(under_way) == (undisturbed, [])


def test_bots_of_a_killed_worker_do_not_outlive_it() -> None:
    """Even those that do not mind the end of their input."""
    bots: list[psutil.Process] = []
    rude = [player(name, "ignores_sigterm") for name in "ab"]
    with playing(job(*rude, rules=dragonheart()), 1) as under_way:
        for _ in under_way.play(in_order(schedule("a", "b").blocks())):
            hit = psutil.Process(under_way.pid())
            if len(started := hit.children()) == 2:
                bots += started
                hit.kill()
            if len(bots) == 4:
                break
    assert psutil.wait_procs(bots, timeout=60)[1] == []


def test_a_pool_that_is_left_in_a_hurry_leaves_nothing() -> None:
    def leave() -> None:
        with playing() as under_way:
            next(under_way.play(in_order(PLAN.blocks())))
            os.kill(under_way.pid(), signal.SIGKILL)  # which cannot be dismissed any more
            time.sleep(0.2)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        leave()


def test_a_void_game_is_reported_and_logged_in_the_parent(caplog: pytest.LogCaptureFixture) -> None:
    unknown = GameSpec("toy-2/g", "b", "d", 0, ("a", "nobody"))
    with playing(workers=1) as under_way:
        void = [*filter(None, under_way.play(in_order([Block("b", (unknown,))])))]
    assert len(void) == 3, "it is tried again"
    for each in void:
        assert isinstance(each, GameVoid)
        assert each.cause is VoidCause.ARENA
        assert "KeyError: 'nobody'" in each.reason
    record, *_ = [record for record in caplog.records if record.name == "arena.worker"]
    assert record.getMessage().startswith("game toy-2/g is void")
    assert "KeyError: 'nobody'" in record.getMessage()
    assert record.levelno == logging.ERROR


ROOT = Path(__file__).parents[3]
SPAWNING = """
import multiprocessing
from tests.tournament.tables import *
from tests.tournament.test_pool import semaphores
from arena.tournament.pool import Pool

if __name__ == "__main__":
    multiprocessing.set_start_method("spawn")
    with Pool(job(player("a")), 1, pin=False):
        assert semaphores(os.getpid()) == []
    assert multiprocessing.get_start_method() == "spawn"
    assert multiprocessing.active_children() == []
"""


def test_a_pool_leaves_the_program_its_own_way_of_starting_processes() -> None:
    subprocess.run([sys.executable, "-c", SPAWNING], cwd=ROOT, check=True)


PARENT = """
from tests.hosting.bots import needs_linux
from tests.tournament.executors import in_order
from tests.tournament.tables import *
from arena.tournament.dispatch import Dispatch
from arena.tournament.pool import Pool
from tests.hosting.bots import needs_linux

if __name__ == "__main__":
    bots = player("a", "hang"), player("b", "ignores_sigterm"), player("c", "leaves_a_daemon")
    with Pool(job(*bots, rules=dragonheart()), 2, pin=False) as pool:
        for report in Dispatch(pool, 60.0).play(in_order(schedule("a", "b", "c").blocks())):
            print("playing", flush=True)
"""


@pytest.mark.parametrize("whole", [False, True], ids=["alone", "with its group"])
def test_a_killed_parent_leaves_no_process_or_file_and_says_nothing(tmp_path, whole) -> None:
    (tmp_path / "tmp").mkdir()
    ours = set(orphans.children())
    with subprocess.Popen(
        [sys.executable, "-c", PARENT],
        cwd=ROOT,
        env=os.environ | {"TMPDIR": str(tmp_path / "tmp")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as parent:
        assert parent.stderr is not None
        family = grown(parent)
        shared = [kept for each in (parent.pid, *family) for kept in semaphores(each)]
        (os.killpg if whole else os.kill)(parent.pid, signal.SIGKILL)
        _, alive = psutil.wait_procs(family, timeout=0 if whole else 60)
        for process in alive:
            process.kill()
        end_adopted(ours | {parent.pid})
        said = parent.stderr.read()
    assert whole or alive == []  # bots of killed workers are ended by the next start
    assert (said, shared) == (b"", [])
    assert [each.name for each in (tmp_path / "tmp").iterdir() if "pymp" in each.name] == []


def end_adopted(ours: set[int]) -> None:
    """End the children that are not ``ours``: of a killed parent, whose bots may outlive it."""
    while left := set(orphans.children()) - ours:
        for pid in left:
            with contextlib.suppress(ProcessLookupError, ChildProcessError):
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)


def semaphores(process: int | psutil.Process) -> list[str]:
    """Those with names, which stay when it is killed."""
    pid = process if isinstance(process, int) else process.pid
    try:
        lines = Path(f"/proc/{pid}/maps").read_text().splitlines()
    except OSError:
        return []
    return [line for line in lines if "/sem." in line and not line.endswith("(deleted)")]


def grown(parent: subprocess.Popen[bytes]) -> list[psutil.Process]:
    """All descendants, once both workers have started bots."""
    assert parent.stdout is not None
    while parent.stdout.readline():
        family = psutil.Process(parent.pid).children(recursive=True)
        if sum("tests/bots" in process_folder(each) for each in family) >= 3:
            return family
    raise AssertionError("the parent ended by itself")


def process_folder(process: psutil.Process) -> str:
    try:
        return process.cwd()
    except psutil.Error:
        return ""
