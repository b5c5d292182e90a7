"""The first commands of somebody who has arena and nothing else: demo and init."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.extensions.authors.commands.init import InitOptions, begin_tournament
from arena.games.registry import GAMES
from arena.runs.config.tournament import load_tournament
from arena.values.bad_input import BadInput
from tests.cli.shell import arena
from tests.games.games import OWN
from tests.kuhn.install import loaded

README = (Path(__file__).parents[2] / "README.md").read_text("utf-8")


@pytest.mark.slow
@pytest.mark.process
def test_demo_plays_the_table_of_the_readme_and_says_what_next(tmp_path: Path) -> None:
    done = arena(tmp_path, "demo")
    assert done.code == 0, done.err
    assert done.out in README
    *_, first, second, third = done.err.splitlines()
    calls = [line.strip().partition("  ")[0] for line in (first, second, third)]
    assert calls == ["arena report runs/demo", "arena play dragonheart", "arena init"]
    assert arena(tmp_path, "demo").out == done.out
    for call in (calls[0], calls[2]):
        assert arena(tmp_path, *call.split()[1:]).code == 0


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.parametrize("words", [["demo"], ["init", "runs/cup.yaml"]])
def test_a_folder_that_cannot_be_written_is_one_line(tmp_path: Path, words: list[str]) -> None:
    (tmp_path / "runs").touch()
    done = arena(tmp_path, *words)
    assert (done.code, done.out) == (2, "")
    assert len(done.err.splitlines()) == 1
    assert "cannot be written: Not a directory" in done.err


@pytest.mark.parametrize("game", OWN)
def test_the_first_file_is_a_tournament_of_any_game(game, tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    begin_tournament(InitOptions(file=Path("my cup.yaml"), game=game))
    found = load_tournament(Path("my cup.yaml"))
    assert [each.name for each in found.entrants] == ["random", "greedy", "sampler"]
    assert [each.rules.name for each in found.disciplines] == [game]
    assert "play it:     arena run 'my cup.yaml'\n" in capsys.readouterr().out
    text = Path("my cup.yaml").read_text("utf-8")
    assert max(map(len, text.splitlines())) <= 100
    opened = text.replace("  # - {bot: mine", "  - {bot: builtin:ismcts").replace("@v1", "")
    Path("my cup.yaml").write_text(opened, "utf-8")
    assert [each.name for each in load_tournament(Path("my cup.yaml")).entrants][3:] == ["older"]
    with pytest.raises(BadInput, match=r"FILE: found my cup\.yaml there already, expected a new"):
        begin_tournament(InitOptions(file=Path("my cup.yaml")))


def test_a_game_from_outside_has_a_first_file_too(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    with loaded(tmp_path / "site") as kuhn:
        assert kuhn.name in GAMES
        begin_tournament(InitOptions(game="kuhn"))
        names = [each.name for each in load_tournament(Path("tournament.yaml")).entrants]
    assert names == ["random", "first-legal"]
