"""The rules of Dragonkrak, the card game for one to four; see docs/games/dragonkrak.md.

This package knows nothing of bots, files or clocks.
"""

from arena.extensions.games.dragonkrak.rules.actions import ACTION_TYPES
from arena.extensions.games.dragonkrak.rules.events import Event
from arena.extensions.games.dragonkrak.rules.rules import OPTIONS, SEATS, DragonkrakRules
from arena.extensions.games.dragonkrak.rules.state import ENDINGS, GRADES, Grade, grade_of
from arena.extensions.games.dragonkrak.rules.view import Observation

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
