"""What stands where in protocol.md."""

from __future__ import annotations

import re
from itertools import starmap
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from arena.games.registry import GAMES

ROOT: Final = Path(__file__).parents[2]
PAGE: Final = (ROOT / "protocol.md").read_text("utf-8")
MESSAGES: Final = "## 4. Messages"
SECTIONS: Final = {
    name: found[0]
    for name in GAMES
    if (found := re.findall(rf"^## \d+\. {re.escape(GAMES[name].title)}$", PAGE, re.M))
}
"""By rules the heading of the section about their JSON."""


class Block(NamedTuple):
    """A fenced block: the first word after the fence, the rest of that line, the text."""

    language: str
    role: str
    text: str


def blocks(role: str, text: str = PAGE) -> list[str]:
    found = re.findall(r"^```(\w+) ?(.*)\n([^`]*)^```$", text, re.M)
    return [block.text for block in starmap(Block, found) if block.role == role]


def block(role: str) -> str:
    (text,) = blocks(role)
    return text


def part(*headings: str) -> str:
    """The text below the last heading, which stands below the one before it, and so on."""
    text = PAGE
    for heading in headings:
        level = len(heading.split(" ", 1)[0])
        text = text.split(f"\n{heading}\n", 1)[1]
        text = re.split(rf"^#{{1,{level}}} ", text, maxsplit=1, flags=re.M)[0]
    return text


def tables(*headings: str) -> list[list[list[str]]]:
    """The tables below a heading, each as the cells of its rows, without code marks."""
    found = re.findall(r"(?:^\|.*\|\n)+", part(*headings), re.M)
    return [[cells(row) for row in table.splitlines()[2:]] for table in found]


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
