"""Real bots that decide at once: the referee waits once, and each for its own time."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from arena.games.registry import built
from arena.hosting.process import BotProcess
from arena.hosting.sandbox.isolation import Launch
from arena.referee.channel import PipeChannel
from arena.referee.compiled import CompiledChannel, Exchange
from arena.referee.play import play_game
from arena.referee.wire import RecordingChannel
from arena.values.results import FaultKind, GameDone, TimeControl
from tests.referee.processes import AMPLE, seated
from tests.referee.scripted import SECRET, terms
from tests.simultaneous.test_referee import GAMES
from tests.toy import toy_spec

pytestmark = [pytest.mark.process]

BOT = """
import json, os, sys, time
how, seats, folder = sys.argv[1], int(sys.argv[2]), sys.argv[3]
asked = 0
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "start":
        seat = message["seat"]
    if message["type"] == "hello":
        print(json.dumps({"type": "ready", "protocol": 1}), flush=True)
    if message["type"] == "act":
        asked += 1
        if how == "meets":  # answers when all others have been asked
            open(f"{folder}/{asked}-{seat}", "w").close()
            while not all(os.path.exists(f"{folder}/{asked}-{each}") for each in range(seats)):
                time.sleep(0.002)
        if how == "sleeps":
            time.sleep(0.6)
        if how == "ends":
            sys.exit(3)
        answer = json.dumps({"type": "action", "id": message["id"], "action": 0}) + "\\n"
        if how == "trickles":
            for part in answer:
                sys.stdout.write(part)
                sys.stdout.flush()
                time.sleep(0.005)
        elif how == "writes a lot":
            sys.stderr.write("x" * 1_000_000)
            sys.stderr.flush()
            print(answer, end="", flush=True)
        elif how == "floods":
            print("x" * 200_000, flush=True)
        elif how == "dawdles":
            print(end=" ", flush=True)
            time.sleep(60)
        else:
            print(answer, end="", flush=True)
"""


@contextmanager
def started(how: str, seats: int, folder: Path, kind: type[PipeChannel]) -> Iterator[PipeChannel]:
    command = (sys.executable, "-S", "-c", BOT, how, str(seats), str(folder))
    channel = kind(BotProcess(Launch(command, "/")), 65536, 65536, pondering=seats == 4)
    try:
        yield channel
    finally:
        channel.close()


def play(hows: list[str], folder: Path, kind: Any, move: float = AMPLE) -> GameDone:
    seats = len(hows)
    with ExitStack() as stack:
        channels = [stack.enter_context(started(how, seats, folder, kind)) for how in hows]
        if kind is PipeChannel:
            channels[0] = RecordingChannel(channels[0], 65536)  # type: ignore[assignment]  # a wrapper, which is asked alike
        control = TimeControl(move=move)
        players = [seated(channel, TimeControl(startup=AMPLE)) for channel in channels]
        rules: Any = built(GAMES["goofspiel"], seats, {"cards": 2})
        return play_game(rules, players, toy_spec(seats), SECRET, terms(seats, control=control))


KINDS = [
    PipeChannel,
    pytest.param(CompiledChannel, marks=pytest.mark.skipif(not Exchange, reason="not compiled")),
]


@pytest.mark.parametrize("kind", KINDS)
def test_bots_are_asked_before_any_of_them_has_answered(kind: Any, tmp_path: Path) -> None:
    for seats in (3, 4):  # three are stopped while they are not asked
        folder = tmp_path / str(seats)
        folder.mkdir()
        assert play(["meets"] * seats, folder, kind).result.faults == ()


@pytest.mark.parametrize("kind", KINDS)
def test_nobody_is_blamed_or_charged_for_another(kind: Any, tmp_path: Path) -> None:
    hows = ["sleeps", "answers", "trickles", "writes a lot"]
    think = play(hows, tmp_path, kind).result.think_us
    assert think[1] < think[0] > think[2]
    found: Mapping[str, FaultKind] = {
        "dawdles": FaultKind.TIMEOUT,
        "ends": FaultKind.CRASH,
        "floods": FaultKind.OVERFLOW,
    }
    played = play(["dawdles", "answers", "ends", "floods"], tmp_path, kind, move=1.0)
    assert [(each.seat, each.kind) for each in played.result.faults] == [
        (seat, found[how]) for seat, how in enumerate(["dawdles", "", "ends", "floods"]) if how
    ]
