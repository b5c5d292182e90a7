"""The language in which a bot is written, so that advice can be given in it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Final

from arena.hosting.program import first_line


class AdviceLanguage(StrEnum):
    """Language for which advice has lines of code."""

    PYTHON = "python"
    JAVASCRIPT = "javascript"
    C = "c"
    CPP = "cpp"
    RUST = "rust"
    GO = "go"
    JAVA = "java"


_NAMES: Final = {
    **{language.value: language for language in AdviceLanguage},
    "py": AdviceLanguage.PYTHON,
    "js": AdviceLanguage.JAVASCRIPT,
    "node": AdviceLanguage.JAVASCRIPT,
    "typescript": AdviceLanguage.JAVASCRIPT,
    "c++": AdviceLanguage.CPP,
    "golang": AdviceLanguage.GO,
}
"""Languages by the words that a manifest may use."""
_PROGRAMS: Final = {
    "python": AdviceLanguage.PYTHON,
    "pypy": AdviceLanguage.PYTHON,
    "node": AdviceLanguage.JAVASCRIPT,
    "deno": AdviceLanguage.JAVASCRIPT,
    "bun": AdviceLanguage.JAVASCRIPT,
    "g++": AdviceLanguage.CPP,
    "gcc": AdviceLanguage.C,
    "cc": AdviceLanguage.C,
    "clang": AdviceLanguage.C,
    "clang++": AdviceLanguage.CPP,
    "c++": AdviceLanguage.CPP,
    "cmake": AdviceLanguage.CPP,
    "rustc": AdviceLanguage.RUST,
    "cargo": AdviceLanguage.RUST,
    "go": AdviceLanguage.GO,
    "java": AdviceLanguage.JAVA,
    "javac": AdviceLanguage.JAVA,
}
_ENDINGS: Final = {
    ".py": AdviceLanguage.PYTHON,
    ".js": AdviceLanguage.JAVASCRIPT,
    ".mjs": AdviceLanguage.JAVASCRIPT,
    ".cjs": AdviceLanguage.JAVASCRIPT,
    ".cpp": AdviceLanguage.CPP,
    ".cc": AdviceLanguage.CPP,
    ".c": AdviceLanguage.C,
    ".rs": AdviceLanguage.RUST,
    ".go": AdviceLanguage.GO,
    ".java": AdviceLanguage.JAVA,
    ".jar": AdviceLanguage.JAVA,
}


def language_of(
    stated: str, words: Sequence[str], build: Sequence[Sequence[str]], program: str
) -> AdviceLanguage | None:
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
