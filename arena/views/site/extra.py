"""What a site tells of a competition that is not in its run: a ladder knows more."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from markupsafe import Markup


class Remark(NamedTuple):
    """Why somebody does not play: refused, paused."""

    bot: str
    state: str
    """In one word."""
    reason: str
    """In a sentence, for everybody to read."""
    when: str = ""
    """UTC, ISO 8601; empty: not known."""


class Drawing(NamedTuple):
    """A drawing below the standings, such as a bracket."""

    title: str
    draw: Callable[[Callable[[str], str]], Markup]
    """Makes it for the first page, of a function that tells where from there the page of a bot is,
    empty if there is none. What others wrote has to be escaped."""
    intro: str = ""


class Extra(NamedTuple):
    """All of it; everything may be left out."""

    authors: Mapping[str, str] = {}
    """By bot, without a version."""
    remarks: Sequence[Remark] = ()
    drawings: Sequence[Drawing] = ()


NOTHING: Final = Extra()
