"""Report bots that play only some games of a tournament, and suggest entrants for each game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from arena.documents.flow import flow
from arena.documents.problems import Document, Problems, quote
from arena.entrants.entrants import Entry
from arena.entrants.manifest import MANIFEST_FILE, plays
from arena.results import RulesSpec

_NAMED: Final = 5
"""Number of bots that are named; the others are counted."""


class Playing(NamedTuple):
    """The entrants of a game."""

    names: tuple[str, ...]
    is_asked: bool
    """True if the file lists them; otherwise they are all entrants that can play."""
    least: int
    """Least number of entrants of the game."""


def who_plays(
    rules: RulesSpec, asked: tuple[str, ...] | Literal["able"], entries: Sequence[Entry]
) -> Playing:
    """Return the entrants of a game.

    ``asked``: names from the file, ``able`` for all that can play it, empty for all entrants.
    """
    able = tuple(
        each.entrant.name
        for each in entries
        if each.bot is None or plays(each.bot.manifest, rules.name, rules.seats)
    )
    names = able if asked == "able" else asked or able
    return Playing(names, bool(asked), 1 if rules.seats == 1 else max(2, rules.seats))


def offer(
    lists: Sequence[Playing], entries: Sequence[Entry], document: Document, problems: Problems
) -> bool:
    """Report bots that play only some of the games, and show ``games`` with suitable entrants.

    ``lists``: one for each of the games. Nothing is reported if there is no such bot, if a bot
    plays no game, or if a game would have too few entrants. Return whether a problem was reported.
    """
    written = document.value.get("games") if isinstance(document.value, dict) else None
    names = [each.entrant.name for each in entries]
    everybody = {name for each in lists for name in each.names}
    is_enough = all(len(each.names) >= each.least for each in lists)
    lacking = [name for name in names if any(name not in e.names and not e.is_asked for e in lists)]
    if not isinstance(written, list) or not (lacking and is_enough and everybody >= {*names}):
        return False
    lines = ["games:"]
    for entry, playing in zip(written, lists, strict=True):
        if not playing.is_asked and len(playing.names) < len(names):
            game = entry if isinstance(entry, dict) else {"rules": entry}
            entry = {**game, "entrants": list(playing.names)}
        lines.append(f"  - {flow(entry)}")
    one = len(lacking) == 1
    which = "entrant that by its" if one else "entrants that by their"
    found = f"found {len(lacking)} {which} {MANIFEST_FILE} {'does' if one else 'do'} not play all"
    expected = "\n".join(["entrants for each game, such as", *lines, ""])
    problems.add(("games",), f"{found}: {_listed(lacking)}", expected=expected)
    return True


def _listed(names: Sequence[str]) -> str:
    shown = [quote(name) for name in names[:_NAMED]]
    more = [f"{len(names) - _NAMED} more"] if len(names) > _NAMED else []
    *before, last = [*shown, *more]
    return f"{', '.join(before)} and {last}" if before else last
