"""Options that several commands share, with their help texts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias

import typer

from arena.cli import choices
from arena.documents.bad_input import BadInput

if TYPE_CHECKING:
    from arena.hosting.sandbox.isolation import Isolation as Requested

BOT: Final = (
    "A folder with a bot.yaml (FOLDER@REV: at a git revision), builtin:NAME, or a command in "
    "quotes."
)
"""Help text for an argument that names a bot."""


def bot_argument(words: str) -> Any:
    """Return the argument ``BOT`` with the help ``words``."""
    return typer.Argument(metavar="BOT", autocompletion=choices.bots, help=words)


def output_option(words: str, metavar: str = "FOLDER") -> Any:
    """Return the option ``--output`` with the help ``words``."""
    return typer.Option("--output", "-o", metavar=metavar, help=words)


Bot: TypeAlias = Annotated[str, bot_argument(BOT)]
GameName: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="GAME",
        autocompletion=choices.games,
        help="Name of the game, as `arena rules` lists it.",
    ),
]

Debug: TypeAlias = Annotated[
    bool, typer.Option("--debug", help="Show tracebacks of bugs in arena.")
]


def run_folder(path: Path) -> Path:
    """Return the folder of a run, also if ``path`` is the folder of a ladder."""
    is_ladder = (path / "ladder.yaml").is_file() and not (path / "run.json").exists()
    return path / "run" if is_ladder else path


RunFolder: TypeAlias = Annotated[
    Path,
    typer.Argument(
        metavar="RUN",
        callback=run_folder,
        autocompletion=choices.runs,
        help="The folder of a run, or of a ladder.",
    ),
]
AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="Print one JSON document instead.")]
Quiet: TypeAlias = Annotated[bool, typer.Option("--quiet", "-q", help="Print only the result.")]
Verbose: TypeAlias = Annotated[
    bool, typer.Option("--verbose", "-v", help="Print a line for each game.")
]
Preparers: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--workers", "-j", min=1, help="Processes that prepare games. Default: one per core."
    ),
]
Seats: TypeAlias = Annotated[
    int | None,
    typer.Option("--seats", "-s", help="Seats at the table. Default: the fewest, but not 1."),
]
History: TypeAlias = Annotated[
    tuple[str, ...],
    typer.Option(
        metavar="BOT", help="Show how strong the versions of this bot are over time. Repeatable."
    ),
]
Positions: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--positions", metavar="BOOK|N", help="Begin from a book, or after N random plies."
    ),
]
Adjudication: TypeAlias = Annotated[
    str | None,
    typer.Option("--adjudicate", metavar="WHEN", help="End games on which both bots agree."),
]
Clock: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--clock",
        metavar="CLOCK",
        help="The time for an answer, or keys of clock in a tournament file, e.g. "
        "'bank: 10 s, startup: 5 s'. Default: 1 s, startup: 10 s.",
    ),
]
Isolation: TypeAlias = Annotated[
    str | None, typer.Option("--isolation", help="How far bots are kept apart."), choices.isolation
]


def game_option(words: str, *, with_seats: bool = False) -> Any:
    """Return the option ``--game`` with the help ``words``; ``with_seats``: a size may follow."""
    return typer.Option(
        "--game",
        "-g",
        metavar="GAME[:SEATS]" if with_seats else "GAME",
        autocompletion=choices.disciplines if with_seats else choices.games,
        help=words,
    )


ColorText: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--color",
        metavar="auto|always|never",
        autocompletion=choices.colors.complete,
        help="Whether to colour what is printed. Default: auto.",
    ),
]
FORM: Final = typer.Option(
    "--format", help="Form of the output; --json is short for json.", show_default=False
)
"""The option ``--format`` of an answer."""
FormText: TypeAlias = Annotated[str, FORM, choices.plain_forms]


def all_settings(settings: Sequence[str] | None, isolation: str | None) -> tuple[str, ...]:
    """Return the settings of the command line, including ``--isolation``. Raises BadInput."""
    if isolation is None:
        return tuple(settings or ())
    return (*(settings or ()), f"isolation.level={read_isolation(isolation).value}")


def read_isolation(text: str) -> Requested:
    """Return the isolation that ``--isolation`` names. Raises BadInput."""
    from arena.documents.problems import check_one_of
    from arena.hosting.sandbox.isolation import Isolation as Requested

    check_one_of("--isolation", text, [each.value for each in Requested])
    return Requested(text)


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
    from arena.documents.problems import check_one_of
    from arena.games.registry import GAMES

    if name not in GAMES:
        check_one_of(where, name, GAMES.similar(name))
