"""Games that come with arena, a folder for each; each can be deleted by itself.

A folder with a ``game.py`` is a game, one with a ``family.py`` a family of games.
"""

from __future__ import annotations

from pathlib import Path

from arena.extensions import Extension, listed

_HERE = Path(__file__).parent

EXTENSION = Extension(
    name="games",
    summary="Play Dragonheart, Dragonkrak, Dragonrealm, chess and the games of OpenSpiel.",
    commands=(
        *listed(
            f"{__name__}.commands",
            "Play",
            (10, "demo", "Play a first tournament, which needs no file."),
        ),
    ),
    games={
        path.parent.name: f"{__name__}.{path.parent.name}.game:GAME"
        for path in sorted(_HERE.glob("*/game.py"))
    },
    families={
        path.parent.name: f"{__name__}.{path.parent.name}.family:FAMILY"
        for path in sorted(_HERE.glob("*/family.py"))
    },
    libraries={
        "chess": "botarena[chess]",
        "pyspiel": "botarena[openspiel]",
    },
)
