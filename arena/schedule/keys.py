"""The keys of the section ``schedule``: what may be written, and what it means."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from arena.documents.values import Name


class ScheduleKind(StrEnum):
    """Which entrants meet."""

    ROUND_ROBIN = "round_robin"
    """Every set of as many entrants as the table has seats."""
    GAUNTLET = "gauntlet"
    """Each entrant of ``focus`` against every choice of the others; nobody else meets."""
    PAIRINGS = "pairings"
    """The sets that are listed."""
    MATCH = "match"
    """Two entrants that fill every table alone, on several seats each if there are more. In a match
    of several candidates every two of them do, or those that are listed."""
    SWISS = "swiss"
    """In each round those of about equal score, as the rounds before have it."""


class Lineup(StrEnum):
    """Who fills the seats in a match."""

    EVEN = "even"
    """Half the seats each, the odd one in turns: every lineup with its mirror image."""
    ALONE = "alone"
    """The entrant in ``focus`` on each seat in turn, the other one on all others."""


class Seatings(StrEnum):
    """In which seatings a deal is played."""

    ROTATE = "rotate"
    """As many as there are seats: the rotations of a random order, another one for each deal."""
    ALL = "all"
    """Every order of the entrants; in an even match every lineup."""


class Schedule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``schedule``: who meets whom how often."""

    kind: Annotated[ScheduleKind, Meta(description="Which entrants meet.")] = (
        ScheduleKind.ROUND_ROBIN
    )
    deals: Annotated[
        int, Meta(ge=1, le=10_000_000, description="Deals per pairing, each in all its seatings.")
    ] = 50
    seatings: Annotated[
        Seatings, Meta(description="The rotations of a random order, or every order.")
    ] = Seatings.ROTATE
    max_pairings: Annotated[
        Annotated[int, Meta(ge=1, le=10_000)] | None,
        Meta(description="Play a balanced choice of so many pairings. Default: all."),
    ] = None
    focus: Annotated[
        tuple[Name, ...],
        Meta(
            description="With the kind gauntlet: those who meet the others. With the lineup "
            "alone: who sits alone."
        ),
    ] = ()
    pairings: Annotated[
        tuple[tuple[Name, ...], ...],
        Meta(description="With the kind pairings: the entrants of each table."),
    ] = ()
    lineup: Annotated[
        Lineup | None,
        Meta(description="With the kind match: who fills the seats. Default: even."),
    ] = None
    rounds: Annotated[
        Annotated[int, Meta(ge=1, le=1_000)] | None,
        Meta(description="With the kind swiss: how many rounds are played."),
    ] = None

    @property
    def grows(self) -> bool:
        """Whether pairings follow from results, round by round."""
        return self.kind is ScheduleKind.SWISS


SHARED_KEYS: Final = frozenset({"kind", "deals", "seatings"})
"""Those that say something with every kind."""
KEYS_OF: Final[dict[ScheduleKind, frozenset[str]]] = {
    ScheduleKind.ROUND_ROBIN: frozenset({"max_pairings"}),
    ScheduleKind.GAUNTLET: frozenset({"focus", "max_pairings"}),
    ScheduleKind.PAIRINGS: frozenset({"pairings"}),
    ScheduleKind.MATCH: frozenset({"lineup", "focus"}),
    ScheduleKind.SWISS: frozenset({"rounds"}),
}
"""What else says something with each kind; any other key is refused beside it."""
