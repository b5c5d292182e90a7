"""Full pages: whole texts, the four forms against each other, widths, hostile names."""

from __future__ import annotations

import ast
import csv
import inspect
import io
import json
import re
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from wcwidth import wcswidth

from arena.extensions.studies.full import panels
from arena.extensions.studies.full.panels import LISTED, nearest_pairs
from arena.ratings.counting.tally import Tally
from arena.ratings.elo.scores import score_standings
from arena.ratings.elo.standings import standings
from arena.values.numbers import likelihood_cell, p_value, percent_cell, plus_minus, signed
from arena.views.cells import text_of
from arena.views.standings import tables
from arena.views.standings.measured import full_section
from arena.views.standings.standings import SectionData
from arena.views.standings.tables import Section
from arena.views.tables import Column, Emphasis, PageBlock, draw_text
from tests.ratings.fits import fit
from tests.ratings.made_games import LOSS, WIN, game, mirrored, pool, solo, solo_tally, tally

RENDERERS = {
    "txt": tables.text, "md": tables.markdown, "csv": tables.csv_text, "json": tables.json_text,
}  # fmt: skip
FORMS = tuple(RENDERERS)


def render(pages, form):
    return RENDERERS[form](pages)


def page_of(games, entrants=(), clean=None, title="d"):
    counted = tally(games, entrants)
    ratings = fit(counted)
    section = Section(title, standings(counted, ratings), ("a notice",))
    return full_section(SectionData(section, counted, ratings, clean))


def solo_page(section, counted):
    return full_section(SectionData(section, Tally(solo={section.title: counted}), None))


def bots(number, blocks=6, name="bot{:02}"):
    rng = np.random.default_rng(number)
    strengths = {name.format(k): float(rng.normal(0, 100)) for k in range(number)}
    return pool(strengths, blocks=blocks, rng=rng)


def document(pages):
    return json.loads(tables.json_text(pages, source="here"))


def lines_of(page, title):
    """Of the panel whose title begins so."""
    text = render([page], "txt")
    _, _, rest = text.partition(f"\n{title}")
    return rest.split("\n\n", 2)[1].splitlines()


CIRCLE = [
    result
    for name, other in (("rock", "scissors"), ("scissors", "paper"), ("paper", "rock"))
    for k in range(20)
    for result in mirrored(f"{name}{k}", name, other, *((LOSS, WIN) if k < 4 else (WIN, LOSS)))
]


def test_a_circle_is_told():
    """Goldens have the other panels of three bots."""
    assert lines_of(page_of(CIRCLE), "cycles") == [
        "circle                   scores %                     deviations",
        "-----------------------  -------------------------  ------------",
        "paper > rock > scissors  80 (99), 80 (99), 80 (99)           4.6",
        "one scale leaves 100.0 % of the differences between pairs to circles and chance",
        "Q = 21.6, 1 degree of freedom, p < 0.0001; 3 pairs of 3 bots",
        "no single scale describes these results: Elo depends on the schedule",
        "compare ratings only if everybody played everybody equally often",
        "each beat the next, and the last one the first; in brackets LOS of each step",
    ]
    met = lines_of(page_of(CIRCLE), "head to head")
    assert met[2] == "paper  rock       *80.0   32-0-8   99.5   +241  +55 … +427        20"
    assert (
        met[-1] == "mark *: differs from 50 % at the 5 % level, Holm over all pairs: 3 of 3 pairs"
    )


def test_a_matrix_up_to_ten_bots_a_list_for_more():
    matrix = lines_of(page_of(bots(5)), "head to head: score of the row")
    assert matrix[0].split() == ["#", "bot", "1", "2", "3", "4", "5"]
    assert len(matrix) >= 2 + 5 * 2
    listed = lines_of(page_of(bots(11, blocks=2)), "head to head: score and LOS")
    assert listed[0].split()[:2] == ["bot", "against"]
    assert len(listed) >= 2 + 55
    wide = page_of(bots(10, blocks=30, name="a-bot-with-a-rather-long-name-{}"))
    assert "too narrow" not in tables.text([wide], width=80).partition("head to head")[2]


