"""Every measurement, and the rounds in which they take turns."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

from benchmarks import (
    back,
    contest,
    entrants,
    floors,
    loop,
    ratings,
    rival,
    rules_alone,
    startup,
)
from benchmarks.figures import Figure, Figures
from benchmarks.rows import ROWS, Group, Row
from benchmarks.workshop import UnavailableError, Workshop


class Case(NamedTuple):
    """One measurement."""

    group: Group
    run: Callable[[Workshop], Figures]
    """Raises UnavailableError."""
    figures: frozenset[Figure]
    once: bool = False
    """In the first round only; its figures stand for all rounds."""


class Measured(NamedTuple):
    """All rounds."""

    rounds: Sequence[Figures]
    notes: Sequence[str]
    """What could not be measured and why."""


_IDLE: Final = 0.3
"""Load of the last minute up to which the machine counts as idle."""

CASES: Final = (
    Case(
        Group.FLOORS,
        floors.c_floor,
        frozenset({Figure.C_PIPE, Figure.C_PIPE_TWO}),
    ),
    Case(
        Group.FLOORS,
        floors.python_floor,
        frozenset({Figure.PYTHON_PIPE, Figure.PYTHON_PIPE_CPU, Figure.PYTHON_PIPE_TWO}),
    ),
    Case(Group.REFEREE, contest.one_worker, frozenset({Figure.TURNS_ONE})),
    Case(
        Group.REFEREE,
        contest.two_workers,
        frozenset(
            {
                Figure.TURNS_TWO,
                Figure.GAMES_TWO,
                Figure.TURN_TWO,
                Figure.TURN_CPU,
                Figure.TURN_CPU_WORKER,
                Figure.PARENT_CPU,
                Figure.PARENT_MEMORY,
            }
        ),
    ),
    Case(
        Group.REFEREE,
        contest.pure,
        frozenset({Figure.PURE_TURN_CPU, Figure.PURE_TURNS_TWO}),
    ),
    Case(Group.REFEREE, contest.engines, frozenset({Figure.ENGINES_CPU})),
    Case(
        Group.REFEREE,
        rival.fastchess,
        frozenset({Figure.FASTCHESS_CPU, Figure.FASTCHESS_PLIES}),
    ),
    Case(
        Group.REFEREE,
        contest.dragonkrak,
        frozenset({Figure.KRAK_TURN_CPU, Figure.KRAK_TURNS}),
    ),
    Case(
        Group.REFEREE,
        contest.dragonrealm,
        frozenset({Figure.REALM_TURN_CPU, Figure.REALM_TURNS}),
    ),
    Case(Group.REFEREE, contest.unrecorded, frozenset({Figure.TURNS_UNRECORDED})),
    Case(Group.REFEREE, contest.naive_bots, frozenset({Figure.TURNS_NAIVE, Figure.REFEREE_SHARE})),
    Case(
        Group.ENTRANTS,
        entrants.two_seats,
        frozenset({Figure.TWO_10, Figure.TWO_50, Figure.TWO_200}),
    ),
    Case(
        Group.ENTRANTS,
        entrants.four_seats,
        frozenset({Figure.FOUR_10, Figure.FOUR_50, Figure.FOUR_200}),
    ),
    Case(Group.LOOP, loop.loop, frozenset({Figure.LOOP_CPU})),
    Case(
        Group.RULES,
        rules_alone.dragonheart,
        frozenset({Figure.RULES_STEPS, Figure.RULES_STEPS_DEALT}),
    ),
    Case(
        Group.RULES,
        rules_alone.dragonkrak,
        frozenset({Figure.KRAK_STEPS, Figure.KRAK_GAMES}),
    ),
    Case(
        Group.RULES,
        rules_alone.dragonrealm,
        frozenset({Figure.REALM_STEPS, Figure.REALM_GAMES}),
    ),
    Case(
        Group.RULES,
        rules_alone.openspiel,
        frozenset({Figure.OPENSPIEL_STEPS, Figure.OPENSPIEL_STEPS_DEALT}),
    ),
    Case(
        Group.STARTUP,
        startup.startup,
        frozenset({Figure.PYTHON_START, Figure.HELP, Figure.VERSION}),
    ),
    Case(Group.PARENT, contest.long_run, frozenset({Figure.PARENT_MEMORY_LONG}), once=True),
    Case(Group.RATINGS, ratings.ratings, frozenset({Figure.RATINGS_TOTAL, Figure.RATINGS_FIT})),
    Case(
        Group.RATINGS,
        ratings.plain,
        frozenset(
            {
                Figure.PLAIN_TOTAL,
                Figure.PLAIN_DECODED,
                Figure.PLAIN_COUNTED,
                Figure.PLAIN_FITTED,
                Figure.PLAIN_FLOOR,
            }
        ),
    ),
    Case(Group.BACK, back.reports, frozenset({Figure.REPORT_HEART, Figure.REPORT_REALM})),
    Case(
        Group.BACK,
        back.verify,
        frozenset(
            {Figure.ALONE_HEART, Figure.VERIFY_HEART, Figure.ALONE_REALM, Figure.VERIFY_REALM}
        ),
    ),
)


def chosen_rows(group: Group | None) -> list[Row]:
    """The rows of one group, or all."""
    return [row for row in ROWS if group in (None, row.group)]


def chosen_cases(group: Group | None) -> list[Case]:
    """The cases of one group with those that its rows are computed from, or all."""
    needed = {figure for row in chosen_rows(group) for figure in row.figures}
    return [case for case in CASES if group in (None, case.group) or case.figures & needed]


def measure(
    cases: Iterable[Case], shop: Workshop, rounds: int, say: Callable[[str], None]
) -> Measured:
    """Run the cases one after another, as often as there are rounds; ``say`` tells which."""
    waiting = list(cases)
    standing: Figures = {}
    measured: list[Figures] = []
    notes: dict[str, None] = {}
    if (load := os.getloadavg()[0]) > _IDLE:
        notes[f"the machine was not idle: load {load:.2f} before the first round"] = None
        say(f"the machine is not idle: load {load:.2f}; figures of two workers suffer first")
    for number in range(1, rounds + 1):
        figures = dict(standing)
        for case in list(waiting):
            say(f"round {number}/{rounds}  {case.group.value}: {case.run.__name__}")
            try:
                found = case.run(shop)
            except UnavailableError as missing:
                notes[str(missing)] = None
                waiting.remove(case)
                continue
            figures |= found
            if case.once:
                standing |= found
                waiting.remove(case)
        measured.append(figures)
    return Measured(measured, tuple(notes))
