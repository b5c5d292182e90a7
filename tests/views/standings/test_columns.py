"""A column of the ratings, declared once, appears in every form."""

from __future__ import annotations

import csv
import io
import json

from arena.ratings.elo.standings import Standing, Standings
from arena.runs.reader import StoredRun
from arena.text.numbers import fixed
from arena.views.page.blocks.standings import standings_blocks
from arena.views.standings import tables
from arena.views.standings.ratings_table import COLUMNS, RatingCell, RatingColumn
from arena.views.standings.standings import parts_of
from tests.views.site.competitions import swiss
from tests.views.site.test_site import build, cells, tree


def test_a_toy_column_appears_in_every_form(tmp_path, monkeypatch) -> None:
    def half_points(row: Standing, standings: Standings) -> RatingCell:
        return RatingCell(fixed(2 * row.points, 0), 2 * row.points)

    cup, *_ = swiss(tmp_path / "cup", 6, 3, 2, planned=5)
    toy = RatingColumn("half-points", half_points, key="half_points")
    monkeypatch.setattr("arena.views.standings.ratings_table.COLUMNS", (*COLUMNS, toy))
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
    assert report.tables[0].heads[-1].text == "half-points"
    build(cup, tmp_path / "site")
    page = tree(tmp_path / "site")["index.html"]
    assert b"half-points" in page
    shown = {text for row in cells(page) for text in row}
    assert {fixed(each, 0) for each in expected} <= shown
