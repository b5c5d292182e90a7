"""That something a person gave us is wrong, where no more is to be said than a text."""

from __future__ import annotations


class BadInput(Exception):
    """Something a person gave us is wrong; the text is all there is to say."""


class NothingToDo(BadInput):
    """What was asked for is right but has nothing in it yet."""
