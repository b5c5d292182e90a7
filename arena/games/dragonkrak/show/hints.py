"""Help for a person who has not read the rules of Dragonkrak."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from arena.games.board import Json
from arena.games.dragonkrak.rules.score import GRADES

AIM: Final = (
    "Be the first without cards: place what you hold on four armies, whose values "
    "rise (↑) or fall (↓), and on the watchtower. I and II take all colours, III, IV and the "
    "watchtower one each. A dragon closes the army it is on."
)
AIM_ALONE: Final = (
    "Place all your cards on four armies, whose values rise (↑) or fall (↓), and on "
    "the watchtower. I and II take all colours, III, IV and the watchtower one each. Troops that "
    f"you must take off an army desert: none is {GRADES[0].words}, {GRADES[-2].deserters + 1} are "
    f"{GRADES[-1].words}."
)
TERMS: Final = (
    ("hand, camp", "cards that a seat holds, and those it has yet to draw"),
    ("known", "cards at the bottom of a camp that everybody has seen go there"),
    ("↑ ↓", "the next card of the army must be higher, or lower"),
    ("red, undead", "the dragon that closes the army"),
    ("closed", "the watchtower, until the turn of who has imprisoned it"),
    ("gone", "cards that are out of the game, six by six or by a token"),
)
_ACTIONS: Final = {
    "place": "More cards may follow on the same army. The sixth sends all six out of the game.",
    "end": "Then the dragon moves, and you draw up to three cards.",
    "remove": "No card of yours fits anywhere. What you take off goes under your camp.",
    "exchange": "The hero goes under your camp, and the card takes its place in the army.",
    "fly": "Nobody can place on the army of the dragon. Then you draw, and your turn ends.",
    "recruit": "It comes into your hand at once.",
    "counter_order": "The pile takes cards of the new colour until it is cleared.",
    "epidemic": "Fewer cards in an army: room for more before the sixth clears it.",
    "imprisoned": "Nobody can use the watchtower until your next turn begins.",
    "overflight": "In this turn you may place as if that dragon were not there.",
    "reinforcements": "You choose the card next.",
    "undead_dragon": "A second dragon closes an army until your next turn begins.",
    "volunteers": "A card between others, where its value fits; a second may follow.",
}
_ACTIONS_ALONE: Final = {
    "remove": "No card of yours fits anywhere. Troops that you take off become deserters, and "
    "those are your score.",
    "end": "Then the dragon moves on to the next army, and you draw up to three cards.",
}


def hint(action: Json, observation: Json, data: Mapping[str, Json]) -> str:
    """Return the consequence of an action."""
    kind = action["type"]
    if kind == "place" and action["space"] == "tower":
        return "One card for the watchtower is all that you place in this turn."
    if len(observation["hand_sizes"]) == 1 and kind in _ACTIONS_ALONE:
        return _ACTIONS_ALONE[kind]
    return _ACTIONS.get(kind, "")
