"""What a Dragonrealm seat is told."""

from __future__ import annotations

import random
from typing import Any

import pytest
from msgspec.structs import replace

from arena.extensions.games.dragonrealm.rules import actions, view
from arena.extensions.games.dragonrealm.rules.rules import DragonrealmRules
from arena.extensions.games.dragonrealm.rules.state import State, slide
from arena.games.luck import Luck
from tests.extensions.games.dragonrealm.states import (
    ALLEY,
    FOUR,
    THREE,
    TWO,
    cards,
    dragonrealm,
    state,
    trying,
)
from tests.games.games import plain
from tests.games.games import play as random_game

OFFERS = (
    ("lucky_socks", "pet_chipmunk", "si_old_map"),
    ("fireball_spell", "si_spyglass", "si_war_horn"),
)


def _events(rules: DragonrealmRules, before: State, action: Any) -> list[Any]:
    return plain(rules.describe(before, action, rules.apply(before, action)))


def _choosing(seat: int) -> State:
    todo = ("turn deal keep:1 keep:0", "turn deal keep:1")
    position = state(todo=todo[seat], enhancements="lucky_socks si_old_map" * seat)
    sides = [
        replace(side, offered=names) for side, names in zip(position.sides, OFFERS, strict=True)
    ]
    return replace(position, sides=tuple(sides))


def test_a_draw_from_the_deck_is_seen_by_its_seat_only() -> None:
    mine, theirs = _events(TWO, state(deck="e1 e2"), actions.Rest("deck"))
    assert mine == {
        "type": "rest",
        "seat": 0,
        "then": [{"type": "drew", "seat": 0, "card": "ember:01"}],
    }
    assert theirs == {"type": "rest", "seat": 0, "then": [{"type": "drew", "seat": 0}]}


def test_a_face_up_card_is_seen_by_all_and_remembered() -> None:
    before = state(deck="e1 e2", face_up="c1 c2")
    action = actions.Rest("clover:01")
    mine, theirs = _events(TWO, before, action)
    assert mine == theirs
    assert theirs["card"] == "clover:01"
    assert theirs["then"] == [{"type": "face_up", "card": "ember:01"}]
    after = TWO.apply(before, action)
    assert TWO.observe(after, 1).held == {"clover:01": (0,)}
    assert TWO.observe(after, 0).held == {}


@pytest.mark.parametrize("side", ["academy", "alley"])
def test_cards_of_a_failed_explore_are_remembered_until_they_are_played(side: str) -> None:
    rules = dragonrealm(2, side=side)
    before = trying("storm", hands="b1 b2 b3")
    shown = rules.apply(before, actions.Play(cards("b1 b2")))
    due = trying("storm", "b1 b2")
    assert (shown.todo, shown.attempt) == (due.todo, due.attempt)
    failed = rules.apply(shown, actions.Dice((1, 1)))
    assert rules.observe(failed, 1).held == {"bell:01": (0,), "bell:02": (0,)}
    placed = rules.apply(shown, actions.Dice((4, 4)))
    assert rules.observe(placed, 1).held == {}


def test_a_rockslide_is_seen_by_giver_and_receiver_only() -> None:
    before = state(
        THREE, hands="b1 b2 b3 | c1 c2 c3 | d1 d2 d3", todo="end draw slide:left pass:left:2"
    )
    before = replace(before, passes=(cards("b1 b2"), cards("c1 c2"), ()))
    first, second, third = _events(THREE, before, actions.Pass(cards("d1 d2")))
    assert [event.get("cards") for event in (first, second, third)] == [
        None,
        None,
        ["drum:01", "drum:02"],
    ]
    assert [passed.get("cards") for passed in first["then"]] == [
        ["bell:01", "bell:02"],
        None,
        ["drum:01", "drum:02"],
    ]
    assert [passed["count"] for passed in second["then"]] == [2, 2, 2]
    after = THREE.apply(before, actions.Pass(cards("d1 d2")))
    assert THREE.observe(after, 0).held == {"bell:01": (1,), "bell:02": (1,)}


