"""A replay on a terminal as time goes by: playing, waiting, keys that could go on."""

from __future__ import annotations

import os
import pty
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.cli.commands.look import replay as module
from arena.cli.commands.look.replay import Stepping
from arena.cli.terminal.screen import Screen
from arena.views.game.stepper import Stepper
from tests.views.game.replays import record_of, replay_of, rules_of
from tests.views.game.terminals import LEAVE, terminal


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
