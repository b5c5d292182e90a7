from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.documents.problems import ConfigError
from arena.schedule.rounds.history import (
    ASKED_FOR,
    Colour,
    Pairs,
    PlayerRound,
    Points,
    Result,
    after,
    write,
)
from tests.schedule.rounds.tournaments import VECTORS, play, start, vector, won_by_the_better
from tests.schedule.rounds.trf_reader import read

TEXT = """\
012 Four bots
142 3
001    1      Alpha                             2000                             1.0    1     2 w 1
001    2      Beta                                                               0.0    3     1 b 0
001    3      Gamma                                                              0.5    2     4 b =
001    4      Delta                                                              0.5    2     3 w =
"""


@pytest.mark.parametrize("path", VECTORS, ids=lambda path: path.stem)
def test_what_was_written_is_read(path: Path) -> None:
    history = vector(path)
    assert read(write(history)) == history


@given(st.integers(0, 2**32), st.integers(2, 20), st.integers(2, 6))
@settings(max_examples=25, deadline=None)
def test_every_history_can_be_exchanged(seed: int, players: int, rounds: int) -> None:
    """Where nobody was there in the last round, that is written as it is ahead of a round."""
    for history, _ in play(seed, players, rounds):
        last = [each.turns[-1].result for each in history.players if each.turns]
        if not last or not all(each in ASKED_FOR for each in last):
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


def test_a_file_of_another_program() -> None:
    history = read(TEXT.replace("\n", "\r"))
    assert [each.name for each in history.players] == ["Alpha", "Beta", "Gamma", "Delta"]
    assert (history.rounds, history.played, history.first) == (3, 1, Colour.WHITE)
    assert history.players[2].turns == (PlayerRound(Result.DRAW, 4, Colour.BLACK),)
    assert history.players[0].rating == 2000


def test_byes_of_the_next_round() -> None:
    columns = read(TEXT.replace("0.0    3     1 b 0", "0.0    3     1 b 0  0000 - H"))
    code = read(TEXT + "240 H   2    2\n240 Z   3    1\n")
    assert columns.away == code.away == {2: Result.HALF_BYE}
    assert columns.played == 1


def test_letters_of_older_programs() -> None:
    old = TEXT.replace("    2 w 1", " 0000 - +").replace("    1 b 0", " 0000 - -")
    turns = [each.turns[0].result for each in read(old).players]
    assert turns[:2] == [Result.BYE, Result.ZERO_BYE]
    unrated = read(TEXT.replace("2 w 1", "2 w W").replace("1 b 0", "1 b L"))
    assert unrated.players[0].turns[0].result is Result.WIN


def test_points_that_are_not_the_usual_ones() -> None:
    history = msgspec.structs.replace(start(2, 3), points=Points(win=30, draw=10, bye=30))
    assert read(write(history)).points == history.points
    old = TEXT.replace("1.0    1", "3.0    1").replace("0.5 ", "1.0 ")
    assert read(old + "BBW  3.0\nBBD  1.0\n").points == Points(win=30, draw=10, bye=30)


def test_pairs_that_must_not_meet() -> None:
    assert read(TEXT + "XXP 1 3 4\n").forbidden == {
        frozenset(pair) for pair in ((1, 3), (1, 4), (3, 4))
    }
    assert read(TEXT + "260   2   3    1    3\n").forbidden == {frozenset((1, 3))}
    assert read(TEXT + "260   3   3    1    3\n").forbidden == frozenset()


