"""Dragonrealm decision by decision: each row cites the ruling or the rule it shows."""

from __future__ import annotations

from typing import Any

import pytest

from arena.games.base import CHANCE, NOBODY
from arena.games.dragonrealm.rules.actions import (
    Academy,
    Buy,
    Dice,
    Discard,
    Draw,
    EndTurn,
    Explore,
    Keep,
    Pass,
    Play,
    Put,
    RemoveGoblins,
    Reroll,
    Rest,
    Shuffle,
    Starter,
    Use,
)
from arena.games.dragonrealm.rules.cards import DICE, TURNS_PER_SEAT
from arena.games.dragonrealm.rules.rules import DragonrealmRules
from arena.games.dragonrealm.rules.state import Attempt, RowLocation, State
from arena.games.luck import Luck
from arena.results import Outcome
from tests.games.dragonrealm.states import (
    ALLEY,
    FOUR,
    THREE,
    TWO,
    attempt,
    cards,
    dragonrealm,
    facts,
    place,
    short,
    state,
)

LUCK = Luck(b"")
DECK = Rest("deck")
MORE = Draw("deck")
FOUR_CARDS = "b1 b2 b3 b4"
NINE = "a1 a2 a3 a4 a5 a6 a7 a8 a9"


def dice(*faces: int) -> Dice:
    return Dice(faces)


def take(card: str) -> Draw:
    return Draw(cards(card)[0])


def pass_(text: str) -> Pass:
    return Pass(tuple(sorted(cards(text))))


def trying(way: Any, text: str, slot: int = 0, **more: Any) -> dict[str, Any]:
    """The dice of an Explore of the location in this slot are due."""
    todo = ("end", "resolve", "academy", "reroll", "dice")
    return {"todo": todo, "attempt": Attempt(slot, way, cards(text), **more)}


SWAMP = place("fire_swamp"), place("witch_cabin"), place("snake_pit")
DUNGEON = place("dungeon_of_despair"), place("witch_cabin"), place("snake_pit")
TWO_MORE = RowLocation("witch_cabin", (0, 0), 0), RowLocation("fire_swamp", (0, 0), 0)
LAST_TWO = place("dragon_rock"), place("witch_cabin")
THREE_SPACES = place("witch_cabin", 1, 1, goblins=1), place("snake_pit"), place("fire_swamp")

Row = tuple[str, DragonrealmRules, State, list[Any], dict[str, object]]

