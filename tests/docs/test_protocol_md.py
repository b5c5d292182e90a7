"""Everything that protocol.md shows is run: its bot, its messages, its faults, its commands."""

from __future__ import annotations

import gzip
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import get_args

import msgspec
import pytest
from msgspec import UNSET

from arena.entrants.manifest import BotManifest, load_bot
from arena.games.registry import GAMES, make_rules, rules_spec
from arena.hosting.sandbox.confine import clean_environment
from arena.hosting.sandbox.isolation import Level
from arena.hosting.workspace.cells import Cell
from arena.hosting.workspace.learning import READ, WRITE
from arena.referee import protocol as messages
from arena.values.results import FaultKind, Limits, TimeControl
from tests.docs.protocol_page import (
    GAME_PAGES,
    GAMES_LIST,
    MESSAGES,
    PROTOCOL,
    Described,
    cells,
    fields,
    heading,
    struct_name,
)
from tests.matches import UNLIMITED, play, python_bot, seated
from tests.matches import dragonheart as dragonheart_rules
from tests.sample_games import sent

pytestmark = [pytest.mark.slow, pytest.mark.process]

ROOT = Path(__file__).parents[2]


def one_line(example: str) -> bytes:
    """The example as it is sent."""
    return json.dumps(json.loads(example)).encode()


# --- examples ---------------------------------------------------------------------------


@pytest.mark.parametrize("example", PROTOCOL.blocks("to-bot"))
def test_what_a_bot_receives_was_sent_in_a_real_game(example: str) -> None:
    shown = json.loads(example)
    if not any(shown in sent(game) for game in GAME_PAGES):
        messages_sent = (each for game in GAME_PAGES for each in sent(game))  # too large for a list
        alike = (each for each in messages_sent if each["type"] == shown["type"])
        likest = max(alike, key=lambda each: len(shown.items() & each.items()), default=None)
        pytest.fail(
            f"never sent in the games of tests/sample_games.py: {example}\n"
            f"show one that was, such as {json.dumps(likest)}",
            pytrace=False,
        )


@pytest.mark.parametrize("example", PROTOCOL.blocks("from-bot"))
def test_what_a_bot_sends_is_understood(example: str) -> None:
    assert messages.decode(one_line(example))


# --- tables -----------------------------------------------------------------------------


def described_messages(union: object) -> list[Described]:
    """Those with fields."""
    found = [each for each in get_args(union) if fields(each)]
    return [Described(PROTOCOL, (MESSAGES, heading(each)), each) for each in found]


@pytest.mark.parametrize("described", described_messages(messages.ToBot), ids=struct_name)
def test_every_field_for_a_bot_is_described_and_only_optional_ones_may_be_absent(described) -> None:
    assert described.said("never") == described.required()


@pytest.mark.parametrize("described", described_messages(messages.FromBot), ids=struct_name)
def test_every_field_from_a_bot_is_described_and_required_ones_are_marked(described) -> None:
    assert described.said("fault") == described.required()


def test_scores_are_what_the_table_says() -> None:
    described = {
        (game, int(seats)): (score, better == "fewer")
        for game, sizes, score, better in GAMES_LIST.tables()[1]
        for seats in sizes.split(", ")
    }
    infos = [
        make_rules(rules_spec(name, seats)).info
        for name, family in GAMES.items()
        for seats in family.seats
    ]
    assert described == {(i.name, i.seats): (i.score, i.less_is_better) for i in infos}


@pytest.mark.parametrize(
    ("heading", "defaults"), [("## Time", TimeControl()), ("## Limits", Limits())]
)
def test_clock_and_limits_have_the_defaults_described(heading, defaults) -> None:
    described = {
        field: UNSET if absent == "absent" else json.loads(absent)
        for field, _, _, absent in PROTOCOL.tables(heading)[0]
    }
    assert described == msgspec.structs.asdict(defaults)


def test_the_environment_is_as_described() -> None:
    described = dict(PROTOCOL.tables("## Surroundings")[1])
    cell = Cell("/bot", place=Path("/workspace/cells/1"), scratch="/workspace/cells/1/scratch")
    assert set(described) == {*clean_environment(cell.env), READ, WRITE}
    fixed = {name: value for name, value in clean_environment({}).items() if "PATH" not in name}
    assert all(described[name].lstrip("`").startswith(value) for name, value in fixed.items())


def test_every_level_of_isolation_is_described() -> None:
    heading = PROTOCOL.part("## Surroundings").split("\n\n| |")[1].splitlines()[0]
    assert cells(heading) == [level.value for level in Level]


def test_the_limits_in_the_text_are_those_of_the_code() -> None:
    assert set(re.findall(r"(\d+) bytes", PROTOCOL.text)) >= {str(messages.INFO_LIMIT)}
    assert re.findall(r"(\d+) levels", PROTOCOL.text) == [str(messages.DEPTH_LIMIT)]


# --- bots -------------------------------------------------------------------------------


