"""The kind ``stages``, several kinds one after the other, and the round robin as one of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from arena.extensions.rounds.kinds.groups import GroupsKind, entries, labels, preview
from arena.extensions.rounds.kinds.rounds import AS_STAGES, Rounds, circle_round, rounds_in
from arena.extensions.rounds.kinds.swiss import order
from arena.extensions.rounds.pairing.state import Now, RoundPairing, stage_luck
from arena.schedule.keys import Discipline, Schedule, Stage
from arena.schedule.kinds.fixed import RoundRobinKind
from arena.schedule.kinds.kind import KINDS, Flaw, GrowingKind, foreign
from arena.schedule.seeds import Seeds
from arena.values.problems import either
from arena.values.titles import called


class RoundRobinRounds(Rounds):
    """A round robin at two seats, round by round."""

    stage_seats = 2

    def rules(self, discipline: Discipline) -> str:
        """Return the name of the pairing rules of a round robin."""
        return "circle-1"

    def pair(self, now: Now) -> RoundPairing | None:
        """Return the next round of a two-seat round robin by the circle method, or None."""
        return circle_round(now.began, now)

    def places(self, now: Now) -> list[str]:
        """Return all players, best first."""
        return [each.name for each in order(now)]


AS_STAGES[RoundRobinKind.name] = RoundRobinRounds()


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
        there, passed = len(names), 0
        for number, (stage, part) in enumerate(zip(plan.stages, plan.parts, strict=False)):
            there = min(there, stage.first or there)
            is_last = number + 1 == len(plan.stages)
            flaws = [*self._flaws_of(stage, part, [*names][:there], seats, is_last=is_last)]
            for flaw in flaws:
                # A stage that could not be read, and is left out, may follow.
                needs = ("stages",) if is_last and flaw.path == ("advance",) else flaw.needs
                yield flaw._replace(path=("stages", number, *flaw.path), needs=needs)
            first = ("stages", number, "first")
            if stage.first is None:
                pass
            elif not number:
                hint = "all entrants play the first stage"
                yield Flaw(first, "found first in the first stage", hint=hint)
            elif stage.first < seats:
                yield Flaw(first, f"found {stage.first} at {seats} seats", f"at least {seats}")
            elif passed and stage.first != passed:
                found = f"found {stage.first}, and {passed} advance from the groups"
                yield Flaw(first, found, f"{passed}, or no first", is_size=True)
            elif before is not None and stage.first > before:
                yield Flaw(first, f"found {stage.first} of {before} who are left")
            before = stage.first or before
            left = there if flaws else _passing(part, there)  # else their number is not known
            there, passed = left, left if left < there else 0

    def _flaws_of(
        self, stage: Stage, part: Schedule, names: Sequence[str], seats: int, *, is_last: bool
    ) -> Iterator[Flaw]:
        found = ((name, rounds_in(name)) for name in KINDS)
        most = {name: rounds.stage_seats for name, rounds in found if rounds is not None}
        if not most.get(stage.kind):
            allowed = either([name for name, size in most.items() if size])
            yield Flaw(("kind",), f"found {stage.kind}", allowed)
            return
        own = KINDS[stage.kind]
        if most[own.name] < seats:
            text = f"found {own.name} as a stage at {seats} seats"
            yield Flaw(("kind",), text, f"{most[own.name]} seats")
        elif keys := list(foreign(stage, Stage(kind=stage.kind), own)):
            yield from keys
        elif isinstance(own, GroupsKind) and not is_last:
            yield from own.flaws_before(part, names, seats)
        else:
            yield from own.flaws(part, names, seats)

    def preview(self, discipline: Discipline, seeds: Seeds | None) -> Iterator[str]:
        """Yield the groups of each stage that has some, and how they feed the next stage."""
        plan, names = discipline.schedule, [*map(called, discipline.entrants)]
        for number, (stage, part) in enumerate(zip(plan.stages, plan.parts, strict=True)):
            names = names[: stage.first]
            if part.kind == GroupsKind.name and discipline.rules.seats > 1:
                luck = None if seeds is None else stage_luck(seeds, discipline, number)
                lines = preview(part, names, luck)
                yield from (f"stage {number + 1}, {line}" for line in lines)
                for later in plan.parts[number + 1 : number + 2]:
                    names = labels(part, len(names), later.seeding)
                    matches = [each for each in entries(names, later) if len(each[1]) == 2]
                    yield from (f"stage {number + 2}, {a}: {' v '.join(b)}" for a, b in matches)
            else:
                places = range(1, len(names) + 1)
                names = [f"place {place} of stage {number + 1}" for place in places]

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
            names = names[: _passing(part, len(names))]


def _passing(part: Schedule, players: int) -> int:
    rounds = rounds_in(part.kind)
    return players if rounds is None else rounds.passing(part, players)
