"""The interface of kinds that are paired round by round, and which kinds have it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Final

from arena.extensions.rounds.pairing.state import Now, Paired, RoundPairing
from arena.schedule.keys import Discipline, Schedule, Seeding
from arena.schedule.kinds.kind import KINDS

BY_POINTS: Final = "rounds"
"""Value of ``Rounds.view`` for kinds whose players have points."""
ANY_TABLE: Final = 64
"""Value of ``Rounds.stage_seats`` for kinds that can be a stage at every table."""


class Rounds(ABC):
    """Part of a kind whose rounds are paired one by one, with the results of those before."""

    is_open: ClassVar[bool] = False
    """True if new players may enter between rounds."""
    view: ClassVar[str] = BY_POINTS
    """How a stage is shown, a key of ``views.places.VIEWS``; empty: not at all."""
    stage_seats: ClassVar[int] = 0
    """Largest table at which it can be a stage; 0 if it cannot be one."""

    @abstractmethod
    def rules(self, discipline: Discipline) -> str:
        """Return the name of the rules of pairing: each edition has its own name."""

    @abstractmethod
    def pair(self, now: Now) -> RoundPairing | None:
        """Return the next round; None, or a round without tables, if no more follow.

        Raises BadInput if there are too many players for the rules of pairing.
        """

    @abstractmethod
    def places(self, now: Now) -> list[str]:
        """Return the players ranked by their results, best first."""

    def advancing(self, now: Now, seeding: Seeding) -> list[str]:
        """Return those who advance to the next stage, best seeds first.

        ``seeding``: of that stage, if it is a knockout.
        """
        return [name for name in self.places(now) if name in now.there]

    def passing(self, plan: Schedule, players: int) -> int:
        """Return how many of ``players`` advance to a next stage, unless it takes fewer."""
        return players

    def draws(self, plan: Schedule) -> bool:
        """Return whether lots decide who meets in its first round."""
        return False

    def planned_rounds(self, plan: Schedule, players: int) -> int:
        """Return the number of rounds that ``players`` are to play."""
        return circle_rounds(players)

    def brought(self, now: Now, before: Sequence[Paired]) -> list[object]:
        """Return the results that the next round binds, of all rounds ``before`` it."""
        return [each.round for each in before]


AS_STAGES: Final[dict[str, Rounds]] = {}
"""Rounds of kinds that are known before play, as a stage; filled by ``stages``."""


def rounds_of(plan: Schedule) -> Rounds:
    """Return how a schedule is paired round by round."""
    if (found := rounds_in(plan.kind)) is None:
        raise TypeError(f"{plan.kind} has no rounds")
    return found


def rounds_in(kind: str) -> Rounds | None:
    """Return how the kind with this name is paired round by round; None if it is not."""
    own = KINDS.get(kind)
    return own if isinstance(own, Rounds) else AS_STAGES.get(kind)


def circle_rounds(players: int) -> int:
    """Return the number of rounds at two seats in which every two players meet once."""
    return players - 1 + players % 2 if players > 1 else 0


def circle_round(members: Sequence[str], now: Now) -> RoundPairing | None:
    """Return the next round among ``members`` by the circle method; None if all have met."""
    names: list[str | None] = [*members, *[None] * (len(members) % 2)]
    met = {frozenset(table.names) for each in now.before for table in each.round.tables}
    half = len(names) // 2
    for number in range(len(names) - 1):
        turned = [*names[:1], *names[number + 1 :], *names[1 : number + 1]]
        there = [
            tuple(name for name in pair if name is not None and name in now.there)
            for pair in zip(turned[:half], reversed(turned[half:]), strict=True)
        ]
        tables = tuple(each for each in there if len(each) > 1 and frozenset(each) not in met)
        if tables:
            return RoundPairing(tables, tuple(each[0] for each in there if len(each) == 1))
    return None
