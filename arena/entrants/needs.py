"""Check that the programs that a bot needs are installed and recent enough."""

from __future__ import annotations

import os
import re
import sys
from functools import cache
from typing import Final

from arena.documents.problems import quote
from arena.entrants.toolchains import find_on_path, said

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
_ARGUMENTS: Final = {name: argument for argument, names in _ASKED for name in names.split()}
"""Argument that makes a program print its version; other programs are only looked up."""


def need_problem(program: str, least: str) -> str:
    """Return what is wrong with a program of PATH that needs at least that version, as a phrase.

    Empty if nothing is wrong. Starts the program, but never one of a bot's own folder.
    """
    if program in PYTHONS:
        return _too_old(program, ".".join(map(str, sys.version_info[:3])), least)
    found = find_on_path(program) if os.sep not in program else None
    if found is None:
        return f"{quote(program)} was not found on PATH"
    if not _is_known(program):
        return ""
    version = version_of(found)
    if not version:
        return f"{quote(program)} does not tell its version, expected at least {least}"
    return _too_old(program, version, least)


def version_of(program: str) -> str:
    """Return the version that a program prints, by its path; empty if unknown.

    Starts the program.
    """
    name = os.path.basename(program)
    if not _is_known(name):
        return ""
    try:
        changed = os.stat(program).st_mtime_ns
    except OSError:
        changed = 0
    return _version(program, _ARGUMENTS[_NUMBER.sub("", name)], changed)


def _is_known(program: str) -> bool:
    return _NUMBER.sub("", program) in _ARGUMENTS


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
