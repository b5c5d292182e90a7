"""The seam between a run and the kinds of rounds: what is paired by, and what comes of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from arena.games.luck import Luck
from arena.runs.rounds.played import Paired, Played
from arena.schedule.schedule import Discipline


class Now(NamedTuple):
    """All that there is when a round is over, before the first one too."""

    discipline: Discipline
    players: Sequence[str]
    """All who ever entered, in that order."""
    there: Mapping[str, str]
    """Those who can be paired, by player the entrant that plays."""
    before: Sequence[Paired]
    """The rounds that are over."""
    played: Played
    luck: Luck
    """Fixed by the commitment of the run."""


class Met(NamedTuple):
    """A round, by players."""

    tables: tuple[tuple[str, ...], ...]
    byes: tuple[str, ...] = ()
