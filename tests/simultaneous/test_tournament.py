"""Games in which seats decide at once, installed as a package, in whole tournaments."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.shell import arena, bot, environment
from tests.kuhn.test_outside import search_path
from tests.simultaneous.install import install
from tests.simultaneous.test_referee import GAMES

pytestmark = [pytest.mark.slow, pytest.mark.process]

CUP = """
arena: 1
game: {{rules: {game}, seats: 4}}
seed: 1
schedule: {{deals: 1}}
output: {{folder: {folder}}}
execution: {{workers: {workers}, log_wire: all}}
entrants:
  - bot: builtin:random
  - {{bot: builtin:random, name: other}}
  - {{bot: builtin:first-legal, name: third}}
  - bot: faulty
"""
FAULTY = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "ready", "protocol": 1}), flush=True)
    elif message["type"] == "start":
        left = message["seat"]
    elif message["type"] == "act":
        left -= 1
        print(json.dumps({"type": "action", "id": message["id"], "action": left}), flush=True)
"""


@pytest.mark.parametrize("game", sorted(GAMES))
def test_tables_and_records_are_the_same_with_one_worker_and_with_four(
    game: str, tmp_path: Path
) -> None:
    env = environment(PYTHONPATH=search_path(str(install(tmp_path))))
    bot(tmp_path, "faulty", FAULTY)
    found = []
    for workers in (1, 4):
        folder = f"run{workers}"
        (tmp_path / "cup.yaml").write_text(CUP.format(game=game, folder=folder, workers=workers))
        played = arena(tmp_path, "run", "cup.yaml", "-q", env=env)
        assert played.code == 0, played.err
        verified = arena(tmp_path, "verify", folder, env=env)
        assert (verified.code, verified.err) == (0, ""), verified.out
        lines = (tmp_path / folder / "games.jsonl").read_text().splitlines()
        results = [json.loads(line)["result"] for line in lines]
        digests = sorted((each["spec"]["game_id"], each["digest"]) for each in results)
        found.append((arena(tmp_path, "standings", folder, env=env).out, digests))
    assert found[0] == found[1]
    assert any(each.get("faults") for each in results)
    shown = arena(tmp_path, "replay", "run1", "1", "--seat", "1", env=env)
    assert shown.code == 0, shown.err
