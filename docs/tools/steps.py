"""The steps of a page that readers follow: files to write, commands to run, what they print."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).parents[2]
TUTORIAL: Final = ROOT / "docs" / "tutorial.md"
SECONDS: Final = 400.0
"""Time that a command may take, on a busy machine."""
_BLOCK: Final = re.compile(r"^```(\w+) ?(\S*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_DIGEST: Final = re.compile(r"\b[0-9a-f]{12}\b")


class File(NamedTuple):
    """A block whose fence names a file."""

    name: str
    text: str


class Command(NamedTuple):
    """A command line of a console block."""

    words: list[str]
    shown: str
    """Output that the page shows; a line of dots stands for any lines."""

    def prints(self, output: str) -> bool:
        """Return whether the page shows this output; digests of bots may differ."""
        parts = (_DIGEST.sub("…", part) for part in re.split(r"^\.\.\.\n", self.shown, flags=re.M))
        pattern = r"(.*\n)*".join(re.escape(part) for part in parts)
        return re.fullmatch(pattern, _DIGEST.sub("…", output)) is not None


def steps(page: str) -> list[File | Command]:
    """Return the steps of a page, in its order."""
    found: list[File | Command] = []
    for language, name, text in _BLOCK.findall(page):
        if name:
            found.append(File(name, text))
        elif language == "console":
            for part in re.split(r"^\$ ", text, flags=re.M)[1:]:
                line, _, shown = part.partition("\n")
                found.append(Command(shlex.split(line, comments=True), shown))
    return found


def follow(page: str, folder: Path) -> Iterator[tuple[Command, str]]:
    """Do what a page says, as in a clone; yield each command with its standard output.

    Raises `CalledProcessError` after a command that fails.
    """
    for name in ("bots", "tournaments"):
        (folder / name).symlink_to(ROOT / name)
    for step in steps(page):
        if isinstance(step, File):
            (folder / step.name).write_text(step.text, "utf-8")
        else:
            yield step, run(step.words, folder)


def run(words: list[str], folder: Path) -> str:
    """Run a command in a folder, with this arena; return its standard output."""
    if words[0] == "arena":
        words = [sys.executable, "-m", *words]
    done = subprocess.run(
        words,
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        timeout=SECONDS,
        check=True,
    )
    return done.stdout