def test_a_matrix_says_what_its_cells_say():
    page = page_of(bots(4, blocks=40))
    cells = {
        (c["name"], c["other"]): c for c in document([page])["tables"][0]["panels"]["crosstable"]
    }
    names = [row["name"] for row in document([page])["tables"][0]["data"]["rows"]]
    (panel,) = [p for p in page.panels() if p.key == "crosstable"]
    assert [text_of(cell) for cell in panel.tables[0].columns[1].cells] == names
    for column, other in zip(panel.tables[0].columns[2:], names, strict=True):
        for name, shown in zip(names, map(text_of, column.cells), strict=True):
            if name == other:
                assert shown == ""
                continue
            cell = cells[name, other]
            assert shown == (
                f"{'*' if cell['significant'] else ''}{100 * cell['score']:.0f} "
                f"≥{100 * cell['score_low']:.0f} ≤{100 * cell['score_high']:.0f}"
            )
    assert any(cell["significant"] for cell in cells.values())


@pytest.mark.parametrize("number", [2, 3, 4, 7, 10, 12])
@pytest.mark.parametrize(
    "name", ["b{}", "a-bot-with-a-rather-long-name-{}", "漢字のとても長い名前です{}"]
)
def test_pair_and_rank_panels_fit_eighty_columns(number, name):
    page = page_of(bots(number, blocks=3, name=name))
    for panel in page.panels():
        if panel.key in ("crosstable", "differences", "superiority", "ranks", "groups"):
            drawn = draw_text(panel.tables[0].columns, 80)
            lost = drawn.partition("too narrow here for: ")[2]
            assert lost in ("", "blocks)"), drawn
        assert all(wcswidth(line) <= 110 for line in panel.remarks)


def test_the_pairs_of_many_bots_are_those_nearest_in_the_table():
    names = [str(k) for k in range(200)]
    pairs, reach = nearest_pairs(names)
    assert (len(pairs), reach) == (199, 1)
    assert pairs[0] == ("0", "1")
    assert len(nearest_pairs(names[:20])[0]) == 190 <= LISTED
    pairs, reach = nearest_pairs(names[:25])
    assert reach == max(int(b) - int(a) for a, b in pairs) == 10
    assert len(pairs) <= LISTED
    assert nearest_pairs([]) == ([], -1)


def test_csv_and_json_say_the_same():
    games = [*bots(6), game(("bot00", "bot01"), LOSS, block="f", faulty=(0,))]
    pages = [page_of(games), solo_page(*solo_section())]
    rows = list(csv.DictReader(io.StringIO(render(pages, "csv"))))
    for table in document(pages)["tables"]:
        own = [row for row in rows if row["table"] == table["title"]]
        for key in ("crosstable", "differences", "ranks", "forfeits", "seats", "pairs"):
            told = table["panels"].get(key, [])
            found = [row for row in own if row["panel"] == key]
            for row, expected in zip(found, told, strict=True):
                for name, value in expected.items():
                    if isinstance(value, dict):
                        assert {k: row[f"{name}_{k}"] for k in value} == {
                            k: str(own) for k, own in value.items()
                        }
                    else:
                        shown = int(value) if isinstance(value, bool) else value
                        assert row[name] == ("" if shown is None else str(shown))
    assert {row["panel"] for row in rows} >= {"ratings", "solo", "cycles", "cycles.triples"}


def panel_keys():
    """Of all panels with data that the module makes."""
    tree = ast.parse(inspect.getsource(panels))
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "PageBlock.of":
            own = {each.arg: each.value for each in call.keywords}
            has_data = not isinstance(own.get("data"), ast.Constant)
            key = own.get("key") or call.args[0]
            if has_data and isinstance(key, ast.Constant):
                yield key.value


def keys_in(data):
    for each in data if isinstance(data, list) else [data]:
        if isinstance(each, dict):
            for key, value in each.items():
                yield key
                if key != "faults":  # by kind
                    yield from keys_in(value)


