"""A program of the organiser gets what happens in a ladder."""

from __future__ import annotations

import errno
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import IO, Any, Final

import pytest

from arena.extensions.browser.site.feed import entries, entry_id
from arena.extensions.browser.site.model import Site
from arena.extensions.ladder import bounded, notify
from arena.extensions.ladder.file import load_ladder
from arena.runs.growth.rulings import RunRuling, Verb
from arena.runs.reader import with_authors
from arena.tournament.run import rule
from arena.values.problems import ConfigError
from tests.extensions.ladder.ladders import World, made, of_two, submit

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("leaves_nothing")]

ROOT: Final = Path(__file__).parents[3]
KEEPS: Final = "notify: {command: [sh, -c, 'cat >> events']}"


def offered(world: World) -> list[dict[str, Any]]:
    path = world.folder / "events"
    return [*map(json.loads, path.read_text().splitlines())] if path.exists() else []


def in_feed(world: World) -> list[str]:
    """Ids of the entries of the feed, oldest first."""
    site = Site(with_authors(world.folder / "run"), extremes=0, costs=False, known=())
    return [entry_id(site, each.key) for each in reversed(entries(site))]


def test_what_the_book_and_the_feed_say_is_offered_once(tmp_path: Path) -> None:
    world = of_two(tmp_path, KEEPS)
    world.unfit["anna.x"] = ["it crashes\nin line 2"]
    world.keep(rounds=2)
    found = offered(world)
    kinds = [each["kind"] for each in found]
    assert sorted(kinds[:2]) == ["admitted", "refused"]
    assert kinds[2] == "begin"
    assert kinds.count("over") == 2
    (refused,) = (each for each in found if each["kind"] == "refused")
    assert refused["schema"] == "arena.event/1"
    assert (refused["title"], refused["author"]) == ("anna.x is refused", "anna")
    assert refused["text"] == "it crashes\nin line 2"
    assert [each["id"] for each in found[2:]] == in_feed(world)
    comment = RunRuling(verb=Verb.COMMENT, author="jury", reason="a protest was rejected")
    rule(world.folder / "run", comment)
    (world.folder / "submissions/anna/x/notes").unlink()
    world.unfit.clear()
    world.keep(rounds=1)
    new = offered(world)[len(found) :]
    assert new[0]["kind"] == "admitted"
    (ruling,) = (each for each in new if each["kind"] == "ruling")
    assert ruling["text"].endswith("by jury: a protest was rejected")
    ids = [each["id"] for each in offered(world)]
    assert len(set(ids)) == len(ids)
    world.keep(rounds=1)
    assert len({each["id"] for each in offered(world)}) == len(offered(world))


