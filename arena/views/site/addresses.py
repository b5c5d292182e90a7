"""Addresses of the pages of a site: file names that are safe in every folder and URL."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Final

INDEX: Final = "index.html"
ROUNDS: Final = "rounds/index.html"
ABOUT: Final = "about.html"
FEED: Final = "feed.xml"
_GAME: Final = 16


def bot_page(slug: str) -> str:
    """Return the address of the page of a bot."""
    return f"bots/{slug}.html"


def table_page(slug: str, part: int) -> str:
    """Return the address of a part of a table; the first part has no number."""
    return f"tables/{slug}{'' if part == 1 else f'-part-{part}'}.html"


def index_page(part: int) -> str:
    """Return the address of a part of the main table."""
    return INDEX if part == 1 else f"places-{part}.html"


def rounds_page(part: int) -> str:
    """Return the address of a part of the list of rounds or days."""
    return ROUNDS if part == 1 else f"rounds/index-{part}.html"


def round_page(key: str, part: int) -> str:
    """Return the address of a part of a round or day."""
    return f"rounds/{key}{'' if part == 1 else f'-part-{part}'}.html"


def game_page(game_id: str) -> str:
    """Return the address of the page of a game."""
    return f"games/{hashlib.sha256(game_id.encode()).hexdigest()[:_GAME]}.html"


def parts(rows: int, most: int, page: Callable[[int], str]) -> list[tuple[str, str]]:
    """Return the parts of a table with ``most`` rows per page, at least one.

    Each part has the words for its first and last row, and its page.
    """
    return [
        (f"{most * k + 1}–{min(most * (k + 1), rows)}", page(k + 1))
        for k in range(max(1, -(-rows // most)))
    ]


def relative(target: str, page: str) -> str:
    """Return the address ``target`` relative to the address ``page``."""
    return "../" * page.count("/") + target
