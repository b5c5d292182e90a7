"""One entry point brings many games, which are loaded when they are named."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.cli import choices
from arena.games.base import Option, RulesError
from arena.games.installed import FAMILIES, Claim, GameError
from arena.games.registry import GAMES, resolve
from arena.runs.config.tournament import quick_tournament
from arena.values.problems import ConfigError
from tests.kuhn.install import announce

SOURCE = """
from arena.games.base import RulesError
from arena.games.game import Family
from arena.values.results import RulesSpec
from tests.nim.nim_game import GAME, NimRules

NUMBERED = {f"g{n}": f"Game {n}" for n in range(117)}
MEMBERS = {"nim": "Nim", "gone": "Gone", "other": "Other", **NUMBERED}

def load(member):
    if member == "gone":
        raise RuntimeError("no engine")
    if member == "other":
        return GAME
    if member == "g1":
        raise RulesError(("rules",), "its chance is drawn inside")
    name = f"many.{member}"

    class Rules(NimRules):
        def __init__(self, seats, options, data):
            super().__init__(seats, options, data)
            self.spec = RulesSpec(name, seats, dict(options), dict(data))

    return GAME._replace(name=name, build=Rules)

FAMILY = Family("many", "Many games", lambda: MEMBERS, load)
"""


@pytest.fixture(autouse=True)
def _many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / "many_games.py").write_text(SOURCE)
    announce(tmp_path, "many-games", "1.2", {"many": "many_games:FAMILY"}, "arena.families")
    announce(tmp_path, "bad-games", "0.1", {"bad": "no_such_module:FAMILY"}, "arena.families")
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("_claims", "_members", "_families"):
        monkeypatch.setattr(GAMES, name, {})
    yield
    sys.modules.pop("many_games", None)


def test_a_game_of_a_family_is_found_by_its_whole_name_and_is_in_no_list() -> None:
    assert set(GAMES.families) >= {"many", "bad"}
    assert "many_games" not in sys.modules
    assert "many.nim" in GAMES
    assert {"many", "many.", "many.chess", ".nim"}.isdisjoint(GAMES)
    assert GAMES["many.nim"].name == "many.nim"
    assert resolve("many.nim", None, {}, {}).package == "many-games"
    assert GAMES.sources()["many"] == "many-games 1.2"
    assert not [name for name in GAMES if name.startswith("many")]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("many.gone", "many.gone of many-games 1.2 cannot be loaded: RuntimeError: no engine"),
        ("many.g1", "many.g1 of many-games 1.2 cannot be used: its chance is drawn inside"),
        ("many.other", "found 'nim', expected a Game many.other"),
        ("many.chess", "108 more, got 'many.chess'"),
        ("many", "many.GAME, openspiel.GAME, got 'many'"),
        ("bad.chess", "bad of bad-games 0.1 cannot be loaded: ModuleNotFoundError"),
    ],
)
def test_what_is_wrong_with_a_game_of_a_family(name: str, words: str) -> None:
    with pytest.raises(GameError) as caught:
        GAMES[name]
    assert words in str(caught.value)


def test_a_mistyped_name_gets_a_hint_and_no_long_list() -> None:
    with pytest.raises(ConfigError) as caught:
        quick_tournament("many.nin", ["builtin:random"] * 2)
    assert 'did you mean "many.nim"?' in str(caught.value)
    assert "108 more" in str(caught.value)
    with pytest.raises(ConfigError) as caught:
        quick_tournament("manny", ["builtin:random"] * 2)
    assert '"many.GAME"' in str(caught.value)


def test_a_shell_completes_the_family_then_its_games() -> None:
    assert choices.games("ma") == ["many."]
    assert choices.games("many.n") == ["many.nim"]
    assert choices.disciplines("many.nim:") == ["many.nim:2"]


def test_two_packages_with_one_family_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    claims = [Claim("many", "many_games:FAMILY", each, "1") for each in "ab"]
    monkeypatch.setattr(GAMES, "_claims", {FAMILIES: {"many": claims}})
    with pytest.raises(GameError, match="several packages have a family many: a 1 and b 1"):
        GAMES["many.nim"]


def test_an_option_may_be_any_number_in_its_bounds() -> None:
    size = Option("size", (), 9, "Size.", least=2, most=19)
    assert [value for value in (2, 19, 1, 20, 9.0, True, "9") if size.allows(value)] == [2, 19]
    assert (size.samples, size.read("13"), size.read("x")) == ((2, 19), 13, "x")
    assert size.expected == ("a whole number from 2 up to 19",)
    share = Option("share", (), 0.5, "Share.")
    assert [value for value in (1, 0.25, "1") if share.allows(value)] == [1, 0.25]
    komi = Option("komi", (0, 7), 7, "Points.")
    assert (komi.expected, komi.read("0")) == (("0", "7"), 0)
    game = GAMES["dragonheart"]._replace(options=(size,))
    with pytest.raises(RulesError, match="expected a whole number from 2 up to 19, got 20"):
        game.rules(2, {"size": 20}, {})
