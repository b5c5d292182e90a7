"""Errors whose text is the whole explanation, for people."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final


def printable(text: str) -> str:
    """Return the text with escapes for everything a terminal might act on."""
    return "".join(c if c.isprintable() else _escape(c) for c in text)


def _escape(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")


class ArenaError(Exception):
    """Base of errors for people. Each argument is one line; values in it may contain anything.

    Names of bots, files and games come from other people, so ``str()`` escapes them.
    """

    def __str__(self) -> str:
        return "\n".join(printable(str(line)) for line in self.args)


class BadInput(ArenaError):
    """A person's input is wrong; the text is the whole explanation."""


class NothingToDo(BadInput):
    """The request is valid, but there is nothing to show yet, such as a run without games."""


_EXTENSIONS: Final = Path(__file__).parents[1] / "extensions"
BROUGHT: Final = {
    "authors": "init new-bot try check rules vectors new-game check-game arena.check/1 "
    "arena.checks/1 arena.contract/1",
    "browser": "play watch report site unveil arena.report/1 arena.site-written/1 arena.unveil/1 "
    "arena.watch/1",
    "data": "export arena.export-tables/1 arena.export/1 tables",
    "engines": "uci",
    "games": "demo chess dragonheart dragonkrak dragonrealm openspiel",
    "ladder": "ladder arena.event/1 arena.ladder/1",
    "matches": "compare arena.match/1",
    "publishing": "",
    "machines": "merge doctor arena.doctor/1 arena.doctor-on/1",
    "rounds": "swiss knockout groups stages ladder",
    "rulings": "ruling arena.rulings/1",
    "sources": "",
    "studies": "plan tune arena.against/1 arena.best/1 arena.plan/1 arena.sprt/1 arena.tune/1",
}
"""Names that people write for what arena's own extensions bring."""
HOOKS: Final = {
    "browser": "replays person",
    "ladder": "authors",
    "machines": "remotes shards",
    "matches": "match",
    "rounds": "rounds points ladder league trf",
    "sources": "sources",
    "studies": "comparisons several",
}
"""Names by which the core asks them: fields of ``Extension``, kinds of runs and their tables."""

CHECKED: Final = {
    "family.json": "studies",
    "learned.bin": "rounds",
    "match.json": "matches",
    "thinned.jsonl": "ladder",
}
"""Extension that checks a file in the folder of a run, by the name of the file."""

UNUSABLE: Final[dict[str, str]] = {}
"""Reasons why arena's own extensions cannot be used, by name; found by ``arena.extensions``."""


def lacking(extension: str) -> str:
    """Return why one of arena's own extensions cannot be used and how to get it; "" if it can."""
    lacks = f"needs the extension {extension}, which"
    if not (_EXTENSIONS / extension).is_dir():
        return f"{lacks} is not here: pip install botarena"
    reason = UNUSABLE.get(extension)
    return f"{lacks} cannot be used: {reason}" if reason else ""


def needed_extension(word: str, brought: Mapping[str, str] = BROUGHT) -> str:
    """Return which of arena's own extensions ``word`` needs and how to get it; "" if it is usable.

    ``word``: name of a command, game, kind or schema, or of one of the others in ``brought``.
    """
    names = {word, word.partition(".")[0]}  # a game of a family too
    found = (lacking(each) for each, words in brought.items() if names & {*words.split()})
    return next(filter(None, found), "")
