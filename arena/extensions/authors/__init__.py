"""Help authors of bots and games: begin one, try it, check it, and test an engine by vectors.

``kit/`` has the templates and the messages as types of six languages; ``trial/`` plays one game and
keeps all that was said; ``check/`` finds what would lose a bot its games; ``vectors/`` writes
positions with their answers. Two commands more print the rules of a game and begin a tournament.
"""

from __future__ import annotations

from arena.extensions import Extension, listed

_COMMANDS = f"{__name__}.commands"

EXTENSION = Extension(
    name="authors",
    summary="Begin bots and games, try them and check them.",
    commands=(
        *listed(_COMMANDS, "Play", (20, "init", "Begin a tournament file.")),
        *listed(
            _COMMANDS,
            "Write a bot",
            (10, "new-bot", "Begin a bot."),
            (20, "try", "Play one game of a bot and show all of it."),
            (30, "check", "Find what would lose a bot its games."),
            (40, "rules", "Explain the rules of a game."),
            (60, "vectors", "Write positions of a game with their answers."),
        ),
        *listed(
            _COMMANDS,
            "Add a game",
            (10, "new-game", "Begin a game."),
            (20, "check-game", "Test a game by the contract of all rules."),
        ),
    ),
    documents={
        "arena.check/1": f"{__name__}.check_text:CheckDocument",
        "arena.checks/1": f"{_COMMANDS}.check:ChecksDocument",
        "arena.contract/1": f"{_COMMANDS}.check_game:ContractDocument",
    },
    libraries={
        "jinja2": "botarena",
    },
)
