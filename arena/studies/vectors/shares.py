"""Least shares of the types of actions in test vectors: each type has to be met often enough."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Any, Final

from arena.games.base import Action, Rules
from arena.games.registry import GAMES

STEPS_PER_KIND: Final = 100
"""Number of steps in which each type of action that is met at all is met at least once."""
_CASES_PER_KIND: Final = 10
"""Number of games or positions in which each type is met once, if it can be found."""


class Layer(StrEnum):
    """Content of a case."""

    STEPS = "steps"
    """One action: what it leads to, and what every seat sees of it."""
    COUNTS = "counts"
    """Numbers of sequences of decisions that follow a position."""
    GAMES = "games"
    """A whole game: the scores to which its actions lead."""


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
    """Types of actions that have less than their share of the cases."""

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
