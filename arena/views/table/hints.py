"""What a person should know who has not read the rules: the aim, and what an action leads to.

Words for what the name of an action cannot say. Nothing here decides anything: a game that is not
listed is played without.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from arena.games.board import Json

_AIMS: Final = {
    "dragonheart": "Play cards of one kind to their space; most spaces then let you collect the "
    "cards of another one. The values you collect are your points, the dragon figure is worth 3. "
    "The third full row of ships or an empty draw pile brings the end; most points win.",
    "dragonkrak": "Be the first without cards: place what you hold on four armies, whose values "
    "rise (↑) or fall (↓), and on the watchtower. I and II take all colours, III, IV and the "
    "watchtower one each. A dragon closes the army it is on.",
    "dragonrealm": "Send adventurers to locations. When all spaces of one are filled, who has most "
    "there gets its first reward. It ends when the Dragon's location is full; most coins win.",
}
_ALONE: Final = {
    "dragonkrak": "Place all your cards on four armies, whose values rise (↑) or fall (↓), and on "
    "the watchtower. I and II take all colours, III, IV and the watchtower one each. Troops that "
    "you must take off an army desert: none is flawless, 15 are a disaster.",
}
_TERMS: Final = {
    "dragonheart": (
        ("hand, pile", "cards that a seat holds, and those in its draw pile"),
        ("2/4", "two cards lie in a row of four"),
        ("quay", "full rows of knights, huntresses; a full row of ships takes all"),
        ("ship rows", "full rows of ships so far; the third one brings the end"),
        ("figure", "where the dragon figure is: 3 points, and six cards in hand"),
    ),
    "dragonkrak": (
        ("hand, camp", "cards that a seat holds, and those it has yet to draw"),
        ("known", "cards at the bottom of a camp that everybody has seen go there"),
        ("↑ ↓", "the next card of the army must be higher, or lower"),
        ("red, undead", "the dragon that closes the army"),
        ("closed", "the watchtower, until the turn of who has imprisoned it"),
        ("gone", "cards that are out of the game, six by six or by a token"),
    ),
    "dragonrealm": (
        ("won", "locations that a seat has won; their stones count at the end"),
        ("supply, camp", "adventurers to send, and those away at the Academy or Alley"),
        ("2/5", "two of the five spaces of a location are filled"),
        ("pays 6/4", "coins for the most adventurers there, and for the second most"),
        ("ring *", "a success in this way may place two adventurers"),
        ("goblins", "goblins that are not on a location yet; they fill spaces too"),
        ("next", "levels of the locations to come, the Dragon last"),
    ),
}
"""What the words of a board mean."""
_HEART_PLAYS: Final = {
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
_KRAK: Final = {
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
_KRAK_ALONE: Final = {
    "remove": "No card of yours fits anywhere. Troops that you take off become deserters, and "
    "those are your score.",
    "end": "Then the dragon moves on to the next army, and you draw up to three cards.",
}
_REALM: Final = {
    "keep": "Enhancements help later, some of them once. You keep them face down.",
    "rest": "A Rest is two cards, drawn one after the other; then your turn ends.",
    "draw": "The second card of the Rest.",
    "use": "It helps this Explore; a card marked once is gone if it succeeds.",
    "discard": "It goes to the discards.",
    "pass": "A Rockslide: everybody passes cards at once, without seeing those of others.",
    "buy": "You get a random enhancement of that level.",
    "end_turn": "Nothing is bought.",
    "place": "One more adventurer there counts for the rewards, but you have eight in all.",
}
_WAYS: Final = {
    "sneak": "cards with numbers in a row (5 6 7)",
    "search": "cards with the same number",
    "storm": "cards of one suit",
}


def aim(rules: str, seats: int) -> str:
    """What the game is about; empty for rules without words here."""
    if seats == 1 and rules in _ALONE:
        return _ALONE[rules]
    return _AIMS.get(rules, "")


def terms(rules: str) -> tuple[tuple[str, str], ...]:
    """Words of the board with what they mean."""
    return _TERMS.get(rules, ())


def hint(rules: str, action: Json, observation: Json, data: Mapping[str, Json]) -> str:
    """What the action leads to; empty if there is nothing to add to its words.

    ``data``: of the rules, as in the ``start`` message.
    """
    match rules:
        case "dragonheart":
            return _heart(action, observation)
        case "dragonkrak":
            return _krak(action, observation)
        case "dragonrealm":
            return _realm(action, observation, data)
        case _:
            return ""


def _heart(action: Json, observation: Json) -> str:
    if action["type"] != "play":
        if not observation["board"][action["space"]]:
            return "You collect nothing."
        return "You collect all cards there; their values are your points."
    return _HEART_PLAYS.get(action["cards"][0].partition(":")[0], "")


def _krak(action: Json, observation: Json) -> str:
    kind = action["type"]
    if kind == "place" and action["space"] == "tower":
        return "One card for the watchtower is all that you place in this turn."
    if len(observation["hand_sizes"]) == 1 and kind in _KRAK_ALONE:
        return _KRAK_ALONE[kind]
    return _KRAK.get(kind, "")


def _realm(action: Json, observation: Json, data: Mapping[str, Json]) -> str:
    match action["type"]:
        case "explore":
            return _exploration(action, observation, data)
        case "play":
            attempt = observation["attempt"]
            needed = attempt["needed"] - attempt["bonus"]
            return _chance(len(action["cards"]), needed, data)
        case "reroll" if action["dice"]:
            attempt = observation["attempt"]
            kept = sum(attempt["dice"]) - sum(action["dice"])
            return _chance(len(action["dice"]), attempt["needed"] - attempt["bonus"] - kept, data)
        case "academy":
            return "Each adventurer that you take back from the Academy adds one to the throw."
        case kind:
            return _REALM.get(kind, "")


def _exploration(action: Json, observation: Json, data: Mapping[str, Json]) -> str:
    """What is played and thrown next, what a failure costs and what a golden ring is for."""
    way = action["way"]
    place = next(each for each in observation["row"] if each["id"] == action["location"])
    text = f"You then choose {_WAYS[way]} and throw a die for each ({_faces(data)})."
    if way in place["gold"]:
        return f"{text} The ring: you may place two. Failing sends one away."
    return f"{text} If that falls short, an adventurer is away for a while."


def _faces(data: Mapping[str, Json]) -> str:
    return " ".join(map(str, data.get("dice", ())))


def _chance(dice: int, needed: int, data: Mapping[str, Json]) -> str:
    """How likely the throw alone is to succeed."""
    share = chance_of(dice, needed, data.get("dice", ()))
    if share is None:
        return ""
    if share == 0:
        return "The throw alone cannot succeed; if it fails, you keep the cards."
    percent = round(100 * share)
    if share < 1:
        percent = min(max(percent, 1), 99)
    return f"The throw succeeds in {percent} of 100 cases; if it fails, you keep the cards."


def chance_of(dice: int, needed: int, faces: Sequence[int]) -> float | None:
    """How likely so many dice show at least that total; None if the faces are not known."""
    if not faces:
        return None
    ways = {0: 1}
    for _ in range(dice):
        thrown: dict[int, int] = {}
        for total, number in ways.items():
            for face in faces:
                thrown[total + face] = thrown.get(total + face, 0) + number
        ways = thrown
    enough = sum(number for total, number in ways.items() if total >= needed)
    return enough / sum(ways.values())
