"""Bots named by a scheme in commands and files, such as ``builtin:NAME``.

Builtin bots come with arena. In a clone they are folders of ``bots/``. A wheel contains copies of
these folders as ``arena/bots/``, with the same files, so the digest of a builtin bot is the same in
both. Other schemes are of extensions, such as ``uci:PROGRAM SETTINGS`` for chess engines.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import arena
from arena import extensions
from arena.entrants.manifest import load_bot, plays
from arena.values.bad_input import ArenaError, BadInput, needed_extension
from arena.values.problems import did_you_mean, quote


class SchemeError(ArenaError):
    """A bot cannot be used as named; the message says what was found and expected."""


def is_engine(text: str) -> bool:
    """Return whether ``text`` names a bot by a scheme of an extension, existing or not."""
    scheme, colon, _ = text.partition(":")
    if not colon:
        return False
    return scheme in extensions.places("schemes") or needed_extension(scheme) != ""


def engine_bot(text: str, folder: Path) -> tuple[Path, str]:
    """Return the folder of a bot and the text that names it, as ``is_engine`` knows it.

    ``folder``: where a relative path in ``text`` starts. Raises SchemeError.
    """
    scheme = text.partition(":")[0]
    try:
        function = extensions.need(quote(text), "schemes", scheme)
    except BadInput as error:
        raise SchemeError(str(error)) from None
    found: tuple[Path, str] = function(text, folder)
    return found


BUILTIN: Final = "builtin:"
NAMES: Final = ("random", "first-legal", "collector", "greedy", "sampler", "ismcts")
"""Names of the builtin bots, roughly from the weakest to the strongest."""
OPPONENTS: Final = ("greedy", "random")
"""Builtin bots to play against by default: the first one that plays the game."""


def is_builtin(text: str) -> bool:
    """Return whether ``text`` names a builtin bot, existing or not."""
    return text.startswith(BUILTIN)


def builtin_folder(text: str) -> Path:
    """Return the folder of the builtin bot that ``text`` names. Raises SchemeError."""
    name = text.removeprefix(BUILTIN)
    if name in NAMES:
        return _home() / name
    if name.partition("@")[0] in NAMES:
        whole = BUILTIN + name.partition("@")[0]
        raise SchemeError(
            f"found {quote(text)}, expected {quote(whole)}: a builtin bot has no revisions"
        )
    hint = did_you_mean(text, [f"{BUILTIN}{each}" for each in NAMES])
    expected = f"found {quote(text)}, expected {BUILTIN} and one of {', '.join(NAMES)}"
    raise SchemeError(f"{expected} ({hint})" if hint else expected)


def similar_builtin(path: str) -> str:
    """Return a hint if the last part of a path is the name of a builtin bot; else ""."""
    name = Path(path).name
    return f"did you mean {quote(BUILTIN + name)}?" if name in NAMES else ""


def players(rules: str, seats: int) -> list[str]:
    """Return the names of the builtin bots that play these rules at a table of that size."""
    return [name for name in NAMES if plays(load_bot(_home() / name).manifest, rules, seats)]


def opponent(rules: str, seats: int) -> str:
    """Return the builtin bot to play against, as text that names it."""
    able = players(rules, seats)
    return BUILTIN + next(name for name in OPPONENTS if name in able)


def _home() -> Path:
    package = Path(arena.__file__).parent
    packed = package / "bots"
    return packed if packed.is_dir() else package.parent / "bots"
