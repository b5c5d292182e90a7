"""The terminal is closed while a command works: what plays goes on, what shows ends quietly."""

from __future__ import annotations

import fcntl
import os
import pty
import signal
import subprocess
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cli import shell
from tests.rows import some

pytestmark = [pytest.mark.slow, pytest.mark.process]

SLOW = shell.BOT.replace("action =", "__import__('time').sleep(0.002); action =")


def _sit_down() -> None:
    """In the child: standard input is the terminal that sends signals."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


@contextmanager
def at_terminal(
    folder: Path, *args: str | Path, hears: bool = True, out: int | None = None
) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """A command with its terminal. ``hears``: whether it also gets the signal of its closing."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        shell.command(*args), cwd=folder, env=shell.environment(TERM="xterm"), stdin=theirs,
        stdout=theirs if out is None else out, stderr=theirs, start_new_session=True,
        preexec_fn=_sit_down if hears else None,
    )  # fmt: skip
    os.close(theirs)
    try:
        yield process, ours
    finally:
        process.kill()
        process.wait()


def slow_tournament(folder: Path, deals: int = 3) -> Path:
    return shell.tournament(folder, deals=deals, bots={"anna": SLOW, "berta": SLOW})


def crashes(folder: Path) -> list[Path]:
    return list(folder.glob("arena-crash-*"))


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a command would describe its own failure."""
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    return tmp_path


@pytest.mark.parametrize("hears", [False, True], ids=["writing fails", "and there is a signal"])
@pytest.mark.parametrize(
    "words", some([(), ("-v",), ("-q",), ("--json",)], every=2, alone=True), ids=str
)
def test_a_run_goes_on_without_its_terminal(place, words, hears) -> None:
    path = slow_tournament(place)
    games = place / "runs/cup/games.jsonl"
    with at_terminal(place, "run", path, *words, hears=hears) as (process, terminal):
        shell.wait_for_lines(games)
        os.close(terminal)
        assert process.wait(60) == 0
    assert crashes(place / "tmp") == []
    assert shell.arena(place, "verify", "runs/cup").out.startswith("6 of 6 games verified")
    assert (place / "runs/cup/standings.txt").exists()


def test_a_run_whose_table_goes_elsewhere(place: Path) -> None:
    path = slow_tournament(place)
    with (place / "table").open("wb") as table:
        opened = at_terminal(place, "run", path, out=table.fileno())
        with opened as (process, terminal):
            shell.wait_for_lines(place / "runs/cup/games.jsonl")
            os.close(terminal)
            assert process.wait(60) == 0
    assert "anna" in (place / "table").read_text()


def test_a_closed_terminal_does_not_change_the_exit_code(place: Path) -> None:
    bots = {"anna": SLOW, "berta": "raise SystemExit(1)"}
    path = shell.tournament(place, deals=15, bots=bots)
    with at_terminal(place, "run", path) as (process, terminal):
        shell.wait_until((place / "runs/cup/run.json").exists)
        os.close(terminal)
        assert process.wait(60) == shell.arena(place, "run", path).code == 4


def test_a_terminal_closed_before_the_first_game(place: Path) -> None:
    path = slow_tournament(place, deals=2)
    with at_terminal(place, "run", path) as (process, terminal):
        shell.wait_until((place / "runs/cup").exists)
        os.close(terminal)
        assert process.wait(60) == 0
    assert shell.arena(place, "verify", "runs/cup").code == 0


def test_an_interrupt_still_ends_a_run_without_a_terminal(place: Path) -> None:
    path = slow_tournament(place, deals=10_000)
    with at_terminal(place, "run", path) as (process, terminal):
        shell.wait_for_lines(place / "runs/cup/games.jsonl")
        os.close(terminal)
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
    assert crashes(place / "tmp") == []


def test_a_match_goes_on_without_its_terminal(place: Path) -> None:
    slow_tournament(place)
    words = ("compare", "-g", "dragonheart", "anna", "berta", "--max-games", "6", "--badge", "b")
    with at_terminal(place, *words) as (process, terminal):
        shell.wait_until(lambda: list(place.glob("runs/*/games.jsonl")))
        os.close(terminal)
        assert process.wait(100) == 3
    assert (crashes(place / "tmp"), (place / "b").exists()) == ([], True)


@pytest.mark.parametrize("words", [("replay", "runs/cup", "1"), ("watch", "runs/cup")], ids=str)
def test_what_shows_ends_quietly(place: Path, words: tuple[str, ...]) -> None:
    assert shell.arena(place, "run", shell.tournament(place, deals=1), "-q").code == 0
    with at_terminal(place, *words) as (process, terminal):
        assert os.read(terminal, 1)
        os.close(terminal)
        assert process.wait(60) in (0, 130)
    assert crashes(place / "tmp") == []


@pytest.mark.parametrize("hears", [False, True])
def test_a_person_who_leaves_the_table_by_closing_the_window(place: Path, hears: bool) -> None:
    shell.bot(place, "anna")
    words = ("play", "dragonheart", "anna")
    with at_terminal(place, *words, hears=hears) as (process, terminal):
        assert os.read(terminal, 1)
        time.sleep(1)
        os.close(terminal)
        assert process.wait(60) in (0, 130)
    assert crashes(place / "tmp") == []
