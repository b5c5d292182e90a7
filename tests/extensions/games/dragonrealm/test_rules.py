"""Dragonrealm decision by decision: each row cites the ruling or the rule it shows."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from msgspec.structs import replace

from arena.extensions.games.dragonrealm.rules.actions import (
    Dice,
    Keep,
    RemoveGoblins,
    Rest,
    Shuffle,
    Starter,
)
from arena.extensions.games.dragonrealm.rules.cards import DICE, TURNS_PER_SEAT
from arena.extensions.games.dragonrealm.rules.rules import DragonrealmRules
from arena.extensions.games.dragonrealm.rules.state import State
from arena.games.base import CHANCE, NOBODY
from arena.games.luck import Luck
from arena.values.results import Outcome
from tests.extensions.games.dragonrealm.states import (
    ALLEY,
    FOUR,
    THREE,
    TWO,
    cards,
    dragonrealm,
    facts,
    state,
    trying,
    words,
)

LUCK = Luck(b"")
NINE = "a1 a2 a3 a4 a5 a6 a7 a8 a9"
ADDITIONS = "potion_invisible* si_soft_boots* si_master_cloak* si_war_horn*"
RESTS = "rest; rest c11; rest c12"

Case = tuple[State, Any, DragonrealmRules]


def case(position: State, expected: Any, rules: DragonrealmRules = TWO) -> Case:
    return position, expected, rules


def alley(position: State, expected: Any) -> Case:
    return position, expected, ALLEY


def after(moves: str, **expected: object) -> tuple[str, dict[str, object]]:
    return moves, expected


def play(rules: DragonrealmRules, position: State, moves: str) -> State:
    """The position after these actions, each of them legal or possible."""
    for text in moves.split("; "):
        kind, _, more = text.partition(" ")
        action: Any
        if rules.to_act(position) != CHANCE:
            action = {words(legal): legal for legal in rules.legal_actions(position)}[text]
        elif kind == "dice":
            action = Dice(tuple(map(int, more.split())))
        else:
            action = Shuffle("adventurers", cards(more))
        assert rules.to_act(position) != CHANCE or rules.is_chance_possible(position, action)
        position = rules.apply(position, action)
    return position


BAITED = trying(
    "search",
    "b4 c4",
    row="witch_cabin 1 1 g1, snake_pit, fire_swamp",
    enhancements="si_goblin_bait*",
    used="si_goblin_bait",
)
CAN_BUY_BACK = trying(
    "sneak", "b2 b3", hands="b2 b3 c9", camp=(2,), supply=(0,), on_sale="si_war_horn"
)

FLOW: dict[str, Case] = {
    "a Rest draws two cards from the deck, then the next seat has its turn": case(
        state(hands="b1"),
        after("rest; draw", hands="b1 e1 e2", deck="e3 e4 e5 e6", seat=1, turn=11, task="turn"),
    ),
    "a face-up card is replaced at once": case(
        state(hands="b1", face_up="c1 c2"),
        after("rest c2", hands="b1 c2", deck="e2 e3 e4 e5 e6", face_up="c1 e1", task="draw"),
    ),
    "DR-37 the second card may be the one just revealed": case(
        state(face_up="c1 c2"),
        after("rest c1; draw e1", hands="c1 e1", face_up="e2 c2", deck="e3 e4 e5 e6"),
    ),
    "DR-04 over nine cards the seat discards, one at a time, and not before the turn ends": case(
        state(hands=NINE),
        after(
            "rest; draw; discard a4; discard e1",
            hands="a1 a2 a3 a5 a6 a7 a8 a9 e2",
            discards="a4 e1",
            seat=1,
        ),
    ),
    "DR-05 the others keep nine cards through a rockslide and are not asked to discard": case(
        state(hands="b1 b2 | a1 a2 a3 a4 a5 a6 a7 a8 a9", deck="rockslide:left e1 e2 e3"),
        after(
            "rest; pass a1 a2; draw",
            hands="a1 a2 e1 e2 | a3 a4 a5 a6 a7 a8 a9 b1 b2",
            seat=1,
            task="turn",
        ),
    ),
    "DR-06 the discards are shuffled, event cards included, then the drawing goes on": case(
        state(deck="", discards="e1 goblins:left e2"),
        after(
            "rest; shuffle e2 goblins:left e1",
            hands="e2",
            deck="goblins:left e1",
            discards="",
            task="draw",
        ),
    ),
    "DR-06 without deck and discards nothing is drawn": case(
        state(hands="b1", deck=""), after("rest; draw", hands="b1", seat=1, task="turn")
    ),
    "DR-07 each event card takes effect before it is replaced": case(
        state(deck="goblins:left goblins:middle goblins:right e1"),
        after(
            "rest",
            row="snake_pit g1, witch_cabin g1, fire_swamp g1",
            hands="e1",
            discards="goblins:left goblins:middle goblins:right",
            goblins=3,
        ),
    ),
    "DR-07 a rockslide is over before its replacement is drawn": case(
        state(hands="b1 b2 b3 | d1 d2 d3", deck="rockslide:left e1"),
        after("rest", task="pass:left:0", deck="e1", discards="rockslide:left"),
    ),
    "a rockslide to the left passes two cards to the next seat": case(
        state(THREE, hands="b1 b2 b3 | c1 c2 c3 | d1 d2 d3", deck="rockslide:left e1 e2"),
        after(
            "rest; pass b1 b3; pass c2 c3; pass d1 d2", hands="b2 d1 d2 e1 | b1 b3 c1 | c2 c3 d3"
        ),
        THREE,
    ),
    "a rockslide to the right passes one card to the seat before": case(
        state(THREE, hands="b1 b2 | c1 c2 | d1 d2", seat=1, deck="rockslide:right e1 e2", turn=4),
        after("rest; pass c1; pass d2; pass b1", hands="b2 c1 | c2 d2 e1 | b1 d1"),
        THREE,
    ),
    "DR-34 with two seats left and right are the same": case(
        state(hands="b1 b2 | c1 c2", deck="rockslide:right e1"),
        after("rest; pass b1; pass c2", hands="b2 c2 e1 | b1 c1"),
    ),
    "DR-35 nothing moves before all have chosen": case(
        state(hands="b1 b2 | c1 c2", deck="rockslide:right e1"),
        after("rest; pass b1", hands="b1 b2 | c1 c2", task="pass:right:1"),
    ),
    "who has no more cards than are passed is not asked, and what is missing is drawn": case(
        state(hands="b1 | c1 c2 c3", deck="rockslide:left e1 e2 e3"),
        after("rest; pass c1 c2", hands="c1 c2 e2 | b1 c3 e1", deck="e3"),
    ),
    "DR-08 an event card drawn for what is missing waits until all is drawn": case(
        state(hands="", deck="rockslide:left e1 goblins:left e2 e3 e4 e5 e6"),
        after(
            "rest", hands="e1 e2 e5 | e3 e4", row="snake_pit g1, witch_cabin, fire_swamp", deck="e6"
        ),
    ),
    "DR-08 waiting cards take effect in the order of drawing": case(
        state(hands="| c1 c2", deck="rockslide:right rockslide:left goblins:left e1 e2 e3 e4"),
        after(
            "rest; pass c1",
            hands="c2 e1 e3 | c1 e2",
            discards="rockslide:right rockslide:left goblins:left",
            goblins=5,
            deck="e4",
        ),
    ),
    "DR-10 a goblin completes a location: scored, replaced, and the drawing goes on": case(
        state(
            row="witch_cabin 1 1 g1, snake_pit, fire_swamp",
            hands="b1 | c1",
            deck="goblins:left e1 e2",
        ),
        after(
            "rest",
            hands="b1 e1 | c1",
            coins=(1, 1),
            row="magic_castle, snake_pit, fire_swamp",
            goblins=6,
            unclaimed="witch_cabin",
            supply=(8, 8),
            task="draw",
        ),
    ),
    "DR-11 without a goblin in the supply the card is only replaced": case(
        state(row="snake_pit g4, witch_cabin g2, fire_swamp", deck="goblins:right e1"),
        after(
            "rest",
            goblins=0,
            hands="e1",
            discards="goblins:right",
            row="snake_pit g4, witch_cabin g2, fire_swamp",
        ),
    ),
    "DR-12 left and right have no effect on a Dragon": case(
        state(row="dragon_rock, witch_cabin", locations="", deck="goblins:left e1"),
        after("rest", row="dragon_rock, witch_cabin", goblins=6),
    ),
    "with two locations the middle is the one without a Dragon": case(
        state(row="dragon_rock, witch_cabin", locations="", deck="goblins:middle e1"),
        after("rest", row="dragon_rock, witch_cabin g1"),
    ),
    "with two locations the middle may be the left one": case(
        state(row="witch_cabin, dragon_rock", locations="", deck="goblins:middle e1"),
        after("rest", row="witch_cabin g1, dragon_rock"),
    ),
    "DR-13 the middle of three has no effect on a Dragon": case(
        state(row="snake_pit, dragon_rock, witch_cabin", deck="goblins:middle e1"),
        after("rest", goblins=6, hands="e1"),
    ),
    "DR-14 goblins have no effect with the Dragon alone": case(
        state(row="dragon_rock", locations="", deck="goblins:left goblins:middle goblins:right e1"),
        after("rest", row="dragon_rock", goblins=6, hands="e1"),
    ),
    "DR-15 without a new location the others close up": case(
        trying("search", "b4 c4", row="witch_cabin 3, snake_pit 0 1, dragon_rock", locations=""),
        after("dice 4 4", row="snake_pit 0 1, dragon_rock"),
    ),
    "DR-36 a revealed event card takes effect and is replaced": case(
        state(deck="goblins:right e1 e2", face_up="c1 c2"),
        after("rest c1", face_up="e1 c2", hands="c1", discards="goblins:right", goblins=5),
    ),
    "a success places, discards and draws": case(
        trying("storm", "b2 b5 b9", hands="b2 b5 b9 d1"),
        after(
            "dice 1 2 3",
            row="snake_pit 1, witch_cabin, fire_swamp",
            hands="d1 e1",
            discards="b2 b5 b9",
            supply=(7, 8),
            camp=(0, 0),
            seat=1,
            attempt=None,
        ),
    ),
    "DR-20 a failure with an empty Academy takes the cards back and sends one there": case(
        trying("storm", "b2 b5", hands="b2 b5 d1"),
        after(
            "dice 1 4",
            hands="b2 b5 d1",
            discards="",
            supply=(7, 8),
            camp=(1, 0),
            deck="e1 e2 e3 e4 e5 e6",
            seat=1,
        ),
    ),
    "DR-16 a golden ring asks for one or two, and one is placed if that is chosen": case(
        trying("sneak", "b5 c6 d7"), after("dice 4 2 2; place 1", supply=(7, 8), seat=1)
    ),
    "DR-17 two are placed on one free space, and both count": case(
        trying("sneak", "b5 c6 d7", row="snake_pit 1 3, witch_cabin, fire_swamp"),
        after("dice 4 2 2; place 2", coins=(5, 5), won="", unclaimed="snake_pit", supply=(8, 8)),
    ),
    "DR-18 without a supply nobody is placed, and it is still a success": case(
        trying("storm", "b2 b5 b9", camp=(8,)),
        after("dice 2 2 2; academy 0", hands="e1", discards="b2 b5 b9", camp=(8, 0), supply=(0, 8)),
    ),
    "DR-18 those from the Academy can be placed": case(
        trying("sneak", "b2 b3 b4", camp=(8,)),
        after("dice 3 3 2; academy 2; place 2", camp=(6, 0), supply=(0, 8), hands="e1"),
    ),
    "DR-18 a golden ring with one adventurer left places it unasked": case(
        trying("sneak", "b2 b3 b4", camp=(7,)),
        after("dice 3 3 2; academy 0", camp=(7, 0), supply=(0, 8), seat=1),
    ),
    "DR-19 without a supply nobody is sent": case(
        trying("storm", "b2", camp=(8,)),
        after("dice 1; academy 0", camp=(8, 0), supply=(0, 8), seat=1),
    ),
    "DR-20 each adventurer from the Academy adds one": case(
        trying("storm", "b2 b5", camp=(3, 2)),
        after("dice 2 2; academy 2", camp=(1, 2), supply=(6, 6), hands="e1"),
    ),
    "DR-20 too few add nothing and are back in the supply; the one just sent stays": case(
        trying("storm", "b2 b5", camp=(3,)),
        after("dice 2 2; academy 1", camp=(3, 0), supply=(5, 8), hands="b2 b5"),
    ),
    "the Academy does not help in the Dungeon, and a failure sends nobody": case(
        trying("storm", "b2", row="dungeon_of_despair", camp=(3,)),
        after("dice 4", camp=(3, 0), supply=(5, 8), seat=1),
    ),
    "DR-21 a failure in the Dungeon sends nobody to the Alley": alley(
        trying("storm", "b2", row="dungeon_of_despair"),
        after("dice 4", camp=(0, 0), supply=(8, 8), seat=1),
    ),
    "the Alley does not help a roll": alley(
        trying("storm", "b2", camp=(3,)), after("dice 4", camp=(4, 0), task="turn", seat=1)
    ),
    "DR-22 after a failure in the Fire Swamp any card goes": case(
        trying("storm", "b2", row="fire_swamp", hands="b2 d7"),
        after("dice 4; discard d7", hands="b2", discards="d7", camp=(1, 0), seat=1),
    ),
    "DR-22 the last card goes without a question": case(
        trying("storm", "b2", row="fire_swamp"), after("dice 4", hands="", discards="b2", seat=1)
    ),
    "DR-22 Wings of Speed draws after the discard": case(
        trying("storm", "b2", row="fire_swamp", enhancements="wings_of_speed*"),
        after("dice 4", hands="e1", discards="b2", deck="e2 e3 e4 e5 e6", seat=1),
    ),
    "a success in the Fire Swamp costs no card": case(
        trying("search", "b2 c2", row="fire_swamp", hands="b2 c2 d7"),
        after("dice 4 1", hands="d7 e1", seat=1),
    ),
    "DR-24 a one-time enhancement stays after a failure": case(
        trying(
            "sneak", "b2", enhancements="potion_invisible* lucky_socks", used="potion_invisible"
        ),
        after("dice 3", enhancements="lucky_socks potion_invisible*", spent=""),
    ),
    "DR-24 DR-42 a success spends it, and it leaves the game": case(
        trying("sneak", "b2", enhancements="potion_invisible*", camp=(7,), used="potion_invisible"),
        after("dice 4; academy 0", enhancements="", spent="potion_invisible"),
    ),
    "DR-25 all additions count": case(
        trying("sneak", "b2", enhancements=ADDITIONS, used="potion_invisible"),
        after("dice 1", task="place"),
    ),
    "DR-25 a total of one less fails: what helps another way does not count": case(
        trying("sneak", "b2", enhancements=ADDITIONS), after("dice 4", camp=(1, 0))
    ),
    "DR-27 scored and replaced before the cards are discarded and one is drawn": case(
        trying(
            "search", "b4 c4", row="witch_cabin 2 1, snake_pit, fire_swamp", deck="goblins:left e1"
        ),
        after(
            "dice 4 4",
            row="magic_castle g1, snake_pit, fire_swamp",
            discards="b4 c4 goblins:left",
            hands="e1",
            coins=(4, 2),
            won="witch_cabin",
        ),
    ),
    "DR-28 one action completes one location; the goblin drawn after it another": case(
        trying(
            "search",
            "b4 c4",
            row="witch_cabin 2 1, snake_pit 0 1 g3, fire_swamp",
            deck="goblins:middle e1",
            locations="magic_castle crystal_mountain dragon_rock",
        ),
        after("dice 4 4", coins=(4, 2 + 4), unclaimed="snake_pit", hands="e1"),
    ),
    "DR-29 the Dragon's completion ends the game at once: no discard, no card": case(
        trying("search", "b4 c4 d4", row="dragon_rock 4 1, witch_cabin 0 2 g1", locations=""),
        after(
            "dice 3 3 2",
            task="over",
            hands="b4 c4 d4",
            deck="e1 e2 e3 e4 e5 e6",
            coins=(12, 6 + 4),
            won="dragon_rock | witch_cabin",
            row="",
        ),
    ),
    "DR-38 exploring without adventurers cycles cards": case(
        state(row="snake_pit 4, dragon_rock 4, fire_swamp", hands="b2 b5 b9"),
        after("snake_pit storm; b2 b5 b9; dice 2 2 2", hands="e1", supply=(0, 8), seat=1),
    ),
    "DR-47 an addition is turned up before the cards are played and stays": case(
        state(hands="b2 b5", enhancements="si_war_horn"),
        after(
            "snake_pit storm; use si_war_horn; b2 b5; dice 4 1",
            enhancements="si_war_horn*",
            supply=(7, 8),
            camp=(0, 0),
            seat=1,
        ),
    ),
    "DR-47 a face-down addition does not count": case(
        state(hands="b2 b5", enhancements="si_war_horn"),
        after("snake_pit storm; b2 b5; dice 4 1; reroll", enhancements="si_war_horn", camp=(1, 0)),
    ),
    "DR-47 but it can be turned up after a roll that is too low, which it then lifts": case(
        state(hands="b2 b5", enhancements="si_war_horn"),
        after(
            "snake_pit storm; b2 b5; dice 4 1; use si_war_horn",
            enhancements="si_war_horn*",
            supply=(7, 8),
            camp=(0, 0),
            hands="e1",
        ),
    ),
    "DR-47 whoever has any card face down is asked after a roll that is too low": case(
        trying("storm", "b2 b5", enhancements="si_old_map"),
        after("dice 4 1", task="reroll", camp=(0, 0)),
    ),
    "DR-47 not if all lie face up and throw no dice again": case(
        trying("storm", "b2 b5", enhancements="si_spyglass*"),
        after("dice 4 1", task="turn", camp=(1, 0)),
    ),
    "DR-47 nor after a roll that suffices": case(
        trying("storm", "b2 b5", enhancements="lucky_socks"),
        after("dice 4 2", task="turn", supply=(7, 8), enhancements="lucky_socks"),
    ),
    "DR-47 Lucky Socks can be turned up when the dice lie": case(
        trying("storm", "b2 b5", enhancements="lucky_socks"),
        after(
            "dice 4 1; use lucky_socks; reroll 1; dice 2",
            supply=(7, 8),
            camp=(0, 0),
            enhancements="lucky_socks*",
        ),
    ),
    "DR-47 and an addition after the second throw": case(
        trying("storm", "b2 b5", enhancements="lucky_socks si_war_horn"),
        after(
            "dice 3 1; use lucky_socks; reroll 1; dice 2; use si_war_horn",
            supply=(7, 8),
            camp=(0, 0),
            enhancements="lucky_socks* si_war_horn*",
        ),
    ),
    "DR-47 Wings of Speed can be turned up for the failure that comes": case(
        trying("storm", "b2 b5", enhancements="wings_of_speed"),
        after("dice 3 1; use wings_of_speed", camp=(1, 0), hands="b2 b5 e1", seat=1),
    ),
    "DR-47 the Pet Chipmunk turned up during a Rest works on it": case(
        state(hands="b1", enhancements="pet_chipmunk"),
        after(
            "rest; use pet_chipmunk; draw; draw; discard b1",
            hands="e1 e2 e3",
            discards="b1",
            seat=1,
        ),
    ),
    "DR-47 and on every later Rest by itself": case(
        state(enhancements="pet_chipmunk*"),
        after("rest; draw; draw", hands="e1 e2 e3", task="discard"),
    ),
    "DR-47 Lucky Socks ask after the roll for dice to throw again": case(
        trying("storm", "b2 b5", enhancements="lucky_socks*"),
        after("dice 3 1; reroll 1; dice 3", supply=(7, 8), camp=(0, 0), hands="e1"),
    ),
    "Lucky Socks may leave the dice": case(
        trying("storm", "b2 b5", enhancements="lucky_socks*"),
        after("dice 3 1; reroll", camp=(1, 0), seat=1),
    ),
    "DR-48 a goblin leaves at a success, before adventurers are placed": case(
        BAITED,
        after(
            "dice 4 4",
            row="witch_cabin 2 1, snake_pit, fire_swamp",
            goblins=6,
            spent="si_goblin_bait",
        ),
    ),
    "DR-48 not at a failure": case(
        BAITED, after("dice 1 1", goblins=5, spent="", enhancements="si_goblin_bait*")
    ),
    "an enhancement of level 1 costs two adventurers and a card": alley(
        state(hands="b1 b2", camp=(3,), on_sale="si_war_horn fireball_spell lucky_socks"),
        after(
            "buy 1 b1",
            enhancements="si_war_horn",
            on_sale="fireball_spell lucky_socks",
            camp=(1, 0),
            supply=(7, 8),
            hands="b2",
            discards="b1",
            task="turn",
        ),
    ),
    "DR-39 an enhancement of level 2 costs two coins; the skipped cards are shuffled back": alley(
        state(hands="b1", camp=(2,), coins=(5,), on_sale="si_war_horn fireball_spell lucky_socks"),
        after(
            "buy 2",
            enhancements="fireball_spell",
            on_sale="si_war_horn lucky_socks",
            coins=(3, 0),
            camp=(0, 0),
            task="reshuffle_enhancements",
        ),
    ),
    "DR-40 DR-41 the adventurer that just failed can pay; the roll stays as it was": alley(
        trying("storm", "b2 b5", camp=(1,), on_sale="si_war_horn"),
        after("dice 4 1; buy 1 b2", enhancements="si_war_horn", camp=(0, 0), seat=1, hands="b5"),
    ),
    "DR-49 after the turn's action the seat is asked, until it ends its turn": alley(
        state(hands="b1", camp=(2,), on_sale="si_war_horn"),
        after("rest; draw; end_turn", task="turn", seat=1),
    ),
    "DR-49 after a success, so that who comes back from the Alley can be placed": alley(
        CAN_BUY_BACK,
        after(
            "dice 4 4; buy 1 c9; place 2",
            row="snake_pit 2, witch_cabin, fire_swamp",
            supply=(0, 8),
            camp=(0, 0),
        ),
    ),
    "DR-49 nobody has to be bought back": alley(
        CAN_BUY_BACK,
        after(
            "dice 4 4; place 0", row="snake_pit, witch_cabin, fire_swamp", task="end", hands="c9 e1"
        ),
    ),
    "DR-49 between the cards of a Rest, after which the Rest goes on": alley(
        state(hands="b1", camp=(2,), on_sale="si_war_horn"),
        after("rest; buy 1 e1", task="draw", seat=0, hands="b1", enhancements="si_war_horn"),
    ),
    "DR-46 the last turn ends the game and scores what is there, the Dragon too": case(
        state(
            row="dragon_rock 2 1, snake_pit 0 1 g1", locations="", turn=2 * TURNS_PER_SEAT, seat=1
        ),
        after(
            "rest; draw",
            task="over",
            ruling="DR-46",
            coins=(12, 6 + 5),
            won="dragon_rock | snake_pit",
        ),
    ),
    "DR-46 the turn before does not": case(
        state(turn=2 * TURNS_PER_SEAT - 1),
        after("rest; draw", task="turn", turn=2 * TURNS_PER_SEAT, seat=1),
    ),
    "DR-50 nobody can place or buy, and goblins can free nobody": alley(
        state(row="dragon_rock 2 1, snake_pit g1", locations="", camp=(6, 7)),
        after("rest; draw", task="over", ruling="DR-50", coins=(12, 6), won="dragon_rock"),
    ),
    "DR-50 not while a goblin may complete a location with adventurers": alley(
        state(row="dragon_rock 1 1, snake_pit 1 g1", locations="", camp=(6, 7)),
        after("rest; draw", task="turn", seat=1),
    ),
    "DR-50 not while somebody can buy": alley(
        state(
            row="dragon_rock 2 1", locations="", camp=(6, 7), hands="| b1", on_sale="lucky_socks"
        ),
        after("rest; draw; end_turn", task="turn", seat=1),
    ),
    "DR-50 cards of level 2 that nobody can pay keep no game alive": alley(
        state(
            row="dragon_rock 2 1", locations="", camp=(6, 7), coins=(1, 1), on_sale="fireball_spell"
        ),
        after("rest; draw", task="over", coins=(13, 7)),
    ),
}


@pytest.mark.parametrize(("before", "then", "rules"), FLOW.values(), ids=FLOW)
def test_flow(before: State, then: tuple[str, dict[str, object]], rules: DragonrealmRules) -> None:
    moves, expected = then
    found = facts(play(rules, before, moves))
    assert {name: found[name] for name in expected} == expected


def ways(locations: str) -> str:
    return "".join(f"; {n} {w}" for n in locations.split() for w in ("sneak", "search", "storm"))


LEGAL: dict[str, Case] = {
    "DR-01 DR-02 DR-03 sneak: consecutive numbers of any suits": case(
        trying("sneak", hands="b1 b3 c2 d12"), "b1; b3; c2; d12; b1 c2; b3 c2; b1 b3 c2"
    ),
    "DR-03 no number comes twice in a run": case(
        trying("sneak", hands="b1 c1 d2"), "b1; c1; d2; b1 d2; c1 d2"
    ),
    "DR-01 DR-02 search: equal numbers": case(
        trying("search", hands="b1 c1 d1 d2"), "b1; c1; d1; d2; b1 c1; b1 d1; c1 d1; b1 c1 d1"
    ),
    "DR-01 DR-02 storm: one suit": case(
        trying("storm", hands="b1 b7 b9 c1"), "b1; b7; b9; c1; b1 b7; b1 b9; b7 b9; b1 b7 b9"
    ),
    "resting comes first, then every location in every way": case(
        state(hands="b1"), RESTS + ways("snake_pit witch_cabin fire_swamp")
    ),
    "without a card there is no Explore": case(state(), RESTS),
    "DR-23 no third seat explores the Cave of Bats": case(
        state(THREE, row="cave_of_bats 0 1 1, snake_pit, dragon_rock", hands="b1"),
        RESTS + ways("snake_pit dragon_rock"),
        THREE,
    ),
    "DR-23 a seat that is there may, and goblins do not count": case(
        state(THREE, row="cave_of_bats 0 1 1 g1", hands="| b1", seat=1),
        RESTS + ways("cave_of_bats"),
        THREE,
    ),
    "DR-23 one other seat leaves room": case(
        state(THREE, row="cave_of_bats 0 1 g1", hands="b1"), RESTS + ways("cave_of_bats"), THREE
    ),
    "DR-45 DR-38 no chance and no adventurer are no bar": case(
        state(row="dragon_rock 4", camp=(4,), hands="b1"), RESTS + ways("dragon_rock")
    ),
    "DR-47 enhancements that fit the way can be used; one card is asked for all the same": case(
        trying(
            "storm",
            hands="b1",
            enhancements="si_war_horn si_soft_boots fireball_spell lucky_socks sapphire_pendant",
        ),
        "b1; use fireball_spell; use lucky_socks; use si_war_horn",
    ),
    "DR-24 a one-time enhancement can be declared again, once; a lasting one works already": case(
        trying("storm", hands="b1", enhancements="si_war_horn* fireball_spell*"),
        "b1; use fireball_spell",
    ),
    "DR-48 the bait needs a goblin": case(
        trying(
            "storm",
            row="snake_pit g1, witch_cabin, fire_swamp",
            hands="b1",
            enhancements="si_goblin_bait",
        ),
        "b1; use si_goblin_bait",
    ),
    "DR-48 and is of no use without one": case(
        trying("storm", hands="b1", enhancements="si_goblin_bait"), "b1"
    ),
    "DR-26 nothing is used in the turn of another seat": case(
        state(
            hands="| b1 b2",
            todo="end draw slide:right pass:right:1",
            enhancements="| pet_chipmunk wings_of_speed",
        ),
        "pass b1; pass b2",
    ),
    "DR-47 what works on a Rest can be turned up before its last card": case(
        state(todo="end draw", enhancements="pet_chipmunk lucky_socks"),
        "draw; draw c11; draw c12; use pet_chipmunk",
    ),
    "any dice that the enhancements allow, or none": case(
        trying("storm", "b1 b2 b3", (1, 1, 4), enhancements="lucky_socks*"),
        "reroll; reroll 1; reroll 4",
    ),
    "DR-47 after the roll lasting enhancements that fit, no one-time ones": case(
        trying(
            "storm",
            "b1 b2",
            (1, 4),
            enhancements="fireball_spell lucky_socks pet_chipmunk sapphire_pendant si_spyglass "
            "si_war_horn wings_of_speed",
        ),
        "reroll; use lucky_socks; use si_war_horn; use wings_of_speed",
    ),
    "DR-49 what was played pays nothing before adventurers are placed": alley(
        trying(
            "storm",
            "b1 b2",
            (4, 4),
            todo="end place",
            hands="b1 b2 b3",
            camp=(2,),
            coins=(2,),
            on_sale="lucky_socks fireball_spell",
        ),
        "place 1; buy 1 b3; buy 2",
    ),
    "DR-20 any number from the Academy": case(
        trying("storm", "b1", (1,), todo="end resolve academy", camp=(3,)),
        "academy 0; academy 1; academy 2; academy 3",
    ),
    "DR-35 a rockslide asks for any cards of the own hand": case(
        state(hands="| b1 b2 b3", todo="end draw slide:left pass:left:1"),
        "pass b1 b2; pass b1 b3; pass b2 b3",
    ),
    "level 1 for any card, level 2 for coins": alley(
        state(row="", hands="b1 b2", camp=(2,), coins=(2,), on_sale="lucky_socks fireball_spell"),
        RESTS + "; buy 1 b1; buy 1 b2; buy 2",
    ),
    "DR-39 coins of enhancements pay nothing": alley(
        state(
            todo="end draw",
            camp=(2,),
            coins=(1,),
            enhancements="sapphire_pendant",
            on_sale="lucky_socks fireball_spell",
        ),
        "draw; draw c11; draw c12",
    ),
    "DR-42 a level without cards cannot be bought": alley(
        state(row="", hands="b1", camp=(2,), coins=(9,), on_sale="lucky_socks"),
        RESTS + "; buy 1 b1",
    ),
    "one adventurer at the Alley pays nothing": alley(
        state(row="", hands="b1", camp=(1,), coins=(9,), on_sale="lucky_socks"), RESTS
    ),
}


@pytest.mark.parametrize(("position", "actions", "rules"), LEGAL.values(), ids=LEGAL)
def test_legal_actions(position: State, actions: str, rules: DragonrealmRules) -> None:
    assert "; ".join(map(words, rules.legal_actions(position))) == actions


def test_nine_cards_of_a_suit_give_the_longest_list() -> None:
    """DR-25: never more than six dice, so never more than six cards."""
    longest = TWO.legal_actions(trying("storm", hands=NINE))
    assert len(longest) == 465
    assert max(len(action.cards) for action in longest) == DICE


@pytest.mark.parametrize(
    ("offered", "choices"),
    [
        (
            "lucky_socks pet_chipmunk si_old_map",
            "lucky_socks pet_chipmunk; lucky_socks si_old_map; pet_chipmunk si_old_map",
        ),
        ("fireball_spell lucky_socks pet_chipmunk", "lucky_socks pet_chipmunk; fireball_spell"),
        ("fireball_spell lucky_socks si_vanguard", "fireball_spell; si_vanguard"),
        (
            "fireball_spell si_dragon_idol si_vanguard",
            "fireball_spell; si_dragon_idol; si_vanguard",
        ),
    ],
)
def test_two_of_level_1_or_one_of_level_2_are_kept(offered: str, choices: str) -> None:
    position = state(todo="turn deal keep:1 keep:0")
    first = replace(position.sides[0], offered=tuple(offered.split()))
    keeps = TWO.legal_actions(replace(position, sides=(first, position.sides[1])))
    assert "; ".join(" ".join(action.enhancements) for action in keeps) == choices


DRAGON_LAST = (
    *("snake_pit", "witch_cabin", "magic_castle"),
    *("fire_swamp", "slimy_tunnels", "dragon_rock"),
)
NAMES = tuple(sorted(TWO.box.enhancements))


def with_first(text: str) -> tuple[str, ...]:
    """All enhancements, these first."""
    first = tuple(text.split())
    return (*first, *(name for name in NAMES if name not in first))


def test_a_setup_of_two() -> None:
    """The rest of the enhancements goes to the bottom in the order of the seats."""
    order = with_first("lucky_socks pet_chipmunk si_old_map fireball_spell si_war_horn")
    dealt = TWO.initial_state()
    for action in (
        Shuffle("locations", DRAGON_LAST),
        Shuffle("enhancements", order),
        Keep(("lucky_socks", "si_old_map")),
        Keep(("fireball_spell",)),
        Shuffle("adventurers", TWO.box.numbers + TWO.box.events),
        Starter(1),
    ):
        dealt = TWO.apply(dealt, action)
    found = facts(dealt)
    assert found["row"] == "snake_pit, witch_cabin, magic_castle"
    assert found["locations"] == "fire_swamp slimy_tunnels dragon_rock"
    assert found["hands"] == "a1 a2 a3 a4 a5 | a6 a7 a8 a9 a10"
    assert found["face_up"] == "a11 a12"
    assert dealt.enhancements[-3:] == ("pet_chipmunk", order[5], "si_war_horn")
    assert (dealt.seat, dealt.turn, dealt.todo) == (1, 1, ("turn",))


def go_on(rules: DragonrealmRules, position: State) -> State:
    """After a draw of chance or the first legal action."""
    by_chance = rules.to_act(position) == CHANCE
    action = rules.chance(position, LUCK) if by_chance else rules.legal_actions(position)[0]
    return rules.apply(position, action)


@pytest.mark.parametrize(("options", "to_act"), [({}, CHANCE), ({"starter": "seat_0"}, 0)])
def test_who_begins(options: dict[str, str], to_act: int) -> None:
    rules = dragonrealm(3, **options)
    position = rules.initial_state()
    while position.todo[-1] not in ("starter", "turn"):
        position = go_on(rules, position)
    assert rules.to_act(position) == to_act


UNDEALT: Any = {"row": "", "face_up": "", "deck": ""}


def test_four_seats_play_without_two_goblin_cards() -> None:
    """DR-44: there are two of each kind before."""
    assert [FOUR.box.events.count(f"goblins:{p}") for p in ("left", "middle", "right")] == [2, 2, 2]
    removed = go_on(FOUR, state(FOUR, todo="turn deal goblins", **UNDEALT))
    assert len(removed.removed) == 2
    dealt = FOUR.chance(removed, LUCK)
    assert isinstance(dealt, Shuffle)
    assert len(dealt.cards) == 66


DEALT = tuple(sorted(TWO.box.numbers)) + TWO.box.events
DICE_DUE = trying("storm", "b1 b2")
REROLLED = trying("storm", "b1 b2", (4,), todo="end resolve academy reroll dice")
SOCKS = state(todo="turn reshuffle_enhancements", on_sale="lucky_socks")
LEVELS = "lucky_socks si_old_map si_vanguard si_war_horn si_spyglass si_royal_purse"

locations = partial(Shuffle, "locations")
enhancements = partial(Shuffle, "enhancements")
adventurers = partial(Shuffle, "adventurers")
BY_LEVEL = dragonrealm(2, enhancement_deal="by_level")


@pytest.mark.parametrize(
    ("rules", "position", "possible", "others"),
    [
        (
            TWO,
            TWO.initial_state(),
            locations(DRAGON_LAST),
            [
                locations((*DRAGON_LAST[:-1], "fire_swamp")),
                locations(DRAGON_LAST[:-1]),
                enhancements(NAMES),
            ],
        ),
        (
            THREE,
            THREE.initial_state(),
            locations(("halfling_hideout", *DRAGON_LAST)),
            [locations(DRAGON_LAST)],
        ),
        (TWO, state(todo="enhancements"), enhancements(NAMES), [enhancements(NAMES[1:])]),
        (
            BY_LEVEL,
            state(todo="enhancements"),
            enhancements(with_first(LEVELS)),
            [enhancements(NAMES)],
        ),
        (
            TWO,
            state(todo="turn deal", **UNDEALT),
            adventurers(DEALT),
            [adventurers(DEALT[::-1]), adventurers(DEALT[1:]), enhancements(NAMES)],
        ),
        (
            TWO,
            state(todo="turn reshuffle", deck="", discards="b1 b2"),
            adventurers(cards("b2 b1")),
            [adventurers(cards("b2 b3"))],
        ),
        (ALLEY, SOCKS, enhancements(("lucky_socks",)), [enhancements(("si_old_map",))]),
        (
            FOUR,
            state(FOUR, todo="turn deal goblins", **UNDEALT),
            RemoveGoblins(("goblins:left",) * 2),
            [
                RemoveGoblins(("goblins:left",)),
                RemoveGoblins(("goblins:left", "rockslide:left")),
                RemoveGoblins(("goblins:left",) * 3),
            ],
        ),
        (TWO, state(todo="turn starter"), Starter(1), [Starter(2)]),
        (TWO, DICE_DUE, Dice((1, 4)), [Dice((1,)), Dice((1, 5)), Starter(0)]),
        (TWO, REROLLED, Dice((3,)), [Dice((3, 3))]),
        (TWO, state(), None, [Dice((1,)), Rest("deck")]),
    ],
)
def test_chance_that_is_possible(rules, position, possible, others) -> None:
    assert possible is None or rules.is_chance_possible(position, possible)
    assert [action for action in others if rules.is_chance_possible(position, action)] == []


def test_the_dice_of_a_seat_do_not_depend_on_other_seats() -> None:
    mine, other = DICE_DUE.sides
    one = TWO.chance(DICE_DUE, LUCK)
    busy = replace(DICE_DUE, sides=(mine, replace(other, thrown=17)), turn=31)
    assert TWO.chance(busy, LUCK) == one
    later = TWO.chance(replace(DICE_DUE, sides=(replace(mine, thrown=1), other)), LUCK)
    assert isinstance(one, Dice)
    assert isinstance(later, Dice)
    assert later.faces[0] == one.faces[1]


ended = partial(state, row="", todo="over")
ENDS = {
    "most stones: five": (ended(won="snake_pit", coins=(3, 9)), Outcome((8, 9), (2, 1))),
    "enhancements bring stones": (
        ended(won="snake_pit | fire_swamp", enhancements="si_old_map", coins=(3, 3)),
        Outcome((8, 3), (1, 2)),
    ),
    "tied for the most: three each; enhancements bring coins": (
        ended(
            won="snake_pit | ogres_treehouse",
            enhancements="sapphire_pendant | si_royal_purse",
            coins=(3, 0),
        ),
        Outcome((3 + 3 + 4, 3 + 8), (2, 1)),
    ),
    "camp: at most 3": (ended(won="| fire_swamp", camp=(4,)), Outcome((3, 3), (1, 1))),
    "DR-32 no stones": (ended(coins=(7, 4)), Outcome((7, 4), (1, 2))),
    "stones break a tie": (ended(won="snake_pit", coins=(4, 9)), Outcome((9, 9), (1, 2))),
    "DR-33 a place is shared": (ended(camp=(2, 2), coins=(4, 4)), Outcome((7, 7), (1, 1))),
}


@pytest.mark.parametrize(("end", "outcome"), ENDS.values(), ids=ENDS)
def test_the_end(end: State, outcome: Outcome) -> None:
    assert TWO.outcome(end) == outcome
    assert TWO.to_act(end) == NOBODY


def test_resting_seats_come_to_an_end() -> None:
    """DR-46: the first legal action of every decision is no way to go on for ever."""
    rules = dragonrealm(2, starter="seat_0")
    position, plies = rules.initial_state(), 0
    while rules.to_act(position) != NOBODY:
        position, plies = go_on(rules, position), plies + 1
    assert position.turn == 2 * TURNS_PER_SEAT
    assert plies < rules.info.max_plies
