"""Dragonheart turn by turn: each row cites the ruling or the step of the turn it shows."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from arena.extensions.games.dragonheart.rules.actions import Shuffle, Starter
from arena.extensions.games.dragonheart.rules.cards import KNIGHT, SORCERESS
from arena.extensions.games.dragonheart.rules.rules import DragonheartRules
from arena.extensions.games.dragonheart.rules.state import Phase, State
from arena.games.base import CHANCE, NOBODY
from arena.games.luck import Luck
from arena.values.results import Outcome
from tests.extensions.games.dragonheart.states import (
    DECK,
    FFG,
    FOUR,
    KOSMOS,
    dragonheart,
    facts,
    move,
    play,
    state,
)

LUCK = Luck(b"")
BOTH = pytest.mark.parametrize("rules", [KOSMOS, FFG], ids=["kosmos", "ffg"])
THEFT = state(
    "sorceress:1", hand1=f"{FOUR} knight:1 troll:3", pile1="", petrified="petrified:2", figure=1
)


def after(moves: str, **expected: object) -> tuple[str, dict[str, object]]:
    return moves, expected


TURNS = {
    "a treasure has no effect": (
        state("treasure:2", treasure="treasure:1"),
        after("play treasure:2", treasure="treasure:1 treasure:2", collected0="", seat=1, turn=11),
    ),
    "a petrified dragon has no effect": (
        state("petrified:2", treasure="treasure:1"),
        after(
            "play petrified:2",
            petrified="petrified:2",
            treasure="treasure:1",
            collected0="",
            figure=None,
        ),
    ),
    "fire dragons collect the treasures once, however many are played": (
        state("fire_dragon:3 fire_dragon:3", treasure="treasure:1 treasure:4"),
        after(
            "play fire_dragon:3 fire_dragon:3",
            collected0="treasure:1 treasure:4",
            treasure="",
            fire_dragon="fire_dragon:3 fire_dragon:3",
        ),
    ),
    "a troll collects the sorceresses": (
        state("troll:1", sorceress="sorceress:2", treasure="treasure:1"),
        after("play troll:1", collected0="sorceress:2", sorceress="", treasure="treasure:1"),
    ),
    "three dwarfs wait": (
        state(dwarf="dwarf:2 dwarf:3"),
        after("play dwarf:1", dwarf="dwarf:2 dwarf:3 dwarf:1", collected0=""),
    ),
    "the fourth dwarf collects the row": (
        state(dwarf="dwarf:2 dwarf:3"),
        after(
            "play dwarf:1 dwarf:1", dwarf="", collected0="dwarf:2 dwarf:3 dwarf:1 dwarf:1", quay=""
        ),
    ),
    "the third huntress collects the fire dragons and goes to the quay": (
        state(
            "huntress:2",
            huntress="huntress:1 huntress:1",
            fire_dragon="fire_dragon:4",
            quay="knight:1 knight:1",
        ),
        after(
            "play huntress:2",
            collected0="fire_dragon:4",
            huntress="",
            quay="knight:1 knight:1 huntress:1 huntress:1 huntress:2",
        ),
    ),
    "the second knight collects the chosen stack, then goes to the quay": (
        state("knight:2", knight="knight:1", sorceress="sorceress:1", troll="troll:3"),
        after(
            "play knight:2; take troll",
            collected0="troll:3",
            sorceress="sorceress:1",
            knight="",
            quay="knight:1 knight:2",
            seat=1,
        ),
    ),
    "the third ship collects the quay and starts a ship set": (
        state("ship:0", ship="ship:0 ship:0", quay="knight:1 knight:2"),
        after("play ship:0", collected0="knight:1 knight:2", quay="", ship="", ship_sets=1),
    ),
    "a sorceress collects the treasures": (
        state("sorceress:1", treasure="treasure:4", petrified="petrified:2"),
        after(
            "play sorceress:1; take treasure",
            collected0="treasure:4",
            petrified="petrified:2",
            figure=None,
        ),
    ),
    "DH-22 the figure from the board costs nobody a card": (
        state("sorceress:1", hand1=f"{FOUR} dwarf:1 dwarf:2", petrified="petrified:2"),
        after(
            "play sorceress:1; take petrified",
            figure=0,
            hand1=f"{FOUR} dwarf:1 dwarf:2",
            phase=Phase.PLAY,
        ),
    ),
    "DH-09 the new owner draws up to six at once": (
        state("sorceress:1", pile0="troll:1 troll:2 troll:3", petrified="petrified:2"),
        after("play sorceress:1; take petrified", hand0=f"{FOUR} troll:1 troll:2", pile0="troll:3"),
    ),
    "the owner of the figure keeps it and loses nothing": (
        state("sorceress:1", petrified="petrified:2", figure=0),
        after(
            "play sorceress:1; take petrified", figure=0, collected0="petrified:2", phase=Phase.PLAY
        ),
    ),
    "a theft puts one of six cards on top of the loser's pile": (
        state(
            "sorceress:1",
            hand1=f"{FOUR} knight:1 troll:3",
            pile1="ship:0 ship:0",
            petrified="petrified:2",
            figure=1,
        ),
        after(
            "play sorceress:1; take petrified; steal troll:3",
            figure=0,
            hand1=f"{FOUR} knight:1",
            pile1="troll:3 ship:0 ship:0",
            seat=1,
        ),
    ),
    "DH-05 a loser with five cards keeps them": (
        state("sorceress:1", petrified="petrified:2", figure=1),
        after(
            "play sorceress:1; take petrified",
            figure=0,
            phase=Phase.PLAY,
            seat=1,
            hand1=f"{FOUR} dwarf:1",
        ),
    ),
    "DH-06 the stolen card becomes an empty pile": (
        THEFT,
        after(
            "play sorceress:1; take petrified; steal knight:1",
            pile1="knight:1",
            hand1=f"{FOUR} troll:3",
        ),
    ),
    "DH-08 the theft comes before the thief draws": (
        THEFT,
        after("play sorceress:1; take petrified", phase=Phase.STEAL, seat=0, hand0=FOUR, figure=0),
    ),
    "DH-08 knights wait in their row for the choice, and nothing is drawn before it": (
        state("knight:2", knight="knight:1", troll="troll:3"),
        after("play knight:2", phase=Phase.TAKE, knight="knight:1 knight:2", quay="", hand0=FOUR),
    ),
    "DH-04 an empty space may be chosen and brings nothing, not even the figure": (
        state("sorceress:1", treasure="treasure:4"),
        after(
            "play sorceress:1; take petrified",
            collected0="",
            treasure="treasure:4",
            figure=None,
            seat=1,
        ),
    ),
    "DH-04 a sorceress with two empty spaces asks for no choice": (
        state("sorceress:1"),
        after("play sorceress:1", phase=Phase.PLAY, seat=1, sorceress="sorceress:1", collected0=""),
    ),
    "DH-04 DH-11 knights with two empty spaces ask for no choice and still move": (
        state("knight:2", knight="knight:1"),
        after("play knight:2", phase=Phase.PLAY, seat=1, knight="", quay="knight:1 knight:2"),
    ),
    "DH-11 huntresses without fire dragons still move": (
        state("huntress:2", huntress="huntress:1 huntress:1"),
        after("play huntress:2", quay="huntress:1 huntress:1 huntress:2", collected0=""),
    ),
    "DH-11 ships with an empty quay still form a set": (
        state("ship:0", ship="ship:0 ship:0"),
        after("play ship:0", ship_sets=1, ship="", collected0=""),
    ),
    "DH-03 a short pile is drawn to its end, which is not yet the end of the game": (
        state(hand0="dwarf:1 dwarf:1 dwarf:1 troll:1 troll:1", pile0="ship:0"),
        after(
            "play dwarf:1 dwarf:1 dwarf:1",
            hand0="ship:0 troll:1 troll:1",
            pile0="",
            emptied=(0,),
            final_turn=None,
        ),
    ),
    "the third ship set makes the next turn the last": (
        state("ship:0", ship="ship:0 ship:0", ship_sets=2),
        after("play ship:0; play dwarf:1", final_turn=11, phase=Phase.OVER, turn=11, seat=1),
    ),
    "DH-12 a third ship set in the final turn adds no turn": (
        state("ship:0", ship="ship:0 ship:0", ship_sets=2, final_turn=10),
        after("play ship:0", ship_sets=3, final_turn=10, phase=Phase.OVER),
    ),
    "DH-13 the ship ending comes first: the seat without a pile has its turn, then it is over": (
        state("ship:0", pile1="", emptied=(1,), ship="ship:0 ship:0", ship_sets=2),
        after("play ship:0; play dwarf:1", final_turn=11, phase=Phase.OVER, seat=1),
    ),
    "DH-14 a third ship set in a seat's last turn leaves the other exactly one": (
        state("ship:0", pile0="", emptied=(0,), ship="ship:0 ship:0", ship_sets=2),
        after("play ship:0; play dwarf:1", final_turn=11, phase=Phase.OVER, seat=1),
    ),
    "DH-15 with both piles empty the first to run out settles the end": (
        state(pile0="", pile1="", emptied=(0, 1)),
        after("play dwarf:1; play dwarf:1", final_turn=11, phase=Phase.OVER, seat=1),
    ),
    "DH-16 a fourth ship set collects the quay and changes nothing else": (
        state("ship:0", ship="ship:0 ship:0", quay="knight:1", ship_sets=3, final_turn=10),
        after("play ship:0", ship_sets=4, collected0="knight:1", final_turn=10, phase=Phase.OVER),
    ),
}


@BOTH
@pytest.mark.parametrize(("before", "then"), TURNS.values(), ids=TURNS)
def test_turns(rules: DragonheartRules, before: State, then: tuple[str, dict[str, object]]) -> None:
    moves, expected = then
    found = facts(play(rules, before, moves))
    assert {name: found[name] for name in expected} == expected


@BOTH
def test_a_seat_whose_pile_ran_out_has_one_more_turn(rules: DragonheartRules) -> None:
    one = play(rules, state(pile0="ship:0"), "play dwarf:1; play dwarf:1")
    assert (one.final_turn, one.seat) == (None, 0)
    two = play(rules, one, "play dwarf:1")
    assert two.final_turn == 13
    assert play(rules, two, "play dwarf:1").phase is Phase.OVER


@pytest.mark.parametrize(
    ("rules", "final_turn"),
    [
        pytest.param(KOSMOS, 12, id="DH-07 kosmos: the end was settled"),
        pytest.param(FFG, None, id="DH-07 ffg: the returned card is drawn"),
    ],
)
def test_a_theft_from_a_seat_without_a_pile(rules, final_turn) -> None:
    before = replace(THEFT, sides=(THEFT.sides[0], replace(THEFT.sides[1], emptied=True)))
    after = play(rules, before, "play sorceress:1; take petrified; steal troll:3; play dwarf:1")
    assert facts(after)["hand1"] == "dwarf:1 dwarf:1 dwarf:1 knight:1 troll:3"
    assert after.final_turn == final_turn


LEGAL = {
    "DH-18 any cards of a kind, each choice once, equal cards being interchangeable": (
        state(hand0="treasure:1 treasure:1 treasure:3 troll:1 troll:2"),
        "treasure:1; treasure:3; treasure:1 treasure:1; treasure:1 treasure:3; "
        "treasure:1 treasure:1 treasure:3; troll:1; troll:2; troll:1 troll:2",
    ),
    "DH-10 DH-04 a sorceress must be used, on an empty space too": (
        state(phase=Phase.TAKE, choice=SORCERESS),
        "treasure; petrified",
    ),
    "DH-10 DH-04 knights as well": (state(phase=Phase.TAKE, choice=KNIGHT), "sorceress; troll"),
} | {
    f"DH-02 a row with {there} of four cards takes the others at most, and there is always one": (
        state(dwarf=" ".join(["dwarf:2"] * there)),
        "; ".join(" ".join(["dwarf:1"] * size) for size in range(1, 5 - there)),
    )
    for there in range(4)
}


@pytest.mark.parametrize(("position", "actions"), LEGAL.values(), ids=LEGAL)
def test_legal_actions(position: State, actions: str) -> None:
    kind = "take" if position.phase is Phase.TAKE else "play"
    expected = [move(f"{kind} {text}") for text in actions.split("; ")]
    assert list(KOSMOS.legal_actions(position)) == expected


@BOTH
def test_a_hand_is_never_empty_when_its_turn_comes(rules: DragonheartRules) -> None:
    """DH-01: whoever plays all his cards without drawing has had his last turn."""
    settled = play(rules, state(hand0="troll:1", pile0="", emptied=(0,)), "play troll:1")
    assert settled.final_turn == 11
    assert play(rules, settled, "play dwarf:1").phase is Phase.OVER


@pytest.mark.parametrize(
    ("rules", "to_act"),
    [
        pytest.param(dragonheart(starter="random"), CHANCE, id="DH-21 random"),
        pytest.param(dragonheart(starter="seat_0"), 0, id="DH-21 seat 0"),
    ],
)
def test_the_deal(rules: DragonheartRules, to_act: int) -> None:
    dealt = rules.apply(rules.initial_state(), Shuffle(0, DECK[::-1]))
    dealt = rules.apply(dealt, Shuffle(1, DECK))
    assert rules.to_act(dealt) == to_act
    assert facts(dealt)["hand0"] == "treasure:3 treasure:4 troll:1 troll:2 troll:3"
    assert facts(dealt)["hand1"] == "dwarf:1 dwarf:1 dwarf:1 dwarf:1 dwarf:1"
    assert dealt.sides[1].pile == DECK[5:]


@pytest.mark.parametrize("seat", [0, 1])
def test_the_starter_has_turn_1(seat: int) -> None:
    """DH-21."""
    begun = KOSMOS.apply(state(phase=Phase.STARTER), Starter(seat))
    assert (begun.phase, begun.seat, begun.turn) == (Phase.PLAY, seat, 1)


@pytest.mark.parametrize(
    ("collected", "figure", "outcome"),
    [
        (("treasure:4 dwarf:1", "troll:3"), None, Outcome((5, 3), (1, 2))),
        (("treasure:4 dwarf:1", "troll:3"), 1, Outcome((5, 6), (2, 1))),
        (("treasure:4 dwarf:2", "troll:3"), 1, Outcome((6, 6), (2, 1))),
        (("troll:3", "troll:3 dwarf:3"), 0, Outcome((6, 6), (1, 2))),
        pytest.param(
            ("troll:3", "dwarf:3"), None, Outcome((3, 3), (1, 1)), id="DH-17 nobody breaks the tie"
        ),
        (("", ""), None, Outcome((0, 0), (1, 1))),
    ],
)
def test_scores(collected: tuple[str, str], figure: int | None, outcome: Outcome) -> None:
    """Cards in hand count nothing, the figure three; its owner wins a tie."""
    end = state(phase=Phase.OVER, collected0=collected[0], collected1=collected[1], figure=figure)
    assert KOSMOS.outcome(end) == outcome
    assert KOSMOS.to_act(end) == NOBODY


def test_each_theft_from_a_seat_has_a_draw_of_its_own() -> None:
    """The victim's number of earlier thefts, not the turn, names the draw."""
    position = state(phase=Phase.STEAL, hand1="dwarf:1 dwarf:2 huntress:1 knight:1 ship:0 troll:1")
    later = replace(position, turn=31)
    assert KOSMOS.chance(position, LUCK) == KOSMOS.chance(later, LUCK)
    thief, victim = position.sides
    victims = [replace(victim, thefts=count) for count in range(20)]
    draws = {KOSMOS.chance(replace(position, sides=(thief, each)), LUCK) for each in victims}
    assert len(draws) > 1


DEALING = KOSMOS.initial_state()


@pytest.mark.parametrize(
    ("position", "action", "possible"),
    [
        (DEALING, Shuffle(0, DECK), True),
        (DEALING, Shuffle(0, DECK[::-1]), True),
        (DEALING, Shuffle(1, DECK), False),
        (DEALING, Shuffle(0, (*DECK[:-1], "troll:1")), False),
        (DEALING, Shuffle(0, DECK[:-1]), False),
        (DEALING, Starter(0), False),
        (state(phase=Phase.STARTER), Starter(1), True),
        (state(phase=Phase.STARTER), Starter(2), False),
        (state(phase=Phase.STARTER), Shuffle(0, DECK), False),
        (state(phase=Phase.STEAL, hand1="troll:2"), move("steal troll:2"), True),
        (state(phase=Phase.STEAL, hand1="troll:2"), move("steal troll:1"), False),
        (state(), move("steal dwarf:1"), False),
        (state(), move("play dwarf:1"), False),
    ],
)
def test_chance_that_is_possible(position: State, action: Any, possible: bool) -> None:
    assert KOSMOS.is_chance_possible(position, action) is possible
