"""Apply ``--set a.b=c``: values from the command line that replace values of a document."""

from __future__ import annotations

import copy
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from arena.values.document import MAX_DEPTH, parse_value
from arena.values.problems import (
    ConfigError,
    Document,
    KeyPath,
    Mark,
    Plain,
    Problem,
    dotted,
    quote,
)

_INDEX: Final = re.compile(r"\[(\d+)\]")
_ONE_MORE: Final = "+"
"""Pseudo-index that appends an entry at the end of the list."""
_LEVEL: Final = ["isolation", "level"]
"""Steps to the isolation level, whose short form is the text of ``isolation`` itself."""


def apply_overrides(document: Document, overrides: Sequence[str]) -> Document:
    """Return the document with each ``a.b=c`` applied in turn; the last one for a key wins.

    ``c`` is a YAML value. ``a.b`` is a dotted path, in which an entry of a list has its index from
    0 (``entrants.0.name``), and ``+`` appends an entry (``entrants.+.bot``). Relative paths in the
    values are relative to the current folder. Raises ConfigError with all overrides that cannot be
    applied.
    """
    value = copy.deepcopy(document.value)
    marks, keys = dict(document.marks), dict(document.keys)
    problems: list[Problem] = []
    for override in overrides:
        try:
            steps, new = _split(override)
            if (
                steps == _LEVEL
                and isinstance(value, dict)
                and isinstance(value.get(_LEVEL[0]), str)
            ):
                steps = _LEVEL[:1]
            path, made = _place(value, steps, new)
        except ConfigError as error:
            place = _where(override)
            problems += [msgspec.structs.replace(each, where=place) for each in error.problems]
            continue
        for known in (marks, keys):
            for below in [each for each in known if each[: len(path)] == path]:
                del known[below]
        marks |= dict.fromkeys([*made, path], Mark(_where(override), Path.cwd()))
    if problems:
        raise ConfigError(problems)
    return Document(value, marks, keys, document.located)


def _where(override: str) -> str:
    return f"--set {override}"


def _failure(path: KeyPath, found: str, expected: str = "", hint: str = "") -> ConfigError:
    return ConfigError([Problem("", dotted(path), found, expected, hint)])


def _split(override: str) -> tuple[list[str], Plain]:
    name, equals, text = override.partition("=")
    steps = _INDEX.sub(r".\1", name).split(".")  # the form that problems use: entrants[0].name
    if not equals or not all(steps):
        raise _failure((), "no key and value", "KEY=VALUE such as clock.move='2 s'")
    if len(steps) > MAX_DEPTH:
        raise _failure((), f"nested deeper than {MAX_DEPTH} levels")
    return steps, parse_value(text)


def _place(into: Plain, steps: Sequence[str], new: Plain) -> tuple[KeyPath, list[KeyPath]]:
    """Set the value at ``steps`` below ``into``; return its path, and those made on the way."""
    path: KeyPath = ()
    made: list[KeyPath] = []
    for index, step in enumerate(steps):
        last = index == len(steps) - 1
        match into:
            case dict():
                path = (*path, step)
                made += [path] * (step not in into)
                into[step] = new if last else into.get(step, {})
                into = into[step]
            case list():
                at = _index(step, len(into), path)
                if at == len(into):
                    into.append({})
                path = (*path, at)
                made += [path] * (step == _ONE_MORE)
                into[at] = new if last else into[at]
                into = into[at]
            case _:
                raise _failure(path, f"found {quote(into)}", f"a mapping to set {quote(step)} in")
    return path, made


def _index(step: str, length: int, path: KeyPath) -> int:
    if step == _ONE_MORE:
        return length
    if step.isascii() and step.isdigit() and len(step) < 10 and int(step) < length:
        return int(step)
    known = f"an index from 0 to {length - 1}, or " if length else ""
    raise _failure(path, f"found {quote(step)}", f"{known}{_ONE_MORE} for one more")
