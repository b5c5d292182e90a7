"""The steps that are chosen find faults in rules that random games hardly ever meet."""

from __future__ import annotations

from itertools import islice
from typing import Any, Final

import pytest
from msgspec.structs import replace

from arena.extensions.authors.vectors.cases import CaseSelection, cases
from arena.extensions.authors.vectors.exploring import ExploredStep, Layer, telling_steps
from arena.games.registry import make_rules, rules_spec

pytestmark = [pytest.mark.slow]

KOSMOS: Final = make_rules(rules_spec("dragonheart"))
FFG: Final = make_rules(rules_spec("dragonheart", 2, {"edition": "ffg"}))
KRAK: Final = make_rules(rules_spec("dragonkrak"))
REALM: Final = make_rules(rules_spec("dragonrealm"))


def kind(step: ExploredStep) -> str:
    return type(step.action).__name__


def ends_as_kosmos(step: ExploredStep) -> Any:
    return KOSMOS.apply(step.before, step.action)


def theft_resets_emptied(step: ExploredStep) -> Any:
    if kind(step) != "Steal":
        return step.after
    sides = list(step.after.sides)
    loser = 1 - step.before.seat
    sides[loser] = replace(sides[loser], emptied=False)
    return replace(step.after, sides=tuple(sides))


def reinforcements_forget_the_flight(step: ExploredStep) -> Any:
    return replace(step.after, flying=False)


def volunteers_go_on(step: ExploredStep) -> Any:
    if kind(step) != "Volunteers":
        return step.after
    army = step.after.progress.space
    return replace(step.after, progress=replace(step.after.progress, inserting=army))


def an_order_outlives_its_pile(step: ExploredStep) -> Any:
    piles = zip(step.before.piles, step.after.piles, strict=True)
    kept = tuple(replace(new, ordered=old.ordered or new.ordered) for old, new in piles)
    return replace(step.after, piles=kept)


def an_end_is_a_pass(step: ExploredStep) -> Any:
    return step.before if kind(step) == "End" else step.after


def rest_ignores_enhancements(step: ExploredStep) -> Any:
    if kind(step) == "Use" and not step.before.attempt:
        return replace(step.after, todo=step.before.todo)
    return step.after


def reshuffles_are_not_counted(step: ExploredStep) -> Any:
    return replace(step.after, shuffles=step.before.shuffles)


def the_academy_sends_two_at_most(step: ExploredStep) -> Any:
    if kind(step) != "Academy" or step.action.adventurers < 3:  # type: ignore[attr-defined]
        return step.after
    return step.before


# ``number``: as many of the 1,000 steps that ``arena vectors`` writes as are enough.
@pytest.mark.parametrize(
    ("rules", "number", "faults"),
    [
        (FFG, 700, [ends_as_kosmos, theft_resets_emptied]),
        (
            KRAK,
            450,
            [
                volunteers_go_on,
                an_order_outlives_its_pile,
                reinforcements_forget_the_flight,
                an_end_is_a_pass,
            ],
        ),
        (
            REALM,
            450,
            [the_academy_sends_two_at_most, rest_ignores_enhancements, reshuffles_are_not_counted],
        ),
    ],
    ids=["dragonheart", "dragonkrak", "dragonrealm"],
)
def test_faulty_next_states_are_found(rules, number, faults) -> None:
    chosen = [step for _, step in islice(telling_steps(rules, "1"), number)]
    for faulty in faults:
        differ = [step for step in chosen if faulty(step) != step.after]
        assert differ, faulty.__name__
        assert len(differ) < number / 4, f"{faulty.__name__} is a rare fault"


def test_a_wrong_ending_and_order_of_cards_are_found() -> None:
    tied = unsorted = False
    for case in cases(FFG, CaseSelection(Layer.STEPS, "1", 700)):
        action, answer = case.question["action"], case.answer
        if answer["scores"] and len({*answer["scores"]}) == 1:
            tied |= answer["places"] != [1, 1]
        if action["type"] == "play":
            unsorted |= action["cards"] != sorted(action["cards"])
    assert tied, "a tie that the figure breaks"
    assert unsorted


def test_steps_go_on_from_where_they_say() -> None:
    """Each state was led to by chance and decisions; the same seed chooses the same."""
    first = [*islice(telling_steps(FFG, "7"), 150)]
    assert first == [*islice(telling_steps(FFG, "7"), 150)]
    for place, step in first:
        assert FFG.apply(step.before, step.action) == step.after
        assert not step.legal or step.action in step.legal
        assert (place.ply == 0) == (step.before == FFG.initial_state())
    assert len({place for place, _ in first}) == len(first)
