"""Tables and drawings as HTML: whatever others wrote in them is escaped."""

from __future__ import annotations

from collections.abc import Sequence
from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup

from arena.extensions.browser.page.drawing import markup
from arena.extensions.browser.page.html import Addresses, table_html
from arena.values import clean
from arena.values.numbers import PlotScale
from arena.views.cells import Axis, Linked, Strip, Text
from arena.views.tables import Column, PageTable

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\x00"), min_size=1)


class _Cells(HTMLParser):
    """Each tag with its attributes, and the texts."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts = ""
        self.feed(str(html))  # Markup would escape what is cut from it
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.texts += data


def body(columns: Sequence[Column]) -> str:
    """The rows of a table as HTML."""
    text = str(table_html(PageTable("", columns), Addresses()))
    return text.partition("<tbody>\n")[2].partition("</tbody>")[0]


@given(TEXTS, TEXTS, TEXTS, TEXTS)
def test_a_cell_says_what_it_was_told_and_nothing_else(text, key, href, title) -> None:
    text, key, href, title = map(clean.shown, (text, key, href, title))
    columns = [
        Column("a", "left", [Linked(Text(text, key), f"#{href}", title)]),
        Column("b", "right", ["1"]),
    ]
    found = _Cells(body(columns))
    assert found.tags == [
        ("tr", {}),
        ("th", {"scope": "row", "class": "r-left", "data-key": key, "title": title}),
        ("a", {"href": f"#{href}", "aria-label": title}),
        ("td", {"class": "r-right", "data-key": "1"}),
    ]
    assert found.texts.replace("\n", "") == f"{text}1".replace("\n", "")


def test_a_cell_is_sorted_by_a_number_and_holds_a_drawing_as_it_is() -> None:
    scale = PlotScale(0.0, 1.0)
    columns = [
        Column("a", "left", ["x"]),
        Column("b", "right", [Text("much", 2.5)]),
        Column(Axis(scale), "left", [Strip(scale, 0.5, None, None, "<half>")]),
    ]
    found = body(columns)
    assert '<td class="r-right" data-key="2.5">much</td>' in found
    assert '<td class="r-left"><svg' in found
    assert "<title>&lt;half&gt;</title>" in found


@given(st.text(), st.integers(), st.floats(allow_nan=False), st.text())
def test_drawings_are_made_as_markupsafe_makes_them(text, whole, number, other) -> None:
    pattern = '<text x="{}" y="{:.2f}" class="{}">{}</text>{}'
    text, other = map(clean.shown, (text, other))  # what a browser obeys is replaced
    own = (whole, number, other, text, Markup("<b>{}</b>").format(other))
    assert markup(pattern, *own) == Markup(pattern).format(*own)