FLOW: list[Row] = [
    (
        "a Rest draws two cards from the deck, then the next seat has its turn",
        TWO,
        state(hands=("b1",), deck="e1 e2 e3"),
        [DECK, MORE],
        {"hands": ("b1 e1 e2", ""), "deck": "e3", "seat": 1, "turn": 11, "task": "turn"},
    ),
    (
        "a face-up card is replaced at once",
        TWO,
        state(hands=("b1",), deck="e1 e2 e3", face_up="c1 c2"),
        [Rest(cards("c2")[0])],
        {"hands": ("b1 c2", ""), "deck": "e2 e3", "face_up": "c1 e1", "task": "draw"},
    ),
    (
        "DR-37 the second card may be the one just revealed",
        TWO,
        state(deck="e1 e2 e3", face_up="c1 c2"),
        [Rest(cards("c1")[0]), take("e1")],
        {"hands": ("c1 e1", ""), "face_up": "e2 c2", "deck": "e3"},
    ),
    (
        "DR-04 over nine cards the seat discards, one at a time, at the end of its turn",
        TWO,
        state(hands=(NINE,), deck="e1 e2 e3"),
        [DECK, MORE, Discard(cards("a4")[0]), Discard(cards("e1")[0])],
        {"hands": ("a1 a2 a3 a5 a6 a7 a8 a9 e2", ""), "discards": "a4 e1", "seat": 1},
    ),
    (
        "DR-04 the limit is not checked before the end of the turn",
        TWO,
        state(hands=(NINE,), deck="e1 e2 e3"),
        [DECK],
        {"task": "draw", "hands": (NINE + " e1", "")},
    ),
    (
        "DR-05 the others keep nine cards through a rockslide and are not asked to discard",
        TWO,
        state(hands=("b1 b2", NINE), deck="rockslide:left e1 e2 e3"),
        [DECK, pass_("a1 a2"), MORE],
        {"hands": ("a1 a2 e1 e2", "a3 a4 a5 a6 a7 a8 a9 b1 b2"), "seat": 1, "task": "turn"},
    ),
    (
        "DR-06 an empty deck asks for a shuffle of the discards, event cards included",
        TWO,
        state(deck="", discards="e1 goblins:left e2"),
        [DECK],
        {"task": "reshuffle", "hands": ("", "")},
    ),
    (
        "DR-06 the drawing goes on after the shuffle",
        TWO,
        state(deck="", discards="e1 goblins:left e2"),
        [DECK, Shuffle("adventurers", cards("e2 goblins:left e1"))],
        {"hands": ("e2", ""), "deck": "goblins:left e1", "discards": "", "task": "draw"},
    ),
    (
        "DR-06 without deck and discards nothing is drawn",
        TWO,
        state(hands=("b1",), deck=""),
        [DECK, MORE],
        {"hands": ("b1", ""), "seat": 1, "task": "turn"},
    ),
    (
        "DR-07 each event card takes effect before it is replaced",
        TWO,
        state(deck="goblins:left goblins:middle goblins:right e1"),
        [DECK],
        {
            "row": (
                RowLocation("snake_pit", (0, 0), 1),
                RowLocation("witch_cabin", (0, 0), 1),
                RowLocation("fire_swamp", (0, 0), 1),
            ),
            "hands": ("e1", ""),
            "discards": "goblins:left goblins:middle goblins:right",
            "goblins": 3,
        },
    ),
    (
        "DR-07 a rockslide is over before its replacement is drawn",
        TWO,
        state(hands=("b1 b2 b3", "d1 d2 d3"), deck="rockslide:left e1"),
        [DECK],
        {"task": "pass:left:0", "deck": "e1", "discards": "rockslide:left"},
    ),
    (
        "a rockslide to the left passes two cards to the next seat",
        THREE,
        state(THREE, hands=("b1 b2 b3", "c1 c2 c3", "d1 d2 d3"), deck="rockslide:left e1 e2"),
        [DECK, pass_("b1 b3"), pass_("c2 c3"), pass_("d1 d2")],
        {"hands": ("b2 d1 d2 e1", "b1 b3 c1", "c2 c3 d3")},
    ),
    (
        "a rockslide to the right passes one card to the seat before",
        THREE,
        state(
            THREE, hands=("b1 b2", "c1 c2", "d1 d2"), seat=1, deck="rockslide:right e1 e2", turn=4
        ),
        [DECK, pass_("c1"), pass_("d2"), pass_("b1")],
        {"hands": ("b2 c1", "c2 d2 e1", "b1 d1")},
    ),
    (
        "DR-34 with two seats left and right are the same",
        TWO,
        state(hands=("b1 b2", "c1 c2"), deck="rockslide:right e1"),
        [DECK, pass_("b1"), pass_("c2")],
        {"hands": ("b2 c2 e1", "b1 c1")},
    ),
    (
        "DR-35 nothing moves before all have chosen",
        TWO,
        state(hands=("b1 b2", "c1 c2"), deck="rockslide:right e1"),
        [DECK, pass_("b1")],
        {"hands": ("b1 b2", "c1 c2"), "task": "pass:right:1"},
    ),
    (
        "who has no more cards than are passed is not asked, and what is missing is drawn",
        TWO,
        state(hands=("b1", "c1 c2 c3"), deck="rockslide:left e1 e2 e3"),
        [DECK, pass_("c1 c2")],
        {"hands": ("c1 c2 e2", "b1 c3 e1"), "deck": "e3"},
    ),
    (
        "DR-08 an event card drawn for what is missing waits until all is drawn",
        TWO,
        state(hands=("", ""), deck="rockslide:left e1 goblins:left e2 e3 e4 e5 e6"),
        [DECK],
        {
            "hands": ("e1 e2 e5", "e3 e4"),
            "row": (
                RowLocation("snake_pit", (0, 0), 1),
                RowLocation("witch_cabin", (0, 0), 0),
                RowLocation("fire_swamp", (0, 0), 0),
            ),
            "deck": "e6",
        },
    ),
    (
        "DR-08 waiting cards take effect in the order of drawing",
        TWO,
        state(hands=("", "c1 c2"), deck="rockslide:right rockslide:left goblins:left e1 e2 e3 e4"),
        [DECK, pass_("c1")],
        {
            "hands": ("c2 e1 e3", "c1 e2"),
            "discards": "rockslide:right rockslide:left goblins:left",
            "goblins": 5,
            "deck": "e4",
        },
    ),
    (
        "DR-10 a goblin completes a location: scored, replaced, and the drawing goes on",
        TWO,
        state(row=THREE_SPACES, hands=("b1", "c1"), deck="goblins:left e1 e2"),
        [DECK],
        {
            "hands": ("b1 e1", "c1"),
            "coins": (1, 1),
            "row": (
                RowLocation("magic_castle", (0, 0), 0),
                RowLocation("snake_pit", (0, 0), 0),
                RowLocation("fire_swamp", (0, 0), 0),
            ),
            "goblins": 6,
            "unclaimed": ("witch_cabin",),
            "supply": (8, 8),
            "task": "draw",
        },
    ),
    (
        "DR-11 without a goblin in the supply the card is only replaced",
        TWO,
        state(
            row=(
                place("snake_pit", goblins=4),
                place("witch_cabin", goblins=2),
                place("fire_swamp"),
            ),
            deck="goblins:right e1",
        ),
        [DECK],
        {
            "goblins": 0,
            "hands": ("e1", ""),
            "discards": "goblins:right",
            "row": (
                RowLocation("snake_pit", (0, 0), 4),
                RowLocation("witch_cabin", (0, 0), 2),
                RowLocation("fire_swamp", (0, 0), 0),
            ),
        },
    ),
    (
        "DR-12 left and right have no effect on a Dragon",
        TWO,
        state(row=LAST_TWO, locations="", deck="goblins:left e1"),
        [DECK],
        {
            "row": (RowLocation("dragon_rock", (0, 0), 0), RowLocation("witch_cabin", (0, 0), 0)),
            "goblins": 6,
        },
    ),
    (
        "with two locations the middle is the one without a Dragon",
        TWO,
        state(row=LAST_TWO, locations="", deck="goblins:middle e1"),
        [DECK],
        {"row": (RowLocation("dragon_rock", (0, 0), 0), RowLocation("witch_cabin", (0, 0), 1))},
    ),
    (
        "with two locations the middle may be the left one",
        TWO,
        state(row=LAST_TWO[::-1], locations="", deck="goblins:middle e1"),
        [DECK],
        {"row": (RowLocation("witch_cabin", (0, 0), 1), RowLocation("dragon_rock", (0, 0), 0))},
    ),
    (
        "DR-13 the middle of three has no effect on a Dragon",
        TWO,
        state(
            row=(place("snake_pit"), place("dragon_rock"), place("witch_cabin")),
            deck="goblins:middle e1",
        ),
        [DECK],
        {"goblins": 6, "hands": ("e1", "")},
    ),
    (
        "DR-14 goblins have no effect with the Dragon alone",
        TWO,
        state(
            row=(place("dragon_rock"),),
            locations="",
            deck="goblins:left goblins:middle goblins:right e1",
        ),
        [DECK],
        {"row": (RowLocation("dragon_rock", (0, 0), 0),), "goblins": 6, "hands": ("e1", "")},
    ),
    (
        "DR-15 without a new location the others close up",
        TWO,
        state(
            row=(place("witch_cabin", 3), place("snake_pit", 0, 1), place("dragon_rock")),
            locations="",
            **trying("search", "b4 c4"),
            hands=("b4 c4",),
        ),
        [dice(4, 4)],
        {"row": (RowLocation("snake_pit", (0, 1), 0), RowLocation("dragon_rock", (0, 0), 0))},
    ),
    (
        "DR-36 a revealed event card takes effect and is replaced",
        TWO,
        state(deck="goblins:right e1 e2", face_up="c1 c2"),
        [Rest(cards("c1")[0])],
        {"face_up": "e1 c2", "hands": ("c1", ""), "discards": "goblins:right", "goblins": 5},
    ),
    (
        "a success places, discards and draws",
        TWO,
        state(**trying("storm", "b2 b5 b9"), hands=("b2 b5 b9 d1",), deck="e1 e2"),
        [dice(1, 2, 3)],
        {
            "row": (
                RowLocation("snake_pit", (1, 0), 0),
                RowLocation("witch_cabin", (0, 0), 0),
                RowLocation("fire_swamp", (0, 0), 0),
            ),
            "hands": ("d1 e1", ""),
            "discards": "b2 b5 b9",
            "supply": (7, 8),
            "camp": (0, 0),
            "seat": 1,
            "attempt": None,
        },
    ),
    (
        "a failure takes the cards back and sends an adventurer to the camp",
        TWO,
        state(**trying("storm", "b2 b5"), hands=("b2 b5 d1",), deck="e1 e2"),
        [dice(1, 4)],
        {
            "hands": ("b2 b5 d1", ""),
            "discards": "",
            "supply": (7, 8),
            "camp": (1, 0),
            "deck": "e1 e2",
            "seat": 1,
        },
    ),
    (
        "DR-16 a golden ring asks for one or two",
        TWO,
        state(**trying("sneak", "b5 c6 d7"), hands=("b5 c6 d7",)),
        [dice(4, 2, 2)],
        {"task": "place"},
    ),
    (
        "DR-16 one is placed if that is chosen",
        TWO,
        state(**trying("sneak", "b5 c6 d7"), hands=("b5 c6 d7",)),
        [dice(4, 2, 2), Put(1)],
        {"supply": (7, 8), "seat": 1},
    ),
    (
        "DR-17 two are placed on one free space, and both count",
        TWO,
        state(
            row=(place("snake_pit", 1, 3), place("witch_cabin"), place("fire_swamp")),
            **trying("sneak", "b5 c6 d7"),
            hands=("b5 c6 d7",),
        ),
        [dice(4, 2, 2), Put(2)],
        {"coins": (5, 5), "won": ((), ()), "unclaimed": ("snake_pit",), "supply": (8, 8)},
    ),
    (
        "DR-18 without a supply nobody is placed, and it is still a success",
        TWO,
        state(**trying("storm", "b2 b5 b9"), hands=("b2 b5 b9",), camp=(8,), deck="e1"),
        [dice(2, 2, 2), Academy(0)],
        {"hands": ("e1", ""), "discards": "b2 b5 b9", "camp": (8, 0), "supply": (0, 8)},
    ),
    (
        "DR-18 those from the Academy can be placed",
        TWO,
        state(**trying("sneak", "b2 b3 b4"), hands=("b2 b3 b4",), camp=(8,), deck="e1"),
        [dice(3, 3, 2), Academy(2), Put(2)],
        {"camp": (6, 0), "supply": (0, 8), "hands": ("e1", "")},
    ),
    (
        "DR-18 a golden ring with one adventurer left places it unasked",
        TWO,
        state(**trying("sneak", "b2 b3 b4"), hands=("b2 b3 b4",), camp=(7,), deck="e1"),
        [dice(3, 3, 2), Academy(0)],
        {"camp": (7, 0), "supply": (0, 8), "seat": 1},
    ),
    (
        "DR-19 without a supply nobody is sent",
        TWO,
        state(**trying("storm", "b2"), hands=("b2",), camp=(8,)),
        [dice(1), Academy(0)],
        {"camp": (8, 0), "supply": (0, 8), "seat": 1},
    ),
    (
        "DR-20 each adventurer from the Academy adds one",
        TWO,
        state(**trying("storm", "b2 b5"), hands=("b2 b5",), camp=(3, 2), deck="e1"),
        [dice(2, 2), Academy(2)],
        {"camp": (1, 2), "supply": (6, 6), "hands": ("e1", "")},
    ),
    (
        "DR-20 too few add nothing and are back in the supply; the one just sent stays",
        TWO,
        state(**trying("storm", "b2 b5"), hands=("b2 b5",), camp=(3,), deck="e1"),
        [dice(2, 2), Academy(1)],
        {"camp": (3, 0), "supply": (5, 8), "hands": ("b2 b5", "")},
    ),
    (
        "DR-20 without anybody at the Academy there is no question",
        TWO,
        state(**trying("storm", "b2 b5"), hands=("b2 b5",)),
        [dice(2, 2)],
        {"seat": 1, "camp": (1, 0)},
    ),
    (
        "the Academy does not help in the Dungeon, and a failure sends nobody",
        TWO,
        state(row=DUNGEON, **trying("storm", "b2"), hands=("b2",), camp=(3,)),
        [dice(4)],
        {"camp": (3, 0), "supply": (5, 8), "seat": 1},
    ),
    (
        "DR-21 a failure in the Dungeon sends nobody to the Alley",
        ALLEY,
        state(ALLEY, row=DUNGEON, **trying("storm", "b2"), hands=("b2",)),
        [dice(4)],
        {"camp": (0, 0), "supply": (8, 8), "seat": 1},
    ),
    (
        "the Alley does not help a roll",
        ALLEY,
        state(ALLEY, **trying("storm", "b2"), hands=("b2",), camp=(3,)),
        [dice(4)],
        {"camp": (4, 0), "task": "turn", "seat": 1},
    ),
    (
        "DR-22 after a failure in the Fire Swamp any card goes",
        TWO,
        state(row=SWAMP, **trying("storm", "b2"), hands=("b2 d7",)),
        [dice(4), Discard(cards("d7")[0])],
        {"hands": ("b2", ""), "discards": "d7", "camp": (1, 0), "seat": 1},
    ),
    (
        "DR-22 the last card goes without a question",
        TWO,
        state(row=SWAMP, **trying("storm", "b2"), hands=("b2",)),
        [dice(4)],
        {"hands": ("", ""), "discards": "b2", "seat": 1},
    ),
    (
        "DR-22 Wings of Speed draws after the discard",
        TWO,
        state(
            row=SWAMP,
            **trying("storm", "b2"),
            hands=("b2 d7",),
            enhancements=("wings_of_speed",),
            shown=("wings_of_speed",),
            deck="e1 e2",
        ),
        [dice(4)],
        {"task": "discard", "deck": "e1 e2"},
    ),
    (
        "DR-22 Wings of Speed then draws",
        TWO,
        state(
            row=SWAMP,
            **trying("storm", "b2"),
            hands=("b2 d7",),
            enhancements=("wings_of_speed",),
            shown=("wings_of_speed",),
            deck="e1 e2",
        ),
        [dice(4), Discard(cards("b2")[0])],
        {"hands": ("d7 e1", ""), "deck": "e2", "seat": 1},
    ),
    (
        "a success in the Fire Swamp costs no card",
        TWO,
        state(row=SWAMP, **trying("search", "b2 c2"), hands=("b2 c2 d7",), deck="e1"),
        [dice(4, 1)],
        {"hands": ("d7 e1", ""), "seat": 1},
    ),
    (
        "DR-24 a one-time enhancement stays after a failure",
        TWO,
        state(
            **trying("sneak", "b2", used=("potion_invisible",)),
            hands=("b2",),
            enhancements=("potion_invisible lucky_socks",),
            shown=("potion_invisible",),
        ),
        [dice(3)],
        {
            "enhancements": ("lucky_socks potion_invisible", ""),
            "shown": ("potion_invisible", ""),
            "spent": (),
        },
    ),
    (
        "DR-24 DR-42 a success spends it, and it leaves the game",
        TWO,
        state(
            **trying("sneak", "b2", used=("potion_invisible",)),
            hands=("b2",),
            enhancements=("potion_invisible",),
            shown=("potion_invisible",),
            camp=(7,),
        ),
        [dice(4), Academy(0)],
        {"enhancements": ("", ""), "shown": ("", ""), "spent": ("potion_invisible",)},
    ),
    (
        "DR-25 all additions count",
        TWO,
        state(
            **trying("sneak", "b2", used=("potion_invisible",)),
            hands=("b2",),
            enhancements=("potion_invisible si_soft_boots si_master_cloak si_war_horn",),
            shown=("potion_invisible", "si_soft_boots", "si_master_cloak", "si_war_horn"),
        ),
        [dice(1)],
        {"task": "place"},
    ),
    (
        "DR-25 a total of one less fails: what helps another way does not count",
        TWO,
        state(
            **trying("sneak", "b2"),
            hands=("b2",),
            enhancements=("potion_invisible si_soft_boots si_master_cloak si_war_horn",),
            shown=("potion_invisible", "si_soft_boots", "si_master_cloak", "si_war_horn"),
        ),
        [dice(4)],
        {"camp": (1, 0)},
    ),
    (
        "DR-27 scored and replaced before the cards are discarded and one is drawn",
        TWO,
        state(
            row=(place("witch_cabin", 2, 1), place("snake_pit"), place("fire_swamp")),
            **trying("search", "b4 c4"),
            hands=("b4 c4",),
            deck="goblins:left e1",
        ),
        [dice(4, 4)],
        {
            "row": (
                RowLocation("magic_castle", (0, 0), 1),
                RowLocation("snake_pit", (0, 0), 0),
                RowLocation("fire_swamp", (0, 0), 0),
            ),
            "discards": "b4 c4 goblins:left",
            "hands": ("e1", ""),
            "coins": (4, 2),
            "won": (("witch_cabin",), ()),
        },
    ),
    (
        "DR-28 one action completes one location; the goblin drawn after it another",
        TWO,
        state(
            row=(
                place("witch_cabin", 2, 1),
                place("snake_pit", 0, 1, goblins=3),
                place("fire_swamp"),
            ),
            **trying("search", "b4 c4"),
            hands=("b4 c4",),
            deck="goblins:middle e1",
            locations="magic_castle crystal_mountain dragon_rock",
        ),
        [dice(4, 4)],
        {"coins": (4, 2 + 4), "unclaimed": ("snake_pit",), "hands": ("e1", "")},
    ),
    (
        "DR-29 the Dragon's completion ends the game at once: no discard, no card",
        TWO,
        state(
            row=(place("dragon_rock", 4, 1), place("witch_cabin", 0, 2, goblins=1)),
            locations="",
            **trying("search", "b4 c4 d4"),
            hands=("b4 c4 d4",),
            deck="e1",
        ),
        [dice(3, 3, 2)],
        {
            "task": "over",
            "hands": ("b4 c4 d4", ""),
            "deck": "e1",
            "coins": (12, 6 + 4),
            "won": (("dragon_rock",), ("witch_cabin",)),
            "row": (),
        },
    ),
    (
        "DR-38 exploring without adventurers cycles cards",
        TWO,
        state(
            row=(place("snake_pit", 4), place("dragon_rock", 4), place("fire_swamp")),
            hands=("b2 b5 b9",),
            deck="e1",
        ),
        [Explore("snake_pit", "storm"), Play(cards("b2 b5 b9")), dice(2, 2, 2)],
        {"hands": ("e1", ""), "supply": (0, 8), "seat": 1},
    ),
    (
        "an Explore asks for cards, then for the dice",
        TWO,
        state(hands=("b2 b5 b9",)),
        [Explore("snake_pit", "storm")],
        {"task": "cards", "attempt": Attempt(0, "storm")},
    ),
    (
        "DR-47 an addition is turned up before the cards are played and stays",
        TWO,
        state(hands=("b2 b5",), enhancements=("si_war_horn",), deck="e1"),
        [Explore("snake_pit", "storm"), Use("si_war_horn"), Play(cards("b2 b5")), dice(4, 1)],
        {"shown": ("si_war_horn", ""), "supply": (7, 8), "camp": (0, 0), "seat": 1},
    ),
    (
        "DR-47 a face-down addition does not count",
        TWO,
        state(hands=("b2 b5",), enhancements=("si_war_horn",)),
        [Explore("snake_pit", "storm"), Play(cards("b2 b5")), dice(4, 1), Reroll(())],
        {"shown": ("", ""), "camp": (1, 0)},
    ),
    (
        "DR-47 but it can be turned up after a roll that is too low, which it then lifts",
        TWO,
        state(hands=("b2 b5",), enhancements=("si_war_horn",), deck="e1"),
        [Explore("snake_pit", "storm"), Play(cards("b2 b5")), dice(4, 1), Use("si_war_horn")],
        {"shown": ("si_war_horn", ""), "supply": (7, 8), "camp": (0, 0), "hands": ("e1", "")},
    ),
    (
        "DR-47 whoever has any card face down is asked after a roll that is too low",
        TWO,
        state(**trying("storm", "b2 b5"), hands=("b2 b5",), enhancements=("si_old_map",)),
        [dice(4, 1)],
        {"task": "reroll", "camp": (0, 0)},
    ),
    (
        "DR-47 not if all lie face up and throw no dice again",
        TWO,
        state(
            **trying("storm", "b2 b5"),
            hands=("b2 b5",),
            enhancements=("si_spyglass",),
            shown=("si_spyglass",),
        ),
        [dice(4, 1)],
        {"task": "turn", "camp": (1, 0)},
    ),
    (
        "DR-47 nor after a roll that suffices",
        TWO,
        state(**trying("storm", "b2 b5"), hands=("b2 b5",), enhancements=("lucky_socks",)),
        [dice(4, 2)],
        {"task": "turn", "supply": (7, 8), "shown": ("", "")},
    ),
    (
        "DR-47 Lucky Socks can be turned up when the dice lie",
        TWO,
        state(**trying("storm", "b2 b5"), hands=("b2 b5",), enhancements=("lucky_socks",)),
        [dice(4, 1), Use("lucky_socks"), Reroll((1,)), dice(2)],
        {"supply": (7, 8), "camp": (0, 0), "shown": ("lucky_socks", "")},
    ),
    (
        "DR-47 and an addition after the second throw",
        TWO,
        state(
            **trying("storm", "b2 b5"), hands=("b2 b5",), enhancements=("lucky_socks si_war_horn",)
        ),
        [dice(3, 1), Use("lucky_socks"), Reroll((1,)), dice(2), Use("si_war_horn")],
        {"supply": (7, 8), "camp": (0, 0), "shown": ("lucky_socks si_war_horn", "")},
    ),
    (
        "DR-47 Wings of Speed can be turned up for the failure that comes",
        TWO,
        state(
            **trying("storm", "b2 b5"),
            hands=("b2 b5",),
            enhancements=("wings_of_speed",),
            deck="e1 e2",
        ),
        [dice(3, 1), Use("wings_of_speed")],
        {"camp": (1, 0), "hands": ("b2 b5 e1", ""), "seat": 1},
    ),
    (
        "DR-47 the Pet Chipmunk turned up during a Rest works on it",
        TWO,
        state(hands=("b1",), enhancements=("pet_chipmunk",), deck="e1 e2 e3 e4"),
        [DECK, Use("pet_chipmunk"), MORE, MORE, Discard(cards("b1")[0])],
        {"hands": ("e1 e2 e3", ""), "discards": "b1", "seat": 1},
    ),
    (
        "DR-47 and on every later Rest by itself",
        TWO,
        state(enhancements=("pet_chipmunk",), shown=("pet_chipmunk",), deck="e1 e2 e3 e4"),
        [DECK, MORE, MORE],
        {"hands": ("e1 e2 e3", ""), "task": "discard"},
    ),
    (
        "DR-47 Lucky Socks ask after the roll for dice to throw again",
        TWO,
        state(
            **trying("storm", "b2 b5"),
            hands=("b2 b5",),
            enhancements=("lucky_socks",),
            shown=("lucky_socks",),
            deck="e1",
        ),
        [dice(3, 1), Reroll((1,)), dice(3)],
        {"supply": (7, 8), "camp": (0, 0), "hands": ("e1", "")},
    ),
    (
        "Lucky Socks may leave the dice",
        TWO,
        state(
            **trying("storm", "b2 b5"),
            hands=("b2 b5",),
            enhancements=("lucky_socks",),
            shown=("lucky_socks",),
        ),
        [dice(3, 1), Reroll(())],
        {"camp": (1, 0), "seat": 1},
    ),
    (
        "DR-48 a goblin leaves at a success, before adventurers are placed",
        TWO,
        state(
            row=(place("witch_cabin", 1, 1, goblins=1), place("snake_pit"), place("fire_swamp")),
            **trying("search", "b4 c4", used=("si_goblin_bait",)),
            hands=("b4 c4",),
            enhancements=("si_goblin_bait",),
            shown=("si_goblin_bait",),
        ),
        [dice(4, 4)],
        {
            "row": (
                RowLocation("witch_cabin", (2, 1), 0),
                RowLocation("snake_pit", (0, 0), 0),
                RowLocation("fire_swamp", (0, 0), 0),
            ),
            "goblins": 6,
            "spent": ("si_goblin_bait",),
        },
    ),
    (
        "DR-48 not at a failure",
        TWO,
        state(
            row=(place("witch_cabin", 1, 1, goblins=1), place("snake_pit"), place("fire_swamp")),
            **trying("search", "b4 c4", used=("si_goblin_bait",)),
            hands=("b4 c4",),
            enhancements=("si_goblin_bait",),
            shown=("si_goblin_bait",),
        ),
        [dice(1, 1)],
        {"goblins": 5, "spent": (), "enhancements": ("si_goblin_bait", "")},
    ),
    (
        "an enhancement of level 1 costs two adventurers and a card",
        ALLEY,
        state(
            ALLEY,
            hands=("b1 b2",),
            camp=(3,),
            enhancement_deck="si_war_horn fireball_spell lucky_socks",
        ),
        [Buy(1, cards("b1")[0])],
        {
            "enhancements": ("si_war_horn", ""),
            "enhancement_deck": "fireball_spell lucky_socks",
            "camp": (1, 0),
            "supply": (7, 8),
            "hands": ("b2", ""),
            "discards": "b1",
            "task": "turn",
        },
    ),
    (
        "DR-39 an enhancement of level 2 costs two coins; the skipped cards are shuffled back",
        ALLEY,
        state(
            ALLEY,
            hands=("b1",),
            camp=(2,),
            coins=(5,),
            enhancement_deck="si_war_horn fireball_spell lucky_socks",
        ),
        [Buy(2)],
        {
            "enhancements": ("fireball_spell", ""),
            "enhancement_deck": "si_war_horn lucky_socks",
            "coins": (3, 0),
            "camp": (0, 0),
            "task": "reshuffle_enhancements",
        },
    ),
    (
        "DR-40 DR-41 the adventurer that just failed can pay; the roll stays as it was",
        ALLEY,
        state(
            ALLEY,
            **trying("storm", "b2 b5"),
            hands=("b2 b5",),
            camp=(1,),
            enhancement_deck="si_war_horn",
        ),
        [dice(4, 1), Buy(1, cards("b2")[0])],
        {"enhancements": ("si_war_horn", ""), "camp": (0, 0), "seat": 1, "hands": ("b5", "")},
    ),
    (
        "DR-49 after the turn's action the seat is asked, until it ends its turn",
        ALLEY,
        state(ALLEY, hands=("b1",), camp=(2,), enhancement_deck="si_war_horn", deck="e1 e2 e3"),
        [DECK, MORE],
        {"task": "end", "seat": 0},
    ),
    (
        "DR-49 ending the turn",
        ALLEY,
        state(ALLEY, hands=("b1",), camp=(2,), enhancement_deck="si_war_horn", deck="e1 e2 e3"),
        [DECK, MORE, EndTurn()],
        {"task": "turn", "seat": 1},
    ),
    (
        "DR-49 after a success, so that who comes back from the Alley can be placed",
        ALLEY,
        state(
            ALLEY,
            **trying("sneak", "b2 b3"),
            hands=("b2 b3 c9",),
            camp=(2,),
            supply=(0,),
            enhancement_deck="si_war_horn",
            deck="e1",
        ),
        [dice(4, 4), Buy(1, cards("c9")[0]), Put(2)],
        {"row": (RowLocation("snake_pit", (2, 0), 0), *TWO_MORE), "supply": (0, 8), "camp": (0, 0)},
    ),
    (
        "DR-49 nobody has to be bought back",
        ALLEY,
        state(
            ALLEY,
            **trying("sneak", "b2 b3"),
            hands=("b2 b3 c9",),
            camp=(2,),
            supply=(0,),
            enhancement_deck="si_war_horn",
            deck="e1",
        ),
        [dice(4, 4), Put(0)],
        {
            "row": (RowLocation("snake_pit", (0, 0), 0), *TWO_MORE),
            "task": "end",
            "hands": ("c9 e1", ""),
        },
    ),
    (
        "DR-49 between the cards of a Rest, after which the Rest goes on",
        ALLEY,
        state(ALLEY, hands=("b1",), camp=(2,), enhancement_deck="si_war_horn", deck="e1 e2 e3"),
        [DECK, Buy(1, cards("e1")[0])],
        {"task": "draw", "seat": 0, "hands": ("b1", ""), "enhancements": ("si_war_horn", "")},
    ),
    (
        "DR-46 the last turn ends the game and scores what is there, the Dragon too",
        TWO,
        state(
            row=(place("dragon_rock", 2, 1), place("snake_pit", 0, 1, goblins=1)),
            locations="",
            turn=2 * TURNS_PER_SEAT,
            seat=1,
            deck="e1 e2 e3",
        ),
        [DECK, MORE],
        {
            "task": "over",
            "ruling": "DR-46",
            "coins": (12, 6 + 5),
            "won": (("dragon_rock",), ("snake_pit",)),
        },
    ),
    (
        "DR-46 the turn before does not",
        TWO,
        state(turn=2 * TURNS_PER_SEAT - 1, deck="e1 e2 e3"),
        [DECK, MORE],
        {"task": "turn", "turn": 2 * TURNS_PER_SEAT, "seat": 1},
    ),
    (
        "DR-50 nobody can place or buy, and goblins can free nobody",
        ALLEY,
        state(
            ALLEY,
            row=(place("dragon_rock", 2, 1), place("snake_pit", goblins=1)),
            locations="",
            camp=(6, 7),
            deck="e1 e2 e3",
        ),
        [DECK, MORE],
        {"task": "over", "ruling": "DR-50", "coins": (12, 6), "won": (("dragon_rock",), ())},
    ),
    (
        "DR-50 not while a goblin may complete a location with adventurers",
        ALLEY,
        state(
            ALLEY,
            row=(place("dragon_rock", 1, 1), place("snake_pit", 1, goblins=1)),
            locations="",
            camp=(6, 7),
            deck="e1 e2 e3",
        ),
        [DECK, MORE],
        {"task": "turn", "seat": 1},
    ),
    (
        "DR-50 not while somebody can buy",
        ALLEY,
        state(
            ALLEY,
            row=(place("dragon_rock", 2, 1),),
            locations="",
            camp=(6, 7),
            hands=("", "b1"),
            enhancement_deck="lucky_socks",
            deck="e1 e2 e3",
        ),
        [DECK, MORE, EndTurn()],
        {"task": "turn", "seat": 1},
    ),
    (
        "DR-50 cards of level 2 that nobody can pay keep no game alive",
        ALLEY,
        state(
            ALLEY,
            row=(place("dragon_rock", 2, 1),),
            locations="",
            camp=(6, 7),
            coins=(1, 1),
            enhancement_deck="fireball_spell",
            deck="e1 e2 e3",
        ),
        [DECK, MORE],
        {"task": "over", "coins": (13, 7)},
    ),
]


