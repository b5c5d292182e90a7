"""Kinds whose pairings follow from results, round by round: swiss, knockout, ladder and stages."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from arena.documents.problems import either
from arena.schedule.keys import Decide, Schedule, Stage
from arena.schedule.kinds.kind import (
    ANY_TABLE,
    KINDS,
    Flaw,
    GrowingKind,
    circle_rounds,
    counted,
    foreign,
)
from arena.schedule.rounds.ladder import owner_of

LEAST_TESTED: Final = 20
"""Least number of deals before a tie's test decides: ``ratings.match.sprt.LEAST_BLOCKS``."""
_SEMI_FINALS: Final = 4
"""Number of players from which both semi-finals have a loser."""


class SwissKind(GrowingKind):
    """Kind ``swiss``: each round pairs entrants with about equal points so far."""

    name = "swiss"
    keys = frozenset({"rounds"})
    required = (("rounds", "N"),)
    is_open = True
    stage_seats = ANY_TABLE

    def excess(self, plan: Schedule, names: Sequence[str], seats: int) -> Iterator[str]:
        """Yield a sentence if there are too few entrants for all rounds."""
        possible = self.possible_rounds(plan, len(names), seats)
        if possible is not None and possible != plan.rounds:
            found = f"found {plan.rounds}, and {counted(len(names), 'bot')} can meet in"
            yield f"rounds: {found} {counted(possible, 'round')} at most; it ends after them"

    def planned_rounds(self, plan: Schedule, players: int) -> int:
        """Return the number of rounds that the schedule sets."""
        return plan.rounds or 0

    def possible_rounds(self, plan: Schedule, players: int, seats: int) -> int | None:
        """Return the most rounds that can be paired.

        At two seats no two players meet twice, and none has two byes.
        """
        if plan.rounds is None or seats != 2:
            return plan.rounds
        return min(plan.rounds, circle_rounds(players))


class KnockoutKind(GrowingKind):
    """Kind ``knockout``: the loser of a tie is out, with one life or two, until one is left."""

    name = "knockout"
    keys = frozenset(
        {
            *("lives", "advance", "seeding", "seeded", "third_place", "second_final"),
            *("decide", "most", "sudden_death"),
        }
    )
    has_points = False
    stage_seats = ANY_TABLE

    def flaws(self, plan: Schedule, names: Collection[str], seats: int) -> Iterator[Flaw]:
        """Yield a flaw for each setting that contradicts another."""
        at = f"at {seats} seats"
        if plan.lives == 2 and seats > 2:
            yield Flaw(("lives",), f"found 2 lives {at}", "2 seats")
        elif plan.third_place and (seats > 2 or plan.lives == 2):
            with_ = at if seats > 2 else "with 2 lives"
            yield Flaw(("third_place",), f"found third_place {with_}", "2 seats and 1 life")
        if not plan.second_final and plan.lives == 1:
            found, expected = "found second_final with 1 life", "lives: 2 beside it"
            yield Flaw(("second_final",), found, expected)
        if plan.advance >= seats:
            yield Flaw(("advance",), f"found {plan.advance} {at}", f"at most {seats - 1}")
        if plan.most_deals % plan.deals:
            expected = f"a multiple of deals, which is {plan.deals}"
            hint = "an open tie continues by deals at a time"
            yield Flaw(("most",), f"found {plan.most}", expected, hint)
        if plan.decide is Decide.TEST and seats > 2:
            yield Flaw(("decide",), f"found a test {at}", "2 seats")
        elif plan.decide is Decide.TEST and plan.most_deals < LEAST_TESTED:
            found = f"found a test with at most {plan.most_deals} deals"
            expected = f"most: {LEAST_TESTED} or more"
            yield Flaw(("decide",), found, expected, "it cannot decide on fewer")

    def excess(self, plan: Schedule, names: Sequence[str], seats: int) -> Iterator[str]:
        """Yield a sentence if there are too few entrants for ``seeded`` or for a third place."""
        there = len(names)
        bots = counted(there, "bot")
        if (plan.seeded or 0) > there:
            yield f"seeded: found {plan.seeded}, and there are only {bots}: nobody is drawn"
        if plan.third_place and there < _SEMI_FINALS:
            yield f"third_place: {bots} have no two semi-finals: no match for the third place"

    def details(self, plan: Schedule) -> Iterator[str]:
        """Yield phrases about the length of ties, and about matches besides the bracket."""
        if plan.most_deals > plan.deals:
            yield f"up to {plan.most_deals} of an open tie"
        if plan.sudden_death:
            yield f"up to {plan.sudden_death} more of sudden death"
        if plan.lives == 2:
            yield "two lives"
        if plan.third_place:
            yield "a match for the third place"


class LadderKind(GrowingKind):
    """Kind ``ladder``: bots of about equal strength meet, and newcomers are placed.

    It has no end if ``rounds`` is None.
    """

    name = "ladder"
    keys = frozenset({"rounds"})
    is_ladder = True
    is_open = True
    has_points = False

    def excess(self, plan: Schedule, names: Sequence[str], seats: int) -> Iterator[str]:
        """Yield a sentence if all bots belong to one author, so that none can meet."""
        if len(set(map(owner_of, names))) < 2:
            yield (
                f"all {len(names)} bots are of one author: no games until another author enters one"
            )


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
        if own is None or not own.stage_seats:
            allowed = either([each.name for each in KINDS.values() if each.stage_seats])
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
