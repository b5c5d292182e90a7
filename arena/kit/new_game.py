"""The folder of a new game: a package that can be installed and plays at once.

``game`` is such a folder. Its files end in ``.jinja`` and are filled with the name of the game.
"""

from __future__ import annotations

import re
from importlib import resources
from pathlib import Path
from typing import Final

import jinja2

from arena.documents.bad_input import BadInput
from arena.documents.problems import quote, shown_path

_NAME: Final = re.compile(r"[a-z][a-z0-9_-]{0,39}")
_FOLDER: Final = "game"
_OF_PACKAGE: Final = ("__init__.py", "rules.py", "board.py", "board.js", "board.css", "rules.md")
_BESIDE: Final = ("pyproject.toml", "tests/test_contract.py", "tests/test_game.py")


def module(name: str) -> str:
    """Return the name of the Python package of the game ``name``."""
    return f"{name.replace('-', '_')}_game"


def create_game(folder: Path) -> list[str]:
    """Write the package of a game, whose name is that of the folder; return its files.

    Raises BadInput if the folder exists already, cannot name a game or cannot be written.
    """
    name = folder.name
    if not _NAME.fullmatch(name):
        expected = 'a name: 1 to 40 of a-z 0-9 "_" "-", a letter first'
        raise BadInput(f"NAME: found {quote(name)}, expected {expected}")
    made = game_files(name)
    try:
        folder.mkdir(parents=True)
        for path, text in made.items():
            place = folder / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, "utf-8")
    except FileExistsError:
        found = f"found {shown_path(folder)} there already"
        raise BadInput(f"NAME: {found}, expected a new folder") from None
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise BadInput(f"NAME: {shown_path(folder)} cannot be written: {reason}") from None
    return list(made)


def game_files(name: str) -> dict[str, str]:
    """Return the text of all files of the package, by their paths in its folder."""
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, keep_trailing_newline=True)
    title = name.replace("-", " ").replace("_", " ").capitalize()
    known = {"name": name, "module": module(name), "title": title}
    templates = resources.files(__package__).joinpath(_FOLDER)
    paths = {file: f"{module(name)}/{file}" for file in _OF_PACKAGE}
    paths |= {file: file for file in _BESIDE}
    return {
        path: environment.from_string(
            templates.joinpath(f"{file}.jinja").read_text("utf-8")
        ).render(known)
        for file, path in paths.items()
    }