@pytest.mark.parametrize(
    ("rules", "before", "actions", "expected"), [row[1:] for row in FLOW], ids=[r[0] for r in FLOW]
)
def test_flow(
    rules: DragonrealmRules, before: State, actions: list[Any], expected: dict[str, object]
) -> None:
    after = facts(_apply(rules, before, *actions))
    assert {name: after[name] for name in expected} == expected


CAVE = (place("cave_of_bats", 0, 1, 1), place("snake_pit"), place("dragon_rock"))
CARDS_OF = {"todo": ("end", "cards")}

LEGAL: list[tuple[str, DragonrealmRules, State, list[str]]] = [
    (
        "DR-01 DR-02 DR-03 sneak: consecutive numbers of any suits",
        TWO,
        state(hands=("b1 b3 c2 d12",), **CARDS_OF, attempt=Attempt(0, "sneak")),
        ["b1", "b3", "c2", "d12", "b1 c2", "b3 c2", "b1 b3 c2"],
    ),
    (
        "DR-03 no number comes twice in a run",
        TWO,
        state(hands=("b1 c1 d2",), **CARDS_OF, attempt=Attempt(0, "sneak")),
        ["b1", "c1", "d2", "b1 d2", "c1 d2"],
    ),
    (
        "DR-01 DR-02 search: equal numbers",
        TWO,
        state(hands=("b1 c1 d1 d2",), **CARDS_OF, attempt=Attempt(0, "search")),
        ["b1", "c1", "d1", "d2", "b1 c1", "b1 d1", "c1 d1", "b1 c1 d1"],
    ),
    (
        "DR-01 DR-02 storm: one suit",
        TWO,
        state(hands=("b1 b7 b9 c1",), **CARDS_OF, attempt=Attempt(0, "storm")),
        ["b1", "b7", "b9", "c1", "b1 b7", "b1 b9", "b7 b9", "b1 b7 b9"],
    ),
    (
        "resting comes first, then every location in every way",
        TWO,
        state(hands=("b1",)),
        ["rest deck", "rest c11", "rest c12"]
        + [
            f"{name} {way}"
            for name in ("snake_pit", "witch_cabin", "fire_swamp")
            for way in ("sneak", "search", "storm")
        ],
    ),
    ("without a card there is no Explore", TWO, state(), ["rest deck", "rest c11", "rest c12"]),
    (
        "DR-23 no third seat explores the Cave of Bats",
        THREE,
        state(THREE, row=CAVE, hands=("b1",)),
        ["rest deck", "rest c11", "rest c12"]
        + [f"{n} {w}" for n in ("snake_pit", "dragon_rock") for w in ("sneak", "search", "storm")],
    ),
    (
        "DR-23 a seat that is there may, and goblins do not count",
        THREE,
        state(THREE, row=(place("cave_of_bats", 0, 1, 1, goblins=1),), hands=("", "b1"), seat=1),
        ["rest deck", "rest c11", "rest c12"]
        + [f"cave_of_bats {way}" for way in ("sneak", "search", "storm")],
    ),
    (
        "DR-23 one other seat leaves room",
        THREE,
        state(THREE, row=(place("cave_of_bats", 0, 1, 0, goblins=1),), hands=("b1",)),
        ["rest deck", "rest c11", "rest c12"]
        + [f"cave_of_bats {way}" for way in ("sneak", "search", "storm")],
    ),
    (
        "DR-45 DR-38 no chance and no adventurer are no bar",
        TWO,
        state(row=(place("dragon_rock", 4),), camp=(4,), hands=("b1",)),
        ["rest deck", "rest c11", "rest c12"]
        + [f"dragon_rock {way}" for way in ("sneak", "search", "storm")],
    ),
    (
        "DR-47 enhancements that fit the way can be used; one card is asked for all the same",
        TWO,
        state(
            hands=("b1",),
            **CARDS_OF,
            attempt=Attempt(0, "storm"),
            enhancements=("si_war_horn si_soft_boots fireball_spell lucky_socks sapphire_pendant",),
        ),
        ["b1", "use fireball_spell", "use lucky_socks", "use si_war_horn"],
    ),
    (
        "DR-24 a one-time enhancement can be declared again, once; a lasting one works already",
        TWO,
        state(
            hands=("b1",),
            **CARDS_OF,
            attempt=Attempt(0, "storm"),
            enhancements=("si_war_horn fireball_spell",),
            shown=("si_war_horn", "fireball_spell"),
        ),
        ["b1", "use fireball_spell"],
    ),
    (
        "DR-48 the bait needs a goblin",
        TWO,
        state(
            row=(place("snake_pit", goblins=1), place("witch_cabin"), place("fire_swamp")),
            hands=("b1",),
            **CARDS_OF,
            attempt=Attempt(0, "storm"),
            enhancements=("si_goblin_bait",),
        ),
        ["b1", "use si_goblin_bait"],
    ),
    (
        "DR-48 and is of no use without one",
        TWO,
        state(
            hands=("b1",),
            **CARDS_OF,
            attempt=Attempt(0, "storm"),
            enhancements=("si_goblin_bait",),
        ),
        ["b1"],
    ),
    (
        "DR-26 nothing is used in the turn of another seat",
        TWO,
        state(
            hands=("", "b1 b2"),
            todo=("end", "draw", "slide:right", "pass:right:1"),
            enhancements=("", "pet_chipmunk wings_of_speed"),
        ),
        ["pass b1", "pass b2"],
    ),
    (
        "a second card comes from the deck or face up",
        TWO,
        state(todo=("end", "draw")),
        ["draw deck", "draw c11", "draw c12"],
    ),
    (
        "DR-47 what works on a Rest can be turned up before its last card",
        TWO,
        state(todo=("end", "draw"), enhancements=("pet_chipmunk lucky_socks",)),
        ["draw deck", "draw c11", "draw c12", "use pet_chipmunk"],
    ),
    (
        "any dice that the enhancements allow, or none",
        TWO,
        state(
            **attempt("snake_pit", "storm", "b1 b2 b3", (1, 1, 4))
            | {"todo": ("end", "resolve", "academy", "reroll")},
            hands=("b1 b2 b3",),
            enhancements=("lucky_socks",),
            shown=("lucky_socks",),
        ),
        ["reroll ", "reroll 1", "reroll 4"],
    ),
    (
        "DR-47 after the roll lasting enhancements that fit, no one-time ones",
        TWO,
        state(
            **attempt("snake_pit", "storm", "b1 b2", (1, 4))
            | {"todo": ("end", "resolve", "academy", "reroll")},
            hands=("b1 b2",),
            enhancements=(
                "fireball_spell lucky_socks pet_chipmunk sapphire_pendant si_spyglass si_war_horn "
                "wings_of_speed",
            ),
        ),
        ["reroll ", "use lucky_socks", "use si_war_horn", "use wings_of_speed"],
    ),
    (
        "DR-49 what was played pays nothing before adventurers are placed",
        ALLEY,
        state(
            ALLEY,
            **attempt("snake_pit", "storm", "b1 b2", (4, 4)) | {"todo": ("end", "place")},
            hands=("b1 b2 b3",),
            camp=(2,),
            coins=(2,),
            enhancement_deck="lucky_socks fireball_spell",
        ),
        ["place 1", "buy 1 b3", "buy 2"],
    ),
    (
        "DR-20 any number from the Academy",
        TWO,
        state(
            **attempt("snake_pit", "storm", "b1", (1,)) | {"todo": ("end", "resolve", "academy")},
            hands=("b1",),
            camp=(3,),
        ),
        ["academy 0", "academy 1", "academy 2", "academy 3"],
    ),
    (
        "DR-35 a rockslide asks for any cards of the own hand",
        TWO,
        state(hands=("", "b1 b2 b3"), todo=("end", "draw", "slide:left", "pass:left:1")),
        ["pass b1 b2", "pass b1 b3", "pass b2 b3"],
    ),
    (
        "level 1 for any card, level 2 for coins",
        ALLEY,
        state(
            ALLEY,
            row=(),
            hands=("b1 b2",),
            camp=(2,),
            coins=(2,),
            enhancement_deck="lucky_socks fireball_spell",
        ),
        ["rest deck", "rest c11", "rest c12", "buy 1 b1", "buy 1 b2", "buy 2"],
    ),
    (
        "DR-39 coins of enhancements pay nothing",
        ALLEY,
        state(
            ALLEY,
            todo=("end", "draw"),
            camp=(2,),
            coins=(1,),
            enhancements=("sapphire_pendant",),
            enhancement_deck="lucky_socks fireball_spell",
        ),
        ["draw deck", "draw c11", "draw c12"],
    ),
    (
        "DR-42 a level without cards cannot be bought",
        ALLEY,
        state(ALLEY, row=(), hands=("b1",), camp=(2,), coins=(9,), enhancement_deck="lucky_socks"),
        ["rest deck", "rest c11", "rest c12", "buy 1 b1"],
    ),
    (
        "one adventurer at the Alley pays nothing",
        ALLEY,
        state(ALLEY, row=(), hands=("b1",), camp=(1,), coins=(9,), enhancement_deck="lucky_socks"),
        ["rest deck", "rest c11", "rest c12"],
    ),
]


