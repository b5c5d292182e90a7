"""Dragonrealm (Drachenland) for two to four; rules.md in this folder says how it is played.

Knows the rules and nothing of bots, files or clocks.
"""

from arena.rules.dragonrealm.actions import ACTION_TYPES
from arena.rules.dragonrealm.events import Event
from arena.rules.dragonrealm.rules import OPTIONS, SEATS, DragonrealmRules
from arena.rules.dragonrealm.scoring import ENDINGS
from arena.rules.dragonrealm.view import Observation

__all__ = [
    "ACTION_TYPES",
    "ENDINGS",
    "OPTIONS",
    "SEATS",
    "DragonrealmRules",
    "Event",
    "Observation",
]
