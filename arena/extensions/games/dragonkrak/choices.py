"""The legal actions of Dragonkrak in words, with their immediate effects, and help for a person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Final

import msgspec

from arena.extensions.games.dragonkrak.rules import cards as printed
from arena.extensions.games.dragonkrak.rules import piles
from arena.extensions.games.dragonkrak.rules.cards import ARMIES, FULL, HERO, INDEX, SPACES, STEP
from arena.extensions.games.dragonkrak.rules.state import GRADES, Pile
from arena.games.board import Json, TableInfo
from arena.values.numbers import count


def in_words(cards: Sequence[str], hero: int | None = None) -> str:
    """Return cards by colour in the order given, such as ``Druids 4 7, Hero (8)``.

    ``hero`` is the value that the hero among them took.
    """
    groups = groupby((card.partition(":") for card in cards), lambda parts: parts[0])
    return ", ".join(_group(kind, [parts[2] for parts in group], hero) for kind, group in groups)


def _group(kind: str, values: list[str], hero: int | None) -> str:
    if kind != HERO:
        return " ".join([kind.capitalize(), *(str(int(value)) for value in values)])
    if hero is not None:
        return f"Hero ({hero})"
    return "Hero" + (f" ×{len(values)}" if len(values) > 1 else "")


def place_of(space: str) -> str:
    """Return the name of an army or the watchtower."""
    return "the watchtower" if space == "tower" else f"army {space}"


def token_name(token: str) -> str:
    """Return the name of an event token."""
    return token.replace("_", " ")


def named(tokens: Sequence[str]) -> str:
    """Return the names of event tokens in the order given."""
    return ", ".join(map(token_name, tokens))


COLOURED: Final = [space for space, is_one in zip(SPACES, printed.COLOURED, strict=True) if is_one]
"""Spaces on which all cards have one colour."""
RISING: Final = [army for army, step in zip(ARMIES, STEP, strict=True) if step > 0]
"""Armies with rising values; in the others they fall."""


def choice(action: Json, observation: Json, table: TableInfo) -> str:
    """Describe a legal action in words."""
    match action["type"]:
        case "place":
            return f"Place {_placed(action, action['space'], observation)}"
        case "remove":
            return _removal(action, observation)
        case "exchange":
            hero = observation["board"][action["army"]]["hero"]
            return f"Exchange the hero ({hero}) on army {action['army']} for {_card(action)}"
        case "volunteers":
            return _insertion(action, observation)
        case "end":
            return "Place no more cards"
        case "fly":
            return f"Move the red dragon to army {action['army']}: {_held(action, observation)}"
        case "recruit":
            return f"Take {_card(action)} from the camp"
        case token:
            return f"Play {token_name(token)}: {_effect(action, observation)}"


def _card(action: Json) -> str:
    """Return the card in words, with the value that a hero takes."""
    return in_words([action["card"]]) + (f" as {action['value']}" if "value" in action else "")


def _placed(action: Json, space: str, observation: Json) -> str:
    """Describe the card on top of the pile, and the pile that results."""
    pile = observation["board"][space]
    where = f"{_card(action)} on {place_of(space)}"
    if pile["cards"]:
        where += f", upon {_top(pile)}"
    return f"{where}: {_grown(action, space, observation)}"


def _grown(action: Json, space: str, observation: Json) -> str:
    """Describe how many cards the pile then has, and what follows from that."""
    pile, seat = observation["board"][space], observation["seat"]
    if observation["hand_sizes"][seat] == 1 and not observation["camp_sizes"][seat]:
        return "your last card"
    number = len(pile["cards"]) + 1
    if number == FULL:
        return "the sixth, the pile leaves"
    words = f"card {number} of {FULL}"
    if _settles(action["card"], space, pile):
        words += f", {action['card'].partition(':')[0].capitalize()} from then on"
    return words


def _settles(card: str, space: str, pile: Json) -> bool:
    """Return whether the card gives the pile its colour."""
    return space in COLOURED and card != HERO and "colour" not in pile


def _top(pile: Json) -> str:
    return in_words(pile["cards"][-1:], pile.get("hero"))


def _removal(action: Json, observation: Json) -> str:
    army = action["army"]
    pile = observation["board"][army]
    kept = piles.kept(INDEX[army], _pile(army, observation), action["card"])
    removed = pile["cards"][kept:]
    words = f"Remove {count(len(removed), 'card')} from army {army}, place {_card(action)}"
    if kept:
        words += f" upon {in_words(pile['cards'][kept - 1 : kept], pile.get('hero'))}"
    if len(observation["hand_sizes"]) > 1:
        return words
    return f"{words}: {count(sum(card != HERO for card in removed), 'deserter')}"


def _pile(space: str, observation: Json) -> Pile:
    return msgspec.convert(observation["board"][space], Pile)


def _insertion(action: Json, observation: Json) -> str:
    """Describe a volunteer and the values beside it; a second volunteer needs no new token."""
    army = action["army"]
    taken = piles.values(_pile(army, observation))
    value = action.get("value") or int(action["card"].partition(":")[2])
    below, above = _beside(taken, value)
    first, second = (below, above) if army in RISING else (above, below)
    verb = "Insert" if "inserting" in observation else "Play volunteers: insert"
    grown = _grown(action, army, observation)
    return f"{verb} {_card(action)} into army {army}, {first} to {second}: {grown}"


def _beside(taken: Sequence[int], value: int) -> tuple[int, int]:
    """Return the next lower and the next higher of the values around ``value``."""
    return max(v for v in taken if v < value), min(v for v in taken if v > value)


def _held(action: Json, observation: Json) -> str:
    """Describe the cards on the army of the action."""
    pile = observation["board"][action["army"]]
    if not pile["cards"]:
        return "empty"
    return f"{count(len(pile['cards']), 'card')}, {_top(pile)} on top"


def _effect(action: Json, observation: Json) -> str:
    """Describe the effect of the token."""
    match action["type"]:
        case "counter_order":
            now = observation["board"][action["space"]]["colour"].capitalize()
            return f"{place_of(action['space'])} wants {action['colour'].capitalize()}, not {now}"
        case "epidemic":
            pile = observation["board"][action["army"]]
            struck = in_words(pile["cards"][: action["count"]], pile.get("hero"))
            return f"{struck} at the bottom of army {action['army']} leave the game"
        case "imprisoned":
            return "close the watchtower until your next turn"
        case "overflight":
            army = observation["red" if action["dragon"] == "red" else "undead"]
            return f"the {action['dragon']} dragon does not close army {army} now"
        case "reinforcements":
            cards = count(observation["camp_sizes"][observation["seat"]], "card")
            return f"look at your camp of {cards} and take one"
        case _:
            return f"close army {action['army']} until your next turn"


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
