"""Dragonheart's deck list: what is accepted, and where a mistake is."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from arena.games.base import RulesError
from arena.games.dragonheart.rules.cards import read_deck
from arena.games.registry import resolve
from tests.games.games import default_data

Change = Callable[[dict[str, Any]], object]


def test_the_default_deck() -> None:
    deck = read_deck(default_data("dragonheart"))
    assert deck.data_id == "hobby_2016"
    assert deck.status == "provisional"
    assert len(deck.cards) == 50
    assert sum(sum(values) for values in deck.deck.values()) == 81
    assert list(deck.cards) == sorted(deck.cards)


def test_values_may_come_in_any_order() -> None:
    data = default_data("dragonheart")
    mixed = copy.deepcopy(data)
    mixed["deck"] = {kind: values[::-1] for kind, values in reversed(data["deck"].items())}
    assert read_deck(mixed) == read_deck(data)


def test_the_note_may_be_left_out() -> None:
    data = default_data("dragonheart")
    del data["note"]
    assert read_deck(data).note == ""


@pytest.mark.parametrize(
    ("change", "path", "message"),
    [
        (lambda d: d.pop("deck"), ("data",), "expected a value for 'deck'"),
        (lambda d: d.pop("status"), ("data",), "expected a value for 'status'"),
        (lambda d: d.update(status=""), ("data", "status"), "expected text, got ''"),
        (lambda d: d.update(data_id=7), ("data", "data_id"), "expected text, got 7"),
        (lambda d: d.update(cards=50), ("data", "cards"), "expected one of data_id"),
        (lambda d: d.update(deck=[1]), ("data", "deck"), "expected lists of values by kind"),
        (lambda d: d["deck"].pop("troll"), ("data", "deck"), "expected a value for 'troll'"),
        (lambda d: d["deck"].update(elf=[1]), ("data", "deck", "elf"), "expected one of dwarf"),
        (lambda d: d["deck"].update(troll=3), ("data", "deck", "troll"), "expected a list"),
        (lambda d: d["deck"]["troll"].append(1), ("data", "deck"), "expected 50 cards, got 51"),
        (lambda d: d["deck"]["troll"].pop(), ("data", "deck"), "expected 50 cards, got 49"),
        (
            lambda d: d["deck"].update(troll=[1, 2, 5]),
            ("data", "deck", "troll", 2),
            "expected an integer from 0 to 4, got 5",
        ),
        (lambda d: d["deck"].update(troll=[True]), ("data", "deck", "troll", 0), "got True"),
        (lambda d: d["deck"].update(troll=[1.0]), ("data", "deck", "troll", 0), "got 1.0"),
        (lambda d: d["deck"].update(troll=["2"]), ("data", "deck", "troll", 0), "got '2'"),
        (lambda d: d["deck"].update(troll=[-1]), ("data", "deck", "troll", 0), "got -1"),
        (
            lambda d: d["deck"].update(ship=[0] * 4),
            ("data", "deck", "ship"),
            "expected at least 5 ships, got 4",
        ),
        (  # DH-20: ships carry no number
            lambda d: d["deck"].update(ship=[0, 0, 0, 0, 1]),
            ("data", "deck", "ship", 4),
            "expected 0, got 1",
        ),
    ],
)
def test_mistakes_are_named(change: Change, path: tuple[str | int, ...], message: str) -> None:
    data = default_data("dragonheart")
    change(data)
    with pytest.raises(RulesError) as caught:
        resolve("dragonheart", 2, {}, data)
    assert caught.value.path == path
    assert message in str(caught.value)
