"""What a shell may complete. Games are looked up only when it asks."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import typer


def _begin(words: Iterable[str], incomplete: str) -> list[str]:
    return [each for each in words if each.lower().startswith(incomplete.lower())]


def games(incomplete: str) -> list[str]:
    """Rules by their names."""
    from arena.games.registry import GAMES

    return _begin(GAMES, incomplete)


def disciplines(incomplete: str) -> list[str]:
    """Rules alone; with a colon behind them at each size of table."""
    from arena.games.registry import GAMES

    sizes = [f"{game.name}:{seats}" for game in GAMES.usable() for seats in game.seats]
    return _begin(sizes if ":" in incomplete else [*games(""), *sizes], incomplete)


def rulings(ctx: typer.Context, incomplete: str) -> list[str]:
    """Of the game that is named, or else of all."""
    from arena.games.registry import GAMES

    # where the words do not parse yet, as with an option that waits for its value, they are in args
    named = [word for word in (ctx.params.get("name"), *ctx.args) if word in games("")]
    found = (each for game in GAMES.usable(named or None) for each in game.rulings())
    return _begin(found, incomplete)


def languages(incomplete: str) -> list[str]:
    """That bots can be begun in."""
    from arena.kit.languages import LANGUAGES

    return _begin(LANGUAGES, incomplete)


def cases(incomplete: str) -> list[str]:
    """Of a check of a bot."""
    from arena.studies.check.cases import CASES

    return _begin(CASES, incomplete)


def schemas(incomplete: str) -> list[str]:
    """What has a schema."""
    return _begin(("protocol", "tournament", "ladder", "bot", "record", *games("")), incomplete)


def _of(*words: str) -> Callable[[str], list[str]]:
    """Always these."""

    def complete(incomplete: str) -> list[str]:
        return _begin(words, incomplete)

    return complete


isolation = _of("none", "limits", "landlock", "bubblewrap", "sandbox")
layers = _of("steps", "counts", "games")
"""Of vectors."""
modes = _of("gain", "no-regression")
scales = _of("normalized", "logistic")
"""Of the bounds of a test."""
lineups = _of("even", "alone")
"""Of a match at larger tables."""
measures = _of("places", "margin")
"""What a block is worth."""
forms = _of("txt", "md", "csv", "json", "trf")
"""Of a table."""
plain_forms = _of("txt", "json")
"""Of an answer that is no table."""
views = _of("all", "spectator")
"""Of a report."""
colors = _of("auto", "always", "never")
