"""Who leads by the headline of a competition, in whatever words it is put."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from arena.values.numbers import listed
from arena.views.standings.headline import NAMED

_HEADLINE: Final = re.compile(
    r"(?:no clear (?:leader|winner): )?(.+?) (?:leads?|wins?|share the|are level|is ahead of .+)"
    r"(?: lead| first place| so far| the knockout)?$",
    re.IGNORECASE,
)


def leaders(names: Sequence[str]) -> str:
    """Return how a headline calls the leaders."""
    return listed(names or ["nobody"]) if len(names) <= NAMED else f"{len(names)} bots"


def leaders_in(title: str) -> str:
    """Return how ``title`` calls the leaders; empty if it is no headline."""
    found = _HEADLINE.match(title)
    return "" if found is None else found[1]


def heading_of(page: str) -> str:
    """Return the heading of an HTML page without the mark of a competition that continues."""
    found = re.search(r'<h1 id="title">(.*?)(?: <small>.*)?</h1>', page)
    return "" if found is None else found[1]
