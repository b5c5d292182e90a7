"""A bot in Python has arena's games at every level, and nothing more of arena's surroundings."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from arena.hosting.process import BotProcess
from arena.hosting.sandbox import paths
from arena.hosting.sandbox.isolation import Launch, Level
from arena.hosting.workspace.cells import Workspace
from tests.cli.shell import arena, bot
from tests.hosting.bots import MACHINE, finished

pytestmark = pytest.mark.process

PACKAGE: Final = Path(paths.arena())
LOOK: Final = """
import json, sys
def tried(do):
    try:
        return str(do())
    except OSError as error:
        return type(error).__name__
import os
import arena, arena.games.base as base
print(json.dumps({
    "arena": os.path.dirname(arena.__file__),
    "twice": sys.modules["arena"] is arena and base.__name__ == "arena.games.base",
    "above": tried(lambda: len(os.listdir(sys.argv[1]))),
    "beside": tried(lambda: len(open(sys.argv[1] + "/pyproject.toml").read())),
}))
"""
PLAYER: Final = """
import json, sys
import msgspec
from arena.games.luck import Luck
from arena.games.registry import GAMES, make_rules
from arena.values.results import RulesSpec
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "ready", "protocol": 1}), flush=True)
    elif message["type"] == "start":
        name = message["rules"]
        of = (message[each] for each in ("seats", "options", "data"))
        rules = make_rules(RulesSpec(name, *of))
    elif message["type"] == "act":
        seen = msgspec.convert(message["observation"], GAMES[name].observation_type)
        world = rules.determinize(seen, Luck(b"one"))
        legal = [rules.decode_action(action) for action in message["legal"]]
        assert legal == list(rules.legal_actions(world))
        after = [rules.apply(world, action) for action in legal]
        action = max(range(len(legal)), key=lambda each: rules.to_act(after[each]))
        print(json.dumps({"type": "action", "id": message["id"], "action": action}), flush=True)
"""


@pytest.mark.parametrize("level", Level)
def test_the_package_is_found_and_what_lies_beside_it_is_not(level: Level, tmp_path: Path) -> None:
    MACHINE.require(level)
    folder = tmp_path / "bot"
    folder.mkdir()
    above = str(PACKAGE.parent)
    workspace = Workspace.create()
    try:
        place = str(workspace.snapshot("bot", folder))
        command = (sys.executable, "-c", LOOK, above)
        process = BotProcess(Launch(command, place, level=level, copied=True), workspace)
        said, complaint = finished(process)
    finally:
        workspace.close()
    assert said, complaint
    found = json.loads(said)
    assert found["arena"] == str(PACKAGE)
    assert found["twice"]
    if level is Level.LANDLOCK:
        assert found["above"] == "PermissionError"
        # of a checkout in a closed folder only the package is mounted
        assert found["beside"] in ("PermissionError", "FileNotFoundError")
    elif level is Level.BUBBLEWRAP:
        assert found["beside"] in ("FileNotFoundError", "PermissionError")


@pytest.mark.slow
@pytest.mark.parametrize("level", Level)
def test_a_bot_with_a_model_of_the_game_plays(level: Level, tmp_path: Path) -> None:
    MACHINE.require(level)
    bot(tmp_path, "player", PLAYER)
    bot(tmp_path, "other", PLAYER)
    words = (
        "-g",
        "dragonheart",
        "player",
        "other",
        "-n",
        "1",
        "-j",
        "1",
        "-o",
        "run",
        "--json",
        "-q",
    )
    done = arena(tmp_path, "run", *words, "--isolation", level.value)
    assert done.code == 0, done.err
    played = (tmp_path / "run" / "games.jsonl").read_text().splitlines()
    ends = [json.loads(line)["result"]["termination"] for line in played]
    assert ends == ["completed"] * 2


def test_the_folder_for_python_holds_arena_alone() -> None:
    """Whatever else lay there would hide packages that bots bring along."""
    folder = Path(paths.importable())
    assert {path.name for path in folder.glob("*.py")} == {"__init__.py", "arena.py"}
    code = "import arena, arena.games; print(arena.__path__[0], arena.games.__name__)"
    command = [sys.executable, "-S", "-c", code]
    environment = {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, env=environment, cwd="/", capture_output=True, check=True)
    assert done.stdout.decode().split() == [str(PACKAGE), "arena.games"]
