"""Marks in the annotation of an option, beside what typer reads there."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final


class OneOf:
    """Closed set of values: shown in the help, completed by the shell, and checked."""

    def __init__(self, *words: str) -> None:
        self.words: Final = words

    def complete(self, incomplete: str) -> list[str]:
        """Return the matching values."""
        return beginning(self.words, incomplete)

    def check(self, where: str, found: str) -> None:
        """Raise BadInput unless ``found`` is one of the values. ``where``: name of the option."""
        from arena.documents.problems import check_one_of

        check_one_of(where, found, self.words)


class Formerly:
    """Former name of an option, which still works, with a warning."""

    def __init__(self, flag: str) -> None:
        self.flag: Final = flag

    def warning(self, now: str) -> str:
        """Return the warning for its use. ``now``: present name of the option."""
        return f"{self.flag}: the name is {now} now; {self.flag} goes with the next version"


def beginning(words: Iterable[str], incomplete: str) -> list[str]:
    """Return the words that begin with ``incomplete``; case does not matter."""
    return [each for each in words if each.lower().startswith(incomplete.lower())]
