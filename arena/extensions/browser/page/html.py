"""Tables and blocks as HTML, and the templates of all pages.

Everything is escaped here, except drawings, which are escaped where they are made.
"""

from __future__ import annotations

import base64
import gzip
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache, partial
from typing import Any, Final, NamedTuple

import jinja2
import msgspec
from markupsafe import Markup

from arena.extensions.browser.page.drawing import axis, bar, escape, histogram, interval, markup
from arena.extensions.browser.viewer import viewer
from arena.extensions.browser.viewer.document import document
from arena.values import clean
from arena.values.numbers import trimmed
from arena.values.titles import called
from arena.views.cells import (
    Axis,
    Bar,
    Bins,
    Cell,
    JoinedCells,
    Label,
    Linked,
    Share,
    Strip,
    key_of,
    text_of,
)
from arena.views.game.replay import View
from arena.views.tables import Column, PageBlock, PageTable

PAGE: Final = "arena.extensions.browser.page"
"""Package of the templates and assets of all pages."""
_LEVEL: Final = 5
"""Level of compression; the next one makes games a tenth smaller in twice the time."""


class Addresses(NamedTuple):
    """Addresses by which a page leads to others."""

    page: str = ""
    """Its own address in the site."""
    names: Mapping[str, str] = {}
    """Address of the page or section of each bot, by name."""

    def to(self, address: str) -> str:
        """Return an address of the site relative to the page; anchors stay as they are."""
        is_inside = not address or address.startswith("#")
        return address if is_inside else "../" * self.page.count("/") + address

    def bot(self, name: str) -> str:
        """Return the address of a bot's page; empty for the page itself and for others."""
        address = self.names.get(name, "")
        return "" if address == self.page else self.to(address)


def table_html(table: PageTable, to: Addresses, *, has_caption: bool = False) -> Markup:
    """Return a table; made without a template, which takes three times as long."""
    columns, is_sorted = table.columns, table.is_sorted and table.rows > 1
    first = next((k for k, column in enumerate(columns) if column.align == "left"), 0)
    drawn = [
        _cells(column, to, is_first=k == first, has_keys=table.is_sorted)
        for k, column in enumerate(columns)
    ]
    kind = table.kind or "strips" * any(isinstance(each.header, Axis) for each in columns)
    is_matrix = kind == "matrix"
    heads = [
        _head(each, is_sorted=is_sorted, is_turned=is_matrix and k > 0)
        for k, each in enumerate(columns)
    ]
    head = "" if kind == "facts" else f"<thead><tr>\n{''.join(heads)}</tr></thead>\n"
    body = "".join(f"<tr>\n{''.join(row)}</tr>\n" for row in zip(*drawn, strict=True))
    return markup(
        '<div class="r-scroll" role="group" tabindex="0" aria-label="{}">\n<table class="{}">\n'
        "<caption{}>{}</caption>\n{}<tbody>\n{}</tbody>\n</table>\n</div>\n",
        table.caption,
        " ".join(f"r-{each}" for each in kind.split()),
        Markup("" if has_caption else ' class="visually-hidden"'),
        table.caption,
        Markup(head),
        Markup(body),
    )


def _head(column: Column, *, is_sorted: bool, is_turned: bool) -> str:
    if isinstance(column.header, Axis):
        return f'<th scope="col" class="r-{column.align} r-wide">{axis(column.header)}</th>\n'
    title = column.title
    note = f' title="{_safe(column.note or title)}"' if column.note or is_turned else ""
    shown = _safe(title)
    if is_turned:
        shown = f'<span class="r-turned">{shown}</span>'
    elif is_sorted and column.kind != "wide":
        shown = f'<button type="button" class="r-sort">{shown}</button>'
    wide = " r-wide" if column.kind == "wide" else ""
    return f'<th scope="col" class="r-{column.align}{wide}"{note}>{shown}</th>\n'


def _cells(column: Column, to: Addresses, *, is_first: bool, has_keys: bool) -> list[str]:
    """Return the cells of a column; the first one on the left names its row."""
    tag, scope = ("th", ' scope="row"') if is_first else ("td", "")
    begin, end = f'<{tag}{scope} class="r-{column.align}', f"</{tag}>\n"
    return [begin + _inside(cell, column.kind, to, has_keys) + end for cell in column.cells]


