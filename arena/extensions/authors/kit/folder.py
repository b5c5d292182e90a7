"""The folders of a new bot and of a new game, from templates.

A bot's are filled with the types of the games that it plays, and a game's with its name.
``templates/LANGUAGE`` is such a folder; ``templates/common`` holds the files of all languages. A
file that ends in ``.jinja`` is filled. A file with ``GAME`` in its name is written once for each
game; one with ``TYPES``, once for each game and once for the messages of the protocol.
``GAME_CLASS`` and ``TYPES_CLASS`` stand for their names as class names. The author of the bot edits
the file of the game. A game may bring this file along (``Game.kit_folder``); otherwise the file
plays the first legal action.
"""

from __future__ import annotations

import keyword
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Final, NamedTuple, get_args

import jinja2

from arena.extensions.authors.kit import shapes
from arena.extensions.authors.kit.languages import Language
from arena.extensions.authors.kit.shapes import Types
from arena.games.base import RulesError
from arena.games.game import Game
from arena.referee.protocol import MESSAGES
from arena.values.bad_input import BadInput
from arena.values.problems import quote, shown_path
from arena.values.schema import components
from arena.values.units import Name

_TEMPLATES: Final = "templates"
_COMMON: Final = "common"
_FILLED: Final = ".jinja"
_CHOICE: Final = "GAME"
"""Prefix in the names of templates for the files that the author edits."""
_TYPES: Final = "TYPES"
_FIXED: Final = ("Start", "Over")
"""Messages that the kits read as types."""
_TAKEN: Final = frozenset({"kit", "loop", "main", "messages", "reading", *keyword.kwlist})
"""Names that are reserved, so that no module of a game may have them."""


class TypesFile(NamedTuple):
    """A file of message types, such as those of one game."""

    module: str
    title: str
    types: Types


def check_name(name: str) -> None:
    """Raise BadInput for text that cannot name a bot."""
    rule = get_args(Name)[1]
    if not re.fullmatch(rule.pattern, name):
        raise BadInput(f"NAME: found {quote(name)}, expected {rule.extra['expected']}")


def create(folder: Path, language: Language, games: Sequence[Game]) -> None:
    """Write the folder of a bot, whose name is that of the folder.

    Raises BadInput if the folder exists already, cannot name a bot or cannot be written.
    """
    check_name(folder.name)
    _write(folder, files(folder.name, language, games))


def _write(folder: Path, made: Mapping[str, str]) -> None:
    """Write the files, by their paths, in a new folder. Raises BadInput."""
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


def files(name: str, language: Language, games: Sequence[Game]) -> dict[str, str]:
    """Return the text of all files of the bot, by their paths in its folder."""
    made: dict[str, str] = {}
    kit = _Kit(name, language, games)
    for folder in (_COMMON, language.name):
        for path, template in _templates(folder):
            made |= kit._files_of(path, template)
    return dict(sorted(made.items()))


def own_files(language: Language, games: Sequence[Game]) -> list[str]:
    """Return the paths of the files that the author edits, one for each game."""
    paths = [path.removesuffix(_FILLED) for path, _ in _templates(language.name)]
    own = (path for path in paths if path.startswith(_CHOICE))
    return [_named(path, _CHOICE, module(game.name)) for path in own for game in games]


def types_of(game: Game) -> Types:
    """Return the types of the questions and answers of a game."""
    types = (game.observation_type, *game.action_types)
    refs, definitions = components(types, "{name}")
    observation, *actions = (ref["$ref"] for ref in refs)
    return shapes.of_game({"$defs": definitions}, observation, actions)


def types_of_messages() -> Types:
    """Return the types of the messages to a bot that are the same in every game."""
    return shapes.of_messages({"$defs": components(MESSAGES)[1]}, _FIXED)


def module(name: str) -> str:
    """Return a module name for the game ``name`` that is valid in every language."""
    word = re.sub(r"\W", "_", name.lower())
    return f"game_{word}" if word in _TAKEN or word[0].isdigit() else word


