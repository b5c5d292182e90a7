"""A first tournament file, with comments, which can be played as it stands."""

from __future__ import annotations

from typing import Final

from arena.entrants.builtin import PREFIX, players
from arena.games.game import Game

DEFAULT_NAME: Final = "tournament.yaml"
_ENTRANTS: Final = ("random", "greedy", "sampler")
"""Builtin bots of the file; in a game that only one of them plays, all that play it."""
_OPTIONS: Final = {"sampler": "{playouts: 50}"}
_COLUMN: Final = 36

_HEAD: Final = """\
# A tournament for `arena run FILE`. With --dry-run it prints every value, and plays nothing.
# Paths are relative to this file. `arena schema tournament` has all keys.
"""
_LINES: Final = (
    ("arena: 1", "version of this format"),
    ("game: {game}", "or {{rules: {game}, seats: N}}; `arena rules` lists games"),
    ("", ""),
    ("entrants:", ""),
    ("{entrants}", ""),
    ("  # - bot: mine", "a folder with a bot.yaml, such as `arena new-bot` makes"),
    ("  # - glob: submissions/*", "each folder in submissions/ that has a bot.yaml"),
    ("  # - {{bot: mine@v1, name: older}}", "as it was at a git revision"),
    ("  # - {{command: ./engine, name: other}}", "a program without a bot.yaml"),
    ("", ""),
    ("seed: 1", "decides all chance; without it one is drawn"),
    ("schedule: {{deals: 20}}", "per pairing; each is played in all seatings"),
    ("clock: {{move: 1 s}}", "or {{bank: 10 s, increment: 50 ms}}"),
    ("isolation: limits", "sandbox, if programs of strangers play"),
    ("ratings: {{anchor: {anchor}, elo: 1000}}", "the others are rated against it"),
)


def starter_file(game: Game) -> str:
    """Return the text of a tournament file for ``game``."""
    able = players(game.name, game.default_seats)
    usual: list[str] = [each for each in _ENTRANTS if each in able]
    chosen = usual if len(usual) > 1 else able
    values = {"game": game.name, "entrants": "\n".join(map(_entry, chosen)), "anchor": chosen[0]}
    lines = [_commented(line.format(**values), words.format(**values)) for line, words in _LINES]
    return _HEAD + "".join(f"{line}\n" for line in lines)


def _entry(name: str) -> str:
    if name not in _OPTIONS:
        return f"  - bot: {PREFIX}{name}"
    return f"  - {{bot: {PREFIX}{name}, options: {_OPTIONS[name]}}}"


def _commented(line: str, words: str) -> str:
    return f"{line:<{_COLUMN}}  # {words}" if words else line
