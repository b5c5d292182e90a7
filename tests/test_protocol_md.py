"""Everything that protocol.md shows is run: its bots, its messages, its faults, its commands."""

from __future__ import annotations

import gzip
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest

from arena.hosting.process import Launch, clean_environment
from arena.protocol import messages
from arena.referee.channel import Reply
from arena.referee.session import Session, handshake
from arena.results import FaultKind, Limits, TimeControl
from arena.rules.dragonheart.actions import Play, Take
from arena.rules.dragonheart.view import Board, Event, Observation
from arena.rules.luck import Luck, derive_key
from arena.tournament.manifest import load_bot
from arena.tournament.shapes import Manifest

from .matches import UNLIMITED, dragonheart, play, python_bot, seated

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "protocol.md").read_text("utf-8")
SAMPLE_DEALS = range(40)
"""The games whose messages the page shows."""


class Block(NamedTuple):
    """A fenced block: the first word after the fence, the rest of that line, the text."""

    language: str
    role: str
    text: str


BLOCKS = [Block(*found) for found in re.findall(r"^```(\w+) ?(.*)\n([^`]*)^```$", PAGE, re.M)]


def blocks(role: str) -> list[str]:
    return [block.text for block in BLOCKS if block.role == role]


def block(role: str) -> str:
    (text,) = blocks(role)
    return text


def one_line(example: str) -> bytes:
    """The example as it is sent."""
    return json.dumps(json.loads(example)).encode()


class Scripted:
    """A channel to a bot without a process: keeps all lines, answers by chance."""

    def __init__(self, name: str, *, is_faulty: bool = False) -> None:
        self.heard: list[dict[str, Any]] = []
        self._luck = Luck(derive_key("scripted", name))
        self._is_faulty = is_faulty

    def ask(self, question: bytes, deadline: int | None) -> Reply:
        self.tell(question)
        message = self.heard[-1]
        if message["type"] == "hello":
            return b'{"type":"ready","protocol":1}'
        index = self._luck.below("action", len(self.heard), len(message["legal"]))
        index = -1 if self._is_faulty else index
        return json.dumps({"type": "action", "id": message["id"], "action": index}).encode()

    def tell(self, line: bytes) -> None:
        self.heard.append(json.loads(line))

    def rest(self) -> bytes:
        return b""

    def exit_status(self) -> int | None:
        return None

    def stderr(self) -> str:
        return ""

    def dismiss(self, farewell: bytes) -> None:
        self.tell(farewell)

    def close(self, grace: float = 0.0) -> None:
        pass


@cache
def sent() -> list[dict[str, Any]]:
    """All that the referee sent in the sample games, as the page shows it."""
    control = TimeControl()
    first, second = Scripted("a"), Scripted("b")
    offender = Scripted("offender", is_faulty=True)
    players = {id(c): handshake(c, control, Limits()) for c in (first, second, offender)}
    rules = dragonheart()
    for deal in SAMPLE_DEALS:
        play(rules, [players[id(first)], players[id(second)]], deal, control)
    play(rules, [players[id(first)], players[id(offender)]], 0, control)
    for player in players.values():
        assert isinstance(player, Session)
        player.dismiss()
    return [as_shown(message) for message in first.heard + second.heard]


def as_shown(message: dict[str, Any]) -> dict[str, Any]:
    """With one id for all questions."""
    return message | ({"id": "3f2a9c417be05d68"} if "id" in message else {})


def tables(heading: str) -> list[list[list[str]]]:
    """The tables below a heading, each as the cells of its rows, without code marks."""
    section = re.split(r"^#", PAGE.split(f"\n{heading}\n", 1)[1], maxsplit=1, flags=re.M)[0]
    found = re.findall(r"(?:^\|.*\|\n)+", section, re.M)
    return [[cells(row) for row in table.splitlines()[2:]] for table in found]


def cells(row: str) -> list[str]:
    return [cell.strip().strip("`") for cell in row.strip("|").split(" | ")]


# --- examples ---------------------------------------------------------------------------


@pytest.mark.parametrize("example", blocks("to-bot"))
def test_what_a_bot_receives_was_sent_in_a_real_game(example: str) -> None:
    assert json.loads(example) in sent()


