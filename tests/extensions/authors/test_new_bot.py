"""``arena new-bot``: what it says, and what it refuses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from arena.extensions.authors.commands.new_bot import NewBotOptions, new_bot
from arena.values.bad_input import BadInput


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_game_that_is_asked_for_twice_is_one(capsys: pytest.CaptureFixture[str]) -> None:
    games = ("dragonrealm", "dragonkrak", "dragonrealm")
    new_bot(NewBotOptions(folder=Path("mine"), language="python", games=games))
    assert "plays dragonkrak and dragonrealm\n" in capsys.readouterr().out
    assert not Path("mine/dragonheart.py").exists()


def test_a_toolchain_that_is_not_there_is_told(capsys, monkeypatch) -> None:
    monkeypatch.setenv("PATH", "")
    new_bot(NewBotOptions(folder=Path("mine"), language="javascript"))
    assert '"node" was not found on PATH, which bots in JavaScript need' in capsys.readouterr().err


@pytest.mark.parametrize(
    ("alias", "title"),
    [("js", "JavaScript"), ("node", "JavaScript"), ("c++", "C++"), ("cc", "C++"), ("py", "Python"),
     ("golang", "Go"), ("rs", "Rust"), ("Rust", "Rust")],
)  # fmt: skip
def test_languages_have_other_names(alias, title, capsys) -> None:
    new_bot(NewBotOptions(folder=Path("mine"), language=alias, games=("dragonheart",)))
    assert capsys.readouterr().out.startswith(f"mine: a bot in {title} that plays")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"language": "cobol"}, '--language: found "cobol", expected python, javascript'),
        ({"language": "pyton"}, 'did you mean "python"'),
        (
            {"language": "python", "games": ("checkers",)},
            '--game: found "checkers", expected chess, dragonheart',
        ),
        ({"language": "python", "folder": Path("a b")}, 'NAME: found "a b", expected a name: '),
        ({"language": "python", "folder": Path("..")}, 'NAME: found "..", expected a name: '),
    ],
)
def test_what_is_wrong_is_one_sentence(given: dict[str, Any], said: str) -> None:
    with pytest.raises(BadInput) as refused:
        new_bot(NewBotOptions(**({"folder": Path("mine")} | given)))
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)
    assert [*Path().iterdir()] == []
