"""Opponents of learners that are programs."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import arena
from tests.rows import some

pytest.importorskip("pettingzoo")
pytestmark = pytest.mark.process

BOT = """\
import json, os, sys, time

def send(**message):
    print(json.dumps(message), flush=True)

asked = 0
for line in sys.stdin:
    message = json.loads(line)
    open(LOG, "a").write(f"{message['type']} {message.get('reason', os.getpid())}\\n")
    if message["type"] == "hello":
        send(type="ready", protocol=1, name="tiny", version="1", wants=["events", "legal"])
    elif message["type"] == "act":
        asked += 1
        if asked == 3:
            WHAT
        send(type="action", id=message["id"], action=0)
    elif message["type"] == "bye":
        break
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder in which bots may write: where arena runs as root, they are somebody else."""
    with tempfile.TemporaryDirectory() as made:
        os.chmod(made, 0o777)
        yield Path(made)


def bot(folder: Path, what: str) -> Path:
    """Make a bot that does ``what`` at its third decision, and logs what it is sent."""
    home = folder / "tiny"
    home.mkdir()
    text = BOT.replace("WHAT", what).replace("LOG", repr(str(folder / "log")))
    (home / "main.py").write_text(text)
    (folder / "log").touch()
    (folder / "log").chmod(0o666)
    told = (
        f"bot: 1\nname: tiny\nprotocol: 1\nlanguage: python\ncommand: [{sys.executable}, main.py]\n"
    )
    (home / "bot.yaml").write_text(told)
    return home


def log(folder: Path) -> list[str]:
    return (folder / "log").read_text().splitlines()


def played(env: Any) -> list[Any]:
    """Play the first legal action to the end; return what the learner saw."""
    seen = []
    for _ in env.agent_iter():
        observation, reward, has_ended, _, info = env.last()
        seen.append((observation["observation"].tolist(), reward, info))
        env.step(None if has_ended else 0)
    return seen


def is_running(pid: int) -> bool:
    """Return whether a process runs still after some seconds in which it may end."""
    for _ in range(500):
        with suppress(FileNotFoundError, ProcessLookupError):
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z":
                time.sleep(0.01)
                continue
        return False
    return True


def test_a_folder_plays_as_a_function_does(folder: Path) -> None:
    asked = []

    def first(question: Any) -> int:
        asked.append(question)
        return 0

    by_function = arena.env("dragonheart", seat=1, opponents=[first])
    by_folder = arena.env("dragonheart", seat=1, opponents=[str(bot(folder, "pass"))])
    for seed in (1, None):
        for env in (by_function, by_folder):
            env.reset(seed=seed)
        assert played(by_function) == played(by_folder)
    by_folder.reset()  # a game that is given up
    by_folder.reset()
    by_folder.close()
    by_folder.close()
    kinds = [line.split()[0] for line in log(folder)]
    assert kinds.count("act") >= len(asked)
    assert [kind for kind in kinds if kind != "act"] == [
        *("hello", "start", "over", "start", "over", "start", "over", "start", "bye")
    ]
    assert [line for line in log(folder) if "over" in line][1:] == [
        "over completed",
        "over forfeited",
    ]
    assert not is_running(int(log(folder)[0].split()[1]))
    with pytest.raises(arena.Error, match="reset: the environment was closed"):
        by_folder.reset()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("what", "told"),
    [
        ("raise RuntimeError('of mine')", r"seat_1: tiny: crash: .*\n(.*\n)*.*of mine"),
        ("time.sleep(60)", "seat_1: tiny: timeout: no line within 0.3 s"),
        ("print('nonsense', flush=True)", "seat_1: tiny: malformed: "),
        ("message['id'] = '7'", "seat_1: tiny: protocol: the id is not"),
        ("os.close(1)", "seat_1: tiny: (crash|timeout): "),
    ],
)
def test_a_program_that_fails_is_one_error(folder: Path, what: str, told: str) -> None:
    home, settings = str(bot(folder, what)), ["clock.move=300 ms"]
    env: Any = arena.gym_env("dragonheart", opponents=[home], settings=settings)
    for seed in (1, 2):  # it is started again
        env.reset(seed=seed)
        with pytest.raises(arena.Error, match=told):
            [env.step(0) for _ in range(9)]
        with pytest.raises(arena.Error, match="expected a call of reset before it"):
            env.step(0)
    pids = {line.split()[1] for line in log(folder) if line.startswith("hello")}
    assert len(pids) == 2
    env.close()
    assert not any(is_running(int(pid)) for pid in pids)


def test_programs_end_with_what_uses_them(folder: Path) -> None:
    home = str(bot(folder, "pass"))
    vector = arena.envs(2, "dragonheart", seat=0, opponents=[home])
    vector.reset(seed=1)
    first = {line.split()[1] for line in log(folder)}
    assert len(first) == 2
    del vector
    gc.collect()
    assert not any(is_running(int(pid)) for pid in first)
    code = (
        f"import arena; env = arena.env('dragonheart', seat=0, opponents=[{home!r}]); env.reset()"
    )
    for end in ("", "; raise SystemExit(3)", "; import os; os.kill(os.getpid(), 9)"):
        subprocess.run([sys.executable, "-c", code + end], check=False)
        pid = [line.split()[1] for line in log(folder) if line.startswith("hello")][-1]
        assert pid not in first
        assert not is_running(int(pid))


@pytest.mark.slow
@pytest.mark.parametrize("end", some(["env = None", "env.close()", "sys.exit()"], every=3))
def test_a_forked_copy_leaves_the_programs_to_its_parent(folder: Path, end: str) -> None:
    """Its exit status is 0 only if the parent can step and begin once more."""
    code = f"""
import arena, os, sys
env = arena.gym_env("dragonheart", seat=0, opponents=[{str(bot(folder, "pass"))!r}])
env.reset(seed=1)
if os.fork() == 0:
    {end}
    os._exit(0)
os.wait()
env.step(0)
env.reset(seed=2)
env.step(0)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_an_interrupted_step_costs_the_next_game_nothing(folder: Path) -> None:
    home = str(bot(folder, "time.sleep(3)"))
    env = arena.gym_env("dragonheart", seat=0, opponents=[home], settings=["clock.move=9 s"])
    env.reset(seed=1)

    def interrupt(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 1.0)
    try:
        with pytest.raises(KeyboardInterrupt):
            [env.step(0) for _ in range(9)]
    finally:
        signal.signal(signal.SIGALRM, before)
    env.reset(seed=1)
    env.step(0)
    env.close()


def test_programs_that_cannot_play_are_named(folder: Path) -> None:
    for opponents, told in (
        (["nothing"], 'found "nothing", expected a folder with a bot.yaml'),
        (["builtin:gredy"], r'did you mean "builtin:greedy"'),
        ([str(folder)], "has no bot.yaml"),
    ):
        with pytest.raises(arena.Error, match=told):
            arena.env("dragonheart", seat=0, opponents=opponents)
    with pytest.raises(arena.Error, match="does not play dragonkrak"):
        arena.env("dragonkrak", seats=2, seat=0, opponents=["builtin:collector"])
    home = bot(folder, "pass")
    (home / "main.py").write_text("1 / 0")
    env = arena.env("dragonheart", seat=0, opponents=[str(home)])
    with pytest.raises(arena.Error, match=r"seat_1: tiny: startup: (.*\n)+.*ZeroDivisionError"):
        env.reset()
