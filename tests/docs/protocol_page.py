"""What stands where in protocol.md and in the pages of the games."""

from __future__ import annotations

import re
from itertools import starmap
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from arena.games.registry import GAMES

ROOT: Final = Path(__file__).parents[2]
MESSAGES: Final = "## Messages"


class Block(NamedTuple):
    """A fenced block: the first word after the fence, the rest of that line, the text."""

    language: str
    role: str
    text: str


class Page:
    """Markdown, and what can be found in it."""

    def __init__(self, text: str) -> None:
        self.text = text

    def blocks(self, role: str) -> list[str]:
        found = re.findall(r"^```(\w+) ?(.*)\n([^`]*)^```$", self.text, re.M)
        return [block.text for block in starmap(Block, found) if block.role == role]

    def block(self, role: str) -> str:
        (text,) = self.blocks(role)
        return text

    def part(self, *headings: str) -> str:
        """The text below the last heading, which stands below the one before it, and so on."""
        text = self.text
        for heading in headings:
            level = len(heading.split(" ", 1)[0])
            text = text.split(f"\n{heading}\n", 1)[1]
            text = re.split(rf"^#{{1,{level}}} ", text, maxsplit=1, flags=re.M)[0]
        return text

    def tables(self, *headings: str) -> list[list[list[str]]]:
        """The tables below a heading, each as the cells of its rows, without code marks."""
        found = re.findall(r"(?:^\|.*\|\n)+", self.part(*headings), re.M)
        return [[cells(row) for row in table.splitlines()[2:]] for table in found]


PROTOCOL: Final = Page((ROOT / "protocol.md").read_text("utf-8"))
GAME_PAGES: Final = {
    name: Page(path.read_text("utf-8"))
    for name in GAMES
    if (path := ROOT / "docs" / "games" / f"{name}.md").is_file()
}
"""By rules the page about them."""
GAMES_LIST: Final = Page((ROOT / "docs" / "games" / "README.md").read_text("utf-8"))


class Described(NamedTuple):
    """A table of fields: where it stands, counted from 0 below its heading, and of what."""

    page: Page
    headings: tuple[str, ...]
    struct: type[msgspec.Struct]
    number: int = 0

    def said(self, word: str) -> dict[str, bool]:
        """By field whether the last cell of its row begins with the word."""
        rows = self.page.tables(*self.headings)[self.number]
        return {field: absent.startswith(word) for field, _, _, absent in rows}

    def required(self) -> dict[str, bool]:
        """By field whether it must be there."""
        fields = msgspec.structs.fields(self.struct)
        return {field.encode_name: field.required for field in fields}


def struct_name(value: object) -> str:
    """The name of a test."""
    struct = value.struct if isinstance(value, Described) else value
    assert isinstance(struct, type)
    return f"{struct.__module__.split('.')[-2]}.{struct.__name__}"


def cells(row: str) -> list[str]:
    found = (cell.strip() for cell in row.strip("|").split(" | "))
    return [re.sub(r"^`([^`]*)`$", r"\1", cell) for cell in found]


def words(cell: str) -> set[str]:
    """What is marked as code in a cell; all of a cell that is nothing else."""
    return set(re.findall(r"`([^`]+)`", cell) or [cell])


def tag(message: type[msgspec.Struct]) -> str:
    """Its ``type``."""
    return str(message.__struct_config__.tag)


def heading(message: type[msgspec.Struct]) -> str:
    """Of its section."""
    return f"### `{tag(message)}`"


def fields(message: type[msgspec.Struct]) -> list[str]:
    """As they are sent, without ``type``."""
    return [field.encode_name for field in msgspec.structs.fields(message)]
