"""Titles of bots: the names under which people see them.

Records, files, JSON and commands know a bot by its name alone. Opening a run makes the titles of
its bots known here, as a program makes its translations known, and what shows a name to people
asks ``called``. Where no bot has a title, every name is shown as it is.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Final

from arena.values import clean
from arena.values.results import VERSION_JOINT

COLUMNS: Final = 40
"""Most terminal columns of a title."""
EXPECTED: Final = (
    f"a title of 1 to {COLUMNS} terminal columns, without control characters, direction marks or "
    "spaces at its ends"
)

_TITLES: Final[dict[str, str]] = {}
"""Titles by the names of the bots of all runs that were opened; the last one counts."""


def entitle(titles: Mapping[str, str]) -> None:
    """Make the titles of a run's bots known; ``titles``: by name, "" for a bot without one."""
    for name, title in titles.items():
        if title:
            _TITLES[name] = title + name[len(name.partition(VERSION_JOINT)[0]) :]
        else:
            _TITLES.pop(name, None)


def called(name: str) -> str:
    """Return the title of the bot ``name``, with its version; the name if it has none."""
    return _TITLES.get(name, name) if _TITLES else name


def is_fit(title: str) -> bool:
    """Return whether a text can be the title of a bot."""
    if title != title.strip() or not title or clean.cut(title, COLUMNS) != title:
        return False
    if title.isascii():
        return True
    from wcwidth import wcswidth  # slow, and few titles need it

    return wcswidth(title) > 0


def likeness(title: str) -> str:
    """Return a text that is equal for titles that people may take for the same."""
    return unicodedata.normalize("NFKC", title).casefold()
