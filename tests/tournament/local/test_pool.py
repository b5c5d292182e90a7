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
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from arena.hosting.machine import orphans
from arena.results import GameDone, GameSpec, GameVoid, VoidCause
from arena.schedule.schedule import Block, Schedule
from arena.tournament import dispatch
from arena.tournament.dispatch import Dispatch
from arena.tournament.jobs import Job
from arena.tournament.local import pool as runner
from arena.tournament.local import worker
from arena.tournament.local.pool import Pool
from tests.tournament import deadly
from tests.tournament.executors import in_order
from tests.tournament.tables import dragonheart, job, player, schedule

pytestmark = [
    pytest.mark.slow,
    pytest.mark.process,
    pytest.mark.usefixtures("leaves_nothing", "collected"),
    pytest.mark.skipif(sys.platform != "linux", reason="counts processes as Linux shows them"),
]
PATIENCE = 600.0


@pytest.fixture
def collected() -> Iterator[None]:
    """Descriptors of ended processes are closed when their objects go."""
    yield
    gc.collect()


NAMES = ("a", "b", "c")
HONEST = job(*(player(name) for name in NAMES), rules=dragonheart())


class Playing(Dispatch):
    """Has a pool play."""

    def __init__(self, pool: Pool) -> None:
        super().__init__(pool, PATIENCE)
        self.pool = pool


@contextmanager
def playing(setup: Job = HONEST, workers: int = 2) -> Iterator[Playing]:
    with Pool(setup, workers, pin=False) as pool:
        yield Playing(pool)


Reports = tuple[list[GameDone], list[GameVoid]]


def play(
    plan: Schedule,
    setup: Job = HONEST,
    workers: int = 2,
    during: Callable[[Playing, int], None] = lambda play, reports: None,
) -> Reports:
    """All reports of a pool. ``during`` is called after each with their number so far."""
    done: list[GameDone] = []
    void: list[GameVoid] = []
    with playing(setup, workers) as under_way:
        for report in under_way.play(in_order(plan.blocks())):
            match report:
                case GameDone():
                    done.append(report)
                case GameVoid():
                    void.append(report)
                case None:
                    continue
            during(under_way, len(done) + len(void))
    return done, void


def digests(reports: Reports, deaths: int = 0) -> dict[str, str]:
    """By game; none came twice, and none was void but those in hand when workers died."""
    done, void = reports
    assert {each.cause for each in void} <= {VoidCause.WORKER}
    assert len(void) <= deaths
    found = {each.result.spec.game_id: each.result.digest for each in done}
    assert len(found) == len(done)
    return found


def planned(plan: Schedule) -> set[str]:
    return {game.game_id for block in plan.blocks() for game in block.games}


PLAN = schedule(*NAMES, deals=4)


@pytest.fixture(scope="module")
def undisturbed() -> dict[str, str]:
    return digests(play(PLAN, workers=1))


