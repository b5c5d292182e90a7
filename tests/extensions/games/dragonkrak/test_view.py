"""What a Dragonkrak seat is told, and what a seat can conclude."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from msgspec.structs import replace

from arena.extensions.games.dragonkrak.rules.actions import Deal, Muster, Starter, Tokens
from arena.extensions.games.dragonkrak.rules.cards import DECK, HERO
from arena.extensions.games.dragonkrak.rules.rules import DragonkrakRules
from arena.extensions.games.dragonkrak.rules.state import Phase, State
from arena.games.luck import Luck
from tests.extensions.games.dragonkrak.states import (
    NEAREST,
    SOLO,
    TWO_DRAGONS,
    cards,
    dealt,
    dragonkrak,
    move,
    play,
    solo,
    state,
)
from tests.games.games import plain


def _observation(position: State, seat: int) -> Any:
    return plain(NEAREST.observe(position, seat))


FULL_BUT_ONE = "a1 d2 p3 t4 d5"
A_DEAL = Deal(1, (*cards("h a2 d9"), *[name for name in DECK if name != HERO][:20], HERO))


Told = tuple[DragonkrakRules, State, Any, list[dict[str, object]]]


def told(
    before: State, doing: Any, *, rules: DragonkrakRules = NEAREST, hidden: str = "", **fields: Any
) -> Told:
    """An action of seat 0, and the fields of its event; seat 1 does not see those in ``hidden``."""
    action = move(doing) if isinstance(doing, str) else doing
    mine = {"type": action.__struct_config__.tag, "seat": 0} | fields
    mine = {name: value for name, value in mine.items() if value is not None}
    theirs = {name: value for name, value in mine.items() if name not in hidden.split()}
    return rules, before, action, [mine, theirs][: rules.info.seats]


EVENTS = {
    "the armies": told(
        NEAREST.initial_state(),
        Muster(cards("a1 d2 p3 t12")),
        cards=["artisans:01", "druids:02", "paladins:03", "tribes:12"],
        seat=None,
    ),
    "opening hands are shown": told(
        NEAREST.initial_state(), A_DEAL, seat=1, cards=["hero", "artisans:02", "druids:09"]
    ),
    "tokens are not": told(
        NEAREST.initial_state(),
        Tokens(0, ("epidemic", "undead_dragon", "volunteers")),
        hidden="tokens",
        tokens=["epidemic", "undead_dragon", "volunteers"],
    ),
    "a sixth card": told(
        state("a7", I=FULL_BUT_ONE),
        "place a7 I",
        card="artisans:07",
        space="I",
        cleared=[
            *("artisans:01", "druids:02", "paladins:03"),
            *("tribes:04", "druids:05", "artisans:07"),
        ],
    ),
    "a hero": told(state("h", I="d4"), "place h I 5", card="hero", space="I", value=5),
    "the last card": told(
        state("a7", camp=""), "place a7 tower", card="artisans:07", space="tower", over=True
    ),
    "with one seat it brings the grade": told(
        solo("a7", camp="", deserters="d1 d2 d3 d4 d5"),
        "place a7 tower",
        rules=SOLO,
        card="artisans:07",
        space="tower",
        over=True,
        grade=3,
    ),
    "a removal, top card first": told(
        state("a3", I="d2 p4 t9", II="t1", III="d9", tower="t1"),
        "remove a3 I",
        card="artisans:03",
        space="I",
        removed=["tribes:09", "paladins:04"],
    ),
    "an exchange": told(state("a7 a9", I="d4 h5"), "exchange a7 I", card="artisans:07", space="I"),
    "a flight": told(
        state("a9", camp="d1 d2 d3", phase=Phase.FLIGHT, undead="I", undead_by=1),
        "fly II",
        hidden="drawn",
        red="II",
        drew=2,
        drawn=["druids:01", "druids:02"],
        undead_leaves=True,
    ),
    "the tower opens": told(
        state("a7 a8 a9", phase=Phase.FLIGHT, imprisoned_by=1), "fly II", red="II", tower_opens=True
    ),
    "with one seat the dragons go on": told(
        solo("a7 a8 a9", red="II", undead="I", space="III", placed=1),
        "end",
        rules=TWO_DRAGONS,
        red="III",
        undead="II",
    ),
    "DK-19 the camp is shown to its owner, sorted": told(
        state("a7", camp="t4 d2", tokens="reinforcements"),
        "reinforcements",
        hidden="cards",
        cards=["druids:02", "tribes:04"],
    ),
    "DK-51 the others do not see what is recruited": told(
        state("a7", camp="t4 d2", phase=Phase.RECRUIT),
        "recruit d2",
        hidden="card",
        card="druids:02",
    ),
    "DK-51 unless they know where it lay": told(
        state("a7", camp="t4 d2", known=1, phase=Phase.RECRUIT), "recruit d2", card="druids:02"
    ),
    "an epidemic": told(
        state(I="d4 h5 t9", tokens="epidemic"),
        "epidemic I 2",
        space="I",
        removed=["druids:04", "hero"],
    ),
    "a counter-order": told(
        state(tower="d4", tokens="counter_order"),
        "counter_order tower tribes",
        space="tower",
        colour="tribes",
    ),
    "the undead dragon": told(state(tokens="undead_dragon"), "undead_dragon II", space="II"),
    "an overflight": told(state(tokens="overflight"), "overflight red", dragon="red"),
    "imprisoned": told(state(tokens="imprisoned"), "imprisoned"),
}


@pytest.mark.parametrize(("rules", "before", "action", "events"), EVENTS.values(), ids=EVENTS)
def test_events(rules: DragonkrakRules, before: State, action: Any, events: list[Any]) -> None:
    assert plain(rules.describe(before, action, rules.apply(before, action))) == events


def test_an_observation_leaves_out_what_is_rare() -> None:
    assert list(_observation(state(), 0)) == [
        *("seat", "phase", "player", "turn", "hand", "tokens", "board", "red"),
        *("hand_sizes", "camp_sizes", "shown", "bottoms", "heroes_shown", "token_counts", "used"),
    ]


def test_piles_as_they_lie() -> None:
    position = state(I="d4 h5 t9", III="a3", tower="t1", colours={"III": "druids"})
    assert _observation(position, 1)["board"] == {
        "I": {"cards": ["druids:04", "hero", "tribes:09"], "hero": 5},
        "II": {"cards": []},
        "III": {"cards": ["artisans:03"], "colour": "druids", "ordered": True},
        "IV": {"cards": []},
        "tower": {"cards": ["tribes:01"], "colour": "tribes"},
    }


def test_what_is_told_of_other_hands() -> None:
    """Opening hands are shown; a card leaves what everybody knows when it is played."""
    position = dealt(NEAREST, "h a9 d9", "h h d8")
    position = NEAREST.apply(position, Tokens(0, ("epidemic", "undead_dragon", "volunteers")))
    position = NEAREST.apply(position, Tokens(1, ("counter_order", "overflight", "undead_dragon")))
    position = NEAREST.apply(position, Starter(0))
    view = _observation(position, 1)
    assert view["shown"] == [["artisans:09", "druids:09", "hero"], ["druids:08", "hero", "hero"]]
    assert view["heroes_shown"] == [1, 2]
    assert view["token_counts"] == [3, 3]
    assert view["tokens"] == ["counter_order", "overflight", "undead_dragon"]
    position = play(NEAREST, position, "place h III 3; end; fly II")
    view = _observation(position, 1)
    assert view["shown"][0] == ["artisans:09", "druids:09"]
    assert view["hand_sizes"] == [3, 3]
    assert view["heroes_shown"] == [1, 2]


def test_cards_under_a_camp_are_known_until_they_are_played() -> None:
    """DK-20."""
    position = state("a3", camp="d1", I="d2 p4 t9", II="t1", III="d9", tower="t1")
    position = play(NEAREST, position, "remove a3 I")
    assert _observation(position, 1)["bottoms"][0] == ["tribes:09", "paladins:04"]
    position = play(NEAREST, position, "end; fly II")
    view = _observation(position, 1)
    assert (view["bottoms"][0], view["shown"][0]) == ([], ["paladins:04", "tribes:09"])


def test_the_camp_is_in_the_view_of_who_looked_at_it() -> None:
    """DK-19: to the end of the game, as its owner can remember."""
    position = state("a7", camp="t4 d2 a9", tokens="reinforcements")
    assert "camp" not in _observation(position, 0)
    position = play(NEAREST, position, "reinforcements; recruit a9")
    assert _observation(position, 0)["camp"] == ["druids:02", "tribes:04"]
    assert "camp" not in _observation(position, 1)
    assert _observation(position, 1)["used"] == [["reinforcements"], []]


@pytest.mark.parametrize(
    ("first", "seat", "shares"),
    [
        pytest.param("p1 p2 p3", 0, (12, 12, 12), id="nothing seen: all alike"),
        pytest.param("h p2 p3", 1, (26, 12, 12), id="who showed a hero has more often two"),
        pytest.param("h h p3", 1, (1, 0, 0), id="who showed two has the fourth"),
    ],
)
def test_guesses_place_the_fourth_hero_as_often_as_it_is_dealt(first, seat, shares) -> None:
    """Of three seats; the shares are numbers of deals that agree with what was seen."""
    rules = dragonkrak(3)
    view = rules.observe(dealt(rules, first, "a1 a2 a3", "d1 d2 d3"), seat)
    count = 1500
    found: Counter[int] = Counter()
    for number in range(count):
        guess = rules.determinize(view, Luck(number.to_bytes(2)))
        heroes = [(side.hand + side.camp).count(HERO) for side in guess.sides]
        found[heroes.index(2)] += 1
    for other, share in enumerate(shares):
        assert abs(found[other] / count - share / sum(shares)) < 0.05


def test_guesses_keep_to_the_heroes_of_each_seat() -> None:
    """With two seats each was dealt two."""
    position = state("a5 h", camp="h d1", others=("h a1",))
    position = replace(position, sides=tuple(replace(s, tokens=()) for s in position.sides))
    other = replace(position.sides[1], camp=cards("h t1 t2"))
    position = replace(position, sides=(position.sides[0], other), gone=())
    view = NEAREST.observe(position, 0)
    for number in range(20):
        guess = NEAREST.determinize(view, Luck(bytes([number])))
        assert (guess.sides[1].hand + guess.sides[1].camp).count(HERO) == 2
        assert guess.sides[0].camp.count(HERO) == 1


def test_guesses_after_the_winner_laid_its_last_card() -> None:
    """Of three seats: whoever has no cards left was dealt some."""
    rules = dragonkrak(3)
    hands = ("", "p1 p5 h", "a1 a2 a3")
    position = state(hands[0], camp="", others=hands[1:], phase=Phase.OVER)
    sides = tuple(replace(side, camp=(), heroes_shown=1) for side in position.sides)
    gone = Counter(DECK) - Counter(cards(" ".join(hands)))
    won = replace(position, sides=sides, gone=tuple(gone.elements()))
    view = rules.observe(won, 0)
    for number in range(20):
        guess = rules.determinize(view, Luck(bytes([number])))
        assert rules.observe(guess, 0) == view


@pytest.mark.parametrize("seat", [0, 1])
def test_guesses_of_two_seats_leave_the_other_its_undead_dragon(seat: int) -> None:
    position = state(tokens="epidemic undead_dragon")
    other = replace(position.sides[1], tokens=("overflight", "undead_dragon"))
    view = NEAREST.observe(replace(position, sides=(position.sides[0], other)), seat)
    guesses = {
        NEAREST.determinize(view, Luck(bytes([number]))).sides[1 - seat].tokens
        for number in range(40)
    }
    assert all(tokens.count("undead_dragon") == 1 for tokens in guesses)
    assert len(guesses) > 3