@pytest.mark.parametrize(
    ("rules", "position", "expected"), [row[1:] for row in LEGAL], ids=[row[0] for row in LEGAL]
)
def test_legal_actions(rules: DragonrealmRules, position: State, expected: list[str]) -> None:
    assert [_words(action) for action in rules.legal_actions(position)] == expected


def _words(action: Any) -> str:
    match action:
        case Play(played):
            return short(played)
        case Rest(source):
            return f"rest {source if source == 'deck' else short([source])}"
        case Draw(source):
            return f"draw {source if source == 'deck' else short([source])}"
        case Explore(location, way):
            return f"{location} {way}"
        case Use(name):
            return f"use {name}"
        case Pass(passed):
            return f"pass {short(passed)}"
        case Reroll(faces):
            return f"reroll {' '.join(map(str, faces))}"
        case Academy(count):
            return f"academy {count}"
        case Put(count):
            return f"place {count}"
        case Buy(level, card):
            return f"buy {level}" + (f" {short([card])}" if card else "")
        case _:
            raise AssertionError(action)


def test_nine_cards_of_a_suit_give_the_longest_list() -> None:
    """DR-25: never more than six dice, so never more than six cards."""
    legal = TWO.legal_actions(state(hands=(NINE,), **CARDS_OF, attempt=Attempt(0, "storm")))
    assert len(legal) == 465
    assert max(len(action.cards) for action in legal) == DICE


