"""What a search for the best options comes to: the document."""

from __future__ import annotations

from typing import Final

import msgspec

from arena.entrants.keys import BotOption, OptionKind, OptionValue
from arena.ratings.match.report import MatchReport, Range, Verdict

SCHEMA: Final = "arena.tune/1"
RESULT: Final = "tune.json"
"""Where the answer stands, in the folder with the runs."""


class Parameter(msgspec.Struct, frozen=True):
    """An option that was tuned."""

    name: str
    type: OptionKind
    low: float | None
    """The range that was searched; None for bool and choice."""
    high: float | None
    values: tuple[OptionValue, ...]
    """Those that were tried of bool and choice; empty for numbers."""
    default: OptionValue
    found: OptionValue
    worst: OptionValue
    """Where within the range the bot is weakest, all other options as found."""
    lost: Range
    """By how many Elo, as fitted; what it is about decides how much the option matters at all."""
    declared: BotOption
    """In bot.yaml."""

    @property
    def is_flat(self) -> bool:
        """Whether the search has not told the option from one that changes nothing."""
        return self.lost.low is None or self.lost.low <= 0


class Tuned(msgspec.Struct, frozen=True):
    """The whole document; everything in it but the match's ``seconds`` follows from the games."""

    schema: str
    arena: str
    verdict: Verdict
    """Whether what was found is better than the default; ``fail`` too if it is the default."""
    reason: str
    """One sentence without a full stop."""
    bot: str
    disciplines: tuple[str, ...]
    parameters: tuple[Parameter, ...]
    """Empty if the search could not be played to its end."""
    options: dict[str, OptionValue]
    """What was found, to be written into a tournament file."""
    games: int
    """Of the search."""
    stages: int
    match: MatchReport | None
    """Of what was found against the default, on new deals; None if none was played."""
    run: str
    """The folder of the search: a run for each stage, and the match."""