@pytest.mark.parametrize("example", blocks("from-bot"))
def test_what_a_bot_sends_is_understood(example: str) -> None:
    assert messages.decode(one_line(example))


@pytest.mark.parametrize("example", blocks("action"))
def test_actions_are_actions_of_the_rules(example: str) -> None:
    assert isinstance(dragonheart().decode_action(json.loads(example)), Play | Take)


@pytest.mark.parametrize("example", [f"[{event}]" for event in blocks("event")] + blocks("events"))
def test_events_were_seen_in_a_real_game_one_after_the_other(example: str) -> None:
    events = json.loads(example)
    seen = [message.get("events", []) for message in sent()]
    assert any(
        heard[start : start + len(events)] == events
        for heard in seen
        for start in range(len(heard))
    )


def test_every_type_of_message_has_an_example() -> None:
    examples = blocks("to-bot") + blocks("from-bot")
    shown = {json.loads(example)["type"] for example in examples}
    assert shown == {"hello", "ready", "start", "act", "action", "over", "bye"}


# --- tables -----------------------------------------------------------------------------


TO_BOT: dict[str, type[msgspec.Struct]] = {
    "### `hello`": messages.Hello,
    "### `start`": messages.Start,
    "### `act`": messages.Act,
    "### `over`": messages.Over,
    "### Observation": Observation,
    "### Events": Event,
}
FROM_BOT: dict[str, type[msgspec.Struct]] = {
    "### `ready`": messages.Ready,
    "### `action`": messages.Choice,
}


@pytest.mark.parametrize("heading", TO_BOT)
def test_every_field_for_a_bot_is_described_and_only_optional_ones_may_be_absent(
    heading: str,
) -> None:
    described = {field: absent.startswith("never") for field, _, _, absent in tables(heading)[0]}
    fields = msgspec.structs.fields(TO_BOT[heading])
    assert described == {field.encode_name: field.required for field in fields}


@pytest.mark.parametrize("heading", FROM_BOT)
def test_every_field_from_a_bot_is_described_and_required_ones_are_marked(heading: str) -> None:
    described = {field: absent.startswith("fault") for field, _, _, absent in tables(heading)[0]}
    fields = msgspec.structs.fields(FROM_BOT[heading])
    assert described == {field.encode_name: field.required for field in fields}


@pytest.mark.parametrize(
    ("heading", "defaults"), [("## 5. Time", TimeControl()), ("## 6. Limits", Limits())]
)
def test_clock_and_limits_have_the_defaults_described(
    heading: str, defaults: msgspec.Struct
) -> None:
    described = {field: json.loads(absent) for field, _, _, absent in tables(heading)[0]}
    assert described == msgspec.structs.asdict(defaults)


def test_every_space_is_described() -> None:
    assert [row[0] for row in tables("### Observation")[1]] == list(Board.__struct_fields__)


def test_the_environment_is_as_described() -> None:
    described = dict(tables("## 9. Surroundings of a bot")[0])
    environment = clean_environment({})
    assert set(described) == set(environment)
    fixed = {name: value for name, value in environment.items() if name != "PATH"}
    assert all(described[name].startswith(value) for name, value in fixed.items())


def test_the_limits_in_the_text_are_those_of_the_code() -> None:
    assert set(re.findall(r"(\d+) bytes", PAGE)) >= {str(messages.INFO_LIMIT)}
    assert re.findall(r"(\d+) levels", PAGE) == [str(messages.DEPTH_LIMIT)]


# --- bots -------------------------------------------------------------------------------


def node_bot(folder: Path) -> Launch:
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node on PATH")
    folder.mkdir()
    (folder / "main.js").write_text(block("main.js"), "utf-8")
    return Launch((node, "main.js"), str(folder))


def test_the_first_bot_plays_a_whole_game(tmp_path: Path) -> None:
    launch = python_bot(tmp_path / "mybot", block("main.py"))
    with seated([launch, launch]) as players:
        assert play(dragonheart(), players, deal=1).result.scores is not None


