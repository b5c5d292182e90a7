"""The kind ``ladder``: entrants of about equal strength meet; newcomers are placed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from arena.schedule.keys import Schedule
from arena.schedule.kinds.kind import GrowingKind
from arena.schedule.rounds.ladder import owner_of


class LadderKind(GrowingKind):
    """Rounds by strength; without ``rounds`` they have no end."""

    name = "ladder"
    keys = frozenset({"rounds"})
    is_ladder = True
    is_open = True
    has_points = False

    def excess(self, plan: Schedule, names: Sequence[str], seats: int) -> Iterator[str]:
        """Yield that all bots are of one author."""
        if len(set(map(owner_of, names))) < 2:
            yield (
                f"all {len(names)} bots are of one author: nobody meets until another one enters"
            )
