"""``arena new-game`` writes a package that plays; it and the game of the tour keep the contract."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.extensions.authors.commands.new_game import NewGameOptions, new_game
from arena.extensions.authors.contract.tables import tables
from arena.games.game import Game
from arena.testing import results
from arena.values.bad_input import BadInput
from docs.tools.steps import ROOT, Done, follow
from tests.cli.shell import arena, bot, environment
from tests.kuhn.install import announce
from tests.kuhn.test_outside import search_path


@pytest.fixture
def pig(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    new_game(NewGameOptions(folder=Path("pig")))
    monkeypatch.syspath_prepend(tmp_path / "pig")
    yield tmp_path / "pig"
    for name in [each for each in sys.modules if each.partition(".")[0] == "pig_game"]:
        del sys.modules[name]


def test_it_is_whole_and_keeps_the_contract(pig: Path) -> None:
    game: Game = importlib.import_module("pig_game").GAME
    entry = tomllib.loads((pig / "pyproject.toml").read_text())["project"]["entry-points"]
    assert entry == {"arena.games": {game.name: "pig_game:GAME"}}
    assert set(game.rulings()) == set(game.endings) == {"R-01"}
    assert "30" in game.page()
    for table in tables(game):
        found = {each.check: each for each in results(table.rules, game, games=3)}
        assert {each.problem for each in found.values()} == {""}
        assert (found["play"].tested, found["board"].tested > 0) == (3, True)
    written = (pig / "tests" / "test_game.py").read_text()
    own = {"__name__": "test_game"}
    exec(compile(written, "test_game.py", "exec"), own)
    for name in [each for each in own if each.startswith("test_")]:
        own[name]()  # type: ignore[operator]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Pig", 'expected a name: 1 to 40 of a-z 0-9 "_" "-", a letter first'),
        ("dragonheart", "which is a game already"),
        ("openspiel", "which is a game already"),
        ("pig", "pig there already, expected a new folder"),
    ],
)
def test_a_name_that_cannot_be_is_refused(pig: Path, name: str, words: str) -> None:
    with pytest.raises(BadInput, match=re.escape(words)):
        new_game(NewGameOptions(folder=Path(name)))


@pytest.mark.slow
@pytest.mark.process
def test_the_game_for_four_of_the_page_works_word_for_word(tmp_path: Path) -> None:
    for _ in follow((ROOT / "docs" / "adding-a-game.md").read_text("utf-8"), tmp_path, tour):
        pass
    sticks = tmp_path / "sticks"
    announce(sticks, "arena-sticks", "0.1.0", {"sticks": "sticks_game:GAME"})
    env = environment(PYTHONPATH=search_path(str(sticks)))
    tested = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", sticks],
        env=env, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert tested.returncode == 0, tested.stdout
    names = ("anna", "berta", "carl", "dora")
    for name in names:
        bot(tmp_path, name)
    done = arena(tmp_path, "run", "-g", "sticks:4", *names, "-n", "1", "-o", "run", "-q", env=env)
    assert done.code == 0, done.err
    assert arena(tmp_path, "verify", "run", env=env).code == 0
    assert "dora takes " in arena(tmp_path, "replay", "run", "1", env=env).out


def tour(line: str, folder: Path) -> Done:
    """Only write the package; a test of all pages follows the other steps."""
    if line.strip() == "arena new-game sticks":
        assert arena(folder, "new-game", "sticks").code == 0
    return Done(0, "", "")


@pytest.mark.slow
@pytest.mark.process
def test_it_plays_at_once(pig: Path) -> None:
    announce(pig, "arena-pig", "0.1.0", {"pig": "pig_game:GAME"})
    env = environment(PYTHONPATH=search_path(str(pig)))
    home = pig.parent
    for name in ("anna", "berta"):
        bot(home, name)
    assert "Reach the target" not in arena(home, "rules", "pig", env=env).err
    done = arena(home, "run", "-g", "pig", "anna", "berta", "-n", "3", "-o", "run", "-q", env=env)
    assert done.code == 0, done.err
    assert arena(home, "verify", "run", env=env).code == 0
    assert "takes the die" in arena(home, "replay", "run", "1", env=env).out
