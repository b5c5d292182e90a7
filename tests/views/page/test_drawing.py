"""Tables and drawings as HTML: whatever others wrote in them is escaped."""

from __future__ import annotations

from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup

from arena.text import clean
from arena.text.cells import Text
from arena.views.page.blocks.block import GridCell, GridTable, Head
from arena.views.page.drawing import made

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


@given(TEXTS, TEXTS, TEXTS, TEXTS)
def test_a_cell_says_what_it_was_told_and_nothing_else(text, key, href, title) -> None:
    text, key, href, title = map(clean.shown, (text, key, href, title))
    table = GridTable(
        "", [Head("a"), Head("b", "right")], [[GridCell(Text(text, key), href, title), "1"]]
    )
    found = _Cells(table.body)
    assert found.tags == [
        ("tr", {}),
        ("th", {"scope": "row", "class": "r-left", "data-key": key, "title": title}),
        ("a", {"href": href, "aria-label": title}),
        ("td", {"class": "r-right", "data-key": "1"}),
    ]
    assert found.texts.replace("\n", "") == f"{text}1".replace("\n", "")


def test_a_cell_is_sorted_by_a_number_and_holds_a_drawing_as_it_is() -> None:
    cell = GridCell(Text("", 2.5), kind="r-wide", plot=Markup("<svg></svg>"))
    table = GridTable("", [Head("")], [[cell]], "", 1)
    assert table.body == (
        '<tr>\n<td class="r-left r-wide" data-key="2.5"><svg></svg></td>\n</tr>\n'
    )


@given(st.text(), st.integers(), st.floats(allow_nan=False), st.text())
def test_drawings_are_made_as_markupsafe_makes_them(text, whole, number, other) -> None:
    pattern = '<text x="{}" y="{:.2f}" class="{}">{}</text>{}'
    text, other = map(clean.shown, (text, other))  # what a browser obeys is replaced
    own = (whole, number, other, text, Markup("<b>{}</b>").format(other))
    assert made(pattern, *own) == Markup(pattern).format(*own)
