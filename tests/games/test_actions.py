"""How rules read actions: what has no order comes in any, and whether it is legal is not asked."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest

from arena.extensions.games.dragonheart.rules import actions as heart
from arena.extensions.games.dragonkrak.rules import actions as krak
from arena.extensions.games.dragonrealm.rules import actions as realm
from arena.games.base import InvalidActionError
from tests.extensions.games.dragonheart.states import DECK, KOSMOS
from tests.extensions.games.dragonkrak.states import NEAREST, move
from tests.extensions.games.dragonrealm.states import TWO

RULES: dict[str, Any] = {"heart": KOSMOS, "krak": NEAREST, "realm": TWO}
SOCKS_MAP = ("lucky_socks", "si_old_map")
TOKENS = krak.Tokens(3, ("epidemic", "overflight"))

READ: dict[str, list[tuple[dict[str, object], object]]] = {
    "heart": [
        ({"type": "play", "cards": ["dwarf:2", "dwarf:1"]}, heart.Play(("dwarf:1", "dwarf:2"))),
        ({"type": "play", "cards": ["troll:1"], "why": "fun"}, heart.Play(("troll:1",))),
        ({"type": "play", "cards": ["dwarf:1", "troll:1"]}, heart.Play(("dwarf:1", "troll:1"))),
        ({"type": "take", "space": "troll"}, heart.Take("troll")),
        ({"type": "starter", "seat": 1}, heart.Starter(1)),
        ({"type": "steal", "card": "ship:0"}, heart.Steal("ship:0")),
        ({"type": "shuffle", "seat": 0, "cards": list(DECK)}, heart.Shuffle(0, DECK)),
    ],
    "krak": [
        ({"type": "place", "card": "druids:07", "space": "I"}, krak.Place("druids:07", "I")),
        (
            {"type": "place", "card": "druids:07", "space": "I", "value": None, "why": "fun"},
            krak.Place("druids:07", "I"),
        ),
        ({"type": "place", "card": "hero", "space": "II", "value": 9}, krak.Place("hero", "II", 9)),
        ({"type": "recruit", "card": "hero"}, krak.Recruit("hero")),
        ({"type": "remove", "card": "hero", "army": "II", "value": 9}, move("remove h II 9")),
        ({"type": "exchange", "card": "artisans:12", "army": "II"}, move("exchange a12 II")),
        ({"type": "volunteers", "card": "hero", "army": "I", "value": 2}, move("volunteers h I 2")),
        ({"type": "end"}, move("end")),
        ({"type": "fly", "army": "IV"}, move("fly IV")),
        ({"type": "epidemic", "army": "IV", "count": 2}, move("epidemic IV 2")),
        ({"type": "tokens", "seat": 3, "tokens": ["overflight", "epidemic"]}, TOKENS),
        ({"type": "starter", "seat": 3}, krak.Starter(3)),
    ],
    "realm": [
        ({"type": "rest", "source": "deck"}, realm.Rest("deck")),
        ({"type": "draw", "source": "bell:07"}, realm.Draw("bell:07")),
        (
            {"type": "explore", "location": "snake_pit", "way": "storm"},
            realm.Explore("snake_pit", "storm"),
        ),
        ({"type": "play", "cards": ["drum:08", "bell:07"]}, realm.Play(("bell:07", "drum:08"))),
        ({"type": "play", "cards": ["bell:07"], "why": "fun"}, realm.Play(("bell:07",))),
        ({"type": "pass", "cards": ["drum:08", "bell:07"]}, realm.Pass(("bell:07", "drum:08"))),
        ({"type": "discard", "card": "bell:07"}, realm.Discard("bell:07")),
        ({"type": "use", "enhancement": "lucky_socks"}, realm.Use("lucky_socks")),
        ({"type": "keep", "enhancements": ["si_old_map", "lucky_socks"]}, realm.Keep(SOCKS_MAP)),
        ({"type": "reroll", "dice": [4, 1]}, realm.Reroll((1, 4))),
        ({"type": "place", "adventurers": 2}, realm.Put(2)),
        ({"type": "buy", "level": 1, "card": "bell:07"}, realm.Buy(1, "bell:07")),
        ({"type": "buy", "level": 2}, realm.Buy(2)),
        ({"type": "dice", "faces": [4, 1]}, realm.Dice((4, 1))),
        ({"type": "starter", "seat": 1}, realm.Starter(1)),
    ],
}
REFUSED: dict[str, list[object]] = {
    "heart": [
        {"type": "play"},
        {"cards": ["dwarf:1"]},
        {"type": "play", "cards": []},
        {"type": "play", "cards": "dwarf:1"},
        {"type": "play", "cards": [1]},
        {"type": "play", "cards": ["dwarf:5"]},
        {"type": "play", "cards": ["dwarf:1\n"]},
        {"type": "play", "cards": ["Dwarf:1"]},
        {"type": "play", "cards": ["dwarf:1"] * 7},
        {"type": "take", "space": "dwarf"},
        {"type": "take", "space": None},
        {"type": "starter", "seat": 2},
        {"type": "starter", "seat": True},
        {"type": "steal", "card": "elf:1"},
        {"type": "steal", "card": "troll:1\n"},
        {"type": "shuffle", "seat": 0, "cards": ["dwarf:1"]},
    ],
    "krak": [
        {"type": "place", "card": "druids:07"},
        {"type": "place", "card": "druids:7", "space": "I"},
        {"type": "place", "card": "druids:13", "space": "I"},
        {"type": "place", "card": "druids:00", "space": "I"},
        {"type": "place", "card": "druids:07\n", "space": "I"},
        {"type": "place", "card": "Hero", "space": "I"},
        {"type": "place", "card": "druids:07", "space": "V"},
        {"type": "place", "card": "hero", "space": "I", "value": 13},
        {"type": "place", "card": "hero", "space": "I", "value": "5"},
        {"type": "exchange", "card": "druids:07", "army": "tower"},
        {"type": "fly", "army": "tower"},
        {"type": "epidemic", "army": "I", "count": 3},
        {"type": "counter_order", "space": "I", "colour": "druids"},
        {"type": "counter_order", "space": "III", "colour": "heroes"},
        {"type": "overflight", "dragon": "green"},
        {"type": "tokens", "seat": 0, "tokens": ["epidemic"]},
        {"type": "muster", "cards": ["druids:01"]},
        {"type": "starter", "seat": 4},
    ],
    "realm": [
        {"type": "rest"},
        {"type": "rest", "source": "pile"},
        {"type": "draw", "source": "bell:13"},
        {"type": "explore", "location": "snake_pit", "way": "run"},
        {"type": "explore", "location": "halfling_hideout", "way": "storm"},
        {"type": "play", "cards": []},
        {"type": "play", "cards": ["bell:7"]},
        {"type": "play", "cards": ["bell:07\n"]},
        {"type": "play", "cards": ["bell:07"] * 7},
        {"type": "pass", "cards": ["bell:07"] * 3},
        {"type": "use", "enhancement": "sword"},
        {"type": "keep", "enhancements": "lucky_socks"},
        {"type": "academy", "adventurers": 9},
        {"type": "academy", "adventurers": True},
        {"type": "place", "adventurers": "1"},
        {"type": "buy", "level": 3},
        {"type": "reroll", "dice": [1.5]},
        {"type": "starter", "seat": 2},
        {"type": "shuffle", "deck": "dragons", "cards": []},
        {"type": "shuffle", "deck": "locations", "cards": ["bell:07"]},
        {"type": "remove_goblins", "cards": ["goblins:top"]},
    ],
}


NO_ACTIONS: tuple[object, ...] = (None, 7, "rest", [], {}, {"type": "think"})


@pytest.mark.parametrize("name", RULES)
def test_actions_are_read(name: str) -> None:
    for data, action in READ[name]:
        assert RULES[name].decode_action(data) == action


@pytest.mark.parametrize("name", RULES)
def test_what_is_no_action_is_refused(name: str) -> None:
    accepted = []
    for data in (*NO_ACTIONS, *REFUSED[name]):
        with contextlib.suppress(InvalidActionError):
            accepted.append((data, RULES[name].decode_action(data)))
    assert accepted == []
