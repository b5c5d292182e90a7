"""``arena reask``: the same questions again, byte for byte, and what is told of the answers."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from arena.cli.commands.write.reask import ReaskOptions, reask_bot
from arena.documents.bad_input import BadInput
from arena.documents.problems import ConfigError
from arena.records.read import parse, unpack
from arena.results import GameSpec
from arena.runs.disk import StoreError
from arena.runs.reader import StoredRun
from arena.runs.store import read_record
from arena.tournament.executor import PoolError
from tests.cli.shell import BOT, arena, bot, command, environment, exit_code, wait_until

BOTS: Final = Path(__file__).parents[2] / "bots"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.process,
    pytest.mark.usefixtures("spared", "leaves_nothing"),
]

HEARING = """
import json, os, random, sys
rng = random.Random()
heard = open(os.path.join(sys.argv[1], str(os.getpid())), "w")
for line in sys.stdin:
    heard.write(line)
    heard.flush()
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "ready", "protocol": 1}), flush=True)
    elif message["type"] == "start":
        rng.seed(message["seed"])
    elif message["type"] == "act":
        action = rng.randrange(len(message["legal"]))
        print(json.dumps({"type": "action", "id": message["id"], "action": action}), flush=True)
"""
"""As the random bot, but keeps all that it reads in the folder that is its argument."""

ANSWER: Final = 'action = rng.randrange(len(message["legal"]))'


def acting(lines: str) -> str:
    """The random bot, which numbers the questions of a game from 1; with lines of its own before
    it answers."""
    body = "".join(f"        {line}\n" for line in ["asked += 1", ANSWER, *lines.splitlines()])
    source = BOT.replace(f"        {ANSWER}\n", body)
    source = source.replace('rng.seed(message["seed"])', 'rng.seed(message["seed"]); asked = 0')
    return source.replace("import json, random, sys", "import json, os, random, sys, time")


LATE = acting('if asked >= 3: action = (action + 1) % len(message["legal"])')
CRASHING = acting("if asked == 2: sys.stderr.write('boom'); sys.exit(7)")
HANGING = acting("if asked == 2: time.sleep(600)")
MOODY = acting('action = os.urandom(1)[0] % len(message["legal"])')
COUNTING = acting("total = globals().get('total', 0) + 1\naction = total % len(message['legal'])")
"""Decides by how many questions its process was asked."""
LEAVING = acting("if asked == 1 and not os.fork(): os.setsid(); time.sleep(600)\n")


def open_folder() -> Iterator[Path]:
    """A folder into which bots can write, whoever they run as."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o777)
        yield folder


heard_again = pytest.fixture(open_folder)
heard_in_run = pytest.fixture(open_folder, scope="module")


