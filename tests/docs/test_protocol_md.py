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
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, get_args

import msgspec
import pytest

from arena.entrants.keys import Manifest
from arena.entrants.manifest import load_bot
from arena.games.dragonheart import rules as dragonheart
from arena.games.dragonheart.rules.view import Board as Spaces
from arena.games.dragonkrak import rules as dragonkrak
from arena.games.dragonkrak.rules.cards import COLOURS, SPACES, TOKENS
from arena.games.dragonkrak.rules.view import Board as Piles
from arena.games.dragonkrak.rules.view import PileView
from arena.games.dragonrealm import rules as dragonrealm
from arena.games.dragonrealm.rules.cards import EVENT_CARDS, WAYS
from arena.games.dragonrealm.rules.data import EFFECTS, SPECIALS
from arena.games.dragonrealm.rules.incidents import Incident
from arena.games.dragonrealm.rules.view import AttemptView, EnhancementView, LocationView, SideView
from arena.games.registry import GAMES, make_rules, rules_spec
from arena.hosting.sandbox.confine import clean_environment
from arena.hosting.sandbox.isolation import Launch, Level
from arena.hosting.workspace.cells import Cell
from arena.protocol import messages
from arena.results import FaultKind, Limits, TimeControl
from tests.docs.protocol_page import (
    MESSAGES,
    PAGE,
    SECTIONS,
    block,
    blocks,
    cells,
    fields,
    heading,
    part,
    tables,
    words,
)
from tests.matches import UNLIMITED, play, python_bot, seated
from tests.matches import dragonheart as dragonheart_rules
from tests.sample_games import Message, sent

pytestmark = [pytest.mark.slow, pytest.mark.process]

ROOT = Path(__file__).parents[2]
HEART, KRAK, REALM = (SECTIONS[name] for name in ("dragonheart", "dragonkrak", "dragonrealm"))


def one_line(example: str) -> bytes:
    """The example as it is sent."""
    return json.dumps(json.loads(example)).encode()


def asked(game: str) -> Iterator[Message]:
    """All questions of the sample games."""
    return (message for message in sent(game) if message["type"] == "act")


def in_sections(role: str) -> list[tuple[str, str]]:
    """Each example of the role in the section of a game, after the name of that game."""
    return [
        (game, example)
        for game, heading in SECTIONS.items()
        for example in blocks(role, part(heading))
    ]


# --- examples ---------------------------------------------------------------------------


@pytest.mark.parametrize("example", blocks("to-bot"))
def test_what_a_bot_receives_was_sent_in_a_real_game(example: str) -> None:
    shown = json.loads(example)
    if not any(shown in sent(game) for game in SECTIONS):
        messages_sent = (each for game in SECTIONS for each in sent(game))  # too large for a list
        alike = (each for each in messages_sent if each["type"] == shown["type"])
        likest = max(alike, key=lambda each: len(shown.items() & each.items()), default=None)
        pytest.fail(
            f"never sent in the games of tests/sample_games.py: {example}\n"
            f"show one that was, such as {json.dumps(likest)}",
            pytrace=False,
        )


@pytest.mark.parametrize("example", blocks("from-bot"))
def test_what_a_bot_sends_is_understood(example: str) -> None:
    assert messages.decode(one_line(example))


TABLED = ("dragonkrak", "dragonrealm")
"""Games whose actions stand in a table, with the phases in which they are possible."""


def actions() -> list[tuple[str, str]]:
    """Each action that is shown in a block or in a table, after the name of its game."""
    return [
        *in_sections("action"),
        *((game, row[1]) for game in TABLED for row in tables(SECTIONS[game], "### Actions")[0]),
    ]


@pytest.mark.parametrize(("game", "example"), actions())
def test_actions_are_those_of_the_rules_and_were_legal_in_a_real_game(
    game: str, example: str
) -> None:
    action = json.loads(example)
    decoded = make_rules(rules_spec(game)).decode_action(action)
    assert isinstance(decoded, GAMES[game].action_types)
    assert any(action in message["legal"] for message in asked(game))


@pytest.mark.parametrize("game", SECTIONS)
def test_every_action_that_was_legal_in_a_real_game_has_an_example(game: str) -> None:
    shown = {json.loads(example)["type"] for name, example in actions() if name == game}
    assert shown == {action["type"] for message in asked(game) for action in message["legal"]}


@pytest.mark.parametrize("game", TABLED)
def test_actions_are_possible_in_the_phases_described(game: str) -> None:
    described = {
        (json.loads(action)["type"], phase)
        for phases, action, _ in tables(SECTIONS[game], "### Actions")[0]
        for phase in words(phases)
    }
    assert described == {
        (action["type"], message["observation"]["phase"])
        for message in asked(game)
        for action in message["legal"]
    }


@pytest.mark.parametrize(("game", "example"), in_sections("observation"))
def test_observations_were_sent_in_a_real_game(game: str, example: str) -> None:
    observation = json.loads(example)
    assert any(message["observation"] == observation for message in asked(game))


