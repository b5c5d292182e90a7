"""The searching bots keep to the clock, measured in moves of the rules and not in time."""

from __future__ import annotations

import gc
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from arena.games.registry import make_rules, rules_spec
from tests.games.games import OWN
from tests.sample_games import Sample, heard

BOTS: Final = Path(__file__).parents[2] / "bots"
MOVE: Final = 0.1
"""Seconds for an answer."""
APPLY: Final = 0.0002
"""Seconds on the fake clock that one call of ``apply`` takes."""
ANSWERS: Final = 8
"""Questions of each game that are put to the bot."""


class Clock:
    """A clock that moves only when told to."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.asked = 0.0
        self.slowest = 0.0
        self.answers = 0

    def lines(self, lines: list[bytes]) -> Iterator[str]:
        """Give the lines to the bot; a question starts the clock of its answer."""
        for line in lines:
            self.asked = self.now
            yield line.decode()

    def write(self, text: str) -> None:
        """Take what the bot sends, and note how long it took."""
        if '"action"' in text:
            self.answers += 1
            self.slowest = max(self.slowest, self.now - self.asked)

    def flush(self) -> None:
        """Do nothing."""


LOADED_LATE: Final = """
import runpy, sys
folder, lines = sys.argv[1], sys.argv[2].splitlines()
before = set()

def feed():
    for line in lines:
        if '"type":"start"' in line and not before:
            before.update(sys.modules)
        yield line

sys.path.insert(0, folder)
sys.stdin = feed()
runpy.run_path(f"{folder}/main.py", run_name="__main__")
print(*sorted(sys.modules.keys() - before), file=sys.stderr)
"""
"""Runs a bot, and then names the modules that it imported after it was ready."""


@pytest.mark.process
@pytest.mark.parametrize("name", ["ismcts", "sampler"])
def test_a_search_loads_all_that_it_needs_before_it_is_ready(name: str) -> None:
    lines = b"\n".join(questions("dragonrealm")[:6]).decode()
    command = [sys.executable, "-c", LOADED_LATE, str(BOTS / name), lines]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr.split()) == (0, [])


def questions(game: str) -> list[bytes]:
    """Return what a bot in seat 0 is sent in two games, with ``MOVE`` seconds for an answer."""
    lines: list[bytes] = []
    asked = 0
    for line in heard(game, Sample(2, 2)):
        message = msgspec.json.decode(line)
        if message["type"] == "start":
            message["clock"]["move"] = MOVE
            asked = 0
        if message["type"] == "act":
            message["time_left"] = MOVE
            asked += 1
            if asked > ANSWERS:
                continue
        lines.append(msgspec.json.encode(message))
        if message["type"] == "bye":
            break
    return lines


def program(name: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return the main module of a bot."""
    monkeypatch.syspath_prepend(BOTS / name)
    for own in (BOTS / name).glob("*.py"):
        monkeypatch.delitem(sys.modules, own.stem, raising=False)
    spec = spec_from_file_location(f"{name}_main", BOTS / name / "main.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
@pytest.mark.parametrize("game", OWN)
@pytest.mark.parametrize("name", ["ismcts", "sampler"])
def test_a_search_stops_in_time_and_starts_a_game_at_no_cost(name, game, monkeypatch) -> None:
    clock, lines, passes = Clock(), questions(game), list[int]()
    kind = type(make_rules(rules_spec(game, 2)))
    apply = kind.apply

    def slow(*arguments: Any) -> Any:
        clock.now += APPLY
        return apply(*arguments)

    def collected(phase: str, info: dict[str, int]) -> None:
        passes.append(info["generation"])

    monkeypatch.setattr(sys, "stdin", clock.lines(lines))
    bot = program(name, monkeypatch)
    monkeypatch.setattr(kind, "apply", slow)
    monkeypatch.setattr(time, "monotonic", lambda: clock.now)
    monkeypatch.setattr(sys, "stdout", clock)
    gc.collect()
    gc.callbacks.append(collected)
    try:
        bot.main()
    finally:
        gc.callbacks.remove(collected)
        gc.enable()
    assert clock.answers == sum(b'"act"' in line for line in lines)
    assert MOVE / 4 < clock.slowest < 0.9 * MOVE
    if name == "ismcts":
        assert passes == [], "a pass of the garbage collector is on the clock"
        assert gc.collect() < 1000, "without the collector, cycles would be kept for ever"