def _listed(words: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def _named(path: str, mark: str, word: str) -> str:
    return path.replace(f"{mark}_CLASS", shapes.pascal(word)).replace(mark, word)


class _Kit:
    """Writer of files from templates."""

    def __init__(self, name: str, language: Language, games: Sequence[Game]) -> None:
        self._language = language
        self._games = games
        self._units = [TypesFile(module(game.name), game.title, types_of(game)) for game in games]
        self._messages = TypesFile("messages", "Messages", types_of_messages())
        self._environment = jinja2.Environment(
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
        )
        self._environment.filters |= {
            "type": language.type,
            "default": language.default,
            "named": language.named,
            "module": module,
            "words": _listed,
            "pascal": shapes.pascal,
        }
        self._environment.globals |= {
            "name": name,
            "language": language,
            "games": games,
            "own": own_files(language, games),
        }

    def _files_of(self, path: str, template: str) -> Iterator[tuple[str, str]]:
        """Yield paths and texts of the files made from a template."""
        target = path.removesuffix(_FILLED)
        if target.startswith(_CHOICE):
            for game in self._games:
                yield _named(target, _CHOICE, module(game.name)), self._first_choice(game, template)
        elif _TYPES in target:
            for unit in (*self._units, self._messages):
                yield _named(target, _TYPES, unit.module), self._filled(template, unit=unit)
        else:
            yield target, template if path == target else self._filled(template)

    def _first_choice(self, game: Game, template: str) -> str:
        """Return the first version of the file that the author edits."""
        if game.kit_folder is not None:
            with suppress(RulesError):  # the game may have none in this language
                return game.text(f"{game.kit_folder}/choose.{self._language.ending}")
        return self._filled(template, game=game)

    def _filled(self, template: str, **known: Any) -> str:
        return self._environment.from_string(template).render(known)


def _templates(name: str) -> Iterator[tuple[str, str]]:
    """Yield path and text of each template."""
    yield from _below(resources.files(__package__).joinpath(_TEMPLATES, name), "")


def _below(folder: Traversable, path: str) -> Iterator[tuple[str, str]]:
    for entry in sorted(folder.iterdir(), key=lambda each: each.name):
        here = os.path.join(path, entry.name)
        if entry.is_dir():
            if entry.name != "__pycache__":
                yield from _below(entry, here)
        else:
            yield here, entry.read_text("utf-8")


_GAME_NAME: Final = re.compile(r"[a-z][a-z0-9_-]{0,39}")
_GAME: Final = "game"
_IN_PACKAGE: Final = ("__init__.py", "rules.py", "board.py", "board.js", "board.css", "rules.md")
_BESIDE: Final = ("pyproject.toml", "tests/test_contract.py", "tests/test_game.py")


def package_name(name: str) -> str:
    """Return the name of the Python package of the game ``name``."""
    return f"{name.replace('-', '_')}_game"


def create_game(folder: Path) -> None:
    """Write the package of a game, whose name is that of the folder.

    Raises BadInput if the folder exists already, cannot name a game or cannot be written.
    """
    name = folder.name
    if not _GAME_NAME.fullmatch(name):
        expected = 'a name: 1 to 40 of a-z 0-9 "_" "-", a letter first'
        raise BadInput(f"NAME: found {quote(name)}, expected {expected}")
    _write(folder, game_files(name))


def game_files(name: str) -> dict[str, str]:
    """Return the text of all files of the package, by their paths in its folder."""
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, keep_trailing_newline=True)
    title = name.replace("-", " ").replace("_", " ").capitalize()
    known = {"name": name, "module": package_name(name), "title": title}
    templates = resources.files(__package__).joinpath(_GAME)
    paths = {file: f"{package_name(name)}/{file}" for file in _IN_PACKAGE}
    paths |= {file: file for file in _BESIDE}
    return {
        path: environment.from_string(
            templates.joinpath(f"{file}.jinja").read_text("utf-8")
        ).render(known)
        for file, path in paths.items()
    }
