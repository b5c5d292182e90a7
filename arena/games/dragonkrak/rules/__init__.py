"""The rules of Dragonkrak, the card game for one to four; see docs/games/dragonkrak.md.

This package knows nothing of bots, files or clocks.
"""

from arena.games.dragonkrak.rules.actions import ACTION_TYPES
from arena.games.dragonkrak.rules.events import Event
from arena.games.dragonkrak.rules.rules import OPTIONS, SEATS, DragonkrakRules
from arena.games.dragonkrak.rules.state import ENDINGS, GRADES, Grade, grade_of
from arena.games.dragonkrak.rules.view import Observation

__all__ = [
    "ACTION_TYPES",
    "ENDINGS",
    "GRADES",
    "OPTIONS",
    "SEATS",
    "DragonkrakRules",
    "Event",
    "Grade",
    "Observation",
    "grade_of",
]
