"""The language in which a bot is written, so that advice can be given in it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Final

from arena.hosting.program import first_line


class Language(StrEnum):
    """Language for which advice has lines of code."""

    PYTHON = "python"
    JAVASCRIPT = "javascript"
    C = "c"
    CPP = "cpp"
    RUST = "rust"
    GO = "go"
    JAVA = "java"


_NAMES: Final = {
    **{language.value: language for language in Language},
    "py": Language.PYTHON,
    "js": Language.JAVASCRIPT,
    "node": Language.JAVASCRIPT,
    "typescript": Language.JAVASCRIPT,
    "c++": Language.CPP,
    "golang": Language.GO,
}
"""Languages by the words that a manifest may use."""
_PROGRAMS: Final = {
    "python": Language.PYTHON,
    "pypy": Language.PYTHON,
    "node": Language.JAVASCRIPT,
    "deno": Language.JAVASCRIPT,
    "bun": Language.JAVASCRIPT,
    "g++": Language.CPP,
    "gcc": Language.C,
    "cc": Language.C,
    "clang": Language.C,
    "clang++": Language.CPP,
    "c++": Language.CPP,
    "cmake": Language.CPP,
    "rustc": Language.RUST,
    "cargo": Language.RUST,
    "go": Language.GO,
    "java": Language.JAVA,
    "javac": Language.JAVA,
}
_ENDINGS: Final = {
    ".py": Language.PYTHON,
    ".js": Language.JAVASCRIPT,
    ".mjs": Language.JAVASCRIPT,
    ".cjs": Language.JAVASCRIPT,
    ".cpp": Language.CPP,
    ".cc": Language.CPP,
    ".c": Language.C,
    ".rs": Language.RUST,
    ".go": Language.GO,
    ".java": Language.JAVA,
    ".jar": Language.JAVA,
}


def language_of(
    stated: str, words: Sequence[str], build: Sequence[Sequence[str]], program: str
) -> Language | None:
    """Return the language of a bot, or None if it is not recognised.

    It follows from what the manifest states, else from the command, the build and the first line
    of a script.

    ``program``: path of the file that the command starts; empty: it is not to be read.
    """
    if found := _NAMES.get(stated.strip().lower()):
        return found
    names = [os.path.basename(word) for argv in (words, *build) for word in argv]
    for name in names:  # a C compiler may be given C++ files
        if found := _ENDINGS.get(os.path.splitext(name)[1]):
            return found
    for name in names:
        if found := _PROGRAMS.get(name.rstrip("0123456789.")) or _PROGRAMS.get(name):
            return found
    for part in _shebang(program) if program else ():
        if found := _PROGRAMS.get(os.path.basename(part).rstrip("0123456789.")):
            return found
    return None


def _shebang(path: str) -> Iterator[str]:
    first = first_line(path) or b""
    if first.startswith(b"#!"):
        yield from first[2:].decode("utf-8", "replace").split()
