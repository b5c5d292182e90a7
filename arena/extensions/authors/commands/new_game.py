"""``arena new-game``: begin a game as a package of its own."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

from arena.cli.command import command
from arena.cli.terminal.console import out
from arena.extensions.authors.kit.folder import create_game, package_name
from arena.games.registry import GAMES
from arena.values.bad_input import BadInput
from arena.values.option import Arg
from arena.values.problems import quote, shown_path


@dataclass(frozen=True, kw_only=True)
class NewGameOptions:
    """Begin a game.

    Writes a Python package with a small dice game, its board, its page of rules and its tests. It
    plays as soon as it is installed. Then change it into your game.

    \b
    arena new-game pig
    """

    folder: Annotated[
        Path,
        Arg("Folder to create; its name becomes that of the game.", metavar="NAME"),
    ]


def new_game(options: NewGameOptions) -> None:
    """Write the folder and say what to do next. Raises BadInput."""
    folder = Path(os.path.normpath(options.folder))
    name = folder.name
    if name in GAMES or name in GAMES.families:
        raise BadInput(f"NAME: found {quote(name)}, which is a game already")
    create_game(folder)
    shown = shown_path(folder)
    out(f"{shown}: a package with the game {name}")
    out(f"its rules:     {shown}/{package_name(name)}/rules.py, its board: board.py beside it")
    out(f"install it:    pip install -e {shown}")
    out(f"test it:       pytest {shown}, arena check-game {name}")
    out(f"let it play:   arena run -g {name} -n 10 builtin:random builtin:first-legal")


COMMAND: Final = command(new_game)