@pytest.mark.parametrize(
    ("offered", "choices"),
    [
        (
            ("lucky_socks", "pet_chipmunk", "si_old_map"),
            ["lucky_socks pet_chipmunk", "lucky_socks si_old_map", "pet_chipmunk si_old_map"],
        ),
        (
            ("fireball_spell", "lucky_socks", "pet_chipmunk"),
            ["lucky_socks pet_chipmunk", "fireball_spell"],
        ),
        (
            ("fireball_spell", "lucky_socks", "si_vanguard"),
            ["fireball_spell", "si_vanguard"],
        ),
        (
            ("fireball_spell", "si_dragon_idol", "si_vanguard"),
            ["fireball_spell", "si_dragon_idol", "si_vanguard"],
        ),
    ],
)
def test_two_of_level_1_or_one_of_level_2_are_kept(
    offered: tuple[str, ...], choices: list[str]
) -> None:
    position = state(todo=("turn", "deal", "keep:1", "keep:0"))
    first = position.sides[0]._replace(offered=offered)
    legal = TWO.legal_actions(position._replace(sides=(first, position.sides[1])))
    assert [" ".join(action.enhancements) for action in legal] == choices


LOCATIONS_TWO = ("snake_pit", "witch_cabin", "magic_castle", "fire_swamp", "slimy_tunnels")
LOCATIONS_THREE = ("halfling_hideout", *LOCATIONS_TWO)
NAMES = tuple(sorted(TWO.box.enhancements))


