"""Check that a knockout, or a tournament in stages, can be played."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from arena.documents.problems import KeyPath, Problems, either
from arena.schedule.keys import (
    KEYS_OF,
    LEAST_TESTED,
    STAGE_KINDS,
    Decide,
    Schedule,
    ScheduleKind,
    Stage,
)

_OWN: Final = frozenset({"kind", "deals", "first"})
"""Keys of a stage that every kind accepts."""


def check_knockout(
    schedule: Schedule, seats: int, where: Callable[[str], KeyPath], problems: Problems
) -> None:
    """Report settings that contradict each other. ``where``: returns a key's place in the file."""

    def tell(key: str, found: str, expected: str, hint: str = "") -> None:
        if problems.clean(*where(key)):
            problems.add(where(key), found, expected=expected, hint=hint)

    at = f"at {seats} seats"
    if schedule.lives == 2 and seats > 2:
        tell("lives", f"found 2 lives {at}", "2 seats")
    elif schedule.third_place and (seats > 2 or schedule.lives == 2):
        with_ = at if seats > 2 else "with 2 lives"
        tell("third_place", f"found third_place {with_}", "2 seats and 1 life")
    if not schedule.second_final and schedule.lives == 1:
        tell("second_final", "found second_final with 1 life", "lives: 2 beside it")
    if schedule.advance >= seats:
        tell("advance", f"found {schedule.advance} {at}", f"at most {seats - 1}")
    if schedule.most_deals % schedule.deals:
        deals = schedule.deals
        hint = "a tie is played on by deals more each time"
        tell("most", f"found {schedule.most}", f"a multiple of deals, which is {deals}", hint)
    if schedule.decide is Decide.TEST and seats > 2:
        tell("decide", f"found a test {at}", "2 seats")
    elif schedule.decide is Decide.TEST and schedule.most_deals < LEAST_TESTED:
        found = f"found a test with at most {schedule.most_deals} deals"
        tell("decide", found, f"most: {LEAST_TESTED} or more", "it says nothing on fewer")


def check_stages(schedule: Schedule, seats: int, path: KeyPath, problems: Problems) -> None:
    """Report stages that cannot follow each other. ``path``: the place of the list."""
    before: int | None = None
    for number, (stage, plan) in enumerate(zip(schedule.stages, schedule.parts, strict=True)):

        def where(key: str, number: int = number) -> KeyPath:
            return (*path, number, key)

        if not problems.clean(*path, number):
            return
        if stage.kind not in STAGE_KINDS:
            problems.add(where("kind"), f"found {stage.kind}", expected=either([*STAGE_KINDS]))
        elif stage.kind is ScheduleKind.ROUND_ROBIN and seats > 2:
            found = f"found round_robin as a stage at {seats} seats"
            problems.add(where("kind"), found, expected="2 seats")
        elif _has_own_keys(stage, where, problems):
            if stage.kind is ScheduleKind.SWISS and stage.rounds is None:
                problems.add(where("kind"), "found swiss without rounds", expected="rounds: N")
            if stage.kind is ScheduleKind.KNOCKOUT:
                check_knockout(plan, seats, where, problems)
        if stage.first is None:
            continue
        if not number:
            hint = "all entrants play the first stage"
            problems.add(where("first"), "found first in the first stage", hint=hint)
        elif stage.first < seats:
            found = f"found {stage.first} at {seats} seats"
            problems.add(where("first"), found, expected=f"at least {seats}")
        elif before is not None and stage.first > before:
            problems.add(where("first"), f"found {stage.first} of {before} who are left")
        before = stage.first


def _has_own_keys(stage: Stage, where: Callable[[str], KeyPath], problems: Problems) -> bool:
    """Return whether all keys fit the kind; report the others."""
    unset = Stage(kind=stage.kind)
    found = [
        key
        for key in Stage.__struct_fields__
        if key not in _OWN | KEYS_OF[stage.kind] and getattr(stage, key) != getattr(unset, key)
    ]
    for key in found:
        owner = next(kind for kind, keys in KEYS_OF.items() if key in keys)
        hint = f"it belongs to the kind {owner}"
        problems.add(where(key), f"found {key} with the kind {stage.kind}", hint=hint)
    return not found
