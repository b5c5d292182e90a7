"""Check that the programs that a bot needs are installed, and find them behind proxies.

The programs that rustup puts on PATH are links to itself. They look for the toolchain below the
user's home folder, which differs in every process of a bot.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final

from arena.values.problems import quote

_SECONDS: Final = 10.0
_READ: Final = 4096
_OF_RUSTUP: Final = ("HOME", "RUSTUP_HOME", "CARGO_HOME", "RUSTUP_TOOLCHAIN")
"""Variables that determine where toolchains are and which one is used."""


def find_on_path(word: str) -> str | None:
    """Return the absolute path of a program of PATH; a toolchain's own, not rustup's link."""
    found = shutil.which(word)
    if found is None:
        return None
    toolchain = rust_folder()
    if toolchain is not None and os.path.dirname(found) == _folder_of("rustup"):
        real = os.path.join(toolchain, word)
        return real if os.access(real, os.X_OK) else os.path.abspath(found)
    return os.path.abspath(found)


def rust_folder() -> str | None:
    """Return the folder of the programs of rustup's default toolchain.

    None if PATH does not lead to rustup first, or rustup has no toolchain.
    """
    rustup = shutil.which("rustup")
    if rustup is None or _folder_of("rustc") != os.path.dirname(rustup):
        return None
    known = {name: os.environ[name] for name in _OF_RUSTUP if name in os.environ}
    return _asked(rustup, tuple(known.items()))


@cache
def _asked(rustup: str, known: tuple[tuple[str, str], ...]) -> str | None:
    """Run rustup in a folder where nobody can choose or fetch another toolchain."""
    environment = {**dict(known), "RUSTUP_AUTO_INSTALL": "0"}
    compiler = said([rustup, "which", "rustc"], environment).strip()
    return os.path.dirname(compiler) if os.path.isfile(compiler) else None


def _folder_of(word: str) -> str | None:
    found = shutil.which(word)
    return os.path.dirname(found) if found else None


def said(command: Sequence[str], extra: Mapping[str, str]) -> str:
    """Run ``command``, whose program is on PATH, and return the first part of its output.

    Returns "" if it fails or takes longer than ten seconds. ``extra``: variables that are added to
    its clean environment.
    """
    path = os.environ.get("PATH", "")
    with tempfile.TemporaryFile() as output, tempfile.TemporaryDirectory() as home:
        environment = {"PATH": path, "HOME": home, "LANG": "C.UTF-8"}
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env={**environment, **extra},
                cwd="/",
                start_new_session=True,
            )
        except OSError:
            return ""
        try:
            process.wait(_SECONDS)
        except subprocess.TimeoutExpired:
            return ""
        finally:
            if process.returncode is None:  # not reaped, so the process group still belongs to it
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        output.seek(0)
        text = output.read(_READ).decode("utf-8", "replace")
    return text if process.returncode == 0 else ""


PYTHONS: Final = ("python", "python3")
"""Words for the Python that runs arena, which is always there.

The start scripts of version managers would cost tens of milliseconds per process.
"""

_NUMBER: Final = re.compile(r"[-.0-9]+$")
"""Version at the end of a program's name, as in python3.11 and gcc-12."""
_VERSION: Final = re.compile(r"[0-9]{1,6}(?:\.[0-9]{1,6})+")
_WHOLE: Final = re.compile(r"\b[0-9]{1,6}\b")

_ASKED: Final = (
    (
        "--version",
        "bun bwrap c++ cargo cc clang clang++ cmake deno dotnet g++ gcc ghc julia make nim node "
        "npm perl php python racket ruby rustc sbcl swift",
    ),
    ("-version", "java javac kotlin kotlinc ocaml"),
    ("-v", "lua luajit"),
    ("version", "go zig"),
)
"""Arguments that make programs print their version; other programs are only looked up."""


def need_problem(program: str, least: str) -> str:
    """Return a phrase if ``program`` is not on PATH in version ``least`` or later.

    Empty if nothing is wrong. Starts the program, but never one of a bot's own folder.
    """
    if program in PYTHONS:
        return _too_old(program, ".".join(map(str, sys.version_info[:3])), least)
    found = find_on_path(program) if os.sep not in program else None
    if found is None:
        return f"{quote(program)} was not found on PATH"
    if not _argument(program):
        return ""
    version = version_of(found)
    if not version:
        return f"{quote(program)} does not tell its version, expected at least {least}"
    return _too_old(program, version, least)


def version_of(program: str) -> str:
    """Return the version that a program prints, by its path; empty if unknown.

    Starts the program.
    """
    argument = _argument(os.path.basename(program))
    if not argument:
        return ""
    try:
        changed = os.stat(program).st_mtime_ns
    except OSError:
        changed = 0
    return _version(program, argument, changed)


def _argument(program: str) -> str:
    name = _NUMBER.sub("", program)
    return next((argument for argument, names in _ASKED if name in names.split()), "")


def _too_old(program: str, version: str, least: str) -> str:
    if _numbers(version) >= _numbers(least):
        return ""
    return f"found {quote(program)} {version}, expected at least {least}"


def _numbers(version: str) -> tuple[int, ...]:
    """Return a version's numbers for comparison: 3.10 is more than 3.9, and 3 is 3.0."""
    numbers = [int(part) for part in version.split(".")]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


@cache
def _version(program: str, argument: str, changed: int) -> str:
    """Return the first number with dots that the program prints, or else the first number.

    ``changed``: time of the last change of the program, so that an update is noticed.
    """
    text = said([program, argument], {})
    found = _VERSION.search(text) or _WHOLE.search(text)
    return found[0] if found else ""
