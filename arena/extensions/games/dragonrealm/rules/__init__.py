"""The rules of Dragonrealm (Drachenland) for two to four; see docs/games/dragonrealm.md.

This package knows nothing of bots, files or clocks.
"""

from arena.extensions.games.dragonrealm.rules.actions import ACTION_TYPES
from arena.extensions.games.dragonrealm.rules.events import Event
from arena.extensions.games.dragonrealm.rules.rules import OPTIONS, SEATS, DragonrealmRules
from arena.extensions.games.dragonrealm.rules.scoring import ENDINGS
from arena.extensions.games.dragonrealm.rules.view import Observation

__all__ = [
    "ACTION_TYPES",
    "ENDINGS",
    "OPTIONS",
    "SEATS",
    "DragonrealmRules",
    "Event",
    "Observation",
]
