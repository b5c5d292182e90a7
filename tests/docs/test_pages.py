"""The pages name all that there is: messages, games, panels. What they say of it others run."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Final, get_args

import msgspec
import pytest

from arena.games.registry import GAMES
from arena.protocol.messages import FromBot, ToBot, schema
from tests.docs.protocol_page import (
    MESSAGES,
    PAGE,
    SECTIONS,
    blocks,
    fields,
    heading,
    part,
    tables,
    tag,
    words,
)
from tests.fuzz import lines

DOCS: Final = Path(__file__).parents[2] / "docs"
ROLES: Final = {"to-bot": get_args(ToBot), "from-bot": get_args(FromBot)}
KINDS: Final = {tag(message): message for role in ROLES.values() for message in role}


@pytest.mark.parametrize("kind", KINDS)
def test_protocol_md_describes_every_message(kind: str) -> None:
    message = KINDS[kind]
    assert f"\n{heading(message)}\n" in PAGE, f"below '{MESSAGES}' write '{heading(message)}'"
    if asked := fields(message):
        found = tables(MESSAGES, heading(message))
        rows = [row[0] for row in found[0]] if found else []
        assert rows == asked, f"its table in protocol.md has a row for each field of {message}"


@pytest.mark.parametrize("role", ROLES)
def test_protocol_md_has_an_example_of_every_message(role: str) -> None:
    shown = {json.loads(example)["type"] for example in blocks(role)}
    missing = {tag(message) for message in ROLES[role]} - shown
    assert not missing, f"protocol.md: each needs a block '```json {role}' with one that was sent"
    assert shown <= {*KINDS}


def test_schema_and_fuzzing_know_every_message() -> None:
    published = {each["$ref"].rpartition("/")[2] for each in schema()["anyOf"]}
    assert published == {each.__name__ for each in KINDS.values()}, "messages.schema()"
    tried = {_type(line) for line in lines.corpus()}
    assert {*KINDS} <= tried, "tests/fuzz/lines.py: add a line of it to the corpus"


def _type(line: bytes) -> object:
    try:
        value = msgspec.json.decode(line)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None
    found = value.get("type") if isinstance(value, dict) else None
    return found if isinstance(found, str) else None


def test_protocol_md_names_every_game() -> None:
    [rules] = [row for row in tables(MESSAGES, "### `start`")[0] if row[0] == "rules"]
    assert words(rules[2]) == {*GAMES}, "the field `rules` of `start`"
    scored = {row[0] for row in tables(MESSAGES, "### `over`")[1]}
    assert scored == {*GAMES}, "the table of scores below `over`"
    titles = [GAMES[name].title for name in GAMES]
    assert SECTIONS.keys() == {*GAMES}, f"a section '## N. TITLE' for each of {titles}"
    for section in SECTIONS.values():
        link = section.removeprefix("## ").replace(". ", "-").lower()
        assert f"(#{link})" in PAGE, "the contents"
        for below in ("### Actions", "### Observation", "### Events"):
            assert part(section, below)


@pytest.mark.parametrize("name", GAMES)
def test_the_page_of_games_has_a_row_for_every_game(name: str) -> None:
    game = GAMES[name]
    page = (DOCS / "the-games.md").read_text("utf-8")
    rows = [row for row in page.splitlines() if row.startswith(f"| **{game.title}**")]
    assert len(rows) == 1, (
        f"docs/the-games.md: a row '| **{game.title}** | seats | options | cards |'"
    )
    assert ", ".join(map(str, game.seats)) in rows[0]
    assert {option.name for option in game.options} <= set(re.findall(r"`(\w+)[`:]", rows[0]))
