"""Where the pages of a site are: names of files that are safe in every folder and address.

Names of bots come from a run folder that may be anybody's.
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
    """By name what stands for it in an address; no two are alike, in small letters neither."""
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
    """Of a bot."""
    return f"bots/{slug}.html"


def table_page(slug: str, part: int) -> str:
    """Of a table: its first part has a name of its own."""
    return f"tables/{slug}{'' if part == 1 else f'-part-{part}'}.html"


def index_page(part: int) -> str:
    """Of the main table."""
    return INDEX if part == 1 else f"places-{part}.html"


def rounds_page(part: int) -> str:
    """Of the list of rounds or days."""
    return ROUNDS if part == 1 else f"rounds/index-{part}.html"


def round_page(key: str, part: int) -> str:
    """Of a round or day."""
    return f"rounds/{key}{'' if part == 1 else f'-part-{part}'}.html"


def game_page(game_id: str) -> str:
    """Of a game."""
    return f"games/{hashlib.sha256(game_id.encode()).hexdigest()[:_GAME]}.html"


def parts(rows: int, most: int, page: Callable[[int], str]) -> list[tuple[str, str]]:
    """Of a table with at most so many rows on a page: the first and last row of each part, and its
    page. There is one at least."""
    return [
        (f"{most * k + 1}–{min(most * (k + 1), rows)}", page(k + 1))
        for k in range(max(1, -(-rows // most)))
    ]


def relative(target: str, page: str) -> str:
    """The address of a page as another one names it."""
    return "../" * page.count("/") + target
