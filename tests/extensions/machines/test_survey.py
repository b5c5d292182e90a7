"""What a cluster's workers are told to be, of real ones and of what they could say."""

from __future__ import annotations

import json
import os
import re
import signal
import threading
from pathlib import Path
from typing import Any

import msgspec
import psutil
import pytest

from arena import __version__
from arena.extensions.machines import checkup, survey_report
from arena.games.registry import GAMES
from arena.values.bad_input import BadInput
from tests.extensions.machines.cluster import Cluster, wait_until

ways = pytest.importorskip("arena.extensions.machines.cluster", exc_type=ImportError)
survey = pytest.importorskip("arena.extensions.machines.survey")

GAMES_HERE = dict(GAMES.sources())
CHECKUP = checkup.Checkup(
    arena=__version__,
    machine="box",
    system="Linux",
    release="6.1",
    architecture="x86_64",
    python="3.11.7",
    cores=2,
    games=GAMES_HERE,
    findings=(
        checkup.CheckupLine(checkup.ISOLATION, "none", True, ""),
        checkup.CheckupLine(checkup.ISOLATION, "landlock", True, ""),
        checkup.CheckupLine(checkup.ISOLATION, "bubblewrap", False, "no bwrap"),
        checkup.CheckupLine(checkup.ISOLATION, "sandbox", True, ""),
    ),
)
FACTS = survey.Facts(
    threads=2,
    cores=(0, 1),
    listens=("tls://10.0.0.1:1",),
    kernel="one",
    nanny=True,
    memory_limit=0,
    noisy=(),
    doctor=msgspec.json.encode(CHECKUP).decode(),
    failure="",
)
ADDRESS = "tls://10.0.0.1:1"


def judged(address: str = ADDRESS, *others: Any, **changes: Any) -> survey_report.Surveyed:
    facts = msgspec.structs.replace(FACTS, **changes)
    known = survey_report.Surveyed(address=address, name="w", label=f"w {address}")
    beside = {f"tls://10.0.0.{number}:1": other for number, other in enumerate(others, 2)}
    judged: survey_report.Surveyed = survey._judged(known, facts, {address: facts} | beside)
    return judged


def says(**changes: Any) -> str:
    return msgspec.json.encode(msgspec.structs.replace(CHECKUP, **changes)).decode()


def test_a_worker_with_everything_can_play() -> None:
    found = judged()
    assert (found.problem, found.notes, found.machine) == ("", (), "box")
    levels = (None, "none", "limits", "landlock", "bubblewrap", "sandbox")
    assert [found.can_play(level) for level in levels] == [True, True, False, True, False, True]


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"doctor": says(arena="0.0.9")}, f"has arena 0.0.9, not {__version__}"),
        ({"doctor": says(findings=())}, "no level of isolation works there"),
        ({"doctor": "{}"}, "its arena has another doctor"),
        ({"doctor": "", "failure": "it took\x1b[1m long"}, "it took\\x1b[1m long"),
    ],
)
def test_a_worker_that_cannot_play_says_why(changes: dict[str, Any], problem: str) -> None:
    found = judged(**changes)
    assert found.problem == problem
    assert not found.can_play()


WITHOUT_KRAK = {name: source for name, source in GAMES_HERE.items() if name != "dragonkrak"}
SWAP = checkup.CheckupLine(checkup.TIMING, "swap", False, "on")


