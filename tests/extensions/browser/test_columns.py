"""A column of the ratings, declared once, appears in every form."""

from __future__ import annotations

import csv
import io
import json
from operator import itemgetter
from typing import NamedTuple

import pytest
from markupsafe import Markup

from arena.extensions.browser.page.html import DRAWN, Addresses, table_html
from arena.extensions.browser.page.standings import standings_blocks
from arena.ratings.counting.tally import Tally
from arena.ratings.elo.rating import Rated
from arena.ratings.elo.standings import Standings
from arena.runs.reader import StoredRun
from arena.values.numbers import fixed
from arena.views.cells import FORMS, CellForm, Quantity
from arena.views.standings import ratings_table, tables
from arena.views.standings.standings import SectionData, parts_of
from arena.views.tables import PageTable
from tests.extensions.browser.site.competitions import swiss
from tests.extensions.browser.site.test_site import build, cells, tree
from tests.extensions.studies.full.test_panels import solo_section

TABLE = "arena.views.standings.ratings_table"


@pytest.mark.extensions("rounds")
def test_a_toy_column_appears_in_every_form(tmp_path, monkeypatch) -> None:
    def half_points(row: Rated, standings: Standings) -> Quantity:
        return Quantity(2 * row.points)

    cup, *_ = swiss(tmp_path / "cup", 6, 3, 2, planned=5)
    toy = ratings_table.RatingColumn("half-points", half_points, key="half_points")
    monkeypatch.setattr(f"{TABLE}.COLUMNS", (*ratings_table.COLUMNS, toy))
    (part,) = parts_of(StoredRun(tmp_path / "cup"))
    sections = [part.section]
    assert "half-points" in tables.text(sections)
    assert "half-points" in tables.markdown(sections)
    expected = [2 * row.points for row in part.section.standings.rows]
    rows = csv.DictReader(io.StringIO(tables.csv_text(sections)))
    assert [float(row["half_points"]) for row in rows] == expected
    document = json.loads(tables.json_text(sections))
    assert [row["half_points"] for row in document["tables"][0]["data"]["rows"]] == expected
    report = next(b for b in standings_blocks(part, is_linked=False) if b.key == "standings")
    assert report.tables[0].columns[-1].title == "half-points"
    build(cup, tmp_path / "site")
    page = tree(tmp_path / "site")["index.html"]
    assert b"half-points" in page
    shown = {text for row in cells(page) for text in row}
    assert {fixed(each, 0) for each in expected} <= shown


def test_a_toy_column_of_mean_scores_appears_in_every_form(monkeypatch) -> None:
    def doubled(row: Rated, standings: Standings) -> Quantity:
        return Quantity(2 * row.games)

    section, counted = solo_section()
    toy = ratings_table.RatingColumn("twice", doubled, key="twice")
    monkeypatch.setattr(f"{TABLE}.COLUMNS", (*ratings_table.COLUMNS, toy))
    assert "twice" in tables.text([section])
    assert "twice" in tables.markdown([section])
    rows = csv.DictReader(io.StringIO(tables.csv_text([section])))
    assert [row["twice"] for row in rows] == ["40"] * 4
    document = json.loads(tables.json_text([section]))
    assert [row["twice"] for row in document["tables"][0]["data"]["rows"]] == [40] * 4
    tally = Tally()
    tally.solo["solo"] = counted
    part = SectionData(section, tally, None)
    report = next(b for b in standings_blocks(part, is_linked=False) if b.key == "standings")
    assert report.tables[0].columns[-1].title == "twice"


class Stars(NamedTuple):
    """A cell as somebody may add one."""

    number: int


def test_a_toy_cell_is_a_line_beside_its_class_and_one_where_it_is_drawn(monkeypatch) -> None:
    monkeypatch.setitem(FORMS, Stars, CellForm(lambda cell: "*" * cell.number, itemgetter(0)))
    toy = ratings_table.RatingColumn("stars", lambda row, _: Stars(row.games % 7), key="stars")
    monkeypatch.setattr(f"{TABLE}.COLUMNS", (*ratings_table.COLUMNS, toy))
    section, _ = solo_section()
    games = [row.games % 7 for row in section.standings.rows]
    assert games == [6] * 4
    assert tables.text([section]).count("******") == 4
    assert tables.markdown([section]).count(r"\*" * 6) == 4
    assert tables.csv_text([section]).count(",6") >= 4
    (table,) = json.loads(tables.json_text([section]))["tables"]
    assert [row["stars"] for row in table["data"]["rows"]] == games
    shown = PageTable("t", ratings_table.columns_of(section.standings))
    assert str(table_html(shown, Addresses())).count('data-key="6">******<') == 4
    monkeypatch.setitem(DRAWN, Stars, lambda cell: Markup("<b>{}</b>").format(cell.number))
    assert str(table_html(shown, Addresses())).count('data-key="6"><b>6</b><') == 4
