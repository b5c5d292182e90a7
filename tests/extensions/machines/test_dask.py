"""Runs on real Dask clusters of this machine: as without one, whatever ends meanwhile."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, TypeAlias

import pytest

from arena.runs.store import GAMES
from arena.runs.voids import VOIDS
from tests.cli.shell import wait_until as until
from tests.extensions.machines.cluster import SECONDS, Cluster
from tests.rows import some

Client = pytest.importorskip("distributed").Client
Event = pytest.importorskip("distributed").Event
LocalCluster = pytest.importorskip("distributed").LocalCluster
pytest.importorskip("arena.extensions.machines.dask", exc_type=ImportError)

pytestmark = [pytest.mark.process, pytest.mark.slow, pytest.mark.timeout(300)]

ROOT: Final = Path(__file__).parents[3]
BOTS: Final = tuple(str(ROOT / "bots" / name) for name in ("random", "greedy"))


def arena(*words: str | Path, check: int = 0, **more: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "arena", *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, **more)
    assert done.returncode == check, done.stderr
    return done


def lines(folder: Path, name: str = GAMES) -> list[dict[str, Any]]:
    try:
        return [json.loads(line) for line in (folder / name).read_text().splitlines()]
    except FileNotFoundError:
        return []


def results(folder: Path) -> dict[str, Any]:
    """By game all that is not measured; the record by its digest."""
    found: dict[str, Any] = {}
    for line in lines(folder):
        result = line["result"]
        result.pop("think_us")
        result.pop("wall_us")
        assert found.setdefault(result["spec"]["game_id"], result) is result, "stored once"
    return found


QUICK: Final = ("-g", "dragonheart", *BOTS, "--seed", "7")


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run that all others must equal."""
    folder = tmp_path_factory.mktemp("alone") / "run"
    arena("run", *QUICK, "-n", "60", "-j", "1", "-o", folder, "-q")
    return folder


def check_same(folder: Path, alone: Path) -> None:
    """But for a line that tells of games that were void meanwhile."""
    assert results(folder) == results(alone)
    tables = [(each / "standings.txt").read_text().splitlines() for each in (folder, alone)]
    kept = [[line for line in table if " void " not in line] for table in tables]
    assert kept[0] == kept[1]


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    with Cluster(tmp_path / "cluster") as made:
        yield made


def test_a_cluster_of_its_own_plays_what_a_worker_plays(tmp_path: Path, alone: Path) -> None:
    folder = tmp_path / "run"
    said = arena("run", *QUICK, "-n", "60", "-j", "2", "-o", folder, "--on", "dask").stderr
    check_same(folder, alone)
    assert "on dask, at most 2 workers" in said
    assert "2 workers, isolation limits" in said
    assert {line.get("machine", "") for line in lines(folder)} == {os.uname().nodename}
    assert "verified: all as it should be" in arena("verify", folder).stdout


@pytest.mark.soak
def test_a_match_is_played_on_a_cluster(tmp_path: Path) -> None:
    words = ("compare", *BOTS[::-1], "-g", "dragonheart", "--seed", "3", "--json", "-q", "-j", "1")
    far = json.loads(arena(*words, "-o", tmp_path / "far", "--on", "dask").stdout)
    near = json.loads(arena(*words, "-o", tmp_path / "near").stdout)
    assert far["verdict"] == near["verdict"] == "pass"
    assert (far["llr"], far["games_counted"]) == (near["llr"], near["games_counted"])


Playing: TypeAlias = subprocess.Popen[bytes]


def begin(cluster: Cluster, folder: Path, *more: str, deals: int = 60) -> Playing:
    """A run, and a file beside its folder with what it says."""
    words = ["run", *QUICK, "-n", str(deals), "-o", str(folder), "--on", cluster.address]
    with open(f"{folder}.said", "ab") as said:
        command = [sys.executable, "-m", "arena", *words, *more]
        return cluster.own(subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=said))


def stored(folder: Path) -> int:
    try:
        return (folder / GAMES).read_bytes().count(b"\n")
    except FileNotFoundError:
        return 0


def under_way(cluster: Cluster, folder: Path, *more: str, deals: int = 60) -> Playing:
    """A run that has stored some games."""
    playing = begin(cluster, folder, *more, deals=deals)
    until(lambda: stored(folder) > 5)
    return playing


def end(playing: Playing) -> None:
    playing.send_signal(signal.SIGINT)
    assert ended(playing) == 130


def ended(process: Playing) -> int:
    return process.wait(SECONDS)


def nothing_plays(cluster: Cluster) -> None:
    """No host, no worker of ours, no bot is left beside the workers of the cluster."""
    until(lambda: not (cluster.hosts() or cluster.players() or cluster.bots()))


def kill_worker(cluster: Cluster) -> None:
    """With its nanny, and hard."""
    os.killpg(cluster.workers[0].pid, signal.SIGKILL)


def kill_host(cluster: Cluster) -> None:
    cluster.hosts()[0].kill()


def kill_player(cluster: Cluster) -> None:
    cluster.players()[0].kill()


