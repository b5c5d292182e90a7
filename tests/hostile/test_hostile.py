"""Some hostile bots of every group at every level; all of them: ``python -m tests.hostile``.

The harness itself is tested too: what it is to find, it finds.
"""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.hosting.machine import orphans
from arena.values.results import Fault, FaultKind, GameResult, GameSpec, Limits, Termination
from tests.hostile.canaries import Canaries
from tests.hostile.census import changed
from tests.hostile.facts import Facts, available, here, outcomes, telling_levels, verdicts
from tests.hostile.folders import BOTS
from tests.hostile.judge import judge
from tests.hostile.rows import BUBBLEWRAP, LANDLOCK, LEVELS, LIMITS, NEVER, NONE, ROWS, Row
from tests.hostile.table import Match
from tests.hostile.watch import Watch

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[2]
ROOT_USER = Facts(root=True, counted=True, stopped=True)
SOMEBODY = Facts(root=False, counted=False, stopped=False)


def hostile(*words: str) -> subprocess.CompletedProcess[str]:
    """The harness in a process of its own: its environment holds the secret from the start."""
    return subprocess.run(
        [sys.executable, "-m", "tests.hostile", "--few", *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=400,
        check=False,
    )


@pytest.fixture(scope="module")
def played() -> subprocess.CompletedProcess[str]:
    """At all levels that there are, after one start."""
    return hostile()


@pytest.mark.slow
@pytest.mark.timeout(420)
@pytest.mark.parametrize("level", LEVELS)
def test_hostile_bots_do_what_is_known_of_them(level, played) -> None:
    if why := available([level])[level]:
        assert level in (LANDLOCK, BUBBLEWRAP), why
        pytest.skip(why)
    assert played.returncode == 0, played.stderr + played.stdout
    (levels,) = re.findall(r"bots at (.*);", played.stderr)
    assert level in levels


@pytest.mark.soak
@pytest.mark.slow
def test_they_do_so_in_a_tournament() -> None:
    """At the strictest level, and only those that take little time."""
    level = next(level for level in reversed(LEVELS) if not available([level])[level])
    done = hostile("--run", "--level", level, "--group", "m", "o", "x")
    assert done.returncode == 0, done.stderr + done.stdout


# The table


def test_every_bot_has_one_row_and_every_row_a_bot() -> None:
    assert len({row.name for row in ROWS}) == len(ROWS)
    assert {row.group for row in ROWS if row.few} == set("tpmorxf")
    programs = {row.file for row in ROWS} - {"/no/such/program"}
    assert {path.name for path in BOTS.iterdir() if path.is_file()} == programs | {
        "kit.py",
        "system.py",
        "forking.py",  # plays in tests/test_posix.py
    }
    for row in ROWS:
        if row.file in programs and row.bot != "is_no_program":
            source = (BOTS / row.file).read_text("utf-8")
            assert row.bot in source or row.bot == "honest", row.name


@pytest.mark.parametrize(
    ("changes", "level", "known", "expected"),
    [
        ({}, NONE, ROOT_USER, set()),
        ({"through": NEVER}, NONE, SOMEBODY, {"blocked"}),
        ({"through": LIMITS}, LIMITS, SOMEBODY, {"ok"}),
        ({"through": LIMITS}, LANDLOCK, SOMEBODY, {"blocked"}),
        ({"through": LIMITS, "root": NEVER}, LIMITS, SOMEBODY, {"ok"}),
        ({"through": LIMITS, "root": NEVER}, LIMITS, ROOT_USER, {"blocked"}),
        ({"through": LIMITS, "maybe": True}, LIMITS, SOMEBODY, {"ok", "blocked"}),
        ({"through": LIMITS, "maybe": True}, LANDLOCK, SOMEBODY, {"blocked"}),
        ({"through": NONE, "uncounted": {"through": LIMITS}}, LIMITS, SOMEBODY, {"ok"}),
        ({"through": NONE, "uncounted": {"through": LIMITS}}, LIMITS, ROOT_USER, {"blocked"}),
        ({"through": NONE, "unstopped": {"through": LIMITS}}, LIMITS, SOMEBODY, {"ok"}),
    ],
)
def test_what_may_come_of_an_attack(changes, level, known, expected) -> None:
    assert outcomes(here(Row("x", "f.py", "bot")._replace(**changes), known), level) == expected


def test_verdicts_by_level_and_machine() -> None:
    row = Row("r", "f.py", "bot", "ok", at={LIMITS: "ok/limit"}, shared={"at": {LIMITS: "limit"}})
    assert [verdicts(row, level) for level in (NONE, LIMITS)] == [{"ok"}, {"ok", "limit"}]
    assert verdicts(here(row, SOMEBODY), LIMITS) == {"limit"}
    assert verdicts(here(row, SOMEBODY._replace(root=True)), LIMITS) == {"ok", "limit"}


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, (BUBBLEWRAP,)),
        ({"at": {LIMITS: "limit"}}, (NONE, LIMITS, BUBBLEWRAP)),
        ({"at": {NONE: "limit"}}, (NONE, BUBBLEWRAP)),
        ({"through": NEVER}, LEVELS),
        ({"through": NONE}, LEVELS),
        ({"through": LIMITS}, LEVELS[1:]),
        ({"through": LIMITS, "maybe": True}, LEVELS),
        ({"through": LIMITS, "root": NEVER}, LEVELS),
        ({"through": BUBBLEWRAP}, (BUBBLEWRAP,)),
        ({"levels": (NONE, LIMITS)}, (LIMITS,)),
    ],
)
def test_levels_that_tell_most(changes: dict[str, Any], expected: tuple[str, ...]) -> None:
    row = Row("x", "f.py", "bot")._replace(**changes)
    assert telling_levels(row, LEVELS, ROOT_USER) == expected


