"""Least shares of the types of actions in test vectors: each type has to be met often enough."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Any, Final

from arena.games.base import Action, Rules
from arena.games.registry import GAMES

STEPS_PER_KIND: Final = 100
"""Among this many steps each type of action that is met at all is met once at least."""
_CASES_PER_KIND: Final = 10
"""Among this many games or positions each type is met once, if it can be found."""


class Layer(StrEnum):
    """How much a case has in it."""

    STEPS = "steps"
    """One action: what it leads to, and what every seat sees of it."""
    COUNTS = "counts"
    """How many sequences of decisions follow a position."""
    GAMES = "games"
    """A whole game: to what scores its actions lead."""


def kinds(rules: Rules[Any, Action], layer: Layer) -> tuple[str, ...]:
    """Return the types of actions that can be met in a layer, in the order of the game."""
    game = GAMES[rules.spec.name]
    names = [str(each.__struct_config__.tag) for each in game.action_types]
    return tuple(
        name
        for name in names
        if name not in rules.info.unused and (layer is not Layer.COUNTS or name in game.decisions)
    )


class Shares:
    """Which types of actions have less than their share of the cases."""

    def __init__(self, rules: Rules[Any, Action], layer: Layer) -> None:
        self._cases = 0
        self._met = dict.fromkeys(kinds(rules, layer), 0)

    @property
    def short(self) -> frozenset[str]:
        """Types that the next case should have."""
        return frozenset(
            kind for kind, met in self._met.items() if met * _CASES_PER_KIND <= self._cases
        )

    def add(self, met: Iterable[str]) -> None:
        """Count a case with these types of actions."""
        self._cases += 1
        for kind in self._met.keys() & met:
            self._met[kind] += 1
