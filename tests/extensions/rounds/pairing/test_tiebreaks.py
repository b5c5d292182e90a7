from __future__ import annotations

import json
from fractions import Fraction
from itertools import groupby
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.extensions.rounds.pairing.history import History, Pairs, PlayerRound, Result
from arena.extensions.rounds.pairing.scoring import Scoring
from arena.extensions.rounds.pairing.tiebreaks import Standing, numbers, standings, two_seat_turns
from arena.games.luck import Luck
from arena.schedule.keys import TieBreak
from tests.extensions.rounds.pairing.tournaments import VECTORS, after, play, start, vector

EXPECTED: dict[str, dict[str, list[str]]] = json.loads(
    (Path(__file__).parent / "vectors" / "tiebreaks.json").read_text()
)
"""By tournament, what the Tie-Break Server of FIDE's technical commission (tiebreakchecker 1.04)
has for the players in order: the numbers in points, and the places by direct encounter."""
LUCK = Luck(b"table")


def table(
    history: History, order: tuple[TieBreak, ...] | None = None, luck: Luck = LUCK
) -> list[Standing]:
    scoring = Scoring(points=history.points)
    if order is not None:
        scoring = msgspec.structs.replace(scoring, order=order)
    return standings(two_seat_turns(history), scoring, luck)


def places(lines: list[Standing]) -> dict[str, int]:
    """By name; equal lines share one."""
    found = {}
    done = 0
    for _, group in groupby(lines, lambda each: (each.points, each.tie_breaks)):
        shared = [each.name for each in group]
        found |= dict.fromkeys(shared, done + 1)
        done += len(shared)
    return found


@pytest.mark.parametrize("name", EXPECTED)
def test_tie_breaks_are_those_of_the_official_program(name: str) -> None:
    history = vector(next(path for path in VECTORS if path.stem == name))
    turns, names = two_seat_turns(history), [each.name for each in history.players]
    has_forfeits = any(
        turn.opponent and not turn.is_played for p in history.players for turn in p.turns
    )
    for kind, values in EXPECTED[name].items():
        if kind == "places":
            found = places(table(history, (TieBreak.DIRECT_ENCOUNTER,)))
            assert [found[each] for each in names] == [*map(int, values)]
        elif kind != TieBreak.KOYA or not has_forfeits:  # for round robins, where all is played
            numbered = numbers(turns, TieBreak(kind), Scoring(points=history.points))
            assert [numbered[each] for each in names] == [*map(Fraction, values)], kind


def test_there_are_enough_of_them() -> None:
    assert len(EXPECTED) >= 12


@given(st.integers(0, 2**32), st.integers(2, 16), st.integers(2, 5))
@settings(max_examples=25, deadline=None)
def test_a_table_has_everybody_in_an_order_that_repeats(seed, players, rounds) -> None:
    *_, (history, _) = play(seed, players, rounds)
    lines = table(history)
    assert sorted(each.name for each in lines) == sorted(each.name for each in history.players)
    assert [each.points for each in lines] == sorted((each.points for each in lines), reverse=True)
    assert lines == table(history)
    direct = TieBreak.DIRECT_ENCOUNTER
    values = [{**each.tie_breaks, direct: -each.tie_breaks[direct]} for each in lines]
    keys = [(each.points, *own.values()) for each, own in zip(lines, values, strict=True)]
    assert keys == sorted(keys, reverse=True)
    assert [each.by_lot for each in lines] == [keys.count(key) > 1 for key in keys]


def test_the_lot_is_from_the_seed() -> None:
    history = start(12, 3)
    lines = table(history)
    assert all(each.by_lot for each in lines)
    assert [each.name for each in lines] != [each.name for each in history.players]
    assert table(history, luck=Luck(b"another")) != lines


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
    lines = table(msgspec.structs.replace(history, players=players))
    assert [each.name for each in lines] == ["Player 3", "Player 2", "Player 1"]
    assert [2 * each.tie_breaks[TieBreak.BLOCKS] for each in lines] == [0, 13, 11]
    assert not any(each.by_lot for each in lines)


def test_the_direct_encounter_has_no_number_of_its_own() -> None:
    with pytest.raises(ValueError, match="without the tied players"):
        numbers(two_seat_turns(start(2, 1)), TieBreak.DIRECT_ENCOUNTER, Scoring())