def test_the_page_about_the_full_page_names_every_panel_and_every_key():
    told = (Path(__file__).parents[4] / "docs/ratings-page.md").read_text("utf-8")
    faulty = game(("bot00", "bot01"), LOSS, block="f", faulty=(0,))
    alone = [result for k in range(4) for result in mirrored(f"e{k}", "x", "y", WIN, LOSS)]
    pages = [page_of([*bots(6), faulty, *alone]), page_of(CIRCLE), solo_page(*solo_section())]
    found = defaultdict(set)
    for table in document(pages)["tables"]:
        for key, data in table["panels"].items():
            found[key] |= {*keys_in(data)}
    assert {key for key in found if found[key]} == {*panel_keys()}, "let these pages have it all"
    for key, keys in found.items():
        assert f"\n| `{key}` |" in told, f"docs/ratings-page.md: a row for the panel {key}"
        _, head, text = told.partition(f"\n**{key}**")
        assert head, f"docs/ratings-page.md: a paragraph **{key}** below JSON"
        missing = keys - {
            *re.findall(r"\w+", " ".join(re.findall(r"`([^`]+)`", text.split("\n**")[0])))
        }
        assert not missing, f"docs/ratings-page.md: keys of **{key}**"


def solo_section(number=4, deals=20):
    rng = np.random.default_rng(2)
    names = [f"s{k}" for k in range(number)]
    games = [
        solo(n, str(d), int(rng.integers(9)) + k) for k, n in enumerate(names) for d in range(deals)
    ]
    counted = solo_tally(games)
    return Section("solo", score_standings(counted)), counted


def test_solo_pages():
    section, counted = solo_section()
    text = render([solo_page(section, counted)], "txt")
    assert "\npaired differences in deserters on common deals: row less column\n" in text
    pairs = document([solo_page(section, counted)])["tables"][0]["panels"]["pairs"]
    assert len(pairs) == 12
    assert all(pair["better"] + pair["equal"] + pair["worse"] == 20 for pair in pairs)
    for number in (0, 1, 2, 12):
        page = solo_page(*solo_section(number))
        for form in FORMS:
            assert render([page], form)


def hostile_tally():
    names = ["\x1b[31mred\n", "=cmd|'/c'!A1", "a|b*_`<b>", "‮abc", "inf", "nan"]
    rng = np.random.default_rng(0)
    return pool(dict.fromkeys(names, 0.0), blocks=4, rng=rng)


@pytest.mark.parametrize("form", FORMS)
def test_names_cannot_steer_a_terminal(form):
    text = render([page_of(hostile_tally())], form)
    assert "\x1b" not in text
    assert "‮" not in text
    if form == "md":
        assert "<b>" not in text
    if form == "json":
        names = {row["name"] for row in json.loads(text)["tables"][0]["data"]["rows"]}
        assert "\x1b[31mred\n" in names
        assert "‮abc" in names


ODD = {
    "nothing": ([], []),
    "unplayed": ([], ["a", "b", "c", "d"]),
    "one bot": ([game(("a", "a"), WIN)], []),
    "one game": ([game(("a", "b"), WIN)], ["idle"]),
    "whitewash": ([g for k in range(60) for g in mirrored(str(k), "a", "b", WIN, LOSS)], []),
    "all alike": ([g for k in range(60) for g in mirrored(str(k), "a", "b", WIN, WIN)], []),
    "islands": (bots(3, name="x{}") + bots(3, name="y{}") + bots(2, name="z{}"), ["idle"]),
    "ladder": (
        [
            g
            for i in range(12)
            for j in range(i + 1, 12)
            for g in mirrored(f"{i}.{j}", f"b{i:02}", f"b{j:02}", WIN, LOSS)
        ],
        [],
    ),
    "four seats": (
        pool(dict.fromkeys("abcde", 0.0), blocks=3, rng=np.random.default_rng(1), seats=4),
        [],
    ),
}


