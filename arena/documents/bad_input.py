"""Errors in what a person entered, where a text is the whole explanation."""

from __future__ import annotations

from collections.abc import Collection

from arena.documents.problems import did_you_mean, quote


class BadInput(Exception):
    """A person's input is wrong; the text is the whole explanation."""


class NothingToDo(BadInput):
    """The request is correct but has no content yet."""


def check_one_of(where: str, found: str, known: Collection[str]) -> None:
    """Raise BadInput unless ``found`` is one of ``known``. ``where``: the argument it came from."""
    if found not in known:
        hint = did_you_mean(found, known)
        expected = f"expected one of {', '.join(known)}" + (f" ({hint})" if hint else "")
        raise BadInput(f"{where}: found {quote(found)}, {expected}")
