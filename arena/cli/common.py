"""Options that several commands share, with their help texts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Final, TypeAlias

from arena.cli import choices
from arena.values.bad_input import BadInput
from arena.values.option import Arg, Opt

BOT: Final = (
    "A folder with a bot.yaml (FOLDER@REV: at a git revision), builtin:NAME, or a command in "
    "quotes."
)
"""Help text for an argument that names a bot."""


def bot_argument(words: str) -> Any:
    """Return the argument ``BOT`` with the help ``words``."""
    return Arg(words, metavar="BOT", completes="bots")


def output_option(words: str, metavar: str = "FOLDER") -> Any:
    """Return the option ``--output`` with the help ``words``."""
    return Opt(words, "--output -o", metavar=metavar)


Bot: TypeAlias = Annotated[str, bot_argument(BOT)]
GameName: TypeAlias = Annotated[
    str,
    Arg("Name of the game, as `arena rules` lists it.", metavar="GAME", completes="games"),
]

Debug: TypeAlias = Annotated[bool, Opt("Show tracebacks of bugs in arena.", "--debug")]


def run_folder(text: str | Path) -> Path:
    """Return the folder of a run, also if ``text`` is the folder of a ladder."""
    path = Path(text)
    holds_run = (path / "ladder.yaml").is_file() and not (path / "run.json").exists()
    return path / "run" if holds_run else path


RunFolder: TypeAlias = Annotated[
    Path,
    Arg("The folder of a run, or of a ladder.", metavar="RUN", reads=run_folder, completes="runs"),
]
AsJson: TypeAlias = Annotated[bool, Opt("Print one JSON document instead.", "--json")]
Quiet: TypeAlias = Annotated[bool, Opt("Print only the result.", "--quiet -q")]
Verbose: TypeAlias = Annotated[bool, Opt("Print a line for each game.", "--verbose -v")]
Preparers: TypeAlias = Annotated[
    int | None,
    Opt("Processes that prepare games. Default: one per core.", "--workers -j", least=1),
]
Seats: TypeAlias = Annotated[
    int | None,
    Opt("Seats at the table. Default: the fewest, but not 1.", "--seats -s"),
]
History: TypeAlias = Annotated[
    tuple[str, ...],
    Opt("Show how strong the versions of this bot are over time. Repeatable.", metavar="BOT"),
]


def round_option(words: str, name: str) -> Any:
    """Return the option ``name`` that takes the number of a round, with the help ``words``."""
    return Opt(words, name, metavar="ROUND", least=1)


Positions: TypeAlias = Annotated[
    str | None,
    Opt("Begin from a book, or after N random plies.", "--positions", metavar="BOOK|N"),
]
Adjudication: TypeAlias = Annotated[
    str | None,
    Opt("End games on which both bots agree.", "--adjudicate", metavar="WHEN"),
]
Clock: TypeAlias = Annotated[
    str | None,
    Opt(
        "The time for an answer, or keys of clock in a tournament file, e.g. "
        "'bank: 10 s, startup: 5 s'. Default: 1 s, startup: 10 s.",
        "--clock",
        metavar="CLOCK",
    ),
]
Isolation: TypeAlias = Annotated[
    str | None, Opt("How far bots are kept apart.", "--isolation", one_of=choices.isolation)
]


def game_option(words: str, *, with_seats: bool = False) -> Any:
    """Return the option ``--game`` with the help ``words``; ``with_seats``: a size may follow."""
    return Opt(
        words,
        "--game -g",
        metavar="GAME[:SEATS]" if with_seats else "GAME",
        completes="disciplines" if with_seats else "games",
    )


ColorText: TypeAlias = Annotated[
    str | None,
    Opt("Whether to colour what is printed. Default: auto.", "--color", one_of=choices.colors),
]


def form_option(forms: tuple[str, ...]) -> Any:
    """Return the option ``--format`` of an answer that has these ``forms``."""
    words = "Form of the output; --json is short for json."
    return Opt(words, "--format", one_of=forms, shows_default=False)


FormText: TypeAlias = Annotated[str, form_option(choices.plain_forms)]


def game_settings(positions: str | None, adjudicate: str | None, games: int) -> tuple[str, ...]:
    """Return what ``--positions`` and ``--adjudicate`` set for each of ``games`` games of ``-g``.

    Raises BadInput without such games.
    """
    given = {"positions": positions, "adjudicate": adjudicate}
    for name, text in given.items():
        if text is not None and not games:
            raise BadInput(f"--{name}: found {text}, expected it only with -g GAME")
    values = {}
    if adjudicate is not None:
        is_whole = adjudicate.lstrip().startswith("{")
        values["adjudicate"] = adjudicate if is_whole else f"{{{adjudicate}}}"
    if positions is not None:
        import msgspec  # --help needs none

        book = msgspec.json.encode(positions).decode()
        is_number = positions.isdecimal()
        values["positions"] = f"{{random_plies: {positions}}}" if is_number else f"{{file: {book}}}"
    keys = ["game"] if games == 1 else [f"games.{index}" for index in range(games)]
    return tuple(f"{key}.{name}={value}" for key in keys for name, value in values.items())


def check_game(name: str, where: str = "GAME") -> None:
    """Raise BadInput unless these rules exist. ``where``: the argument that gave the name."""
    from arena.games.registry import GAMES
    from arena.values.problems import check_one_of

    if name not in GAMES:
        check_one_of(where, name, GAMES.similar(name))
