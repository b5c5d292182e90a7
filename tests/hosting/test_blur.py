from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from arena.hosting import blur
from arena.hosting.isolation import Launch, Level
from arena.hosting.process import BotProcess
from arena.hosting.yard import Yard
from tests.hosting.bots import MACHINE, finished


def number() -> int:
    reading, writing = os.pipe()
    try:
        return os.fstat(reading).st_ino
    finally:
        os.close(reading)
        os.close(writing)


def test_a_secret_amount_of_numbers_is_used_up(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted: list[int] = []

    def secret(most: int) -> int:
        wanted.append(most)
        return 1500

    monkeypatch.setattr(blur.secrets, "randbelow", secret)
    used = []
    for _ in range(3):  # on another processor the count is another one
        before = number()
        blur.numbers()
        used.append(number() - before)
    assert wanted == [blur.NUMBERS] * 3
    assert max(used) >= 1500


def test_the_amounts_differ() -> None:
    used = []
    for _ in range(8):
        before = number()
        blur.numbers()
        used.append(number() - before)
    assert len(set(used)) > 4


@pytest.mark.parametrize("level", list(Level))
def test_it_is_done_for_sandboxes(
    level: Level, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    MACHINE.require(level)
    done: list[None] = []
    monkeypatch.setattr(blur, "numbers", lambda: done.append(None))
    yard = Yard.create()
    try:
        place = str(yard.snapshot("bot", tmp_path))
        command = (sys.executable, "-S", "-c", "print('ready')")
        assert finished(BotProcess(Launch(command, place, level=level, copied=True), yard)) == (
            "ready\n",
            "",
        )
    finally:
        yard.close()
    assert len(done) == level.at_least(Level.LANDLOCK)
