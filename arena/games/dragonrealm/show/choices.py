"""The legal actions of Dragonrealm in words, with what each action needs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache

from arena.games.board import Json, TableInfo
from arena.games.dragonrealm.rules.cards import ALLEY_ADVENTURERS, ALLEY_COINS, DICE
from arena.games.dragonrealm.show.words import in_words, name_of
from arena.text.numbers import count


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
