"""Play with chess engines that speak UCI, as bots.

``uci.py`` knows how they are named; ``bridge.py`` speaks the protocol of arena for them.
"""

from __future__ import annotations

from arena.extensions import Extension

EXTENSION = Extension(
    name="engines",
    summary="Play with chess engines that speak UCI.",
    schemes={"uci": f"{__name__}.uci:engine_bot"},
    bridges={"uci": f"{__name__}.uci:bridge"},
)
