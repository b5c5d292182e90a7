from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

import arena
from arena.games.base import RulesError
from arena.games.installed import in_words
from arena.games.registry import GAMES, data_notice, make_rules, rules_spec
from arena.values.problems import ConfigError
from arena.values.results import RulesSpec
from tests.games.games import OWN, bare


@pytest.mark.parametrize("name", OWN)
def test_rules_can_be_built_from_their_own_data(name: str) -> None:
    spec = rules_spec(name)
    assert make_rules(spec).spec == bare(spec)
    assert (spec.package, spec.version) == ("arena", arena.__version__)
    options = [option for option in GAMES[name].options if option.applies(spec.seats)]
    assert spec.options == {option.name: option.default for option in options}


@pytest.mark.parametrize("name", OWN)
def test_every_title_has_a_page(name: str) -> None:
    assert GAMES[name].page().startswith("# ")


def test_unknown_rules_are_refused() -> None:
    with pytest.raises(RulesError, match="expected one of chess, dragonheart") as caught:
        rules_spec("checkers")
    assert caught.value.path == ("rules",)


def data_file(folder: Path, old: str, new: str) -> Path:
    own = Path("arena/extensions/games/dragonheart/hobby_2016.yaml")
    text = (Path(__file__).parents[2] / own).read_text("utf-8")
    assert old in text
    path = folder / "deck.yaml"
    path.write_text(text.replace(old, new), "utf-8")
    return path


def test_own_data_replaces_that_of_the_rules(tmp_path: Path) -> None:
    path = data_file(tmp_path, "hobby_2016", "mine")
    assert rules_spec("dragonheart", data_file=path).data["data_id"] == "mine"


def test_a_bad_value_in_a_data_file_has_line_and_column(tmp_path: Path) -> None:
    path = data_file(tmp_path, "fire_dragon: [2, 3, 3, 4]", "fire_dragon: [2, 3, x, 4]")
    line = 1 + path.read_text("utf-8").split("fire_dragon")[0].count("\n")
    with pytest.raises(ConfigError) as caught:
        rules_spec("dragonheart", data_file=path)
    [problem] = caught.value.problems
    assert problem.where.startswith(f"{path}:{line}:")
    assert problem.path.startswith("deck.fire_dragon")


def test_a_data_file_that_is_no_yaml_is_refused(tmp_path: Path) -> None:
    path = data_file(tmp_path, "deck:", "deck: [")
    with pytest.raises(ConfigError, match="not YAML"):
        rules_spec("dragonheart", data_file=path)


def test_the_notice_of_card_data_tells_a_changed_set_from_the_own_one() -> None:
    own = rules_spec("dragonrealm")
    read = msgspec.json.decode(msgspec.json.encode(own), type=RulesSpec)
    assert data_notice(read) == "played with stand-in card data (standin)"
    dice = msgspec.structs.replace(read, data=read.data | {"dice": [1, 1, 1, 1, 1, 1]})
    assert data_notice(dice) == "played with stand-in card data (standin, changed)"
    mine = msgspec.structs.replace(dice, data=dice.data | {"data_id": "mine", "status": "real"})
    assert data_notice(mine) == "played with real card data (mine)"
    assert data_notice(rules_spec("dragonkrak")) == ""


def test_problems_of_card_data_are_one_short_line() -> None:
    assert in_words(RulesError((), "\x1b[2J\n" + "x" * 1000)).startswith("\\x1b[2J\\nxxx")
    assert len(in_words(RulesError((), "\n" * 1000))) <= 300
