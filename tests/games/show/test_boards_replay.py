"""What boards say, and that they repeat the rules truly."""

from __future__ import annotations

import json
from importlib import resources

import msgspec
import pytest
from wcwidth import wcswidth

from arena.extensions.games.dragonheart import board as dragonheart
from arena.extensions.games.dragonheart.rules import cards
from arena.games.board import GENERIC, TableInfo
from arena.games.guarded_board import board_of
from arena.games.registry import GAMES
from arena.views.game.replay import view_of
from tests.games.games import OWN
from tests.views.game.replays import changed, record_of, replay_of, rules_of

TABLE = TableInfo(("greedy", "random"), {"edition": "ffg"})
LONG = TableInfo(("n" * 24, "m" * 24), {"edition": "ffg"})


def test_scripts_are_told_what_the_rules_print():
    assert board_of("dragonheart", 2).drawing.facts == {
        "figure_points": 3,
        "ship_sets": 3,
        "rows": {"dwarf": 4, "huntress": 3, "knight": 2, "ship": 3},
        "takes": {
            "dwarf": ("dwarf",),
            "fire_dragon": ("treasure",),
            "huntress": ("fire_dragon",),
            "knight": ("sorceress", "troll"),
            "ship": ("quay",),
            "sorceress": ("treasure", "petrified"),
            "troll": ("sorceress",),
        },
        "to_quay": ["huntress", "knight"],
    }
    facts = board_of("dragonkrak", 2).drawing.facts
    assert (facts["armies"], facts["falling"]) == (("I", "II", "III", "IV"), ["II", "IV"])
    assert facts["coloured"] == ["III", "IV", "tower"]
    assert facts["below"] == {"I": 0, "II": 13, "III": 0, "IV": 13}
    assert [limit for limit, _ in facts["grades"]][:-1] == [0, 4, 8, 14]
    facts = board_of("dragonrealm", 2).drawing.facts
    assert facts["ways"] == ("sneak", "search", "storm")
    assert facts["price"] == {"adventurers": 2, "coins": 2}


@pytest.mark.parametrize("name", OWN)
def test_every_file_of_a_board_is_there(name):
    drawing = board_of(name, 2).drawing
    listed = {*drawing.styles, *drawing.scripts}
    folder = resources.files(GAMES[name].package).joinpath("show")
    there = {f"show/{file.name}" for file in folder.iterdir() if file.name[-3:] in ("css", ".js")}
    assert listed == there


@pytest.mark.parametrize("deal", range(5))
@pytest.mark.parametrize("edition", cards.EDITIONS)
def test_running_scores_end_at_the_result(deal, edition):
    rules = rules_of(edition=edition)
    view = view_of(replay_of(rules, record_of(rules, f"greedy+random:{deal}:0")), None)
    assert view.scores_at(len(view.plies)) == view.end.scores


@pytest.mark.parametrize("deal", range(5))
def test_the_board_fits_80_columns(deal):
    rules = rules_of(edition="ffg")
    view = view_of(replay_of(rules, record_of(rules, f"greedy+random:{deal}:0")), None)
    for position in range(len(view.plies) + 1):
        spaces = dragonheart.lines(view.observations(position), LONG)[4:]
        assert len(spaces) == 11
        assert max(map(wcswidth, spaces)) <= 79


