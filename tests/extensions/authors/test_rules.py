"""``arena rules``: pages laid out for people, rulings found however they are written."""

from __future__ import annotations

import sys

import pytest
from wcwidth import wcswidth

from arena.cli.terminal.console import Color, choose_color
from arena.extensions.authors.commands.rules import RulesOptions, print_rules
from arena.games.base import Option
from arena.games.game import Game
from arena.games.registry import GAMES
from arena.values.bad_input import BadInput
from tests import toy


@pytest.fixture
def on_a_terminal(monkeypatch, capsys):
    """The page of a game as a person sees it."""

    def shown(name: str, color: Color, columns: int = 80) -> str:
        monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
        monkeypatch.setenv("COLUMNS", str(columns))
        choose_color(color)
        print_rules(RulesOptions(name=name))
        return capsys.readouterr().out

    yield shown
    choose_color(Color.AUTO)


def test_a_page_that_is_piped_is_its_markdown_source(capsys):
    print_rules(RulesOptions(name="dragonheart"))
    assert capsys.readouterr().out == GAMES["dragonheart"].page()


@pytest.mark.parametrize("columns", [40, 80, 200])
@pytest.mark.parametrize("name", GAMES)
def test_a_page_on_a_terminal_keeps_within_its_width(on_a_terminal, name, columns):
    page = on_a_terminal(name, Color.NEVER, columns)
    assert max(map(wcswidth, page.splitlines())) == min(columns, 100)
    assert page.count("…") == GAMES[name].page().count("…"), "a word was cut"


@pytest.mark.parametrize(("color", "styled"), [(Color.ALWAYS, True), (Color.NEVER, False)])
def test_a_page_has_colour_where_it_is_wanted(on_a_terminal, color, styled):
    assert ("\x1b" in on_a_terminal("dragonheart", color)) == styled


@pytest.mark.parametrize("asked", ["DH-04", "dh-4"])
def test_a_ruling(capsys, monkeypatch, asked):
    monkeypatch.setenv("COLUMNS", "60")
    print_rules(RulesOptions(name="dragonheart", ruling=asked))
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "DH-04  One or both targets of a choice are empty?"
    assert (len(lines), lines[2]) == (5, "        both are empty there is no choice.")


@pytest.mark.parametrize("asked", ["DH-99", "DH-", "4", ""])
def test_a_ruling_that_is_not_there(asked):
    with pytest.raises(BadInput, match=f'found "{asked}", expected DH-01 to DH-22'):
        print_rules(RulesOptions(name="dragonheart", ruling=asked))


@pytest.fixture(params=[(1, 2), (1,)], ids=["two seats", "solo only"])
def from_outside(monkeypatch, request):
    """A game that is registered by other code than ours, without a page."""
    family = Game(
        name="toy",
        title="Toy",
        package="tests",
        seats=request.param,
        options=(Option("rounds", (True, False), True, "whether there are rounds"),),
        data_file=None,
        build=lambda seats, options, data: toy.ToyRules(seats),
        action_types=(toy.Say,),
        observation_type=toy.Observation,
        event_types=(toy.Event,),
    )
    monkeypatch.setitem(GAMES.loaded, "toy", family)


def test_a_game_from_outside_is_listed(from_outside, capsys):
    print_rules(RulesOptions())
    assert "toy            Toy, seats: 1" in capsys.readouterr().out


def test_a_game_without_a_page_tells_what_can_be_chosen(from_outside, capsys, on_a_terminal):
    print_rules(RulesOptions(name="toy"))
    page = capsys.readouterr().out
    assert page.startswith("# Toy\n\nThese rules come without a page.\n\nSeats: 1")
    assert page.endswith("| `rounds` | `true`, `false` | `true` | whether there are rounds |\n")
    assert "whether there are rounds" in on_a_terminal("toy", Color.NEVER)


def test_a_game_without_a_page_has_no_rulings(from_outside):
    with pytest.raises(BadInput, match='found "DH-01", but the page of toy has no rulings'):
        print_rules(RulesOptions(name="toy", ruling="DH-01"))
