"""Tournament runner for game-playing bots.

The public names are loaded when they are used, so importing ``arena`` takes no time.
"""

__version__ = "0.2.0"

_HOMES = {
    "Error": "arena.extensions.data.api.errors:Error",
    "Game": "arena.extensions.data.api.runs:Game",
    "Ply": "arena.extensions.data.api.runs:Ply",
    "Run": "arena.extensions.data.api.runs:Run",
    "Standings": "arena.extensions.data.api.standings:Standings",
    "Table": "arena.extensions.data.api.standings:Table",
    "compare": "arena.extensions.data.api.play:compare",
    "env": "arena.extensions.data.api.library:env",
    "games": "arena.games",
    "open": "arena.extensions.data.api.runs:open_run",
    "play": "arena.extensions.data.api.play:play",
    "rate": "arena.extensions.data.api.rate:rate",
    "rules": "arena.extensions.data.api.library:rules",
    "schema": "arena.extensions.data.api.library:schema",
    "testing": "arena.testing",
}
"""Where each public name is defined."""
__all__ = sorted(_HOMES)


def __getattr__(name: str) -> object:
    """Load a public name. Types are in ``__init__.pyi``."""
    if name not in _HOMES:
        raise AttributeError(f"module 'arena' has no attribute {name!r}")
    return load(name, _HOMES[name])


def load(name: str, home: str) -> object:
    """Return a public name by its home. Raises AttributeError if its extension is missing."""
    from importlib import import_module

    module, _, inner = home.partition(":")
    try:
        found = import_module(module)
    except ModuleNotFoundError as error:
        *_, folder = (error.name or "").partition("arena.extensions.")
        if not folder:
            raise
        extension = folder.partition(".")[0]
        told = f"arena.{name} needs the extension {extension}, which is not in arena/extensions"
        raise AttributeError(told) from None
    return getattr(found, inner) if inner else found


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
