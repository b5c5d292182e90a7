"""Dice games that lie: each is a failure of its package, named with the place."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest

import arena
from arena.extensions.authors.kit.folder import create_game
from arena.games.base import Action, InvalidActionError, Option, RulesError
from arena.games.game import Game
from arena.games.installed import Claim, GameError, load_game
from arena.games.registry import GAMES, built, make_rules
from arena.testing import results
from arena.values.results import Outcome, RulesSpec

Lie = Callable[..., Any]


class Stranger(Action, frozen=True, tag="stranger"):
    """An action of no type of the game."""


class Blob(msgspec.Struct, frozen=True):
    """Something that has no JSON, or too much of it."""

    value: Any


def raising(error: BaseException) -> Lie:
    def lie(own: Any, *given: Any) -> Any:
        raise error

    return lie


def giving(value: Any) -> Lie:
    return lambda own, *given: value


def ending(**change: Any) -> Lie:
    """The outcome with some of its fields replaced."""

    def lie(own: Any, state: Any) -> Any:
        found = type(own).__base__.outcome(own, state)
        return found and found._replace(**change)

    return lie


def changed(name: str, change: Callable[[Any], Any]) -> Lie:
    """What the right method returns, changed."""

    def lie(own: Any, *given: Any) -> Any:
        return change(getattr(type(own).__base__, name)(own, *given))

    return lie


def face(value: Any) -> Lie:
    return changed("chance", lambda right: msgspec.structs.replace(right, face=value))


def nested() -> list[Any]:
    inner: list[Any] = []
    inner.append(inner)
    return inner


LIES: dict[str, tuple[str, Lie]] = {
    # outcome
    "float-places": ("outcome", ending(places=(1.0, 2.0))),
    "true-place": ("outcome", ending(places=(True, 2))),
    "list-outcome": ("outcome", ending(scores=[1, 0], places=[1, 2])),
    "number-ruling": ("outcome", ending(ruling=5)),
    "none-ruling": ("outcome", ending(ruling=None)),
    "float-scores": ("outcome", ending(scores=(1.5, 0))),
    "true-scores": ("outcome", ending(scores=(True, False))),
    "huge-scores": ("outcome", ending(scores=(10**12, 0))),
    "none-scores": ("outcome", ending(scores=None)),
    "nobody-first": ("outcome", ending(places=(2, 2))),
    "gap-in-places": ("outcome", ending(places=(1, 3))),
    "no-places": ("outcome", ending(places=())),
    "third-seat": ("outcome", ending(scores=(1, 0, 0), places=(1, 2, 3))),
    "text-places": ("outcome", ending(places="12")),
    "plain-tuple": ("outcome", lambda own, state: ((1, 0), (1, 2), "")),
    "no-outcome": ("outcome", giving(None)),
    "early-outcome": ("outcome", giving(Outcome((1, 0), (1, 2)))),
    # to_act
    "bool-seat": ("to_act", changed("to_act", lambda seat: bool(seat) if seat >= 0 else seat)),
    "float-seat": ("to_act", changed("to_act", float)),
    "none-seat": ("to_act", giving(None)),
    "seat-7": ("to_act", giving(7)),
    "seat-minus-3": ("to_act", giving(-3)),
    "text-seat": ("to_act", giving("0")),
    "for-ever": ("to_act", changed("to_act", lambda seat: max(seat, -1))),
    # legal_actions
    "no-actions": ("legal_actions", giving(())),
    "none-actions": ("legal_actions", giving(None)),
    "set-actions": ("legal_actions", changed("legal_actions", set)),
    "iterator-actions": ("legal_actions", changed("legal_actions", iter)),
    "text-actions": ("legal_actions", giving(["roll", "hold"])),
    "strange-action": ("legal_actions", giving((Stranger(),))),
    # chance and apply
    "no-chance": ("chance", giving(None)),
    "strange-chance": ("chance", giving(Stranger())),
    "text-face": ("chance", face("3")),
    "float-face": ("chance", face(3.0)),
    "true-face": ("chance", face(True)),
    "seventh-face": ("chance", face(7)),
    "object-face": ("chance", face(object())),
    "none-state": ("apply", giving(None)),
    # views
    "object-view": ("observe", giving(Blob(object()))),
    "endless-view": ("observe", giving(Blob(nested()))),
    "surrogate-view": ("observe", giving(Blob("\ud800"))),
    "huge-view": ("observe", giving(Blob("x" * (5 << 20)))),
    "one-event": ("describe", changed("describe", lambda events: events[:1])),
    "no-events": ("describe", giving(None)),
    "object-event": ("describe", giving([Blob(object())] * 2)),
    "event-iterator": ("describe", changed("describe", iter)),
    # reading
    "unread": ("decode_action", raising(InvalidActionError("no"))),
    "other-read": ("decode_action", giving(Stranger())),
    "none-read": ("decode_action", giving(None)),
    "text-possible": ("is_chance_possible", giving("yes")),
    # errors
    **{
        f"{type(error).__name__}-in-{method}": (method, raising(error))
        for error in (
            IndexError("list index out of range"),
            TypeError("bad type"),
            ValueError("bad value"),
            KeyError("pot"),
            AssertionError("never"),
            RecursionError(),
            MemoryError(),
            OSError(28, "No space left on device"),
            StopIteration(),
            GeneratorExit(),
            SystemExit(0),
            BaseExceptionGroup("several", [SystemExit(1)]),
            RulesError(("options",), "late"),
            InvalidActionError("late"),
            NotImplementedError("later"),
        )
        for method in ("initial_state", "apply", "observe", "describe")
    },
}


@pytest.fixture(scope="module")
def pig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Game]:
    folder = tmp_path_factory.mktemp("package") / "pig"
    create_game(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        game: Game = importlib.import_module("pig_game").GAME
        yield game
    for name in [each for each in sys.modules if each.partition(".")[0] == "pig_game"]:
        del sys.modules[name]


def lying(game: Game, method: str, lie: Lie) -> Game:
    rules: Any = type("LyingRules", (game.build,), {method: lie})
    return game._replace(build=rules)


def first(question: arena.SeatQuestion) -> int:
    return len(question.legal) - 1


@pytest.mark.extensions("data")
@pytest.mark.parametrize("name", LIES)
def test_a_lie_is_a_failure_of_its_package(
    name: str, pig: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    method, lie = LIES[name]
    game = lying(pig, method, lie)
    monkeypatch.setitem(GAMES.loaded, "pig", game)
    found = [each.problem for each in results(built(game), game, games=3) if each.problem]
    assert found, "check-game finds nothing"
    if name in ("text-possible", "early-outcome"):  # play alone does not ask for it
        return
    with pytest.raises(arena.Error) as caught:
        arena.play("pig", {"a": first, "b": first}, seed="lies")
    told = str(caught.value)
    assert "pig of this process failed: " in told
    assert "\n" not in told
    if name not in ("for-ever", "object-face"):  # no single place is wrong
        assert re.search(r"\((test_lies|rules|games)\.py:\d+\)$", told), told


@pytest.mark.parametrize(
    "change",
    [
        {"title": 5},
        {"title": "P\x1b[2Jig"},
        {"package": None},
        {"seats": ()},
        {"seats": (0,)},
        {"seats": [2]},
        {"seats": (True,)},
        {"options": (5,)},
        {"options": None},
        {"options": (Option("a\x1b", (), 3, ""),)},
        {"options": (Option("a", (1, 2), 3, ""),)},
        {"build": 5},
        {"action_types": (int,)},
        {"action_types": None},
        {"observation_type": dict},
        {"event_types": ("roll",)},
        {"endings": 5},
        {"endings": {1: "one"}},
        {"page_file": "nowhere.md"},
        {"data_file": "nowhere.yaml"},
        {"board": "board"},
        {"check_state": 5},
    ],
    ids=lambda change: "-".join(f"{key}={value!r}"[:30] for key, value in change.items()),
)
def test_a_game_of_wrong_types_cannot_be_used(
    change: dict[str, Any], pig: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.import_module("pig_game"), "GAME", pig._replace(**change))
    claim = Claim("pig", "pig_game:GAME", "pig", "0.1")
    with pytest.raises(GameError, match=r"^pig of pig 0\.1 cannot be used: pig_game:GAME: "):
        load_game(claim)


@pytest.mark.parametrize(
    "change",
    [
        {"max_plies": -1},
        {"max_plies": 0},
        {"max_plies": "many"},
        {"seats": 3},
        {"title": "two\nlines"},
        {"score": "\x1b[2Jpoints"},
        {"score": None},
        {"worst_score": 0.5},
        {"public": ["scores"]},
        {"teams": 3},
        {"less_is_better": 1},
    ],
    ids=lambda change: "-".join(f"{key}={value!r}" for key, value in change.items()),
)
def test_facts_of_wrong_types_are_refused(
    change: dict[str, Any], pig: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    def build(*given: Any) -> Any:
        rules = pig.build(*given)
        rules.info = msgspec.structs.replace(rules.info, **change)
        return rules

    monkeypatch.setitem(GAMES.loaded, "pig", pig._replace(build=build))
    with pytest.raises(GameError, match=r"^pig of this process failed: "):
        make_rules(RulesSpec("pig", 2, {}, {}))
