"""Help for a person who has not read the rules of Dragonrealm."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from arena.games.board import Json

AIM: Final = (
    "Send adventurers to locations. When all spaces of one are filled, who has most "
    "there gets its first reward. It ends when the Dragon's location is full; most coins win."
)
TERMS: Final = (
    ("won", "locations that a seat has won; their stones count at the end"),
    ("supply, camp", "adventurers to send, and those away at the Academy or Alley"),
    ("2/5", "two of the five spaces of a location are filled"),
    ("pays 6/4", "coins for the most adventurers there, and for the second most"),
    ("ring *", "a success in this way may place two adventurers"),
    ("goblins", "goblins that are not on a location yet; they fill spaces too"),
    ("next", "levels of the locations to come, the Dragon last"),
)
_ACTIONS: Final = {
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


def hint(action: Json, observation: Json, data: Mapping[str, Json]) -> str:
    """Return the consequence of an action."""
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
            return _ACTIONS.get(kind, "")


def _exploration(action: Json, observation: Json, data: Mapping[str, Json]) -> str:
    """Describe the next steps of an Explore, the cost of a failure and the use of a golden ring."""
    way = action["way"]
    place = next(each for each in observation["row"] if each["id"] == action["location"])
    text = f"You then choose {_WAYS[way]} and throw a die for each ({_faces(data)})."
    if way in place["gold"]:
        return f"{text} The ring: you may place two. Failing sends one away."
    return f"{text} If that falls short, an adventurer is away for a while."


def _faces(data: Mapping[str, Json]) -> str:
    return " ".join(map(str, data.get("dice", ())))


def _chance(dice: int, needed: int, data: Mapping[str, Json]) -> str:
    """Describe the probability that the throw alone succeeds."""
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
    """Return the probability that ``dice`` dice total at least ``needed``.

    Returns None if the faces are not known.
    """
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
