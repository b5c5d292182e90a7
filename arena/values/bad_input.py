"""Errors whose text is the whole explanation, for people."""

from __future__ import annotations


def printable(text: str) -> str:
    """Return the text with escapes for everything a terminal might act on."""
    return "".join(c if c.isprintable() else _escape(c) for c in text)


def _escape(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")


class ArenaError(Exception):
    """Base of errors for people. Each argument is one line; values in it may contain anything.

    Names of bots, files and games come from other people, so ``str()`` escapes them.
    """

    def __str__(self) -> str:
        return "\n".join(printable(str(line)) for line in self.args)


class BadInput(ArenaError):
    """A person's input is wrong; the text is the whole explanation."""


class NothingToDo(BadInput):
    """The request is valid, but there is nothing to show yet, such as a run without games."""
