"""A game line by line: what an answer means, and what is printed."""

from __future__ import annotations

import pytest
from wcwidth import wcswidth

from arena.extensions.browser.table.course import Seated
from arena.extensions.browser.table.text import (
    Reply,
    Why,
    begin_lines,
    list_lines,
    matching,
    reply_lines,
    resolve,
    seen_lines,
)
from arena.extensions.games.dragonrealm.choices import chance_of
from arena.games.guarded_board import board_of
from tests.extensions.browser.table.questions import game, question, questions

TABLES = [
    ("dragonheart", 2), ("dragonkrak", 1), ("dragonkrak", 2), ("dragonkrak", 3),
    ("dragonkrak", 4), ("dragonrealm", 2), ("dragonrealm", 3), ("dragonrealm", 4),
]  # fmt: skip
WORDS = ("Play Dwarf 1", "Play Dwarf 1 2", "Play Ship")


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("1", 0), (" 3\n", 2), ("ship", 2), ("dwarf 2", 1), ("play dwarf 1", 0),
        ("", Reply.NOTHING),
        ("?", Reply.HELP), ("LOG", Reply.LOG), ("board", Reply.BOARD), ("list", Reply.LIST),
        ("q", Reply.LEAVE), ("quit", Reply.LEAVE), ("why 2", Why(1)),
        ("0", "0 is no number from 1 to 3"), ("4", "4 is no number from 1 to 3"),
        ("9" * 5000, f"{'9' * 20} is no number from 1 to 3"),
        ("dwarf", "2 choices have that: 1, 2"), ("why 4", 'no choice has "why 4"; ? helps'),
        ("troll", 'no choice has "troll"; ? helps'),
    ],
)  # fmt: skip
def test_answers(text: str, meant: object) -> None:
    assert resolve(text, WORDS) == meant


def test_matching_takes_words_in_any_order() -> None:
    assert matching(WORDS, "1 dwarf 2") == (1,)
    assert matching(WORDS, "1 play") == (0, 1)


def test_what_is_printed_before_a_choice() -> None:
    seated = question("dragonheart", 2, 1)
    lines = seen_lines(seated, 79)
    assert lines[:2] == ["", seated.log[seated.news]]
    assert lines[1].startswith("human plays ")
    assert "human is dealt" not in "\n".join(lines), "that was told before"
    listed = list_lines(seated, 79)
    assert listed[0] == f"your move, 1-{len(seated.words)}:"
    assert listed[-1] == f"  {len(seated.words)}  {seated.words[-1]}"


def test_many_short_choices_stand_side_by_side() -> None:
    words = tuple(f"move {number}" for number in range(1, 12))
    seated = question("dragonheart", 2, 0)._replace(words=words)
    assert list_lines(seated, 45) == [
        "your move, 1-11:",
        "   1  move 1    5  move 5    9  move 9",
        "   2  move 2    6  move 6   10  move 10",
        "   3  move 3    7  move 7   11  move 11",
        "   4  move 4    8  move 8",
    ]
    assert len(list_lines(seated, 20)) == 12
    assert list_lines(seated._replace(words=("go " * 9, "stay")), 20)[1:] == [
        "  1  go go go go go",
        "     go go go go",
        "  2  stay",
    ]


def test_what_is_printed_first() -> None:
    alone = begin_lines(Seated(game("dragonkrak", 1, notices=("made up",))), 79)
    assert alone[0] == "Dragonkrak, game 1: you are human, alone"
    assert "made up" in alone
    two = begin_lines(Seated(game("dragonkrak", 2)), 79)
    assert two[0] == "Dragonkrak, game 1: you are human, seat 0, against random"
    assert two[-1] == "? helps, quit leaves"
    assert seen_lines(Seated(game("dragonkrak", 2)), 79) == [""], "no card is dealt yet"