@pytest.fixture(scope="module")
def cup(heard_in_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with bots and a run of every game, ``runs/cup``."""
    folder = tmp_path_factory.mktemp("reask")
    hearing = ["python3", "main.py", str(heard_in_run)]
    bot(folder, "ear", HEARING, command=json.dumps(hearing), deterministic="true")
    for name in ("anna", "berta", "carla"):
        bot(folder, name)
    (folder / "cup.yaml").write_text(
        """\
arena: 1
seed: 1
isolation: none
clock: {move: 1 min, startup: 1 min}
limits: {reply: 32 KiB}
schedule: {deals: 1}
games:
  - {rules: dragonheart, entrants: [ear, anna]}
  - {rules: dragonkrak, seats: 1, entrants: [ear]}
  - {rules: dragonkrak, seats: 2, entrants: [ear, anna]}
  - {rules: dragonkrak, seats: 4}
  - {rules: dragonrealm, seats: 2, entrants: [ear, anna]}
  - {rules: dragonrealm, seats: 4}
entrants: [{bot: ear}, {bot: anna}, {bot: berta}, {bot: carla}]
"""
    )
    result = arena(folder, "run", "cup.yaml", "-q")
    assert result.code == 0, result.err
    return folder


@pytest.fixture
def ask(cup: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str]]:
    """Asks a bot, by default about the run; gives the exit code and what was printed."""

    def ask(bot: Path, source: Path | None = None, **options: Any) -> tuple[int, str]:
        chosen = ReaskOptions(source=source or cup / "runs" / "cup", bot=str(bot), **options)
        code = exit_code(lambda: reask_bot(chosen))
        printed = capsys.readouterr()
        return code, printed.out + printed.err

    return ask


# What is sent


def heard(folder: Path) -> Counter[str]:
    """What processes were told: a text for each game, and for what is said around games."""
    found: Counter[str] = Counter()
    for file in folder.iterdir():
        told = re.sub(r'"(game|id)":"[0-9a-f]{16}"', r'"\1":""', file.read_text())
        around: list[str] = []
        game: list[str] = []
        for line in told.splitlines(keepends=True):
            message = json.loads(line)
            (around if message["type"] in ("hello", "bye") else game).append(line)
            if message["type"] == "over":
                found["".join(game)] += 1
                game = []
        found["".join(around)] += 1
    return found


def test_every_byte_is_as_in_the_game(cup, ask, tmp_path, heard_in_run, heard_again) -> None:
    in_run = heard(heard_in_run)
    assert len(in_run) == 1 + 2 + 1 + 2 + 4 + 2 + 4
    source = (cup / "ear" / "main.py").read_text()
    ear = bot(tmp_path, "ear", source, command=json.dumps(["python3", "main.py", str(heard_again)]))
    code, told = ask(ear, isolation="none")
    assert (code, told.splitlines()[0]) == (0, "ear asked again: 15 games, the seats of ear")
    again = heard(heard_again)
    # how many processes a run has depends on its workers
    hello = max(in_run, key=in_run.get)
    assert '"reply":32768' in hello
    del in_run[hello], again[hello]
    assert again == in_run


def test_options_are_those_of_the_run_as_far_as_the_bot_has_them(cup, ask, tmp_path) -> None:
    text = (cup / "runs" / "cup" / "run.json").read_text()
    run = shutil.copytree(cup / "runs" / "cup", tmp_path / "run")
    options = '"options": {"depth": 5, "width": 99, "gone": 1}'
    head, ear, tail = text.partition('"ear": {')
    (run / "run.json").write_text(head + ear + tail.replace('"options": {}', options, 1))
    told = acting("sys.exit(json.dumps(message_of_start['bot_options'], sort_keys=True))").replace(
        "asked = 0", "asked = 0; message_of_start = message"
    )
    known = "{depth: {type: int, default: 1}, width: {type: int, default: 2, max: 9}}"
    home = bot(tmp_path, "ear", told, options=known)
    _, printed = ask(home, run, games=("1",))
    assert '{"depth": 5, "width": 2}' in printed


# What is told


def test_the_bot_of_the_run_answers_as_it_did(cup: Path, ask: Any) -> None:
    code, told = ask(cup / "anna")
    assert code == 0
    lines = told.splitlines()
    assert lines[0] == "anna asked again: 14 games, the seats of anna"
    match = re.fullmatch(r"(\d+) decisions \(\d+ with one .*\): (\d+) same, 0 .*", lines[1])
    assert match is not None
    assert match[1] == match[2]
    assert len(lines) == 2


def test_a_bot_without_an_entrant_is_asked_at_every_seat(cup: Path, ask: Any) -> None:
    dora = cup / "dora" if (cup / "dora").exists() else bot(cup, "dora")
    code, told = ask(dora)
    assert (code, told.splitlines()[0]) == (0, "dora asked again: 15 games, 45 seats")
    assert ask(dora, entrant="berta")[1].startswith("dora asked again: 8 games, the seats of berta")
    assert ask(dora, seat=3)[1].startswith("dora asked again: 8 games\n")
    assert ask(cup / "anna", games=("1", "2"), seat=0)[1].startswith("anna asked again: 2 games\n")


def test_where_a_bot_first_differs(ask: Any, tmp_path: Path) -> None:
    code, told = ask(bot(tmp_path, "anna", LATE), games=("1",))
    assert code == 1
    assert re.search(r"differences in 1 of 1 game: 2 decisions before the first one", told)
    assert re.search(r"recorded: +\{.*\n +now: +\{", told)
    code, told = ask(bot(tmp_path, "late", LATE), games=("1",), entrant="anna", as_json=True)
    data = json.loads(told)["data"]
    assert (code, data["before"], data["changed_seats"]) == (1, 2, 1)
    (first,) = data["differences"]
    assert first["earlier"] == 2
    assert first["observation"]["seat"] == first["seat"]
    assert first["answer"]["action"] != first["wanted"][0]["action"]
    assert data["same"] + data["different"] == data["decisions"]
    assert data["decisions"] == data["before"] + 1 + data["after"]


def test_after_a_crash_the_next_game_is_asked(ask: Any, tmp_path: Path) -> None:
    code, told = ask(bot(tmp_path, "anna", CRASHING), games=("1", "2"))
    assert code == 1
    assert told.startswith("anna asked again: 2 games")
    assert "4 decisions (" in told or "4 decisions:" in told
    assert re.search(r"\d+ decisions not asked, after a fault", told)
    assert re.search(r"now: +fault crash: the process ended \(exit status 7\)", told)
    assert "2 faults" in told
    assert "end of its standard error:\n    boom" in told


def test_a_fault_of_the_record_is_the_same_fault(cup: Path, ask: Any, tmp_path: Path) -> None:
    bot(tmp_path, "crashing", CRASHING)
    bot(tmp_path, "steady")
    game = ("-g", "dragonheart", "crashing", "steady", "-n", "1", "-o", "run", "-q")
    arena(tmp_path, "run", *game)
    code, told = ask(tmp_path / "crashing", tmp_path / "run")
    assert (code, told.splitlines()[1].partition(":")[0]) == (0, "4 decisions")
    assert "2 faults" in told
    # mended, it is asked what it did not answer then
    code, told = ask(cup / "anna", tmp_path / "run", entrant="crashing")
    assert (code, told.count("recorded: fault crash")) == (1, 2)


@pytest.mark.parametrize("source", ["sys.exit(3)", "pass", "print('hi', flush=True)"])
def test_a_bot_that_cannot_be_started(ask: Any, tmp_path: Path, source: str) -> None:
    home = bot(tmp_path, "anna", f"import sys\n{source}\n")
    with pytest.raises(PoolError, match="anna cannot be started: "):
        ask(home)


def test_what_a_bot_leaves_running_is_ended(ask: Any, tmp_path: Path) -> None:
    assert ask(bot(tmp_path, "anna", LEAVING), games=("1", "2"))[0] == 0


def test_a_bot_with_faults_in_most_games_is_given_up(ask: Any, tmp_path: Path) -> None:
    code, told = ask(bot(tmp_path, "dora", CRASHING), show=0)
    assert (code, told.splitlines()[0]) == (1, "dora asked again: 8 games, 20 seats")
    assert "given up after 20 faults" in told


# Determinism


@pytest.mark.parametrize(
    ("name", "source", "label", "warned"),
    [
        ("seeded", BOT, "seeded: ", False),
        ("fixed", acting("action = 0"), "deterministic: ", False),
        ("counting", COUNTING, "deterministic: ", False),
        ("moody", MOODY, "neither: ", True),
    ],
)
def test_labels(ask: Any, tmp_path: Path, name: str, source: str, label: str, warned: bool) -> None:
    home = bot(tmp_path, name, source, deterministic="true")
    _, told = ask(home, games=("1",), seat=0, repeat=3)
    assert f"\n{label}" in told
    assert "asked 3 times with the recorded seeds and once with others" in told
    assert ('warning: bot.yaml says "deterministic: true", which is not so' in told) is warned
    assert ("first difference: dragonheart-2/" in told) is not label.startswith("det")


def test_no_warning_without_a_claim(ask: Any, tmp_path: Path) -> None:
    _, told = ask(bot(tmp_path, "moody", MOODY), games=("1",), seat=0, repeat=2, as_json=True)
    document = json.loads(told)
    assert document["warnings"] == []
    assert document["data"]["determinism"]["label"] == "neither"
    assert document["data"]["determinism"]["rounds"] == 2


# Other sources


@pytest.fixture(scope="module")
def pack(cup: Path) -> Path:
    arena(cup, "export", "runs/cup", "--for", "anna", "-o", "pack.zip")
    arena(cup, "export", "runs/cup", "--for", "anna", "-o", "pack")
    return cup


@pytest.mark.parametrize("name", ["pack", "pack.zip"])
def test_a_pack_has_the_same_questions(pack: Path, ask: Any, tmp_path: Path, name: str) -> None:
    late = bot(tmp_path, "anna", LATE)
    own = [number for number, spec in enumerate(specs(pack / "runs" / "cup"), 1) if is_annas(spec)]
    shown = str(own[2])
    from_run = ask(late, games=(shown,), show=50)
    assert ask(late, pack / name, games=("3",), show=50) == from_run
    assert from_run[0] == 1


def specs(run: Path) -> list[GameSpec]:
    found = [game.result.spec for game in StoredRun(run).games()]
    schedule = StoredRun(run).schedule
    return sorted(found, key=lambda spec: schedule.number(spec.game_id) or 0)


def is_annas(spec: GameSpec) -> bool:
    return "anna" in spec.entrants


def test_a_public_pack_has_none(pack: Path, ask: Any) -> None:
    arena(pack, "export", "runs/cup", "--public", "-o", "public")
    with pytest.raises(StoreError, match=r"found a public pack"):
        ask(pack / "anna", pack / "public")


@pytest.mark.parametrize("is_packed", [True, False])
def test_one_record(cup: Path, ask: Any, tmp_path: Path, is_packed: bool) -> None:
    run = cup / "runs" / "cup"
    game = next(each for each in StoredRun(run).games() if "anna" in each.result.spec.entrants)
    packed = read_record(run, game.stored.record)
    path = tmp_path / "record"
    path.write_bytes(packed if is_packed else unpack(packed))
    plies = sum(ply.seat is not None for ply in parse(unpack(packed))[0].plies)
    code, told = ask(cup / "anna", path, seat=game.result.spec.entrants.index("anna"))
    assert (code, told.splitlines()[0]) == (0, "anna asked again: 1 game")
    _, told = ask(bot(tmp_path, "dora"), path)
    assert f"\n{plies} decisions" in told


# Bad input


def flip(run: Path) -> None:
    """Change a byte in the record of one of the games of anna."""
    spot = next(each.stored.record for each in StoredRun(run).games() if is_annas(each.result.spec))
    path = run / spot.file
    data = bytearray(path.read_bytes())
    data[spot.offset + spot.length // 2] ^= 0xFF
    path.write_bytes(data)


def tear(run: Path) -> None:
    path = run / "records" / "0.jsonl.gz"
    path.write_bytes(path.read_bytes()[:300])


def test_a_game_with_a_damaged_record_is_left_out(cup, ask, tmp_path, caplog) -> None:
    run = shutil.copytree(cup / "runs" / "cup", tmp_path / "run")
    flip(run)
    code, told = ask(cup / "anna", run)
    assert (code, told.splitlines()[0]) == (0, "anna asked again: 13 games, the seats of anna")
    assert re.search(r"left out: .*run: game .*: record: line \d+: ", caplog.text)
    damaged = next(
        each.result.spec for each in StoredRun(run).games() if is_annas(each.result.spec)
    )
    with pytest.raises(StoreError, match=r"run: game .*: record: line \d+: "):
        ask(cup / "anna", run, games=(damaged.game_id,))


def test_records_that_are_lost(cup: Path, ask: Any, tmp_path: Path) -> None:
    run = shutil.copytree(cup / "runs" / "cup", tmp_path / "run")
    tear(run)
    with pytest.raises(BadInput, match="found no decision of anna at any seat to ask about"):
        ask(cup / "anna", run)


def test_games_that_the_bot_does_not_play(cup: Path, ask: Any) -> None:
    collector = BOTS / "collector"
    code, told = ask(collector, entrant="ear")
    assert (code, told.splitlines()[0]) == (1, "collector asked again: 2 games, the seats of ear")
    assert "warning: not asked, as the bot does not play it: dragonkrak at 1 seat, " in told
    with pytest.raises(
        BadInput, match=r"^collector does not play dragonkrak at 1 seat, by its bot"
    ):
        ask(collector, games=("3",))


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"entrant": "ana"}, '--as: found "ana", expected an entrant (did you mean "anna"?)'),
        ({"isolation": "limit"},
         '--isolation: found "limit", expected none, limits, landlock, bubblewrap or sandbox '
         '(did you mean "limits"?)'),
        ({"games": ("99",)}, '--id: found "99", expected 1 to 15; arena games RUN lists them'),
        ({"seat": 4}, "RUN: found no decision at seat 4 to ask about"),
        ({"games": ("1",), "entrant": "berta"},
         "RUN: found no decision of berta at any seat to ask about"),
        ({"plies": "3"}, "--plies: expected it only with --write"),
        ({"force": True}, "--force: expected it only with --write"),
        ({"write": Path("x"), "repeat": 2}, "found --write and --repeat, expected one of them"),
    ],
)  # fmt: skip
def test_bad_flags(cup: Path, ask: Any, options: dict[str, Any], text: str) -> None:
    with pytest.raises(BadInput) as caught:
        ask(cup / "anna", **options)
    assert str(caught.value).replace(str(cup / "runs" / "cup"), "RUN") == text


def test_sources_that_are_none(cup: Path, ask: Any, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("hello")
    (tmp_path / "zip").write_bytes(b"PK\x03\x04")
    for path in (tmp_path, tmp_path / "text"):
        with pytest.raises(BadInput, match=r"^SOURCE: found .*, expected the folder of a run"):
            ask(cup / "anna", path)
    with pytest.raises(StoreError, match="cannot be read"):
        ask(cup / "anna", tmp_path / "zip")
    with pytest.raises(StoreError, match="No such file"):
        ask(cup / "anna", tmp_path / "missing")
    with pytest.raises(StoreError, match=r"found the records of a run: name its folder"):
        ask(cup / "anna", cup / "runs" / "cup" / "records" / "0.jsonl.gz")
    with pytest.raises(ConfigError, match=r"expected a folder with a bot\.yaml"):
        ask(cup / "ana")


# As a person would


def test_exit_codes_and_streams(cup: Path, tmp_path: Path) -> None:
    result = arena(cup, "reask", "runs/cup", "anna", "--id", "1")
    assert (result.code, result.err) == (0, "")
    result = arena(cup, "reask", "runs/cup", "./anna/nobody")
    assert (result.code, result.out) == (2, "")
    bot(tmp_path, "anna", "import sys; sys.exit(3)")
    result = arena(cup, "reask", "runs/cup", tmp_path / "anna")
    assert (result.code, result.out) == (4, "")
    assert result.err.startswith("error: anna cannot be started: ")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_the_bot_and_tells_what_was_asked(
    cup: Path, tmp_path: Path, heard_again: Path, number: signal.Signals
) -> None:
    mark = heard_again / "asked"
    slow = acting(f"if asked == 2: open({str(mark)!r}, 'w').close(); time.sleep(600)")
    home = bot(tmp_path, "anna", slow)
    asking = command("reask", "runs/cup", home, "--isolation", "none")
    with subprocess.Popen(
        asking, cwd=cup, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),  # as in the background
    ) as process:  # fmt: skip
        wait_until(mark.exists)
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert out.startswith(b"anna asked again: 0 games")
    assert b"warning: interrupted" in err