# Judging


@pytest.fixture
def canaries() -> Iterator[Canaries]:
    with Canaries() as laid_out:
        yield laid_out


def result(scores: tuple[int, ...] | None = (5, 7), *faults: Fault) -> GameResult:
    spec = GameSpec("g/1:0", "b", "d", 0, ("bad", "good"))
    ended = Termination.COMPLETED if scores else Termination.FORFEITED
    return GameResult(spec, ended, (2, 1), 9, "digest", scores, faults)


QUIET = Row("t", "f.py", "bot")
RAID = Row("x", "f.py", "bot", through=LIMITS)
CRASHED = result(None, Fault(0, FaultKind.CRASH, 3, "gone"))


@pytest.mark.parametrize(
    ("row", "level", "match", "traces", "watched", "surprises"),
    [
        (QUIET, NONE, Match("ok", "", result(), (), "", 0.1), (), (), []),
        (QUIET, NONE, Match("void", "", None, (), "machine", 0.1), (), (), ["verdict void"]),
        (QUIET, NONE, Match("crash", "", CRASHED, (), "gone", 0.1), (), (), ["verdict crash"]),
        (
            QUIET._replace(verdict="crash"),
            NONE,
            Match("crash", "", CRASHED, (), "gone", 0.1),
            (),
            (),
            [],
        ),
        (
            QUIET._replace(verdict="crash"),
            NONE,
            Match("ok", "", result(), (), "", 0.1),
            (),
            (),
            ["verdict ok"],
        ),
        (
            QUIET,
            NONE,
            Match("ok", "", result((5, 8)), (), "", 0.1),
            (),
            (),
            ["completed with (5, 8)"],
        ),
        (
            QUIET,
            NONE,
            Match("ok", "", result(), ("timeout of seat 1",), "", 0.1),
            (),
            (),
            ["an honest bot"],
        ),
        (QUIET, NONE, Match("ok", "", result(), (), "", 0.1), (), ("left over: 7",), ["left over"]),
        (QUIET, NONE, Match("ok", "", result(), (), "", 0.1), ("/tmp/x",), (), ["touched"]),
        (QUIET, NONE, Match("ok", "ATTACK ok", result(), (), "", 0.1), (), (), []),
        (RAID, NONE, Match("ok", "ATTACK ok got it", result(), (), "", 0.1), (), (), []),
        (
            RAID,
            NONE,
            Match("ok", "ATTACK blocked EPERM", result(), (), "", 0.1),
            (),
            (),
            ["attack"],
        ),
        (RAID, NONE, Match("ok", "", result(), (), "", 0.1), (), (), ["attack: not made"]),
        (RAID, LANDLOCK, Match("ok", "ATTACK ok got", result(), (), "", 0.1), (), (), ["attack"]),
        (RAID, LANDLOCK, Match("ok", "ATTACK blocked E", result(), (), "", 0.1), (), (), []),
        (
            RAID,
            LANDLOCK,
            Match("ok", "ATTACK blocked SECRET", result(), (), "", 0.1),
            ("udp listener",),
            (),
            ["touched", "reported"],
        ),
        (
            RAID._replace(seen=True),
            LANDLOCK,
            Match("ok", "ATTACK ok wrote it", result(), (), "", 0.1),
            (),
            (),
            [],
        ),
    ],
)
def test_what_surprises(row, level, match, traces, watched, surprises, canaries) -> None:
    match = match._replace(said=match.said.replace("SECRET", canaries.secret))
    found = judge(row, level, match, result(), traces, watched, canaries, SOMEBODY).surprises
    assert len(found) == len(surprises), found
    assert all(each.startswith(start) for each, start in zip(found, surprises, strict=True)), found