@pytest.mark.slow
@pytest.mark.parametrize("width", [79, 39])
@pytest.mark.parametrize(("rules", "seats"), TABLES)
def test_every_question_of_a_game_fits(rules: str, seats: int, width: int) -> None:
    asked = questions(rules, seats, seats - 1)
    for seated in asked[:: max(1, len(asked) // 25)]:
        printed = [*begin_lines(seated, width), *seen_lines(seated, width)]
        printed += list_lines(seated, width)
        for reply in (Reply.HELP, Reply.BOARD, Reply.LOG, Why(0)):
            printed += reply_lines(seated, reply, width)
        assert max(map(wcswidth, printed)) <= width
        found = [resolve(words, seated.words) for words in seated.words]
        assert found == [*range(len(found))], "the words of each choice mean it"


def test_replies() -> None:
    seated = question("dragonheart", 2, 0)
    assert "arena rules dragonheart" in reply_lines(seated, Reply.HELP, 79)[-1]
    assert len(reply_lines(seated, Reply.BOARD, 79)) > 10
    assert reply_lines(seated, Reply.LOG, 79) == list(seated.log)
    assert reply_lines(seated, Reply.LIST, 79) == list_lines(seated, 79)
    assert reply_lines(seated, Reply.NOTHING, 79) == []
    assert reply_lines(seated, "no", 79) == ["no"]
    assert reply_lines(seated, Why(0), 79)[0].startswith(f"{seated.words[0]}. ")


@pytest.mark.parametrize(("rules", "seats"), TABLES)
def test_a_board_has_an_aim_terms_in_the_help_and_hints(rules: str, seats: int) -> None:
    board = board_of(rules, 2)
    assert board.aim_at(seats)
    assert board.terms
    shown = reply_lines(question(rules, seats, 0), Reply.HELP, 119)
    for word, meaning in board.terms:
        assert f"{word}: {meaning}" in shown
    for seated in questions(rules, seats):
        for action in seated.legal:
            text = board.hint(action, seated.observation, seated.game.rules.data)
            assert text or action["type"] == "reroll", action
            assert len(text) <= 150, "two lines"


def test_a_fault_is_told() -> None:
    told = Seated(game("dragonheart", 2)).with_line("the bot of random\x07 failed").log[-1]
    assert told == "the bot of random\N{REPLACEMENT CHARACTER} failed"


def test_equal_names_are_told_apart() -> None:
    three = game("dragonkrak", 3)
    assert three._replace(entrants=("a", "b", "a")).table.names == ("a (0)", "b", "a (2)")
    assert "\x1b" not in three._replace(entrants=("\x1b[2J",)).table.names[0]


def test_other_rules_have_no_hints() -> None:
    board = board_of("toy", 2)
    assert (board.aim_at(2), board.terms, board.hint({"type": "say"}, {}, {})) == ("", (), "")


DICE = {"dice": [1, 2, 2, 3, 3, 4]}


def test_hints_go_by_what_is_seen() -> None:
    hint = board_of("dragonheart", 2).hint
    board = {"treasure": ["treasure:1"], "petrified": []}
    told = [hint({"type": "take", "space": space}, {"board": board}, {}) for space in board]
    assert told == [
        "You collect all cards there; their values are your points.", "You collect nothing.",
    ]  # fmt: skip
    hint = board_of("dragonrealm", 2).hint
    cards = {"type": "play", "cards": ["bell:01"]}
    for bonus, begin in (
        (3, "The throw alone cannot succeed;"),
        (4, "The throw succeeds in 17 of 100 "),
    ):
        seen = {"attempt": {"needed": 8, "bonus": bonus}}
        assert hint(cards, seen, DICE).startswith(begin)
    row = {"row": [{"id": "mill", "gold": ["storm"]}]}
    for way in ("storm", "sneak"):
        text = hint({"type": "explore", "location": "mill", "way": way}, row, DICE)
        assert ("you may place two" in text) == (way == "storm")


@pytest.mark.parametrize(
    ("dice", "needed", "chance"), [(1, 1, 1), (1, 4, 1 / 6), (2, 8, 1 / 36), (1, 5, 0), (0, 0, 1)]
)
def test_the_chance_of_a_throw(dice: int, needed: int, chance: float) -> None:
    assert chance_of(dice, needed, (1, 2, 2, 3, 3, 4)) == pytest.approx(chance)


def test_no_chance_without_faces() -> None:
    assert chance_of(1, 1, ()) is None
