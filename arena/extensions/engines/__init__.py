"""Play with chess engines that speak UCI, as bots.

``uci`` knows how they are named; ``channel`` translates between their protocol and that of arena.
"""

from __future__ import annotations

from arena.extensions import Extension

EXTENSION = Extension(
    name="engines",
    summary="Play with chess engines that speak UCI.",
    schemes={"uci": f"{__name__}.uci:engine_bot"},
    channels={"uci": f"{__name__}.channel:UciChannel"},
)