def _inside(cell: Cell, kind: str, to: Addresses, has_key: bool) -> str:
    """Return the HTML of a cell from within its class attribute to its end."""
    own, note = (cell.cell, cell.note) if isinstance(cell, Linked) else (cell, "")
    found = _kind(own, kind)
    key = key_of(own) if has_key else None
    if key is None:
        found += '"'
    else:
        found += f'" data-key="{_safe(key) if isinstance(key, str) else trimmed(key, 6)}"'
    if isinstance(own, Label):
        note = called(own.text)  # names may be cut
    if note:
        found += f' title="{_safe(note)}"'
    return f"{found}>{_shown(cell, to)}"


def _kind(cell: Cell, kind: str) -> str:
    """Return the class of a cell after a space, if it has one."""
    match kind, cell:
        case _, Label():
            return " r-name"
        case "heat", Share(value) if value is not None:
            return f" r-heat{round(10 * value)}"
        case "heat", "":
            return " r-self"
        case "heat", _:
            return " r-never"
        case "fault", _:
            return " r-fault"
    return ""


def _shown(cell: Cell, to: Addresses) -> str:
    """Return a cell as HTML: a drawing, or a text with its link."""
    if (draw := DRAWN.get(type(cell))) is not None:
        return draw(cell)
    match cell:
        case JoinedCells(parts, joint):
            return _safe(joint).join(_shown(part, to) for part in parts)
        case Linked(own, address, note):
            label = f' aria-label="{_safe(note)}"' if note else ""
            return _linked(_safe(text_of(own)), to.to(address), label)
        case Label(text):
            shown = _safe(called(text))
            titled = shown if shown == _safe(text) else f"<bdi>{shown}</bdi>"
            return _linked(titled, to.bot(text))
    return _safe(text_of(cell))


DRAWN: Final[dict[type, Callable[[Any], Markup]]] = {
    Strip: interval,
    Bins: histogram,
    Bar: bar,
}
"""How cells are drawn on pages, by type; others have their text."""


def _linked(shown: str, href: str, label: str = "") -> str:
    return f'<a href="{_safe(href)}"{label}>{shown}</a>' if href else shown


@lru_cache(maxsize=1 << 14)
def _safe(text: str) -> str:
    """Return the text escaped; cached, as the same names and numbers recur."""
    return str(escape(text))


@cache
def template(name: str) -> jinja2.Template:
    """Return a template, compiled once in a process."""
    return _environment().get_template(name)


@cache
def _environment() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.PackageLoader(PAGE),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        finalize=lambda value: escape(value) if isinstance(value, str) else value,
    )


def rendered(template_name: str, to: Addresses, **values: Any) -> str:
    """Return a page by its template; ``to``: the addresses that its tables lead to."""
    return template(template_name).render(grid=partial(table_html, to=to), up=to.to, **values)


def packed(value: Any) -> str:
    """Return compressed JSON as text that is safe in HTML; equal for equal values."""
    data = clean.json_text(msgspec.json.encode(value)).encode()
    return base64.b64encode(gzip.compress(data, _LEVEL, mtime=0)).decode()


def game_page(shown: Mapping[str, Any]) -> str:
    """Return a game as one file that requests nothing; ``shown``: its document."""
    game, view = shown["game"], shown["views"][0]
    scripts = [*viewer.scripts_of([game["rules"]]), viewer.asset("open.js")]
    return rendered(
        "game.html.jinja",
        Addresses(),
        generator="arena replay",
        policy=viewer.policy(scripts),
        frame=None,
        name=game["title"],
        title=" – ".join(game["names"]),
        result=view["result"],
        view=view,
        style=Markup(viewer.style_of([game["rules"]])),
        scripts=[Markup(script) for script in scripts],
        document=packed(shown),
    )


def page_of(views: Sequence[View]) -> str:
    """Return ``game_page`` of a game with these views."""
    return game_page(document(views))


def plain_page(title: str, blocks: Sequence[PageBlock], notices: Sequence[str]) -> str:
    """Return the page of a ladder, without scripts; ``notices``: texts below the title."""
    style = "\n".join([viewer.asset("theme.css"), viewer.asset("report.css", PAGE)])
    return rendered(
        "plain.html.jinja",
        Addresses(),
        title=title,
        generator="arena ladder",
        policy=viewer.policy(),
        style=Markup(style),
        blocks=blocks,
        notices=notices,
    )
