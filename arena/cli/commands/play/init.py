"""``arena init``: begin a tournament file."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

from arena.cli.command import command
from arena.cli.common import check_game, game_option
from arena.cli.terminal.console import out
from arena.games.registry import GAMES
from arena.runs.config.texts import DEFAULT_NAME, starter_file
from arena.values.bad_input import BadInput
from arena.values.option import Arg
from arena.values.problems import shown_path


@dataclass(frozen=True, kw_only=True)
class InitOptions:
    """Begin a tournament file.

    Writes a file with comments, which can be played as it stands: builtin bots meet until you name
    your own.

    \b
    arena init
    arena init cup.yaml --game dragonkrak
    """

    file: Annotated[Path, Arg("The file to write.", metavar="FILE")] = Path(DEFAULT_NAME)
    game: Annotated[str | None, game_option("Default: Dragonheart.")] = None


def begin_tournament(options: InitOptions) -> None:
    """Write the file and say what to do next. Raises BadInput."""
    if options.game is not None:
        check_game(options.game, "--game")
    text = starter_file(GAMES[options.game or GAMES.default])
    shown = shown_path(options.file)
    try:
        with open(options.file, "x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise BadInput(f"FILE: found {shown} there already, expected a new file") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise BadInput(f"FILE: {shown} cannot be written: {reason}") from None
    path = shlex.quote(shown)
    out(f"{shown}: change it as its comments say")
    out(f"look at it:  arena run {path} --dry-run")
    out(f"play it:     arena run {path}")


COMMAND: Final = command(begin_tournament)
