"""The course of a knockout: its events folded into a state."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from arena.games.luck import Luck
from arena.schedule.rounds.knockout import bracket
from arena.schedule.rounds.knockout.heats import Heats
from arena.schedule.rounds.knockout.plan import (
    DecidedBy,
    Event,
    Knockout,
    KnockoutState,
    Tie,
    TieDecision,
    decided,
    seeds,
)


def fold(
    names: Sequence[str], plan: Knockout, luck: Luck, events: Iterable[Event]
) -> KnockoutState:
    """Return the state after ``events``, in order; ``names``: distinct, best seeds first.

    Raises ValueError if there is no entrant, if a tie is not open, or if a name is unknown.
    """
    if not names:
        raise ValueError("a knockout has an entrant")
    course = begun(names, plan, luck)
    for event in events:
        course.apply(event)
    return course.state


class KnockoutProgress(Protocol):
    """A knockout in progress."""

    @property
    def state(self) -> KnockoutState:
        """Current state."""

    def apply(self, event: Event) -> None:
        """Apply one event. Raises ValueError as ``fold``."""

    def leave(self, names: Sequence[str]) -> None:
        """Withdraw all ``names`` at the same time: none advances because another one left."""

    def retire(self, names: Sequence[str]) -> None:
        """Give ``names`` no new table, before they ``leave``. Has no effect at two seats."""


def begun(names: Sequence[str], plan: Knockout, luck: Luck) -> KnockoutProgress:
    """Return the course before any event; arguments as in ``fold``."""
    order = seeds(names, plan, luck)
    return Heats(order, plan) if plan.seats > 2 else _Course(order, plan)


class _Course:
    """A bracket in progress."""

    def __init__(self, order: Sequence[str], plan: Knockout) -> None:
        self._order = order
        self._plan = plan
        self._decided: dict[str, Tie] = {}
        self._withdrawn: set[str] = set()
        self.state = self._look()

    def apply(self, event: Event) -> None:
        if isinstance(event, TieDecision):
            tie = next((each for each in self.state.open if each.id == event.tie), None)
            if tie is None:
                raise ValueError(f"the tie {event.tie} is not open")
            self._decided[tie.id] = decided(tie, event.numbers)
            self.state = self._look()
        else:
            self.leave([event.name])

    def leave(self, names: Sequence[str]) -> None:
        for name in names:
            if name not in self._order:
                raise ValueError(f"{name} is not in this knockout")
        self._withdrawn.update(names)
        self.state = self._look()

    def retire(self, names: Sequence[str]) -> None:
        """Do nothing: a bracket assigns every place at the start."""

    def _look(self) -> KnockoutState:
        """Return the state; walkovers found now stand even if others withdraw later."""
        state = bracket.state(self._order, self._plan, self._decided, self._withdrawn)
        ties = (tie for each in state.rounds for tie in each)
        self._decided |= {tie.id: tie for tie in ties if tie.by is DecidedBy.WALKOVER}
        return state
