"""Bots that come with arena, named ``builtin:NAME`` in commands and files.

In a clone they are folders of ``bots/``. A wheel contains copies of these folders as
``arena/bots/``, with the same files, so the digest of a builtin bot is the same in both.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import arena
from arena.documents.bad_input import ArenaError
from arena.documents.problems import did_you_mean, quote
from arena.entrants.manifest import load_bot, plays

PREFIX: Final = "builtin:"
NAMES: Final = ("random", "first-legal", "collector", "greedy", "sampler", "ismcts")
"""Names of the builtin bots, roughly from the weakest to the strongest."""
OPPONENTS: Final = ("greedy", "random")
"""Builtin bots to play against by default: the first one that plays the game."""


class BuiltinError(ArenaError):
    """There is no such builtin bot; the message says what was found and expected."""


def is_builtin(text: str) -> bool:
    """Return whether ``text`` names a builtin bot, existing or not."""
    return text.startswith(PREFIX)


def builtin_folder(text: str) -> Path:
    """Return the folder of the builtin bot that ``text`` names. Raises BuiltinError."""
    name = text.removeprefix(PREFIX)
    if name in NAMES:
        return _home() / name
    if name.partition("@")[0] in NAMES:
        whole = PREFIX + name.partition("@")[0]
        raise BuiltinError(
            f"found {quote(text)}, expected {quote(whole)}: a builtin bot has no revisions"
        )
    hint = did_you_mean(text, [f"{PREFIX}{each}" for each in NAMES])
    expected = f"found {quote(text)}, expected {PREFIX} and one of {', '.join(NAMES)}"
    raise BuiltinError(f"{expected} ({hint})" if hint else expected)


def similar_builtin(path: str) -> str:
    """Return a hint if the last part of a path is the name of a builtin bot; else ""."""
    name = Path(path).name
    return f"did you mean {quote(PREFIX + name)}?" if name in NAMES else ""


def players(rules: str, seats: int) -> list[str]:
    """Return the names of the builtin bots that play these rules at a table of that size."""
    return [name for name in NAMES if plays(load_bot(_home() / name).manifest, rules, seats)]


def opponent(rules: str, seats: int) -> str:
    """Return the builtin bot to play against, as text that names it."""
    able = players(rules, seats)
    return PREFIX + next(name for name in OPPONENTS if name in able)


def _home() -> Path:
    package = Path(arena.__file__).parent
    packed = package / "bots"
    return packed if packed.is_dir() else package.parent / "bots"
