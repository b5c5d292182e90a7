"""Dragonrealm's cards: what is accepted, and where a mistake is."""

from __future__ import annotations

from typing import Any

import pytest

from arena.extensions.games.dragonrealm.rules.data import read_cards
from arena.games.registry import resolve
from tests.games.games import Change, default_data, refused, value_at


def test_the_stand_in_set() -> None:
    cards = read_cards(default_data("dragonrealm"))
    assert cards.data_id == "standin"
    assert cards.status == "stand-in"
    assert cards.dice == (1, 2, 2, 3, 3, 4)
    assert [card.level for card in cards.enhancements].count(2) == 6
    known = {card.id: card.known for card in cards.locations}
    facts = ("name", "level", "reward", "stones", "sneak", "gold", "min_players")
    assert known["halfling_hideout"] == facts


def test_what_may_come_in_any_order_or_be_left_out() -> None:
    data = default_data("dragonrealm")
    data["suits"].reverse()
    data["dice"].reverse()
    data["locations"][0]["min_players"] = 2
    assert read_cards(data) == read_cards(default_data("dragonrealm"))
    del data["note"]
    assert read_cards(data).note == ""


def test_other_cards_can_be_played_with() -> None:
    data = default_data("dragonrealm")
    data["data_id"] = "mine"
    data["suits"] = ["red", "blue", "green", "yellow", "purple"]
    data["goblins"] = {"left": 3, "middle": 0, "right": 3}
    data["enhancements"][0]["one_time"] = True
    spec = resolve("dragonrealm", 3, {}, data)
    assert spec.data["suits"] == ("blue", "green", "purple", "red", "yellow")


VALUES: list[tuple[str, object, str]] = [
    ("deck", 1, "expected one of data_id"),
    ("status", "", "expected text, got ''"),
    ("data_id", 3, "expected text, got 3"),
    ("suits", "abcde", "expected a list"),
    ("suits", ["a"] * 4, "expected 5 entries, got 4"),
    ("suits 1", "anchor", "'anchor' again"),
    ("suits 4", "E", "lower-case"),
    ("suits 4", "goblins", "a name of its own"),
    ("dice 5", 0, "from 1 to 24, got 0"),
    ("dice", [1, 2, 3], "expected 6 entries, got 3"),
    ("goblins", {"left": 3, "middle": 2, "right": 2}, "expected 6 cards, got 7"),  # DR-44
    ("goblins top", 0, "one of left"),
    ("locations 0", 3, "expected fields"),
    ("locations 0 id", "Snake", "lower-case letters"),
    ("locations 0 name", 3, "expected text, got 3"),
    ("locations 0 known", "name", "expected a list"),
    ("locations 0 level", 4, "from 0 to 3, got 4"),
    ("locations 0 spaces", 13, "from 1 to 12, got 13"),
    ("locations 0 spaces", True, "got True"),
    ("locations 0 reward", [4], "expected 2 entries, got 1"),
    ("locations 0 reward 1", 0, "from 1 to 24, got 0"),
    ("locations 0 stones", -1, "from 0 to 24, got -1"),
    ("locations 0 sneak", 25, "from 1 to 24, got 25"),
    ("locations 0 search", "4", "got '4'"),
    ("locations 0 storm", None, "got None"),
    ("locations 0 gold 0", "run", "expected one of sneak, search, storm"),
    ("locations 0 gold", ["storm", "storm"], "expected each way once"),
    ("locations 0 special", "cold", "expected one of none"),
    ("locations 0 min_players", 5, "from 2 to 4, got 5"),
    ("locations 0 colour", "red", "expected one of id"),
    ("enhancements 0 level", 3, "from 1 to 2, got 3"),
    ("enhancements 0 one_time", 1, "expected true or false, got 1"),
    ("enhancements 4 one_time", True, "expected false"),
    ("enhancements 0 when", "now", "expected one of before_roll"),
    ("enhancements 0 effect", {}, "expected reroll_dice for after_roll"),
    ("enhancements 1 effect", {"reroll_dice": 1}, "expected draw_extra with then_discard"),
    ("enhancements 0 effect reroll_dice", 0, "got 0"),
    ("enhancements 2 effect action", "fly", "expected one of sneak, search, storm, got 'fly'"),
]


@pytest.mark.parametrize(("path", "value", "message"), VALUES)
def test_values_that_are_refused(path: str, value: object, message: str) -> None:
    where, told = refused("dragonrealm", value_at(path, value))
    assert where == path
    assert message in told


@pytest.mark.parametrize(
    ("change", "path", "message"),
    [
        (lambda d: d.pop("dice"), "", "expected a value for 'dice'"),
        (lambda d: d["locations"].pop(), "locations", "expected 20 entries, got 19"),
        (value_at("locations 0 level", 2), "locations", "expected 5 locations of level 1, got 4"),
        (value_at("locations 8 id", "witch_cabin"), "locations 8", "'witch_cabin' again"),
        (lambda d: d["enhancements"].pop(), "enhancements", "expected 16 entries, got 15"),
        (value_at("enhancements 9 id", "lucky_socks"), "enhancements 9", "'lucky_socks' again"),
    ],
)
def test_cards_that_are_refused(change: Change, path: str, message: str) -> None:
    where, told = refused("dragonrealm", change)
    assert where == path
    assert message in told


def test_cards_must_suffice_for_the_deal() -> None:
    def all_dragons_for_three(data: Any) -> None:
        for card in data["locations"]:
            card.update(min_players=3 if card["level"] == 0 else card.get("min_players", 2))

    def seven_of_level_1(data: Any) -> None:
        for card in data["enhancements"][:3]:
            card.update(level=2)

    assert refused("dragonrealm", all_dragons_for_three) == (
        "locations",
        "expected at least 1 of level 0 for 2 seats, got 0",
    )
    assert refused("dragonrealm", seven_of_level_1, 4, enhancement_deal="by_level") == (
        "enhancements",
        "expected at least 8 of level 1 for 4 seats, got 7",
    )
