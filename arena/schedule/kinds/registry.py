"""All kinds of schedules by name, and the facts that depend on a kind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from arena import extensions
from arena.schedule.keys import KIND_NAMES, Schedule
from arena.schedule.kinds.fixed import GauntletKind, MatchKind, PairingsKind, RoundRobinKind
from arena.schedule.kinds.kind import KINDS, Flaw, GrowingKind, Kind, foreign
from arena.schedule.pairings import Pairing


def register(kind: Kind) -> None:
    """Make a kind known to files and stored runs."""
    KINDS[kind.name] = kind
    KIND_NAMES.append(kind.name)


register(RoundRobinKind())
register(GauntletKind())
register(PairingsKind())
register(MatchKind())
for _kind in extensions.brought("kinds"):
    register(_kind())


def kind_of(plan: Schedule) -> Kind:
    """Return the kind of a schedule."""
    return KINDS[plan.kind]


def pairings(entrants: Sequence[str], seats: int, plan: Schedule) -> tuple[Pairing, ...]:
    """Return every set of entrants that meets once per cycle, in order of play.

    ``entrants`` are distinct and at least ``fewest``. With one seat everybody plays the same deals,
    so all entrants are one set.
    """
    names = tuple(sorted(entrants))
    return (names,) if seats == 1 else kind_of(plan).pairings(names, seats, plan)


def count(entrants: int, seats: int, plan: Schedule) -> int:
    """Return the number of sets that ``pairings`` returns, without computing them."""
    return 1 if seats == 1 else kind_of(plan).count(entrants, seats, plan)


def fewest(seats: int, plan: Schedule) -> int:
    """Return the smallest possible number of entrants."""
    return 1 if seats == 1 else kind_of(plan).fewest(seats)


def seatings(entrants: int, seats: int, plan: Schedule) -> int:
    """Return the number of games of a block; with one seat, every entrant plays one."""
    return entrants if seats == 1 else kind_of(plan).seatings(seats, plan)


def foreign_keys(plan: Schedule) -> Iterator[Flaw]:
    """Yield a flaw for each key that has no effect with the kind of the schedule."""
    return foreign(plan, Schedule(), kind_of(plan))


def grows(plan: Schedule) -> bool:
    """Return whether pairings follow from results, round by round."""
    return isinstance(kind_of(plan), GrowingKind)
