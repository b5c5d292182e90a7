"""``arena try``: what it prints, what it ends with, what it refuses."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena.extensions.authors.bots import find_bot
from arena.extensions.authors.check.table import disciplines, strange_games
from arena.extensions.authors.commands.try_ import TryOptions, _rules, try_bot
from arena.games.installed import GROUP, Claim
from arena.games.registry import GAMES
from arena.hosting.sandbox.isolation import Isolation
from arena.runs.disk import StoreError
from arena.values.bad_input import BadInput
from arena.values.problems import ConfigError
from tests.cli.shell import BOT, arena, bot, command, environment, exit_code, wait_until
from tests.games.games import OWN
from tests.referee.processes import as_folder

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("spared", "leaves_nothing")]

FIRST = BOT.replace('rng.randrange(len(message["legal"]))', "0")
LATE = FIRST.replace('rng.seed(message["seed"])', "asked = 0").replace(
    "        action = 0\n",
    "        action = 0\n        asked += 1\n        if asked == 3: sys.exit('gone')\n",
)
"""Ends at the third question of a game."""


@pytest.fixture
def tell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, list[str]]]:
    """Tries a bot, by default without a clock; gives the exit code and the lines printed."""
    monkeypatch.chdir(tmp_path)

    def tell(name: str, **options: Any) -> tuple[int, list[str]]:
        chosen = TryOptions(bot=name, **{"isolation": Isolation.NONE, "no_clock": True} | options)
        code = exit_code(lambda: try_bot(chosen))
        return code, capsys.readouterr().out.splitlines()

    return tell


def test_a_game_is_told_line_by_line(tell: Any, tmp_path: Path) -> None:
    bot(tmp_path, "mine", FIRST)
    code, lines = tell("mine", game="dragonheart")
    assert code == 0
    assert lines[:3] == [
        "Dragonheart, 2 seats, deal 0, isolation none",
        "seat 0  mine  <- listened to",
        "seat 1  any-legal",
    ]
    first = lines.index("move 1")
    move = "\n".join(lines[first : lines.index("move 2")])
    for part in (
        "any-legal plays ",
        "      turn 2: mine to play",
        "      hand: ",
        ' > {"type":"act"',
        '<  {"type": "action"',
        "      Play ",
        " of the processor, peak memory ",
    ):
        assert part in move
    assert any(line.startswith("completed after ") for line in lines)


def test_the_board_is_shown_whatever_the_bot_wants(tell: Any, tmp_path: Path) -> None:
    bot(tmp_path, "mine", FIRST)
    kit = tmp_path / as_folder(tmp_path, "terse", "honest") / "hostile" / "kit.py"
    kit.write_text(kit.read_text().replace("protocol=1", "protocol=1, wants=[]"))
    told, lines = tell("mine")[1], tell("terse")[1]

    def words(lines: list[str]) -> list[str]:
        indented = [line for line in lines if line.startswith("      ")]
        return [line.replace("terse", "mine") for line in indented if "memory" not in line]

    assert words(lines) == words(told)
    assert not any('"observation"' in line for line in lines)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "fault", "remedy"),
    [
        ("exit_1", "crash", "mend what standard error tells"),
        ("drip", "timeout", "end each line with a line feed"),
        ("hang", "timeout", "what it waits for"),
        ("prints_a_banner", "startup", "send all else to standard error"),
        ("floods_lines", "malformed", "standard error"),
        ("answers_twice", "protocol", "exactly one line for each act"),
    ],
)
def test_a_fault_comes_with_its_remedy(tell, tmp_path, name, fault, remedy) -> None:
    code, lines = tell(as_folder(tmp_path, name), no_clock=False)
    assert code == 1
    assert any(line.startswith(f"fault of {name} ") and fault in line for line in lines)
    assert lines[-1].startswith("what to do: ")
    assert remedy in lines[-1]


def test_a_fault_of_another_is_none_of_the_bots(tell: Any, tmp_path: Path) -> None:
    code, lines = tell(as_folder(tmp_path, "honest"), against=(as_folder(tmp_path, "exit_1"),))
    assert code == 0
    assert any(line.startswith("fault of exit_1 ") for line in lines)


def test_a_clock_and_options_are_set_as_in_a_tournament(tell: Any, tmp_path: Path) -> None:
    folder = bot(tmp_path, "first")
    options = "options:\n  depth: {type: int, default: 1}\n  seed: {type: int, default: 2}\n"
    with (folder / "bot.yaml").open("a") as manifest:
        manifest.write(options)
    given = {
        "clock": "move: 9 s, bank: 10 s, increment: 50 ms",
        "chosen": ("depth=7", "edition=ffg"),
        "wire": Path("wire.jsonl"),
        "no_clock": False,
    }
    assert tell("first", **given)[0] == 0
    kept = [json.loads(line) for line in Path("wire.jsonl").read_text().splitlines()]
    start = next(s for s in (json.loads(e["text"]) for e in kept) if s["type"] == "start")
    assert start["clock"] == {"move": 9.0, "bank": 10.0, "increment": 0.05, "startup": 10.0}
    assert start["bot_options"] == {"depth": 7, "seed": 2}
    assert start["options"]["edition"] == "ffg"


def test_what_is_set_wrongly_names_its_flag(tell: Any, tmp_path: Path) -> None:
    bot(tmp_path, "first")
    with pytest.raises(ConfigError, match=r"--clock:1:2: unknown key"):
        tell("first", clock="mov: 1 s", no_clock=False)
    with pytest.raises(ConfigError) as refused:
        tell("first", chosen=("edition=x", "deep=1"), no_clock=False)
    assert [each.where for each in refused.value.problems] == [
        "--option edition=x",
        "--option deep=1",
    ]


def test_what_is_played(tell: Any, tmp_path: Path) -> None:
    bot(tmp_path, "krak", plays="{dragonkrak: [1, 3], dragonheart: [2]}")
    assert tell("krak")[1][0] == "Dragonkrak, 1 seat, deal 0, isolation none"
    bot(tmp_path, "any")
    _, lines = tell("any", game="dragonkrak", seats=3, seat=1, deal=5, against=("any",))
    assert lines[:4] == [
        "Dragonkrak, 3 seats, deal 5, isolation none",
        "seat 0  any-2",
        "seat 1  any  <- listened to",
        "seat 2  any-2",
    ]


@pytest.mark.parametrize(
    ("plays", "played", "warned"),
    [
        ("", "dragonheart", 0),
        ("plays: {aaa: [2], dragonkrak: [2]}", "dragonkrak", 1),
        ("plays: {dragonkrak: [2], aaa: [2]}", "dragonkrak", 0),
        ("plays: {aaa: [2]}", "", 1),
    ],
)
def test_a_broken_package_is_a_warning(
    plays: str,
    played: str,
    warned: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setitem(GAMES._claimed(GROUP), "aaa", [Claim("aaa", "no_such:GAME", "bad", "1")])
    mine = bot(tmp_path, "mine")
    (mine / "bot.yaml").write_text((mine / "bot.yaml").read_text() + f"{plays}\n")
    options = TryOptions(bot=str(mine))
    candidate = find_bot(str(mine), Isolation.LIMITS)
    told = "warning: aaa of bad 1 cannot be loaded: ModuleNotFoundError: No module named 'no_such'"
    if played:
        assert _rules(options, candidate).name == played
    else:
        with pytest.raises(BadInput, match="lists aaa, and none can be loaded here"):
            _rules(options, candidate)
    assert capsys.readouterr().err.splitlines() == [told] * warned

    errors: list[object] = []
    found = {spec.name for spec in disciplines(candidate, (), errors.append)}
    assert found == ({*OWN, "chess"} if not plays else {played} - {""})
    assert errors
    assert f"warning: {errors[0]}" == told
    assert strange_games(candidate) == []


def test_a_kept_exchange_is_fed_again(tell: Any, tmp_path: Path) -> None:
    bot(tmp_path, "mine", FIRST)
    tell("mine", wire=Path("kept.jsonl"))
    kept = [json.loads(line) for line in Path("kept.jsonl").read_text().splitlines()]
    assert {*kept[0]} == {"way", "at", "text"}
    times = [line["at"] for line in kept]
    assert times == sorted(times)
    code, lines = tell("mine", feed=Path("kept.jsonl"), wire=Path("again.jsonl"))
    asked = sum('"type":"act"' in line["text"] for line in kept)
    assert (code, lines[-1]) == (0, f"{asked} of {asked} answers as recorded")
    again = [json.loads(line) for line in Path("again.jsonl").read_text().splitlines()]
    assert [(e["way"], e["text"]) for e in again] == [(e["way"], e["text"]) for e in kept]
    bot(tmp_path, "late", LATE)
    code, lines = tell("late", feed=Path("kept.jsonl"))
    assert code == 1
    assert "2 of 2 answers as recorded" in lines
    assert any(line.startswith("fault: crash: ") for line in lines)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run, ``cup``, in which ``late`` ended at its third question in every game."""
    folder = tmp_path_factory.mktemp("try")
    bot(folder, "late", LATE)
    bot(folder, "first", FIRST)
    words = ("-g", "dragonheart", "-n", "1", "late", "first", "-o", "cup", "-q", "-j", "1")
    done = arena(folder, "run", *words, "--isolation", "none")
    assert (folder / "cup" / "run.json").is_file(), done.err
    return folder


