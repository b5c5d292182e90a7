"""Dragonheart's deck list: what is accepted, and where a mistake is."""

from __future__ import annotations

import pytest

from arena.extensions.games.dragonheart.rules.cards import read_deck
from tests.games.games import Change, default_data, refused, value_at


def test_the_default_deck() -> None:
    deck = read_deck(default_data("dragonheart"))
    assert deck.data_id == "hobby_2016"
    assert deck.status == "provisional"
    assert len(deck.cards) == 50
    assert sum(sum(values) for values in deck.deck.values()) == 81
    assert list(deck.cards) == sorted(deck.cards)


def test_values_may_come_in_any_order_and_the_note_be_left_out() -> None:
    data = default_data("dragonheart")
    mixed = default_data("dragonheart")
    mixed["deck"] = {kind: values[::-1] for kind, values in reversed(data["deck"].items())}
    assert read_deck(mixed) == read_deck(data)
    del data["note"]
    assert read_deck(data).note == ""


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("status", "", "expected text, got ''"),
        ("data_id", 7, "expected text, got 7"),
        ("cards", 50, "expected one of data_id"),
        ("deck", [1], "expected lists of values by kind"),
        ("deck elf", [1], "expected one of dwarf"),
        ("deck troll", 3, "expected a list"),
        ("deck troll 2", 5, "expected an integer from 0 to 4, got 5"),
        ("deck troll 0", True, "got True"),
        ("deck troll 0", 1.0, "got 1.0"),
        ("deck troll 0", "2", "got '2'"),
        ("deck troll 0", -1, "got -1"),
        ("deck ship", [0] * 4, "expected at least 5 ships, got 4"),
        ("deck ship 4", 1, "expected 0, got 1"),  # DH-20: ships carry no number
    ],
)
def test_values_that_are_refused(path: str, value: object, message: str) -> None:
    where, told = refused("dragonheart", value_at(path, value))
    assert where == path
    assert message in told


@pytest.mark.parametrize(
    ("change", "path", "message"),
    [
        (lambda d: d.pop("deck"), "", "expected a value for 'deck'"),
        (lambda d: d.pop("status"), "", "expected a value for 'status'"),
        (lambda d: d["deck"].pop("troll"), "deck", "expected a value for 'troll'"),
        (lambda d: d["deck"]["troll"].append(1), "deck", "expected 50 cards, got 51"),
        (lambda d: d["deck"]["troll"].pop(), "deck", "expected 50 cards, got 49"),
    ],
)
def test_cards_that_are_refused(change: Change, path: str, message: str) -> None:
    where, told = refused("dragonheart", change)
    assert where == path
    assert message in told
