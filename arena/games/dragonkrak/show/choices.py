"""The legal actions of Dragonkrak in words, with their immediate effects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from arena.games.board import Json, TableInfo
from arena.games.dragonkrak.rules import cards as printed
from arena.games.dragonkrak.rules.cards import ARMIES, FULL, HERO, SPACES, STEP, VALUES
from arena.games.dragonkrak.show.words import in_words, place_of, token_name
from arena.text.numbers import count

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
    kept = _kept(army, pile, action["card"])
    removed = pile["cards"][kept:]
    words = f"Remove {count(len(removed), 'card')} from army {army}, place {_card(action)}"
    if kept:
        words += f" upon {in_words(pile['cards'][kept - 1 : kept], pile.get('hero'))}"
    if len(observation["hand_sizes"]) > 1:
        return words
    return f"{words}: {count(sum(card != HERO for card in removed), 'deserter')}"


def _kept(army: str, pile: Json, card: str) -> int:
    """Return how many cards stay below the card if the fewest are taken off the top."""
    sizes = range(len(pile["cards"]) - 1, 0, -1)
    return next((size for size in sizes if _fits(army, pile, size, card)), 0)


def _fits(army: str, pile: Json, size: int, card: str) -> bool:
    """Return whether the card may follow the first ``size`` cards of the pile, at least one."""
    below = pile["cards"][:size]
    rises = army in RISING
    top = _values(pile)[size - 1]
    if card == HERO:
        return HERO not in below and top != VALUES[-1 if rises else 0]
    colour, _, value = card.partition(":")
    if not (int(value) > top if rises else int(value) < top):
        return False
    is_free = army not in COLOURED or (below == [HERO] and not pile.get("ordered"))
    return is_free or pile.get("colour") in (None, colour)


def _values(pile: Json) -> list[int]:
    """Return the effective values, bottom card first."""
    return [pile["hero"] if card == HERO else int(card.partition(":")[2]) for card in pile["cards"]]


def _insertion(action: Json, observation: Json) -> str:
    """Describe a volunteer and the values beside it; a second volunteer needs no new token."""
    army = action["army"]
    taken = sorted(_values(observation["board"][army]))
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
