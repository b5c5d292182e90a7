"""The four forms of a table, as whole texts and against hostile names."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

import pytest
from wcwidth import wcswidth

import arena
from arena.ratings.fit import fit
from arena.ratings.marks import Bound
from arena.ratings.rating import Estimate, SeatTerm
from arena.ratings.standings import Standing, Standings, standings
from arena.ratings.tally import Tally
from arena.report import clean, tables
from arena.results import FaultKind, GameResult, GameSpec, Termination

GREEDY = Standing(
    rank=1, name="greedy", elo=163.912345, error=39.25, bound=Bound.BOTH, limit=None, group=None,
    games=100, points=72.0, wins=70, draws=4, losses=26, score=0.72, faults={},
)  # fmt: skip
RANDOM = Standing(
    rank=2, name="random", elo=0.0, error=None, bound=Bound.BOTH, limit=None, group=None,
    games=100, points=28.0, wins=26, draws=4, losses=70, score=0.28,
    faults={FaultKind.TIMEOUT: 3, FaultKind.CRASH: 1},
)  # fmt: skip
PAIR = Standings(
    rows=(GREEDY, RANDOM), anchor="random", anchor_elo=0.0, anchor_in_core=True, blocks=50,
    first_over_second=0.999765, seat_advantage=Estimate(11.4, 27.0),
    seats=(SeatTerm(2, 0, 5.7, 13.5), SeatTerm(2, 1, -5.7, 13.5)), luck_correlation=-0.21,
)  # fmt: skip
GROUPS = replace(
    PAIR,
    rows=(
        replace(GREEDY, name="best", elo=1700.0, error=None, bound=Bound.ABOVE, limit=1320.4,
                group="B"),
        replace(GREEDY, elo=1060.2, error=39.25, group="A"),
        replace(RANDOM, elo=939.8, error=None, group="A"),
        replace(GREEDY, rank=4, name="island", elo=1000.0, error=None, bound=Bound.OPEN, group="C"),
        replace(GREEDY, rank=5, name="new", elo=None, error=None, bound=Bound.OPEN, games=0,
                points=0.0, wins=0, draws=0, losses=0, score=None),
    ),
    anchor=None, anchor_elo=1000.0, anchor_in_core=False, first_over_second=None,
    seat_advantage=None, luck_correlation=None, blocks=1,
    seats=(SeatTerm(3, 0, 20.0, 10.0), SeatTerm(3, 1, -5.0, None), SeatTerm(3, 2, -15.0, 9.0)),
)  # fmt: skip


def named(*names):
    return replace(PAIR, rows=tuple(replace(GREEDY, name=name) for name in names), anchor=None)


def test_text():
    assert tables.text(PAIR, notices=["deck: provisional"]) == (
        "  #  bot       Elo    95 %    score    points    games    win    draw    loss    faults\n"
        "---  ------  -----  ------  -------  --------  -------  -----  ------  ------  --------\n"
        "  1  greedy   +164     ±39   72.0 %      72.0      100     70       4      26         0\n"
        "  2  random     +0  anchor   28.0 %      28.0      100     26       4      70         4\n"
        "chance that greedy is stronger than random: more than 99.9 %\n"
        "seat 0 is worth +11 ±27 Elo against seat 1\n"
        "correlation of the two games of a deal: -0.21\n"
        "random is set to 0 Elo; ± is the 95 % interval against random; 50 blocks\n"
        "faults of random: 3 timeout, 1 crash\n"
        "deck: provisional\n"
    )


def test_text_with_groups_and_marks():
    lines = tables.text(GROUPS).splitlines()
    assert [line[:37] for line in lines[:7]] == [
        "  #  bot       Elo    95 %  group    ",
        "---  ------  -----  ------  -------  ",
        "  1  best     1700   >1320  B        ",
        "  1  greedy   1060     ±39  A        ",
        "  2  random    940       –  A        ",
        "  4  island   1000       ?  C        ",
        "  5  new         –       –  –        ",
    ]
    assert lines[7:] == [
        "seats of 3 in Elo against their mean: 0: +20 ±10, 1: -5, 2: -15 ±9",
        "the mean of group A is set to 1000 Elo; "
        "± is the 95 % interval against the mean of group A; 1 block",
        "mark >: no points lost to weaker groups; Elo may be any amount higher",
        "mark ?: not connected by results; Elo is a guess",
        "mark –: too few blocks, or all went alike; no interval",
        "faults of random: 3 timeout, 1 crash",
    ]


def test_markdown():
    assert tables.markdown(PAIR, notices=["deck: *provisional*"]) == (
        "|   # | bot    |   Elo |   95 % |   score |   points |   games |   win |   draw |   loss |"
        "   faults |\n"
        "|-----|--------|-------|--------|---------|----------|---------|-------|--------|--------|"
        "----------|\n"
        "|   1 | greedy |  +164 |    ±39 |  72.0 % |     72.0 |     100 |    70 |      4 |     26 |"
        "        0 |\n"
        "|   2 | random |    +0 | anchor |  28.0 % |     28.0 |     100 |    26 |      4 |     70 |"
        "        4 |\n"
        "\n"
        "- chance that greedy is stronger than random: more than 99.9 %\n"
        "- seat 0 is worth +11 ±27 Elo against seat 1\n"
        "- correlation of the two games of a deal: -0.21\n"
        "- random is set to 0 Elo; ± is the 95 % interval against random; 50 blocks\n"
        "- faults of random: 3 timeout, 1 crash\n"
        "- deck: \\*provisional\\*\n"
    )


def test_csv():
    assert tables.csv_text(PAIR) == (
        '"rank","name","elo","error","bound","limit","group","score","points","games","wins",'
        '"draws","losses","faults","fault_startup","fault_timeout","fault_crash",'
        '"fault_malformed","fault_illegal","fault_overflow","fault_protocol"\n'
        '1,"greedy",163.912345,39.25,"","","",0.72,72.0,100,70,4,26,0,0,0,0,0,0,0,0\n'
        '2,"random",0.0,"","","","",0.28,28.0,100,26,4,70,4,0,3,1,0,0,0,0\n'
    )


def test_json():
    document = json.loads(tables.json_text(PAIR, run="spring", warnings=["deck: provisional"]))
    assert list(document) == ["schema", "arena", "run", "data", "warnings"]
    assert document["schema"] == "arena.standings/1"
    assert document["arena"] == arena.__version__
    assert (document["run"], document["warnings"]) == ("spring", ["deck: provisional"])
    assert document["data"]["rows"][1] == {
        "rank": 2, "name": "random", "elo": 0.0, "error": None, "bound": "", "limit": None,
        "group": None, "games": 100, "points": 28.0, "wins": 26, "draws": 4, "losses": 70,
        "score": 0.28, "faults": {"timeout": 3, "crash": 1},
    }  # fmt: skip
    assert document["data"]["seat_advantage"] == {"elo": 11.4, "error": 27.0}
    assert document["data"]["rows"][0]["elo"] == 163.912345


@pytest.mark.parametrize(
    ("width", "last"),
    [
        (None, "faults"),
        (87, "faults"),
        (86, "loss"),
        (60, "games"),
        (52, "points"),
        (30, "95 %"),
        (5, "Elo"),
    ],
)  # fmt: skip
def test_narrow_terminals_lose_columns_from_the_right(width, last):
    table = tables.text(PAIR, width=width).splitlines()[:4]
    assert table[0].endswith(f" {last}")
    assert width in (None, 5) or all(wcswidth(line) <= width for line in table)


def test_faults_are_told_even_when_their_column_is_dropped():
    assert "faults of random: 3 timeout, 1 crash" in tables.text(PAIR, width=30)


def test_only_the_header_is_bold_and_only_when_asked():
    bold = tables.text(PAIR, emphasis=tables.Emphasis.BOLD)
    header, rest = tables.text(PAIR).split("\n", 1)
    assert bold == f"\x1b[1m{header}\x1b[0m\n{rest}"
    assert "\x1b" not in tables.text(PAIR)


def test_wide_names_are_cut_and_aligned_in_columns():
    table = tables.text(named("竜" * 20, "n" * 30, "e\u0301" * 24, "b")).splitlines()[2:6]
    assert {wcswidth(line) for line in table} == {wcswidth(table[0])}
    assert "竜" * 11 + "…" in table[0]
    assert "n" * 23 + "…" in table[1]
    assert "e\u0301" * 24 in table[2]


def test_marks_without_width_are_bounded():
    assert len(clean.cut("a" + "\u0301" * 500, 24)) <= 97


HOSTILE = [
    "\x1b[2Jgone", "\x9b31mred", "line\nbreak\r", "tab\tbell\a", "\u202egnp.exe", "nul\0",
    "\u2028", "\udc80", "zero\u200bwidth", "\x1b]8;;http://x\x1b\\link",
]  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_no_name_steers_a_terminal(name):
    standings = replace(named(name, "b"), anchor=name, anchor_in_core=True)
    forms = [
        tables.text(standings, notices=[name]),
        tables.markdown(standings, notices=[name]),
        tables.csv_text(standings),
    ]
    for form in forms:
        assert clean.plain(form.replace("\n", "")) == form.replace("\n", "")
        assert clean.REPLACEMENT in form
    assert len(tables.text(standings).splitlines()) == len(
        tables.text(named("a", "b")).splitlines()
    )


@pytest.mark.parametrize("name", [n for n in HOSTILE if n != "\udc80"] + ["\U000e0001x", "é竜"])
def test_json_keeps_every_name_and_escapes_what_steers(name):
    form = tables.json_text(named(name, "b"))
    assert json.loads(form)["data"]["rows"][0]["name"] == name
    assert clean.plain(form.replace("\n", "")) == form.replace("\n", "")


@pytest.mark.parametrize(
    ("name", "escaped"),
    [
        ("a|b", r"a\|b"),
        ("a\\|b", r"a\\\|b"),
        ("<script>", "&lt;script&gt;"),
        ("[x](y)", r"\[x\]\(y\)"),
        ("_*`~#!$", r"\_\*\`\~\#\!\$"),
        ("&amp;", "&amp;amp;"),
        ("@team", "@<!-- -->team"),
    ],
)
def test_markdown_shows_names_literally(name, escaped):
    assert f"| {escaped} " in tables.markdown(named(name, "b"))


def test_markdown_escapes_marks():
    form = tables.markdown(GROUPS)
    assert "| &gt;1320 |" in form
    assert "\n- >" not in form


@pytest.mark.parametrize("name", ["=1+1", 'a"b', "a,b", "a;b", "-1", "'", "竜" * 40])
def test_csv_parses_back(name):
    rows = list(csv.DictReader(io.StringIO(tables.csv_text(named(name, "b")))))
    assert [row["name"] for row in rows] == [name, "b"]
    assert float(rows[0]["elo"]) == GREEDY.elo


def played(*games):
    counts = Tally(["listed"])
    for block, entrants, places in games:
        counts.add(
            GameResult(
                GameSpec(block, block, block, 0, tuple(entrants)),
                Termination.COMPLETED,
                places,
                plies=1,
                digest="",
            )
        )
    return standings(counts, fit(counts))


SITUATIONS = {
    "zero games": [],
    "single game": [("x", "ab", (1, 2))],
    "perfect score": [(f"{k}", "ab", (1, 2)) for k in range(50)],
    "all draws": [(f"{k}", "ab", (1, 1)) for k in range(50)],
    "islands": [("x", "ab", (1, 1)), ("y", "cd", (1, 2))],
    "three seats": [(f"{k}", "abc", (1, 2, 3)) for k in range(20)],
    "solo": [("x", "a", (1,))],
}


@pytest.mark.parametrize("situation", SITUATIONS)
def test_no_form_ever_shows_nan_or_infinity(situation):
    found = played(*SITUATIONS[situation])
    text = tables.text(found)
    assert "listed" in text
    for form in (text, tables.markdown(found), tables.csv_text(found), tables.json_text(found)):
        assert "nan" not in form.lower()
        assert "inf" not in form.lower()
    json.loads(tables.json_text(found))


def test_an_empty_table_has_its_header():
    empty = replace(PAIR, rows=(), anchor=None, first_over_second=None)
    assert tables.text(empty).startswith("#    bot    Elo")
    assert tables.csv_text(empty).count("\n") == 1