def test_a_choice_in_a_rockslide_is_not_seen_before_all_are_made() -> None:
    """DR-35."""
    before = state(hands="b1 b2 | c1 c2", todo="end draw slide:right pass:right:1 pass:right:0")
    action = actions.Pass(cards("b1"))
    mine, theirs = _events(TWO, before, action)
    assert mine == {"type": "pass", "seat": 0, "cards": ["bell:01"]}
    assert theirs is None
    after = TWO.apply(before, action)
    assert TWO.observe(after, 0).passing == cards("b1")
    assert TWO.observe(after, 1).passing == ()


HELD = (
    (("clover:01", (1,)), ("drum:01", (2,))),
    (("bell:01", (0,)), ("drum:01", (2,))),
    (("bell:01", (0,)), ("clover:01", (1,))),
)


@pytest.mark.parametrize(
    ("passes", "sizes", "expected"),
    [
        pytest.param(
            ("b2 b3", "c2 c3", "d2 d3"),
            (5, 5, 5),
            {"clover:01": (1, 2), "drum:01": (2,), "bell:02": (1,), "bell:03": (1,)},
            id="may have been passed on unseen, but not to this seat",
        ),
        pytest.param(
            ("b2 b3", "c1 c3", "d2 d3"),
            (5, 2, 5),
            {"clover:01": (2,), "drum:01": (2,), "bell:02": (1,), "bell:03": (1,)},
            id="a whole hand was passed on",
        ),
        pytest.param(
            ("b2 b3", "c2 c3", "d1 d3"),
            (5, 5, 5),
            {"clover:01": (1, 2), "bell:02": (1,), "bell:03": (1,)},
            id="it has arrived here",
        ),
    ],
)
def test_what_seat_0_knows_after_a_rockslide(passes, sizes, expected) -> None:
    after = slide(HELD, tuple(map(cards, passes)), sizes, 1)
    assert dict(after[0]) == expected


def test_enhancements_are_chosen_unseen() -> None:
    first = _events(TWO, _choosing(0), actions.Keep(("lucky_socks", "si_old_map")))
    assert first == [
        {"type": "keep", "seat": 0, "enhancements": ["lucky_socks", "si_old_map"]},
        None,
    ]
    last = _events(TWO, _choosing(1), actions.Keep(("fireball_spell",)))
    assert last[0] == {"type": "keep", "seat": 1, "then": [{"type": "kept", "counts": [2, 1]}]}
    assert last[1]["enhancements"] == ["fireball_spell"]
    view = TWO.observe(_choosing(1), 1)
    assert view.sides[0].face_down == ()
    assert [card.id for card in view.offered] == list(OFFERS[1])


def test_only_levels_of_face_down_enhancements_are_seen() -> None:
    position = state(enhancements="si_war_horn* lucky_socks | fireball_spell")
    side = TWO.observe(position, 1).sides[0]
    assert (side.shown, side.face_down) == (("si_war_horn",), (1,))
    assert [card.id for card in TWO.observe(position, 0).enhancements] == [
        "lucky_socks",
        "si_war_horn",
    ]


def test_a_purchase_is_seen_by_the_buyer_only() -> None:
    """DR-49."""
    before = state(ALLEY, camp=(2,), coins=(2,), on_sale="si_war_horn fireball_spell")
    mine, theirs = _events(ALLEY, before, actions.Buy(2))
    assert theirs == {"type": "buy", "seat": 0, "level": 2, "skipped": 1}
    assert mine == theirs | {"enhancement": "fireball_spell", "skipped_cards": ["si_war_horn"]}


def test_what_is_known_of_the_enhancement_deck() -> None:
    rules = dragonrealm(2, side="alley", enhancement_deal="by_level")
    position = state(rules, on_sale="lucky_socks si_old_map fireball_spell")
    position = replace(position, rejected=(("si_old_map",), ("fireball_spell",)))
    assert rules.observe(position, 0).enhancement_deck == (None, "si_old_map", "level_2")
    assert rules.observe(position, 1).enhancement_deck == (None, "level_1", "fireball_spell")
    assert ALLEY.observe(position, 0).enhancement_deck == (None, "si_old_map", None)