@pytest.mark.parametrize(
    ("game", "example"),
    [(game, f"[{event}]") for game, event in in_sections("event")] + in_sections("events"),
)
def test_events_were_seen_in_a_real_game_one_after_the_other(game: str, example: str) -> None:
    events = json.loads(example)
    assert any(
        heard[start : start + len(events)] == events
        for heard in (message["events"] for message in asked(game))
        for start in range(len(heard))
    )


# --- tables -----------------------------------------------------------------------------


class Described(NamedTuple):
    """A table of fields: where it stands, counted from 0 below its heading, and of what."""

    headings: tuple[str, ...]
    struct: type[msgspec.Struct]
    number: int = 0

    def rows(self) -> list[list[str]]:
        return tables(*self.headings)[self.number]


def described_messages(union: object) -> list[Described]:
    """Those with fields."""
    found = get_args(union)
    return [Described((MESSAGES, heading(each)), each) for each in found if fields(each)]


TO_BOT = (
    *described_messages(messages.ToBot),
    Described((HEART, "### Observation"), dragonheart.Observation),
    Described((HEART, "### Events"), dragonheart.Event),
    Described((KRAK, "### Observation"), dragonkrak.Observation),
    Described((KRAK, "### Observation"), PileView, 1),
    Described((KRAK, "### Events"), dragonkrak.Event),
    Described((REALM, "### Observation"), dragonrealm.Observation),
    Described((REALM, "### Observation"), LocationView, 1),
    Described((REALM, "### Observation"), SideView, 2),
    Described((REALM, "### Observation"), EnhancementView, 3),
    Described((REALM, "### Observation"), AttemptView, 4),
    Described((REALM, "### Events"), dragonrealm.Event),
)
FROM_BOT = described_messages(messages.FromBot)


def struct_name(value: object) -> str:
    struct = value.struct if isinstance(value, Described) else value
    assert isinstance(struct, type)
    return f"{struct.__module__.split('.')[-2]}.{struct.__name__}"


@pytest.mark.parametrize("described", TO_BOT, ids=struct_name)
def test_every_field_for_a_bot_is_described_and_only_optional_ones_may_be_absent(
    described: Described,
) -> None:
    rows = {field: absent.startswith("never") for field, _, _, absent in described.rows()}
    fields = msgspec.structs.fields(described.struct)
    assert rows == {field.encode_name: field.required for field in fields}


@pytest.mark.parametrize("described", FROM_BOT, ids=struct_name)
def test_every_field_from_a_bot_is_described_and_required_ones_are_marked(
    described: Described,
) -> None:
    rows = {field: absent.startswith("fault") for field, _, _, absent in described.rows()}
    fields = msgspec.structs.fields(described.struct)
    assert rows == {field.encode_name: field.required for field in fields}


def test_everything_that_can_stand_in_then_is_described() -> None:
    described = {
        kind: (words(fields), {field for field in words(absent) if absent != "never"})
        for kind, fields, _, absent in tables(REALM, "### Events")[1]
    }
    assert described == {
        struct.__struct_config__.tag: (
            {field.name for field in fields},
            {field.name for field in fields if not field.required},
        )
        for struct in get_args(Incident)
        for fields in [msgspec.structs.fields(struct)]
    }


@pytest.mark.parametrize("game", SECTIONS)
def test_every_type_of_event_is_described(game: str) -> None:
    (struct,) = GAMES[game].event_types
    (field,) = [field for field in msgspec.structs.fields(struct) if field.name == "type"]
    (row,) = [row for row in tables(SECTIONS[game], "### Events")[0] if row[0] == "type"]
    assert words(row[2]) == set(get_args(field.type))


@pytest.mark.parametrize("game", SECTIONS)
def test_every_phase_in_which_a_bot_is_asked_is_described(game: str) -> None:
    (row,) = [row for row in tables(SECTIONS[game], "### Observation")[0] if row[0] == "phase"]
    assert words(row[2]) == {message["observation"]["phase"] for message in asked(game)}


@pytest.mark.parametrize("game", SECTIONS)
def test_fields_that_a_bot_never_sees_are_marked(game: str) -> None:
    seen = {field for message in asked(game) for field in message["observation"]}
    rows = tables(SECTIONS[game], "### Observation")[0]
    never_sent = {field for field, _, _, absent in rows if absent.endswith("when you are asked")}
    assert {field for field, *_ in rows} - seen == never_sent


def test_scores_are_what_the_table_says() -> None:
    described = {
        (game, int(seats)): (score, better == "fewer")
        for game, sizes, score, better in tables(MESSAGES, "### `over`")[1]
        for seats in sizes.split(", ")
    }
    infos = [
        make_rules(rules_spec(name, seats)).info
        for name, family in GAMES.items()
        for seats in family.seats
    ]
    assert described == {(i.name, i.seats): (i.score, i.less_is_better) for i in infos}


@pytest.mark.parametrize(
    ("heading", "defaults"), [("## 5. Time", TimeControl()), ("## 6. Limits", Limits())]
)
def test_clock_and_limits_have_the_defaults_described(
    heading: str, defaults: msgspec.Struct
) -> None:
    described = {field: json.loads(absent) for field, _, _, absent in tables(heading)[0]}
    assert described == msgspec.structs.asdict(defaults)


