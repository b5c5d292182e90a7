"""The checks that every game passes, for one that does not come with arena."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from arena.extensions.authors.contract.tables import tables
from arena.games import game
from arena.games.base import Option, RulesError
from arena.games.board import GENERIC
from arena.games.guarded_board import board_of
from arena.games.installed import Claim, GameError, load_game
from arena.games.registry import GAMES, resolve
from arena.testing import results
from tests.games.games import PlayedGame, default_data, play
from tests.kuhn.install import HERE, loaded


@pytest.fixture(scope="module", autouse=True)
def kuhn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with loaded(tmp_path_factory.mktemp("installed")):
        yield


def ending(game: PlayedGame) -> str:
    return str(game.plies[-1].after.deeds[-1])


def test_the_contract_is_kept_and_nothing_is_tested_in_vain() -> None:
    for table in tables(GAMES["kuhn"]):
        for found in results(table.rules, GAMES["kuhn"], games=40):
            words = "not tested: the game brings no board" if found.check == "board" else ""
            assert (found.problem, found.words) == ("", words), found.check


def test_who_pays_what() -> None:
    found = set()
    for number in range(100):
        game = play(resolve("kuhn", 2, {"bet": "two"}, default_data("kuhn")), str(number))
        outcome = game.rules.outcome(game.plies[-1].after)
        assert outcome is not None
        found.add((ending(game), max(outcome.scores)))
        assert sum(outcome.scores) == 0
    assert found == {("check", 1), ("fold", 1), ("call", 3)}


def test_bad_data_are_refused_with_their_place() -> None:
    for cards, path in ((["a", "a", "b"], ("cards",)), ([1, 2, "c"], ("cards", 0))):
        with pytest.raises(RulesError) as caught:
            resolve("kuhn", 2, {}, {"cards": cards})
        assert caught.value.path == ("data", *path)


def test_the_page_on_games_from_outside_has_what_this_one_says() -> None:
    page = (HERE.parents[1] / "docs" / "adding-a-game.md").read_text("utf-8")
    said = page.partition("```python\n")[2].partition("```")[0]
    source = (HERE / "kuhn_poker" / "__init__.py").read_text("utf-8")
    assert said.partition("GAME = ")[2] == source.partition("GAME: Final = ")[2]
    contract = (HERE / "kuhn_poker" / "contract.py").read_text("utf-8")
    assert f"```python\n{contract[contract.index('def redeal') :]}```\n" in page
    table = page.partition("\n| `name` |")[1:]
    listed = re.findall(r"^\| (`[^|]+`) \|", "".join(table).partition("\n\n")[0], re.MULTILINE)
    assert re.findall(r"`(\w+)`", " ".join(listed)) == list(game.Game._fields)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"page_file": "rule.md"}, "page_file: kuhn_poker has no readable file rule.md"),
        ({"data_file": "cards.yaml"}, "data_file: kuhn_poker has no readable file cards.yaml"),
        (
            {"options": (Option("size", (), 0, "Size.", least=1),)},
            "option size: default 0, expected a whole number from 1",
        ),
    ],
)
def test_a_game_that_names_what_it_lacks_cannot_be_used(changes, words, monkeypatch) -> None:
    monkeypatch.setattr("kuhn_poker.GAME", GAMES["kuhn"]._replace(**changes))
    with pytest.raises(GameError, match=f"kuhn of kuhn-poker 1 cannot be used: .*{words}"):
        load_game(Claim("kuhn", "kuhn_poker:GAME", "kuhn-poker", "1"))


def test_a_game_without_a_board_is_shown_as_plain_data() -> None:
    assert board_of("kuhn", 2) is GENERIC
