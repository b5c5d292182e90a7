"""The viewer of games in a browser: its styles and scripts, and what a page may load."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Iterator
from importlib import resources
from typing import Any, Final

import msgspec

from arena.games.guarded_board import drawing_texts
from arena.values import clean
from arena.values.titles import called

STYLES: Final = ("theme.css", "cards.css", "viewer.css", "viewer/forms.css", "generic.css")
SCRIPTS: Final = (
    "vendor/htm-preact.js",
    "namespace.js",
    "viewer/model.js",
    "viewer/place.js",
    "viewer/theme.js",
    "viewer/keys.js",
    "viewer/timeline.js",
    "viewer/moves.js",
    "viewer/panel.js",
    "viewer/transport.js",
    "viewer/help.js",
    "viewer/shell.js",
    "viewer.js",
    "generic.js",
)
"""Scripts in the order of their dependencies; the board of the game follows them."""
FILES: Final = "'self' file:"
"""Sources of files beside a page; in a browser ``'self'`` does not include files."""


def asset(name: str, package: str = __package__) -> str:
    """Return the text of a file in the folder ``assets`` of a package."""
    return resources.files(package).joinpath("assets", name).read_text("utf-8")


def board_styles(games: Iterable[str]) -> Iterator[str]:
    """Yield the styles of the boards that these games provide."""
    for game in games:
        if (drawing := drawing_texts(game)) is not None:
            yield from drawing.styles


def board_scripts(games: Iterable[str]) -> Iterator[str]:
    """Yield the scripts of the boards, each after the facts that it needs of its rules."""
    for game in games:
        if (drawing := drawing_texts(game)) is not None:
            facts = json_for_html(msgspec.Raw(drawing.facts))
            yield f"arena.facts[{json_for_html(game)}] = {facts};"
            yield from drawing.scripts


def json_for_html(value: Any) -> str:
    """Return JSON that is safe in a ``<script>`` of HTML: no text in it ends the element."""
    return clean.json_text(msgspec.json.encode(value)).replace("<", "\\u003c")


def style_of(games: Iterable[str]) -> str:
    """Return the style of a page that shows these games."""
    return "\n".join([*map(asset, STYLES), *board_styles(games)])


def scripts_of(games: Iterable[str]) -> list[str]:
    """Return the scripts of a page that shows these games, in order."""
    return ["\n".join(map(asset, SCRIPTS)), *board_scripts(games)]


def policy(scripts: Iterable[str] = (), *, also: str = "", styles: str = "") -> str:
    """Return a Content-Security-Policy that allows these scripts and no requests.

    ``also``, ``styles``: further sources from which the page may load scripts and styles.
    """
    digests = (hashlib.sha256(script.encode()).digest() for script in scripts)
    hashes = (f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)
    sources = " ".join(filter(None, [also, *hashes]))
    return (
        f"default-src 'none'; script-src {sources}; "
        f"style-src {f'{styles} '.lstrip()}'unsafe-inline'; base-uri 'none'; form-action 'none'"
    )


_NAMES: Final = frozenset({"name", "anchor", "entrants"})
"""Keys of documents for pages under which names of bots are."""


def for_page(value: Any, key: str = "") -> Any:
    """Return a document of a page, as plain values, with the titles of bots for their names."""
    match value:
        case dict():
            return {own: for_page(each, own) for own, each in value.items()}
        case list() | tuple():
            return [for_page(each, key) for each in value]
        case str() if key in _NAMES:
            return called(value)
    return value
