"""All kinds of schedules by name, the kind ``stages``, and the facts that depend on a kind."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from arena import extensions
from arena.schedule.keys import KIND_NAMES, Schedule, Stage
from arena.schedule.kinds.fixed import GauntletKind, MatchKind, PairingsKind, RoundRobinKind
from arena.schedule.kinds.kind import KINDS, Flaw, GrowingKind, Kind, Rounds, foreign
from arena.schedule.kinds.knockout import KnockoutKind
from arena.schedule.kinds.ladder import LadderKind
from arena.schedule.kinds.swiss import SwissKind
from arena.schedule.pairings import Pairing
from arena.values.problems import either


class StagesKind(GrowingKind):
    """Kind ``stages``: several kinds one after the other, each with the best of the one before."""

    name = "stages"
    keys = frozenset({"stages"})
    required = (("stages", "[{kind: swiss, rounds: N}, …]"),)
    implied_by = "stages"

    def flaws(self, plan: Schedule, names: Collection[str], seats: int) -> Iterator[Flaw]:
        """Yield a flaw for each stage that cannot be played or cannot follow the one before."""
        yield from super().flaws(plan, names, seats)
        before: int | None = None
        for number, (stage, part) in enumerate(zip(plan.stages, plan.parts, strict=False)):
            for flaw in self._flaws_of(stage, part, seats):
                yield flaw._replace(path=("stages", number, *flaw.path))
            if stage.first is None:
                continue
            first = ("stages", number, "first")
            if not number:
                hint = "all entrants play the first stage"
                yield Flaw(first, "found first in the first stage", hint=hint)
            elif stage.first < seats:
                yield Flaw(first, f"found {stage.first} at {seats} seats", f"at least {seats}")
            elif before is not None and stage.first > before:
                yield Flaw(first, f"found {stage.first} of {before} who are left")
            before = stage.first

    def _flaws_of(self, stage: Stage, part: Schedule, seats: int) -> Iterator[Flaw]:
        own = KINDS.get(stage.kind)
        if not isinstance(own, Rounds) or not own.stage_seats:
            kinds = (each for each in KINDS.values() if isinstance(each, Rounds))
            allowed = either([each.name for each in kinds if each.stage_seats])
            yield Flaw(("kind",), f"found {stage.kind}", allowed)
        elif own.stage_seats < seats:
            found = f"found {own.name} as a stage at {seats} seats"
            yield Flaw(("kind",), found, f"{own.stage_seats} seats")
        elif keys := list(foreign(stage, Stage(kind=stage.kind), own)):
            yield from keys
        else:
            yield from own.flaws(part, (), seats)

    def excess(self, plan: Schedule, names: Sequence[str], seats: int) -> Iterator[str]:
        """Yield a sentence for each setting of a stage that needs more entrants than it gets."""
        for number, (stage, part) in enumerate(zip(plan.stages, plan.parts, strict=True), 1):
            own = KINDS[part.kind]
            head = "" if len(plan.stages) < 2 else f"stage {number}, {own.title}: "
            if stage.first is not None and stage.first > len(names):
                found = f"found {stage.first}, and only {len(names)} are left"
                yield f"{head}first: {found}: all of them go on"
            names = names[: stage.first]
            yield from (f"{head}{text}" for text in own.excess(part, names, seats))


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


def rounds_of(plan: Schedule) -> Rounds:
    """Return the kind of a schedule that is paired round by round."""
    kind = kind_of(plan)
    if not isinstance(kind, Rounds):
        raise TypeError(f"{plan.kind} has no rounds")
    return kind
