"""Kinds whose pairings are known before play: round robin, gauntlet, pairings and match.

Round robin and gauntlet may have a balanced choice of pairings. Pairings among earlier entrants
never change. A newcomer gets the pairings that it would have had from the start, or about as many
as the others have if ``max_pairings`` limits them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import combinations
from math import comb

from arena.games.luck import Luck
from arena.schedule.keys import Lineup, Schedule, Seatings
from arena.schedule.kinds.kind import Flaw, Kind, strangers
from arena.schedule.pairings import Pairing, chosen


class ChoiceKind(Kind):
    """Base of the kinds that accept the key ``max_pairings``."""

    keys = frozenset({"max_pairings"})

    def newcomers(
        self, names: Pairing, new: Collection[str], seats: int, plan: Schedule
    ) -> Sequence[Pairing]:
        """Return the pairings that ``new`` adds; ``max_pairings`` limits those of each newcomer.

        In a gauntlet a newcomer outside ``focus`` meets each entrant of ``focus`` once instead.
        """
        if plan.max_pairings is None:
            return super().newcomers(names, new, seats, plan)
        most = plan.max_pairings
        focus = [name for name in sorted(plan.focus) if name in names]
        found: dict[Pairing, None] = {}
        for name in sorted(new):
            if plan.focus and name not in focus:
                tables = _with_each(name, names, focus, seats)
            else:
                others = tuple(each for each in names if each != name and each not in focus)
                shared = max(1, round(most * seats / len(names)))
                limit = -(-most // len(focus)) if name in focus else shared
                choice = chosen(others, seats - 1, limit)
                tables = iter(tuple(sorted((name, *rest))) for rest in choice)
            found |= dict.fromkeys(tables)
        return list(found)


class RoundRobinKind(ChoiceKind):
    """Kind ``round_robin``: every set of N entrants meets at a table with N seats."""

    name = "round_robin"
    splits = True

    def pairings(self, names: Pairing, seats: int, plan: Schedule) -> tuple[Pairing, ...]:
        """Return every set of entrants, or with ``max_pairings`` a balanced choice of sets."""
        return chosen(names, seats, plan.max_pairings)

    def count(self, entrants: int, seats: int, plan: Schedule) -> int:
        """Return the number of sets."""
        return _at_most(comb(entrants, seats), plan)


class GauntletKind(ChoiceKind):
    """Kind ``gauntlet``: each entrant of ``focus`` meets every set of the others.

    The others do not meet without an entrant of ``focus``.
    """

    name = "gauntlet"
    keys = frozenset({"focus", "max_pairings"})
    required = (("focus", "[NAME, …]"),)

    def pairings(self, names: Pairing, seats: int, plan: Schedule) -> tuple[Pairing, ...]:
        """Return the pairings; entrants of ``focus`` take turns, to be fair in the middle."""
        focus = sorted(plan.focus)
        others = tuple(name for name in names if name not in focus)
        limits: list[int | None] = [None] * len(focus)
        if plan.max_pairings is not None:
            share, rest = divmod(plan.max_pairings, len(focus))
            limits = [share + (number < rest) for number in range(len(focus))]
        fields = [chosen(others, seats - 1, limit) for limit in limits]
        return tuple(
            tuple(sorted((name, *field[number])))
            for number in range(max(map(len, fields)))
            for name, field in zip(focus, fields, strict=True)
            if number < len(field)
        )

    def count(self, entrants: int, seats: int, plan: Schedule) -> int:
        """Return the number of pairings."""
        focus = len(plan.focus)
        return _at_most(focus * comb(max(0, entrants - focus), seats - 1), plan)

    def flaws(self, plan: Schedule, names: Collection[str], seats: int) -> Iterator[Flaw]:
        """Yield a flaw for each unknown name in ``focus``, and one for too few opponents."""
        yield from super().flaws(plan, names, seats)
        unknown = list(strangers(("focus",), plan.focus, names))
        yield from unknown
        others = len(names) - len(plan.focus)
        if plan.focus and not unknown and others < seats - 1:
            found = f"found {others} entrant{'s'[: others != 1]} besides the focus"
            yield Flaw(("focus",), found, f"at least {seats - 1}", is_size=True)


def _at_most(total: int, plan: Schedule) -> int:
    return total if plan.max_pairings is None else min(total, plan.max_pairings)


def _with_each(
    name: str, names: Sequence[str], focus: Sequence[str], seats: int
) -> Iterator[Pairing]:
    """Yield a table of ``name`` with each of ``focus``; other names fill further seats."""
    others = tuple(each for each in names if each != name and each not in focus)
    for one, rest in zip(focus, chosen(others, seats - 2, len(focus)) * len(focus), strict=False):
        yield tuple(sorted((name, one, *rest)))


class PairingsKind(Kind):
    """Kind ``pairings``: the listed sets meet. A round of a kind that grows is such a schedule."""

    name = "pairings"
    keys = frozenset({"pairings"})
    required = (("pairings", "[[NAME, …], …]"),)
    no_choice = "all that are listed are played"

    def pairings(self, names: Pairing, seats: int, plan: Schedule) -> tuple[Pairing, ...]:
        """Return the pairings as listed."""
        return self.listed(plan)

    def count(self, entrants: int, seats: int, plan: Schedule) -> int:
        """Return the number of listed pairings."""
        return len(plan.pairings)

    def listed(self, plan: Schedule) -> tuple[Pairing, ...]:
        """Return the pairings as listed."""
        return tuple(tuple(sorted(pairing)) for pairing in plan.pairings)

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


class MatchKind(Kind):
    """Kind ``match``: two entrants fill every table alone.

    With more than two seats, each has several of them, and every block is fair as a whole. In an
    even match, swapping the two names gives the same block. In an alone match, the single entrant
    takes each seat once against the other. So between equal entrants the mean of a block is even,
    regardless of what the seats are worth. A match of several candidates has every pair of them, or
    the listed pairs.
    """

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

    def sides(self, seats: int) -> int:
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
