"""Dragonheart (Drachenherz), the card game for two; rules.md in this folder says how it is played.

Knows the rules and nothing of bots, files or clocks.
"""

from arena.rules.dragonheart.actions import ACTION_TYPES
from arena.rules.dragonheart.rules import OPTIONS, SEATS, DragonheartRules
from arena.rules.dragonheart.view import Event, Observation

__all__ = ["ACTION_TYPES", "OPTIONS", "SEATS", "DragonheartRules", "Event", "Observation"]
