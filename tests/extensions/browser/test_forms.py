"""Pages say the same as all other forms, and nothing of a bot becomes HTML."""

from __future__ import annotations

import html
import re
import unicodedata
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.extensions.browser.live.games import LiveGames
from arena.extensions.browser.page.games import GameSelection, Which
from arena.extensions.browser.page.html import Addresses, table_html
from arena.extensions.browser.page.render import html as page_html
from arena.extensions.browser.page.report import RunReport
from arena.extensions.browser.site.feed import lead_entry
from arena.extensions.studies.several.history import combined
from arena.runs.reader import StoredRun
from arena.values import clean
from arena.values.numbers import PlotScale
from arena.views.cells import Axis, Bar, Bins, Cell, Label, Linked, Strip, text_of
from arena.views.standings.asked import Asked
from arena.views.standings.headline import heading
from arena.views.tables import Column, PageTable, draw_text, markdown_table
from tests.extensions.browser.page.pages import page_of, round_robin
from tests.extensions.browser.page.test_page import Seen
from tests.extensions.studies.several.test_history import NAMES
from tests.extensions.studies.several.test_history import runs as runs
from tests.views.standings.test_counted import play
from tests.views.standings.test_headline import SAID
from tests.views.standings.test_machines import HOSTILE, VOIDED, run_of, stored, three
from tests.views.test_cells import CELLS, NUMBERS, TEXTS, words

NO_GAMES: Final = GameSelection(Which.NONE)
_TAG: Final = re.compile(r"<[^<>]*>")


@given(CELLS)
def test_a_page_has_the_text_of_a_cell(cell: Cell) -> None:
    columns = [Column("x", "left", [cell])]
    body = str(table_html(PageTable("t", columns), Addresses())).partition("<tbody>")[2]
    assert words(html.unescape(_TAG.sub("", body))) == words(clean.plain(text_of(cell)))
    shown = body.replace("\n", "")
    assert {unicodedata.category(c) for c in shown}.isdisjoint(clean.UNSAFE)


SCALE = PlotScale(0.0, 1.0)
DRAWINGS = st.one_of(
    st.builds(Strip, st.just(SCALE), NUMBERS, NUMBERS, NUMBERS, TEXTS, st.booleans(), NUMBERS),
    st.builds(Bins, st.just(SCALE), st.just([(0.0, 1.0, 3)]), TEXTS, NUMBERS, NUMBERS),
    st.builds(Bar, st.floats(-1, 2), TEXTS),
)


@given(DRAWINGS, TEXTS, TEXTS)
def test_words_of_drawings_headers_and_notes_are_escaped(cell, header, note) -> None:
    def page(drawn: Cell, header: str, note: str) -> str:
        """A table with these texts wherever a table may have one."""
        columns = [
            Column(Axis(SCALE, header), "left", [drawn], note=note),
            Column(Label(header), "left", [Linked("x", note, note)], note=note),
        ]
        for text in (draw_text(columns, None), markdown_table(columns)):
            shown = text.replace("\n", "")
            assert {unicodedata.category(c) for c in shown}.isdisjoint(clean.UNSAFE)
        return str(table_html(PageTable(header, columns), Addresses("a/b", {header: note})))

    found = page(cell, f"x{header}", f"x{note}")
    assert {unicodedata.category(c) for c in found.replace("\n", "")}.isdisjoint(clean.UNSAFE)
    assert found.count("<") == page(cell._replace(words="x"), "x", "x").count("<")


@pytest.mark.parametrize(("headline", "title", "evidence"), SAID)
def test_a_page_says_the_headline_once(headline, title, evidence) -> None:
    words = f"{title}{': ' if 'knockout' in title and evidence else ' '}{evidence}".rstrip()
    head = heading(headline, "cup", is_over=headline.has_won)
    page = page_of(["greedy", "random"], round_robin(["greedy", "random"]))
    part = page.parts[-1]
    section = part.section._replace(headline=headline)
    part = part._replace(data=part.data._replace(section=section))
    shown = html.unescape(page_html(page._replace(parts=[part]), {}))
    assert f'<h1 id="title">{head.title}</h1>' in shown
    assert re.findall(r'<p class="r-lede">(.*)</p>', shown) == [head.evidence] * bool(evidence)
    entry = lead_entry(headline, "lead", "2026-11-28T10:00:00Z", "after day 1", "index.html")
    assert (entry.title, entry.text) == (title, f"{words} after day 1")


def test_a_page_draws_versions(runs: list[Path]) -> None:
    sources = [(path, path.name) for path in runs]
    (part,) = combined(sources, Asked().model, history=["anna"])
    ((table,),) = (block.tables for block in part.section.panels())
    assert str(table_html(table, Addresses())).count("r-dot") == len(NAMES)


def test_machines_are_on_pages_of_the_organiser_alone(tmp_path: Path) -> None:
    run = run_of(tmp_path, three, VOIDED)
    for is_public in (False, True):
        text = page_html(RunReport(run, NO_GAMES, is_public=is_public).page("", lambda rank: 0), {})
        assert (">Machines<" in text) is not is_public
        assert (">slow<" in text) is not is_public


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE)
def test_hostile_names_on_the_page(tmp_path: Path, name: str) -> None:
    pages = []
    for number, machine in enumerate((name, "harmless")):
        folder = tmp_path / str(number)
        folder.mkdir()
        run = run_of(folder, lambda n, game, own=machine: stored(game, own if n % 2 else ""))
        pages.append(
            page_html(RunReport(run, NO_GAMES, is_public=False).page("", lambda rank: 0), {})
        )
    text, plain = pages
    seen, other = Seen(text), Seen(plain)
    assert ">Machines<" in text
    assert seen.tags == other.tags
    assert seen.names == other.names
    assert not {"\x1b", "\u202e"} & set(text)
    assert len(text) < len(plain) + 5_000


@pytest.mark.parametrize(
    "schedule",
    [
        "deals: 2",
        pytest.param("kind: swiss, rounds: 1, deals: 2", marks=pytest.mark.extensions("rounds")),
    ],
)
def test_what_is_watched_counts_whole_blocks(tmp_path: Path, schedule: str) -> None:
    play(tmp_path, "abc", 5, schedule=schedule)
    (tmp_path / "a/main.py").write_text("# another\n")
    (section,) = play(tmp_path, "abc", 0, schedule=schedule).sections
    live = LiveGames(StoredRun(tmp_path / "run"))
    assert live.read(60)
    assert live.sections(live.verdict())[0].standings == section.standings