@pytest.fixture
def cup(played: Path, tmp_path: Path) -> Path:
    shutil.copytree(played, tmp_path, dirs_exist_ok=True)
    return tmp_path


def test_a_lost_game_is_replayed_into_the_bot(tell: Any, cup: Path) -> None:
    code, lines = tell("late", source="cup#1")
    assert code == 1
    assert "3 of 3 answers as recorded" in lines
    assert "fault: crash: the process ended (exit status 1)" in lines
    (cup / "late" / "main.py").write_text(FIRST)
    code, lines = tell("late", source="cup#1")
    assert (code, lines[-1]) == (0, "2 of 3 answers as recorded")
    assert "      recorded: fault crash" in lines
    assert any(line.startswith("      now:      Play ") for line in lines)
    assert not any('"type":"over"' in line for line in lines), "it stops at the question"
    assert any('"time_left":null' in line for line in lines)


def test_the_bot_is_sent_what_the_seat_was_sent(tell: Any, cup: Path) -> None:
    tell("first", source="cup#1", wire=Path("whole.jsonl"))
    whole = Path("whole.jsonl").read_text()
    plies = [line.split()[1] for line in tell("first", source="cup#1")[1] if line[:4] == "ply "]
    assert len(plies) == whole.count('\\"type\\":\\"act\\"') > 1
    assert '\\"type\\":\\"over\\"' in whole
    code, lines = tell("first", source=f"cup#1@{plies[1]}", wire=Path("part.jsonl"))
    assert (code, lines[-1]) == (0, "2 of 2 answers as recorded")
    part = sent(Path("part.jsonl"))[:-1]
    assert part == sent(Path("whole.jsonl"))[: len(part)]