def test_every_space_is_described() -> None:
    assert [row[0] for row in tables(HEART, "### Observation")[1]] == list(Spaces.__struct_fields__)


@pytest.mark.parametrize(
    ("heading", "names"),
    [
        (KRAK, {*COLOURS, *SPACES, *TOKENS}),
        (KRAK, {field.encode_name for field in msgspec.structs.fields(Piles)}),
        (REALM, {*WAYS, *SPECIALS, *EVENT_CARDS}),
        (REALM, {*EFFECTS, *(key for sets in EFFECTS.values() for keys in sets for key in keys)}),
    ],
    ids=["dragonkrak", "dragonkrak board", "dragonrealm", "dragonrealm effects"],
)
def test_names_that_the_rules_use_are_in_their_section(heading: str, names: set[str]) -> None:
    text = re.sub(r"^```.*?^```$", "", part(heading), flags=re.M | re.S)
    assert names <= set(re.findall(r"`([\w:]+)`", text))


def test_every_word_of_an_agenda_is_described() -> None:
    phases, agendas = set(), set()
    for message in asked("dragonrealm"):
        phases.add(message["observation"]["phase"])
        agendas.update(message["observation"]["agenda"])
    tasks = agendas - phases
    described = " ".join(row[0] for row in tables(REALM, "### Observation")[5])
    assert {task.partition(":")[0] for task in tasks} <= set(re.findall(r"[a-z]+", described))


def test_the_environment_is_as_described() -> None:
    described = dict(tables("## 9. Surroundings of a bot")[0])
    cell = Cell("/bot", place=Path("/workspace/cells/1"), scratch="/workspace/cells/1/scratch")
    assert set(described) == {*clean_environment(cell.env)}
    fixed = {name: value for name, value in clean_environment({}).items() if "PATH" not in name}
    assert all(described[name].lstrip("`").startswith(value) for name, value in fixed.items())


def test_every_level_of_isolation_is_described() -> None:
    heading = part("## 9. Surroundings of a bot").split("\n\n| |")[1].splitlines()[0]
    assert cells(heading) == [level.value for level in Level]


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
        assert play(dragonheart_rules(), players, deal=1).result.scores is not None


def test_the_first_bot_for_node_plays_the_same_game(tmp_path: Path) -> None:
    node = node_bot(tmp_path / "node")
    python = python_bot(tmp_path / "python", block("main.py"))
    with seated([node, node, python, python]) as players:
        games = [play(dragonheart_rules(), pair, deal=1) for pair in (players[:2], players[2:])]
    assert games[0].result.scores is not None
    assert games[0].result.digest == games[1].result.digest


@pytest.mark.slow
@pytest.mark.parametrize(("game", "seats"), [("dragonkrak", 1), ("dragonrealm", 4)])
def test_the_first_bot_plays_every_game(tmp_path: Path, game: str, seats: int) -> None:
    launch = python_bot(tmp_path / "mybot", block("main.py"))
    with seated([launch] * seats) as players:
        result = play(make_rules(rules_spec(game, seats)), players, deal=1).result
    assert result.scores is not None
    assert not result.faults


@pytest.mark.parametrize(
    ("role", "plays"),
    [("bot.yaml", None), ("manifest", {"dragonheart": (2,), "dragonkrak": (1, 2, 3, 4)})],
)
def test_the_manifests_are_valid(
    tmp_path: Path, role: str, plays: dict[str, tuple[int, ...]] | None
) -> None:
    (tmp_path / "bot.yaml").write_text(block(role), "utf-8")
    assert load_bot(tmp_path).manifest.plays == plays


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
    bad = python_bot(tmp_path / "bad", faulty_bot(kind, code))
    if kind is FaultKind.LIMIT:
        bad = msgspec.structs.replace(bad, level=Level.LIMITS, limits=Limits(cpu=1.0))
    with seated([bad, python_bot(tmp_path / "good", block("main.py"))]) as players:
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
        python_bot(folder / "mybot", block("main.py"))
        (folder / "mybot" / "bot.yaml").write_text(block("bot.yaml"), "utf-8")
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
    assert run(["sh", "-c", block("by-hand")], workshop / "mybot") == block("by-hand-output")


@pytest.mark.slow
@pytest.mark.parametrize("command", "".join(blocks("try")).splitlines())
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


def test_a_shell_can_note_what_a_bot_hears(workshop: Path) -> None:
    (command,) = [line for line in "".join(blocks("try")).splitlines() if "tee" in line]
    (workshop / "heard.jsonl").touch()
    (workshop / "heard.jsonl").chmod(0o666)  # bots of root are several users
    run([sys.executable, "-m", "arena", *shlex.split(command)[1:]], workshop)
    heard = map(json.loads, (workshop / "heard.jsonl").read_text("utf-8").splitlines())
    assert [message["type"] for message in heard].count("over") == 2
