"""The kind ``stages``, several kinds one after the other, and the round robin as one of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from arena.extensions.rounds.kinds.rounds import AS_STAGES, Rounds, rounds_in
from arena.extensions.rounds.kinds.swiss import order
from arena.extensions.rounds.pairing.state import Now, RoundPairing
from arena.schedule.keys import Discipline, Schedule, Stage
from arena.schedule.kinds.fixed import RoundRobinKind
from arena.schedule.kinds.kind import KINDS, Flaw, GrowingKind, foreign
from arena.values.problems import either


class RoundRobinRounds(Rounds):
    """A round robin at two seats, round by round."""

    stage_seats = 2

    def rules(self, discipline: Discipline) -> str:
        """Return the name of the pairing rules of a round robin."""
        return "circle-1"

    def pair(self, now: Now) -> RoundPairing | None:
        """Return the next round of a two-seat round robin by the circle method, or None."""
        names: list[str | None] = list(now.began)
        if not names:
            return None
        names += [None] * (len(names) % 2)
        met = {frozenset(table.names) for each in now.before for table in each.round.tables}
        first, *others = names
        half = len(names) // 2
        for number in range(len(others)):
            turned = [first, *others[number:], *others[:number]]
            there = [
                tuple(name for name in pair if name is not None and name in now.there)
                for pair in zip(turned[:half], reversed(turned[half:]), strict=True)
            ]
            tables = tuple(each for each in there if len(each) > 1 and frozenset(each) not in met)
            if tables:
                return RoundPairing(tables, tuple(each[0] for each in there if len(each) == 1))
        return None

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
