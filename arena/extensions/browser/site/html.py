"""Pages as HTML: their addresses, their common frame, and the files that they share.

Addresses are file names that are safe in every folder and URL. Blocks, tables and their style are
those of the report.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple

from arena.extensions.browser.page.html import PAGE, Addresses, rendered
from arena.extensions.browser.page.model import Page
from arena.extensions.browser.viewer import viewer

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


_DIGEST: Final = 10
_POLICY: Final = viewer.policy(also=viewer.FILES, styles=viewer.FILES)
_START: Final = "arena.sort.start();\n"


class Frame(NamedTuple):
    """The common parts of all pages of a site."""

    name: str
    menu: tuple[tuple[str, str], ...]
    """Pairs of text and page address."""
    style: str
    script: str
    viewer_style: str
    viewer: str


class Asset(NamedTuple):
    """A file that pages share; its name changes with its contents."""

    name: str
    data: bytes


_own = partial(viewer.asset, package=PAGE)


def _asset(stem: str, ending: str, texts: Sequence[str]) -> Asset:
    data = "\n".join(texts).encode()
    return Asset(f"assets/{stem}-{hashlib.sha256(data).hexdigest()[:_DIGEST]}.{ending}", data)


def style() -> Asset:
    """Return the style sheet of every page."""
    own = [viewer.asset("theme.css"), _own("report.css"), _own("site.css")]
    return _asset("site", "css", own)


def script() -> Asset:
    """Return the script that sorts tables, for every page except games."""
    own = [_own("site.js"), _own("report-sort.js"), _START]
    return _asset("site", "js", own)


def viewer_style(rules: Sequence[str]) -> Asset:
    """Return the style sheet of games by these rules."""
    return _asset("viewer", "css", [viewer.style_of(rules)])


def viewer_script(rules: Sequence[str]) -> Asset:
    """Return the script of games by these rules."""
    return _asset("viewer", "js", [*viewer.scripts_of(rules), viewer.asset("open.js")])


def frame_of(
    name: str, rules: Sequence[str], noun: str, tables: Sequence[tuple[str, str]]
) -> tuple[Frame, list[Asset]]:
    """Return the frame, and the files that it names.

    ``noun``: word for a round or day; empty without any. ``tables``: titles of the tables besides
    the main one, with their parts of addresses.
    """
    assets = [style(), script(), viewer_style(rules), viewer_script(rules)]
    menu = [("Standings", INDEX)]
    menu += [(title, table_page(slug, 1)) for title, slug in tables]
    if noun:
        menu.append((f"{noun.capitalize()}s", ROUNDS))
    menu += [("Rules", ABOUT), ("Feed", FEED)]
    return Frame(name, tuple(menu), *(each.name for each in assets)), assets


def html(frame: Frame, page: Page, names: Mapping[str, str]) -> bytes:
    """Return ``page`` in ``frame`` as the text of an HTML file.

    ``names``: addresses of the pages of bots, by name.
    """
    text = rendered(
        "site.html.jinja",
        Addresses(page.name, names),
        frame=frame,
        page=page,
        policy=_POLICY,
        feed=FEED,
        index=INDEX,
    )
    return text.encode("utf-8", "replace")


def game_html(frame: Frame, name: str, title: str, result: str, document: str) -> bytes:
    """Return the page of a game; ``document``: packed as in the report."""
    text = rendered(
        "game.html.jinja",
        Addresses(name),
        generator="arena site",
        policy=_POLICY,
        frame=frame,
        name=frame.name,
        title=title,
        result=result,
        view=None,
        document=document,
        index=INDEX,
    )
    return text.encode("utf-8", "replace")
