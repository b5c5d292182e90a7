"""Kinds whose pairings can be a balanced choice: round robin and gauntlet.

Pairings among earlier entrants never change. A newcomer gets the pairings that it would have had
from the start, or about as many as the others have if ``max_pairings`` limits them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from math import comb

from arena.schedule.keys import Schedule
from arena.schedule.kinds.kind import Flaw, Kind, strangers
from arena.schedule.pairings import Pairing, chosen


class ChoiceKind(Kind):
    """Base of the kinds that accept the key ``max_pairings``."""

    keys = frozenset({"max_pairings"})

    def newcomers(
        self, names: Pairing, new: Collection[str], seats: int, plan: Schedule
    ) -> Sequence[Pairing]:
        """Return the pairings that ``new`` adds; ``max_pairings`` limits those of each newcomer."""
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
    """Kind ``round_robin``: every set of as many entrants as the table has seats meets."""

    name = "round_robin"
    splits = True
    stage_seats = 2

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
        """Return the pairings; entrants of ``focus`` take turns, so a partial table is fair."""
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
            yield Flaw(("focus",), found, f"at least {seats - 1}")


def _at_most(total: int, plan: Schedule) -> int:
    return total if plan.max_pairings is None else min(total, plan.max_pairings)


def _with_each(
    name: str, names: Sequence[str], focus: Sequence[str], seats: int
) -> Iterator[Pairing]:
    """Yield a table of ``name`` with each of ``focus``; other names fill further seats."""
    others = tuple(each for each in names if each != name and each not in focus)
    for one, rest in zip(focus, chosen(others, seats - 2, len(focus)) * len(focus), strict=False):
        yield tuple(sorted((name, one, *rest)))
