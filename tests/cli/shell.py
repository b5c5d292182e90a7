"""Running the program as a person would."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, Final, NamedTuple

from tests.cli import warm

_SECONDS: Final = 100.0
"""More than any command takes here."""
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
PAIR: Final = {"anna": BOT, "berta": BOT}


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
    """Run ``arena ARGS`` in a folder, to its end.

    With an environment of its own it starts from nothing: what is imported may have read ours.
    """
    words = [*map(str, args)]
    with open(os.devnull, "rb") as none, TemporaryFile() as out, TemporaryFile() as err:
        if env is None:
            code = warm.run(words, folder, environment(), (none, out, err), _SECONDS)
        else:
            started = subprocess.run(
                command(*words), cwd=folder, env=env, stdin=none, stdout=out, stderr=err,
                timeout=_SECONDS, check=False,
            )  # fmt: skip
            code = started.returncode
        return Result(code, _text(out), _text(err))


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode().replace("\r\n", "\n").replace("\r", "\n")


def bot(folder: Path, name: str, source: str = BOT, **manifest: Any) -> Path:
    """A bot folder."""
    home = folder / name
    home.mkdir()
    (home / "main.py").write_text(source)
    lines = {"bot": 1, "name": name, "command": "[python3, main.py]"} | manifest
    (home / "bot.yaml").write_text("".join(f"{key}: {value}\n" for key, value in lines.items()))
    return home


def tournament(
    folder: Path, deals: int = 5, more: str = "", bots: Iterable[str] | Mapping[str, str] = PAIR
) -> Path:
    """``cup.yaml`` with the bots named; a mapping has the sources of those to be written."""
    if isinstance(bots, Mapping):
        for name, source in bots.items():
            bot(folder, name, source)
    entrants = "".join(f"  - bot: {name}\n" for name in bots)
    path = folder / "cup.yaml"
    path.write_text(
        f"arena: 1\ngame: dragonheart\nseed: 1\nschedule: {{deals: {deals}}}\n{more}"
        f"entrants:\n{entrants}"
    )
    return path
