"""The seam between a run and the kinds of rounds: what is paired by, and what comes of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from arena.games.luck import Luck
from arena.runs.field import Decided
from arena.runs.rounds.played import Paired, Played
from arena.schedule.schedule import Discipline


class Now(NamedTuple):
    """All that there is when a round is over, before the first one too."""

    discipline: Discipline
    """Of several that are paired together the first by name."""
    players: Sequence[str]
    """Of the stage, best seeds first: in the first one all who ever entered, in that order."""
    there: Mapping[str, str]
    """Those who can be paired, by player the entrant that plays."""
    before: Sequence[Paired]
    """The rounds of the stage that are over."""
    played: Played
    luck: Luck
    """Fixed by the commitment of the run."""
    games: int
    """How many disciplines every pairing plays."""
    stage: int = 0
    """The number of the stage."""
    earlier: int = 0
    """How many rounds there were in the stages before."""
    anchor: str = ""
    """The entrant that all are rated against; empty if there is none."""

    @property
    def began(self) -> list[str]:
        """Its players that were there when it began."""
        there = self.before[0].there if self.before else self.there
        return [name for name in self.players if name in there]


class Met(NamedTuple):
    """A round, by players."""

    tables: tuple[tuple[str, ...], ...]
    byes: tuple[str, ...] = ()
    ties: tuple[str, ...] = ()
    """The names of the tables, where they have any."""
    decided: tuple[Decided, ...] = ()
    """Ties that are, since the round before. If there are no tables, nothing follows."""
    deals: int | None = None
    """Deals of each table; None: as the schedule says."""
    is_later: bool = False
    """There are no tables by now, and may be when others have come."""
