"""The rules of Dragonheart (Drachenherz), the card game for two; see docs/games/dragonheart.md.

This package knows nothing of bots, files or clocks.
"""

from arena.extensions.games.dragonheart.rules.actions import ACTION_TYPES
from arena.extensions.games.dragonheart.rules.rules import OPTIONS, SEATS, DragonheartRules
from arena.extensions.games.dragonheart.rules.view import Event, Observation

__all__ = ["ACTION_TYPES", "OPTIONS", "SEATS", "DragonheartRules", "Event", "Observation"]
