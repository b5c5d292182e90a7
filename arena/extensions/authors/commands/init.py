"""``arena init``: begin a tournament file."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

from arena.cli.command import command
from arena.cli.common import check_game, game_option
from arena.cli.terminal.console import out
from arena.entrants.names import BUILTIN, players
from arena.games.game import Game
from arena.games.registry import GAMES
from arena.values.bad_input import BadInput
from arena.values.option import Arg
from arena.values.problems import shown_path

_DEFAULT_NAME: Final = "tournament.yaml"
_ENTRANTS: Final = ("random", "greedy", "sampler")
"""Builtin bots of the file; in a game that only one of them plays, all that play it."""
_OPTIONS: Final = {"sampler": "{playouts: 50}"}
_COLUMN: Final = 36
"""Column of the comments."""

_HEAD: Final = """\
# A tournament for `arena run FILE`. With --dry-run it prints every value, and plays nothing.
# Paths are relative to this file. `arena schema tournament` has all keys.
"""
_LINES: Final = (
    ("arena: 1", "version of this format"),
    ("game: {game}", "or {{rules: {game}, seats: N}}; `arena rules` lists games"),
    ("", ""),
    ("entrants:", ""),
    ("{entrants}", ""),
    ("  # - bot: mine", "a folder with a bot.yaml, such as `arena new-bot` makes"),
    ("  # - glob: submissions/*", "each folder in submissions/ that has a bot.yaml"),
    ("  # - {{bot: mine@v1, name: older}}", "as it was at a git revision"),
    ("  # - {{command: ./engine, name: other}}", "a program without a bot.yaml"),
    ("", ""),
    ("seed: 1", "decides all chance; without it one is drawn"),
    ("schedule: {{deals: 20}}", "per pairing; each is played in all seatings"),
    ("clock: {{move: 1 s}}", "or {{bank: 10 s, increment: 50 ms}}"),
    ("isolation: limits", "sandbox, if programs of strangers play"),
    ("ratings: {{anchor: {anchor}, elo: 1000}}", "the others are rated against it"),
)


@dataclass(frozen=True, kw_only=True)
class InitOptions:
    """Begin a tournament file.

    Writes a file with comments, which can be played as it stands: builtin bots meet until you name
    your own.

    \b
    arena init
    arena init cup.yaml --game dragonkrak
    """

    file: Annotated[Path, Arg("The file to write.", metavar="FILE")] = Path(_DEFAULT_NAME)
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


def starter_file(game: Game) -> str:
    """Return the text of a tournament file for ``game``."""
    able = players(game.name, game.default_seats)
    usual: list[str] = [each for each in _ENTRANTS if each in able]
    chosen = usual if len(usual) > 1 else able
    values = {
        "game": game.name,
        "entrants": "\n".join(map(_entry, chosen)),
        "anchor": chosen[0],
    }
    lines = ((line.format(**values), words.format(**values)) for line, words in _LINES)
    texts = (f"{line:<{_COLUMN}}  # {words}" if words else line for line, words in lines)
    return _HEAD + "".join(f"{text}\n" for text in texts)


def _entry(name: str) -> str:
    if name not in _OPTIONS:
        return f"  - bot: {BUILTIN}{name}"
    return f"  - {{bot: {BUILTIN}{name}, options: {_OPTIONS[name]}}}"


COMMAND: Final = command(begin_tournament)
