"""A bot that is silent is told the same cause and advice by ``arena try`` and ``arena check``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from arena.extensions.authors.bots import Setting, find_bot
from arena.extensions.authors.check import bench
from arena.extensions.authors.check.check import check
from arena.extensions.authors.check.finding import Name
from arena.extensions.authors.check.table import BUILT_ON
from arena.extensions.authors.trial.listening import Diagnosis, Event
from arena.extensions.authors.trial.trial import TrialGame, try_game
from arena.games.registry import rules_spec
from arena.hosting.sandbox.isolation import Isolation, Level
from arena.referee.channel import PipeChannel, Reply, Silence
from arena.values.results import Limits, TimeControl
from tests.rows import some

pytestmark = [
    pytest.mark.slow,
    pytest.mark.process,
    pytest.mark.usefixtures("spared", "leaves_nothing"),
]

SETTING: Final = Setting(TimeControl(move=1.0, startup=10.0))
BOT: Final = """import json, os, subprocess, sys, threading, time
def send(**message):
    print(json.dumps(message), flush=True)
def read():
    return sys.stdin.readline()
kept = []
while line := read():
    message = json.loads(line)
    if message["type"] == "hello":
        send(type="ready", protocol=1)
    elif message["type"] == "act":
        answer = {"type": "action", "id": message["id"], "action": 0}
        CODE
"""


class Way(NamedTuple):
    """A way of giving no answer."""

    title: str
    code: str
    name: Name
    what: str
    """Part of what is found."""
    mend: str
    """Part of the advice."""


WAYS: Final = (
    Way("no flush", "print(json.dumps(answer))", Name.NO_FLUSH, "all answers together", "flush"),
    Way("no line end", "print(json.dumps(answer), end='', flush=True)", Name.NO_LINE_END,
        "no line end", "line feed"),
    Way("blank lines", "print('\\n' * 9, flush=True)", Name.SILENT, "only blank lines",
        "blank lines are passed over"),
    Way("blank lines without end", "while True: print(flush=True)", Name.SILENT,
        "only blank lines", "blank lines are passed over"),
    Way("input()", "input(); send(**answer)", Name.WANTS_INPUT, "one more line", "input()"),
    Way("one answer late", "kept.append(answer); kept[1:] and send(**kept.pop(0))",
        Name.WANTS_INPUT, "one more line", "answer each act at once"),
    Way("sleeps", "time.sleep(2); send(**answer)", Name.WAITS, "it waits or sleeps; an answer came",
        "what it waits for: a sleep"),
    Way("sleeps for long", "time.sleep(99); send(**answer)", Name.WAITS,
        "no answer after 4 s, and used no processor time", "a lock"),
    Way("deadlock", "lock = threading.Lock(); lock.acquire(); lock.acquire()", Name.WAITS,
        "it waits or sleeps", "a lock"),
    Way("child that waits", "subprocess.run(['sleep', '99'])", Name.WAITS, "it waits or sleeps",
        "a child"),
    Way("computes too long", "begun = time.process_time()\n"
        "        while time.process_time() < begun + 2: pass\n        send(**answer)",
        Name.TOO_SLOW, "an answer came later", "time_left"),
    Way("loop", "while True: pass", Name.TOO_SLOW, "perhaps an endless loop", "a loop"),
    Way("loop in a child", "subprocess.run([sys.executable, '-c', 'while 1: pass'])", Name.TOO_SLOW,
        "perhaps an endless loop", "a loop"),
    Way("reads to the end", "sys.stdin.read(); send(**answer)", Name.READS_TO_END,
        "once its input had ended", "line by line"),
    Way("closes standard output", "os.close(1)", Name.SILENT, "it has closed its standard output",
        "to standard output"),
    Way("standard error", "print(json.dumps(answer), file=sys.stderr, flush=True)", Name.SILENT,
        "one to standard error", "to standard output"),
    Way("thinks only", "pass", Name.SILENT, "it wrote no line within 1 s", "for every act"),
    Way("thread with an error", "kept or kept.append(0) or threading.Thread(target=int, args="
        "('x',)).start()", Name.CRASH, "ran on after an error", "error above"),
    Way("half a surrogate pair", "answer['info'] = '\\ud800'; send(**answer)", Name.MALFORMED,
        "half of a surrogate pair", "surrogate"),
    Way("latin-1", "answer['info'] = 'ä'; os.write(1, json.dumps(answer, ensure_ascii=False)"
        ".encode('latin-1') + b'\\n')", Name.NOT_UTF_8, "", "UTF-8"),
    Way("utf-16", "os.write(1, json.dumps(answer).encode('utf-16') + b'\\n')", Name.NOT_UTF_8, "",
        "UTF-8"),
)  # fmt: skip


SWARM: Final = """if not kept:
            kept += [subprocess.Popen(["sleep", "99"]) for _ in range(2 * os.cpu_count() + 24)]
        time.sleep(WAIT); send(**answer)"""


def swarm(folder: Path, wait: float) -> str:
    (folder / "bot.yaml").write_text("bot: 1\nname: swarm\ncommand: [python3, main.py]\n")
    code = SWARM.replace("WAIT", str(wait))
    (folder / "main.py").write_text(BOT.replace("CODE", code))
    return str(folder)


@pytest.mark.parametrize("why", ["silent", "starved", "slow"])
def test_what_its_own_processes_take_is_not_taken_by_the_machine(
    why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if why == "starved":
        waited = PipeChannel._wait

        def wait(*args: Any) -> Reply:
            reply = waited(*args)
            return Silence.STARVED if reply is Silence.TIMED_OUT else reply

        monkeypatch.setattr(PipeChannel, "_wait", wait)
    elif why == "slow":
        monkeypatch.setattr(bench, "_SWARM_SECONDS", 0.0)
    folder = swarm(tmp_path, 0.2 if why == "slow" else 99)
    setting = SETTING._replace(limits=Limits(processes=4 * (os.cpu_count() or 1) + 64))
    tables = [rules_spec("dragonheart")]
    report = check(folder, Level.LIMITS, setting=setting, tables=tables, cases=BUILT_ON)
    (found,) = report.findings
    assert (found.name, report.passed) == (Name.PROCESSES, False)
    assert "many processes of its own held it up" in found.what
    assert "a loop that starts processes" in found.mend


@pytest.mark.soak
@pytest.mark.parametrize(
    "way", some(WAYS, every=4, alone=True), ids=lambda way: way.title.replace(" ", "_")
)
def test_both_name_the_same_cause_and_advice(way: Way, tmp_path: Path) -> None:
    (tmp_path / "bot.yaml").write_text("bot: 1\nname: silent\ncommand: [python3, main.py]\n")
    (tmp_path / "main.py").write_text(BOT.replace("CODE", way.code), "utf-8")
    events: list[Event] = []
    game = TrialGame(rules_spec("dragonheart"), 0, 0)
    try_game(find_bot(str(tmp_path), Isolation.LIMITS), game, SETTING, events.append)
    (tried,) = (each for each in events if isinstance(each, Diagnosis))
    report = check(
        str(tmp_path), Level.LIMITS, setting=SETTING, tables=[game.rules], cases=BUILT_ON
    )
    (found,) = report.findings
    assert (tried.name, tried.what, tried.mend) == (found.name, found.what, found.mend)
    assert tried.name is way.name, tried
    assert way.what in tried.what
    assert way.mend in tried.mend