def kill_scheduler(cluster: Cluster) -> None:
    """It comes again, and so do workers: Dask's own end without their scheduler."""
    cluster.scheduler.kill()
    cluster.scheduler.wait()
    cluster.start_scheduler()
    cluster.start_worker()


@pytest.mark.parametrize(
    "kill", some([kill_worker, kill_host, kill_scheduler, kill_player], every=4)
)
def test_whatever_is_killed_nothing_is_lost_and_nothing_is_left(
    cluster: Cluster, tmp_path: Path, alone: Path, kill: Callable[[Cluster], None]
) -> None:
    folder = tmp_path / "run"
    cluster.start_worker()
    cluster.start_worker()
    playing = under_way(cluster, folder)
    kill(cluster)
    assert ended(playing) == 0
    check_same(folder, alone)
    nothing_plays(cluster)


@pytest.mark.soak
def test_a_killed_parent_leaves_no_bot_and_goes_on(cluster, tmp_path, alone) -> None:
    folder = tmp_path / "run"
    cluster.start_worker(threads=2)
    playing = under_way(cluster, folder)
    playing.kill()
    playing.wait()
    nothing_plays(cluster)
    assert not [*tmp_path.glob("cluster/worker-0/tmp/arena-*/cells")], "nor any folder of bots"
    assert stored(folder) < 120
    assert ended(begin(cluster, folder)) == 0
    check_same(folder, alone)
    nothing_plays(cluster)


@pytest.mark.soak
def test_two_runs_that_wait_for_a_worker_get_it_one_after_the_other(
    cluster: Cluster, tmp_path: Path, alone: Path
) -> None:
    cluster.start_worker(threads=2)
    folders = [tmp_path / "one", tmp_path / "other"]
    with Client(cluster.address, set_as_default=False) as others:
        let_go = Event("let-go", client=others)
        others.map(lambda _: let_go.wait(), range(2), pure=False)
        playing = [begin(cluster, folder) for folder in folders]
        until(lambda: len(_holders(others)) == 4)
        ranks = _holders(others)
        assert len(set(ranks.values())) == 4, "or it is chance whose comes next"
        sessions = [name.rpartition("-")[0] for name in sorted(ranks, key=ranks.__getitem__)]
        assert sessions[0] == sessions[1] != sessions[2] == sessions[3]
        let_go.set()
        assert [ended(each) for each in playing] == [0, 0]
    for folder in folders:
        check_same(folder, alone)
    nothing_plays(cluster)


@pytest.mark.soak
def test_who_holds_a_cluster_is_told_and_waited_for(cluster, tmp_path, alone) -> None:
    cluster.start_worker()
    first = under_way(cluster, tmp_path / "first", deals=5000)
    later = begin(cluster, tmp_path / "later")
    said = tmp_path / "later.said"
    until(lambda: b"waiting: " in said.read_bytes())
    holder = f"held by a run of arena ({os.uname().nodename}, process {first.pid})"
    assert holder in said.read_text()
    end(first)
    assert ended(later) == 0
    check_same(tmp_path / "later", alone)


@pytest.mark.soak
def test_a_cluster_that_adapts_is_asked_for_a_worker(tmp_path: Path, alone: Path) -> None:
    folder = tmp_path / "run"
    quiet = {"dashboard_address": "127.0.0.1:0", "host": "127.0.0.1"}
    with LocalCluster(n_workers=0, threads_per_worker=1, **quiet) as made:
        made.adapt(minimum=0, maximum=1, interval="100ms")
        arena("run", *QUICK, "-n", "60", "-o", folder, "--on", made.scheduler_address)
    check_same(folder, alone)


def _holders(client: Client) -> dict[str, tuple[float, ...]]:
    """Tasks of ours that the scheduler has, and when it is their turn."""
    found = client.run_on_scheduler(
        lambda dask_scheduler: {
            str(name): task.priority for name, task in dask_scheduler.tasks.items()
        }
    )
    return {name: rank for name, rank in found.items() if name.startswith("arena-")}


@pytest.mark.soak
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_the_scheduler_forgets_what_hosts_said(tmp_path: Path, how: signal.Signals) -> None:
    soon = {"DASK_DISTRIBUTED__SCHEDULER__EVENTS_CLEANUP_DELAY": "1s"}
    with Cluster(tmp_path / "cluster", **soon, DASK_ARENA__DIRECT="false") as cluster:
        cluster.start_worker()
        with Client(cluster.address, set_as_default=False) as others:
            playing = under_way(cluster, tmp_path / "run", deals=5000)
            assert _said(others)
            playing.send_signal(how)
            ended(playing)
            nothing_plays(cluster)
            until(lambda: not _said(others))


@pytest.mark.alone  # other runs on this machine hold cores
@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="one core")
def test_games_do_not_pass_through_the_scheduler_and_workers_have_cores_of_their_own(
    cluster: Cluster, tmp_path: Path
) -> None:
    cluster.start_worker()
    cluster.start_worker()
    with Client(cluster.address, set_as_default=False) as others:
        playing = under_way(cluster, tmp_path / "run", deals=5000)
        assert _said(others) == 0
        until(lambda: len(cores_at_work(cluster)) == 2)
        first, second = cores_at_work(cluster)
        assert len(first) == len(second) == 1
        assert first != second
        end(playing)