def changed(old: str, new: str) -> Callable[[], str]:
    assert old in TEXT
    return lambda: TEXT.replace(old, new, 1)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (lambda: "012 Nobody\n", "x.trf:1:1: found no player, expected lines that begin with 001"),
        (
            changed("001    2", "001    1"),
            "x.trf:4:5: found player 1 again, expected each number once",
        ),
        (
            changed("001    4", "001    9"),
            "x.trf:6:5: found the number 9, expected numbers from 1 to 4",
        ),
        (
            changed("001    4", "001   -4"),
            'x.trf:6:5: found "-4", expected a whole number from 1 to 9999',
        ),
        (
            changed("2 w 1", "2 w 5"),
            'x.trf:3:99: found the result "5", expected one of 1=0+-UFHZ',
        ),
        (changed("2 w 1", "2 g 1"), 'x.trf:3:97: found the colour "g", expected w, b or -'),
        (changed("2 w 1", "2 - 1"), "x.trf:3:97: found a game without colour, expected w or b"),
        (changed("2 w 1", "1 w 1"), "x.trf:3:92: found the player itself, expected another one"),
        (changed("2 w 1", "2 w H"), "x.trf:3:92: found an opponent with H, expected 0000 in a bye"),
        (
            changed("2 w 1", "3 w 1"),
            "x.trf:3:92: found round 1 against 3, expected the same from both players",
        ),
        (
            changed("1 b 0", "1 b 1"),
            "x.trf:3:92: found round 1 against 2, expected the same from both players",
        ),
        (
            changed("1.0    1", "1.5    1"),
            "x.trf:3:81: found 1.5 points, expected 1.0 by the rounds",
        ),
        (changed("1.0    1", "one    1"), 'x.trf:3:81: found "one", expected points such as 2.5'),
        (changed("142 3", "142 0"), 'x.trf:2:5: found "0", expected a whole number from 1 to 99'),
        (
            changed("142 3", "192 FIDE_DUBOV"),
            'x.trf:2:5: found the system "FIDE_DUBOV", expected FIDE_DUTCH_2025',
        ),
        (
            changed("142 3", "250      1.0   1   1    1    2"),
            "x.trf:2:1: found 250, acceleration, expected an individual Swiss without",
        ),
        (
            changed("142 3", "XYZ 1"),
            'x.trf:2:1: found the code "XYZ", expected one of TRF16 or TRF-2026',
        ),
        (changed("142 3", "152 G"), 'x.trf:2:5: found "G", expected W or B'),
        (changed("142 3", "240 U   2    1"), 'x.trf:2:5: found the bye "U", expected F, H or Z'),
        (
            changed("142 3", "240 Z   2    7"),
            "x.trf:2:11: found player 7, expected a number of a line 001",
        ),
        (changed("142 3", "162  X 1.0"), 'x.trf:2:6: found "X", expected one of W, D, L, Z and P'),
        (
            lambda: "\n".join(each[:60] for each in TEXT.splitlines()),
            "x.trf:3:61: found the end of the line, expected points in columns 81–84",
        ),
    ],
)
def test_what_cannot_be_read_is_said_in_one_sentence(text: Callable[[], str], problem: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read(text(), "x.trf")
    assert str(caught.value).splitlines()[0] == problem


@given(st.text("01 \n\rwb-=+UFHZ.,XP24569", max_size=300), st.integers(0, len(TEXT)))
@settings(max_examples=300, deadline=None)
def test_no_text_does_anything_else(noise: str, at: int) -> None:
    for text in (noise, TEXT[:at] + noise + TEXT[at:]):
        with contextlib.suppress(ConfigError):
            history = read(text)
            assert read(write(history)).players == history.players


def test_a_game_without_colours_has_no_place() -> None:
    found = Pairs(((1, 2),))
    history = after(start(2, 3), found, won_by_the_better(found), colours=False)
    with pytest.raises(ValueError, match="without colours"):
        write(history)


@pytest.mark.parametrize("points", [Points(win=1000), Points(forfeit=1)])
def test_points_that_have_no_place(points: Points) -> None:
    found = Pairs(((1, 2),))
    history = msgspec.structs.replace(start(2, 3), points=points)
    with pytest.raises(ValueError, match="tournament report file has"):
        write(after(history, found, won_by_the_better(found)))