@pytest.mark.parametrize("workers", [1, 2])
def test_a_killed_worker_is_replaced_and_nothing_is_lost_or_doubled(
    workers: int, undisturbed: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    victims = {3: 0, 5: workers - 1}

    def kill(under_way: Playing, reports: int) -> None:
        if reports in victims:
            os.kill(pid_of(under_way, victims.pop(reports)), signal.SIGKILL)

    assert digests(play(PLAN, workers=workers, during=kill), deaths=2) == undisturbed
    assert any("was in hand" in record.getMessage() for record in caplog.records)


def pid_of(under_way: Playing, number: int) -> int:
    pid = under_way.pool._slots[number].process.pid
    assert pid is not None
    return pid


def test_a_hung_worker_is_replaced(
    undisturbed: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "_GOODBYE_SECONDS", 0.2)

    def stop(under_way: Playing, reports: int) -> None:
        if reports == 3:
            under_way._places[0].heard = -math.inf
            os.kill(pid_of(under_way, 0), signal.SIGSTOP)

    done, void = play(PLAN, during=stop)
    assert digests((done, void), deaths=1) == undisturbed
    assert all(each.reason.startswith("its worker was silent for") for each in void)


def test_bots_of_a_killed_worker_do_not_outlive_it() -> None:
    """Even those that do not mind the end of their input."""
    names = ("a", "ignores_sigterm"), ("b", "ignores_sigterm")
    bots: list[psutil.Process] = []
    with playing(job(*(player(*each) for each in names), rules=dragonheart()), 1) as under_way:
        for _ in under_way.play(in_order(schedule("a", "b").blocks())):
            hit = psutil.Process(pid_of(under_way, 0))
            if len(started := hit.children()) == 2:
                bots += started
                hit.kill()
            if len(bots) == 4:
                break
    assert psutil.wait_procs(bots, timeout=60)[1] == []


DEADLY = job(player("a"), player("b"), player("z"), rules=dragonheart())


@pytest.fixture
def deadly_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Games of z kill their workers."""
    monkeypatch.setattr(worker, "run", deadly.run)


@pytest.mark.usefixtures("deadly_worker")
def test_a_game_that_kills_its_worker_is_tried_three_times() -> None:
    plan = schedule("a", "b", "z", deals=1)
    done, void = play(plan, DEADLY)
    ours = {game for game in planned(plan) if "z" not in game.split("/")[1].split(":")[0]}
    assert {each.result.spec.game_id for each in done} == ours
    assert len(done) == len(ours) == 2
    assert Counter(each.game_id for each in void) == dict.fromkeys(planned(plan) - ours, 3)
    assert {each.cause for each in void} == {VoidCause.WORKER}
    assert {each.reason for each in void} == {"its worker died (exit status -9)"}


@pytest.mark.usefixtures("deadly_worker")
def test_other_blocks_come_before_another_try() -> None:
    """So that what troubles the machine has time to pass."""
    plan = schedule("a", "b", "z", deals=3)
    order: list[str] = []
    with playing(DEADLY, 1) as under_way:
        for report in under_way.play(in_order(plan.blocks())):
            match report:
                case GameDone():
                    order.append(report.result.spec.game_id)
                case GameVoid() if report.game_id in order:
                    again = report.game_id
                    break
                case GameVoid():
                    order.append(report.game_id)
        else:
            pytest.fail("no game is tried again")
    assert again == next(game for game in order if "z" in game)
    assert len(set(order[order.index(again) :])) >= 3


@pytest.mark.usefixtures("deadly_worker")
def test_bots_that_are_left_out_are_not_tried_again() -> None:
    plan = schedule("a", "b", "z", deals=2)
    killed: list[str] = []

    def leave_out(under_way: Playing, reports: int) -> None:
        under_way.leave_out({"z"})

    done, void = play(plan, DEADLY, workers=1, during=leave_out)
    killed = [each.game_id for each in void]
    assert len(done) == 4
    assert len(killed) == len(set(killed)), "no game was given out a second time"


@pytest.mark.usefixtures("deadly_worker")
def test_workers_that_only_die_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dispatch, "_HOPELESS", 3)
    plan = schedule("a", "z", deals=50)
    with playing(DEADLY, 1) as under_way:
        void = [report for report in under_way.play(in_order(plan.blocks())) if report is not None]
        assert under_way.gave_up == "6 worker processes ended one after another"
    assert len(void) == 6


def test_a_pool_that_is_left_in_a_hurry_leaves_nothing() -> None:
    def interrupt(under_way: Playing, reports: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play(PLAN, during=interrupt)


def test_a_void_game_is_reported_and_logged_in_the_parent(caplog: pytest.LogCaptureFixture) -> None:
    unknown = GameSpec("toy-2/g", "b", "d", 0, ("a", "nobody"))
    with playing(workers=1) as under_way:
        void = [r for r in under_way.play(in_order([Block("b", (unknown,))])) if r is not None]
    assert len(void) == 3, "it is tried again"
    for each in void:
        assert isinstance(each, GameVoid)
        assert each.cause is VoidCause.ARENA
        assert "KeyError: 'nobody'" in each.reason
    record, *_ = [record for record in caplog.records if record.name == "arena.worker"]
    assert record.getMessage().startswith("game toy-2/g is void")
    assert "KeyError: 'nobody'" in record.getMessage()
    assert record.levelno == logging.ERROR


SPAWNING = """
import multiprocessing
from tests.tournament.tables import *
from tests.tournament.local.test_pool import semaphores
from arena.tournament.local.pool import Pool

if __name__ == "__main__":
    multiprocessing.set_start_method("spawn")
    with Pool(job(player("a")), 1, pin=False):
        assert semaphores(os.getpid()) == []
    assert multiprocessing.get_start_method() == "spawn"
    assert multiprocessing.active_children() == []
"""


def test_a_pool_leaves_the_program_its_own_way_of_starting_processes(tmp_path: Path) -> None:
    (tmp_path / "parent.py").write_text(SPAWNING)
    root = Path(__file__).parents[2]
    words = [sys.executable, tmp_path / "parent.py"]
    subprocess.run(words, cwd=root, env=os.environ | {"PYTHONPATH": str(root)}, check=True)


PARENT = """
from tests.tournament.executors import in_order
from tests.tournament.tables import *
from arena.tournament.dispatch import Dispatch
from arena.tournament.local.pool import Pool

if __name__ == "__main__":
    bots = player("a", "hang"), player("b", "ignores_sigterm"), player("c", "leaves_a_daemon")
    with Pool(job(*bots, rules=dragonheart()), 2, pin=False) as pool:
        for report in Dispatch(pool, 60.0).play(in_order(schedule("a", "b", "c").blocks())):
            print("playing", flush=True)
"""


def test_when_the_parent_is_killed_nothing_survives(tmp_path: Path) -> None:
    (tmp_path / "parent.py").write_text(PARENT)
    root = Path(__file__).parents[2]
    with subprocess.Popen(
        [sys.executable, tmp_path / "parent.py"],
        cwd=root,
        env=os.environ | {"PYTHONPATH": str(root)},
        stdout=subprocess.PIPE,
    ) as parent:
        family = grown(parent)
        parent.kill()
        _, alive = psutil.wait_procs(family, timeout=60)
        for process in alive:
            process.kill()
        assert alive == []


@pytest.mark.parametrize("whole", [False, True], ids=["alone", "with its group"])
def test_a_killed_parent_leaves_no_file_and_says_nothing(tmp_path: Path, whole: bool) -> None:
    (tmp_path / "parent.py").write_text(PARENT)
    (tmp_path / "tmp").mkdir()
    root = Path(__file__).parents[2]
    ours = set(orphans.children())
    with subprocess.Popen(
        [sys.executable, tmp_path / "parent.py"],
        cwd=root,
        env=os.environ | {"PYTHONPATH": str(root), "TMPDIR": str(tmp_path / "tmp")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as parent:
        family = grown(parent)
        shared = [kept for each in (parent.pid, *family) for kept in semaphores(each)]
        (os.killpg if whole else os.kill)(parent.pid, signal.SIGKILL)
        assert parent.stderr is not None
        _, alive = psutil.wait_procs(family, timeout=0 if whole else 60)
        for process in alive:  # bots of killed workers, which the next start looks for
            process.kill()
        end_adopted(ours | {parent.pid})
        said = parent.stderr.read()
    assert said == b""
    assert [each.name for each in (tmp_path / "tmp").iterdir() if "pymp" in each.name] == []
    assert shared == []


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


def test_a_worker_that_dies_idle_is_replaced(undisturbed: dict[str, str]) -> None:
    with playing(workers=2) as under_way:
        os.kill(pid_of(under_way, 0), signal.SIGKILL)
        time.sleep(0.2)
        done = [
            report
            for report in under_way.play(in_order(PLAN.blocks()))
            if isinstance(report, GameDone)
        ]
    assert {each.result.spec.game_id: each.result.digest for each in done} == undisturbed


def test_what_stops_the_parent_stops_no_worker(undisturbed: dict[str, str]) -> None:
    """Ctrl-Z goes to all of them, and bots would be late whose referee does not read."""
    with playing(workers=1) as under_way:
        os.kill(pid_of(under_way, 0), signal.SIGTSTP)
        time.sleep(0.2)
        assert psutil.Process(pid_of(under_way, 0)).status() != psutil.STATUS_STOPPED
        done = [
            report
            for report in under_way.play(in_order(PLAN.blocks()))
            if isinstance(report, GameDone)
        ]
    assert {each.result.spec.game_id: each.result.digest for each in done} == undisturbed
