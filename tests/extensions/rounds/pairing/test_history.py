from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.extensions.rounds.pairing.history import Pairs, Points, Result, write
from tests.extensions.rounds.pairing.tournaments import (
    VECTORS,
    after,
    play,
    start,
    vector,
    won_by_the_better,
)
from tests.extensions.rounds.pairing.trf_reader import read


@pytest.mark.parametrize("path", VECTORS, ids=lambda path: path.stem)
def test_what_was_written_is_read(path: Path) -> None:
    history = vector(path)
    assert read(write(history)) == history


@given(st.integers(0, 2**32), st.integers(2, 20), st.integers(2, 6))
@settings(max_examples=25, deadline=None)
def test_every_history_can_be_exchanged(seed: int, players: int, rounds: int) -> None:
    for history, _ in play(seed, players, rounds):
        assert read(write(history)) == history


def test_the_columns_of_a_player() -> None:
    history = start(2, 3)
    history = after(history, Pairs(((1, 2),)), won_by_the_better(Pairs(((1, 2),))))
    line = next(each for each in write(history).splitlines() if each.startswith("001    2"))
    assert (line[4:8], line[14:22], line[48:52], line[80:84], line[85:89], line[91:99]) == (
        "   2",
        "Player 2",
        "2698",
        " 0.0",
        "   2",
        "   1 b 0",
    )


def test_places_that_others_than_points_decide_and_a_remark() -> None:
    history = after(start(2, 3), Pairs(((1, 2),)), {(1, 2): (Result.DRAW, Result.DRAW)})
    text = write(history, "two", "for people", {1: 2, 2: 1})
    assert text.startswith("012 two\n### for people\n")
    assert [line[85:89] for line in text.splitlines() if line.startswith("001")] == ["   2", "   1"]
    assert read(text) == history


@pytest.mark.parametrize(("players", "rounds"), [(10_000, 3), (2, 100)])
def test_what_is_too_large(players: int, rounds: int) -> None:
    with pytest.raises(ValueError, match="place for 9999 players and 99 rounds"):
        write(start(players, rounds))


def test_points_that_are_not_the_usual_ones_and_pairs_that_must_not_meet() -> None:
    forbidden = frozenset(map(frozenset, ((1, 3), (1, 2))))
    points = Points(win=30, draw=10, bye=30)
    history = msgspec.structs.replace(start(3, 3), points=points, forbidden=forbidden)
    assert read(write(history)) == history


def test_a_game_without_colours_has_no_place_but_a_forfeit_has() -> None:
    found = Pairs(((1, 2),))
    history = after(start(2, 3), found, won_by_the_better(found), colours=False)
    with pytest.raises(ValueError, match="without colours"):
        write(history)
    forfeit = {(1, 2): (Result.FORFEIT_WIN, Result.FORFEIT_LOSS)}
    history = after(start(2, 3), found, forfeit, colours=False)
    assert read(write(history)) == history


@pytest.mark.parametrize("points", [Points(win=1000), Points(forfeit=1)])
def test_points_that_have_no_place(points: Points) -> None:
    found = Pairs(((1, 2),))
    history = msgspec.structs.replace(start(2, 3), points=points)
    with pytest.raises(ValueError, match="tournament report file has"):
        write(after(history, found, won_by_the_better(found)))
