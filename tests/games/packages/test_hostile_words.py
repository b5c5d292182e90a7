"""What a package, its games and its bots say reaches no terminal and no page as more than text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from arena.values import clean
from tests.cli.shell import bot
from tests.extensions.authors.test_new_package import BOTS, Home, made

pytestmark = [pytest.mark.slow, pytest.mark.process]

HOSTILE = "\x1b[2J\x1b]0;t\x07\x9b1m\u202e\u2066\u200b\x08\x7f\r"
RULES = f"""

H = {HOSTILE!r}


def observe(self, state, seat, right=GameRules.observe):
    return msgspec.structs.replace(right(self, state, seat), note=H)


def describe(self, before, action, after, right=GameRules.describe):
    seen = right(self, before, action, after)
    return [msgspec.structs.replace(each, note=H) for each in seen]


class Said(Observation, frozen=True):
    note: str = ""


class Told(Event, frozen=True):
    note: str = ""


def outcome(self, state, right=GameRules.outcome):
    found = right(self, state)
    return found and found._replace(ruling="R" + H)


GameRules.observe, GameRules.describe, GameRules.outcome = observe, describe, outcome
OPTIONS = (Option("target", (), 30, "points", least=10, most=100),)
Observation, Event = Said, Told
"""
BOARD = f"""

H = {HOSTILE!r}
BOARD = BoardDisplay(
    lambda event, table: sentence(event, table) + H,
    scores,
    lambda seen, table: [line + H for line in lines(seen, table)],
    lambda seen, table: [line + H for line in compact(seen, table)],
    lambda action, seen, table: choice(action, seen, table) + H,
    aim="aim" + H,
    terms=(("term" + H, "meaning" + H),),
    hint=lambda action, seen, data: "hint" + H,
)
"""
BOT = f"""
import json, sys
H = {HOSTILE!r}
for line in sys.stdin:
    asked = json.loads(line)
    sys.stderr.write(H + chr(10))
    sys.stderr.flush()
    if asked["type"] == "hello":
        print(json.dumps({{"type": "ready", "protocol": 1}}), flush=True)
    if asked["type"] == "act":
        if asked["observation"]["scores"][asked["observation"]["player"]] > 9:
            print(H, flush=True)
        said = {{H: H, "eval": 1, "say": H}}
        chosen = len(asked["legal"]) - 1
        print(json.dumps({{"type": "action", "id": asked["id"], "action": chosen, "info": said}}))
        sys.stdout.flush()
"""
COMMANDS = (
    ("standings", "run", "--full"),
    ("standings", "run", "--format", "md"),
    ("standings", "run", "--format", "csv"),
    ("games", "run"),
    ("games", "run", "--format", "csv"),
    ("replay", "run", "1"),
    ("replay", "run", "1", "--json"),
    ("replay", "run", "1", "--html", "-o", "made/replay.html"),
    ("report", "run", "-o", "made/report.html"),
    ("site", "run", "made/site"),
    ("verify", "run"),
    ("rules", "pig"),
    ("rules", "pig", "--ruling", "R-01"),
    ("schema", "pig"),
    ("vectors", "pig"),
    ("check-game", "pig", "--count", "2"),
    ("try", "loud", "-g", "pig"),
    ("try", "loud", "--from", "run#1"),
    ("standings", "results.jsonl"),
    ("standings", "results.jsonl", "--format", "md"),
    ("standings", "results.jsonl", "--format", "csv"),
    ("standings", "wrong.jsonl"),
)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    home = made(tmp_path_factory)
    package = home.package / "pig_game"
    for name, more in (("rules.py", RULES), ("board.py", BOARD), ("rules.md", f"\n{HOSTILE}\n")):
        path = package / name
        path.write_text(path.read_text() + more)
    page = package / "rules.md"
    page.write_text(page.read_text().replace("| After 200", f"| {HOSTILE}After 200"))
    bot(home.folder, "loud", BOT)
    names = [f"a{HOSTILE}", "b"]
    line = msgspec.json.encode({"seats": names, "places": [1, 2], "info": HOSTILE})
    (home.folder / "results.jsonl").write_bytes(line + b"\n")
    wrong = msgspec.json.encode({"seats": names, HOSTILE: HOSTILE})
    (home.folder / "wrong.jsonl").write_bytes(wrong + b"\n")
    (home.folder / "made").mkdir()
    done = home.arena(
        "run", "-g", "pig", "loud", BOTS[0], "-n", "2", "-o", "run", "--log-wire", "all"
    )
    assert done.code == 0, done.err
    assert unsafe(done.out + done.err) == set()
    return home


def unsafe(text: str) -> set[str]:
    return {c for c in text if unicodedata.category(c) in clean.UNSAFE} - {"\n", "\t"}


def written(folder: Path) -> Iterator[Path]:
    for ending in ("html", "md", "csv", "txt", "xml"):
        yield from folder.rglob(f"*.{ending}")


@pytest.mark.parametrize("command", COMMANDS, ids=lambda each: "-".join(each[:4]))
def test_no_command_lets_them_through(command: tuple[str, ...], home: Home) -> None:
    done = home.arena(*command)
    assert done.code in (0, 1, 2), done.err
    assert unsafe(done.out + done.err) == set()
    for path in (*written(home.folder / "made"), *written(home.folder / "run")):
        assert unsafe(path.read_text("utf-8")) == set(), path


@pytest.mark.parametrize("command", [COMMANDS[0], ("replay", "run", "1"), ("rules", "pig")])
def test_of_escapes_only_our_attributes_remain_in_colour(
    command: tuple[str, ...], home: Home
) -> None:
    done = home.arena(*command, "--color", "always")
    assert unsafe(re.sub(r"\x1b\[[0-9;]*m", "", done.out + done.err)) == set()
