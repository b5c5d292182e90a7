"""Tournament runner for game-playing bots.

The public names are loaded when they are used, so importing ``arena`` takes no time.
"""

import os

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
    "envs": "arena.extensions.data.api.library:envs",
    "games": "arena.games",
    "open": "arena.extensions.data.api.runs:open_run",
    "gym_env": "arena.extensions.data.api.library:gym_env",
    "parallel_env": "arena.extensions.data.api.library:parallel_env",
    "play": "arena.extensions.data.api.play:play",
    "rate": "arena.extensions.data.api.rate:rate",
    "rules": "arena.extensions.data.api.library:rules",
    "schema": "arena.extensions.data.api.library:schema",
    "testing": "arena.testing",
}
"""Where each public name is defined."""


def _extension(home: str) -> str:
    """Return the extension that brings a module, or ""."""
    return home.partition("arena.extensions.")[2].partition(".")[0]


__all__ = sorted(
    name
    for name, home in _HOMES.items()
    if os.path.isdir(os.path.join(__path__[0], "extensions", _extension(home)))
)


def __getattr__(name: str) -> object:
    """Load a public name. Types are in ``__init__.pyi``."""
    if name not in _HOMES:
        raise AttributeError(f"module 'arena' has no attribute {name!r}")
    return load(name, _HOMES[name])


def load(name: str, home: str) -> object:
    """Return a public name by its home.

    Raises ImportError if its extension is missing; for names such as ``__path__``, which Python
    looks for, AttributeError.
    """
    from importlib import import_module

    module, _, inner = home.partition(":")
    try:
        found = import_module(module)
    except ModuleNotFoundError as error:
        if not (extension := _extension(error.name or "")):
            raise
        get = "which is not here: pip install botarena"
        kind = AttributeError if name.endswith("__") else ImportError
        raise kind(f"arena.{name} needs the extension {extension}, {get}") from None
    return getattr(found, inner) if inner else found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
