"""Earlier versions of bots: the folder of a bot at a revision of its repository.

A bot's folder can be named as ``FOLDER@REVISION`` everywhere; ``entrants.Roster`` takes it out. An
extension reads the repository, see ``Extension.sources``.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final, NamedTuple

from arena import extensions
from arena.values.bad_input import ArenaError, BadInput
from arena.values.problems import quote

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


def commit_of(folder: str) -> str:
    """Return the checked out commit if the bot in ``folder`` equals it, else an empty string.

    The folder must have every file of the commit byte for byte, and no other file that counts for
    the bot. The result is also empty if that cannot be determined; never raises.
    """
    place = extensions.places("sources").get("commit")
    found: str = extensions.load(place)(folder) if place else ""
    return found


def name_at(name: str, revision: str, commit: str) -> str:
    """Return the name of a bot at a revision: ``mine-v1``; a commit gives its first digits.

    If a branch moves, the name stays the same: the bot is then a new version of the same bot.
    """
    given = commit if commit.startswith(revision) else revision
    words = _UNNAMED.sub("-", given).strip("-") or commit
    short = words[:_COMMIT_DIGITS] if commit.startswith(words) else words
    return f"{name[:_NAME_LENGTH]}-{short}"[:_NAME_LENGTH_AT]
