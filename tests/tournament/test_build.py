from __future__ import annotations

import time
from pathlib import Path

import pytest

from arena.tournament.build import build, run_commands
from arena.tournament.config import load_tournament
from arena.tournament.entrants import Entrant
from arena.tournament.problems import ConfigError

from .folders import league, write, write_bot

MANIFEST = """\
bot: 1
name: built
command: [{tool}]
build:
  - [sh, -c, "{script}"]
"""
COMPILE = "mkdir -p build; echo x >> build/count; cp main.py {tool}; chmod +x {tool}"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(league(tmp_path))


def entrant(tool: str = "./build/tool", script: str = COMPILE) -> Entrant:
    text = MANIFEST.format(tool=tool, script=script.format(tool=tool))
    write_bot(Path("bots/built"), text)
    return load()


def load() -> Entrant:
    cup = "arena: 1\ngame: dragonheart\nentrants: [{bot: ../bots/built}, {bot: ../bots/random}]\n"
    return load_tournament(write(Path("cups/t.yaml"), cup)).entrants[0]


def builds() -> int:
    return len(Path("bots/built/build/count").read_text().split())


def test_a_bot_is_built_once_per_state_of_its_files() -> None:
    first = build(entrant())
    again = build(load())
    assert first == again
    assert builds() == 1
    write(Path("bots/built/main.py"), "print(2)\n")
    assert build(load()).digest != first.digest
    assert builds() == 2


@pytest.mark.parametrize("tool", ["./tool", "tool", "./build/tool"])
def test_the_command_may_appear_anywhere(tool: str, tmp_path: Path) -> None:
    built = build(entrant(tool))
    assert built.command == (str(tmp_path / "bots" / "built" / tool.removeprefix("./")),)
    assert build(load()) == built
    assert builds() == 1


def test_a_bot_without_build_stays_as_it_is(tmp_path: Path) -> None:
    entrant()
    plain = load_tournament(tmp_path / "cups" / "t.yaml").entrants[1]
    assert build(plain) == plain
    assert not (tmp_path / "bots" / "random" / "build").exists()


def refusal(built: Entrant) -> str:
    with pytest.raises(ConfigError) as caught:
        build(built)
    return str(caught.value)


def test_a_failed_build_shows_its_last_lines() -> None:
    told = refusal(entrant(script="echo first; echo no luck >&2; exit 3"))
    assert told.startswith("bots/built: build command ")
    assert "ended with status 3\n    first\n    no luck\n" in told


def test_a_build_without_its_command_fails() -> None:
    told = refusal(entrant(script="true"))
    assert told.startswith('bots/built: command: "./build/tool" was not found in bots/built after')


def test_a_stamp_is_not_left_by_a_failed_build() -> None:
    refusal(entrant(script="exit 1"))
    refusal(load())


def test_a_build_that_does_not_end_is_killed_with_its_children(tmp_path: Path) -> None:
    sleeper = ["/bin/sh", "-c", "sleep 600 & echo $! > pid; wait"]
    with pytest.raises(ConfigError, match=r"took longer than 0\.5 s"):
        run_commands(tmp_path, [sleeper], limit=0.5)
    child = int((tmp_path / "pid").read_text())
    give_up = time.monotonic() + 10  # a killed process dies when the kernel next runs it
    while is_running(child) and time.monotonic() < give_up:
        time.sleep(0.01)
    assert not is_running(child)


def is_running(pid: int) -> bool:
    """Whether the process exists and is not a zombie."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"
