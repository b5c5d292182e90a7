"""The words for cards, places and tokens of Dragonkrak."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from arena.games.dragonkrak.rules.cards import HERO


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
