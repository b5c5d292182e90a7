"""Bots and tournament files written to a temporary folder."""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import dedent

from arena.values.problems import ConfigError

MANIFEST = """\
bot: 1
name: {name}
plays: {{dragonheart: [2]}}
command: [python3, main.py]
options:
  samples: {{type: int, default: 20, min: 1, max: 100}}
"""


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(dedent(text), "utf-8")
    return path


def write_bot(folder: Path, manifest: str | None = None) -> Path:
    write(folder / "main.py", "print()\n")
    text = MANIFEST.format(name=folder.name) if manifest is None else manifest
    write(folder / "bot.yaml", text)
    return folder


def league(folder: Path) -> Path:
    """Two bots and a folder for tournament files."""
    write_bot(folder / "bots" / "random")
    write_bot(folder / "bots" / "greedy")
    (folder / "cups").mkdir()
    return folder


def unbind(run: Path) -> None:
    """Leave seed.json as a kill leaves it that comes before the last line of entries.jsonl."""
    path = run / "seed.json"
    found = json.loads(path.read_text())
    found.pop("entries", None)
    path.write_text(json.dumps(found))


def lines(error: ConfigError) -> list[str]:
    return [str(problem) for problem in error.problems]
