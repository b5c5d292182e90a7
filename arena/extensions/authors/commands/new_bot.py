"""``arena new-bot``: begin a bot from a template."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

from arena.cli.choices import beginning
from arena.cli.command import command
from arena.cli.common import check_game, game_option
from arena.cli.terminal.console import out, warn
from arena.entrants.toolchains import need_problem
from arena.extensions.authors.kit.folder import create, own_files
from arena.extensions.authors.kit.languages import ALIASES, LANGUAGES, Language
from arena.games.game import Game
from arena.games.registry import GAMES
from arena.values.option import Arg, Opt
from arena.values.problems import check_one_of, shown_path


def _languages(incomplete: str) -> list[str]:
    return beginning(LANGUAGES, incomplete)


@dataclass(frozen=True, kw_only=True)
class NewBotOptions:
    """Begin a bot.

    Writes a bot that can play at once: code that talks to the referee, the messages as types, and
    for each game a file with one function to fill in.

    \b
    arena new-bot mine
    arena new-bot bots/mine --language javascript --game dragonheart
    """

    folder: Annotated[
        Path,
        Arg("Folder to create; its name becomes that of the bot.", metavar="NAME"),
    ]
    language: Annotated[
        str,
        Opt("Language of its code.", metavar="|".join(LANGUAGES), completes=_languages),
    ] = "python"
    games: Annotated[tuple[str, ...], game_option("May be repeated. Default: all.")] = ()


def new_bot(options: NewBotOptions) -> None:
    """Write the folder and say what to do next. Raises BadInput."""
    language = _language(options.language)
    games = _games(options.games)
    folder = Path(os.path.normpath(options.folder))
    create(folder, language, games)
    for program, least in language.needs:
        if problem := need_problem(program, least):
            warn(f"{problem}, which bots in {language.title} need")
    for line in _next(folder, language, games):
        out(line)


def _language(name: str) -> Language:
    own = ALIASES.get(name.lower(), name.lower())
    check_one_of("--language", own, LANGUAGES)
    return LANGUAGES[own]


def _games(names: Sequence[str]) -> list[Game]:
    for name in names:
        check_game(name, "--game")
    if names:
        return [GAMES[name] for name in sorted({*names})]
    usable = [*GAMES.usable(on_broken=warn)]
    return [game for game in usable if game.kit_folder or not game.extra]


def _next(folder: Path, language: Language, games: Sequence[Game]) -> Iterator[str]:
    shown = shown_path(folder)
    yield f"{shown}: a bot in {language.title} that plays {_list([game.name for game in games])}"
    yield "what it plays: " + ", ".join(f"{shown}/{path}" for path in own_files(language, games))
    yield f"let it play:   arena try {shown} -g {games[0].name}"


def _list(words: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


COMMAND: Final = command(new_bot)
