"""The kind ``hill``: who wins stays and meets the next one, until everybody was there."""

from __future__ import annotations

from arena.extensions.rounds.kinds.rounds import Rounds
from arena.extensions.rounds.pairing.state import Now, RoundPairing
from arena.schedule.keys import Discipline
from arena.schedule.kinds.kind import GrowingKind


class HillKind(GrowingKind, Rounds):
    """Rounds of one table at two seats; in a draw the challenger takes the hill."""

    name = "hill"

    def rules(self, discipline: Discipline) -> str:
        """Return the name of the rules."""
        return "hill-1"

    def pair(self, now: Now) -> RoundPairing | None:
        """Return the king and the next challenger; the others have a bye."""
        if len(now.before) + 1 >= len(now.began):
            return None
        king, challenger = self.places(now)[0], now.began[len(now.before) + 1]
        others = tuple(name for name in now.there if name not in (king, challenger))
        return RoundPairing(((king, challenger),), others)

    def places(self, now: Now) -> list[str]:
        """Return the king, then those before it, the latest first."""
        order = now.began[:1]
        for number, each in enumerate(now.before, 1):
            (table,) = each.round.tables
            king, challenger = order[0], now.began[number]
            points = dict(zip(table.names, table.points, strict=True))
            order.insert(1 if points[king] > points[challenger] else 0, challenger)
        return [*order, *(name for name in now.players if name not in order)]
