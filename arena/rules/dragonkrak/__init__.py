"""Dragonkrak, the card game for one to four; rules.md in this folder says how it is played.

Knows the rules and nothing of bots, files or clocks.
"""

from arena.rules.dragonkrak.actions import ACTION_TYPES
from arena.rules.dragonkrak.events import Event
from arena.rules.dragonkrak.rules import OPTIONS, SEATS, DragonkrakRules
from arena.rules.dragonkrak.score import ENDINGS, GRADES, Grade, grade_of
from arena.rules.dragonkrak.view import Observation

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
