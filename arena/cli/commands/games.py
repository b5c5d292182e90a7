"""``arena games``: list the games of a run, and find some of them."""

from __future__ import annotations

from typing import Final

from arena.cli.command import command
from arena.cli.games import list_games

COMMAND: Final = command(list_games)
