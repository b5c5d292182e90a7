"""Chess against python-chess as a whole, and against published numbers."""

from __future__ import annotations

import io
import random
import re
from collections import Counter
from contextlib import suppress
from typing import Any

import pytest

from arena.games.base import CHANCE, NOBODY, InvalidActionError
from arena.games.game import NotedGame
from arena.games.luck import Luck, derive_key
from arena.games.registry import GAMES, make_rules
from arena.values.results import RulesSpec, TimeControl

chess = pytest.importorskip("chess")
pytest.importorskip("chess.pgn")

RULES = make_rules(RulesSpec("chess", 2, {}, {}))
CHESS960 = make_rules(RulesSpec("chess", 2, {"start": "chess960"}, {}))


@pytest.mark.parametrize(
    ("fen", "counts"),
    [
        # https://www.chessprogramming.org/Perft_Results
        (chess.STARTING_FEN, (20, 400, 8902)),
        ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", (48, 2039)),
        ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", (14, 191, 2812)),
        ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", (44, 1486)),
    ],
)
def test_as_many_sequences_as_published(fen: str, counts: tuple[int, ...]) -> None:
    def below(state: Any, depth: int) -> int:
        legal = RULES.legal_actions(state)
        if depth == 1:
            return len(legal)
        return sum(below(RULES.apply(state, action), depth - 1) for action in legal)

    state = RULES.position(fen)
    assert tuple(below(state, depth) for depth in range(1, len(counts) + 1)) == counts


@pytest.mark.parametrize("rules", [RULES, CHESS960], ids=["chess", "chess960"])
def test_random_games_end_as_python_chess_says(rules: Any) -> None:
    """Repetition (CH-01), fifty moves (CH-02) and dead positions (CH-03) included."""
    endings: Counter[str] = Counter()
    for seed in range(24):
        draw = random.Random(seed)
        state, luck = rules.initial_state(), Luck(derive_key(str(seed)))
        if rules.to_act(state) == CHANCE:
            state = rules.apply(state, rules.chance(state, luck))
        board = chess.Board(state.start, chess960=rules is CHESS960)
        while rules.to_act(state) != NOBODY:
            assert board.outcome(claim_draw=False) is None
            action = draw.choice(rules.legal_actions(state))
            board.push_uci(action.uci)
            state = rules.apply(state, action)
        told, outcome = board.outcome(claim_draw=True), rules.outcome(state)
        assert told is not None
        assert outcome is not None
        winner = {True: (2, 0), False: (0, 2), None: (1, 1)}[told.winner]
        assert outcome.scores == winner
        drawn = {"THREEFOLD_REPETITION": "CH-01", "FIFTY_MOVES": "CH-02"}
        assert outcome.ruling == drawn.get(told.termination.name, "")
        endings[told.termination.name] += 1
    assert len(endings) >= 4, endings


def test_who_delays_does_not_lose_on_a_flag_that_is_a_fault() -> None:
    """CH-04: the rules know no clock."""
    assert "clock" not in {*RULES.observe(RULES.initial_state(), 0).__struct_fields__}


BOOK = GAMES["chess"].book
FEN = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"
PGN = f"""[Event "one"]

1. e4 e5 *

[Event "two"]
[SetUp "1"]
[FEN "{FEN}"]

2. Nf3 {{ a remark }} 1-0
"""