def test_the_first_bot_for_node_plays_the_same_game(tmp_path: Path) -> None:
    node = node_bot(tmp_path / "node")
    python = python_bot(tmp_path / "python", block("main.py"))
    with seated([node, node, python, python]) as players:
        games = [play(dragonheart(), pair, deal=1) for pair in (players[:2], players[2:])]
    assert games[0].result.scores is not None
    assert games[0].result.digest == games[1].result.digest


@pytest.mark.parametrize("role", ["bot.yaml", "manifest"])
def test_the_manifests_are_valid(tmp_path: Path, role: str) -> None:
    (tmp_path / "bot.yaml").write_text(block(role), "utf-8")
    assert load_bot(tmp_path).manifest.plays == {"dragonheart": (2,)}


def test_every_key_of_a_manifest_is_described() -> None:
    described = [key for key, _, _ in tables("## 10. The manifest")[0]]
    assert described == list(Manifest.__struct_fields__)


# --- faults -----------------------------------------------------------------------------

FAULTS = [(FaultKind(kind), code) for kind, _, code in tables("## 7. Faults")[0]]


def faulty_bot(kind: FaultKind, code: str) -> str:
    """The first bot with ``code`` in place of an answer."""
    answer = "ready" if kind is FaultKind.STARTUP else "action"
    source, replaced = re.subn(rf'send\(type="{answer}".*', lambda _: code, block("main.py"))
    assert replaced == 1
    return source


@pytest.mark.parametrize(("kind", "code"), FAULTS)
def test_faults_are_what_the_table_says(tmp_path: Path, kind: FaultKind, code: str) -> None:
    control = TimeControl(move=0.2, startup=60.0) if kind is FaultKind.TIMEOUT else UNLIMITED
    launches = [
        python_bot(tmp_path / "bad", faulty_bot(kind, code)),
        python_bot(tmp_path / "good", block("main.py")),
    ]
    with seated(launches) as players:
        result = play(dragonheart(starter="seat_0"), players, 1, control).result
    assert [(fault.seat, fault.kind) for fault in result.faults] == [(0, kind)]
    assert result.places == (2, 1)


def test_every_fault_has_an_example() -> None:
    assert {kind for kind, _ in FAULTS} == set(FaultKind)


# --- commands ---------------------------------------------------------------------------


@pytest.fixture
def workshop(tmp_path: Path) -> Path:
    """A folder with the first bot and the project's bots."""
    python_bot(tmp_path / "mybot", block("main.py"))
    (tmp_path / "mybot" / "bot.yaml").write_text(block("bot.yaml"), "utf-8")
    shutil.copytree(ROOT / "bots" / "random", tmp_path / "bots" / "random")
    return tmp_path


def run(words: Sequence[str], folder: Path) -> str:
    """Run a command with our Python first on PATH; its standard output."""
    python = os.path.dirname(sys.executable)
    env = os.environ | {"PATH": f"{python}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(words, cwd=folder, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_bot_can_be_asked_by_hand(workshop: Path) -> None:
    assert run(["sh", "-c", block("by-hand")], workshop / "mybot") == block("by-hand-output")


@pytest.mark.parametrize("command", "".join(blocks("try")).splitlines())
def test_the_commands_work(workshop: Path, command: str) -> None:
    arena, *words = shlex.split(command)
    assert arena == "arena"
    table = run([sys.executable, "-m", "arena", *words], workshop)
    assert "random" in table
    (records,) = workshop.glob("runs/*/records/*.gz")
    lines = [
        json.loads(line)["line"] for line in gzip.decompress(records.read_bytes()).splitlines()
    ]
    assert lines[0] == "header"
    assert lines.count("end") == lines.count("measured") == 2 * int(words[-1])


def test_a_shell_can_note_what_a_bot_hears(workshop: Path) -> None:
    (command,) = [line for line in "".join(blocks("try")).splitlines() if "tee" in line]
    run([sys.executable, "-m", "arena", *shlex.split(command)[1:]], workshop)
    heard = map(json.loads, (workshop / "heard.jsonl").read_text("utf-8").splitlines())
    assert [message["type"] for message in heard].count("over") == 2
