"""Addresses of the pages of a site: file names that are safe in every folder and URL.

Names of bots come from run folders that are not trusted.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable
from typing import Final

INDEX: Final = "index.html"
ROUNDS: Final = "rounds/index.html"
ABOUT: Final = "about.html"
FEED: Final = "feed.xml"
_SAFE: Final = re.compile(r"[a-z0-9][a-z0-9._-]{0,79}")
_UNSAFE: Final = re.compile(r"[^a-z0-9]+")
_DIGEST: Final = 8
_GAME: Final = 16


def slugs(names: Iterable[str]) -> dict[str, str]:
    """Return the part of an address for each name; all differ even if case is ignored."""
    found: dict[str, str] = {}
    taken = {"index"}
    for name in names:
        slug = name
        if not _SAFE.fullmatch(name) or name in taken:
            digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
            slug = f"{_UNSAFE.sub('-', name.casefold()).strip('-')[:40]}-{digest[:_DIGEST]}"
            slug = slug.lstrip("-")
        while slug in taken:
            slug += "-2"
        taken.add(slug)
        found[name] = slug
    return found


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
