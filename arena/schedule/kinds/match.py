"""The kind ``match``: two entrants fill every table alone.

With more than two seats, each has several of them, and every block is fair as a whole. In an even
match, swapping the two names gives the same block. In an alone match, the single entrant takes each
seat once against the other. So between equal entrants the mean of a block is even, regardless of
what the seats are worth. A match of several candidates has every pair of them, or the listed pairs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import combinations
from math import comb

from arena.games.luck import Luck
from arena.schedule.keys import Lineup, Schedule, Seatings
from arena.schedule.kinds.kind import Flaw, Kind, strangers
from arena.schedule.pairings import Pairing


class MatchKind(Kind):
    """Kind ``match``: two entrants fill every table alone."""

    name = "match"
    keys = frozenset({"lineup", "focus"})
    own_keys = frozenset({"pairings"})
    no_choice = "every two meet"

    def pairings(self, names: Pairing, seats: int, plan: Schedule) -> tuple[Pairing, ...]:
        """Return the listed pairs, or every pair of ``names`` if none are listed."""
        listed = tuple(tuple(sorted(pairing)) for pairing in plan.pairings)
        return listed or tuple(combinations(names, 2))

    def count(self, entrants: int, seats: int, plan: Schedule) -> int:
        """Return the number of pairs."""
        return len(plan.pairings) or comb(entrants, 2)

    def fewest(self, seats: int) -> int:
        """Return 2."""
        return 2

    def newcomers(
        self, names: Pairing, new: Collection[str], seats: int, plan: Schedule
    ) -> Sequence[Pairing]:
        """Return no pairings, because nobody enters a match."""
        return ()

    def seatings(self, seats: int, plan: Schedule) -> int:
        """Return the number of lineups of a block."""
        if plan.lineup is Lineup.ALONE:
            return seats
        if plan.lineup is Lineup.TEAMS:
            return 2
        return comb(seats, seats // 2) * (1 + seats % 2) if plan.seatings is Seatings.ALL else 2

    def lineups(
        self, entrants: Pairing, seats: int, plan: Schedule, luck: Luck
    ) -> list[tuple[str, ...]]:
        """Return each lineup of the two entrants with its mirror image."""
        return list(_lineups(entrants, seats, plan, luck))

    def flaws(self, plan: Schedule, names: Collection[str], seats: int) -> Iterator[Flaw]:
        """Yield a flaw for each pairing of other than two, and for a wrong ``focus``."""
        yield from super().flaws(plan, names, seats)
        is_alone, both = plan.lineup is Lineup.ALONE, ("lineup", "focus")
        if is_alone and not plan.pairings and len(names) > 2:
            yield Flaw(("kind",), f"found {len(names)} entrants in a match alone", "two")
        elif is_alone and not plan.pairings and len(plan.focus) != 1:
            found = f"found {len(plan.focus)} names in focus"
            yield Flaw(("lineup",), found, "focus: [NAME], who sits alone", needs=both)
        elif plan.lineup is Lineup.TEAMS and seats % 2:
            yield Flaw(("lineup",), f"found teams at {seats} seats", "an even number of seats")
        elif plan.focus and not is_alone:
            hint = "it belongs to the lineup alone"
            yield Flaw(("focus",), "found focus in an even match", hint=hint, needs=both)
        else:
            for each in strangers(("focus",), plan.focus, names):
                yield each._replace(needs=both)
        for index, pairing in enumerate(plan.pairings):
            alone, two = sum(name in plan.focus for name in pairing), len(set(pairing)) == 2
            if not two or alone != is_alone or not all(name in names for name in pairing):
                yield Flaw(("pairings", index), "found no pair of a match")


def _lineups(
    entrants: Pairing, seats: int, plan: Schedule, luck: Luck
) -> Iterator[tuple[str, ...]]:
    one, other = entrants
    if plan.lineup is Lineup.ALONE:
        one, other = (one, other) if one in plan.focus else (other, one)
        yield from (_placed((seat,), one, other, seats) for seat in range(seats))
    elif plan.lineup is Lineup.TEAMS:
        even = tuple(range(0, seats, 2))
        yield _placed(even, one, other, seats)
        yield _placed(even, other, one, seats)
    elif plan.seatings is Seatings.ALL:
        for taken in combinations(range(seats), seats // 2):
            yield _placed(taken, one, other, seats)
            if seats % 2:
                yield _placed(taken, other, one, seats)
    else:
        taken = luck.shuffle("order", 0, tuple(range(seats)))[: seats // 2]
        yield _placed(taken, one, other, seats)
        yield _placed(taken, other, one, seats)


def _placed(taken: tuple[int, ...], one: str, other: str, seats: int) -> tuple[str, ...]:
    return tuple(one if seat in taken else other for seat in range(seats))
