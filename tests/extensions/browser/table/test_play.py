"""``arena play``: whole games with real bots, through pipes and on a terminal; and how they end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import termios
import threading
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from arena.cli.commands.verify import VerifyOptions, verify_run
from arena.extensions.browser.commands.play import PlayOptions, play_with_bots
from arena.extensions.browser.table import host as play_host
from arena.extensions.browser.table.host import GamesEnd, Host
from arena.values.bad_input import BadInput
from arena.values.problems import ConfigError
from tests.cli.shell import BOT, Result, arena, bot, command, environment, wait_until
from tests.hosting.bots import needs_linux
from tests.views.game.terminals import Terminal, terminal

pytestmark = [pytest.mark.slow, pytest.mark.process]

ROOT = Path(__file__).parents[4]
BOTS = ROOT / "bots"
TABLES = [
    ("dragonheart", "2", ["greedy"]),
    ("dragonkrak", "1", []),
    ("dragonkrak", "4", ["greedy", "random"]),
    ("dragonrealm", "3", ["greedy", "random"]),
]
"""Goldens have games at other tables."""
DYING = "import os\nos.write(2, b'my last words')\nos._exit(3)\n"
"""A bot that ends when it is started."""
FAILING = BOT.replace("action = rng", "sys.exit(3)\n        action = rng")
"""A bot that ends when it is asked."""
HANGING = BOT.replace("action = rng", "__import__('time').sleep(600)\n        action = rng")


def play(folder: Path, *args: str | Path, answers: str = "1\n" * 4000) -> Result:
    """Run ``arena play ARGS`` with these lines on its standard input."""
    done = subprocess.run(
        command("play", *args),
        cwd=folder,
        env=environment(),
        input=answers,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    return Result(done.returncode, done.stdout, done.stderr)


def results(folder: Path) -> list[dict[str, Any]]:
    lines = (folder / "games.jsonl").read_text().splitlines()
    return [json.loads(line)["result"] for line in lines]


@pytest.mark.parametrize(("rules", "seats", "bots"), TABLES)
def test_a_game_through_pipes(tmp_path, rules, seats, bots, capsys, leaves_nothing) -> None:
    against = ["--against", *(BOTS / name for name in bots)] if bots else []
    done = play(tmp_path, rules, "-s", seats, *against)
    assert done.code == 0, done.err
    assert "your move" in done.out
    (folder,) = (tmp_path / "runs").iterdir()
    assert folder.name.startswith(f"play-{rules}-{seats}")
    (result,) = results(folder)
    assert len(result["spec"]["entrants"]) == int(seats)
    assert result["spec"]["entrants"][0] == "human", "the first seat is the first"
    assert result["termination"] == "completed"
    assert f"arena replay runs/{folder.name} {result['spec']['game_id']}" in done.err
    verify_run(VerifyOptions(folder=folder))  # raises Exit if anything is not as it was
    assert capsys.readouterr().out == "1 game verified: all as it should be\n"


def test_several_games_in_one_folder(tmp_path: Path) -> None:
    run = tmp_path / "run"
    for more in ([], [], ["--seat", "0"]):
        done = play(tmp_path, "dragonheart", "--against", BOTS / "greedy", "-o", "run", *more)
        assert done.code == 0, done.err
    specs = [result["spec"] for result in results(run)]
    assert [spec["entrants"].index("human") for spec in specs] == [0, 1, 0]
    assert len({spec["deal"] for spec in specs}) == 3
    assert json.loads((run / "met.json").read_text()) == {"deals": 3}

    assert arena(tmp_path, "verify", "run").code == 0
    table = arena(tmp_path, "standings", "run").out
    assert "human" in table
    assert "played so far" not in table, "there is no end to be played to"
    assert (run / "standings.json").exists()
    assert (
        "seat 0  human" in arena(tmp_path, "replay", "run", "3", "--seat", "0", "--plies", "-5").out
    )
    assert arena(tmp_path, "export", "run", "--for", "human").code == 0
    with zipfile.ZipFile(tmp_path / "run-for-human.zip") as pack:
        assert len([name for name in pack.namelist() if "/games/" in name]) == 3

    done = arena(tmp_path, "run", "run")
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        f"error: {run}: a person plays there: the same `arena play` deals the next game\n"
    )
    done = play(tmp_path, "dragonheart", "--against", BOTS / "random", "-o", "run")
    assert done.code == 2
    assert "run: holds the games of another table:\n" in done.err
    assert "Traceback" not in done.err


def test_alone_the_bots_play_the_same_deal(tmp_path: Path) -> None:
    done = play(tmp_path, "dragonkrak", "-s", "1", BOTS / "greedy", "-o", "run")
    assert done.code == 0, done.err
    assert "greedy with the same deal  deserters: " in done.out
    assert [result["spec"]["entrants"] for result in results(tmp_path / "run")] == [
        ["human"], ["greedy"],
    ]  # fmt: skip
    verify_run(VerifyOptions(folder=tmp_path / "run"))


GREEDY = (str(BOTS / "greedy"),)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"game": "dragonhart"}, 'GAME: found "dragonhart", expected chess, '),
        ({"bots": ("nobody",)}, 'nobody: found "nobody"'),
        ({"seat": 2}, "--seat: found 2, expected 0 or 1"),
        ({"person": "a b"}, "--as a b: found"),
        ({"game": "dragonrealm", "seats": 1}, "-s 1: found 1, expected 2, 3 or 4"),
    ],
)
def test_bad_input(tmp_path, monkeypatch, options, message) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises((BadInput, ConfigError)) as caught:
        play_with_bots(PlayOptions(**{"game": "dragonheart", "bots": GREEDY} | options))
    assert str(caught.value).startswith(message)
    assert not list(tmp_path.glob("runs/*/met.json"))


# Leaving


@pytest.mark.parametrize("answers", ["1\n", "quit\n", "quit\nn\n1\nq\nyes\n"])
def test_a_game_that_is_left_is_not_stored(tmp_path, answers, leaves_nothing) -> None:
    done = play(tmp_path, "dragonheart", BOTS / "greedy", "-o", "run", answers=answers)
    assert done.code == 130
    assert done.err == "left: the game is not counted; its deal is not dealt again\n"
    assert results(tmp_path / "run") == []


def test_a_deal_that_was_left_is_not_dealt_again(tmp_path: Path) -> None:
    for answers in ("1\n", "1\n" * 1000):
        play(tmp_path, "dragonheart", BOTS / "greedy", "-o", "run", answers=answers)
    (result,) = results(tmp_path / "run")
    assert result["spec"]["deal"].endswith(":1")
    verify_run(VerifyOptions(folder=tmp_path / "run"))


def test_a_folder_whose_name_is_no_text(tmp_path: Path) -> None:
    folder = os.fsdecode(b"table\xff")
    done = play(tmp_path, "dragonheart", BOTS / "greedy", "-o", folder, answers="")
    assert done.code == 130, done
    assert json.loads((tmp_path / folder / "run.json").read_text())["name"] == "table\\udcff"


def test_who_leaves_while_the_table_is_laid_does_not_play(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, left = threading.Event(), threading.Event()
    played = []

    class Laid:
        def __init__(self, *_: object) -> None:
            begun.set()
            assert left.wait(60)

        def __enter__(self) -> Laid:
            return self

        def __exit__(self, *_: object) -> None:
            pass

        def abandon(self) -> None:
            pass

        def play(self, spec: object) -> None:
            played.append(spec)

    monkeypatch.setattr(play_host, "PersonTable", Laid)
    none: Any = None
    with Host(none, none, none, [none]) as host:
        assert begun.wait(60)
        assert host.leave()
        left.set()
        assert host.next() == GamesEnd()
    assert played == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signals_leave_a_game_through_pipes(tmp_path: Path, number: int) -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    with subprocess.Popen(
        command("play", "dragonheart", BOTS / "greedy", "-o", "run"), cwd=tmp_path, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(),
        process_group=0,
    ) as process:  # fmt: skip
        signal.signal(signal.SIGINT, before)
        assert process.stdout is not None
        while "your move" not in process.stdout.readline():
            pass
        process.send_signal(number)
        assert process.communicate(timeout=60)[1].startswith("left: the game is not counted")
        assert process.returncode == 130
    assert results(tmp_path / "run") == []


# Faults


def test_a_bot_that_cannot_start_loses(tmp_path: Path) -> None:
    bot(tmp_path, "dying", DYING)
    done = play(tmp_path, "dragonheart", "dying", "-o", "run")
    assert done.code == 0
    assert "you have won\nforfeited after 0 plies\n" in done.out
    assert "dying: " in done.out
    assert "what bots wrote: run/logs/NAME.stderr" in done.err
    assert "my last words" in (tmp_path / "run" / "logs" / "dying.stderr").read_text()
    verify_run(VerifyOptions(folder=tmp_path / "run"))


@pytest.mark.parametrize("seats", ["2", "3"])
def test_a_bot_that_fails_meanwhile(tmp_path: Path, seats: str, leaves_nothing: None) -> None:
    bot(tmp_path, "failing", FAILING)
    others = [BOTS / "greedy"] if seats == "3" else []
    done = play(tmp_path, "dragonkrak", "-s", seats, "--against", "failing", *others, "-o", "run")
    assert done.code == 0
    assert "failing: the process ended" in done.out
    (result,) = results(tmp_path / "run")
    assert [fault["kind"] for fault in result["faults"]] == ["crash"]
    is_told = "the bot of failing has committed a fault" in done.out
    assert is_told == (seats == "3"), "with two the game has ended"
    assert result["termination"] == ("completed" if seats == "3" else "forfeited")
    verify_run(VerifyOptions(folder=tmp_path / "run"))


# On a terminal


@contextmanager
def playing(folder: Path, *arguments: str | Path) -> Iterator[Terminal]:
    with terminal("play", *arguments, "-o", "run", folder=folder) as shown:
        yield shown


ASKED, OVER = b"your choice (? helps): ", b"replay: arena replay run "
NONSENSE = [b"\x1b[A\x1b[B", b"0", b"9" * 300, b"nothing has this", b"", b"quit now", b"\xff\xfe"]
"""Lines that are no choice, among them keys that move a cursor elsewhere."""


@pytest.mark.parametrize(("rules", "seats", "bots"), TABLES)
def test_a_game_on_a_terminal(tmp_path, rules, seats, bots, leaves_nothing) -> None:
    against = [BOTS / name for name in bots]
    with playing(tmp_path, rules, "-s", seats, *against) as shown:
        before = termios.tcgetattr(shown.theirs)
        seen = shown.until(ASKED)
        for line in NONSENSE:
            shown.press(line + b"\n")
            seen += shown.until(ASKED)
        assert b"you: " not in seen
        for word, reply in ((b"?", b"The rules: arena rules"), (b"list", b"your move")):
            shown.press(word + b"\n")
            seen = shown.until(ASKED)
            assert reply in seen
        while OVER not in seen:
            shown.press(b"1\n")
            seen = shown.until(ASKED, OVER)
            assert b"\r\nyou: " in seen
            assert b"\x1b" not in seen, "plain lines alone"
        assert shown.process.wait(60) == 0
        assert termios.tcgetattr(shown.theirs) == before
    assert len(results(tmp_path / "run")) == 1


def sent(number: int) -> Callable[[Terminal], None]:
    return lambda shown: shown.process.send_signal(number)


ENDINGS: dict[str, Callable[[Terminal], None]] = {
    "quit": lambda shown: shown.press(b"quit\ny\n"),
    "end of input": lambda shown: shown.press(b"\x04"),
    "SIGINT": sent(signal.SIGINT),
    "SIGTERM": sent(signal.SIGTERM),
    "SIGHUP": sent(signal.SIGHUP),
}


@pytest.mark.parametrize(
    ("ending", "thinks"),
    [*((ending, False) for ending in ENDINGS), ("SIGINT", True), ("SIGTERM", True)],
)
def test_leaving_works_at_once(tmp_path, ending, thinks, leaves_nothing) -> None:
    if ending == "SIGHUP" and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        pytest.skip("hang-ups are ignored here, as nohup asks for")
    with playing(tmp_path, *hanging(tmp_path)) as shown:
        shown.until(ASKED)
        if thinks:
            shown.press(b"1\n")
            shown.until(b"you: ")
        ENDINGS[ending](shown)
        seen = shown.until(b"left: the game is not counted")
        if not thinks and ending != "quit":
            assert b"\nleft: " in seen, "the prompt has a line of its own"
        assert shown.process.wait(60) == 130
    assert results(tmp_path / "run") == []


def hanging(folder: Path) -> list[str]:
    """Return the arguments for a game with a bot that never answers."""
    bot(folder, "hanging", HANGING)
    settings = ["--set", "clock.move=500s", "--set", "game.options.starter=seat_0"]
    return ["dragonheart", "hanging", *settings, "--seat", "0"]


def test_a_terminal_that_hangs_up(tmp_path: Path) -> None:
    with playing(tmp_path, "dragonheart", BOTS / "greedy") as shown:
        shown.until(ASKED)
        os.close(shown.theirs)
        os.dup2(os.open(os.devnull, os.O_RDWR), shown.ours)
        assert shown.process.wait(60) == 130
        os.dup2(shown.ours, shown.theirs)
    assert results(tmp_path / "run") == []


@needs_linux
def test_a_kill_leaves_no_bot_and_a_sound_folder(tmp_path: Path) -> None:
    with playing(tmp_path, *hanging(tmp_path)) as shown:
        shown.until(ASKED)
        shown.press(b"1\n")
        shown.until(b"you: ")
        children = Path(f"/proc/{shown.process.pid}/task").glob("*/children")
        pids = [int(pid) for path in children for pid in path.read_text().split()]
        assert pids
        shown.process.kill()
        shown.process.wait()
        wait_until(lambda: not any(is_alive(pid) for pid in pids))
    assert results(tmp_path / "run") == []
    verify_run(VerifyOptions(folder=tmp_path / "run"))


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
