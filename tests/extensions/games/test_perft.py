"""How many sequences of decisions follow a fixed deal: numbers that any change of the rules moves.

``python -m tests.extensions.games.test_perft`` prints the table anew.
"""

from __future__ import annotations

from typing import Any

import pytest

from arena.games.base import CHANCE, NOBODY, Rules
from arena.games.luck import Luck, derive_key
from arena.games.registry import make_rules
from arena.values.results import RulesSpec
from tests.games.games import label, single_specs

DEPTH = 4
SPECS = {label(spec): spec for spec in single_specs()}
COUNTS: dict[str, tuple[int, ...]] = {
    "dragonheart-2-kosmos-random": (6, 30, 190, 950),
    "dragonheart-2-ffg-random": (6, 30, 190, 950),
    "dragonheart-2-kosmos-seat_0": (5, 30, 150, 950),
    "dragonkrak-1-nearest-volunteers_counts-standard": (18, 280, 3658, 43512),
    "dragonkrak-1-declared-volunteers_counts-standard": (18, 280, 3679, 44356),
    "dragonkrak-1-nearest-standard": (18, 280, 3658, 43512),
    "dragonkrak-1-nearest-volunteers_counts-two_dragons": (19, 307, 4196, 50744),
    "dragonkrak-2-nearest-volunteers_counts": (16, 192, 1691, 13818),
    "dragonkrak-2-declared-volunteers_counts": (16, 192, 1712, 14410),
    "dragonkrak-2-nearest": (16, 192, 1691, 13812),
    "dragonkrak-3-nearest-volunteers_counts": (17, 191, 1212, 4019),
    "dragonkrak-3-declared-volunteers_counts": (38, 605, 4512, 16175),
    "dragonkrak-3-nearest": (17, 191, 1212, 4019),
    "dragonkrak-4-nearest-volunteers_counts": (16, 179, 1137, 3915),
    "dragonkrak-4-declared-volunteers_counts": (37, 582, 4371, 16700),
    "dragonkrak-4-nearest": (16, 179, 1137, 3915),
    "dragonrealm-2-academy-random3-random": (2, 4, 48, 276),
    "dragonrealm-2-alley-random3-random": (2, 4, 48, 276),
    "dragonrealm-2-academy-by_level-random": (2, 4, 48, 264),
    "dragonrealm-2-academy-random3-min_share_one-random": (2, 4, 48, 276),
    "dragonrealm-2-academy-random3-seat_0": (2, 4, 48, 276),
    "dragonrealm-3-academy-random3-random": (2, 4, 8, 96),
    "dragonrealm-3-alley-random3-random": (2, 4, 8, 96),
    "dragonrealm-3-academy-by_level-random": (2, 4, 8, 96),
    "dragonrealm-3-academy-random3-min_share_one-random": (2, 4, 8, 96),
    "dragonrealm-3-academy-random3-seat_0": (2, 4, 8, 96),
    "dragonrealm-4-academy-random3-random": (2, 4, 8, 16),
    "dragonrealm-4-alley-random3-random": (2, 4, 8, 16),
    "dragonrealm-4-academy-by_level-random": (2, 4, 8, 16),
    "dragonrealm-4-academy-random3-min_share_one-random": (2, 4, 8, 16),
    "dragonrealm-4-academy-random3-seat_0": (2, 4, 8, 16),
}
"""By depth: sequences of one decision, of two, and so on; games that end sooner are not counted."""


def sequences(rules: Rules[Any, Any], state: Any, depth: int, luck: Luck) -> int:
    """Sequences of ``depth`` decisions from here. Chance happens as ``luck`` has it."""
    while rules.to_act(state) == CHANCE:
        state = rules.apply(state, rules.chance(state, luck))
    if rules.to_act(state) == NOBODY:
        return 0
    legal = rules.legal_actions(state)
    if depth == 1:
        return len(legal)
    return sum(sequences(rules, rules.apply(state, a), depth - 1, luck) for a in legal)


def counts(spec: RulesSpec) -> tuple[int, ...]:
    rules, luck = make_rules(spec), Luck(derive_key("perft"))
    return tuple(
        sequences(rules, rules.initial_state(), depth, luck) for depth in range(1, DEPTH + 1)
    )


def test_every_set_of_rules_is_counted() -> None:
    assert COUNTS.keys() == SPECS.keys()


@pytest.mark.parametrize("name", COUNTS)
def test_sequences_of_decisions(name: str) -> None:
    assert counts(SPECS[name]) == COUNTS[name]


if __name__ == "__main__":
    for name, spec in SPECS.items():
        print(f'    "{name}": {counts(spec)},')
