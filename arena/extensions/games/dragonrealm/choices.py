"""The legal actions of Dragonrealm in words, with what each action needs, and help for a person."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import groupby
from typing import Final

from arena.extensions.games.dragonrealm.rules.cards import ALLEY_ADVENTURERS, ALLEY_COINS, DICE
from arena.games.board import Json, TableInfo
from arena.values.numbers import count

INVENTED: Final = "si_"
"""Prefix of the ids of cards that a stand-in set invented."""


@lru_cache(maxsize=1024)
def name_of(name: str) -> str:
    """Return the displayed name of a location or enhancement: ``si_old_map`` is ``Old map``."""
    return name.removeprefix(INVENTED).replace("_", " ").capitalize()


def names_of(names: Sequence[str]) -> str:
    """Return the names of locations or enhancements in the order given."""
    return ", ".join(map(name_of, names))


def in_words(cards: Sequence[str]) -> str:
    """Return cards by suit in the order given, such as ``Bell 3 7, Drum 12, Goblins! left``."""
    return _grouped(tuple(cards))


@lru_cache(maxsize=16384)
def _grouped(cards: tuple[str, ...]) -> str:
    groups = groupby((card.partition(":") for card in cards), lambda parts: parts[0])
    return ", ".join(_group(suit, [parts[2] for parts in group]) for suit, group in groups)


def _group(suit: str, values: list[str]) -> str:
    if suit in ("goblins", "rockslide"):
        return ", ".join(f"{suit.capitalize()}! {value}" for value in values)
    return f"{suit.capitalize()} {' '.join(value.lstrip('0') for value in values)}"


def choice(action: Json, observation: Json, table: TableInfo) -> str:
    """Describe a legal action in words."""
    match action["type"]:
        case "keep":
            kept = (_enhancement(name, observation["offered"]) for name in action["enhancements"])
            return "Keep " + ", ".join(f"{name_of(card['id'])} ({_effect(card)})" for card in kept)
        case "rest":
            return f"Rest, {_source(action)}"
        case "draw":
            words = _source(action)
            return words[0].upper() + words[1:]
        case "explore":
            return _exploration(action, observation)
        case "use":
            card = _enhancement(action["enhancement"], observation["enhancements"])
            return f"Use {name_of(card['id'])} ({_effect(card)})"
        case "play":
            attempt, cards = observation["attempt"], action["cards"]
            thrown = _throw(len(cards), attempt["bonus"])
            return f"Play {in_words(cards)}: {thrown}, needs {attempt['needed']}"
        case "reroll":
            return _repetition(action["dice"], observation["attempt"])
        case "academy":
            return _call(action["adventurers"], observation["attempt"])
        case "place":
            return _placing(action["adventurers"], observation)
        case "discard":
            return f"Discard {in_words([action['card']])}"
        case "pass":
            return f"Pass {in_words(action['cards'])} to {_receiver(observation, table)}"
        case "buy":
            price = in_words([action["card"]]) if "card" in action else count(ALLEY_COINS, "coin")
            people = count(ALLEY_ADVENTURERS, "adventurer")
            return f"Buy an enhancement of level {action['level']} for {price} and {people}"
        case _:
            return "End the turn"


def _source(action: Json) -> str:
    source = action["source"]
    return "draw from the deck" if source == "deck" else f"take {in_words([source])}"


def _enhancement(name: str, cards: Sequence[Json]) -> Json:
    return next(card for card in cards if card["id"] == name)


def _effect(card: Json) -> str:
    """Describe the effect of an enhancement."""
    return ", ".join(_effects(card["effect"])) + (", once" if card["one_time"] else "")


def _effects(effect: Json) -> Iterator[str]:
    for key, value in effect.items():
        match key:
            case "add":
                yield f"{effect['action']} +{value}"
            case "remove_goblin_here":
                yield f"goblins -{value}"
            case "reroll_dice":
                yield f"throw {value} {'die' if value == 1 else 'dice'} again"
            case "draw_extra":
                yield f"rest: draw {value} more"
            case "then_discard":
                yield f"discard {value}"
            case "draw":
                yield f"failure: draw {value}"
            case "coins":
                yield f"end: {count(value, 'coin')}"
            case "dragonstones":
                yield f"end: {count(value, 'stone')}"


def _throw(dice: int, bonus: int) -> str:
    return f"{dice} {'die' if dice == 1 else 'dice'}" + (f" +{bonus}" if bonus else "")


def _exploration(action: Json, observation: Json) -> str:
    """Describe an Explore, with the most dice that the hand allows and the present bonus."""
    place = _place(action["location"], observation)
    way = action["way"]
    dice = _throw(_most_dice(tuple(observation["hand"]), way), _bonus(observation, way))
    ring = ", ring" if way in place["gold"] else ""
    pays = "/".join(map(str, place["reward"]))
    words = f"Explore {name_of(place['id'])} by {way}: needs {place[way]} (up to {dice})"
    return f"{words}, pays {pays}{ring}"


def _place(location: str, observation: Json) -> Json:
    for place in observation["row"]:
        if place["id"] == location:
            return place
    raise ValueError(f"{location} is not in the row")


@lru_cache(maxsize=256)
def _most_dice(hand: tuple[str, ...], way: str) -> int:
    """Return how many of the cards can be played together: a run, equal numbers or one suit."""
    pairs = [card.rpartition(":") for card in hand]
    if way == "sneak":
        most = _longest_run({int(number) for _, _, number in pairs})
    else:
        most = max(Counter(pair[0 if way == "storm" else 2] for pair in pairs).values(), default=0)
    return min(most, DICE)


def _longest_run(numbers: set[int]) -> int:
    longest = 0
    for first in numbers:
        length = 1
        while first + length in numbers:
            length += 1
        longest = max(longest, length)
    return longest


def _bonus(observation: Json, way: str) -> int:
    """Return what lasting face-up enhancements add to a roll for this way."""
    shown = observation["sides"][observation["seat"]]["shown"]
    if not shown:
        return 0
    effects = [
        card["effect"]
        for card in observation["enhancements"]
        if card["id"] in shown and not card["one_time"]
    ]
    return sum(effect["add"] for effect in effects if effect.get("action") == way)


def _total(attempt: Json) -> int:
    total: int = sum(attempt.get("dice", ())) + attempt["bonus"] + attempt.get("academy", 0)
    return total


def _repetition(dice: Sequence[int], attempt: Json) -> str:
    total, needed = _total(attempt), attempt["needed"]
    if not dice:
        return f"Leave the dice: {total} of {needed}"
    return f"Throw {' '.join(map(str, dice))} again, keep {total - sum(dice)} of {needed}"


def _call(adventurers: int, attempt: Json) -> str:
    """Describe calling adventurers; no throw follows, so the result is certain."""
    total, needed = _total(attempt) + adventurers, attempt["needed"]
    called = count(adventurers, "adventurer") if adventurers else "nobody"
    end = "success" if total >= needed else "failure"
    return f"Call {called} from the Academy: {total} of {needed}, {end}"


def _placing(adventurers: int, observation: Json) -> str:
    """Describe how full the location is after placing, without the goblins that leave."""
    place = _place(observation["attempt"]["location"], observation)
    goblins = max(0, place["goblins"] - _driven_out(observation))
    filled = sum(place["adventurers"]) + goblins + adventurers
    full = "completes it" if filled >= place["spaces"] else f"{filled} of {place['spaces']} spaces"
    return f"Place {count(adventurers, 'adventurer')} on {name_of(place['id'])}: {full}"


def _driven_out(observation: Json) -> int:
    """Return how many goblins the enhancements of this Explore remove."""
    lasting = observation["sides"][observation["seat"]]["shown"]
    used = observation["attempt"].get("used", ())
    cards = observation["enhancements"]
    return sum(
        card["effect"].get("remove_goblin_here", 0)
        for card in cards
        if card["id"] in (used if card["one_time"] else lasting)
    )


def _receiver(observation: Json, table: TableInfo) -> str:
    """Return the name of the player that gets the cards of a rockslide; left is the next seat."""
    _, direction, _ = observation["agenda"][0].split(":")
    seat: int = observation["seat"] + (1 if direction == "left" else -1)
    return table.names[seat % len(table.names)]


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
            return _exploration_hint(action, observation, data)
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


def _exploration_hint(action: Json, observation: Json, data: Mapping[str, Json]) -> str:
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
