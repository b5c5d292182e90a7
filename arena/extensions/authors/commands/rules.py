"""``arena rules``: print the rules of a game."""

from __future__ import annotations

import re
import shutil
import sys
import textwrap
from dataclasses import dataclass
from typing import Annotated, Final

import typer

from arena.cli import choices
from arena.cli.command import command
from arena.cli.common import check_game
from arena.cli.terminal.console import has_color, out, out_text, warn
from arena.games.game import Game
from arena.games.installed import GameError
from arena.games.registry import GAMES, rules_spec
from arena.values.bad_input import BadInput
from arena.values.numbers import count
from arena.values.option import Arg, Opt
from arena.values.problems import did_you_mean

_WIDEST: Final = 100
"""Number of columns beyond which lines are hard to read."""


def rulings(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the matching rulings of the game named in the call, or of all games."""
    # While the words do not parse yet (an option waits for its value), they are in args.
    named = [word for word in (ctx.params.get("name"), *ctx.args) if word in choices.games("")]
    found = (each for game in GAMES.usable(named or None) for each in game.rulings())
    return choices.beginning(found, incomplete)


@dataclass(frozen=True, kw_only=True)
class RulesOptions:
    """Explain the rules of a game.

    The page explains components, turn, what a seat sees, options, and a ruling for every open
    question. It is laid out on a terminal and printed as Markdown elsewhere.

    \b
    arena rules
    arena rules dragonheart --ruling DH-04
    """

    name: Annotated[
        str | None,
        Arg(
            "Default: list all. The name of a family lists its games.",
            metavar="GAME",
            completes="games",
        ),
    ] = None
    ruling: Annotated[
        str | None,
        Opt("Show one ruling, e.g. DH-04.", completes=rulings),
    ] = None


def print_rules(options: RulesOptions) -> None:
    """Print the list of games, the page of a game, or a ruling from the page.

    A page is laid out on a terminal and printed as Markdown elsewhere. Raises BadInput.
    """
    name, ruling = options.name, options.ruling
    if name is None:
        if ruling is not None:
            raise BadInput("--ruling: expected the name of the game too")
        for known in GAMES.usable(on_broken=warn):
            out(_summary(known))
        for known, need in GAMES.lacking():
            out(f"{known.name:<14} {need.removeprefix(known.name).strip()}")
        for family in GAMES.families:
            _print_family(family)
        return
    if name in GAMES.families and ruling is None:
        for member, title in sorted(GAMES.members(name).items()):
            out(f"{name}.{member:<26} {title}")
        return
    check_game(name)
    page = GAMES[name].page()
    if ruling is not None:
        out_text(_ruling(GAMES[name], ruling))
    elif sys.stdout.isatty():
        from arena.extensions.authors.commands.markdown import print_markdown

        print_markdown(page, _width(), color=has_color(sys.stdout))
    else:
        out_text(page.rstrip("\n"))


def _summary(game: Game) -> str:
    seats = ", ".join(map(str, game.seats))
    status = rules_spec(game.name).data.get("status") if game.data_file else None
    cards = f", {status} card data" if status else ""
    return f"{game.name:<14} {game.title}, seats: {seats}{cards}"


def _print_family(name: str) -> None:
    """Print how many games a family has; warn about one that cannot be used."""
    try:
        family, members = GAMES.family(name), GAMES.members(name)
    except GameError as error:
        warn(str(error))
        return
    out(f"{name:<14} {family.title}, {count(len(members), 'game')}: arena rules {name}")


def _width() -> int:
    return min(_WIDEST, shutil.get_terminal_size().columns)


def _ruling(game: Game, asked: str) -> str:
    """Return a ruling as wrapped text. Case and leading zeros of its id do not matter."""
    rulings = game.rulings()
    if not rulings:
        raise BadInput(f'--ruling: found "{asked}", but the page of {game.name} has no rulings')
    found = next((known for known in rulings if _loose(known) == _loose(asked)), None)
    if found is None:
        hint = did_you_mean(asked.upper(), rulings)
        raise BadInput(
            f'--ruling: found "{asked}", expected {min(rulings)} to {max(rulings)}'
            + (f" ({hint})" if hint else "")
        )
    question, ruling, reason = rulings[found]
    return "\n".join(
        [_item(f"{found} ", question), _item("ruling:", ruling), _item("reason:", reason)]
    )


def _loose(ruling: str) -> str:
    return re.sub(r"-0*", "-", ruling.upper())


def _item(term: str, text: str) -> str:
    return textwrap.fill(f"{term} {text}", max(20, _width()), subsequent_indent=" " * 8)


COMMAND: Final = command(print_rules)
