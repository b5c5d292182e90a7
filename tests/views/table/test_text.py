"""A game line by line: what an answer means, and what is printed."""

from __future__ import annotations

import pytest
from wcwidth import wcswidth

from arena.views.table.state import Seated
from arena.views.table.text import (
    Reply,
    Why,
    ask_lines,
    begin_lines,
    list_lines,
    reply_lines,
    resolve,
)
from tests.views.standings.tables import game, question

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


def test_what_is_printed_before_a_choice() -> None:
    seated = question("dragonheart", 2, 1)
    lines = ask_lines(seated)
    assert lines[1].startswith("human plays ")
    assert lines[-len(seated.words) - 1] == f"your move, 1-{len(seated.words)}:"
    assert lines[-1] == f"  {len(seated.words)}  {seated.words[-1]}"
    assert list_lines(seated) == lines[-len(seated.words) - 1 :]


def test_what_is_printed_first() -> None:
    alone = begin_lines(Seated(game("dragonkrak", 1, notices=("made up",))))
    assert alone[0] == "Dragonkrak, game 1: you are human, alone"
    assert "made up" in alone
    two = begin_lines(Seated(game("dragonkrak", 2)))
    assert two[0] == "Dragonkrak, game 1: you are human, seat 0, against random"
    assert two[-1] == "? helps, quit leaves"


@pytest.mark.parametrize(("rules", "seats"), [("dragonheart", 2), ("dragonrealm", 4)])
def test_only_choices_are_longer_than_a_terminal_is_wide(rules: str, seats: int) -> None:
    seated = question(rules, seats, 1)
    printed = ask_lines(seated)[: -len(seated.words)] + begin_lines(seated)
    for reply in (Reply.HELP, Reply.BOARD, Reply.LOG, Why(0)):
        printed += reply_lines(seated, reply)
    assert max(map(wcswidth, printed)) <= 79


def test_replies() -> None:
    seated = question("dragonheart", 2, 0)
    assert "arena rules dragonheart" in reply_lines(seated, Reply.HELP)[-1]
    assert len(reply_lines(seated, Reply.BOARD)) > 10
    assert reply_lines(seated, Reply.LOG) == list(seated.log)
    assert reply_lines(seated, Reply.NOTHING) == []
    assert reply_lines(seated, "no") == ["no"]
    assert reply_lines(seated, Why(0))[0].startswith(f"{seated.words[0]}. ")