def test_the_first_bot_plays_a_whole_game(tmp_path: Path) -> None:
    launch = python_bot(tmp_path / "mybot", PROTOCOL.block("main.py"))
    with seated([launch, launch]) as players:
        assert play(dragonheart_rules(), players, deal=1).result.scores is not None


@pytest.mark.slow
@pytest.mark.parametrize(("game", "seats"), [("dragonkrak", 1), ("dragonrealm", 4)])
def test_the_first_bot_plays_every_game(tmp_path: Path, game: str, seats: int) -> None:
    launch = python_bot(tmp_path / "mybot", PROTOCOL.block("main.py"))
    with seated([launch] * seats) as players:
        result = play(make_rules(rules_spec(game, seats)), players, deal=1).result
    assert result.scores is not None
    assert not result.faults


@pytest.mark.parametrize(
    ("role", "plays"),
    [("bot.yaml", None), ("manifest", {"dragonheart": (2,), "dragonkrak": (1, 2, 3, 4)})],
)
def test_the_manifests_are_valid(tmp_path, role, plays) -> None:
    (tmp_path / "bot.yaml").write_text(PROTOCOL.block(role), "utf-8")
    assert load_bot(tmp_path).manifest.plays == plays


def test_every_key_of_a_manifest_is_described() -> None:
    described = [key for key, _, _ in PROTOCOL.tables("## Manifest")[0]]
    assert described == list(BotManifest.__struct_fields__)


# --- faults -----------------------------------------------------------------------------

FAULTS = [(FaultKind(kind), code) for kind, _, code in PROTOCOL.tables("## Faults")[0]]


def faulty_bot(kind: FaultKind, code: str) -> str:
    """The first bot with ``code`` in place of an answer."""
    answer = "ready" if kind is FaultKind.STARTUP else "action"
    if code.startswith("action="):
        code = f'send(type="action", id=message["id"], {code})'
    source, replaced = re.subn(
        rf'send\(type="{answer}".*', lambda _: code, PROTOCOL.block("main.py")
    )
    assert replaced == 1
    return source


@pytest.mark.parametrize(("kind", "code"), FAULTS)
def test_faults_are_what_the_table_says(tmp_path: Path, kind: FaultKind, code: str) -> None:
    control = TimeControl(move=0.2, startup=60.0) if kind is FaultKind.TIMEOUT else UNLIMITED
    bad = python_bot(tmp_path / "bad", faulty_bot(kind, code))
    if kind is FaultKind.LIMIT:
        bad = msgspec.structs.replace(bad, level=Level.LIMITS, limits=Limits(cpu=1.0))
    with seated([bad, python_bot(tmp_path / "good", PROTOCOL.block("main.py"))]) as players:
        result = play(dragonheart_rules(starter="seat_0"), players, 1, control).result
    assert [(fault.seat, fault.kind) for fault in result.faults] == [(0, kind)]
    assert result.places == (2, 1)


def test_every_fault_has_an_example() -> None:
    assert {kind for kind, _ in FAULTS} == set(FaultKind)


# --- commands ---------------------------------------------------------------------------


@pytest.fixture
def workshop() -> Iterator[Path]:
    """A folder with the first bot and the project's bots, which bots may use.

    Where arena runs as root its bots are other users, who cannot enter ``tmp_path``.
    """
    with tempfile.TemporaryDirectory(prefix="workshop-") as name:
        folder = Path(name)
        folder.chmod(0o777)
        python_bot(folder / "mybot", PROTOCOL.block("main.py"))
        (folder / "mybot" / "bot.yaml").write_text(PROTOCOL.block("bot.yaml"), "utf-8")
        for bot in ("random", "greedy"):
            shutil.copytree(ROOT / "bots" / bot, folder / "bots" / bot)
        yield folder


def run(command: Sequence[str], folder: Path) -> str:
    """Run a command with our Python first on PATH; its standard output."""
    python = os.path.dirname(sys.executable)
    env = os.environ | {"PATH": f"{python}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_bot_can_be_asked_by_hand(workshop: Path) -> None:
    assert run(["sh", "-c", PROTOCOL.block("by-hand")], workshop / "mybot") == PROTOCOL.block(
        "by-hand-output"
    )


@pytest.mark.slow
@pytest.mark.parametrize("command", "".join(PROTOCOL.blocks("try")).splitlines())
def test_the_commands_work(workshop: Path, command: str) -> None:
    arena, *arguments = shlex.split(command)
    assert arena == "arena"
    table = run([sys.executable, "-m", "arena", *arguments], workshop)
    assert "random" in table
    (records,) = workshop.glob("runs/*/records/*.gz")
    lines = [
        json.loads(line)["line"] for line in gzip.decompress(records.read_bytes()).splitlines()
    ]
    assert lines[0] == "header"
    seatings = int(arguments[arguments.index("-s") + 1]) if "-s" in arguments else 2
    entrants = 2
    games = (entrants if seatings == 1 else seatings) * int(arguments[-1])
    assert lines.count("end") == lines.count("measured") == games