def test_everybody_is_dealt_a_hand_of_his_own() -> None:
    before = state(todo="turn deal", face_up="", deck="")
    mine, theirs = _events(
        TWO, before, actions.Shuffle("adventurers", TWO.box.numbers + TWO.box.events)
    )
    assert mine["cards"] == list(TWO.box.numbers[:5])
    assert theirs["cards"] == list(TWO.box.numbers[5:10])
    assert mine["face_up"] == theirs["face_up"] == ["anchor:11", "anchor:12"]


def test_nobody_sees_which_goblin_cards_leave() -> None:
    before = state(FOUR, todo="turn deal goblins", face_up="", deck="")
    told = _events(FOUR, before, actions.RemoveGoblins(("goblins:left", "goblins:left")))
    assert told == [{"type": "remove_goblins"}] * 4


def test_an_observation_needs_nothing_else() -> None:
    """DR-09: a location in the row shows its values and pieces, and is never full."""
    position = state(row="cave_of_bats 1 g2, dragon_rock", hands="b1 | c1 c2")
    view = plain(TWO.observe(position, 0))
    assert view["row"][0] == {
        "id": "cave_of_bats",
        "level": 1,
        "spaces": 5,
        "reward": [5, 3],
        "stones": 2,
        "sneak": 6,
        "search": 5,
        "storm": 9,
        "gold": ["storm"],
        "special": "max_two_players",
        "adventurers": [1, 0],
        "goblins": 2,
    }
    assert view["next_levels"] == [1, 0]
    assert view["agenda"] == ["turn"]
    assert [side["cards"] for side in view["sides"]] == [1, 2]
    assert "held" not in view
    assert "attempt" not in view


def test_the_end_shows_everything() -> None:
    end = state(row="", todo="over", coins=(3, 4), enhancements="| sapphire_pendant")
    view = plain(TWO.observe(end, 0))
    assert view["result"] == {
        "coins": [3, 8],
        "stones": [0, 0],
        "bonus": [0, 0],
        "enhancements": [[], ["sapphire_pendant"]],
    }
    assert view["actor"] is None


@pytest.mark.parametrize("seat", [0, 1])
def test_guesses_differ(seat: int) -> None:
    dealt = TWO.apply(
        state(todo="turn deal", face_up="", deck="", locations="snake_pit dragon_rock", row=""),
        actions.Shuffle("adventurers", TWO.box.numbers + TWO.box.events),
    )
    view = TWO.observe(dealt, seat)
    guesses = [TWO.determinize(view, Luck(bytes([n]))) for n in range(5)]
    assert len({guess.sides[1 - seat].hand for guess in guesses}) == 5
    assert len({guess.deck for guess in guesses}) == 5


def test_cards_with_two_possible_holders_are_guessed_at_both() -> None:
    held = ((("bell:01", (1, 2)), ("bell:02", (1, 2)), ("bell:03", (2,))), (), ())
    deck = " ".join(
        f"{card[0]}{int(card[-2:])}" for card in THREE.box.numbers if card not in cards("b1 b2 b3")
    )
    position = replace(state(THREE, hands="| b1 a1 | b2 b3", deck=deck), held=held)
    view = THREE.observe(position, 0)
    holders = set()
    for number in range(60):
        guess = THREE.determinize(view, Luck(bytes([number])))
        assert "bell:03" in guess.sides[2].hand
        holders.add(tuple(card in guess.sides[1].hand for card in cards("b1 b2")))
    assert holders == {(True, False), (False, True), (True, True)}


@pytest.mark.parametrize("rules", [TWO, ALLEY, FOUR], ids=["two", "alley", "four"])
@pytest.mark.parametrize("jumps", [False, True])
def test_what_is_seen_does_not_depend_on_what_was_seen_before(rules, jumps) -> None:
    """Parts of views that serve again, against views of cards that saw nothing yet."""
    looks = [
        (s, seat) for s in random_game(rules.spec, "seen").states for seat in range(rules.box.seats)
    ]
    if jumps:
        looks = random.Random(1).choices(looks, k=1000)
    for seen, seat in looks:
        assert rules.observe(seen, seat) == view.observe(view.Printed(rules.box), seen, seat)
