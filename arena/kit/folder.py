"""The folder of a new bot: templates, filled with the types of the games that it plays.

``templates/LANGUAGE`` is such a folder, ``templates/common`` what all of them have. A file that
ends in ``.jinja`` is filled. In its name ``GAME`` stands for each game, ``TYPES`` for these and for
the messages of the protocol; with ``_CLASS`` behind it for the same as the name of a class. The
file of a game is what the author goes on with. A game may bring it along (``Game.kit_folder``);
else it plays the first legal action.
"""

from __future__ import annotations

import keyword
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Final, NamedTuple, get_args

import jinja2
import msgspec

from arena.documents.bad_input import BadInput
from arena.documents.problems import quote, shown_path
from arena.documents.values import Name
from arena.games.base import RulesError
from arena.games.game import Game
from arena.kit import shapes
from arena.kit.languages import Language
from arena.kit.shapes import Types
from arena.protocol.messages import schema as schema_of_messages

_TEMPLATES: Final = "templates"
_COMMON: Final = "common"
_FILLED: Final = ".jinja"
_CHOICE: Final = "GAME"
"""Begins the name of the template of what the author writes."""
_TYPES: Final = "TYPES"
_MESSAGES: Final = ("Start", "Over")
"""Those that the kits read as types."""
_TAKEN: Final = frozenset({"kit", "loop", "main", "messages", "reading", *keyword.kwlist})
"""What no module of a game can be called."""


class Unit(NamedTuple):
    """Types that have a file of their own."""

    module: str
    title: str
    types: Types


def check_name(name: str) -> None:
    """Raises BadInput for what no bot can be called."""
    rule = get_args(Name)[1]
    if not re.fullmatch(rule.pattern, name):
        raise BadInput(f"NAME: found {quote(name)}, expected {rule.extra['expected']}")


def create(folder: Path, language: Language, games: Sequence[Game]) -> None:
    """Write the folder of a bot, which is called as its folder is.

    Raises BadInput if it is there already, has no name for a bot or cannot be written.
    """
    check_name(folder.name)
    made = files(folder.name, language, games)
    try:
        folder.mkdir(parents=True)
        for path, text in made.items():
            place = folder / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, "utf-8")
    except FileExistsError:
        raise BadInput(
            f"NAME: found {shown_path(folder)} there already, expected a new folder"
        ) from None
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise BadInput(f"NAME: {shown_path(folder)} cannot be written: {reason}") from None


def files(name: str, language: Language, games: Sequence[Game]) -> dict[str, str]:
    """All files of the bot, by their paths in its folder."""
    made: dict[str, str] = {}
    kit = _Kit(name, language, games)
    for folder in (_COMMON, language.name):
        for path, template in _templates(folder):
            made |= kit.made(path, template)
    return dict(sorted(made.items()))


def own_files(language: Language, games: Sequence[Game]) -> list[str]:
    """Those that the author goes on with, one for each game."""
    paths = [path.removesuffix(_FILLED) for path, _ in _templates(language.name)]
    own = (path for path in paths if path.startswith(_CHOICE))
    return [_named(path, _CHOICE, module(game.name)) for path in own for game in games]


def types_of(game: Game) -> Types:
    """What a bot that plays the game is asked with."""
    types = (game.observation_type, *game.action_types)
    refs, definitions = msgspec.json.schema_components(types, ref_template="{name}")
    observation, *actions = (ref["$ref"] for ref in refs)
    return shapes.of_game({"$defs": definitions}, observation, actions)


def types_of_messages() -> Types:
    """What else it is told."""
    return shapes.of_messages(schema_of_messages(), _MESSAGES)


def module(name: str) -> str:
    """What a game is called where its name is one of a module, in any language."""
    word = re.sub(r"\W", "_", name.lower())
    return f"game_{word}" if word in _TAKEN or word[0].isdigit() else word


def _listed(words: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def _named(path: str, mark: str, word: str) -> str:
    return path.replace(f"{mark}_CLASS", shapes.pascal(word)).replace(mark, word)


class _Kit:
    """Makes files of templates."""

    def __init__(self, name: str, language: Language, games: Sequence[Game]) -> None:
        self._language = language
        self._games = games
        self._units = [Unit(module(game.name), game.title, types_of(game)) for game in games]
        self._messages = Unit("messages", "Messages", types_of_messages())
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

    def made(self, path: str, template: str) -> Iterator[tuple[str, str]]:
        """The files that a template stands for."""
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
        """The file of the author, to begin with."""
        if game.kit_folder is not None:
            with suppress(RulesError):  # it may not have one in this language
                return game.text(f"{game.kit_folder}/choose.{self._language.ending}")
        return self._filled(template, game=game)

    def _filled(self, template: str, **known: Any) -> str:
        return self._environment.from_string(template).render(known)


def _templates(name: str) -> Iterator[tuple[str, str]]:
    """Path and text of each."""
    yield from _below(resources.files(__package__).joinpath(_TEMPLATES, name), "")


def _below(folder: Traversable, path: str) -> Iterator[tuple[str, str]]:
    for entry in sorted(folder.iterdir(), key=lambda each: each.name):
        here = os.path.join(path, entry.name)
        if entry.is_dir():
            if entry.name != "__pycache__":
                yield from _below(entry, here)
        else:
            yield here, entry.read_text("utf-8")