@pytest.mark.parametrize(
    ("event", "words"),
    [
        ({"type": "deal", "seat": 1, "cards": ["dwarf:1", "dwarf:2", "ship:0"]},
         "random is dealt Dwarf 1 2, Ship"),
        ({"type": "starter", "seat": 0}, "greedy begins"),
        ({"type": "play", "seat": 0, "cards": ["ship:0", "ship:0"], "drew": 2},
         "greedy plays Ship ×2; draws 2 cards"),
        ({"type": "play", "seat": 0, "cards": ["huntress:1"], "collected": ["fire_dragon:3"],
          "collected_from": "fire_dragon", "row_to": "quay", "drew": 1, "drawn": ["troll:3"]},
         "greedy plays Huntress 1; collects Fire dragon 3; the full row goes to the quay; "
         "draws Troll 3"),
        ({"type": "play", "seat": 1, "cards": ["ship:0"], "row_to": "ship_set", "final_turn": 9},
         "random plays Ship; the ships leave the board; turn 9 will be the last"),
        ({"type": "take", "seat": 1, "space": "troll"}, "random chooses Troll: nothing lies there"),
        ({"type": "take", "seat": 1, "space": "petrified", "collected": ["petrified:2"],
          "collected_from": "petrified", "figure": True, "over": True},
         "random chooses Petrified: collects Petrified 2 and the dragon figure; "
         "the game has ended"),
        ({"type": "steal", "seat": 1, "drew": 1},
         "random steals a card: it goes on top of the draw pile of greedy; draws 1 card"),
        ({"type": "steal", "seat": 1, "card": "dwarf:2"},
         "random steals Dwarf 2: it goes on top of the draw pile of greedy"),
    ],
)  # fmt: skip
def test_sentences(event, words):
    assert dragonheart.sentence(event, TABLE) == words


@pytest.mark.parametrize("edition", cards.EDITIONS)
def test_cards_have_the_names_that_bots_read(edition):
    event = {"type": "play", "seat": 0, "cards": ["knight:1", "petrified:2"]}
    told = dragonheart.sentence(event, TableInfo(TABLE.names, {"edition": edition}))
    assert told == "greedy plays Knight 1, Petrified 2"


def test_both_seats_of_the_whole_view_see_one_theft():
    rules = rules_of(edition="ffg")
    view = view_of(replay_of(rules, record_of(rules)), None)
    theft = view.plies[36]
    assert theft.events[0]["card"] == "dwarf:2"
    assert "card" not in theft.events[1]
    assert theft.event["card"] == "dwarf:2"
    assert theft.event["drawn"] == ["huntress:2", "dwarf:2"]


def test_a_board_of_plain_data():
    board = board_of("no such rules", 2)
    observation = {"seat": 0, "hand": ["a", "b"], "spaces": {"x": [], "y": [[1, 2], "c\x1b"]}}
    assert board is GENERIC
    assert board.lines({0: observation}, TABLE) == [
        "seat 0 greedy sees",
        "  seat: 0",
        "  hand: a b",
        "  spaces:",
        "    x: none",
        "    y:",
        "      0: 1 2",
        "      1: c\N{REPLACEMENT CHARACTER}",
    ]
    assert board.scores(observation) is None
    event = {"type": "play", "cards": ["a"], "to": {"seat": 1}}
    assert board.sentence(event, TABLE) == 'play, cards a, to {"seat":1}'
    drawn = {"board": " +-+\n |\tK|\r\n +-+\n", "notes": ["one", "two\nthree"], "end": "over\n"}
    assert board.compact(drawn, TABLE) == [
        "board:",
        "   +-+",
        "   |      K|",
        "   +-+",
        "notes:",
        "  0: one",
        "  1:",
        "    two",
        "    three",
        "end: over",
    ]
    assert board.sentence({"type": "say", "text": "one\n two\n"}, TABLE) == "say, text one / two"


def test_rules_without_a_board_are_shown_whole():
    rules = rules_of()
    record = record_of(rules, plies=10)
    view = changed(view_of(replay_of(rules, record), 1), rules="new")
    seen = json.dumps(view.observations(10)[1])
    lines = view.board.lines(view.observations(10), view.table)
    assert lines[0] == "seat 1 random sees"
    assert [key for key in json.loads(seen) if not any(key in line for line in lines)] == []


def test_unknown_kinds_of_value_are_json():
    assert GENERIC.compact({"a": None, "b": True}, TABLE) == ["a: null", "b: true"]
    assert msgspec.json.decode(GENERIC.sentence({"type": {"x": 1}}, TABLE).replace("'", '"'))
