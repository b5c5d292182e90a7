"""The four forms of a table, as whole texts and against hostile names."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from math import log10

import msgspec
import pytest
from wcwidth import wcswidth

import arena
from arena.ratings.counting.scored import SoloTally
from arena.ratings.counting.tally import Tally
from arena.ratings.elo.rating import (
    ELO_UNIT,
    Bound,
    Estimate,
    Rated,
    ScorePair,
    SeatTerm,
    ValueUnit,
)
from arena.ratings.elo.scale import Model
from arena.ratings.elo.scores import score_standings
from arena.ratings.elo.standings import Standings, standings
from arena.values import clean
from arena.values.results import FaultKind, GameResult, GameSpec, Termination
from arena.views.standings import tables
from arena.views.standings.standings import are_repeats_many, rated
from arena.views.standings.tables import Section, Voids, Withdrawn
from arena.views.tables import Emphasis
from tests.ratings.fits import fit
from tests.ratings.made_games import DRAW, LOSS, WIN, mirrored, tally

GREEDY = Rated(
    rank=1, name="greedy", value=163.912345, error=39.25, low=124.662345,
    high=203.162345, bound=Bound.BOTH, limit=None, group=None,
    games=100, points=72.0, wins=70, draws=4, losses=26, score=0.72, faults={},
)  # fmt: skip
RANDOM = Rated(
    rank=2, name="random", value=0.0, error=None, low=None, high=None, bound=Bound.BOTH,
    limit=None, group=None, games=100, points=28.0, wins=26, draws=4, losses=70, score=0.28,
    faults={FaultKind.TIMEOUT: 3, FaultKind.CRASH: 1},
)  # fmt: skip
PAIR = Standings(
    rows=(GREEDY, RANDOM), unit=ELO_UNIT, disciplines=("d",), anchor="random", anchor_elo=0.0,
    anchor_in_core=True, blocks=50,
    first_over_second=0.999765, seat_advantage=Estimate(11.4, 27.0),
    seats=(SeatTerm("d", 2, 0, 5.7, 13.5), SeatTerm("d", 2, 1, -5.7, 13.5)),
    luck_correlation=-0.21,
)  # fmt: skip
GROUPS = replace(
    PAIR,
    rows=(
        replace(GREEDY, name="best", value=1700.0, error=None, low=None, high=None,
                bound=Bound.ABOVE, limit=1320.4, group=1),
        replace(GREEDY, value=1060.2, error=39.25, low=1020.2, high=1098.7, group=0),
        replace(RANDOM, value=939.8, error=None, group=0),
        replace(GREEDY, rank=4, name="island", value=1000.0, error=None, low=None, high=None,
                bound=Bound.OPEN, group=2),
        replace(GREEDY, rank=5, name="new", value=None, error=None, low=None, high=None,
                bound=Bound.OPEN, games=0, points=0.0, wins=0, draws=0, losses=0, score=None),
    ),
    anchor=None, anchor_elo=1000.0, anchor_in_core=False, first_over_second=None,
    seat_advantage=None, luck_correlation=None, blocks=1,
    seats=(
        SeatTerm("d", 3, 0, 20.0, 10.0), SeatTerm("d", 3, 1, -5.0, None),
        SeatTerm("d", 3, 2, -15.0, 9.0),
    ),
)  # fmt: skip
SOLO = Standings(
    rows=(
        Rated(
            rank=1, name="careful", games=120, value=9.25, standard_error=0.4, error=0.783986,
            low=None, high=None, best=0, worst=31,
            paired=ScorePair(
                "careful", "greedy", 120, -3.5, 0.905, 80, 15, 25, 0.98, 0.01, 1.0, False
            ),
            forfeits=0, faults={},
        ),
        Rated(
            rank=2, name="greedy", games=120, value=12.75, standard_error=0.51, error=0.999582,
            low=None, high=None, best=1, worst=48, paired=None, forfeits=2,
            faults={FaultKind.TIMEOUT: 2},
        ),
        Rated(
            rank=3, name="new", games=0, value=None, standard_error=None, error=None,
            low=None, high=None, best=None, worst=None, paired=None, forfeits=0, faults={},
        ),
    ),
    unit=ValueUnit("deserters", 2, True), worst_score=48, reference="greedy", blocks=120,
    complete=True, first_over_second=0.9872,
)  # fmt: skip


def alone(standings, *notices):
    """A document of one section."""
    return [Section("dragonheart-2", standings, notices)]


def named(*names):
    return replace(PAIR, rows=tuple(replace(GREEDY, name=name) for name in names), anchor=None)


def test_text():
    assert tables.text(alone(PAIR, "deck: provisional")) == (
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
    lines = tables.text(alone(GROUPS)).splitlines()
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
    assert tables.markdown(alone(PAIR, "deck: *provisional*")) == (
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
    assert tables.csv_text(alone(PAIR)) == (
        '"table","rank","name","games","elo","error","low","high","bound","limit","group","score",'
        '"points","wins","draws","losses","mean","standard_error","mean_error","best","worst","forfeits",'
        '"deals","difference","difference_error","better","equal","worse","faults",'
        '"fault_startup","fault_timeout","fault_crash","fault_malformed","fault_illegal",'
        '"fault_overflow","fault_protocol","fault_limit","withdrawn"\n'
        '"dragonheart-2",1,"greedy",100,163.912345,39.25,124.662345,203.162345,"","","",0.72,72.0,70,4,26,'
        '"","","","","","","","","","","","",0,0,0,0,0,0,0,0,0,""\n'
        '"dragonheart-2",2,"random",100,0.0,"","","","","","",0.28,28.0,26,4,70,'
        '"","","","","","","","","","","","",4,0,3,1,0,0,0,0,0,""\n'
    )

    lines = tables.csv_text(alone(SOLO)).splitlines()
    assert lines[0] == tables.csv_text(alone(PAIR)).splitlines()[0]
    empty = ",".join(['""'] * 12)
    assert lines[1:] == [
        f'"dragonheart-2",1,"careful",120,{empty},9.25,0.4,0.783986,0,31,0,'
        '120,-3.5,0.905,80,15,25,0,0,0,0,0,0,0,0,0,""',
        f'"dragonheart-2",2,"greedy",120,{empty},12.75,0.51,0.999582,1,48,2,'
        '"","","","","","",2,0,2,0,0,0,0,0,0,""',
        f'"dragonheart-2",3,"new",0,{empty},"","","","","",0,"","","","","","",0,0,0,0,0,0,0,0,0,""',
    ]


GONE = Withdrawn(
    "frail", "faults", "14 of 20 games with a fault (12 crash, 2 timeout)", 20,
    {FaultKind.CRASH: 12, FaultKind.TIMEOUT: 2},
)  # fmt: skip
NEVER = Withdrawn("absent\x1b[2J", "startup", "could not be started", 3, {FaultKind.STARTUP: 3})
LOSSES = Section(
    "d", PAIR, ("deck: provisional",), (GONE, NEVER), 40,
    {"machine": Voids(4, 3, 0), "worker": Voids(3, 1, 1)},
)  # fmt: skip


def test_what_did_not_count_is_told_in_every_form():
    cleaned = "absent\N{REPLACEMENT CHARACTER}[2J"
    without = "without the 40 games of withdrawn bots, which count for nobody, played or not"
    assert tables.text([LOSSES]).splitlines()[4:10] == [
        "frail: withdrawn: 14 of 20 games with a fault (12 crash, 2 timeout)",
        f"{cleaned}: withdrawn: could not be started",
        without,
        "3 games were void through the machine and played again",
        "1 game was void through the end of a worker process and played again",
        "1 game is void through the end of a worker process and still to be played",
    ]
    listed = tables.markdown([LOSSES]).splitlines()[5:8]
    assert [line.split(":")[0] for line in listed] == [
        "- frail", f"- {cleaned}".replace("[", "\\["), f"- {without}",
    ]  # fmt: skip
    rows = list(csv.DictReader(io.StringIO(tables.csv_text([LOSSES]))))
    assert [(row["name"], row["rank"], row["withdrawn"]) for row in rows] == [
        ("greedy", "1", ""), ("random", "2", ""),
        ("frail", "", GONE.reason), (cleaned, "", NEVER.reason),
    ]  # fmt: skip
    told = [rows[2][key] for key in ("games", "faults", "fault_crash", "elo")]
    assert told == ["20", "14", "12", ""]
    (table,) = json.loads(tables.json_text([LOSSES]))["tables"]
    assert table["withdrawn"][0] == {
        "name": "frail", "ground": "faults", "reason": GONE.reason, "games": 20,
        "faults": {"crash": 12, "timeout": 2},
    }  # fmt: skip
    assert table["annulled"] == 40
    assert table["voids"] == {
        "machine": {"times": 4, "played_again": 3, "waiting": 0},
        "worker": {"times": 3, "played_again": 1, "waiting": 1},
    }


def test_intervals_whose_sides_differ_tell_both():
    lopsided = replace(GREEDY, error=60.0, low=124.0, high=244.0)
    nearly = replace(GREEDY, error=60.0, low=163.912345 - 58, high=163.912345 + 62)
    for row, words in ((lopsided, "+80 -40"), (nearly, "±60")):
        text = tables.text(alone(replace(PAIR, rows=(row, RANDOM))))
        assert re.search(rf"\+164 +{re.escape(words)} ", text)


def test_json_has_the_pairs_of_a_table_but_not_beside_a_full_page():
    games = [
        *mirrored("1", "a", "b", WIN, LOSS),
        *mirrored("2", "a", "b", WIN, DRAW),
        *mirrored("3", "c", "b", LOSS, WIN),
    ]
    section = rated("overall", tally(games), Model(), ()).section
    (table,) = json.loads(tables.json_text([section], source="x"))["tables"]
    assert list(table)[-1] == "pairs"
    told = [(p["name"], p["other"], p["wins"], p["draws"], p["losses"]) for p in table["pairs"]]
    assert told == [("a", "b", 3, 1, 0), ("b", "c", 2, 0, 0)]
    assert table["pairs"][0]["elo"] == pytest.approx(400 * log10(7), abs=1e-3)
    full = section._replace(panels=lambda: ())
    (table,) = json.loads(tables.json_text([full], source="x"))["tables"]
    assert "pairs" not in table


def test_json():
    document = json.loads(
        tables.json_text(
            [Section("overall", PAIR, ("early",)), Section("krak", SOLO)],
            source="spring",
            warnings=["deck: provisional"],
        )
    )
    assert list(document) == ["schema", "arena", "run", "tables", "warnings"]
    assert document["schema"] == "arena.standings/2"
    assert document["arena"] == arena.__version__
    assert (document["run"], document["warnings"]) == ("spring", ["deck: provisional"])
    assert [(t["kind"], t["title"], t["notices"]) for t in document["tables"]] == [
        ("ratings", "overall", ["early"]),
        ("solo", "krak", []),
    ]
    ratings, solo = (t["data"] for t in document["tables"])
    assert ratings["seat_advantage"] == {"elo": 11.4, "error": 27.0}
    assert ratings["seats"][1] == {
        "discipline": "d", "seats": 2, "seat": 1, "elo": -5.7, "error": 13.5,
    }  # fmt: skip
    assert ratings["rows"][0]["elo"] == 163.912345
    assert ratings["rows"][1] == {
        "rank": 2, "name": "random", "elo": 0.0, "error": None, "low": None, "high": None,
        "bound": "", "limit": None, "group": None, "games": 100, "points": 28.0, "wins": 26,
        "draws": 4, "losses": 70, "score": 0.28, "faults": {"timeout": 3, "crash": 1},
    }  # fmt: skip
    assert (solo["score"], solo["reference"], solo["deals"]) == ("deserters", "greedy", 120)
    assert solo["rows"][0] == {
        "rank": 1, "name": "careful", "games": 120, "mean": 9.25, "standard_error": 0.4,
        "error": 0.783986, "best": 0, "worst": 31, "forfeits": 0, "faults": {},
        "paired": {
            "deals": 120, "difference": -3.5, "error": 0.905, "better": 80, "equal": 15,
            "worse": 25,
        },
    }  # fmt: skip
    sections = [Section("overall", GROUPS, ("early",)), Section("krak", SOLO)]
    again = msgspec.json.decode(tables.json_text(sections), type=tables.StandingsDocument)
    assert json.loads(msgspec.json.encode(again)) == json.loads(tables.json_text(sections))


SOLO_TEXT = (
    "  #  bot        deserters    95 %    against greedy    95 %    better/=/worse    best"
    "    worst    games    faults\n"
    "---  -------  -----------  ------  ----------------  ------  ----------------  ------"
    "  -------  -------  --------\n"
    "  1  careful         9.25   ±0.78             -3.50   ±0.91          80/15/25       0"
    "       31      120         0\n"
    "  2  greedy         12.75   ±1.00         reference                                 1"
    "       48      120         2\n"
    "  3  new                –       –                 –       –                 –       –"
    "        –        0         0\n"
    "chance that careful is better than greedy: 98.7 %\n"
    "fewer deserters are better; a forfeit counts 48; "
    "± is the 95 % interval, of differences on the same deals; 120 deals\n"
    "faults of greedy: 2 timeout\n"
)


def test_each_of_several_tables_has_its_title_above():
    pair = alone(PAIR, "deck: provisional")
    sections = [Section("dragonkrak-1", SOLO), Section("overall", PAIR, ("deck: provisional",))]
    assert tables.text(alone(SOLO)) == SOLO_TEXT
    assert tables.text(sections) == (
        f"dragonkrak-1\n============\n\n{SOLO_TEXT}\noverall\n=======\n\n{tables.text(pair)}"
    )
    by_rounds = [sections[0], sections[1]._replace(rounds=list)]
    for found in (tables.text(by_rounds), tables.markdown(by_rounds)):
        assert found.index("overall") < found.index("dragonkrak-1")
    title = "n" * 30
    lines = tables.text([Section(title, PAIR), Section(title, SOLO)], width=20).splitlines()
    assert lines[:2] == ["n" * 19 + "…", "=" * 20]


def test_markdown_of_several_tables():
    lines = tables.markdown([Section("dragonkrak-1", SOLO), Section("a|b", PAIR)]).splitlines()
    assert lines[:5] == [
        "## dragonkrak-1",
        "",
        "|   # | bot     |   deserters |   95 % |   against greedy |   95 % |"
        "   better/=/worse |   best |   worst |   games |   faults |",
        "|-----|---------|-------------|--------|------------------|--------|"
        "------------------|--------|---------|---------|----------|",
        "|   1 | careful |        9.25 |  ±0.78 |            -3.50 |  ±0.91 |"
        "         80/15/25 |      0 |      31 |     120 |        0 |",
    ]
    assert lines[10:14] == ["- faults of greedy: 2 timeout", "", r"## a\|b", ""]


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        (
            {"unit": ValueUnit("deserters", 2)},
            "more deserters are better; a forfeit counts 48; "
            "± is the 95 % interval, of differences on the same deals; 120 deals",
        ),
        (
            {"complete": False},
            "not all have played all deals: means are of all games, differences of common deals",
        ),
        ({"first_over_second": 0.99951}, "chance that careful is better than greedy: "
         "more than 99.9 %"),
    ],
)  # fmt: skip
def test_remarks_of_a_solo_table(changes, line):
    assert line in tables.text(alone(replace(SOLO, **changes))).splitlines()


def test_a_solo_table_without_spread_says_why_there_is_no_interval():
    paired = msgspec.structs.replace(SOLO.rows[0].paired, error=None)
    alike = replace(SOLO.rows[0], error=None, paired=paired)
    lines = tables.text(alone(replace(SOLO, rows=(alike, SOLO.rows[1])))).splitlines()
    assert lines[2].split() == [
        "1", "careful", "9.25", "–", "-3.50", "–", "80/15/25", "0", "31", "120", "0",
    ]  # fmt: skip
    assert "mark –: too few deals, or all went alike; no interval" in lines
    assert not any(line.startswith("mark") for line in SOLO_TEXT.splitlines())


def test_a_solo_table_before_the_first_game():
    empty = score_standings(SoloTally(["a"], score="points", less_is_better=False, worst_score=0))
    assert tables.text(alone(empty)) == (
        "  #  bot      points    95 %    best    worst    games    faults\n"
        "---  -----  --------  ------  ------  -------  -------  --------\n"
        "  1  a             –       –       –        –        0         0\n"
        "more points are better; 0 deals\n"
    )


def test_a_table_of_several_disciplines_leaves_seats_to_their_own_tables():
    joint = replace(PAIR, disciplines=("d", "e"))
    assert "seat 0 is worth" in tables.text(alone(PAIR))
    assert "seat" not in tables.text(alone(joint))
    assert json.loads(tables.json_text(alone(joint)))["tables"][0]["data"]["seats"]


@pytest.mark.parametrize(
    ("changes", "note", "is_there"),
    [
        ({"seat_advantage": Estimate(301.0, 2349.0)}, "seat 0 is worth", False),
        ({"seat_advantage": Estimate(301.0, 250.0)}, "seat 0 is worth +301 ±250 Elo", True),
        ({"seat_advantage": Estimate(3.0, 80.0)}, "seat 0 is worth +3 ±80 Elo", True),
        ({"seat_advantage": Estimate(3.0, None)}, "seat 0 is worth", False),
        ({"luck_correlation": -0.4, "blocks": 24}, "correlation", False),
        ({"luck_correlation": -0.4, "blocks": 25}, "correlation of the two games of a deal", True),
    ],
)
def test_notes_appear_where_they_say_something(changes, note, is_there):
    assert (note in tables.text(alone(replace(PAIR, **changes)))) is is_there


def test_a_correlation_names_the_games_of_a_deal():
    lines = tables.text(alone(replace(GROUPS, luck_correlation=-0.4, blocks=25))).splitlines()
    assert "correlation of any two games of a deal: -0.40" in lines


@pytest.mark.parametrize(("games", "repeated", "many"), [(500, 10, False), (500, 60, True)])
def test_few_repeated_games_are_not_worth_a_note(games, repeated, many):
    assert are_repeats_many(games, repeated) is many


@pytest.mark.parametrize(
    ("standings", "width", "last"),
    [
        (PAIR, None, "faults"), (PAIR, 87, "faults"), (PAIR, 86, "faults"), (PAIR, 66, "faults"),
        (PAIR, 60, "W-D-L"), (PAIR, 44, "points"), (PAIR, 30, "95 %"), (PAIR, 5, "Elo"),
        (SOLO, 113, "faults"), (SOLO, 112, "faults"), (SOLO, 80, "faults"), (SOLO, 77, "games"),
        (SOLO, 58, "+/=/-"), (SOLO, 20, "deserters"),
    ],
)  # fmt: skip
def test_narrow_terminals_lose_columns_from_the_right(standings, width, last):
    table = tables.text(alone(standings), width=width).splitlines()[: 2 + len(standings.rows)]
    assert table[0].endswith(f" {last}")
    has_room = width not in (None, 5) and (standings, width) != (SOLO, 20)
    assert not has_room or all(wcswidth(line) <= width for line in table)


def test_a_table_of_long_names_and_many_games_has_all_columns_on_80():
    names = [f"team-with-a-long-name-{number:02}" for number in range(30)]
    row = replace(GREEDY, value=1500.0, games=12345, points=8888.5, wins=7000, draws=345,
                  losses=5000, faults={FaultKind.CRASH: 1})  # fmt: skip
    rows = tuple(replace(row, name=name, rank=rank) for rank, name in enumerate(names, 1))
    notice = "was withdrawn because of its build and " * 6
    lines = tables.text([Section("d", replace(PAIR, rows=rows), (notice,))], width=80).splitlines()
    assert max(map(wcswidth, lines)) <= 80
    assert lines[0].split() == [
        *("#", "bot", "Elo", "95", "%", "score", "points", "games", "W-D-L", "faults"),
    ]  # fmt: skip
    assert "7000-345-5000" in lines[2]
    assert len({line.split()[0] for line in lines[2:32]}) == 30
    assert notice.split() == " ".join(lines).split()[-len(notice.split()) :]


def test_faults_are_told_even_when_their_column_is_dropped():
    assert "faults of random: 3 timeout, 1 crash" in tables.text(alone(PAIR), width=40)


def test_only_the_header_is_bold_and_only_when_asked():
    bold = tables.text(alone(PAIR), emphasis=Emphasis.BOLD)
    header, rest = tables.text(alone(PAIR)).split("\n", 1)
    assert bold == f"\x1b[1m{header}\x1b[0m\n{rest}"
    assert "\x1b" not in tables.text(alone(PAIR))


def test_wide_names_are_cut_and_aligned_in_columns():
    table = tables.text(alone(named("竜" * 20, "n" * 30, "e\u0301" * 24, "b"))).splitlines()[2:6]
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
    sections = [Section(name, standings, (name,))] * 2
    forms = [form(sections) for form in (tables.text, tables.markdown, tables.csv_text)]
    for form in forms:
        assert clean.plain(form.replace("\n", "")) == form.replace("\n", "")
        assert clean.REPLACEMENT in form
    harmless = alone(named("a", "b"))
    assert (
        len(tables.text(sections[:1]).splitlines()) == len(tables.text(harmless).splitlines()) + 1
    )


@pytest.mark.parametrize("name", [n for n in HOSTILE if n != "\udc80"] + ["\U000e0001x", "é竜"])
def test_json_keeps_every_name_and_escapes_what_steers(name):
    form = tables.json_text(alone(named(name, "b")))
    assert json.loads(form)["tables"][0]["data"]["rows"][0]["name"] == name
    assert clean.plain(form.replace("\n", "")) == form.replace("\n", "")


@pytest.mark.parametrize(
    ("name", "escaped"),
    [
        ("a|b", r"a\|b"),
        ("a\\|b", r"a\\\|b"),
        ("<script>", "&lt;script&gt;"),
        ("[x](y)", r"\[x\](y)"),
        ("_*`~#!$", r"\_\*\`\~\#\!\$"),
        ("&amp;", "&amp;amp;"),
        ("@team", "@<!-- -->team"),
    ],
)
def test_markdown_shows_names_literally(name, escaped):
    assert f"| {escaped} " in tables.markdown(alone(named(name, "b")))


def test_markdown_escapes_marks():
    form = tables.markdown(alone(GROUPS))
    assert "| &gt;1320 |" in form
    assert "\n- >" not in form


@pytest.mark.parametrize(
    "name", ["=1+1", "+1", "@SUM(A1)", 'a"b', "a,b", "a;b", "-1", "'", "'=1", "竜" * 40]
)
def test_csv_parses_back_and_no_spreadsheet_computes_it(name):
    rows = list(csv.DictReader(io.StringIO(tables.csv_text(alone(named(name, "b"))))))
    assert [row["name"].removeprefix("'") for row in rows] == [name, "b"]
    assert rows[0]["name"][0] not in "=+-@"
    assert float(rows[0]["elo"]) == GREEDY.value


def played(*games):
    counts = Tally(["listed"])
    for block, entrants, places in games:
        spec = GameSpec(f"d/{block}", block, block, 0, tuple(entrants))
        counts.add(GameResult(spec, Termination.COMPLETED, places, plies=1, digest=""))
    return standings(counts, fit(counts))


SITUATIONS = {
    "zero games": [],
    "single game": [("x", "ab", (1, 2))],
    "perfect score": [(f"{k}", "ab", (1, 2)) for k in range(50)],
    "all draws": [(f"{k}", "ab", (1, 1)) for k in range(50)],
    "islands": [("x", "ab", (1, 1)), ("y", "cd", (1, 2))],
    "three seats": [(f"{k}", "abc", (1, 2, 3)) for k in range(20)],
}


@pytest.mark.parametrize("situation", SITUATIONS)
def test_no_form_ever_shows_nan_or_infinity(situation):
    found = alone(played(*SITUATIONS[situation]))
    assert "listed" in tables.text(found)
    json.loads(tables.json_text(found))
    for form in (tables.text, tables.markdown, tables.csv_text, tables.json_text):
        shown = form(found).lower()
        assert "nan" not in shown
        assert "inf" not in shown


def test_an_empty_table_has_its_header():
    empty = replace(PAIR, rows=(), anchor=None, first_over_second=None)
    assert tables.text(alone(empty)).startswith("#    bot    Elo")
    assert tables.csv_text(alone(empty)).count("\n") == 1
