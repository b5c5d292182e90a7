"""Advice on every finding: why it matters, how to fix it in the language of the bot.

The texts are data: ``advice.toml``, ``languages.toml`` and ``snippets/LANGUAGE.toml``.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator, Sequence
from enum import StrEnum
from functools import cache
from importlib import resources
from typing import Any, Literal

import msgspec

from arena.hosting.program import first_line
from arena.studies.check.finding import FindingSection, Name, Weight


class AdviceLanguage(StrEnum):
    """Language for which advice has lines of code."""

    PYTHON = "python"
    JAVASCRIPT = "javascript"
    C = "c"
    CPP = "cpp"
    RUST = "rust"
    GO = "go"
    JAVA = "java"


class KitAdvice(msgspec.Struct, frozen=True):
    """Advice for a bot that ``new-bot`` began: its author writes only ``choose``."""

    mend: str
    snippet: str = ""


class Advice(msgspec.Struct, frozen=True):
    """Part of a finding that is the same for every bot."""

    why: str
    mend: str
    section: FindingSection
    snippet: str = ""
    """Name of a line of code, which not every language has; "" without one."""
    weight: Weight = Weight.FAULT
    kit: KitAdvice | None = None


@cache
def advice() -> dict[Name, Advice]:
    """Return the advice on each finding."""
    return msgspec.convert(_read("advice.toml"), dict[Name, Advice])


@cache
def snippets(language: AdviceLanguage) -> dict[str, str]:
    """Return the lines of code that show fixes in ``language``, by the names in ``Advice``."""
    return _read(f"snippets/{language.value}.toml")


def language_of(
    stated: str, words: Sequence[str], build: Sequence[Sequence[str]], program: str
) -> AdviceLanguage | None:
    """Return the language of a bot, or None if it is not recognised.

    It follows from what the manifest states, else from the command, the build and the first line
    of a script.

    ``program``: path of the file that the command starts; empty: it is not to be read.
    """
    if found := _known("names").get(stated.strip().lower()):
        return found
    names = [os.path.basename(word) for argv in (words, *build) for word in argv]
    for name in names:  # a C compiler may be given C++ files
        if found := _known("endings").get(os.path.splitext(name)[1]):
            return found
    programs = _known("programs")
    for name in names:
        if found := programs.get(name.rstrip("0123456789.")) or programs.get(name):
            return found
    for part in _shebang(program) if program else ():
        if found := programs.get(os.path.basename(part).rstrip("0123456789.")):
            return found
    return None


def _shebang(path: str) -> Iterator[str]:
    first = first_line(path) or b""
    if first.startswith(b"#!"):
        yield from first[2:].decode("utf-8", "replace").split()


@cache
def _known(by: Literal["names", "programs", "endings"]) -> dict[str, AdviceLanguage]:
    """Return languages by the words of the kind ``by`` that identify them."""
    languages = _read("languages.toml").items()
    return {word: AdviceLanguage(language) for language, words in languages for word in words[by]}


def _read(name: str) -> dict[str, Any]:
    folder = resources.files("arena.studies.check")
    return tomllib.loads(folder.joinpath(name).read_text("utf-8"))
