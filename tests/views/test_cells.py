"""All forms show the same text of a cell, whatever is in it, and sort by its value."""

from __future__ import annotations

import csv
import html
import io
import math
import re
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from arena.values import clean
from arena.values.numbers import NOTHING
from arena.views.cells import (
    Cell,
    Duration,
    HalfWidth,
    Interval,
    JoinedCells,
    Label,
    Linked,
    Quantity,
    Share,
    Stack,
    Text,
    is_empty,
    key_of,
    text_of,
)
from arena.views.tables import Column, draw_text, markdown_table

TEXTS = st.text(
    st.characters(codec="utf-8", exclude_characters="\n\t")
    | st.sampled_from("|\\`*_[]()<>&@#~!$=+-\x1b\u202e")
)
NUMBERS = st.none() | st.floats(-1e6, 1e6)
DIGITS = st.integers(0, 3)
SIMPLE: st.SearchStrategy[Cell] = st.one_of(
    TEXTS,
    st.integers(-999, 10**9),
    st.builds(Label, TEXTS, st.just(10**6)),
    st.builds(Text, TEXTS, NUMBERS),
    st.builds(Quantity, NUMBERS, DIGITS, st.booleans(), st.sampled_from(["", "*", "<"])),
    st.builds(
        Share, st.none() | st.floats(0, 1), DIGITS, st.booleans(), st.just("*"), st.just(" %")
    ),
    st.builds(Interval, NUMBERS, NUMBERS, NUMBERS),
    st.builds(HalfWidth, st.none() | st.floats(0, 1e4), DIGITS),
    st.builds(Duration, st.none() | st.floats(0, 1e10)),
)
PARTS = st.lists(SIMPLE, min_size=1, max_size=3)
CELLS = (
    SIMPLE
    | st.builds(Stack, PARTS)
    | st.builds(JoinedCells, PARTS, st.just(" v "))
    | st.builds(Linked, SIMPLE, TEXTS, TEXTS)
)
HOLDERS = (Text, Label, Stack, Interval, JoinedCells, Linked)


def words(text: str) -> list[str]:
    """The text without what a form may add: spaces, and lines between the parts of a cell."""
    return text.split()


@given(CELLS)
def test_every_form_has_the_same_text(cell: Cell) -> None:
    expected = words(clean.plain(text_of(cell)))
    columns = [Column("x", "left", [cell])]
    drawn = draw_text(columns, None).split("\n")[2:]
    assert [word for line in drawn for word in words(line)] == expected
    marked = markdown_table(columns).split("\n")[2].removeprefix("|").removesuffix("|")
    shown = html.unescape(re.sub(r"\\(.)", r"\1", marked.replace("@<!-- -->", "@")))
    assert words(shown) == expected
    for text in ("".join(drawn), marked):
        assert {unicodedata.category(c) for c in text}.isdisjoint(clean.UNSAFE)


@given(CELLS)
def test_a_column_is_sorted_by_values(cell: Cell) -> None:
    key = key_of(cell)
    if is_empty(cell):
        assert key is None or isinstance(cell, HOLDERS) or key == ""
    elif isinstance(cell, int | Quantity | Share | HalfWidth | Duration):
        assert isinstance(key, float)
        assert not math.isnan(key)
    assert NOTHING not in (key,)


@given(st.lists(TEXTS | st.integers() | st.floats(allow_nan=False), min_size=1))
def test_a_line_of_csv_that_is_shown_is_harmless_and_read_back(row: list[object]) -> None:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerow(clean.shown_cells(row))
    [found] = csv.reader(io.StringIO(out.getvalue()))
    for before, after in zip(row, found, strict=True):
        if isinstance(before, str):
            assert after[:1] not in clean.FORMULA or after[:1] == "'"
            assert after.removeprefix("'" * (after[:1] == "'")) == clean.plain(before)
        else:
            assert type(before)(after) == before