def setup(rules: DragonrealmRules, *actions: Any) -> State:
    return _apply(rules, rules.initial_state(), *actions)


def test_a_setup_of_two() -> None:
    """The rest of the enhancements goes to the bottom in the order of the seats."""
    offered = ("lucky_socks", "pet_chipmunk", "si_old_map", "fireball_spell", "si_war_horn")
    order = (*offered, *(name for name in NAMES if name not in offered))
    dealt = setup(
        TWO,
        Shuffle("locations", (*LOCATIONS_TWO, "dragon_rock")),
        Shuffle("enhancements", order),
        Keep(("lucky_socks", "si_old_map")),
        Keep(("fireball_spell",)),
        Shuffle("adventurers", TWO.box.numbers + TWO.box.events),
        Starter(1),
    )
    assert [p.location for p in dealt.row] == ["snake_pit", "witch_cabin", "magic_castle"]
    assert dealt.locations == ("fire_swamp", "slimy_tunnels", "dragon_rock")
    assert facts(dealt)["hands"] == ("a1 a2 a3 a4 a5", "a6 a7 a8 a9 a10")
    assert facts(dealt)["face_up"] == "a11 a12"
    assert dealt.enhancements[-3:] == ("pet_chipmunk", order[5], "si_war_horn")
    assert (dealt.seat, dealt.turn, dealt.todo) == (1, 1, ("turn",))


