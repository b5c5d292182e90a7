"""The kind ``ladder``: entrants of about equal strength meet; newcomers are placed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from arena.schedule.keys import Schedule
from arena.schedule.kinds.kind import GrowingKind
from arena.schedule.rounds.ladder import owner_of


class LadderKind(GrowingKind):
    """Kind ``ladder``: bots of about equal strength meet, without end if ``rounds`` is None."""

    name = "ladder"
    keys = frozenset({"rounds"})
    is_ladder = True
    is_open = True
    has_points = False

    def excess(self, plan: Schedule, names: Sequence[str], seats: int) -> Iterator[str]:
        """Yield a sentence if all bots belong to one author, so that none can meet."""
        if len(set(map(owner_of, names))) < 2:
            yield (
                f"all {len(names)} bots are of one author: nobody meets until another one enters"
            )
