"""Facts for a site about a competition that are not in its run, such as those of a ladder."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from markupsafe import Markup


class Remark(NamedTuple):
    """Reason why a bot does not play: refused, paused."""

    bot: str
    state: str
    """State in one word."""
    reason: str
    """Reason in a sentence that everyone may read."""
    when: str = ""
    """Time in UTC, ISO 8601; empty: not known."""


class ExtraDrawing(NamedTuple):
    """A drawing below the standings, such as a bracket."""

    title: str
    draw: Callable[[Callable[[str], str]], Markup]
    """Function that draws for the first page.

    It gets a function from a bot to the address of its page relative to the first page, "" without
    a page. It must escape the texts of others.
    """
    intro: str = ""


class Extra(NamedTuple):
    """All extra facts; each of them may be missing."""

    authors: Mapping[str, str] = {}
    """Authors by bot, without a version."""
    remarks: Sequence[Remark] = ()
    drawings: Sequence[ExtraDrawing] = ()


NOTHING: Final = Extra()