@pytest.mark.slow
def test_a_program_that_hangs_holds_up_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notify, "SECONDS", 0.3)
    monkeypatch.setattr(notify, "_LAST", 1.0)
    monkeypatch.setattr(notify, "_MOST", 3)
    hangs = "notify: {command: [sh, -c, 'echo $$ >> pids; ls -l /proc/self/fd > fds; sleep 999']}"
    world = of_two(tmp_path, hangs)
    began = time.monotonic()
    assert world.keep(rounds=3) == "ROUND"
    assert time.monotonic() - began < 30
    warnings = [line for line in world.said if "warning: notify" in line]
    assert "warning: notify: anna.x is admitted: no end within 0.3 s (1 failure)" in warnings
    assert "warning: notify: 1 event left out: too many wait" in warnings
    for pid in (world.folder / "pids").read_text().split():
        assert not Path(f"/proc/{pid}").exists()
    handles = [line for line in (world.folder / "fds").read_text().splitlines() if "->" in line]
    assert len(handles) <= 4, "0, 1, 2 and the folder that ls reads"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("[./missing]", "./missing cannot be started: No such file or directory"),
        ("[/]", "/ cannot be started: Permission denied"),
        ("['false']", "ended with status 1"),
    ],
)
def test_a_program_that_fails_is_one_line_now_and_then(
    tmp_path: Path, command: str, why: str
) -> None:
    world = of_two(tmp_path, f"notify: {{command: {command}}}")
    assert world.keep(rounds=3) == "ROUND"
    said = [line for line in world.said if "warning: notify" in line]
    assert [line.rpartition(": ")[2] for line in said][:2] == [
        f"{why.rpartition(': ')[2]} (1 failure)",
        f"{why.rpartition(': ')[2]} (2 failures)",
    ]
    assert why in said[0]
    assert len(said) <= 4


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_nobody_waits_for_a_program_of_another_user_that_may_not_be_killed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As one that ``sudo`` has started."""
    pids = []

    def refuse(pid: int, _: int) -> None:
        pids.append(pid)
        raise PermissionError

    monkeypatch.setattr(bounded.os, "killpg", refuse)
    monkeypatch.setattr(bounded, "_DYING", 0.1)
    until = time.monotonic()
    assert bounded.run_bounded(["sleep", "50"], until, threading.Event()) is None
    os.kill(pids[0], signal.SIGKILL)
    os.waitpid(pids[0], 0)
    assert time.monotonic() < until + 40


def test_a_full_disk_for_temporary_files_costs_an_event_and_not_all_later_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Full(io.BytesIO):
        def seek(self, *_: object) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

    files: list[IO[bytes]] = [Full()]
    usual = tempfile.TemporaryFile
    monkeypatch.setattr(notify.tempfile, "TemporaryFile", lambda: files.pop() if files else usual())
    world = of_two(tmp_path, KEEPS)
    world.keep(rounds=1)
    assert "sh cannot be started: No space left on device (1 failure)" in str(world.said)
    assert [each["kind"] for each in offered(world)].count("over") == 1


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_each_event_is_offered_at_least_once_whatever_kills_arena(tmp_path: Path) -> None:
    """Each fourth event kills the ladder, at once after it was written down."""
    kills = (
        "notify: {command: [sh, -c, "
        "'cat >> events; test $(( $(wc -l < events) % 4 )) -ne 0 || kill -9 $PPID']}"
    )
    world = of_two(tmp_path, kills)
    submit(world.folder, "cara", "x", 900)
    script = (
        "import sys; from pathlib import Path; from tests.extensions.ladder.ladders import World\n"
        "from arena.tournament import run; run.set_damage_aside = lambda folder: 0\n"
        "World(Path(sys.argv[1])).keep(rounds=1)"
    )
    killed = 0
    for _ in range(2):
        words = [sys.executable, "-c", script, world.folder]
        while done := subprocess.run(words, cwd=ROOT, check=False).returncode:
            assert done == -signal.SIGKILL
            killed += 1
    assert killed >= 2
    ids = [each["id"] for each in offered(world)]
    assert set(in_feed(world)) <= set(ids)
    assert sum(each["kind"] == "admitted" for each in offered(world)) >= 3
    assert len(ids) - len(set(ids)) <= killed


def test_a_ladder_that_was_there_before_begins_with_what_comes(tmp_path: Path) -> None:
    world = of_two(tmp_path)
    world.keep(rounds=1)
    with (world.folder / "ladder.yaml").open("a") as file:
        file.write(KEEPS)
    world.keep(rounds=1)
    assert [each["kind"] for each in offered(world) if each["kind"] != "lead"] == ["over"]
    assert offered(world)[0]["title"] == "Round 2 has ended"


@pytest.mark.parametrize("own", ["7", "[a]", "{}", "{command: []}", "{command: a}", "{run: [a]}"])
def test_nonsense_is_refused(tmp_path: Path, own: str) -> None:
    world = made(tmp_path)
    with pytest.raises(ConfigError, match="notify"):
        load_ladder(world.folder, [f"notify={own}"])
    assert not os.path.exists(world.folder / notify.NOTIFIED)
