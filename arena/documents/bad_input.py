"""Errors in what a person entered, where a text is the whole explanation."""

from __future__ import annotations


class BadInput(Exception):
    """A person's input is wrong; the text is the whole explanation."""


class NothingToDo(BadInput):
    """The request is valid, but there is nothing to show yet, such as a run without games."""
