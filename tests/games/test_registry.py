"""Rules are found by name; whatever is wrong with a spec is named with its path."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import msgspec
import pytest

import arena
from arena.games import probe, registry
from arena.games.base import RulesError
from arena.games.installed import GROUP, OWN, Claim, GameError
from arena.games.registry import GAMES, Games, make_rules, other_source, resolve
from arena.values.bad_input import printable
from arena.values.results import RulesSpec
from tests.games.games import all_specs, bare, default_data

DATA = default_data("dragonheart")


def test_a_resolved_spec_is_complete_and_stable() -> None:
    for spec in all_specs():
        options = [option for option in GAMES[spec.name].options if option.applies(spec.seats)]
        assert set(spec.options) == {option.name for option in options}
        assert resolve(spec.name, spec.seats, spec.options, spec.data) == spec
        assert make_rules(spec).spec == bare(spec)
        assert make_rules(spec).info.name == spec.name
        assert make_rules(spec).info.seats == spec.seats


@pytest.mark.parametrize("name", GAMES)
def test_seats_and_options_have_defaults(name: str) -> None:
    spec = resolve(name, None, {}, default_data(name))
    assert spec.seats == min(seats for seats in GAMES[name].seats if seats > 1)
    options = [option for option in GAMES[name].options if option.applies(spec.seats)]
    assert spec.options == {option.name: option.default for option in options}


@pytest.mark.parametrize("name", GAMES)
def test_a_family_publishes_schemas(name: str) -> None:
    family = GAMES[name]
    types = (*family.action_types, family.observation_type, *family.event_types)
    _, schemas = msgspec.json.schema_components(types)
    assert {kind.__name__ for kind in types} <= set(schemas)


@pytest.mark.parametrize("option", [o for family in GAMES.values() for o in family.options])
def test_defaults_are_choices(option: Any) -> None:
    assert option.default in option.choices


@pytest.mark.parametrize(
    ("name", "seats", "options", "path", "message"),
    [
        ("checkers", None, {}, ("name",), "expected one of chess, dragonheart"),
        ("dragonheart", 3, {}, ("seats",), "dragonheart has 2 seats, got 3"),
        ("dragonheart", 0, {}, ("seats",), "dragonheart has 2 seats, got 0"),
        ("dragonheart", 2, {"Edition": "ffg"}, ("options", "Edition"), "expected one of edition"),
        ("dragonheart", 2, {"edition": "FFG"}, ("options", "edition"), "one of kosmos, ffg"),
        ("dragonheart", 2, {"starter": True}, ("options", "starter"), "one of random, seat_0"),
        ("dragonheart", 2, {"starter": ["a"]}, ("options", "starter"), "got ['a']"),
    ],
)
def test_mistakes_are_named(name, seats, options, path, message) -> None:
    with pytest.raises(RulesError) as caught:
        resolve(name, seats, options, DATA)
    assert caught.value.path == path
    assert message in str(caught.value)


def test_every_wrong_option_of_every_game_is_named() -> None:
    """Unknown ones, and values that are not allowed."""
    told = {}
    for name, game in GAMES.items():
        wrong = [{option.name: ["wrong"]} for option in game.options]
        for seats, given in product(game.seats, [{"x\n": 1}, {"seats": 2}, *wrong]):
            with pytest.raises(RulesError) as caught:
                resolve(name, seats, given, default_data(name))
            told[name, seats, *given] = str(caught.value)
    assert len(told) > 30
    for (*_, option), text in told.items():
        assert text.startswith(f"options.{printable(option)}: expected ")
        assert text.isprintable()


def test_a_spec_from_elsewhere_is_checked_too() -> None:
    with pytest.raises(RulesError, match="expected one of edition, starter"):
        make_rules(RulesSpec("dragonheart", 2, {"speed": "fast"}, DATA))


def _only(claims: list[Claim]) -> Callable[[str], list[Claim]]:
    return lambda group: claims if group == GROUP else []


HEART = "arena.extensions.games.dragonheart.game:GAME"


@pytest.mark.parametrize(
    ("claims", "message"),
    [
        ([], "expected one of , got 'poker'"),
        (
            [Claim("poker", "a:GAME", "a", "1"), Claim("poker", "b:GAME", "b", "2.0")],
            "several packages have a game poker: a 1 and b 2.0; uninstall all but one",
        ),
        (
            [Claim("poker", "no_such_module:GAME", "a", "1")],
            "poker of a 1 cannot be loaded: ModuleNotFoundError: No module named 'no_such_module'",
        ),
        (
            [Claim("poker", "arena.games.base:GAME", "a", "1")],
            "poker of a 1 cannot be loaded: AttributeError: module 'arena.games.base' has no "
            "attribute 'GAME'",
        ),
        (
            [Claim("poker", "leaving:GAME", "a", "1")],
            r"poker of a 1 cannot be loaded: SystemExit: gone\nfor good",
        ),
        (
            [Claim("poker", "arena.games.base:CHANCE", "a", "1")],
            "poker of a 1 cannot be used: arena.games.base:CHANCE: found int, expected Game",
        ),
        (
            [Claim("poker", HEART, "a", "1")],
            f"poker of a 1 cannot be used: {HEART}: found a game called 'dragonheart'",
        ),
    ],
)
def test_a_game_that_cannot_be_used_is_told_with_its_package(
    claims: list[Claim], message: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "leaving.py").write_text("raise SystemExit('gone\\nfor good')")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(registry, "announced", _only(claims))
    games = Games()
    with pytest.raises(GameError) as caught:
        games["poker"]
    assert str(caught.value) == message
    assert list(games) == sorted({claim.name for claim in claims})


def test_a_broken_game_does_not_stop_others(monkeypatch: pytest.MonkeyPatch) -> None:
    claims = [Claim("dragonheart", HEART, "a", "1"), Claim("poker", "no_such_module:X", "b", "2")]
    monkeypatch.setattr(registry, "announced", _only(claims))
    games = Games()
    assert games["dragonheart"].title == "Dragonheart"
    assert list(games) == ["dragonheart", "poker"]
    assert "poker" in games
    heart = games["dragonheart"]
    games.loaded["bridge"] = heart._replace(name="bridge", build=lambda *_: {}["gone"])
    games.loaded["checkers"] = heart._replace(name="checkers", data_file="gone.yaml")
    errors: list[str] = []
    found = [game.name for game in games.usable(on_broken=lambda error: errors.append(str(error)))]
    assert found == ["dragonheart"]
    assert [error.split(":")[0] for error in errors] == [
        "bridge of arena.extensions.games.dragonheart cannot be used",
        "checkers of arena.extensions.games.dragonheart cannot be used",
        "poker of b 2 cannot be loaded",
    ]
    assert (
        "arena.extensions.games.dragonheart failed to build the rules: KeyError: 'gone'"
        in errors[0]
    )
    assert "arena.extensions.games.dragonheart has no readable file gone.yaml: " in errors[1]


@pytest.mark.parametrize(
    ("ending", "how"),
    [("abort()", "signal 6"), ("_exit(3)", "exit status 3"), ("_exit(0)", "exit status 0")],
)
def test_a_package_that_ends_the_interpreter_is_named_and_stops_no_others(
    ending: str, how: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    fatal = tmp_path / "fatal_game.py"
    fatal.write_text(f"import os\nos.{ending}\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    claims = [Claim("dragonheart", HEART, OWN, "1"), Claim("poker", "fatal_game:GAME", "b", "2")]
    monkeypatch.setattr(registry, "announced", _only(claims))
    told = f"poker of b 2 cannot be loaded: importing fatal_game ends the interpreter with {how}"
    for time in ("first", "again"):
        errors: list[str] = []
        found = Games().usable(on_broken=lambda error, told=errors: told.append(str(error)))
        assert [game.name for game in found] == ["dragonheart"], time
        assert errors == [told], time
        monkeypatch.setattr(probe, "_tried", lambda module: "not from the cache")
    fatal.write_text("GAME = None\n")
    monkeypatch.undo()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert probe.why_fatal("fatal_game") == ""
    assert len([*(tmp_path / "cache").rglob("fatal_game-*")]) == 1, "what was found before is gone"


def test_no_game_is_loaded_before_it_is_asked_for() -> None:
    code = (
        "import sys\nfrom arena.games.registry import GAMES\n"
        "names = list(GAMES)\nassert not [m for m in sys.modules if '.dragon' in m]\n"
        "GAMES['dragonheart'].rules\n"
        "loaded = {m.split('.')[3] for m in sys.modules if '.dragon' in m}\n"
        "assert loaded == {'dragonheart'}, loaded\n"
        "assert not {'arena.extensions.games.dragonheart.board', 'yaml'} & sys.modules.keys()\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_what_was_played_with_is_told_where_it_is_not_what_is_installed() -> None:
    spec = resolve("dragonheart", 2, {}, DATA)
    assert other_source(spec) == ""
    assert other_source(bare(spec)) == "", "it is not known"
    old = msgspec.structs.replace(spec, version="0.0.1")
    installed = f"installed is arena {arena.__version__}"
    assert other_source(old) == f"dragonheart: played with arena 0.0.1, {installed}"
    with pytest.raises(
        GameError, match="got 'poker'; it was played with poker-kit 7: install that"
    ):
        make_rules(RulesSpec("poker", 2, {}, {}, "poker-kit", "7"))


def test_a_game_whose_extra_is_missing_is_named_and_troubles_nobody(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "chess", None)
    monkeypatch.delitem(sys.modules, "arena.extensions.games.chess.rules", raising=False)
    games, broken = Games(), list[object]()
    usable = [game.name for game in games.usable(on_broken=broken.append)]
    assert {"dragonheart"} <= {*usable} <= {*games} - {"chess"}
    assert broken == []
    assert [(game.name, need) for game, need in games.lacking()] == [
        ("chess", "chess needs more: pip install 'botarena[chess]'")
    ]
    assert games.default == "dragonheart"
