"""Shell completions. Games are looked up only when the shell asks for completions."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import typer


def _begin(words: Iterable[str], incomplete: str) -> list[str]:
    return [each for each in words if each.lower().startswith(incomplete.lower())]


def games(incomplete: str) -> list[str]:
    """Return the matching names of games."""
    from arena.games.registry import GAMES

    return _begin(GAMES, incomplete)


def disciplines(incomplete: str) -> list[str]:
    """Return the matching games; after a colon, the games with each table size."""
    from arena.games.registry import GAMES

    sizes = [f"{game.name}:{seats}" for game in GAMES.usable() for seats in game.seats]
    return _begin(sizes if ":" in incomplete else [*games(""), *sizes], incomplete)


def rulings(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the matching rulings of the game named in the call, or of all games."""
    from arena.games.registry import GAMES

    # While the words do not parse yet (an option waits for its value), they are in args.
    named = [word for word in (ctx.params.get("name"), *ctx.args) if word in games("")]
    found = (each for game in GAMES.usable(named or None) for each in game.rulings())
    return _begin(found, incomplete)


def languages(incomplete: str) -> list[str]:
    """Return the matching languages in which a bot can be begun."""
    from arena.kit.languages import LANGUAGES

    return _begin(LANGUAGES, incomplete)


def cases(incomplete: str) -> list[str]:
    """Return the matching cases of a bot check."""
    from arena.studies.check.cases import CASES

    return _begin(CASES, incomplete)


def schemas(incomplete: str) -> list[str]:
    """Return the matching names of things that have a schema."""
    return _begin(("protocol", "tournament", "ladder", "bot", "record", *games("")), incomplete)


def _of(*words: str) -> Callable[[str], list[str]]:
    """Return a completion function for a fixed list of words."""

    def complete(incomplete: str) -> list[str]:
        return _begin(words, incomplete)

    return complete


isolation = _of("none", "limits", "landlock", "bubblewrap", "sandbox")
layers = _of("steps", "counts", "games")
"""Completion for the layers of test vectors."""
modes = _of("gain", "no-regression")
scales = _of("normalized", "logistic")
"""Completion for the scales of the bounds of a test."""
lineups = _of("even", "alone")
"""Completion for the line-ups of a match at larger tables."""
measures = _of("places", "margin")
"""Completion for the measures of what a block is worth."""
forms = _of("txt", "md", "csv", "json", "trf")
"""Completion for the output formats of a table."""
plain_forms = _of("txt", "json")
"""Completion for the output formats of an answer without a table."""
views = _of("all", "spectator")
"""Completion for the views of a report."""
colors = _of("auto", "always", "never")
