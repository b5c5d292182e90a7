"""Dragonkrak decision by decision: each row cites the ruling or the rule it shows."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from arena.extensions.games.dragonkrak.rules import GRADES, grade_of
from arena.extensions.games.dragonkrak.rules.actions import Deal, Muster, Starter, Tokens
from arena.extensions.games.dragonkrak.rules.cards import DECK, HERO, TROOPS
from arena.extensions.games.dragonkrak.rules.rules import DragonkrakRules
from arena.extensions.games.dragonkrak.rules.state import Phase, State
from arena.games.base import CHANCE, NOBODY, RulesError
from arena.games.luck import Luck
from arena.values.results import Outcome
from tests.extensions.games.dragonkrak.states import (
    DECLARED,
    FREE_VOLUNTEERS,
    NEAREST,
    SOLO,
    TWO_DRAGONS,
    card,
    cards,
    dealt,
    dragonkrak,
    facts,
    move,
    play,
    solo,
    state,
    words,
)

ALL_TOKENS = "counter_order epidemic imprisoned overflight reinforcements undead_dragon volunteers"
FULL_BUT_ONE = "a1 d2 p3 t4 d5"
SPACE_WORDS = {"I", "II", "III", "IV", "tower"}

Case = tuple[State, Any, DragonkrakRules]


def case(position: State, expected: Any, rules: DragonkrakRules = NEAREST) -> Case:
    return position, expected, rules


def legal(only: str, actions: str) -> tuple[str, str]:
    """Of the legal actions those of these kinds, and on these spaces if any are named."""
    return only, actions


def after(moves: str, **expected: object) -> tuple[str, dict[str, object]]:
    return moves, expected


def said(position: State, rules: DragonkrakRules = NEAREST) -> list[str]:
    return [words(action) for action in rules.legal_actions(position)]


LEGAL: dict[str, Case] = {
    "placements by army, then on the tower; nothing else is asked first": case(
        state("a5 d7", I="t6", II="t6", III="a4", IV="d9", tower="d1", red="I"),
        legal("place", "place a5 II; place a5 III; place d7 IV; place d7 tower"),
    ),
    "I rises strictly in any colours": case(
        state("a6 d6 d7", I="t6"), legal("place I", "place d7 I")
    ),
    "II falls strictly in any colours": case(
        state("a6 d5 d7", II="t6"), legal("place II", "place d5 II")
    ),
    "III rises in one colour": case(
        state("d5 d7 t8", III="d6"), legal("place III", "place d7 III")
    ),
    "IV falls in one colour": case(
        state("d5 d7 t4", IV="d6", red="I"), legal("place IV", "place d5 IV")
    ),
    "the tower takes one colour in any order, and no hero": case(
        state("a9 d2 h", tower="d9 d1"), legal("place tower", "place d2 tower")
    ),
    "a tower without colour takes any troop": case(
        state("a9 d2 h"), legal("place tower", "place a9 tower; place d2 tower")
    ),
    "no card under a dragon": case(state("a9", red="II", undead="I"), legal("place II", "")),
    "no card under the undead dragon": case(state("a9", undead="I"), legal("place I", "")),
    "all cards of a turn go to one army": case(
        state("a9 d2", I="a5", space="I", placed=1), legal("place", "place a9 I")
    ),
    "one card a turn on the tower": case(
        state("a9 d2", tower="a5", space="tower", placed=1), legal("place", "")
    ),
    "no tower after an army": case(
        state("a9 d2", I="a12", space="I", placed=1), legal("place", "")
    ),
    "the turn ends only after a placement": case(
        state("a9", I="a5", space="I", placed=1), legal("end", "end")
    ),
    "no end before one": case(state("a9", I="a5"), legal("end", "")),
    "two heroes are one choice": case(state("h h"), legal("place I", "place h I 1")),
    "DK-01 a hero upon a 4 in I is 5": case(state("h", I="d4"), legal("place I", "place h I 5")),
    "DK-01 a hero upon a 4 in II is 3": case(
        state("h", II="d4"), legal("place II", "place h II 3")
    ),
    "DK-01 a declared hero has any value that fits, nearest first": case(
        state("h", I="d9", II="d4"),
        legal(
            "place",
            "place h I 10; place h I 11; place h I 12; place h II 3; place h II 2; place h II 1; "
            + "; ".join(f"place h III {value}" for value in range(1, 13)),
        ),
        DECLARED,
    ),
    "DK-02 a hero on an empty army": case(
        state("h", red="I"), legal("place", "place h II 12; place h III 1; place h IV 12")
    ),
    "DK-03 after a hero in III any colour": case(
        state("d5 t8 t2", III="h3"), legal("place III", "place d5 III; place t8 III")
    ),
    "DK-03 the next troop decided": case(
        state("d9 t8", III="h3 t5"), legal("place III", "place t8 III")
    ),
    "DK-04 no hero on a 12": case(state("h", I="d12", III="a12"), legal("place I", "")),
    "DK-04 no declared hero on a 1": case(state("h", II="d1"), legal("place II", ""), DECLARED),
    "one hero in an army": case(state("h", I="h1 d4"), legal("place I", "")),
    "DK-06 no way round a card that fits": case(state("a9", I="a5"), legal("remove end", "")),
    "DK-06 removing when nothing fits": case(
        state("a1", I="a5", II="d1", III="a6", tower="t1"),
        legal("", "remove a1 I; remove a1 II; remove a1 III"),
    ),
    "DK-07 a troop between the hero's neighbours, whatever his value": case(
        state("a5 a8 h", I="d4 h5 d8", II="a2"), legal("exchange", "exchange a5 I")
    ),
    "DK-07 a hero at the bottom has no neighbour there": case(
        state("a12 a9 a8 a1", II="h12 d8 d7", III="a2"),
        legal("exchange", "exchange a9 II; exchange a12 II"),
    ),
    "DK-07 in III the colour too; not hero for hero": case(
        state("a7 d7 h d3", III="d4 h5"), legal("exchange", "exchange d7 III")
    ),
    "DK-08 an exchange only if a card can follow it": case(
        state("a5 d12", I="d4 h5"), legal("exchange", "exchange a5 I")
    ),
    "DK-08 not with the only card": case(state("a5", I="d4 h5"), legal("exchange", "")),
    "DK-08 a hero can follow his like": case(
        state("a5 h", I="d4 h5"), legal("exchange", "exchange a5 I")
    ),
    "DK-08 not before a hero who finds no room": case(
        state("a12 h", I="d4 h5"), legal("exchange", "")
    ),
    "DK-08 after a placement with the last card too": case(
        state("a5", I="d4 h5 t9", space="I", placed=1), legal("exchange", "exchange a5 I")
    ),
    "DK-08 only where cards are placed": case(
        state("a5", I="d4 h5 t9", III="a1", space="III", placed=1), legal("exchange", "")
    ),
    "DK-08 no exchange after a turn on the tower": case(
        state("a5 d12", I="d4 h5", tower="a7", space="tower", placed=1), legal("exchange", "")
    ),
    "DK-08 after the exchange a card must be placed there": case(
        state("a9 d12", I="d4 a5", III="a1", space="I"), legal("", "place a9 I; place d12 I")
    ),
    "DK-09 an exchange instead of removing, which stays allowed": case(
        state("a4 h", I="d3 h12", II="a1", III="a12", IV="t1", tower="t1", red="IV"),
        legal(
            "",
            "remove a4 I; remove h I 4; remove a4 II; remove h II 12; remove a4 III; "
            "remove h III 1; exchange a4 I",
        ),
    ),
    "DK-11 a new pile may begin where six cards left": case(
        state("a2 d1", space="I", placed=1), legal("", "place a2 I; place d1 I; end")
    ),
    "DK-18 those that take the fewest cards come first": case(
        state("a3", I="d2 d4", II="t2", III="a4 a5", tower="t1"),
        legal("", "remove a3 I; remove a3 II; remove a3 III"),
    ),
    "DK-22 removing although a token would help": case(
        state("a2", I="d3", II="t1", III="a3", IV="d1", tower="t1", tokens="overflight"),
        legal("remove overflight", "remove a2 I; remove a2 II; remove a2 III; overflight red"),
    ),
    "DK-22 not when the tower takes a card": case(
        state("a2", I="d3", II="t1", III="a3", tower="a1"), legal("", "place a2 tower")
    ),
    "DK-22 but when the tower is closed": case(
        state("a2", I="d3", II="t1", III="a3", tower="a1", imprisoned_by=1),
        legal("", "remove a2 I; remove a2 II; remove a2 III"),
    ),
    "DK-23 never from the tower": case(
        state("a2", I="d3", II="t1", III="a3", tower="t1 t4"),
        legal("remove", "remove a2 I; remove a2 II; remove a2 III"),
    ),
    "DK-21 two armies are always open": case(
        state("a2", I="d3", II="t1", III="a3", tower="t1", undead="I"),
        legal("", "remove a2 II; remove a2 III"),
    ),
    "DK-25 DK-26 the red dragon flies to another army, empty or not": case(
        state(phase=Phase.FLIGHT, I="d3", red="II"), legal("fly", "fly I; fly III; fly IV")
    ),
    "not to the undead dragon; DK-46 never to the tower": case(
        state(phase=Phase.FLIGHT, red="II", undead="III"), legal("fly", "fly I; fly IV")
    ),
    "DK-27 the undead dragon may come to the army of this turn": case(
        state("a9", I="a5", tokens="undead_dragon", space="I", placed=1),
        legal("undead_dragon", "undead_dragon I; undead_dragon II; undead_dragon III"),
    ),
    "DK-28 not to the red one's army, DK-46 nor to the tower": case(
        state(tokens="undead_dragon", red="II", tower="a1"),
        legal("undead_dragon", "undead_dragon I; undead_dragon III; undead_dragon IV"),
    ),
    "DK-29 not while it is in play": case(
        state(tokens="undead_dragon", undead="I"), legal("undead_dragon", "")
    ),
    "DK-31 overflight names a dragon in play": case(
        state(tokens="overflight", undead="I"),
        legal("overflight", "overflight red; overflight undead"),
    ),
    "DK-31 not the one that is not": case(
        state(tokens="overflight"), legal("overflight", "overflight red")
    ),
    "DK-31 one dragon only": case(
        state("a9", undead="I", overflight="red"),
        legal("place", "place a9 II; place a9 III; place a9 IV; place a9 tower"),
    ),
    "DK-32 overflight opens no closed tower": case(
        state("a9", imprisoned_by=1, overflight="red"), legal("place tower", "")
    ),
    "DK-33 DK-50 a counter-order names another colour of a pile that has one, closed or not": case(
        state(I="t1", III="h1", IV="d9", tower="a3", tokens="counter_order", imprisoned_by=1),
        legal(
            "counter_order",
            "counter_order IV artisans; counter_order IV paladins; counter_order IV tribes; "
            "counter_order tower druids; counter_order tower paladins; counter_order tower tribes",
        ),
    ),
    "DK-34 an epidemic reaches every army with cards, and not the tower": case(
        state(I="t1", II="t9 t3", IV="d9 d8 d7", tower="a3", tokens="epidemic"),
        legal(
            "epidemic", "epidemic I 1; epidemic II 1; epidemic II 2; epidemic IV 1; epidemic IV 2"
        ),
    ),
    "DK-36 volunteers go where the cards of this turn go": case(
        state("a5", I="d4 d8", III="a1 a9", tokens="volunteers", space="III", placed=1),
        legal("volunteers", "volunteers a5 III"),
    ),
    "DK-36 with volunteers_counts: false too": case(
        state("a5", I="d4 d8", III="a1 a9", tokens="volunteers", space="III", placed=1),
        legal("volunteers", "volunteers a5 III"),
        FREE_VOLUNTEERS,
    ),
    "DK-36 with volunteers_counts: false a card to place must be left": case(
        state("a5", I="d4 d8", tokens="volunteers"), legal("volunteers", ""), FREE_VOLUNTEERS
    ),
    "DK-36 unless the game is won": case(
        state("a5", camp="", I="d4 d8", tokens="volunteers"),
        legal("volunteers", "volunteers a5 I"),
        FREE_VOLUNTEERS,
    ),
    "DK-37 a hero has the value next to the card below": case(
        state("h", I="d4 d8 d9 d11", II="h9 t7 t5", tokens="volunteers"),
        legal("volunteers", "volunteers h I 5; volunteers h I 10"),
    ),
    "DK-37 a declared hero any that is free": case(
        state("h", I="d4 d8 d9", II="t7 t5", tokens="volunteers"),
        legal(
            "volunteers", "volunteers h I 5; volunteers h I 6; volunteers h I 7; volunteers h II 6"
        ),
        DECLARED,
    ),
    "DK-38 only between cards": case(
        state("a3 a5 a9", I="d4 d8", II="d6", III="a5 a8", tokens="volunteers"),
        legal("volunteers", "volunteers a5 I"),
    ),
    "DK-38 in III and IV in their colour, and not under a dragon": case(
        state("a3 d3", III="a2 a9", IV="d9 d2", tokens="volunteers"),
        legal("volunteers", "volunteers a3 III"),
    ),
    "DK-39 no volunteers after a card on the tower": case(
        state("a5", I="d4 d8", tower="t1", tokens="volunteers", space="tower", placed=1),
        legal("volunteers", ""),
    ),
    "DK-39 nor with volunteers_counts: false": case(
        state("a5", I="d4 d8", tower="t1", tokens="volunteers", space="tower", placed=1),
        legal("volunteers", ""),
        FREE_VOLUNTEERS,
    ),
    "DK-40 in flight all tokens but overflight and volunteers": case(
        state("a5", I="d4 d8", III="a7", tokens=ALL_TOKENS, phase=Phase.FLIGHT, undead="II"),
        legal(
            "",
            "fly I; fly III; counter_order III druids; counter_order III paladins; "
            "counter_order III tribes; epidemic I 1; epidemic I 2; epidemic III 1; imprisoned; "
            "reinforcements",
        ),
    ),
    "no reinforcements from an empty camp": case(
        state(camp="", tokens="reinforcements"), legal("reinforcements", "")
    ),
    "DK-19 the camp is shown sorted, DK-51 heroes once": case(
        state(camp="t4 h a12 a2 h", phase=Phase.RECRUIT),
        legal("", "recruit a2; recruit a12; recruit h; recruit t4"),
    ),
    "DK-52 after an exchange a counter-order must leave a card that fits": case(
        state("a9 d10", III="a4", tokens="counter_order", space="III"),
        legal("counter_order", "counter_order III druids"),
    ),
    "DK-52 the undead dragon must keep away": case(
        state("a9 d10", III="a4", tokens="undead_dragon", space="III"),
        legal("undead_dragon", "undead_dragon I; undead_dragon II"),
    ),
    "DK-52 volunteers that do not count must leave a card that fits": case(
        state("a3 a9", I="d2 d8", III="a1 a7", tokens="volunteers", space="III"),
        legal("volunteers", "volunteers a3 III"),
        FREE_VOLUNTEERS,
    ),
    "DK-52 or fill the pile": case(
        state("a3 a1", III="a2 a4 a5 a6 a7", tokens="volunteers", space="III"),
        legal("volunteers", "volunteers a3 III"),
        FREE_VOLUNTEERS,
    ),
    "DK-53 exchanging and inserting under an overflown dragon": case(
        state(
            "a5 a6",
            IV="a9 h7 a2",
            II="a1",
            tokens="volunteers",
            space="IV",
            placed=1,
            overflight="red",
        ),
        legal(
            "exchange volunteers",
            "exchange a5 IV; exchange a6 IV; volunteers a5 IV; volunteers a6 IV",
        ),
    ),
    "DK-53 removing under one": case(
        state("a2", I="d3", II="t1", III="a3", IV="d1", tower="t1", overflight="red"),
        legal("remove IV", "remove a2 IV"),
    ),
    "DK-54 the second volunteer goes to the same army": case(
        state("a5 a6", I="d4 d8", II="t9 t2", space="I", placed=1, inserting="I"),
        legal("volunteers", "volunteers a5 I; volunteers a6 I"),
    ),
}


@pytest.mark.parametrize(("position", "expected", "rules"), LEGAL.values(), ids=LEGAL)
def test_legal_actions(position: State, expected: tuple[str, str], rules: DragonkrakRules) -> None:
    only, actions = expected
    spaces = SPACE_WORDS & set(only.split())
    kinds = set(only.split()) - spaces
    found = [text for text in said(position, rules) if not kinds or text.split()[0] in kinds]
    found = [text for text in found if not spaces or spaces & set(text.split())]
    assert "; ".join(found) == actions


TURNS: dict[str, Case] = {
    "a turn: cards on one army, the dragon flies, the hand is refilled": case(
        state("a5 a6 d9", I="t3"),
        after(
            "place a5 I; place a6 I; end; fly II",
            I="t3 a5 a6",
            red="II",
            hand0="d1 d2 d9",
            camp0="d3 d4",
            seat=1,
            turn=11,
        ),
    ),
    "a card on the tower gives it its colour": case(
        state("a5 a6"),
        after("place a5 tower", tower="a5", tower_colour="artisans", placed=1, space="tower"),
    ),
    "DK-01 a hero upon a 4 is 5": case(state("h", I="d4"), after("place h I 5", I="d4 h5")),
    "DK-02 a first hero in II is 12": case(state("h"), after("place h II 12", II="h12")),
    "DK-02 a declared one as it likes": case(state("h"), after("place h II 7", II="h7"), DECLARED),
    "DK-03 a hero leaves the colour open, the next troop settles it": case(
        state("h d5 t9"), after("place h III 1; place d5 III", III="h1 d5", III_colour="druids")
    ),
    "DK-10 an exchanged hero lies in the camp: no win": case(
        state("a5", camp="", I="d4 h5 t9", space="I", placed=1),
        after(
            "exchange a5 I; end; fly II",
            I="d4 a5 t9",
            hand0="h",
            camp0="",
            phase=Phase.TACTICS,
            seat=1,
        ),
    ),
    "DK-07 the exchanged hero goes under the camp, the troop need not have his value": case(
        state("a7 a9", I="d4 h5 t9", II="d10", space="I", placed=1),
        after("exchange a7 I", I="d4 a7 t9", camp="d1 d2 d3 d4 h", known=1, placed=1),
    ),
    "DK-08 an exchange does not count as placing": case(
        state("a7 a9", I="d4 h5"), after("exchange a7 I", placed=0, space="I")
    ),
    "a troop for a hero without colour settles it": case(
        state("a7 a9", III="h1"), after("exchange a7 III", III="a7", III_colour="artisans")
    ),
    "DK-11 six cards leave at once, a new pile may begin": case(
        state("a7 a2", I=FULL_BUT_ONE),
        after("place a7 I; place a2 I", I="a2", gone="a1 d2 p3 t4 d5 a7", placed=2),
    ),
    "DK-12 six on the tower: the colour is gone": case(
        state("a7 a2", tower="a1 a12 a5 a6 a3"),
        after("place a7 tower", tower="", tower_colour=None, gone="a1 a12 a5 a6 a3 a7", placed=1),
    ),
    "DK-13 a volunteer may be the sixth": case(
        state("a3 a2", I="a1 d4 p5 t6 d7", tokens="volunteers"),
        after("volunteers a3 I", I="", gone="a1 a3 d4 p5 t6 d7", placed=1, space="I", tokens=""),
    ),
    "DK-14 DK-15 the last card may be a sixth one and wins at once": case(
        state("a7", camp="", I=FULL_BUT_ONE),
        after("place a7 I", phase=Phase.OVER, gone="a1 d2 p3 t4 d5 a7", red="IV", turn=10),
    ),
    "DK-16 an empty hand is refilled": case(
        state("a7"), after("place a7 I; end; fly II", hand0="d1 d2 d3", camp0="d4")
    ),
    "DK-17 as far as the camp goes": case(
        state("a7 a8", camp="d1"), after("place a7 I; end; fly II", hand0="a8 d1", camp0="")
    ),
    "DK-17 and the turn goes on without a camp": case(
        state("a7 a8 a9", camp=""), after("place a7 I; end; fly II", hand0="a8 a9", seat=1)
    ),
    "DK-18 DK-20 as few as let the card in, first removed uppermost": case(
        state("a3", I="d2 p4 t9", II="t1", III="d9", tower="t1"),
        after("remove a3 I", I="d2 a3", camp="d1 d2 d3 d4 t9 p4", known=2, placed=1),
    ),
    "DK-18 the whole pile, if it must be": case(
        state("a3", I="t3", II="t1", III="d2 d4", tower="t1"),
        after("remove a3 III", III="a3", III_colour="artisans", camp="d1 d2 d3 d4 d4 d2"),
    ),
    "more cards may follow a removal": case(
        state("a3 a5", I="d2 p6", II="t1", III="d9", tower="t1"),
        after("remove a3 I; place a5 I", I="d2 a3 a5", placed=2),
    ),
    "DK-19 a recruited card leaves the camp's order as it is": case(
        state("a3", camp="t4 a12 a2 d1", tokens="reinforcements"),
        after(
            "reinforcements; recruit a2",
            camp="t4 a12 d1",
            hand="a2 a3",
            phase=Phase.TACTICS,
            tokens="",
        ),
    ),
    "a hand of four is not refilled": case(
        state("a3 a4 a5", camp="t4 a12", tokens="reinforcements"),
        after("reinforcements; recruit t4; place a3 I; end; fly II", hand0="a4 a5 t4", camp0="a12"),
    ),
    "DK-24 a removed hero goes under the camp": case(
        state("a3", I="d2 h7 t9", II="t1", III="d9", tower="t1"),
        after("remove a3 I", I="d2 a3", camp="d1 d2 d3 d4 t9 h"),
    ),
    "DK-24 with one seat it is no deserter": case(
        solo("a3", I="d2 h7 t9", II="t1", III="d9", tower="t1"),
        after("remove a3 I", I="d2 a3", deserters="t9", gone="h", camp="d1 d2 d3 d4"),
        SOLO,
    ),
    "DK-27 after the undead dragon came no card may follow there": case(
        state("a5 a6", tokens="undead_dragon", I="a1"),
        after("place a5 I; undead_dragon I", undead="I", undead_by=0, placed=1),
    ),
    "DK-30 the undead dragon leaves when its owner's turn begins": case(
        state(undead="I", undead_by=1, phase=Phase.FLIGHT),
        after("fly II", undead=None, undead_by=None, seat=1),
    ),
    "DK-30 not before": case(
        state(undead="I", undead_by=0, phase=Phase.FLIGHT),
        after("fly II", undead="I", undead_by=0, seat=1),
    ),
    "DK-30 the tower opens when its owner's turn begins": case(
        state(imprisoned_by=1, phase=Phase.FLIGHT), after("fly II", imprisoned_by=None)
    ),
    "DK-30 imprisoned closes it for its owner too": case(
        state(tokens="imprisoned"), after("imprisoned", imprisoned_by=0)
    ),
    "DK-31 overflight ends with tactics, and the dragon flies on": case(
        state("a5 a6", tokens="overflight", IV="a9"),
        after(
            "overflight red; place a5 IV; end",
            IV="a9 a5",
            overflight=None,
            red="IV",
            phase=Phase.FLIGHT,
        ),
    ),
    "DK-33 a counter-order holds for cards to come": case(
        state("d9", III="a3 a5", tokens="counter_order"),
        after("counter_order III druids; place d9 III", III="a3 a5 d9", III_colour="druids"),
    ),
    "DK-35 an epidemic takes the bottom cards": case(
        state(I="a3 d5 h6 t9", tokens="epidemic"), after("epidemic I 2", I="h6 t9", gone="a3 d5")
    ),
    "DK-36 volunteers settle the army and are enough for a turn": case(
        state("a5 a9", I="d4 d8", tokens="volunteers"),
        after("volunteers a5 I; end", I="d4 a5 d8", placed=1, space="I", phase=Phase.FLIGHT),
    ),
    "DK-36 with volunteers_counts: false they settle the army only": case(
        state("a5 a9", I="d4 d8", tokens="volunteers"),
        after("volunteers a5 I", I="d4 a5 d8", placed=0, space="I", phase=Phase.TACTICS),
        FREE_VOLUNTEERS,
    ),
    "DK-37 a hero is inserted at its value": case(
        state("h a9", II="d9 d8 d2", tokens="volunteers"),
        after("volunteers h II 7", II="d9 d8 h7 d2"),
    ),
    "DK-40 the turn goes on with the flight after a token there": case(
        state("a3", camp="t4 a2", tokens="reinforcements", phase=Phase.FLIGHT),
        after("reinforcements; recruit a2; fly I", hand0="a2 a3 t4", camp0="", seat=1),
    ),
    "DK-41 two tokens in one turn add up": case(
        state("d5 d9", IV="a9 a6", tokens="counter_order overflight"),
        after("overflight red; counter_order IV druids; place d5 IV", IV="a9 a6 d5", tokens=""),
    ),
    "DK-42 the game is broken off after turn 1000": case(
        state(turn=1000, phase=Phase.FLIGHT), after("fly II", phase=Phase.OVER, turn=1000, red="II")
    ),
    "DK-42 and not before": case(
        state(turn=999, phase=Phase.FLIGHT), after("fly II", phase=Phase.TACTICS, turn=1000)
    ),
    "DK-44 with one seat an exchanged hero goes under the camp": case(
        solo("a7 a9", I="d4 h5"), after("exchange a7 I", I="d4 a7", camp="d1 d2 d3 d4 h"), SOLO
    ),
    "with one seat the red dragon goes to the next army by itself": case(
        solo("a7 a9", red="II"),
        after("place a7 I; end", red="III", undead=None, phase=Phase.TACTICS, hand="a9 d1 d2"),
        SOLO,
    ),
    "from IV to I": case(solo("a7 a9", red="IV"), after("place a7 I; end", red="I"), SOLO),
    "with two dragons both go": case(
        solo("a7 a9", red="I", undead="IV"),
        after("place a7 II; end", red="II", undead="I"),
        TWO_DRAGONS,
    ),
    "DK-45 with one seat the game ends without cards": case(
        solo("a7", camp="", deserters="d1 d2"), after("place a7 II", phase=Phase.OVER), SOLO
    ),
    "DK-47 an army of a hero alone is emptied by a removal": case(
        state("a1", I="h1", III="a5", II="t1", tower="t1"),
        after("remove a1 I", I="a1", camp="d1 d2 d3 d4 h"),
    ),
    "DK-47 and by an epidemic": case(
        state(III="h1", tokens="epidemic"), after("epidemic III 1", III="", gone="h")
    ),
    "DK-49 a hero who is left alone has no colour, so nothing below is in the way": case(
        state("a3", III="h1 d5", II="t1", I="d12", tower="t1"),
        after("remove a3 III", III="h1 a3", III_colour="artisans", camp="d1 d2 d3 d4 d5"),
    ),
    "DK-49 unless a counter-order gave him one": case(
        state("a3", III="h1 d5", II="t1", I="d12", tower="t1", colours={"III": "druids"}),
        after("remove a3 III", III="a3", III_colour="artisans", camp="d1 d2 d3 d4 d5 h"),
    ),
    "DK-49 an epidemic that leaves a hero leaves no colour": case(
        state(III="a2 h3", tokens="epidemic"), after("epidemic III 1", III="h3", III_colour=None)
    ),
    "DK-49 a pile begins anew when it was empty, whatever was ordered": case(
        state("d9", III="a3", tokens="epidemic", colours={"III": "tribes"}),
        after("epidemic III 1; place d9 III", III="d9", III_colour="druids"),
    ),
    "DK-51 a card from the known bottom of the camp is known in the hand": case(
        state("a3", camp="t4 a2 d1", known=2, phase=Phase.RECRUIT),
        after("recruit d1", hand="a3 d1", shown0="d1", camp="t4 a2", known=1),
    ),
    "DK-51 of two heroes the uppermost is taken": case(
        state("a3", camp="t4 h a2 h", known=1, phase=Phase.RECRUIT),
        after("recruit h", shown0="", camp="t4 a2 h", known=1),
    ),
    "DK-54 two volunteers for one token": case(
        state("a5 a6 h", I="d4 d8", tokens="volunteers"),
        after("volunteers a5 I; volunteers a6 I", I="d4 a5 a6 d8", placed=2, tokens=""),
    ),
}


@pytest.mark.parametrize(("before", "then", "rules"), TURNS.values(), ids=TURNS)
def test_turns(before: State, then: tuple[str, dict[str, object]], rules: DragonkrakRules) -> None:
    moves, expected = then
    found = facts(play(rules, before, moves))
    assert {name: found[name] for name in expected} == expected


GONE = {
    "DK-54 another action gives up the second volunteer": (
        state("a5 a6 a9", I="d4 d8", tokens="volunteers"),
        "volunteers a5 I; place a9 I",
        "volunteers",
    ),
    "DK-54 there is no third": (
        state("a4 a5 a6", I="d3 d8", tokens="volunteers"),
        "volunteers a4 I; volunteers a5 I",
        "volunteers",
    ),
    "DK-13 none for a pile that is gone": (
        state("a3 a2", I="a1 d4 p5 t6 d7", tokens="volunteers"),
        "volunteers a3 I",
        "volunteers",
    ),
    "DK-27 no card under the new dragon": (
        state("a5 a9", I="a1", tokens="undead_dragon"),
        "place a5 I; undead_dragon I",
        "place",
    ),
    "DK-30 imprisoned stops its owner too": (
        state("a5 a9", tokens="imprisoned"),
        "imprisoned",
        "tower",
    ),
}


@pytest.mark.parametrize(("before", "moves", "gone"), GONE.values(), ids=GONE)
def test_what_is_no_longer_legal(before: State, moves: str, gone: str) -> None:
    left = said(play(NEAREST, before, moves))
    assert left
    assert [text for text in left if gone in text.split()] == []


def test_a_placement_comes_first_and_a_token_never() -> None:
    position = state("a5 h", tokens=ALL_TOKENS, I="a1 a4", III="a4")
    kinds = [text.split()[0] for text in said(position)]
    assert list(dict.fromkeys(kinds)) == ["place", *ALL_TOKENS.split()]
    assert said(play(NEAREST, position, "place a5 tower"))[0] == "end"


def test_the_setup() -> None:
    """DK-43 DK-48: a single seat has three cards as well; a 12 on army I stays."""
    position = dealt(SOLO, "h h d5")
    assert (position.phase, SOLO.to_act(position)) == (Phase.STARTER, CHANCE)
    begun = SOLO.apply(position, Starter(0))
    assert facts(begun)["hand"] == "d5 h h"
    assert (facts(begun)["red"], facts(begun)["undead"]) == ("I", None)
    assert [facts(begun)[army] for army in ("I", "II", "III", "IV")] == ["t12", "t1", "t2", "t3"]
    assert len(begun.sides[0].camp) == 45
    assert facts(begun)["tokens"] == ("counter_order epidemic overflight reinforcements volunteers")
    assert facts(TWO_DRAGONS.initial_state())["undead"] == "IV"


STARTERS = {
    "the highest sum begins": (("a12 a11 a1", "d12 d11 d2"), [1]),
    "DK-04 a hero counts 13": (("h a1 a2", "d12 d1 d2"), [0]),
    "DK-05 a tie is settled by chance": (("a4 a5 a6", "d4 d5 d6"), [0, 1]),
    "DK-05 a tie of some leaves out the others": (("a4 a5 a6", "d1 d2 d3", "p4 p5 p6"), [0, 2]),
}


@pytest.mark.parametrize(("openings", "possible"), STARTERS.values(), ids=STARTERS)
def test_who_begins(openings: tuple[str, ...], possible: list[int]) -> None:
    rules = dragonkrak(len(openings))
    position = replace(dealt(rules, *openings), phase=Phase.STARTER, seat=0)
    assert [s for s in range(4) if rules.is_chance_possible(position, Starter(s))] == possible
    drawn = {rules.chance(position, Luck(bytes([key]))) for key in range(30)}
    assert drawn == {Starter(seat) for seat in possible}
    begun = rules.apply(position, Starter(1))
    assert (begun.phase, begun.seat, begun.turn) == (Phase.TACTICS, 1, 1)


A1_TO_A4 = Muster(cards("a1 a2 a3 a4"))
REST = tuple(name for name in DECK if name != HERO and name not in A1_TO_A4.cards)
GOOD = (*REST[:22], HERO, HERO)
FIRST_TOKENS: Any = ("epidemic", "undead_dragon", "volunteers")
THREE = dragonkrak(3)
OPENED = NEAREST.apply(NEAREST.initial_state(), A1_TO_A4)
OPENED3 = THREE.apply(THREE.initial_state(), A1_TO_A4)
STRAY_DEALT = THREE.apply(OPENED3, Deal(0, (*REST[:14], HERO, HERO)))
WAITING = dealt(NEAREST, "a4 a5 a6", "d4 d5 d6")
SECOND = NEAREST.apply(WAITING, Tokens(0, FIRST_TOKENS))


@pytest.mark.parametrize(
    ("rules", "position", "possible", "others"),
    [
        (
            NEAREST,
            NEAREST.initial_state(),
            [Muster(cards("a1 d1 a2 a12"))],
            [Muster(cards("a1 d1 a2 a1")), Muster(cards("a1 d1 a2 h"))],
        ),
        (
            NEAREST,
            OPENED,
            [Deal(0, GOOD), Deal(0, GOOD[::-1])],
            [
                Muster(cards("a1 d1 a2 a12")),
                Deal(1, GOOD),
                Deal(0, GOOD[1:]),
                Deal(0, (*REST[:23], HERO)),
                Deal(0, (*REST[:21], HERO, HERO, HERO)),
                Deal(0, (*REST[:21], card("a1"), HERO, HERO)),
                Deal(0, (*REST[:21], REST[0], HERO, HERO)),
            ],
        ),
        (
            THREE,
            OPENED3,
            [Deal(0, (*REST[:15], HERO)), Deal(0, (*REST[:14], HERO, HERO))],
            [Deal(0, REST[:16])],
        ),
        (
            THREE,
            STRAY_DEALT,
            [Deal(1, (*REST[14:29], HERO))],
            [Deal(1, (*REST[14:28], HERO, HERO))],
        ),
        (
            NEAREST,
            WAITING,
            [Tokens(0, FIRST_TOKENS)],
            [
                Tokens(0, ("epidemic", "volunteers", "undead_dragon")),
                Tokens(0, ("epidemic", "imprisoned", "volunteers")),
                Tokens(0, ("epidemic", "undead_dragon", "undead_dragon")),
                Tokens(0, ("epidemic", "undead_dragon")),
                Starter(0),
            ],
        ),
        (
            NEAREST,
            SECOND,
            [Tokens(1, ("counter_order", "imprisoned", "undead_dragon"))],
            [Tokens(1, FIRST_TOKENS)],
        ),
        (
            dragonkrak(4),
            replace(dragonkrak(4).initial_state(), phase=Phase.TOKENS),
            [Tokens(0, ("undead_dragon", "undead_dragon"))],
            [Tokens(0, ("epidemic", "epidemic")), Tokens(0, FIRST_TOKENS)],
        ),
        (NEAREST, state(), [], [Starter(0), move("end")]),
    ],
)
def test_chance_that_is_possible(rules, position, possible, others) -> None:
    tried = [*possible, *others]
    assert [action for action in tried if rules.is_chance_possible(position, action)] == possible


@pytest.mark.parametrize(
    ("hands", "outcome"),
    [
        (("a1", "", "a2 a3"), Outcome((1, 0, 2), (2, 1, 3))),
        (("a1", "", "a2"), Outcome((1, 0, 1), (2, 1, 2))),
        (("a1 a2", "a3", "a4"), Outcome((2, 1, 1), (3, 1, 1), "DK-42")),
    ],
)
def test_places(hands: tuple[str, str, str], outcome: Outcome) -> None:
    """DK-42: fewest cards first, whether or not anybody has none."""
    position = state(hands[0], camp="", others=hands[1:], phase=Phase.OVER)
    bare = tuple(replace(side, camp=()) for side in position.sides)
    assert dragonkrak(3).outcome(replace(position, sides=bare)) == outcome
    assert NEAREST.to_act(position) == NOBODY


def test_a_game_that_is_broken_off_says_so() -> None:
    """DK-42."""
    position = play(NEAREST, state(turn=1000, phase=Phase.FLIGHT), "fly II")
    assert NEAREST.outcome(position) == Outcome((7, 6), (2, 1), "DK-42")


@pytest.mark.parametrize(
    ("deserters", "grade"),
    [(0, 1), (1, 2), (4, 2), (5, 3), (8, 3), (9, 4), (14, 4), (15, 5), (48, 5)],
)
def test_grades_of_a_game_of_one_seat(deserters: int, grade: int) -> None:
    assert grade_of(deserters) == GRADES[grade - 1]
    position = replace(solo("", camp="", phase=Phase.OVER), deserters=TROOPS[:deserters])
    assert SOLO.outcome(position) == Outcome((deserters,), (1,))


def test_data_is_refused() -> None:
    with pytest.raises(RulesError, match="expected no data") as caught:
        DragonkrakRules(2, NEAREST.spec.options, {"deck": {}})
    assert caught.value.path == ("data", "deck")