@pytest.mark.parametrize(
    ("rules", "to_act"), [(dragonrealm(3), CHANCE), (dragonrealm(3, starter="seat_0"), 0)]
)
def test_who_begins(rules: DragonrealmRules, to_act: int) -> None:
    position = rules.initial_state()
    while rules.to_act(position) == CHANCE or position.todo[-1].startswith("keep"):
        if position.todo[-1] == "starter":
            break
        chance = rules.to_act(position) == CHANCE
        action = rules.chance(position, LUCK) if chance else rules.legal_actions(position)[0]
        position = rules.apply(position, action)
    assert rules.to_act(position) == to_act


def test_four_seats_play_without_two_goblin_cards() -> None:
    """DR-44: there are two of each kind before."""
    assert [FOUR.box.events.count(f"goblins:{p}") for p in ("left", "middle", "right")] == [2, 2, 2]
    position = state(FOUR, todo=("turn", "deal", "goblins"), face_up="", deck="")
    removed = FOUR.apply(position, FOUR.chance(position, LUCK))
    assert len(removed.removed) == 2
    dealt = FOUR.chance(removed, LUCK)
    assert isinstance(dealt, Shuffle)
    assert len(dealt.cards) == 66


DEALT = tuple(sorted(TWO.box.numbers)) + TWO.box.events
SETUP = {"face_up": "", "deck": "", "row": ()}
DEAL = state(todo=("turn", "deal"), **SETUP)
DICE_DUE = state(**trying("storm", "b1 b2"), hands=("b1 b2",))
REROLLED = state(**trying("storm", "b1 b2", dice=(4,)), hands=("b1 b2",))
GOBLINS_DUE = state(FOUR, todo=("turn", "deal", "goblins"), **SETUP)
BY_LEVEL = dragonrealm(2, enhancement_deal="by_level")
OFFERS = (
    "lucky_socks",
    "si_old_map",
    "si_vanguard",
    "si_war_horn",
    "si_spyglass",
    "si_royal_purse",
)
LEVEL_ORDER = (*OFFERS, *(name for name in NAMES if name not in OFFERS))