def test_books_are_epd_fen_or_pgn() -> None:
    assert BOOK is not None
    for text in (FEN, FEN[:-4], f'{FEN[:-4]} bm Nf3; id "x";'):
        assert BOOK.place(RULES, text).board.board_fen() == FEN.split()[0]
    found = list(BOOK.entries(PGN))
    assert [number for number, _ in found] == [1, 5]
    assert found[1][1] == f"{FEN} moves g1f3"
    assert BOOK.place(RULES, found[1][1]).board.fen().split()[:2] == [
        *("rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R", "b")
    ]
    assert list(BOOK.entries("# x\n\na\n")) == [(3, "a")]
    rook = "4k3/8/8/8/8/8/8/4K2R w KQkq -"
    assert BOOK.place(CHESS960, "4k3/8/8/8/8/8/8/1R2K1R1 w KQ -").board.castling_rights
    with pytest.raises(
        ValueError, match="expected a possible position, found no white king, no bl"
    ):
        BOOK.place(RULES, "8/8/8/8/8/8/8/8 w - -")
    for text in (rook, "x", "8/8/8/8/8/8/8/8 w - -", f"{FEN[:-4]} bm Ke5;"):
        with pytest.raises(ValueError, match=r"expected|illegal"):
            BOOK.place(RULES, text)


GAME = '[Event "x"]\n\n1. e4 $1 (1. d4 {a)} (1. c4 c5)) 1... e5!? {it\n\n} 2. Nf3 ; (so\n%[\n'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{GAME}0-1\n\n", {1: "e4 e5 Nf3"}),
        (
            f"{GAME}Nc6\n{GAME}1-0 {{White wins}}\n{GAME}",
            {1: "e4 e5 Nf3 Nc6", 8: "e4 e5 Nf3", 15: "e4 e5 Nf3"},
        ),
        ("1. e4 e5 *\n\n1. d4 *\n", {1: "e4 e5", 3: "d4"}),
        ("1. e4 e5\n\n1. d4", {1: "e4 e5", 3: "d4"}),
        ('% by a program\n[White "a"] [Black "b"]\n1.e4 *', {2: "e4"}),
        ('[White "a"]\n\n[White "b"]\n\n*\n\n[Event "c"]\n\n1. e4! +- 1/2-1/2 ', {7: "e4"}),
    ],
)
def test_a_book_of_games_has_the_last_position_of_each(text: str, expected: dict[int, str]) -> None:
    assert BOOK is not None
    boards = {}
    for line, moves in expected.items():
        boards[line] = chess.Board()
        for move in moves.split():
            boards[line].push_san(move)
    found = {line: BOOK.place(RULES, entry) for line, entry in BOOK.entries(text)}
    assert {line: state.board.fen() for line, state in found.items()} == {
        line: board.fen() for line, board in boards.items()
    }
    for line, state in found.items():
        assert state.moves == tuple(move.uci() for move in boards[line].move_stack)
        assert len(state.seen) >= 1


def test_an_opening_counts_for_repetition_and_its_moves_must_be_legal() -> None:
    assert BOOK is not None
    there = "g1f3 g8f6 f3g1 f6g8"
    state = BOOK.place(RULES, f"{chess.STARTING_FEN} moves {there} g1f3 g8f6 f3g1")
    assert RULES.outcome(state) is None
    state = RULES.apply(state, RULES.decode_action({"type": "move", "uci": "f6g8"}))
    assert RULES.outcome(state).ruling == "CH-01"
    for wrong in ("e2e5", "e1g1", "e2e4 e7e5 e4e5"):
        with pytest.raises(ValueError, match=r"found '\w+', expected a legal move"):
            BOOK.place(RULES, f"{chess.STARTING_FEN} moves {wrong}")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('[Event "x"]\n\n1. Ke5 *\n', "line 3: found 'Ke5', expected a legal move"),
        ('[Event "x"]\n\n1. e4 *\n\n1. Nf33 *\n', "line 5: found 'Nf33', expected moves"),
        ('[Event "x"]\n\n1. e4 -- 2. d4 *', "line 3: found the null move '--'"),
        ('[Event "x"]\n\n1. e4 (1. -- d5) *', "line 3: found the null move '--'"),
        ('[Event "x"]\n{a}\n{b 1. e4', "line 3: found a remark without an end"),
        ('[Event "x]\n[White "y"]\n1. e4 *', "line 1: found '.Event \"x.', expected a tag"),
        ('[Variant "Atomic"]\n\n1. e4 *', "found a game of Atomic, expected one of chess"),
        ('[FEN "8/8 w"]\n\n*', "line 1: expected"),
        ("1. e4 e5\n\n2. Nf3 *", "line 3: found '2.', expected a game from its first move"),
        (
            '[FEN "4k3/8/8/8/8/3K4/8/R6R w - - 0 1"]\n\n1. Re1 *',
            "line 3: found 'Re1', which fits several moves",
        ),
    ],
)
def test_what_is_no_game_of_a_book(text: str, reason: str) -> None:
    assert BOOK is not None
    with pytest.raises(ValueError, match=re.escape(reason).replace(r"\.", ".")):
        list(BOOK.entries(text))


