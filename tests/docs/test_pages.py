"""The pages name all that there is: messages, games, panels. What they say of it others run."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Final, get_args

import msgspec
import pytest
import yaml

import arena
from arena.cli.documents import schema_of, schema_tournament
from arena.games.registry import GAMES
from arena.referee.protocol import FromBot, ToBot
from arena.referee.records.format import schema as record_schema
from arena.runs.config.tournament import load_tournament
from arena.runs.store import RecordLocation, Stored
from arena.schedule.keys import Schedule
from arena.values.results import GameResult, GameSpec
from tests.docs.protocol_page import (
    GAME_PAGES,
    GAMES_LIST,
    MESSAGES,
    PROTOCOL,
    ROOT,
    Page,
    fields,
    heading,
    tag,
    words,
)
from tests.fuzz import lines

ROLES: Final = {"to-bot": get_args(ToBot), "from-bot": get_args(FromBot)}
SOURCES: Final = {".py", ".jinja", ".js", ".go", ".hpp", ".java", ".rs"}
KINDS: Final = {tag(message): message for role in ROLES.values() for message in role}


@pytest.mark.parametrize("kind", KINDS)
def test_protocol_md_describes_every_message(kind: str) -> None:
    message = KINDS[kind]
    assert f"\n{heading(message)}\n" in PROTOCOL.text, (
        f"below '{MESSAGES}' write '{heading(message)}'"
    )
    if asked := fields(message):
        found = PROTOCOL.tables(MESSAGES, heading(message))
        rows = [row[0] for row in found[0]] if found else []
        assert rows == asked, f"its table in protocol.md has a row for each field of {message}"


@pytest.mark.parametrize("role", ROLES)
def test_protocol_md_has_an_example_of_every_message(role: str) -> None:
    shown = {json.loads(example)["type"] for example in PROTOCOL.blocks(role)}
    missing = {tag(message) for message in ROLES[role]} - shown
    assert not missing, f"protocol.md: each needs a block '```json {role}' with one that was sent"
    assert shown <= {*KINDS}


def test_schema_and_fuzzing_know_every_message() -> None:
    published = {each["$ref"].rpartition("/")[2] for each in schema_of("protocol")["anyOf"]}
    assert published == {each.__name__ for each in KINDS.values()}, "messages.MESSAGES"
    tried = {_type(line) for line in lines.corpus()}
    assert {*KINDS} <= tried, "tests/fuzz/lines.py: add a line of it to the corpus"


def _type(line: bytes) -> object:
    try:
        value = msgspec.json.decode(line)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None
    found = value.get("type") if isinstance(value, dict) else None
    return found if isinstance(found, str) else None


def test_the_changelog_has_what_is_new_in_this_version() -> None:
    first = re.findall(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)[0]
    dated = re.escape(arena.__version__) + r" - \d{4}-\d\d-\d\d"
    assert first == "Unreleased" or re.fullmatch(dated, first)


def test_protocol_md_names_every_game() -> None:
    [rules] = [row for row in PROTOCOL.tables(MESSAGES, "### `start`")[0] if row[0] == "rules"]
    assert words(rules[2]) == {*GAMES}, "the field `rules` of `start`"


def test_protocol_md_is_one_page() -> None:
    """Everybody reads it, whichever game and language: what is only for some stands elsewhere."""
    assert len(PROTOCOL.text.encode()) <= 25_000


def test_sections_of_protocol_md_keep_their_titles() -> None:
    """Others name them, also from outside."""
    titles = re.findall(r"^## (.*)$", PROTOCOL.text, re.M)
    assert titles == [
        *("A first bot", "Life", "Lines", "Messages", "Time", "Limits", "Faults", "Processes"),
        *("Surroundings", "Manifest", "Debugging", "Traps", "Changes"),
    ]


def _keys() -> dict[str, object]:
    """Return the default of each key of a tournament file by its path, None if it has none."""
    schema, found, seen = schema_tournament(), dict[str, object](), set[str]()
    sections = [("", schema)]
    for prefix, section in sections:
        for key, value in section["properties"].items():
            default = value.get("default")
            found[prefix + key] = None if default in ("", ()) else default
            for name in re.findall(r"#/\$defs/(\w+)", json.dumps(value)):
                below = schema["$defs"][name]
                if "properties" in below and name not in seen:
                    seen.add(name)
                    sections.append((f"{prefix}{key}.", below))
    return found


def test_tournament_files_md_has_every_key_and_its_default() -> None:
    page = Page((ROOT / "docs" / "tournament-files.md").read_text())
    [rows] = page.tables("## All keys")
    shown = {key: default for key, default, _ in rows}
    of_stages = {f"schedule.stages.{key}" for key in Schedule.__struct_fields__}
    keys = {key: default for key, default in _keys().items() if key not in of_stages}
    sections = {key.rpartition(".")[0] for key in keys}
    assert keys.keys() - sections <= shown.keys() <= keys.keys()
    for key in shown:
        if (default := keys[key]) is not None:
            texts = (shown[key], yaml.safe_load(shown[key]))
            assert (list(default) if isinstance(default, tuple) else default) in texts, key


def test_glob_that_is_shown_is_read(tmp_path: Path) -> None:
    page = Page((ROOT / "docs" / "tournament-files.md").read_text())
    for name in ("subs/a", "subs/b", "teams/anna/bot", "bots/greedy"):
        (tmp_path / name).mkdir(parents=True)
        text = f"bot: 1\nname: {name.replace('/', '-')}\ncommand: [python3, main.py]\n"
        (tmp_path / name / "bot.yaml").write_text(text)
    (tmp_path / "subs" / "readme.txt").write_text("no bot")
    (tmp_path / "cup.yaml").write_text("arena: 1\ngame: dragonheart\n" + page.block("glob"))
    found = [each.name for each in load_tournament(tmp_path / "cup.yaml").entrants]
    assert found == ["subs-a", "subs-b", "teams-anna-bot", "bots-greedy"]


def test_runs_md_has_every_field_of_a_game_and_of_its_record() -> None:
    page = Page((ROOT / "docs" / "runs.md").read_text())
    games, lines = page.tables("## What a run leaves behind", "### Fields")
    structs = (Stored, GameResult, GameSpec, RecordLocation)
    fields = {field for struct in structs for field in struct.__struct_fields__}
    assert {*re.findall(r"\w+", " ".join(f"{name} {said}" for name, said in games))} >= fields
    shown = {name: {*re.findall(r"\w+", said)} for name, said in lines}
    kinds = [
        record_schema()["$defs"][name] for name in ("Header", "Ply", "End", "Measured", "Seal")
    ]
    assert [*shown] == [kind["properties"]["line"]["enum"][0] for kind in kinds]
    for kind, words_of in zip(kinds, shown.values(), strict=True):
        assert words_of >= kind["properties"].keys() - {"line"}


def test_sections_of_pages_that_the_code_names_are_there() -> None:
    """In what is printed, in templates and in comments."""
    named = re.compile(r"((?:docs/[\w/-]+|protocol)\.md)#([\w-]+)")
    sources = [path for path in (ROOT / "arena").rglob("*") if path.suffix in SOURCES]
    assert sources
    for source in sources:
        for page, anchor in named.findall(source.read_text("utf-8")):
            titles = re.findall(r"^#+ (.*)$", (ROOT / page).read_text("utf-8"), re.M)
            anchors = {re.sub(r"[^\w -]", "", title).lower().replace(" ", "-") for title in titles}
            assert anchor in anchors, f"{source}: {page}#{anchor}"


def test_every_game_has_a_page_that_arena_rules_prints() -> None:
    assert GAME_PAGES.keys() == {*GAMES}, "docs/games/NAME.md, with a link to it in the package"
    for name, page in GAME_PAGES.items():
        assert GAMES[name].page() == page.text
        for below in ("## Rulings", "### Actions", "### Observation", "### Events", "## State"):
            assert page.part(below)


@pytest.mark.parametrize("name", GAMES)
def test_the_list_of_games_has_a_row_for_every_game(name: str) -> None:
    game = GAMES[name]
    begins = f"| **[{game.title}]({name}.md)**"
    rows = [row for row in GAMES_LIST.text.splitlines() if row.startswith(begins)]
    assert len(rows) == 1, f"docs/games/README.md: a row '{begins} | seats | options | cards |'"
    assert ", ".join(map(str, game.seats)) in rows[0]
    scored = {row[0] for row in GAMES_LIST.tables()[1]}
    assert name in scored, "the table of what scores count"
    assert {option.name for option in game.options} <= set(re.findall(r"`(\w+)[`:]", rows[0]))