@pytest.mark.parametrize(
    ("rules", "position", "action", "possible"),
    [
        (TWO, TWO.initial_state(), Shuffle("locations", (*LOCATIONS_TWO, "dragon_rock")), True),
        (TWO, TWO.initial_state(), Shuffle("locations", (*LOCATIONS_TWO, "fire_swamp")), False),
        (TWO, TWO.initial_state(), Shuffle("locations", LOCATIONS_TWO), False),
        (TWO, TWO.initial_state(), Shuffle("enhancements", NAMES), False),
        (
            THREE,
            THREE.initial_state(),
            Shuffle("locations", (*LOCATIONS_THREE, "dragon_rock")),
            True,
        ),
        (
            THREE,
            THREE.initial_state(),
            Shuffle("locations", (*LOCATIONS_TWO, "dragon_rock")),
            False,
        ),
        (TWO, state(todo=("enhancements",)), Shuffle("enhancements", NAMES), True),
        (TWO, state(todo=("enhancements",)), Shuffle("enhancements", NAMES[1:]), False),
        (BY_LEVEL, state(todo=("enhancements",)), Shuffle("enhancements", LEVEL_ORDER), True),
        (BY_LEVEL, state(todo=("enhancements",)), Shuffle("enhancements", NAMES), False),
        (TWO, DEAL, Shuffle("adventurers", DEALT), True),
        (TWO, DEAL, Shuffle("adventurers", DEALT[::-1]), False),
        (TWO, DEAL, Shuffle("adventurers", DEALT[1:]), False),
        (TWO, DEAL, Shuffle("enhancements", NAMES), False),
        (
            TWO,
            state(todo=("turn", "reshuffle"), deck="", discards="b1 b2"),
            Shuffle("adventurers", cards("b2 b1")),
            True,
        ),
        (
            TWO,
            state(todo=("turn", "reshuffle"), deck="", discards="b1 b2"),
            Shuffle("adventurers", cards("b2 b3")),
            False,
        ),
        (
            ALLEY,
            state(ALLEY, todo=("turn", "reshuffle_enhancements"), enhancement_deck="lucky_socks"),
            Shuffle("enhancements", ("lucky_socks",)),
            True,
        ),
        (
            ALLEY,
            state(ALLEY, todo=("turn", "reshuffle_enhancements"), enhancement_deck="lucky_socks"),
            Shuffle("enhancements", ("si_old_map",)),
            False,
        ),
        (FOUR, GOBLINS_DUE, RemoveGoblins(("goblins:left", "goblins:left")), True),
        (FOUR, GOBLINS_DUE, RemoveGoblins(("goblins:left",)), False),
        (FOUR, GOBLINS_DUE, RemoveGoblins(("goblins:left", "rockslide:left")), False),
        (FOUR, GOBLINS_DUE, RemoveGoblins(("goblins:left",) * 3), False),
        (TWO, state(todo=("turn", "starter")), Starter(1), True),
        (TWO, state(todo=("turn", "starter")), Starter(2), False),
        (TWO, DICE_DUE, dice(1, 4), True),
        (TWO, DICE_DUE, dice(1), False),
        (TWO, DICE_DUE, dice(1, 5), False),
        (TWO, DICE_DUE, Starter(0), False),
        (TWO, REROLLED, dice(3), True),
        (TWO, REROLLED, dice(3, 3), False),
        (TWO, state(), dice(1), False),
        (TWO, state(), DECK, False),
    ],
)
def test_chance_that_is_possible(
    rules: DragonrealmRules, position: State, action: Any, possible: bool
) -> None:
    assert rules.is_chance_possible(position, action) is possible


def test_the_dice_of_a_seat_do_not_depend_on_other_seats() -> None:
    one = TWO.chance(DICE_DUE, LUCK)
    other = DICE_DUE.sides[1]._replace(thrown=17)
    busy = DICE_DUE._replace(sides=(DICE_DUE.sides[0], other), turn=31)
    assert TWO.chance(busy, LUCK) == one
    own = DICE_DUE._replace(sides=(DICE_DUE.sides[0]._replace(thrown=1), DICE_DUE.sides[1]))
    assert isinstance(one, Dice)
    later = TWO.chance(own, LUCK)
    assert isinstance(later, Dice)
    assert later.faces[0] == one.faces[1]


@pytest.mark.parametrize(
    ("won", "camp", "enhancements", "coins", "outcome"),
    [
        pytest.param(
            (("snake_pit",), ()), (), (), (3, 9), Outcome((8, 9), (2, 1)), id="most stones: five"
        ),
        pytest.param(
            (("snake_pit",), ("fire_swamp",)),
            (),
            ("si_old_map",),
            (3, 3),
            Outcome((8, 3), (1, 2)),
            id="enhancements bring stones",
        ),
        pytest.param(
            (("snake_pit",), ("ogres_treehouse",)),
            (),
            ("sapphire_pendant", "si_royal_purse"),
            (3, 0),
            Outcome((3 + 3 + 4, 3 + 8), (2, 1)),
            id="tied for the most: three each; enhancements bring coins",
        ),
        pytest.param(
            ((), ("fire_swamp",)), (4,), (), (0, 0), Outcome((3, 3), (1, 1)), id="camp: at most 3"
        ),
        pytest.param(((), ()), (), (), (7, 4), Outcome((7, 4), (1, 2)), id="DR-32 no stones"),
        pytest.param(
            (("snake_pit",), ()), (), (), (4, 9), Outcome((9, 9), (1, 2)), id="stones break a tie"
        ),
        pytest.param(
            ((), ()), (2, 2), (), (4, 4), Outcome((7, 7), (1, 1)), id="DR-33 a place is shared"
        ),
    ],
)
def test_the_end(
    won: tuple[tuple[str, ...], ...],
    camp: tuple[int, ...],
    enhancements: tuple[str, ...],
    coins: tuple[int, ...],
    outcome: Outcome,
) -> None:
    end = state(row=(), todo=("over",), won=won, camp=camp, enhancements=enhancements, coins=coins)
    assert TWO.outcome(end) == outcome
    assert TWO.to_act(end) == NOBODY


def test_resting_seats_come_to_an_end() -> None:
    """DR-46: the first legal action of every decision is no way to go on for ever."""
    rules = dragonrealm(2, starter="seat_0")
    position, plies = rules.initial_state(), 0
    while (actor := rules.to_act(position)) != NOBODY:
        chance = actor == CHANCE
        action = rules.chance(position, LUCK) if chance else rules.legal_actions(position)[0]
        position = rules.apply(position, action)
        plies += 1
    assert position.turn == 2 * TURNS_PER_SEAT
    assert plies < rules.info.max_plies


def _apply(rules: DragonrealmRules, position: State, *actions: Any) -> State:
    for action in actions:
        position = rules.apply(position, action)
    return position
