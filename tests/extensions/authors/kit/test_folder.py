"""What is in the folder of a new bot."""

from __future__ import annotations

import keyword
import re
from pathlib import Path
from typing import Final

import pytest

from arena.entrants.manifest import load_bot
from arena.extensions.authors.kit.folder import create, files, module, own_files
from arena.extensions.authors.kit.languages import LANGUAGES
from arena.games.registry import GAMES
from arena.values.bad_input import BadInput

ROOT: Final = Path(__file__).parents[4]
ALL: Final = [GAMES[name] for name in GAMES]
MOST_LINES: Final = 40
"""Of what an author goes on with; a page of README is 40 lines, too."""


def test_no_keyword_of_python_names_a_field() -> None:
    assert {*keyword.kwlist} <= {*LANGUAGES["python"].keywords.split()}


@pytest.mark.parametrize("name", LANGUAGES)
def test_the_manifest_is_valid_and_says_what_it_plays(name: str, tmp_path: Path) -> None:
    create(tmp_path / "mine", LANGUAGES[name], ALL)
    manifest = load_bot(tmp_path / "mine").manifest
    assert (manifest.name, manifest.language) == ("mine", name)
    assert manifest.plays == {game.name: game.seats for game in ALL}
    assert manifest.needs.keys() == dict(LANGUAGES[name].needs).keys()


@pytest.mark.parametrize("game", [game.name for game in ALL if game.kit_folder])
@pytest.mark.parametrize("name", LANGUAGES)
def test_the_authors_file_is_short_and_says_what_to_try(name: str, game: str) -> None:
    language = LANGUAGES[name]
    [own] = own_files(language, [GAMES[game]])
    text = files("mine", language, [GAMES[game]])[own]
    assert (
        text == (ROOT / f"arena/extensions/games/{game}/kit/choose.{language.ending}").read_text()
    )
    assert len(text.splitlines()) <= MOST_LINES
    assert max(map(len, text.splitlines())) <= 100
    assert re.findall(r"(?:#|//) (\d)\. ", text) == ["1", "2", "3"]
    assert "choose" in text.lower()
    assert "json" not in text.lower()


@pytest.mark.parametrize("name", LANGUAGES)
def test_a_game_may_bring_its_choice_in_some_languages_only(name: str) -> None:
    game = GAMES["dragonheart"]._replace(kit_folder="nowhere")
    assert files("mine", LANGUAGES[name], [game]) == files(
        "mine", LANGUAGES[name], [game._replace(kit_folder=None)]
    )


@pytest.mark.parametrize("name", LANGUAGES)
def test_the_readme_is_a_screen_and_names_files_that_are_there(name: str) -> None:
    made = files("mine", LANGUAGES[name], ALL)
    page = made["README.md"]
    assert len(page.splitlines()) <= MOST_LINES
    assert max(map(len, page.splitlines())) <= 110
    for path in re.findall(r"^\| `([\w./]+)` \|", page, re.MULTILINE):
        assert path in made or any(each.startswith(path) for each in made)


@pytest.mark.parametrize("name", LANGUAGES)
def test_no_placeholder_is_left(name: str) -> None:
    for path, text in files("mine", LANGUAGES[name], ALL).items():
        assert not re.search(r"GAME|TYPES|\.jinja", path), path
        assert not re.search(r"\{%|%\}|\bStrictUndefined\b|\.jinja", text), path


def test_the_license_goes_with_the_kit() -> None:
    for language in LANGUAGES.values():
        assert files("mine", language, ALL)["kit/LICENSE"] == (ROOT / "LICENSE").read_text()


@pytest.mark.parametrize(
    ("name", "expected"),
    [("dragonheart", "dragonheart"), ("Tic-Tac-Toe", "tic_tac_toe"), ("main", "game_main"),
     ("7wonders", "game_7wonders"), ("import", "game_import")],
)  # fmt: skip
def test_a_game_is_a_module_whatever_it_is_called(name: str, expected: str) -> None:
    assert module(name) == expected


@pytest.mark.parametrize("name", ["", ".", "..", "a b", "-x", "é", "x" * 65, "a\n"])
def test_what_is_no_name_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"^NAME: "):
        create(tmp_path / name, LANGUAGES["python"], ALL)
    assert [*tmp_path.iterdir()] == []


def test_nothing_that_is_there_is_touched(tmp_path: Path) -> None:
    for there in ("folder", "file"):
        place = tmp_path / there
        place.mkdir() if there == "folder" else place.write_text("mine")
        with pytest.raises(BadInput, match="there already, expected a new folder"):
            create(place, LANGUAGES["python"], ALL)
        assert place.is_file() or [*place.iterdir()] == []


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput, match="cannot be written: "):
        create(tmp_path / "file" / "mine", LANGUAGES["python"], ALL)
