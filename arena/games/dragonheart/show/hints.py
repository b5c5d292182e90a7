"""Help for a person who has not read the rules of Dragonheart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from arena.games.board import Json

AIM: Final = (
    "Play cards of one kind to their space; most spaces then let you collect the "
    "cards of another one. The values you collect are your points, the dragon figure is worth 3. "
    "The third full row of ships or an empty draw pile brings the end; most points win."
)
TERMS: Final = (
    ("hand, pile", "cards that a seat holds, and those in its draw pile"),
    ("2/4", "two cards lie in a row of four"),
    ("quay", "full rows of knights, huntresses; a full row of ships takes all"),
    ("ship rows", "full rows of ships so far; the third one brings the end"),
    ("figure", "where the dragon figure is: 3 points, and six cards in hand"),
)
_PLAYS: Final = {
    "dwarf": "Who plays the fourth dwarf collects the row.",
    "fire_dragon": "Fire dragons collect what lies on Treasure, and stay as prey of the huntress.",
    "huntress": "Who plays the third huntress collects the fire dragons.",
    "knight": "Who plays the second knight collects the sorceresses or the trolls.",
    "petrified": "Nothing happens at once. Who collects them, by a sorceress, gets the dragon "
    "figure: 3 points, and six cards in hand.",
    "ship": "Who plays the third ship collects the quay, full rows of knights and huntresses. The "
    "third full row of ships brings the end.",
    "sorceress": "A sorceress collects the treasures or the petrified dragons.",
    "treasure": "Nothing happens at once; fire dragons and sorceresses collect treasures, yours "
    "or those of the other seat.",
    "troll": "Trolls collect the sorceresses.",
}


def hint(action: Json, observation: Json, data: Mapping[str, Json]) -> str:
    """Return the consequence of an action."""
    if action["type"] != "play":
        if not observation["board"][action["space"]]:
            return "You collect nothing."
        return "You collect all cards there; their values are your points."
    return _PLAYS.get(action["cards"][0].partition(":")[0], "")
