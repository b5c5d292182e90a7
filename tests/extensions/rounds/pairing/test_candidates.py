from __future__ import annotations

import pytest

from arena.extensions.rounds.pairing.candidates import Strength, allocate, due
from arena.extensions.rounds.pairing.history import Colour, Player, PlayerRound, Result

WHITE, BLACK = Colour.WHITE, Colour.BLACK


def player(colours: str) -> Player:
    """``-`` is a round without a game."""
    turns = (
        PlayerRound(Result.BYE) if each == "-" else PlayerRound(Result.DRAW, 9, Colour(each))
        for each in colours
    )
    return Player(1, tuple(turns))


@pytest.mark.parametrize(
    ("colours", "colour", "strength"),
    [
        ("", None, Strength.NONE),
        ("--", None, Strength.NONE),
        ("wb", WHITE, Strength.MILD),
        ("w", BLACK, Strength.STRONG),
        ("wb-w", BLACK, Strength.STRONG),
        ("bww", BLACK, Strength.ABSOLUTE),
        ("w-w", BLACK, Strength.ABSOLUTE),
        ("wbwww", BLACK, Strength.ABSOLUTE),
    ],
)
def test_what_a_player_is_due(colours: str, colour: Colour | None, strength: Strength) -> None:
    found = due(player(colours))
    assert (found.colour, found.strength) == (colour, strength)


@pytest.mark.parametrize(
    ("upper", "lower", "is_odd", "expected"),
    [
        ("", "", True, WHITE),
        ("", "", False, BLACK),
        ("w", "b", True, BLACK),
        ("w", "", True, BLACK),
        ("", "w", True, WHITE),
        ("wb", "b", True, BLACK),  # a strong wish before a mild one
        ("b", "bwb", True, WHITE),  # both strong, no difference: the higher ranked
        ("bwwbb", "wbb", True, WHITE),
        ("wwb-ww", "bww", True, BLACK),  # the wider difference of two absolute ones
        ("bww", "wbwww", True, WHITE),
        ("bwwb", "wbwb", True, BLACK),  # where they last had different colours
    ],
)
def test_who_gets_which(upper: str, lower: str, is_odd: bool, expected: Colour) -> None:
    assert allocate(due(player(upper)), due(player(lower)), is_odd, WHITE) is expected
