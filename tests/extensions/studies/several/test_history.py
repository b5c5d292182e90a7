"""The versions of a bot in a terminal, in Markdown, as data and on a page."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arena.extensions.studies.several.history import (
    combined,
    versions_of,
    with_history,
)
from arena.extensions.studies.several.several import rated_parts
from arena.ratings.elo.rating import Bound, Rated
from arena.values.bad_input import BadInput
from arena.values.numbers import PlotScale
from arena.views.cells import text_of
from arena.views.standings.asked import Asked
from arena.views.standings.ratings_table import _strip
from arena.views.standings.standings import StandingsTable, render
from arena.views.tables import _strip_line
from tests.extensions.studies.several.test_several import file_of, pool_of, run_of

NAMES = ["anna@1", "anna@2", "anna@3"]


@pytest.fixture
def runs(tmp_path: Path) -> list[Path]:
    """anna wins most games, then hardly any, then most again."""
    return [
        run_of(
            tmp_path / month,
            first=first,
            digests={"anna": digest * 64},
            created=f"2026-{month}-01T00:00:00+00:00",
        )
        for month, first, digest in (("01", "anna", "1"), ("02", "berta", "2"), ("03", "anna", "3"))
    ]


def shown(runs: list[Path], form: str) -> str:
    pool = pool_of(*runs, dated=True)
    assert versions_of(pool, ["anna"]) == NAMES
    (part,) = rated_parts(pool, Asked().model(pool.tally.entrants))
    section = with_history(part, pool, ["anna"], NAMES)
    return render(StandingsTable("x", (section,)), form)


def test_versions_are_drawn_on_one_scale_and_changes_named(runs: list[Path]) -> None:
    text = shown(runs[::-1], "txt")
    panel = text[text.index("strength of anna over time") :]
    lines = [line for line in panel.splitlines() if line.startswith("anna@")]
    assert [line.split()[0] for line in lines[:3]] == NAMES
    assert all("●" in line and "2027-01-15" in line for line in lines[:3])
    assert "anna@2 is weaker than anna@1: -" in panel
    assert "anna@3 is stronger than anna@2: +" in panel
    assert "from anna@1 to anna@3: " in panel
    assert "### strength of anna over time" in shown(runs, "md")


def test_the_document_has_all_numbers(runs: list[Path]) -> None:
    (table,) = json.loads(shown(runs, "json"))["tables"]
    found = table["panels"]["history"]
    assert (found["bot"], [each["name"] for each in found["versions"]]) == ("anna", NAMES)
    assert found["versions"][0]["digest"] == "1" * 64
    assert found["versions"][0]["first"] == "2027-01-15T08:00:00+00:00"
    assert [step["is_change"] for step in found["steps"]] == [True, True]
    assert "history.steps" in shown(runs, "csv")


def test_versions_are_rows_of_a_table(runs: list[Path]) -> None:
    sources = [(path, path.name) for path in runs]
    (part,) = combined(sources, Asked().model, history=["anna"])
    ((table,),) = (block.tables for block in part.section.panels())
    assert part.section.title == "heart"
    assert [text_of(cell) for cell in table.columns[0].cells] == NAMES


def test_several_bots_are_versions_in_the_order_in_which_they_are_named(runs: list[Path]) -> None:
    pool = pool_of(runs[0], dated=True)
    assert versions_of(pool, ["carla", "anna"]) == ["carla", "anna"]


@pytest.mark.parametrize(
    ("bots", "told"),
    [
        (["ana"], '--history: found "ana", expected a bot of the results .*did you mean "anna"'),
        (["anna"], '--history: found one version of "anna", expected several'),
    ],
)
def test_who_has_no_history(runs: list[Path], bots: list[str], told: str) -> None:
    with pytest.raises(BadInput, match=told):
        versions_of(pool_of(runs[0], dated=True), bots)


def test_files_need_dates(tmp_path: Path) -> None:
    games = [
        {"seats": [name, "x"], "places": [1 + k % 2, 2 - k % 2], "played_at": f"2026-0{when}-01"}
        for name, when in (("v@new", 3), ("v@old", 2))
        for k in range(8)
    ]
    pool = pool_of(file_of(tmp_path / "a", games), dated=True)
    assert versions_of(pool, ["v"]) == ["v@old", "v@new"]
    del games[3]["played_at"]
    undated = pool_of(file_of(tmp_path / "b", games), dated=True)
    with pytest.raises(BadInput, match='--history: found 1 games of "v" without a date'):
        versions_of(undated, ["v"])


@pytest.mark.parametrize(
    ("bound", "numbers", "line"),
    [
        (Bound.BOTH, (1050.0, 1000.0, 1100.0, None), "├────●────┤"),
        (Bound.BOTH, (1010.0, 1000.0, 1030.0, None), "├●─┤·······"),
        (Bound.ABOVE, (1500.0, None, None, 1060.0), "······├───▸"),
        (Bound.BELOW, (500.0, None, None, 1030.0), "◂──┤·······"),
        (Bound.OPEN, (1000.0, None, None, None), "···········"),
        (Bound.BOTH, (None, None, None, None), "···········"),
    ],
)
def test_a_line_is_drawn(bound: Bound, numbers: tuple[float | None, ...], line: str) -> None:
    elo, low, high, limit = numbers
    row = Rated("v", elo, None, low, high, bound, limit)
    strip = _strip(row, PlotScale(1000.0, 1100.0))
    assert _strip_line(strip, 11) == line
