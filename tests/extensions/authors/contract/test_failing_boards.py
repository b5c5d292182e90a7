"""Boards of packages that fail: they give way to plain data, and the contract finds them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from arena.extensions.authors.contract.play import board as check_board
from arena.games.board import Drawing, TableInfo
from arena.games.game import Game
from arena.games.guarded_board import BOARD_LOG, board_of, drawing_texts
from arena.games.registry import GAMES, built
from arena.testing import ContractError, play

TABLE = TableInfo(("ann", "bob"), {})
PLAIN: dict[str, tuple[tuple[Any, ...], Any]] = {
    "sentence": (({"type": "pass"}, TABLE), "pass"),
    "scores": (({"hand": []},), None),
    "lines": (({0: {"a": 1}}, TABLE), ["seat 0 ann sees", "  a: 1"]),
    "compact": (({"a": 1}, TABLE), ["a: 1"]),
    "choice": (({"type": "draw"}, {}, TABLE), "Draw"),
    "hint": (({"type": "draw"}, {}, {}), ""),
}
"""What the generic board shows, with the arguments."""
PLAYED = play(built(GAMES["dragonheart"]), "a")


def missing(*given: Any) -> Any:
    raise KeyError("scores")


def returning(value: object) -> Callable[..., Any]:
    return lambda *given: value


def foreign(monkeypatch: pytest.MonkeyPatch, **changes: Any) -> Game:
    """Dragonheart as a game of a package, with a board that is changed so."""
    own = GAMES["dragonheart"]
    changed = {"drawing": None, **changes}
    board = changes.get("board") or (lambda: own.board()._replace(**changed))
    game = own._replace(name="foreign", package="tests.games.show", board=board)
    monkeypatch.setitem(GAMES.loaded, "foreign", game)
    return game


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"sentence": missing}, "KeyError: 'scores' (test_failing_boards.py:"),
        ({"sentence": returning(None)}, "sentence returned None, expected a text"),
        ({"lines": returning("text")}, "lines returned 'text', expected a list of texts"),
        ({"compact": returning([1])}, "compact returned [1], expected a list of texts"),
        ({"scores": returning(7)}, "scores returned 7, expected None or 2 whole numbers, by seat"),
        ({"scores": returning((1, 2, 3))}, "expected None or 2 whole numbers"),
        ({"choice": missing}, "KeyError: 'scores' (test_failing_boards.py:"),
        ({"hint": missing}, "KeyError: 'scores' (test_failing_boards.py:"),
        ({"board": missing}, "KeyError: 'scores' (test_failing_boards.py:"),
        ({"board": returning(None)}, "Game.board returned None, expected a BoardDisplay"),
        ({"terms": ("word",)}, "BoardDisplay.terms: Expected `array`, got `str`"),
        ({"drawing": Drawing((), ("boards.js",))}, "has no readable file boards.js"),
        ({"drawing": Drawing((), (), {"a": object()})}, "TypeError: Encoding objects of type"),
    ],
)
def test_a_board_that_fails_gives_way_to_plain_data(changes, words, monkeypatch, caplog) -> None:
    game = foreign(monkeypatch, **changes)
    with pytest.raises(ContractError) as caught:
        check_board(PLAYED, game)
    assert words in str(caught.value)
    for _ in range(2):
        board = board_of("foreign", 2)
        for field, (given, plain) in PLAIN.items():
            if changes.keys() & {field, "board"}:
                assert getattr(board, field)(*given) == plain
    if "drawing" in changes:
        assert drawing_texts("foreign") is None
    [told] = {record.getMessage() for record in caplog.records if record.name == BOARD_LOG}
    assert told.startswith("the board of foreign failed: ")
    assert words in told


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"sentence": returning("two\nlines")}, "found 'two\\nlines', expected one line"),
        ({"choice": returning("the same")}, "found 'the same' for two legal actions"),
    ],
)
def test_the_contract_reads_texts(changes, words, monkeypatch) -> None:
    game = foreign(monkeypatch, **changes)
    with pytest.raises(ContractError) as caught:
        check_board(PLAYED, game)
    assert words in str(caught.value)