@pytest.mark.parametrize("case", ODD)
def test_no_number_is_infinite_or_undefined(case):
    page = page_of(*ODD[case])
    for form in FORMS:
        text = render([page], form)
        assert not re.search(r"(?i)\b(inf|infinity|nan)\b", text), form
        assert "None" not in text, form
    json.loads(text, parse_constant=pytest.fail)


def test_forfeits_show_a_shift_that_matters():
    games = bots(3, blocks=30, name="b{}")
    faulty = [game(("b0", "b1"), LOSS, block=f"f{k}", faulty=(0,)) for k in range(40)]
    page = page_of(games + faulty, clean=tally(games))
    shown = lines_of(page, "games lost by a bot's own fault")
    assert " ".join(shown[0].split()) == "bot forfeits games share % Elo without shift matters"
    row = next(line.split() for line in shown if line.startswith("b0"))
    assert (row[1], row[-1]) == ("40", "yes")
    assert "no block is without a forfeit" in render([page_of(faulty)], "txt")


def test_several_tables_have_headings():
    pages = [page_of(bots(2), title="one"), page_of(bots(2), title="two")]
    assert "\none\n===\n" in "\n" + render(pages, "txt")
    assert "## two\n" in render(pages, "md")
    assert [table["title"] for table in document(pages)["tables"]] == ["one", "two"]
    assert document(pages)["schema"] == "arena.ratings/1"
    assert document(pages)["source"] == "here"


def test_emphasis_takes_the_place_of_lines():
    def panels():
        return [PageBlock.of("k", "title", [Column("x", "left", ["1"])], ["remark"], None)]

    section = page_of(bots(2))._replace(panels=panels)
    text = tables.text([section], emphasis=Emphasis.BOLD)
    assert text.endswith("\n\x1b[1mtitle\x1b[0m\n\nx\n---\n1\nremark\n")
    assert tables.text([section]).endswith("\ntitle\n-----\n\nx\n---\n1\nremark\n")


def test_a_hundred_bots():
    """All pairs of them in the data, the nearest ones in the text: two neighbours would be 217."""
    rng = np.random.default_rng(6)
    counted = Tally()
    names = [f"bot{k:03}" for k in range(110)]
    for k, name in enumerate(names):
        for other in names[k + 1 :]:
            cells = [0] * 25
            for one, two in rng.integers(0, 3, (3, 2)).tolist():
                cells[5 * one + two] += 1
            counted.add_blocks("d", (name, other), cells)
    ratings = fit(counted)
    page = full_section(SectionData(Section("d", standings(counted, ratings)), counted, ratings))
    panels = {panel.key: panel for panel in page.panels()}
    assert len(panels["crosstable"].data) == len(panels["differences"].data) == 110 * 109
    assert len(panels["crosstable"].tables[0].columns[0].cells) == 109
    assert len(panels["ranks"].data) == 110
    assert panels["cycles"].data.freedom == 110 * 109 // 2 - 109
    assert not panels["cycles"].data.depends_on_schedule


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        (percent_cell(None), "–"), (percent_cell(0.0), "0"), (percent_cell(1.0), "100"),
        (percent_cell(0.624), "62"), (percent_cell(0.9999), ">99"), (percent_cell(0.001), "<1"),
        (percent_cell(0.9996, 1), ">99.9"),
        (percent_cell(0.0004, 1), "<0.1"), (percent_cell(0.5, 1), "50.0"),
        (likelihood_cell(1.0), ">99"), (likelihood_cell(0.0, 1), "<0.1"),
        (likelihood_cell(None), "–"),
        (signed(-0.2), "+0"), (signed(12.6), "+13"), (signed(None), "–"),
        (signed(-1.26, 1), "-1.3"),
        (plus_minus(None), ""), (plus_minus(0.01), "±1"), (plus_minus(9.6), "±10"),
        (p_value(0.00001), "p < 0.0001"), (p_value(0.5), "p = 0.5000"),
    ],
)  # fmt: skip
def test_words(shown, expected):
    assert shown == expected
