"""The document with the result of a search for the best options."""

from __future__ import annotations

from typing import Final

import msgspec

from arena.entrants.keys import BotOption, OptionKind, OptionValue
from arena.ratings.match.report import MatchReport, Range, Verdict

SCHEMA: Final = "arena.tune/1"
RESULT: Final = "tune.json"
"""Name of the answer's file, in the folder with the runs."""


class Parameter(msgspec.Struct, frozen=True):
    """An option that was tuned."""

    name: str
    type: OptionKind
    low: float | None
    """Lower end of the searched range; None for bool and choice."""
    high: float | None
    values: tuple[OptionValue, ...]
    """Tried values of bool and choice; empty for numbers."""
    default: OptionValue
    found: OptionValue
    worst: OptionValue
    """Value within the range at which the bot is weakest, all other options as found."""
    lost: Range
    """Fitted Elo loss of the worst value; it shows how much the option matters."""
    declared: BotOption
    """Declaration in bot.yaml."""

    @property
    def is_flat(self) -> bool:
        """True if the option may change nothing, as far as the search has shown."""
        return self.lost.low is None or self.lost.low <= 0


class Tuned(msgspec.Struct, frozen=True):
    """The whole document; everything but ``seconds`` of the match follows from the games."""

    schema: str
    arena: str
    verdict: Verdict
    """Verdict on the found options against the default; ``fail`` too if both are the same."""
    reason: str
    """One sentence without a full stop."""
    bot: str
    disciplines: tuple[str, ...]
    parameters: tuple[Parameter, ...]
    """Tuned options; empty if the search could not be played to its end."""
    options: dict[str, OptionValue]
    """The found options, to be written into a tournament file."""
    games: int
    """Number of games of the search."""
    stages: int
    match: MatchReport | None
    """Match of the found options against the default, on new deals; None if not played."""
    run: str
    """Folder of the search, with a run for each stage and the match."""
