"""The kind ``knockout``: ties, until one entrant is left."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from arena.extensions.rounds.kinds.rounds import ANY_TABLE, Rounds
from arena.extensions.rounds.pairing.state import Now, RoundPairing
from arena.extensions.rounds.pairing.ties import Stand, stand
from arena.schedule.keys import Decide, Discipline, Schedule
from arena.schedule.kinds.kind import Flaw, GrowingKind
from arena.values import numbers

LEAST_TESTED: Final = 20
"""Least number of deals before a tie's test decides: ``matches.statistics.sprt.LEAST_BLOCKS``."""
_SEMI_FINALS: Final = 4
"""Number of players from which both semi-finals have a loser."""


class KnockoutKind(GrowingKind, Rounds):
    """Kind ``knockout``: the loser of a tie is out, with one life or two, until one is left."""

    name = "knockout"
    keys = frozenset(
        {
            *("lives", "advance", "seeding", "seeded", "third_place", "second_final"),
            *("decide", "most", "sudden_death"),
        }
    )
    view = "knockout"
    ranks = False
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
        bots = numbers.count(there, "bot")
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

    def rules(self, discipline: Discipline) -> str:
        """Return the name of the rules: with sudden death, the tie-breaks differ."""
        return "knockout-2" if discipline.schedule.sudden_death else "knockout-1"

    def draws(self, plan: Schedule) -> bool:
        """Return whether some seeds are drawn."""
        return plan.seeded is not None

    def pair(self, now: Now) -> RoundPairing | None:
        """Return the ties to play next; without tables, the knockout has ended."""
        if not now.began:
            return None
        found = self.stand(now)
        return RoundPairing(
            tuple(tie.entrants for tie in found.next),
            found.byes,
            tuple(found.ties[tie.id].name for tie in found.next),
            found.decided,
            found.deals,
        )

    def places(self, now: Now) -> list[str]:
        """Return all players, best first; of players who share a place, the better seed first."""
        if not now.began:
            return []
        found = self.stand(now)
        last = len(found.entrants)
        return sorted(found.entrants, key=lambda name: found.state.places.get(name, last))

    def stand(self, now: Now) -> Stand:
        """Return the state of the knockout. At least one player was present when it began."""
        return stand(now, self.seatings(now.discipline.rules.seats, now.discipline.schedule))
