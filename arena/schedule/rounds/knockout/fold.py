"""The course of a knockout: its events folded into a state."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from arena.games.luck import Luck
from arena.schedule.rounds.knockout import bracket
from arena.schedule.rounds.knockout.heats import Heats
from arena.schedule.rounds.knockout.plan import (
    By,
    Decision,
    Event,
    Knockout,
    State,
    Tie,
    decided,
    seeds,
)


def fold(names: Sequence[str], plan: Knockout, luck: Luck, events: Iterable[Event]) -> State:
    """The state after these events, in their order; ``names``: distinct, best seeds first.

    Raises ValueError if there is no entrant, of a tie that was not open, and of somebody unknown.
    """
    if not names:
        raise ValueError("a knockout has an entrant")
    order = seeds(names, plan, luck)
    if plan.seats > 2:
        heats = Heats(order, plan)
        for event in events:
            _check(event, names)
            heats.apply(event)
        return heats.state()
    course = _Course(order, plan)
    for event in events:
        _check(event, names)
        course.apply(event)
    return course.state


class _Course:
    """A bracket as it goes on."""

    def __init__(self, order: Sequence[str], plan: Knockout) -> None:
        self._order = order
        self._plan = plan
        self._decided: dict[str, Tie] = {}
        self._withdrawn: set[str] = set()
        self.state = self._look()

    def apply(self, event: Event) -> None:
        if isinstance(event, Decision):
            tie = next((each for each in self.state.open if each.id == event.tie), None)
            if tie is None:
                raise ValueError(f"the tie {event.tie} is not open")
            self._decided[tie.id] = decided(tie, event.numbers)
        else:
            self._withdrawn.add(event.name)
        self.state = self._look()

    def _look(self) -> State:
        """What a withdrawal has decided stands from now on, whoever withdraws later."""
        state = bracket.state(self._order, self._plan, self._decided, self._withdrawn)
        ties = (tie for each in state.rounds for tie in each)
        self._decided |= {tie.id: tie for tie in ties if tie.by is By.WALKOVER}
        return state


def _check(event: Event, names: Sequence[str]) -> None:
    if not isinstance(event, Decision) and event.name not in names:
        raise ValueError(f"{event.name} is not in this knockout")
