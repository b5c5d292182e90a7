"""Bots named by a scheme, such as ``builtin:NAME``, or at a revision: ``FOLDER@REVISION``.

Builtin bots come with arena. In a clone they are folders of ``bots/``. A wheel contains copies of
these folders as ``arena/bots/``, with the same files, so the digest of a builtin bot is the same in
both. Other schemes are of extensions, such as ``uci:PROGRAM SETTINGS`` for chess engines.

A bot's folder can be named at a revision of its repository everywhere; ``entrants.Roster`` takes it
out. An extension reads the repository, see ``Extension.sources``.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final, NamedTuple

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


def _home() -> Path:
    package = Path(arena.__file__).parent
    packed = package / "bots"
    return packed if packed.is_dir() else package.parent / "bots"


_PLACES: Final = re.compile("@")
_UNNAMED: Final = re.compile("[^A-Za-z0-9._]+")
"""Characters that become ``-`` when a revision is part of a name."""
_COMMIT_DIGITS: Final = 8
_NAME_LENGTH: Final = 40
_NAME_LENGTH_AT: Final = 64


class RevisionError(ArenaError):
    """There is no such bot at a revision; the message has the reason."""


class Revision(NamedTuple):
    """A bot's folder at a revision."""

    folder: Path
    """Folder in the cache, shared by all users: nothing may be written to it."""
    commit: str
    """Whole commit name in hex."""


def split(text: str, base: str | os.PathLike[str] = "") -> tuple[str, str | None]:
    """Split ``bots/mine@v1`` into ``("bots/mine", "v1")``; None without a revision.

    A text that exists as written is a path without revision. Otherwise the revision begins after
    the longest folder that exists, or, if none exists, after the first ``@``. A text with blanks
    whose folder does not exist is a command, and has no revision. ``@v1`` alone gives an empty
    folder. ``base``: where relative paths begin; empty: in the current folder.
    """
    cuts = [found.start() for found in _PLACES.finditer(text)]
    if not cuts or os.path.lexists(os.path.join(base, text)):
        return text, None
    there = [cut for cut in cuts if cut and os.path.isdir(os.path.join(base, text[:cut]))]
    if not there and cuts[0] > 0 and any(char.isspace() for char in text):
        return text, None
    cut = there[-1] if there else cuts[0]
    return text[:cut], text[cut + 1 :]


def take_out(folder: str, revision: str) -> Revision:
    """Return the bot in a folder at a revision, which is anything that git can resolve.

    The folder need not exist any more; a symbolic link is followed to its present target. Nothing
    in the repository or its checkout is changed. Raises RevisionError; ConfigError if nothing can
    be cached.
    """
    try:
        function = extensions.need(quote(f"{folder}@{revision}"), "sources", "revision")
    except BadInput as error:
        raise RevisionError(str(error)) from None
    taken: Revision = function(folder, revision)
    return taken


def name_at(name: str, revision: str, commit: str) -> str:
    """Return the name of a bot at a revision: ``mine-v1``; a commit gives its first digits.

    If a branch moves, the name stays the same: the bot is then a new version of the same bot.
    """
    given = commit if commit.startswith(revision) else revision
    words = _UNNAMED.sub("-", given).strip("-") or commit
    short = words[:_COMMIT_DIGITS] if commit.startswith(words) else words
    return f"{name[:_NAME_LENGTH]}-{short}"[:_NAME_LENGTH_AT]
