"""The steps of a page that readers follow: files to write, commands to run, what they print.

What varies is written as ``…`` in the output of a page, and left-out lines as a line ``...``.
A comment ``# exit code N`` behind a command states a code other than 0. ``COMMITMENT`` stands for
the digits that a command of the page has printed. A comment before a block is its marker:
``<!-- not run: REASON -->``, or ``<!-- numbers vary: REASON -->`` if only numbers do.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).parents[2]
TUTORIAL: Final = ROOT / "docs" / "tutorial.md"
SECONDS: Final = 400.0
"""Time that a command may take, on a busy machine."""
_BLOCK: Final = re.compile(
    r"^(?:<!-- ([a-z ]+): ([^\n]+) -->\n\n?)?```(\w+) ?(\S*)\n(.*?)^```$", re.DOTALL | re.MULTILINE
)
_VARIABLE: Final = re.compile(r"(^\.\.\.\n|…|\b[0-9a-f]{12}\b)", re.MULTILINE)
_NUMBER: Final = re.compile(r"[+-]?\d[\d,.]*")
_CODE: Final = re.compile(r"# exit code (\d+)")
_COMMITMENT: Final = re.compile(r"commitment ([0-9a-f]{64})")
NOT_RUN: Final = "not run"
NUMBERS_VARY: Final = "numbers vary"
MARKERS: Final = {"", NOT_RUN, NUMBERS_VARY}


class File(NamedTuple):
    """A block whose fence names a file."""

    name: str
    text: str


class Command(NamedTuple):
    """A command line of a console block."""

    line: str
    shown: str
    """Output that the page shows."""
    marker: str = ""
    reason: str = ""

    @property
    def words(self) -> list[str]:
        """The words of the line, without its comment."""
        return shlex.split(self.line, comments=True)

    @property
    def code(self) -> int:
        """The exit code that the page states."""
        found = _CODE.search(self.line)
        return int(found[1]) if found else 0

    def prints(self, output: str) -> bool:
        """Return whether the page shows this output."""
        shown = self.shown
        if self.marker == NUMBERS_VARY:
            shown, output = _without_numbers(shown), _without_numbers(output)
        pattern = "".join(
            _pattern(part) if index % 2 else re.escape(part)
            for index, part in enumerate(_VARIABLE.split(shown))
        )
        return re.fullmatch(pattern, output) is not None


class Done(NamedTuple):
    """What a command did."""

    code: int
    out: str
    err: str


def _pattern(variable: str) -> str:
    if variable == "…":
        return ".*"
    return r"(.*\n)*" if variable.startswith(".") else "[0-9a-f]{12}"


def _without_numbers(text: str) -> str:
    """Return the text with one digit for each number, and no widths of columns."""
    return re.sub(r" +", " ", re.sub(r"--+", "--", _NUMBER.sub("0", text)))


def steps(page: str) -> list[File | Command]:
    """Return the steps of a page, in its order."""
    found: list[File | Command] = []
    for marker, reason, language, name, text in _BLOCK.findall(page):
        if name:
            found.append(File(name, text))
        elif language == "console":
            for part in re.split(r"^\$ ", text, flags=re.M)[1:]:
                line, _, shown = part.partition("\n")
                found.append(Command(line, shown, marker, reason))
    return found


def clone(folder: Path) -> Path:
    """Make a folder look like a clone to someone who runs commands in it; return it."""
    for name in ("bots", "tournaments"):
        (folder / name).symlink_to(ROOT / name)
    return folder


def follow(
    page: str, folder: Path, run: Callable[[str, Path], Done]
) -> Iterator[tuple[Command, Done]]:
    """Do what a page says in a folder, its commands by `run`; yield each with what it did."""
    commitment = ""
    for step in steps(page):
        if isinstance(step, File):
            path = folder / step.name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(step.text, "utf-8")
        elif step.marker != NOT_RUN:
            done = run(step.line.replace("COMMITMENT", commitment), folder)
            if found := _COMMITMENT.search(done.out + done.err):
                commitment = found[1]
            yield step, done


def shell(line: str, folder: Path) -> Done:
    """Run a command line in a folder, with this arena and its Python."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    done = subprocess.run(
        ["bash", "-c", line],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT), "PATH": path},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr)
