"""The ratios that are held to a bar."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Final, NamedTuple

from benchmarks.figures import Figure, Figures, Spread, spread


class Group(Enum):
    """What ``--only`` may name."""

    FLOORS = "floors"
    REFEREE = "referee"
    ENTRANTS = "entrants"
    LOOP = "loop"
    RULES = "rules"
    STARTUP = "startup"
    PARENT = "parent"
    RATINGS = "ratings"
    BACK = "back"


class Verdict(Enum):
    """What became of a bar."""

    PASS = "PASS"
    MISS = "MISS"
    SKIPPED = "not measured"


class Bar(NamedTuple):
    """A bound on a ratio, and where it is meant to get."""

    limit: float
    at_most: bool
    goal: float | None = None

    def __str__(self) -> str:
        sign = "≤" if self.at_most else "≥"
        goal = f" (goal {self.goal:g})" if self.goal is not None else ""
        return f"{sign} {self.limit:g}{goal}"

    def holds(self, value: float) -> bool:
        """Whether the value is on the right side."""
        return value <= self.limit if self.at_most else value >= self.limit


class Row(NamedTuple):
    """One line of the table: ``top`` over ``bottom``, both measured in the same round."""

    group: Group
    label: str
    top: Figure
    bottom: Figure | None
    """None: the figure itself is held to the bar."""
    bar: Bar

    @property
    def figures(self) -> set[Figure]:
        """Everything it is computed from."""
        return {self.top} if self.bottom is None else {self.top, self.bottom}

    def value(self, rounds: Sequence[Figures]) -> Spread | None:
        """The ratio, taken in each round by itself; None if no round has its figures."""
        values = [value for figures in rounds if (value := self._ratio(figures)) is not None]
        return spread(values) if values else None

    def verdict(self, value: Spread | None) -> Verdict:
        """By the median."""
        if value is None:
            return Verdict.SKIPPED
        return Verdict.PASS if self.bar.holds(value.median) else Verdict.MISS

    def _ratio(self, figures: Figures) -> float | None:
        if not self.figures <= figures.keys():
            return None
        return figures[self.top] / (1 if self.bottom is None else figures[self.bottom])


def _at_most(limit: float, goal: float | None = None) -> Bar:
    return Bar(limit, True, goal)


def _at_least(limit: float, goal: float | None = None) -> Bar:
    return Bar(limit, False, goal)


ROWS: Final = (
    Row(
        Group.REFEREE,
        "own CPU per turn, everything on, C bots / fastchess's per ply",
        Figure.TURN_CPU,
        Figure.FASTCHESS_CPU,
        _at_most(0.8, 0.5),
    ),
    Row(
        Group.REFEREE,
        "the same without compiled code",
        Figure.PURE_TURN_CPU,
        Figure.FASTCHESS_CPU,
        _at_most(1.1),
    ),
    Row(
        Group.REFEREE,
        "own CPU per ply of two instant UCI engines / fastchess's",
        Figure.ENGINES_CPU,
        Figure.FASTCHESS_CPU,
        _at_most(2.5),
    ),
    Row(
        Group.REFEREE,
        "whole turn / raw Python–C round trip, wall, two workers",
        Figure.TURN_TWO,
        Figure.PYTHON_PIPE_TWO,
        _at_most(5, 3),
    ),
    Row(
        Group.REFEREE,
        "turns/s / fastchess's plies/s",
        Figure.TURNS_TWO,
        Figure.FASTCHESS_PLIES,
        _at_least(1.3, 2),
    ),
    Row(
        Group.REFEREE,
        "turns/s, two workers / one",
        Figure.TURNS_TWO,
        Figure.TURNS_ONE,
        _at_least(1.8),
    ),
    Row(
        Group.REFEREE,
        "turns/s, recording on / off",
        Figure.TURNS_TWO,
        Figure.TURNS_UNRECORDED,
        _at_least(0.9),
    ),
    Row(
        Group.REFEREE,
        "referee's share of all CPU, naive Python bots",
        Figure.REFEREE_SHARE,
        None,
        _at_most(0.43),
    ),
    Row(
        Group.ENTRANTS,
        "games/s, two seats, 50 entrants / 10",
        Figure.TWO_50,
        Figure.TWO_10,
        _at_least(0.8),
    ),
    Row(
        Group.ENTRANTS,
        "games/s, two seats, 200 entrants / 10",
        Figure.TWO_200,
        Figure.TWO_10,
        _at_least(0.8),
    ),
    Row(
        Group.ENTRANTS,
        "games/s, four seats, 50 entrants / 10",
        Figure.FOUR_50,
        Figure.FOUR_10,
        _at_least(0.8),
    ),
    Row(
        Group.ENTRANTS,
        "games/s, four seats, 200 entrants / 10",
        Figure.FOUR_200,
        Figure.FOUR_10,
        _at_least(0.8),
    ),
    Row(
        Group.LOOP,
        "own CPU per turn without rules and observation / raw Python round trip's",
        Figure.LOOP_CPU,
        Figure.PYTHON_PIPE_CPU,
        _at_most(3),
    ),
    Row(
        Group.RULES,
        "decisions/s, Dragonheart / OpenSpiel hearts from Python",
        Figure.RULES_STEPS,
        Figure.OPENSPIEL_STEPS,
        _at_least(0.8, 1),
    ),
    Row(
        Group.STARTUP,
        "arena --help / python -c pass",
        Figure.HELP,
        Figure.PYTHON_START,
        _at_most(12),
    ),
    Row(Group.STARTUP, "arena --help, seconds", Figure.HELP, None, _at_most(0.3)),
    Row(
        Group.STARTUP,
        "arena --version / python -c pass",
        Figure.VERSION,
        Figure.PYTHON_START,
        _at_most(3),
    ),
    Row(
        Group.PARENT,
        "parent's own CPU per finished game, µs",
        Figure.PARENT_CPU,
        None,
        _at_most(300),
    ),
    Row(
        Group.PARENT,
        "parent's peak memory, ten times the games / once",
        Figure.PARENT_MEMORY_LONG,
        Figure.PARENT_MEMORY,
        _at_most(1.1),
    ),
    Row(
        Group.RATINGS,
        "ratings, 200 bots, seconds per 1,000,000 games",
        Figure.RATINGS_TOTAL,
        None,
        _at_most(3),
    ),
    Row(Group.RATINGS, "the fit alone, seconds", Figure.RATINGS_FIT, None, _at_most(0.3)),
    Row(
        Group.RATINGS,
        "ratings from plain results / their lines decoded by msgspec",
        Figure.PLAIN_TOTAL,
        Figure.PLAIN_FLOOR,
        _at_most(4, 3),
    ),
    Row(
        Group.BACK,
        "report, CPU per Dragonheart game, ms",
        Figure.REPORT_HEART,
        None,
        _at_most(5),
    ),
    Row(
        Group.BACK,
        "report, CPU per Dragonrealm game for four, ms",
        Figure.REPORT_REALM,
        None,
        _at_most(60),
    ),
    Row(
        Group.BACK,
        "verify / rules alone, Dragonheart",
        Figure.VERIFY_HEART,
        Figure.ALONE_HEART,
        _at_most(1.5, 1),
    ),
    Row(
        Group.BACK,
        "verify / rules alone, Dragonrealm for four",
        Figure.VERIFY_REALM,
        Figure.ALONE_REALM,
        _at_most(1.5, 1),
    ),
)
