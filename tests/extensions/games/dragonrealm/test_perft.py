"""Sequences of decisions from the middle of a game of Dragonrealm, which its start does not reach.

``python -m tests.extensions.games.dragonrealm.test_perft`` prints the table anew.
"""

from __future__ import annotations

import pytest

from arena.games.luck import Luck, derive_key
from arena.values.results import RulesSpec
from tests.extensions.games.test_perft import sequences
from tests.games.games import label, play, single_specs

DEPTH = 3
AFTER = 100
"""Plies before the position: the next turn that begins."""
SPECS = {label(spec): spec for spec in single_specs() if spec.name == "dragonrealm"}
COUNTS: dict[str, tuple[int, ...]] = {
    "dragonrealm-2-academy-random3-random": (12, 99, 288),
    "dragonrealm-2-alley-random3-random": (12, 111, 562),
    "dragonrealm-2-academy-by_level-random": (12, 51, 192),
    "dragonrealm-2-academy-random3-min_share_one-random": (12, 99, 288),
    "dragonrealm-2-academy-random3-seat_0": (12, 108, 306),
    "dragonrealm-3-academy-random3-random": (12, 162, 460),
    "dragonrealm-3-alley-random3-random": (12, 96, 464),
    "dragonrealm-3-academy-by_level-random": (12, 75, 206),
    "dragonrealm-3-academy-random3-min_share_one-random": (12, 162, 460),
    "dragonrealm-3-academy-random3-seat_0": (12, 105, 284),
    "dragonrealm-4-academy-random3-random": (12, 93, 260),
    "dragonrealm-4-alley-random3-random": (12, 63, 330),
    "dragonrealm-4-academy-by_level-random": (12, 63, 197),
    "dragonrealm-4-academy-random3-min_share_one-random": (12, 93, 260),
    "dragonrealm-4-academy-random3-seat_0": (12, 123, 289),
}


def counts(spec: RulesSpec) -> tuple[int, ...]:
    game, luck = play(spec, "perft"), Luck(derive_key("perft"))
    position = next(s for s in game.states[AFTER:] if s.todo[-1] == "turn")
    return tuple(sequences(game.rules, position, depth, luck) for depth in range(1, DEPTH + 1))


def test_every_set_of_rules_is_counted() -> None:
    assert COUNTS.keys() == SPECS.keys()


@pytest.mark.parametrize("name", COUNTS)
def test_sequences_of_decisions(name: str) -> None:
    assert counts(SPECS[name]) == COUNTS[name]


if __name__ == "__main__":
    for name, spec in SPECS.items():
        print(f'    "{name}": {counts(spec)},')
