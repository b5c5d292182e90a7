"""Tables of bad input and of what is said of it, for ``pytest.mark.parametrize``."""

from __future__ import annotations

import pytest


def rows(table: str, top: str = "", **names: str) -> list[tuple[str, list[str]]]:
    """By row the input, after ``top``, and its messages.

    A row has lines of input, then messages, each after "-> "; a line with three spaces goes on
    with a message. ``<NAME>`` in a message stands for what is given so.
    """
    found: list[tuple[str, list[str]]] = []
    for line in table.strip("\n").split("\n"):
        told = found[-1][1] if found else []
        if line.startswith("-> "):
            told.append(line.removeprefix("-> "))
        elif told and line.startswith("   "):
            told[-1] += line[2:]
        elif told or not found:
            found.append((top + line, []))
        else:
            found[-1] = f"{found[-1][0]}\n{line}", []
    for _, told in found:
        for name, value in names.items():
            told[:] = [each.replace(f"<{name}>", value) for each in told]
    return found


def bad(table: str, top: str = "", **names: str) -> pytest.MarkDecorator:
    """A test of each row, with ``text`` and ``expected``."""
    return pytest.mark.parametrize(("text", "expected"), rows(table, top, **names))