def _said(client: Client) -> int:
    """Events of hosts that the scheduler keeps."""
    events = client.get_events()
    return sum("said" in what for each in events.values() for _, what in each if what)


@pytest.mark.soak
def test_interrupted_it_ends_the_games_in_hand(cluster: Cluster, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    cluster.start_worker(threads=2)
    end(under_way(cluster, folder, deals=5000))
    reasons = [void["reason"] for void in lines(folder, VOIDS)]
    assert [each for each in reasons if "the machine kept a bot waiting" not in each] == []
    nothing_plays(cluster)
    assert cluster.workers[0].poll() is None, "Dask's own worker stays"


@pytest.mark.soak
def test_a_worker_of_dask_that_is_stopped_leaves_nothing(cluster: Cluster, tmp_path: Path) -> None:
    cluster.start_worker(threads=2)
    playing = under_way(cluster, tmp_path / "run", deals=5000)
    cluster.workers[0].terminate()
    cluster.workers[0].wait(SECONDS)
    nothing_plays(cluster)
    end(playing)


@pytest.mark.soak
def test_a_worker_without_arena_or_with_another_is_told_of_and_the_others_play(
    cluster: Cluster, tmp_path: Path, alone: Path
) -> None:
    folder, lib = tmp_path / "run", tmp_path / "lib"
    lib.mkdir()
    (lib / "sitecustomize.py").write_text("import sys\nsys.modules['arena'] = None\n")
    cluster.start_worker()
    cluster.start_worker(PYTHONPATH=str(lib))
    until(lambda: b"Registered to" in (tmp_path / "cluster/worker-1/log").read_bytes())
    done = arena("run", *QUICK, "-n", "60", "-o", folder, "--on", cluster.address)
    assert "cannot play: has no arena, or another one" in done.stderr, done.stderr
    check_same(folder, alone)


@pytest.mark.soak
def test_if_nobody_can_play_it_ends_with_what_is_missing_where(cluster, tmp_path) -> None:
    bot = tmp_path / "needy"
    bot.mkdir()
    (bot / "bot.yaml").write_text(
        "bot: 1\nname: needy\ncommand: [python3, bot.py]\nneeds: {sometool: '1'}\n"
    )
    (bot / "bot.py").write_text("")
    tool = tmp_path / "bin"
    tool.mkdir()
    (tool / "sometool").write_text("#!/bin/sh\n")
    (tool / "sometool").chmod(0o755)
    cluster.start_worker()
    here = os.environ | {"PATH": f"{tool}{os.pathsep}{os.environ['PATH']}"}
    words = ("-g", "dragonheart", bot, BOTS[0], "-n", "1", "-o", str(tmp_path / "run"))
    done = arena("run", *words, "--on", cluster.address, check=4, env=here)
    assert "no machine can play this" in done.stderr
    assert '"sometool" was not found on PATH' in done.stderr
    nothing_plays(cluster)


def test_without_dask_it_is_said_how_to_get_it(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['distributed'] = None\n")
    here = os.environ | {"PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"}
    words = ("run", *QUICK, "-n", "1", "-o", str(tmp_path / "run"))
    said = arena(*words, "--on", "dask", check=2, env=here).stderr.splitlines()[-1]
    lacks = "this needs distributed,"
    assert said == f"error: {lacks} which is not installed: pip install 'botarena[dask]'"
    arena(*words, "-q", env=here)


@pytest.mark.extensions("studies")
@pytest.mark.parametrize(
    "words",
    some(
        [
            ("run", *QUICK, "-n", "1"),
            ("compare", *BOTS, "-g", "dragonheart"),
            ("compare", *BOTS, "-g", "dragonheart", "--best"),
            ("tune", BOTS[1], "--param", "slips", "-g", "dragonheart"),
        ],
        every=5,
        alone=True,
    ),
)
def test_a_cluster_that_is_not_there(tmp_path: Path, words: tuple[str, ...]) -> None:
    folder = tmp_path / "run"
    said = arena(*words, "-o", folder, "--on", "tcp://127.0.0.1:9", check=2).stderr
    assert "on: tcp://127.0.0.1:9: " in said
    assert "Traceback" not in said
    assert not list(folder.rglob("run.json")), "nothing is begun that cannot be played"


@pytest.mark.parametrize("word", some(["python3 -c 0", f"{sys.executable} x.py"], every=2))
def test_a_command_of_this_machine_does_not_travel(tmp_path: Path, word: str) -> None:
    words = ("run", "-g", "dragonheart", BOTS[0], word, "-n", "1", "-o", str(tmp_path / "run"))
    said = arena(*words, "--on", "dask", check=2).stderr
    assert "found a command without a folder of its own, expected a folder with a bot.yaml" in said


def cores_at_work(cluster: Cluster) -> list[list[int]]:
    """Cores of each worker of arena that has begun to play."""
    cores = [each.cpu_affinity() for each in cluster.players()]
    return [each for each in cores if len(each) < os.cpu_count()]  # type: ignore[operator]
