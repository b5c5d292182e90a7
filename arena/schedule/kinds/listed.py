"""The kind ``pairings``: the sets that a file lists."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from arena.schedule.keys import Schedule
from arena.schedule.kinds.kind import Flaw, Kind, strangers
from arena.schedule.pairings import Pairing


class PairingsKind(Kind):
    """Kind ``pairings``: the listed sets meet. A round of a kind that grows is such a schedule."""

    name = "pairings"
    keys = frozenset({"pairings"})
    required = (("pairings", "[[NAME, …], …]"),)
    no_choice = "all that are listed are played"
    is_listed = True

    def pairings(self, names: Pairing, seats: int, plan: Schedule) -> tuple[Pairing, ...]:
        """Return the pairings as listed."""
        return tuple(tuple(sorted(pairing)) for pairing in plan.pairings)

    def count(self, entrants: int, seats: int, plan: Schedule) -> int:
        """Return the number of listed pairings."""
        return len(plan.pairings)

    def flaws(self, plan: Schedule, names: Collection[str], seats: int) -> Iterator[Flaw]:
        """Yield a flaw for each unknown name, wrong size and repeated pairing."""
        yield from super().flaws(plan, names, seats)
        listed: set[frozenset[str]] = set()
        for index, pairing in enumerate(plan.pairings):
            here = ("pairings", index)
            if unknown := list(strangers(here, pairing, names)):
                yield from unknown
                continue
            if len(pairing) != seats:
                found = f"found {len(pairing)} name{'s'[: len(pairing) != 1]}"
                yield Flaw(here, found, str(seats))
            elif frozenset(pairing) in listed:
                yield Flaw(here, "found this pairing a second time")
            listed.add(frozenset(pairing))
