"""A competition as its site needs it: its results, counted by bot and by step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import takewhile
from typing import Final

from arena.extensions.browser.page.counting.results import Results, VersionedBot, whole
from arena.extensions.browser.page.counting.steps import FieldBySteps
from arena.extensions.browser.site.history import (
    StepRatings,
    Values,
    marks_of,
    values_of,
    wanted_of,
)
from arena.extensions.browser.site.html import bot_page
from arena.ratings.elo.rating import ValueUnit
from arena.runs.reader import StoredRun
from arena.runs.store import Stored
from arena.views.standings.counted import out_of
from arena.views.standings.headline import Criterion, Headline, is_provisional, value_words
from arena.views.standings.run_view import PairedRound

TREND: Final = 5
"""Number of rounds or days over which the change of a rating is shown."""


class Site(Results):
    """The results of a run as its site shows them.

    Nothing in it is a secret, except which bots met where ``is_anonymous``.
    """

    def __init__(
        self,
        run: StoredRun,
        *,
        extremes: int,
        costs: bool,
        known: Sequence[StepRatings],
    ) -> None:
        """Read the run.

        ``extremes``: number of best and of worst games of each bot. ``costs``: count the time and
        memory that bots took. ``known``: see ``marks_of``. Raises StoreError.
        """
        super().__init__(
            run, is_public=True, extremes=extremes, costs=costs, address=bot_page("{}")
        )
        main = self.parts[-1]
        last: Values = values_of(whole(main).rows)
        out = out_of(run, self.verdict.withdrawn)
        self.annulled = {name for name, number in out.items() if not number}
        """Entrants that were withdrawn and have no game that counts."""
        wanted = wanted_of(main, out, self.excluded, self.counted.cut)
        self.marks = marks_of(run, self.gathered, wanted, last, known) if self.order else []

    @cached_property
    def order(self) -> list[int]:
        """The steps with published games, in order."""
        return sorted(self.gathered.by_step)

    @cached_property
    def closed(self) -> list[int]:
        """Rounds of a run by rounds that have ended, in order; nothing changes their results."""
        return list(takewhile(self.is_closed, self.order))

    def is_closed(self, step: int) -> bool:
        """Return whether a step is a round, of a run by rounds, that has ended."""
        return step in self.paired and self.paired[step].is_over

    def may_open(self, stored: Stored) -> bool:
        """Return True if a game may be stepped through.

        Where all bots play alone, later entrants play the same deals.
        """
        if self.is_anonymous or self.run.is_expired(stored.record):
            return False
        return len(stored.result.spec.entrants) > 1 or self.run.is_opened

    @cached_property
    def paired(self) -> dict[int, PairedRound]:
        """Pairings by step, of a tournament by rounds; empty for others."""
        rounds = self.view.rounds(self.run, self.counted.played, self.verdict)
        return {self.step_of(each.label): each for each in rounds}

    def step_of(self, label: str) -> int:
        """Return the step of a round that follows from results."""
        start = self.run.schedule.numbers_of(label).start
        return self._starts[start]

    @cached_property
    def _starts(self) -> dict[int, int]:
        """Step of each round, by the number of its first game."""
        rounds = self.run.schedule.numbers_by_round()
        return {numbers.start: step for step, numbers in enumerate(rounds, 1)}

    @property
    def base(self) -> StepRatings | None:
        """Ratings that trends are measured from; None if there are no earlier ones.

        They are the last ones at least TREND steps old, or else the first of all.
        """
        if len(self.marks) < 2:
            return None
        places = {step: k for k, step in enumerate(self.order)}
        bound = places[self.marks[-1].after] - TREND
        old = [mark for mark in self.marks[:-1] if places[mark.after] <= bound]
        return old[-1] if old else self.marks[0]

    def trend(self, player: VersionedBot) -> float | None:
        """Return the change of a bot's rating since ``base``, from the version that played then.

        None if no version did.
        """
        base, now = self.base, self.marks[-1].values.get(player.newest) if self.marks else None
        if base is None or now is None:
            return None
        there = self.field.there(base.after)
        then = [name for name in player.versions if name in base.values and name in there]
        return now[0] - base.values[then[-1]][0] if then else None

    @cached_property
    def field(self) -> FieldBySteps:
        """The entrants that played, and those with a place, after each step."""
        return FieldBySteps(self.run, self.verdict, self.order)

    @cached_property
    def leaders(self) -> dict[int, Headline]:
        """The known leaders after each day, or each round that has ended.

        In a run by rounds, they follow from the results up to the round and from nothing later.
        """
        if self.main.rounds is not None:
            shown = {mark.after for mark in self.marks}
            wanted = {each.label for step, each in self.paired.items() if step in shown}
            rounds = self.view.leaders(self.run, self.counted.played, self.verdict, wanted)
            return {self.step_of(label): own for label, own in rounds.items()}
        found = {mark.after: own for mark in self.marks if (own := self._led(mark)) is not None}
        if self.manifest.grows:
            return {step: own for step, own in found.items() if self.is_closed(step)}
        if not self.order:
            return {}
        last, now = self.order[-1], self.main.headline
        before = {step: found[step] for step in self.order[:-1] if step in found}
        return before if now is None else {**before, last: now}

    def _led(self, mark: StepRatings) -> Headline | None:
        standings = self.main.standings
        placed = self.field.placed(mark.after)
        values = {name: value for name, value in mark.values.items() if name in placed}
        fixed = [row.name for row in standings.rows if standings.is_fixed(row.name)]
        return _by_values(values, standings.unit, fixed)


def _by_values(
    values: Mapping[str, tuple[float, float | None]], unit: ValueUnit, fixed: Sequence[str]
) -> Headline | None:
    """Return the headline by the best value at some time; None if ``values`` is empty.

    ``values``: rating or mean of each entrant with a place, and half of its interval. ``fixed``:
    entrants whose ratings were set.
    """
    sign = -1 if unit.less_is_better else 1
    best = max((sign * value for value, _ in values.values()), default=0.0)
    names = sorted(name for name, (value, _) in values.items() if sign * value == best)
    if not names:
        return None
    is_level = len(names) == len(values) > 1
    is_open = unit.is_elo and any(
        name not in fixed and is_provisional(values[name][1]) for name in names
    )
    value = value_words(sign * best, unit)
    by = Criterion.RATING if unit.is_elo else Criterion.MEAN
    return Headline(tuple(names), False, by, value, is_open, is_level)
