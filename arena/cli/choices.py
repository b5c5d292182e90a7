"""What a shell may complete. Games are looked up only when it asks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from arena.games.game import Game


def _begin(words: Iterable[str], incomplete: str) -> list[str]:
    return [each for each in words if each.lower().startswith(incomplete.lower())]


def games(incomplete: str) -> list[str]:
    """Rules by their names."""
    from arena.games.registry import GAMES

    return _begin(GAMES, incomplete)


def _usable(names: Iterable[str]) -> Iterator[Game]:
    """The games of these names, but those that something is wrong with."""
    from arena.games.base import RulesError
    from arena.games.registry import GAMES

    for name in names:
        with suppress(RulesError):
            yield GAMES[name]


def disciplines(incomplete: str) -> list[str]:
    """Rules alone; with a colon behind them at each size of table."""
    sizes = [f"{game.name}:{seats}" for game in _usable(games("")) for seats in game.seats]
    return _begin(sizes if ":" in incomplete else [*games(""), *sizes], incomplete)


def rulings(ctx: typer.Context, incomplete: str) -> list[str]:
    """Of the game that is named, or else of all."""
    from arena.cli.commands.rules import rulings_of

    # where the words do not parse yet, as with an option that waits for its value, they are in args
    named = [word for word in (ctx.params.get("name"), *ctx.args) if word in games("")]
    pages = [game.page() for game in _usable(named or games(""))]
    return _begin((each for page in pages for each in rulings_of(page)), incomplete)


def schemas(incomplete: str) -> list[str]:
    """What has a schema."""
    return _begin(("protocol", "tournament", "bot", "record", *games("")), incomplete)


def isolation(incomplete: str) -> list[str]:
    """Levels."""
    return _begin(("none", "limits", "landlock", "bubblewrap", "sandbox"), incomplete)


def modes(incomplete: str) -> list[str]:
    """Of a sequential test."""
    return _begin(("gain", "no-regression"), incomplete)


def scales(incomplete: str) -> list[str]:
    """Of its bounds."""
    return _begin(("normalized", "logistic"), incomplete)


def lineups(incomplete: str) -> list[str]:
    """Of a match at larger tables."""
    return _begin(("even", "alone"), incomplete)


def measures(incomplete: str) -> list[str]:
    """What a block is worth."""
    return _begin(("places", "margin"), incomplete)


def forms(incomplete: str) -> list[str]:
    """Of a table."""
    return _begin(("txt", "md", "csv", "json"), incomplete)


def views(incomplete: str) -> list[str]:
    """Of a report."""
    return _begin(("all", "spectator"), incomplete)