@pytest.mark.parametrize(
    "part",
    [
        "{",
        "{a}",
        "(",
        "()",
        "; ",
        "1.",
        "e4",
        "1",
        "!",
        "\n",
        "[",
        '[A "b"]',
        '[A "b"]\n',
        " (1. d4)",
    ],
)
@pytest.mark.parametrize("before", ['[Event "x"]\n', '[Event "x"]\n\n1. e4 ', ""])
def test_a_book_is_read_in_time_in_proportion_to_its_length(part: str, before: str) -> None:
    """A reader whose time grows with the square would take hours: the limit of a test is enough."""
    assert BOOK is not None
    with suppress(ValueError):
        list(BOOK.entries(before + part * (600_000 // len(part))))


@pytest.mark.parametrize(
    ("changes", "tags"),
    [
        ({}, {"TimeControl": "1/1", "Result": "1-0", "Termination": "normal"}),
        ({"ending": "timeout"}, {"Result": "1-0", "Termination": "time forfeit"}),
        ({"ending": "crash"}, {"Termination": "abandoned"}),
        ({"ending": "illegal"}, {"Termination": "rules infraction"}),
        ({"places": (1, 1)}, {"Result": "1/2-1/2", "Termination": "normal"}),
        ({"places": (2, 2), "ending": "startup"}, {"Result": "*", "Termination": "abandoned"}),
        ({"control": TimeControl(None)}, {"TimeControl": "-"}),
        ({"control": TimeControl(None, 10.0, 0.1)}, {"TimeControl": "10+0.1"}),
        ({"control": TimeControl(None, 60.0, moves=40)}, {"TimeControl": "40/60"}),
        ({"control": TimeControl(None, 60.0, 0.6, moves=40)}, {"TimeControl": "40/60+0.6"}),
    ],
)
def test_a_written_game_has_the_tags_of_its_end_and_clock(
    changes: dict[str, Any], tags: dict[str, str]
) -> None:
    write = GAMES["chess"].notation
    assert write is not None
    game = NotedGame(
        "cup", "1.1", ("a", "b"), {"start": "standard"}, (), (1, 2), "completed"
    )._replace(**changes)
    headers = chess.pgn.read_headers(io.StringIO(write(game)))
    assert tags.items() <= dict(headers).items()


def test_castling_of_chess960_is_the_king_on_its_rook() -> None:
    state = CHESS960.position("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1")
    castled = {action.uci for action in CHESS960.legal_actions(state)} & {"e1h1", "e1a1"}
    assert castled == {"e1h1", "e1a1"}
    after = CHESS960.apply(state, CHESS960.decode_action({"type": "move", "uci": "e1h1"}))
    assert after.board.piece_at(chess.G1).symbol() == "K"


@pytest.mark.parametrize(
    "data",
    [
        *({}, {"type": "move"}, {"type": "setup", "fen": "8"}),
        *({"type": "move", "uci": uci} for uci in ("e9e4", "0000", "e2e4qq", "(none)", "e2e4\n")),
    ],
)
def test_what_is_no_action(data: dict[str, Any]) -> None:
    with pytest.raises(InvalidActionError):
        RULES.decode_action(data)
