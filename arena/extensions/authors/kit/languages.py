"""Facts about each language for the templates, such as its names for the kinds of values.

The facts are data: ``languages/NAME.toml``, a file for each language.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from importlib import resources
from typing import Final

import msgspec

from arena.extensions.authors.kit.shapes import Kind, RecordField, Shape


class Language(msgspec.Struct, frozen=True):
    """A language that bots can be written in."""

    name: str
    title: str
    ending: str
    """File name extension."""
    types: Mapping[Kind, str]
    """Type of each kind of value; ``{}`` stands for the type it holds, or for its name."""
    main: str
    """Name of the file that starts the bot."""
    command: tuple[str, ...]
    prints: str
    """Sentence that says where the output of a bot is written."""
    hint: str = ""
    """Further advice, as a sentence in Markdown."""
    inner: Mapping[str, str] = {}
    """Names of types within other types, where they differ."""
    build: tuple[tuple[str, ...], ...] = ()
    needs: tuple[tuple[str, str], ...] = ()
    """Required programs with their lowest versions."""
    empty: Mapping[Kind, str] = {}
    """Default for an absent value of each kind, where the templates need one."""
    option: str = 'game.option("figure", 6)'
    """Code that reads an option of the bot."""
    keywords: str = ""
    """Words that cannot name a field, separated by spaces; such fields get ``_`` appended."""
    aliases: tuple[str, ...] = ()
    """Other names of the language."""

    def type(self, shape: Shape) -> str:
        """Return the name of the type of ``shape`` in this language."""
        held = self.type(shape.of) if shape.of else shape.name
        return self.types[shape.kind].replace("{}", self.inner.get(held, held))

    def default(self, field: RecordField) -> str:
        """Return the default of a field, used where it is absent."""
        return self.empty.get(field.shape.kind, "")

    def named(self, word: str) -> str:
        """Return the field name ``word`` as this language allows it."""
        return f"{word}_" if word in self.keywords.split() else word


_NAMES: Final = ("python", "javascript", "cpp", "go", "java", "rust")


def _read(name: str) -> Language:
    file = resources.files("arena.extensions.authors.kit") / "languages" / f"{name}.toml"
    return msgspec.convert({"name": name, **tomllib.loads(file.read_text("utf-8"))}, Language)


LANGUAGES: Final[Mapping[str, Language]] = {name: _read(name) for name in _NAMES}
"""Languages by name, in the order of ``arena new-bot``."""
ALIASES: Final = {other: each.name for each in LANGUAGES.values() for other in each.aliases}
"""Languages by their other names."""
