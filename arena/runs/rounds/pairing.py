"""Interface between a run and its kinds of rounds: the input and output of pairing a round."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from arena.games.luck import Luck
from arena.runs.field import Decided
from arena.runs.rounds.played import Paired, Played
from arena.schedule.schedule import Discipline


class Now(NamedTuple):
    """State of a stage when a round has ended, or before its first round."""

    discipline: Discipline
    """Discipline; of several that are paired together, the first by name."""
    players: Sequence[str]
    """Players of the stage, best seeds first; in the first stage, all ever entered, in order."""
    there: Mapping[str, str]
    """Entrant (version) that plays for each player who can be paired, by player."""
    before: Sequence[Paired]
    """Finished rounds of the stage."""
    played: Played
    luck: Luck
    """Lots, fixed by the commitment of the run."""
    games: int
    """Number of disciplines that every pairing plays."""
    stage: int = 0
    """Number of the stage, from 0."""
    earlier: int = 0
    """Number of rounds in earlier stages."""
    anchor: str = ""
    """Entrant that fixes the scale of the ratings; empty without ratings."""

    @property
    def began(self) -> list[str]:
        """Players of the stage that were present when it began."""
        there = self.before[0].there if self.before else self.there
        return [name for name in self.players if name in there]


class RoundPairing(NamedTuple):
    """A paired round: its tables and byes, with players instead of entrants."""

    tables: tuple[tuple[str, ...], ...]
    byes: tuple[str, ...] = ()
    ties: tuple[str, ...] = ()
    """Names of the tables, where tables have names."""
    decided: tuple[Decided, ...] = ()
    """Ties decided since the round before. Without tables, no more rounds follow."""
    deals: int | None = None
    """Deals of each table; None for those of the schedule."""
    is_later: bool = False
    """True if there are no tables now, but may be once more players have entered."""