def sent(path: Path) -> list[str]:
    """Lines to the bot, without the names of game and questions."""
    text = re.sub(r'(game|id)\\":\\"[0-9a-f]{16}', r"\1", path.read_text())
    return [e["text"] for e in map(json.loads, text.splitlines()) if e["way"] == "to"]


@pytest.mark.slow
@pytest.mark.parametrize("names", ["shown", "hidden"])
def test_every_byte_is_as_in_the_run(tell: Any, tmp_path: Path, names: str) -> None:
    for name in ("anna", "berta"):
        bot(tmp_path, name, options="{depth: {type: int, default: 1}}")
    (tmp_path / "cup.yaml").write_text(f"""\
arena: 1
seed: 1
isolation: none
names: {names}
clock: {{move: 1 min}}
limits: {{reply: 32 KiB}}
schedule: {{deals: 1}}
games:
  - dragonheart
  - {{rules: dragonkrak, seats: 1, entrants: [anna]}}
  - {{rules: dragonrealm, seats: 2}}
entrants: [{{bot: anna, options: {{depth: 5}}}}, {{bot: berta}}]
""")
    done = arena(tmp_path, "run", "cup.yaml", "--log-wire", "all", "-q")
    assert done.code == 0, done.err
    kept = sorted((tmp_path / "runs/cup/wire").rglob("*.jsonl"))
    assert len(kept) >= 2 * 2 + 1 + 4
    for path in kept:
        game, _, seat = path.stem.replace(",", "/").rpartition(".seat")
        again, source = tmp_path / "again.jsonl", f"runs/cup#{game}"
        code, lines = tell(
            path.parent.name, source=source, seat=int(seat), wire=again, no_clock=False
        )
        assert code == 0
        assert re.fullmatch(r"(\d+) of \1 answers as recorded", lines[-1])
        assert sent(again) == [*sent(path), '{"type":"bye"}']


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"source": "cup"}, 'found "cup", expected RUN#GAME or RUN#GAME@PLY'),
        ({"source": "nowhere#1"}, "expected RUN#GAME or RUN#GAME@PLY"),
        ({"source": "cup#9"}, 'found "9", expected 1 to 2'),
        ({"source": "cup#1@0"}, "found ply 0, expected one at which seat "),
        ({"source": "cup#1", "seat": 5}, "found no question to seat 5"),
        ({"source": "cup#1", "deal": 1}, "--deal: expected none with --from"),
        ({"source": "cup#1", "feed": Path("x")}, "--feed: expected none with --from"),
        ({"feed": Path("x"), "seats": 2}, "--seats: expected none with --feed"),
        ({"feed": Path("nowhere")}, "nowhere: cannot be read"),
        ({"seat": 2}, "--seat: found 2, expected 0 or 1"),
        ({"seats": 5}, "--seats: found 5, expected 2 for dragonheart"),
        ({"game": "checkers"}, 'found "checkers", expected chess'),
        ({"against": ("first", "first")}, "--against: found 2 bots, expected at most 1"),
        ({"chosen": ("x",)}, '--option: found "x", expected KEY=VALUE'),
        ({"clock": "1 s"}, "--clock: expected none with --no-clock"),
        ({"clock": "1 s", "feed": Path("x")}, "--clock: expected none with --feed"),
        ({"wire": Path("no/where")}, "no/where"),
    ],
)
def test_what_cannot_be_is_one_sentence(tell, cup, options, said) -> None:
    with pytest.raises((BadInput, StoreError)) as refused:
        tell("first", **options)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_bot_that_does_not_play_there_is_refused(tell: Any, tmp_path: Path) -> None:
    bot(tmp_path, "krak", plays="{dragonkrak: [2]}")
    with pytest.raises(BadInput, match="krak does not play dragonheart at 2 seats"):
        tell("krak", game="dragonheart")


@pytest.mark.slow
def test_an_interrupt_ends_all_of_it(tmp_path: Path) -> None:
    words = command("try", as_folder(tmp_path, "hang"), "--no-clock")
    pipe = subprocess.PIPE
    with subprocess.Popen(
        words, cwd=tmp_path, env=environment(), stdout=pipe, stderr=pipe, text=True
    ) as tried:
        assert tried.stdout is not None
        assert tried.stderr is not None
        pid = 0
        for line in tried.stdout:
            if line.startswith("process "):
                pid = int(line.split()[1])
            if '"type":"act"' in line:
                break
        waiting = "still waiting after 1.0 s, the usual limit; Ctrl-C ends it\n"
        assert tried.stderr.readline() == waiting
        tried.send_signal(signal.SIGINT)
        assert tried.wait(60) == 130
    wait_until(lambda: not Path(f"/proc/{pid}").exists())
