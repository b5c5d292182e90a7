"""Running the program as a person would."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

BOT = """
import json, random, sys
rng = random.Random()
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "ready", "protocol": 1}), flush=True)
    elif message["type"] == "start":
        rng.seed(message["seed"])
    elif message["type"] == "act":
        action = rng.randrange(len(message["legal"]))
        print(json.dumps({"type": "action", "id": message["id"], "action": action}), flush=True)
"""


class Result(NamedTuple):
    """What a command did."""

    code: int
    out: str
    err: str


def environment(**extra: str) -> dict[str, str]:
    """Ours, without what would change how the program shows things."""
    shown = {"NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "CI", "COLUMNS"}
    shown |= {"GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"}
    return {key: value for key, value in os.environ.items() if key not in shown} | extra


def command(*args: str | Path) -> list[str]:
    return [sys.executable, "-m", "arena", *map(str, args)]


def arena(folder: Path, *args: str | Path, env: dict[str, str] | None = None) -> Result:
    """Run ``arena ARGS`` in a folder, to its end."""
    done = subprocess.run(
        command(*args),
        cwd=folder,
        env=env or environment(),
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    return Result(done.returncode, done.stdout, done.stderr)


def bot(folder: Path, name: str, source: str = BOT, **manifest: Any) -> Path:
    """A bot folder."""
    home = folder / name
    home.mkdir()
    (home / "main.py").write_text(source)
    lines = {"bot": 1, "name": name, "command": "[python3, main.py]"} | manifest
    (home / "bot.yaml").write_text("".join(f"{key}: {value}\n" for key, value in lines.items()))
    return home


def tournament(folder: Path, deals: int = 5, more: str = "", bots: tuple[str, ...] = ()) -> Path:
    """``cup.yaml`` with two random bots, or with the bots named."""
    for name in () if bots else ("anna", "berta"):
        bot(folder, name)
    entrants = "".join(f"  - bot: {name}\n" for name in bots or ("anna", "berta"))
    path = folder / "cup.yaml"
    path.write_text(
        f"arena: 1\ngame: dragonheart\nseed: 1\nschedule: {{deals: {deals}}}\n{more}"
        f"entrants:\n{entrants}"
    )
    return path
