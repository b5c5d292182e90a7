"""Every command is listed, explained, and takes what all of them take; none is started for that."""

from __future__ import annotations

import io
import re
from collections import defaultdict
from contextlib import redirect_stdout
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from arena.cli import app, commands
from arena.cli.commands import run
from arena.cli.commands.run import RunOptions
from arena.values.bad_input import BadInput
from arena.values.problems import ConfigError

COMMANDS = {each.name: each.line for each in app.commands().values()}
WITHOUT_JSON = {"demo", "init", "rules", "schema", "play", "new-bot", "new-game", "try", "vectors"}
START_BOTS = {"demo", "run", "compare", "tune"}
START_BOTS |= {"play", "ladder", "doctor", "try", "check"}
ROOT = Path(__file__).parents[2]


@cache
def options(name: str) -> list[set[str]]:
    """Of a command, each with all its names."""
    return [{*param.opts} for param in app.load(name).params]


def printed(line: str) -> str:
    """What a call prints."""
    shown = io.StringIO()
    with redirect_stdout(shown):
        app.app(line.split(), prog_name="arena", standalone_mode=False)
    return shown.getvalue()


def test_every_module_of_a_command_is_listed() -> None:
    home = Path(commands.__path__[0])
    found = {f"{commands.__name__}.{path.stem}" for path in home.glob("[a-z]*.py")}
    assert found == {each.module for each in app.OWN}


def test_a_line_of_the_list_is_the_first_of_the_help() -> None:
    assert {name: app.load(name).help.splitlines()[0] for name in COMMANDS} == COMMANDS


def test_a_letter_means_the_same_everywhere() -> None:
    meant: dict[str, set[str]] = defaultdict(set)
    for name in COMMANDS:
        for words in options(name):
            letters = {word for word in words if len(word) == 2}
            for letter in letters:
                meant[letter] |= words - letters
    assert meant == {
        "-g": {"--game"},
        "-j": {"--workers"},
        "-n": {"--deals"},
        "-o": {"--output"},
        "-q": {"--quiet"},
        "-s": {"--seats"},
        "-v": {"--verbose"},
    }


def test_what_commands_take_alike() -> None:
    """A command without JSON, or one that starts bots, is listed above."""
    for name in COMMANDS:
        words = set().union(*options(name))
        assert {"--color", "--debug", "--quiet", "-q", "--verbose", "-v"} <= words, name
        has_json = ("--json" in words, "--format" in words)
        assert has_json == (name not in WITHOUT_JSON,) * 2, name
        assert ("--isolation" in words) == (name in START_BOTS), name


@pytest.mark.extensions
def test_an_option_has_the_same_kind_of_value_everywhere() -> None:
    found: dict[str, set[str]] = defaultdict(set)
    for name in COMMANDS:
        for param in app.load(name).params:
            if param.param_type_name == "option" and not param.hidden:
                found[max(param.opts, key=len)].add("" if param.is_flag else param.metavar)
    assert {flag: kinds for flag, kinds in found.items() if len(kinds) > 1} == {
        "--against": {"BOT", "NAME"},
        "--format": {*("txt|json", "txt|md|csv|json", "txt|md|csv|json|trf", "parquet|jsonl|csv")},
        "--game": {"GAME", "GAME[:SEATS]"},
        "--games": {"all|none|faults|N", "N"},
        "--output": {"FILE", "FOLDER", "PATH"},
    }


def test_no_help_is_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for name in COMMANDS:
        lines = printed(f"{name} --help").splitlines()
        assert len(lines) <= 60, name
        assert max(len(line) for line in lines if not line.startswith("  arena ")) < 80, name


@pytest.mark.extensions("studies")
@pytest.mark.parametrize(
    "line", ["-q compare {}", "compare {} -q", "--quiet --color never compare {}"]
)
def test_common_options_stand_before_a_command_or_after_it(line: str) -> None:
    shown = "--pairs 1,2,3,2,1 --elo0 0 --elo1 2"
    assert len(printed(f"compare {shown}").splitlines()) > 1
    assert len(printed(line.format(shown)).splitlines()) == 1


@pytest.mark.parametrize("line", ["--debug verify x", "verify x --debug"])
def test_debug_shows_a_bug(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("arena.cli.commands.verify._runs_of", broken)
    with pytest.raises(ZeroDivisionError):
        printed(line)


def test_help_is_a_command_too() -> None:
    assert printed("help verify") == printed("-q help verify") == printed("verify --help")
    assert printed("help") == printed("--help")


def test_every_command_is_explained_somewhere() -> None:
    """Goldens have its help, too: ``python -m tests.goldens tools`` writes it."""
    pages = [ROOT / "README.md", ROOT / "protocol.md", *(ROOT / "docs").rglob("*.md")]
    texts = [page.read_text("utf-8") for page in pages]
    for name in COMMANDS:
        shown = re.compile(rf"\barena {name}\b")
        assert any(shown.search(text) for text in texts), f"no page has arena {name}"
        found = (ROOT / "tests/goldens/expected/tools/help").glob(f"*/{name}.txt")
        assert len([*found]) == 1, name


@pytest.mark.parametrize(
    ("game", "seats", "found"),
    [
        ("dragonkrak", None, ("dragonkrak", None)),
        ("dragonkrak:3", None, ("dragonkrak", 3)),
        ("dragonkrak", 4, ("dragonkrak", 4)),
        ("dragonkrak:3", 4, "--seats: found 4, expected none with -g dragonkrak:3"),
        ("dragonkrak:x", None, '-g dragonkrak:x: found "dragonkrak:x", expected GAME or GAME:SEAT'),
    ],
)
def test_run_takes_the_seats_with_the_game(game: str, seats: int | None, found: Any) -> None:
    options = RunOptions(targets=("bots/random",), game=game, seats=seats)
    if isinstance(found, tuple):
        source, _ = run._source(options)
        assert (source.game, source.seats) == found
    else:
        with pytest.raises((BadInput, ConfigError), match=re.escape(found)):
            run._source(options)
