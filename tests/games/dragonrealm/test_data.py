"""Dragonrealm's cards: what is accepted, and where a mistake is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from arena.games.base import RulesError
from arena.games.dragonrealm.rules.data import read_cards
from arena.games.registry import resolve
from tests.games.games import default_data

Change = Callable[[dict[str, Any]], object]


def test_the_stand_in_set() -> None:
    cards = read_cards(default_data("dragonrealm"))
    assert cards.data_id == "standin"
    assert cards.status == "stand-in"
    assert cards.dice == (1, 2, 2, 3, 3, 4)
    assert [card.level for card in cards.enhancements].count(2) == 6
    known = {card.id: card.known for card in cards.locations}
    assert known["halfling_hideout"] == (
        "name",
        "level",
        "reward",
        "stones",
        "sneak",
        "gold",
        "min_players",
    )


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


def location(**fields: Any) -> Change:
    return lambda data: data["locations"][0].update(fields)


def enhancement(**fields: Any) -> Change:
    return lambda data: data["enhancements"][0].update(fields)


MINE = ("data", "locations", 0)
CARD = ("data", "enhancements", 0)


@pytest.mark.parametrize(
    ("change", "path", "message"),
    [
        (lambda d: d.pop("dice"), ("data",), "expected a value for 'dice'"),
        (lambda d: d.update(deck=1), ("data", "deck"), "expected one of data_id"),
        (lambda d: d.update(status=""), ("data", "status"), "expected text, got ''"),
        (lambda d: d.update(data_id=3), ("data", "data_id"), "expected text, got 3"),
        (lambda d: d.update(suits="abcde"), ("data", "suits"), "expected a list"),
        (lambda d: d["suits"].pop(), ("data", "suits"), "expected 5 entries, got 4"),
        (lambda d: d.update(suits=["a"] * 5), ("data", "suits", 1), "'a' again"),
        (lambda d: d.update(suits=["a", "b", "c", "d", "E"]), ("data", "suits", 4), "lower-case"),
        (
            lambda d: d.update(suits=["a", "b", "c", "d", "goblins"]),
            ("data", "suits", 4),
            "a name of its own",
        ),
        (lambda d: d.update(dice=[1, 2, 3, 4, 5, 0]), ("data", "dice", 5), "from 1 to 24, got 0"),
        (lambda d: d.update(dice=[1, 2, 3]), ("data", "dice"), "expected 6 entries, got 3"),
        (  # DR-44: the split may differ, not the number
            lambda d: d["goblins"].update(left=3),
            ("data", "goblins"),
            "expected 6 cards, got 7",
        ),
        (lambda d: d["goblins"].update(top=0), ("data", "goblins", "top"), "one of left"),
        (lambda d: d["locations"].pop(), ("data", "locations"), "expected 20 entries, got 19"),
        (location(level=2), ("data", "locations"), "expected 5 locations of level 1, got 4"),
        (location(id="snake_pit"), ("data", "locations", 8), "'snake_pit' again"),
        (location(id="Snake"), (*MINE, "id"), "lower-case letters"),
        (location(name=3), (*MINE, "name"), "expected text, got 3"),
        (location(known="name"), (*MINE, "known"), "expected a list"),
        (location(level=4), (*MINE, "level"), "from 0 to 3, got 4"),
        (location(spaces=13), (*MINE, "spaces"), "from 1 to 12, got 13"),
        (location(spaces=True), (*MINE, "spaces"), "got True"),
        (location(reward=[4]), (*MINE, "reward"), "expected 2 entries, got 1"),
        (location(reward=[4, 0]), (*MINE, "reward", 1), "from 1 to 24, got 0"),
        (location(stones=-1), (*MINE, "stones"), "from 0 to 24, got -1"),
        (location(sneak=25), (*MINE, "sneak"), "from 1 to 24, got 25"),
        (location(search="4"), (*MINE, "search"), "got '4'"),
        (location(storm=None), (*MINE, "storm"), "got None"),
        (location(gold=["run"]), (*MINE, "gold", 0), "expected one of sneak, search, storm"),
        (location(gold=["storm", "storm"]), (*MINE, "gold"), "expected each way once"),
        (location(special="cold"), (*MINE, "special"), "expected one of none"),
        (location(min_players=5), (*MINE, "min_players"), "from 2 to 4, got 5"),
        (location(colour="red"), (*MINE, "colour"), "expected one of id"),
        (lambda d: d["locations"].insert(0, 3) or d["locations"].pop(), MINE, "expected fields"),
        (
            lambda d: d["enhancements"].pop(),
            ("data", "enhancements"),
            "expected 16 entries, got 15",
        ),
        (enhancement(id="si_old_map"), ("data", "enhancements", 9), "'si_old_map' again"),
        (enhancement(level=3), (*CARD, "level"), "from 1 to 2, got 3"),
        (enhancement(one_time=1), (*CARD, "one_time"), "expected true or false, got 1"),
        (enhancement(when="now"), (*CARD, "when"), "expected one of before_roll"),
        (enhancement(when="rest"), (*CARD, "effect"), "expected draw_extra with then_discard"),
        (enhancement(effect={}), (*CARD, "effect"), "expected reroll_dice for after_roll"),
        (enhancement(effect={"reroll_dice": 0}), (*CARD, "effect", "reroll_dice"), "got 0"),
        (
            enhancement(when="before_roll", effect={"add": 1, "action": "fly"}),
            (*CARD, "effect", "action"),
            "expected one of sneak, search, storm, got 'fly'",
        ),
        (
            enhancement(when="game_end", effect={"coins": 1}, one_time=True),
            (*CARD, "one_time"),
            "expected false",
        ),
    ],
)
def test_mistakes_are_named(change: Change, path: tuple[str | int, ...], message: str) -> None:
    data = default_data("dragonrealm")
    change(data)
    with pytest.raises(RulesError) as caught:
        resolve("dragonrealm", 2, {}, data)
    assert caught.value.path == path
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("seats", "options", "change", "path", "message"),
    [
        (
            2,
            {},
            lambda d: [card.update(min_players=3) for card in d["locations"] if card["level"] == 0],
            ("data", "locations"),
            "expected at least 1 of level 0 for 2 seats, got 0",
        ),
        (
            4,
            {"enhancement_deal": "by_level"},
            lambda d: [card.update(level=2) for card in d["enhancements"][:3]],
            ("data", "enhancements"),
            "expected at least 8 of level 1 for 4 seats, got 7",
        ),
    ],
)
def test_cards_must_suffice_for_the_deal(
    seats: int,
    options: dict[str, object],
    change: Change,
    path: tuple[str | int, ...],
    message: str,
) -> None:
    data = default_data("dragonrealm")
    change(data)
    with pytest.raises(RulesError) as caught:
        resolve("dragonrealm", seats, options, data)
    assert caught.value.path == path
    assert message in str(caught.value)
