"""The kind ``swiss``: entrants of about equal score so far meet in each round."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from arena.schedule.keys import Schedule
from arena.schedule.kinds.kind import ANY_TABLE, GrowingKind, circle_rounds, counted


class SwissKind(GrowingKind):
    """Kind ``swiss``: each round pairs entrants with about equal points."""

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
            yield f"rounds: {found} {counted(possible, 'round')} at most: then it ends"

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
