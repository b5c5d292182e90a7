"""A replay on a terminal as time goes by: playing, waiting, keys; the terminal left as it was."""

from __future__ import annotations

import fcntl
import os
import pty
import signal
import struct
import sys
import termios
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from arena.extensions.browser.terminal import screen as module
from arena.extensions.browser.terminal.screen import Screen, Stepping, split_keys
from arena.extensions.browser.terminal.stepper import Stepper
from tests.views.game.replays import record_of, replay_of, rules_of
from tests.views.game.terminals import ENTER, LEAVE, Terminal, terminal


@pytest.fixture
def keyboard(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """Where keys for a terminal are written that is standard input and output."""
    ours, theirs = pty.openpty()
    with open(theirs, "r+b", buffering=0) as both:
        monkeypatch.setattr(sys, "stdin", both)
        monkeypatch.setattr(sys, "stdout", both)
        yield ours
        monkeypatch.undo()
    os.close(ours)


def test_keys_and_the_lack_of_them(keyboard: int) -> None:
    with Screen() as screen:
        presses = screen.presses(lambda: 0.001)
        assert next(presses) == []
        os.write(keyboard, b"q")
        assert next(presses) == [b"q"]


def test_escape_alone_is_a_key_and_the_beginning_of_one_is_none(keyboard: int) -> None:
    with Screen() as screen:
        presses = screen.presses(lambda: None)
        os.write(keyboard, b"\x1b")
        assert next(presses) == []  # it may go on
        assert next(presses) == [b"\x1b"]
        os.write(keyboard, b"\x1b[")
        assert next(presses) == []
        os.write(keyboard, b"C")
        assert next(presses) == [b"\x1b[C"]


def test_how_long_to_wait_is_asked_each_time(keyboard: int) -> None:
    waits = [0.001, 0.002]
    with Screen() as screen:
        presses = screen.presses(lambda: waits.pop() if waits else None)
        assert [next(presses), next(presses), waits] == [[], [], []]
        os.write(keyboard, b"x")
        assert next(presses) == [b"x"]


class Time:
    """A clock that is set by hand."""

    now = 100.0

    def monotonic(self) -> float:
        return self.now


def test_plies_follow_each_other_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    hand = Time()
    monkeypatch.setattr(module, "time", hand)
    rules = rules_of()
    stepping = Stepping(Stepper.begin(replay_of(rules, record_of(rules)), None))

    def after(key: bytes = b"", seconds: float = 0.0) -> tuple[int, float | None]:
        hand.now += seconds
        if key:
            stepping.press(key, 80, 24)
        stepping.tick()
        return stepping.stepper.position, stepping.wait()

    assert after() == (3, None)
    assert after(b" ") == (3, 1.0)
    assert after(seconds=0.75) == (3, 0.25)
    assert after(seconds=0.25) == (4, 1.0)
    assert after(b"+") == (4, 0.5)
    assert after(seconds=1000) == (5, 0.5)  # a machine that slept makes up for nothing
    assert after(b" ") == (5, None)


@pytest.mark.process
def test_a_game_plays_by_itself(made: Path) -> None:
    with terminal("replay", made, "1") as shown:
        shown.until(b"q quit")
        shown.press(b"+++ ")
        assert b"playing 8/s" in shown.until(b">    4  ")
        shown.press(b"q")
        shown.until(LEAVE)
        assert shown.process.wait(60) == 0


@pytest.mark.parametrize(
    ("data", "keys", "rest"),
    [
        (b"nq", [b"n", b"q"], b""),
        (b"\x1b[C\x1bOD\x1b[1~n", [b"\x1b[C", b"\x1bOD", b"\x1b[1~", b"n"], b""),
        (b"n\x1b[1", [b"n"], b"\x1b[1"),
        (b"\x1b", [], b"\x1b"),
        (b"\x1bO", [], b"\x1bO"),
        (b"\x1bq", [b"\x1b", b"q"], b""),
        (b"\x1b\x1b[C", [b"\x1b", b"\x1b[C"], b""),
        (b"\xc3\xa9", [b"\xc3", b"\xa9"], b""),
    ],
)
def test_keys_in_what_a_terminal_sends(data, keys, rest):
    assert split_keys(data) == (keys, rest)


ENDINGS: dict[str, tuple[Callable[[Terminal], None], int]] = {
    "q": (lambda shown: shown.press(b"q"), 0),
    "SIGINT": (lambda shown: shown.process.send_signal(signal.SIGINT), 130),
    "SIGTERM": (lambda shown: shown.process.send_signal(signal.SIGTERM), 130),
    "SIGHUP": (lambda shown: shown.process.send_signal(signal.SIGHUP), 130),
}


@pytest.mark.process
@pytest.mark.slow
@pytest.mark.parametrize("ending", ENDINGS)
def test_the_terminal_is_put_back(made, ending):
    end, code = ENDINGS[ending]
    with terminal("replay", made, "1") as shown:
        before = termios.tcgetattr(shown.theirs)
        assert ENTER in shown.until(b"q quit")
        assert termios.tcgetattr(shown.theirs) != before
        end(shown)
        shown.until(LEAVE)
        assert shown.process.wait(60) == code
        assert termios.tcgetattr(shown.theirs) == before


@pytest.mark.process
def test_keys_on_a_terminal(made):
    with terminal("replay", made, "1", "--seat", "0") as shown:
        assert b"what seat 0 (greedy) saw" in shown.until(b"q quit")
        shown.press(b"\x1b[C")
        assert b">    3  " in shown.until(b"q quit")
        shown.press(b"20G")
        shown.until(b"over: 1. random, 2. greedy")
        fcntl.ioctl(shown.ours, termios.TIOCSWINSZ, struct.pack("HHHH", 18, 60, 0, 0))
        shown.process.send_signal(signal.SIGWINCH)
        shown.until(b"the window is 60x18")
        shown.press(b"q")
        shown.until(LEAVE)
        assert shown.process.wait(60) == 0


@pytest.mark.process
def test_suspended_and_gone_on_with(made):
    with terminal("replay", made, "1") as shown:
        before = termios.tcgetattr(shown.theirs)
        shown.until(b"q quit")
        shown.process.send_signal(signal.SIGTSTP)
        shown.until(LEAVE)
        _, status = os.waitpid(shown.process.pid, os.WUNTRACED)
        assert os.WIFSTOPPED(status)
        assert termios.tcgetattr(shown.theirs) == before
        shown.process.send_signal(signal.SIGCONT)
        assert ENTER in shown.until(b"q quit")
