"""All kinds of schedules by name, and the facts about a schedule that depend on its kind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from arena.schedule.keys import KIND_NAMES, Schedule
from arena.schedule.kinds.fixed import GauntletKind, MatchKind, PairingsKind, RoundRobinKind
from arena.schedule.kinds.kind import KINDS, Flaw, GrowingKind, Kind, Rounds, foreign
from arena.schedule.kinds.knockout import KnockoutKind
from arena.schedule.kinds.ladder import LadderKind
from arena.schedule.kinds.stages import StagesKind
from arena.schedule.kinds.swiss import SwissKind
from arena.schedule.pairings import Pairing


def register(kind: Kind) -> None:
    """Make a kind known to files and stored runs."""
    KINDS[kind.name] = kind
    KIND_NAMES.append(kind.name)


register(RoundRobinKind())
register(GauntletKind())
register(PairingsKind())
register(MatchKind())
register(SwissKind())
register(KnockoutKind())
register(StagesKind())
register(LadderKind())


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


def rounds_of(plan: Schedule) -> Rounds:
    """Return the kind of a schedule that is paired round by round."""
    kind = kind_of(plan)
    if not isinstance(kind, Rounds):
        raise TypeError(f"{plan.kind} has no rounds")
    return kind


def has_no_end(plan: Schedule) -> bool:
    """Return whether rounds continue as long as entrants can be paired."""
    return kind_of(plan).is_ladder and plan.rounds is None
