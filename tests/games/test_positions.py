"""Games begin from the positions of a book, or after random moves, as chance of their deal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from arena.games.base import CHANCE
from arena.games.positions import StartPosition, positioned
from arena.games.registry import GAMES, built, make_rules
from arena.runs.config.tournament import load_tournament
from arena.schedule.seeds import Seeds
from arena.values.problems import ConfigError
from arena.values.results import Order, Positions
from tests.nim.nim_game import GAME, State
from tests.tournament.folders import write, write_bot

BOOK = tuple(f"{left} {left % 2}" for left in range(5, 25))


@pytest.fixture(autouse=True)
def _nim(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES.loaded, "nim", GAME)


def begun(positions: Positions, deal: int, seed: str = "x", pairing: str = "a+b") -> str:
    """The text from which a deal begins."""
    rules = positioned(built(GAME), positions, GAME.book)
    state = rules.initial_state()
    assert rules.to_act(state) == CHANCE
    action = rules.chance(state, Seeds.of(seed).deal(f"nim-2/{pairing}:{deal}"))
    assert isinstance(action, StartPosition)
    assert rules.is_chance_possible(state, action)
    left, seat = map(int, action.text.split())
    assert rules.apply(state, action) == State(left, seat)
    return action.text


def test_as_many_deals_as_the_book_has_positions_begin_from_different_ones() -> None:
    shuffled = Positions(BOOK)
    first = [begun(shuffled, deal) for deal in range(20)]
    again = [begun(shuffled, deal) for deal in range(20, 40)]
    assert sorted(first) == sorted(again) == sorted(BOOK)
    assert len({tuple(first), tuple(again), BOOK}) == 3
    assert first == [begun(shuffled, deal, pairing="c+d") for deal in range(20)]
    assert first != [begun(shuffled, deal, seed="y") for deal in range(20)]
    in_order = Positions(BOOK, Order.FILE)
    assert tuple(begun(in_order, deal) for deal in range(20)) == BOOK
    assert begun(in_order, 23) == BOOK[3]


@pytest.mark.extensions("authors")
@pytest.mark.parametrize("name", ["nim", "dragonheart", "dragonrealm"])
@pytest.mark.parametrize("positions", [Positions(BOOK), Positions(random_plies=3)], ids=str)
def test_rules_with_start_positions_keep_the_contract(name: str, positions: Positions) -> None:
    from arena.testing import results

    game = GAMES[name]
    if positions.book and game.book is None:
        return
    rules = positioned(built(game), positions, game.book)
    found = {each.check: each.problem for each in results(rules, game, games=3)}
    kept = ("play", "flow", "outcome", "legal_actions", "action_json", "determinism", "replay")
    assert [found[check] for check in (*kept, "states_are_values")] == [""] * 8


def test_random_plies_are_decisions_by_chance_that_end_no_game() -> None:
    rules = positioned(built(GAME), Positions(random_plies=9), None)
    ends = set()
    for deal in range(30):
        state, luck = rules.initial_state(), Seeds.of("x").deal(f"nim-2/a+b:{deal}")
        while rules.to_act(state) == CHANCE:
            state = rules.apply(state, rules.chance(state, luck))
        assert rules.to_act(state) in (0, 1)
        ends.add(state)
    assert ends == {State(1, 0), State(1, 1)}, "it stops where every move would end the game"


def test_bad_positions_are_refused_with_their_line(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a", "b"):
        write_bot(Path(name), f"bot: 1\nname: {name}\ncommand: [python3, main.py]\n")
    write(Path("nim.book"), "# sticks, seat\n7 0\n\n9 5\nseven\n0 1\n")

    def problems(positions: str, rules: str = "nim") -> list[str]:
        cup = "arena: 1\ngame: {rules: %s, positions: %s}\nentrants: [{bot: a}, {bot: b}]\n"
        write(Path("cup.yaml"), cup % (rules, positions))
        try:
            load_tournament(Path("cup.yaml"))
        except ConfigError as error:
            return [str(each) for each in error.problems]
        return []

    lines = problems("{file: nim.book}")
    assert [line.partition(": ")[0] for line in lines] == [f"nim.book:{n}" for n in (4, 5, 6)]
    assert lines[0] == 'nim.book:4: found "9 5" (expected 1 to 50 sticks and a seat, 0 or 1)'
    assert lines[2] == 'nim.book:6: found "0 1" (the game has ended there)'
    [line] = problems("{file: nim.book}", "dragonheart")
    assert "expected random_plies (dragonheart reads no books)" in line
    [line] = problems("{file: gone.book}")
    assert 'game.positions.file: found "gone.book", expected a file of positions' in line
    [line] = problems("{file: nim.book, random_plies: 3}")
    assert "expected one of file and random_plies" in line
    assert problems("{random_plies: 3}", "dragonheart") == []
    write(Path("nim.book"), "7 0\n8 1\n")
    assert problems("{file: nim.book, order: file}") == []
    spec: Any = load_tournament(Path("cup.yaml")).disciplines[0].rules
    assert spec.positions == Positions(("7 0", "8 1"), Order.FILE)
    assert make_rules(spec).spec.positions == spec.positions
