"""The contract of games whose seats decide at once, and rules that break it in one place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from textwrap import indent
from typing import Any

import msgspec
import pytest

from arena.extensions.authors.contract.tables import tables
from arena.games.base import CHANCE
from arena.games.game import Game
from arena.games.registry import built
from arena.testing import results
from tests.simultaneous import cycles_game, goofspiel_game
from tests.simultaneous.goofspiel_game import Event, GoofspielRules, State


@pytest.mark.parametrize("game", [goofspiel_game.GAME, cycles_game.GAME])
def test_the_contract_is_kept(game: Game) -> None:
    for table in tables(game):
        found = {each.check: each for each in results(table.rules, game, games=3)}
        assert {each.problem for each in found.values()} == {""}
        assert found["simultaneous"].tested


RIGHT = GoofspielRules


def shown(rules: Any, state: State, seat: int) -> Any:
    """A public field counts the bids made, which is nothing, and their sum, which is a leak."""
    view = RIGHT.observe(rules, state, seat)
    return msgspec.structs.replace(view, prizes=(*view.prizes, *state.made))


def told(rules: Any, before: State, action: Any, after: State) -> Any:
    """All are told that a seat has bid."""
    events = RIGHT.describe(rules, before, action, after)
    return [event or Event(bid=0) for event in events]


def fewer(rules: Any, state: State) -> Any:
    """Nobody bids what was bid before."""
    legal = RIGHT.legal_actions(rules, state)
    return [each for each in legal if each.card not in state.made] or legal


def worded(rules: Any, state: State, action: Any) -> str:
    return f"{action.card} after {state.made}"


def skips(rules: Any, state: State) -> Any:
    """After a bid of 4 the last seat is next."""
    actor = RIGHT.to_act(rules, state)
    return 2 if actor == 1 and state.made == (4,) else actor


def draws(rules: Any, state: State) -> Any:
    """Chance comes between."""
    return CHANCE if state.made[-1:] == (1,) else RIGHT.to_act(rules, state)


def drawn(rules: Any, state: State, luck: Any) -> Any:
    """Chance may bid for a seat."""
    is_between = len(state.prizes) > len(state.bids)
    return RIGHT.legal_actions(rules, state)[0] if is_between else RIGHT.chance(rules, state, luck)


def ends(rules: Any, state: State, action: Any) -> Any:
    """A bid of 2 ends the round at once, so that the others need not decide."""
    after = RIGHT.apply(rules, state, action)
    if getattr(action, "card", 0) != 2 or not after.made:
        return after
    return State(after.prizes, (*after.bids, (2,) * 3))


@pytest.mark.parametrize(
    ("method", "wrong", "words"),
    [
        ("observe", shown, "observe depends on what others choose at once"),
        ("describe", told, "describe depends on what others choose at once"),
        ("legal_actions", fewer, "legal_actions depends on what others choose at once"),
        ("action_text", worded, "action_text depends on what others choose at once"),
        ("to_act", draws, "to_act depends on what others choose at once: found -1"),
        ("to_act", skips, "to_act depends on what others choose at once: found 2, expected 1"),
        ("apply", ends, "depends on what others choose at once: found"),
        ("simultaneous", lambda rules, state: (2, 1, 0), "simultaneous: found (2, 1, 0), exp"),
        ("simultaneous", lambda rules, state: (0, 0, 1), "simultaneous: found (0, 0, 1), exp"),
        ("simultaneous", lambda rules, state: (0, 1, 7), "simultaneous: found (0, 1, 7), exp"),
        ("simultaneous", lambda rules, state: (1, 2), "simultaneous: found (1, 2), expected"),
        ("simultaneous", lambda rules, state: (0, 1, 2), "which is to act"),
        ("simultaneous", lambda rules, state: 1, "TypeError"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_rules_that_are_not_independent_are_found(
    method: str, wrong: Callable[..., Any], words: str
) -> None:
    broken: Any = type("Broken", (GoofspielRules,), {method: wrong, "chance": drawn})
    game = goofspiel_game.GAME._replace(build=broken)
    found = {each.check: each.problem for each in results(built(game, 3), game, games=30)}
    problem = found["simultaneous"]
    assert words in problem
    assert problem.startswith("game contract-")
    assert "ply" in problem or words == "TypeError"


def test_the_page_has_the_methods_of_the_game() -> None:
    source = Path(goofspiel_game.__file__).read_text("utf-8")
    page = (Path(__file__).parents[4] / "docs" / "adding-a-game.md").read_text("utf-8")
    shown = page.partition("## Seats that decide at once")[2].partition("```python\n")[2]
    methods = shown.partition("```")[0].split("\n\n\n")
    assert len(methods) == 5
    assert all(indent(method.rstrip("\n"), " " * 4) in source for method in methods)
