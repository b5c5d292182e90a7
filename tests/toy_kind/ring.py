"""The kind ``ring``: every entrant meets its neighbours in alphabetical order."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from arena.schedule.keys import Schedule
from arena.schedule.kinds.kind import Flaw, Kind
from arena.schedule.pairings import Pairing


class RingKind(Kind):
    """As many tables as there are entrants; each has as many neighbours as it has seats."""

    name = "ring"

    def pairings(self, names: Pairing, seats: int, plan: Schedule) -> tuple[Pairing, ...]:
        """Return a table that begins with each entrant."""
        ring = names * 2
        return tuple(tuple(sorted(ring[k : k + seats])) for k in range(len(names)))

    def count(self, entrants: int, seats: int, plan: Schedule) -> int:
        """Return the number of entrants."""
        return entrants

    def fewest(self, seats: int) -> int:
        """Return one more than fit at a table, so that no table repeats."""
        return seats + 1

    def flaws(self, plan: Schedule, names: Collection[str], seats: int) -> Iterator[Flaw]:
        """Yield a flaw of odd numbers of deals, which stands for any."""
        yield from super().flaws(plan, names, seats)
        if plan.deals % 2:
            yield Flaw(("deals",), f"found {plan.deals} in a ring", "an even number")
