"""Pages as HTML: the frame that all have in common, and the files that they share.

Blocks, tables and their look are those of the report. Everything is escaped here, but drawings,
which are where they are made.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from functools import cache, partial
from importlib import resources
from typing import Final, NamedTuple

import jinja2
from markupsafe import Markup, escape

import arena
from arena.text import clean
from arena.views.game.viewer import page as viewer
from arena.views.page import render as report
from arena.views.page.blocks.block import Block
from arena.views.page.drawing.grids import Cell
from arena.views.page.model import Fact
from arena.views.site.addresses import ABOUT, FEED, INDEX, ROUNDS, relative, table_page

_REPORT: Final = "arena.views.page"
_DIGEST: Final = 10
_SOURCES: Final = "'self' file:"
"""Where styles and scripts are loaded from: in a browser ``'self'`` is no file."""
_POLICY: Final = (
    f"default-src 'none'; script-src {_SOURCES}; style-src {_SOURCES} 'unsafe-inline'; "
    "base-uri 'none'; form-action 'none'"
)
_START: Final = "arena.sort.start();\n"


class Frame(NamedTuple):
    """What all pages of a site have in common."""

    name: str
    menu: tuple[tuple[str, str], ...]
    """Texts with the addresses of pages."""
    style: str
    script: str
    viewer_style: str
    viewer: str


class Page(NamedTuple):
    """A page but for its frame. Texts are safe to show, as ``clean.plain`` makes them."""

    name: str
    """Its address."""
    title: str
    blocks: Sequence[Block]
    facts: Sequence[Fact] = ()
    notices: Sequence[str] = ()
    mark: str = ""
    """Small, behind the title."""
    parts: Sequence[tuple[str, str]] = ()
    """Of a table on several pages: texts with their addresses."""


class Asset(NamedTuple):
    """A file that pages share; its name changes with what it holds."""

    name: str
    data: bytes


def _asset(stem: str, ending: str, texts: Sequence[str]) -> Asset:
    data = "\n".join(texts).encode()
    return Asset(f"assets/{stem}-{hashlib.sha256(data).hexdigest()[:_DIGEST]}.{ending}", data)


def style() -> Asset:
    """Of every page."""
    own = [viewer.asset("theme.css"), report.asset("report.css"), _text("assets/site.css")]
    return _asset("site", "css", own)


def script() -> Asset:
    """Of every page but games: without it tables cannot be sorted."""
    own = [_text("assets/site.js"), report.asset("report-sort.js"), _START]
    return _asset("site", "js", own)


def viewer_style(rules: Sequence[str]) -> Asset:
    """Of games by these rules."""
    own = [*map(viewer.asset, viewer.STYLES), *viewer.board_styles(rules)]
    return _asset("viewer", "css", own)


def viewer_script(rules: Sequence[str]) -> Asset:
    """Of games by these rules."""
    own = [*map(viewer.asset, viewer.SCRIPTS), *viewer.board_scripts(rules)]
    return _asset("viewer", "js", [*own, _text("assets/site-game.js")])


def frame_of(
    name: str, rules: Sequence[str], noun: str, tables: Sequence[tuple[str, str]]
) -> tuple[Frame, list[Asset]]:
    """The frame, and the files that it names.

    ``noun``: what rounds or days are called, empty if there are none. ``tables``: titles of tables
    beside the main one, with what stands for them in addresses.
    """
    assets = [style(), script(), viewer_style(rules), viewer_script(rules)]
    menu = [("Standings", INDEX)]
    menu += [(clean.plain(title), table_page(slug, 1)) for title, slug in tables]
    if noun:
        menu.append((f"{noun.capitalize()}s", ROUNDS))
    menu += [("Rules", ABOUT), ("Feed", FEED)]
    return Frame(clean.plain(name), tuple(menu), *(each.name for each in assets)), assets


def html(frame: Frame, page: Page) -> bytes:
    """The file."""
    text = _template("site.html.jinja").render(
        frame=frame,
        page=page,
        policy=_POLICY,
        feed=FEED,
        index=INDEX,
        up=partial(relative, page=page.name),
    )
    return text.encode("utf-8", "replace")


def game_html(frame: Frame, name: str, title: str, result: str, document: str) -> bytes:
    """The page of a game; ``document``: packed as the report packs it."""
    text = _template("game.html.jinja").render(
        frame=frame,
        title=title,
        result=result,
        document=document,
        policy=_POLICY,
        index=INDEX,
        up=partial(relative, page=name),
    )
    return text.encode("utf-8", "replace")


def link(text: str, address: str, page: str) -> Markup:
    """A link from a page, or the text alone without an address."""
    shown = escape(clean.plain(text))
    if not address:
        return shown
    return Markup(f'<a href="{escape(relative(address, page))}">{shown}</a>')


def linked(parts: Sequence[Markup], joint: str = "") -> Cell:
    """A cell of several texts and links."""
    return Cell("", plot=Markup(escape(joint)).join(parts))


def made_by() -> bytes:
    """Differs between programs that may write pages of equal content in other bytes."""
    hasher = hashlib.sha256(arena.__version__.encode())
    for text in _sources():
        hasher.update(text.encode())
    return hasher.digest()


def _sources() -> Iterator[str]:
    own = resources.files(__package__)
    for folder in (own, own / "pages", own / "templates"):
        for each in sorted(folder.iterdir(), key=lambda path: path.name):
            if each.name.endswith((".py", ".jinja")):
                yield each.read_text("utf-8")


def _text(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text("utf-8")


@cache
def _template(name: str) -> jinja2.Template:
    loaders = [jinja2.PackageLoader("arena.views.site"), jinja2.PackageLoader(_REPORT)]
    environment = jinja2.Environment(
        loader=jinja2.ChoiceLoader(loaders),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(name)