# Looking


def test_what_was_touched_is_found_once(canaries: Canaries) -> None:
    targets = canaries.targets(Limits())
    assert canaries.traces() == set()
    with socket.create_connection(("127.0.0.1", targets["tcp"])):
        pass
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.sendto(b"x", ("127.0.0.1", targets["udp"]))
    for address in (targets["unix"], f"\0{targets['abstract']}"):
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(address)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
        sender.sendto(b"x", targets["letters"])
    left = Path("/tmp", targets["mark"])
    left.write_text("for the next one")
    Path(targets["run_folder"], "run.json").write_text("mine")
    Path(targets["shelf"], "book").write_text("mine")
    listeners = {f"{name} listener" for name in ("tcp", "udp", "unix", "abstract", "letter")}
    assert canaries.traces() == {*listeners, str(left), "run folder", "shelf"}
    assert canaries.traces() == set()
    assert not left.exists()


@pytest.mark.usefixtures("leaves_nothing")
def test_what_a_worker_is_left_with_is_found(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("tests.hostile.watch._PATIENCE", 0.2)
    orphans.adopt_orphans()
    with subprocess.Popen(["sleep", "600"]) as worker:
        watch = Watch(worker.pid, tmp_path, "no such mark")
        assert watch.surprises() == []
        (tmp_path / "left").touch()
        os.setpriority(os.PRIO_PROCESS, worker.pid, 3)
        stray = subprocess.Popen(["sleep", "600"])
        found = watch.surprises()
        assert stray.wait() == -9
        assert [each.partition(":")[0] for each in found] == ["left over", "priority", "workspace"]
        assert watch.surprises() == []
        worker.kill()
    assert watch.surprises() == ["the worker is gone"]


QUIET = {"pipe": 10, "file": "a", "always": 1}


def test_a_census_tells_what_changed_only_while_another_acted() -> None:
    one, two = QUIET, QUIET | {"pipe": 12, "always": 2}
    three, four = (
        QUIET | {"pipe": 400, "file": "b", "always": 3},
        QUIET | {"pipe": 402, "file": "b"},
    )
    assert set(changed(one, two, three, four | {"always": 4})) == {"pipe", "file"}


def test_a_census_says_nothing_of_what_changes_by_itself() -> None:
    told = [QUIET | {"pipe": 100 * time, "file": str(time)} for time in range(4)]
    assert not set(changed(*told))
