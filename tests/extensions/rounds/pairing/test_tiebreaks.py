from __future__ import annotations

import json
from fractions import Fraction
from itertools import groupby
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.extensions.rounds.pairing.history import Pairs, PlayerRound, Result
from arena.extensions.rounds.pairing.tiebreaks import RankedPlayer, TieBreak, numbers, standings
from arena.games.luck import Luck
from tests.extensions.rounds.pairing.tournaments import VECTORS, after, play, start, vector

EXPECTED: dict[str, dict[str, list[str]]] = json.loads(
    (Path(__file__).parent / "vectors" / "tiebreaks.json").read_text()
)
"""By tournament, what the Tie-Break Server of FIDE's technical commission (tiebreakchecker 1.04)
has for the players in order: Buchholz cut 1 in points, and the places by direct encounter."""
LUCK = Luck(b"table")


def places(table: tuple[RankedPlayer, ...]) -> dict[int, int]:
    """By number; equal lines share one."""
    found = {}
    done = 0
    for _, group in groupby(table, lambda each: (each.score, each.values)):
        shared = [each.number for each in group]
        found |= dict.fromkeys(shared, done + 1)
        done += len(shared)
    return found


@pytest.mark.parametrize("name", EXPECTED)
def test_tie_breaks_are_those_of_the_official_program(name: str) -> None:
    history = vector(next(path for path in VECTORS if path.stem == name))
    found = numbers(history, TieBreak.BUCHHOLZ_CUT_1)
    expected = [Fraction(each) for each in EXPECTED[name]["buchholz_cut_1"]]
    assert [found[each.number] / 10 for each in history.players] == expected
    found_places = places(standings(history, LUCK, (TieBreak.DIRECT_ENCOUNTER,)))
    expected_places = map(int, EXPECTED[name]["places"])
    assert [found_places[each.number] for each in history.players] == list(expected_places)


def test_there_are_enough_of_them() -> None:
    assert len(EXPECTED) >= 12


@given(st.integers(0, 2**32), st.integers(2, 16), st.integers(2, 5))
@settings(max_examples=25, deadline=None)
def test_a_table_has_everybody_in_an_order_that_repeats(seed, players, rounds) -> None:
    *_, (history, _) = play(seed, players, rounds)
    table = standings(history, LUCK)
    assert sorted(each.number for each in table) == list(range(1, players + 1))
    assert [each.score for each in table] == sorted((each.score for each in table), reverse=True)
    assert table == standings(history, LUCK)
    keys = [(each.score, each.values) for each in table]
    assert keys == sorted(keys, reverse=True)
    assert [each.by_lot for each in table] == [keys.count(key) > 1 for key in keys]


def test_the_lot_is_from_the_seed() -> None:
    history = start(12, 3)
    table = standings(history, LUCK)
    assert all(each.by_lot for each in table)
    assert [each.number for each in table] != list(range(1, 13))
    assert standings(history, Luck(b"another")) != table


def test_points_of_blocks_count_by_match_and_before_the_lot() -> None:
    """Who had a bye has played fewer matches, and is no worse for it."""
    history = start(3, 1)
    draw = (Result.DRAW, Result.DRAW)
    history = after(history, Pairs(((1, 2),), 3), {(1, 2): draw})
    one, two, three = history.players
    players = (
        msgspec.structs.replace(one, turns=(PlayerRound(Result.DRAW, 2, blocks=11),)),
        msgspec.structs.replace(two, turns=(PlayerRound(Result.DRAW, 1, blocks=13),)),
        three,
    )
    table = standings(msgspec.structs.replace(history, players=players), LUCK)
    assert [each.number for each in table] == [3, 2, 1]
    assert [each.values[-1] for each in table] == [0, 13, 11]
    assert not any(each.by_lot for each in table)


def test_the_direct_encounter_has_no_number_of_its_own() -> None:
    with pytest.raises(ValueError, match="without the players"):
        numbers(start(2, 1), TieBreak.DIRECT_ENCOUNTER)
