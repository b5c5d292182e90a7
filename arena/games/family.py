"""Many games of one package under a common name, such as openspiel.hearts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from arena.games.game import Game

JOINT: Final = "."
"""Separator between the name of a family and that of one of its games."""


class Family(NamedTuple):
    """Games that one entry point of the group ``arena.families`` provides.

    The module of the entry point imports no engine: lists and messages of games load it too.
    """

    name: str
    """Name of the entry point, with which the names of all its games begin; has no dot."""
    title: str
    members: Callable[[], Mapping[str, str]]
    """Returns the title of each game by its name within the family. It is called for lists and for
    messages, so it takes milliseconds."""
    load: Callable[[str], Game]
    """Returns the game of a name within the family. The game's own name is the whole name, as
    openspiel.hearts. Raises RulesError with the reason if a game cannot be played here."""
