"""The greedy player of Dragonrealm: its chances are exact, and it plays well enough everywhere."""

from __future__ import annotations

from itertools import product

import msgspec
import pytest

from arena.games.base import CHANCE, NOBODY
from arena.games.luck import Luck, derive_key
from tests.extensions.games.dragonrealm.states import dragonrealm
from tests.games.games import greedy

PERCENT = {
    1: (50, 17, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
    2: (97, 86, 64, 36, 14, 3, 0, 0, 0, 0, 0, 0),
    3: (100, 100, 97, 88, 72, 50, 28, 12, 3, 0, 0, 0),
    4: (100, 100, 100, 99, 97, 90, 78, 60, 40, 22, 10, 3),
    5: (100, 100, 100, 100, 100, 99, 97, 92, 82, 68, 50, 32),
    6: (100, 100, 100, 100, 100, 100, 100, 99, 97, 93, 86, 74),
}
"""By number of dice: how often they reach 3, 4 … 14."""


GREEDY = greedy("dragonrealm")


@pytest.mark.parametrize("dice", PERCENT)
def test_chances_are_exact(dice: int) -> None:
    throws = [sum(faces) for faces in product(GREEDY.FACES, repeat=dice)]
    for needed, percent in enumerate(PERCENT[dice], start=3):
        counted = sum(total >= needed for total in throws) / len(throws)
        assert GREEDY.chance(dice, needed) == counted
        assert round(100 * counted) == percent


def test_its_dice_are_the_printed_ones() -> None:
    assert dragonrealm().box.dice == GREEDY.FACES


@pytest.mark.slow
@pytest.mark.parametrize("side", ["academy", "alley"])
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_it_beats_random_players(seats: int, side: str) -> None:
    wins = sum(_wins(seats, side, game) for game in range(6))
    assert wins >= 4


def _wins(seats: int, side: str, game: int) -> bool:
    """A game against players of random choices; true if it alone has the first place."""
    rules, mine = dragonrealm(seats, side=side), game % seats
    luck, choices = Luck(derive_key("deal", game)), Luck(derive_key("choices", game))
    position, plies = rules.initial_state(), 0
    while (actor := rules.to_act(position)) != NOBODY:
        if actor == CHANCE:
            action = rules.chance(position, luck)
        else:
            legal = rules.legal_actions(position)
            index = choices.below("choice", plies, len(legal))
            if actor == mine:
                asked = {"observation": rules.observe(position, mine), "legal": legal}
                index = GREEDY.choose(msgspec.json.decode(msgspec.json.encode(asked)))
            action = legal[index]
        position, plies = rules.apply(position, action), plies + 1
    outcome = rules.outcome(position)
    assert outcome is not None
    return outcome.places[mine] == 1 and outcome.places.count(1) == 1