@pytest.mark.parametrize(
    ("changes", "note"),
    [
        ({"threads": 3}, "3 threads on 2 cores: bots share cores; use --nthreads"),
        ({"kernel": ""},
         "does not tell which machine it is on (boot_id): its bots are kept on no cores"),
        ({"nanny": False}, "has no nanny: it does not come back if its process dies"),
        ({"memory_limit": 200 << 20}, "Dask ends it at 200 MB: use --memory-limit 0"),
        ({"noisy": ("a.b",)}, "Dask wakes often on the cores of bots: turn off a.b"),
        ({"doctor": says(games=GAMES_HERE | {"dragonheart": "other 2"})},
         "dragonheart: other 2 there, " + GAMES_HERE["dragonheart"] + " here"),
        ({"doctor": says(games=WITHOUT_KRAK)},
         "dragonkrak: missing there, " + GAMES_HERE["dragonkrak"] + " here"),
        ({"doctor": says(findings=(*CHECKUP.findings, SWAP))}, "swap: on"),
        ({"listens": ("tcp://0.0.0.0:1",)},
         "listens at tcp://0.0.0.0:1: without TLS all who reach that"),
        ({"listens": ("tcp://127.0.0.1:1",)}, None),
        ({"listens": ("tls://0.0.0.0:1",)}, None),
    ],
)  # fmt: skip
def test_what_disturbs_is_noted(changes: dict[str, Any], note: str | None) -> None:
    found = judged(**changes)
    cut = len(note or "") if "listens" in changes else None
    assert [each[:cut] for each in found.notes] == [*filter(None, [note])]
    assert found.can_play()


def test_workers_that_share_cores_are_noted_if_they_have_too_many_threads() -> None:
    def beside(**changes: Any) -> tuple[str, ...]:
        return judged(ADDRESS, msgspec.structs.replace(FACTS, **changes)).notes

    shared = "4 threads on 2 cores with tls://10.0.0.2:1: bots share cores; use --nthreads"
    assert beside() == (shared,)
    assert beside(cores=(2, 3)) == ()
    assert beside(kernel="another") == ()
    assert beside(cores=(1, 2, 3)) == ()


def address_of(cluster: Cluster, number: int) -> str:
    """Of a worker, once it is known to the scheduler, which its log tells."""
    log = Path(str(cluster._folder), f"worker-{number}", "log")
    for _ in wait_until(lambda: b"Registered to" in log.read_bytes()):
        pass
    (address,) = re.findall(r"Start worker at: *(tcp://\S+)", log.read_text())
    return str(address)


@pytest.mark.process
@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_all_workers_are_asked_and_those_who_do_not_answer_are_named(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(survey, "_TRIP_SECONDS", 3.0)
    bare = tmp_path / "lib"
    bare.mkdir()
    (bare / "sitecustomize.py").write_text("import sys\nsys.modules['arena'] = None\n")
    with Cluster(tmp_path / "cluster") as cluster:
        cluster.start_worker(DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED="false")
        cluster.start_worker(PYTHONPATH=str(bare))
        cluster.start_worker(threads=1)
        addresses = [address_of(cluster, number) for number in range(3)]
        (frozen,) = (
            child.pid
            for child in psutil.Process(cluster.workers[2].pid).children()
            if "spawn_main" in " ".join(child.cmdline())
        )
        os.kill(frozen, signal.SIGSTOP)
        found = survey.survey(cluster.address)
        assert found.scheduler == cluster.address
    by_address = {each.address: each for each in found.workers}
    whole, without, stopped = (by_address[each] for each in addresses)
    assert stopped.problem == "does not answer"
    assert without.problem.startswith("has no arena, or another one (")
    assert whole.can_play("none")
    assert whole.round_trip_us is not None
    assert whole.checkup is not None
    assert whole.checkup.speed is not None
    assert whole.checkup.games == GAMES_HERE
    assert not any("listens" in note for note in whole.notes)
    assert not any("nanny" in note or "profile" in note for note in whole.notes)
    assert msgspec.json.decode(msgspec.json.encode(found), type=survey_report.Survey) == found
    assert json.loads(msgspec.json.encode(found))["schema"] == "arena.doctor-on/1"


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.filterwarnings("default")
def test_what_cannot_be_reached_is_told_and_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ways, "_CONNECT_SECONDS", 0.5)
    threads, files = threading.active_count(), len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        with pytest.raises(BadInput, match=r"--on: tcp://127\.0\.0\.1:9: Timed out"):
            survey.survey("tcp://127.0.0.1:9")
        with pytest.raises(BadInput, match="TLS wants certificates, and none are set"):
            survey.survey("tls://127.0.0.1:9")
    assert threading.active_count() <= threads + 1
    assert len(os.listdir("/proc/self/fd")) <= files + 3
