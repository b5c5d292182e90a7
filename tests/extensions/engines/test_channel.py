"""An engine asked as the referee does; what it writes is a script."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from arena.extensions.engines.channel import UciChannel
from arena.hosting.process import BotProcess
from arena.hosting.sandbox.isolation import Launch
from arena.referee.channel import Silence
from arena.referee.deadline import SECOND

pytestmark = pytest.mark.process

ENGINE = """
import json, sys, time
script, log = json.load(open(sys.argv[1])), open(sys.argv[2], "a", buffering=1)
for line in sys.stdin:
    log.write(line)
    word = line.split()[0]
    said = script.get(word, {"uci": ["uciok"], "isready": ["readyok"]}.get(word, []))
    for text in said:
        if isinstance(text, float):
            time.sleep(text)
        elif isinstance(text, int):
            sys.exit(text)
        else:
            sys.stdout.write(text + "\\n")
            sys.stdout.flush()
    if word == "quit":
        break
"""
FEN = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
CLOCK = {"move": 10.0, "bank": None, "increment": 0.0, "startup": 10.0}


class Talk(NamedTuple):
    """A channel to an engine."""

    channel: UciChannel
    log: Path
    """What the engine was sent."""

    def ask(self, seconds: float | None = 10.0, **message: Any) -> Any:
        """Return the answer; of a silence its reason."""
        allowance = None if seconds is None else round(seconds * SECOND)
        reply = self.channel.ask(json.dumps(message).encode(), allowance)
        if isinstance(reply, Silence):
            return reply
        return json.loads(reply) if reply.startswith(b"{") else reply.decode()

    def hello(self, startup: float = 10.0) -> Any:
        return self.ask(startup, type="hello", protocol=[1], startup=startup)

    def start(self, clock: Any = CLOCK, seconds: float = 10.0, **options: Any) -> Any:
        """Begin a game; return the answer, which is off its clock."""
        start = {"type": "start", "seat": 0, "clock": clock, "bot_options": options}
        return self.ask(seconds, **start, options={"start": "standard"})

    def act(self, time_left: float | None = 10.0, **more: Any) -> Any:
        seen = {"start": FEN, "moves": []}
        return self.ask(
            time_left, type="act", id="q", time_left=time_left, observation=seen, **more
        )

    def told(self) -> str:
        """Return what people are told of the engine, and what it wrote on standard error."""
        return self.channel.stderr()

    def sent(self, word: str) -> list[str]:
        return [line for line in self.log.read_text().splitlines() if line.split()[0] == word]


@contextmanager
def engine(folder: Path, program: str = ENGINE, **script: Sequence[str | float]) -> Iterator[Talk]:
    """An engine that writes these lines for each first word that it is sent.

    A float is a pause in seconds, an integer the end with that code.
    """
    log = folder / "log"
    log.write_text("")
    (folder / "engine.py").write_text(program)
    (folder / "script").write_text(json.dumps(script))
    command = (sys.executable, "-S", str(folder / "engine.py"), str(folder / "script"), str(log))
    channel = UciChannel(BotProcess(Launch(command, str(folder))), 1 << 16, 1 << 16)
    try:
        yield Talk(channel, log)
    finally:
        channel.close()


INFOS: dict[str, tuple[list[str], dict[str, Any] | None]] = {
    "the last one": (["depth 1 score cp 10", "depth 2 score cp -20"], {"eval": -0.2, "depth": 2}),
    "best of several": (
        ["multipv 1 score cp 50 nodes 9", "multipv 2 score cp -300 nodes 11"],
        {"eval": 0.5, "nodes": 9},
    ),
    "no bounds": (
        ["score cp 30", "score cp 900 lowerbound", "score cp -900 upperbound"],
        {"eval": 0.3},
    ),
    "no bounds of mates": (["score cp 30", "score mate 3 lowerbound"], {"eval": 0.3}),
    "a bound alone": (["score cp 900 lowerbound"], None),
    "mate": (["score mate -3 nodes 4"], {"eval": -997.0, "mate": -3, "nodes": 4}),
    "no text": (["score cp 30", "string multipv 1 score cp 5"], {"eval": 0.3}),
    "no progress": (["score cp 30", "depth 9 currmove e2e4", "nodes 1 nps 2"], {"eval": 0.3}),
    "much progress": (["score cp 30", *["currmove e2e4"] * 3000], {"eval": 0.3}),
    "moves that look like fields": (
        ["score cp 30 pv e2e4 multipv 2 lowerbound"],
        {"eval": 0.3, "text": "e2e4 multipv 2 lowerbound"},
    ),
    "a long line": (["score cp 3 pv " + "é" * 9999], {"eval": 0.03, "text": "é" * 100}),
    "large numbers": (["score cp 30 nodes " + "9" * 4000, "score cp " + "9" * 400], {"eval": 0.3}),
    "broken": (["score cp 30", "score cp", "score", "score cp 1.5"], {"eval": 0.3}),
    "nothing": ([], None),
}


@pytest.mark.parametrize("case", INFOS)
def test_the_evaluation_is_the_last_exact_one_of_the_best_move(tmp_path: Path, case: str) -> None:
    said, expected = INFOS[case]
    lines = [f"info {text}" for text in said]
    with engine(tmp_path, go=[*lines, " \tbestmove e2e4\r"]) as talk:
        talk.hello()
        talk.start()
        answer = talk.act()
    assert answer["action"] == {"type": "move", "uci": "e2e4"}
    assert answer.get("info") == expected


@pytest.mark.parametrize("pause", [0.0, 0.1], ids=["prompt", "slow to answer isready"])
def test_no_answer_outlives_its_question(tmp_path: Path, pause: float) -> None:
    again = ["bestmove e2e4", "bestmove e2e3", "info score cp 9"]
    with engine(tmp_path, isready=[pause, "bestmove a2a3", "readyok"], go=again) as talk:
        talk.hello()
        for _ in range(2):
            talk.start()
            for _ in range(3):
                answer = talk.act()
                assert (answer["action"]["uci"], answer.get("info")) == ("e2e4", None)
                time.sleep(pause)  # it can only be known of a prompt engine that it wrote all
            if pause:
                assert len(talk.sent("isready")) % 2 == 0, "only to begin a game"
        assert "dropped an answer to no question: bestmove e2e3" in talk.told()


def test_an_answer_in_advance_is_dropped(tmp_path: Path) -> None:
    with engine(tmp_path, go=["bestmove e2e4", "readyok", "bestmove a2a3"]) as talk:
        talk.hello()
        talk.start()
        for _ in range(3):
            assert talk.act()["action"]["uci"] == "e2e4"
            time.sleep(0.1)
        assert talk.told().count("dropped an answer to no question: bestmove a2a3") == 2


def test_a_line_that_was_cut_is_no_answer(tmp_path: Path) -> None:
    for size in range(0, 14, 3):  # the middle of the line begins anywhere
        long = "info string " + "bestmove e7e5 " * 12_000 + "y" * size
        with engine(tmp_path, go=[long, "bestmove e2e4"]) as talk:
            talk.hello()
            talk.start()
            assert talk.act()["action"]["uci"] == "e2e4"


def test_the_second_isready_has_all_the_time_again(tmp_path: Path) -> None:
    with engine(tmp_path, isready=[0.7, "readyok"]) as talk:
        talk.hello()
        assert talk.start(seconds=1.2)["type"] == "ready"


def test_options_are_bounded(tmp_path: Path) -> None:
    flood = [
        f"option name {'x' * 60_000} type spin",
        *(f"option name o{n} type" for n in range(3000)),
    ]
    with engine(tmp_path, uci=[*flood, "uciok"]) as talk:
        assert talk.hello()["type"] == "ready"
        assert len(talk.start(No_Option=1)) < 2000


DEAF = """
import sys
print("option name Book type string\\nuciok", flush=True)
while True:
    print("readyok", flush=True)
"""


def test_an_engine_that_never_reads_is_sent_no_more(tmp_path: Path) -> None:
    with engine(tmp_path, DEAF) as talk:
        talk.hello()
        answers = [talk.start(Book="x" * 300_000) for _ in range(8)]
    assert answers[-1] is Silence.STDIN_BLOCKED


BANKS = {"bank": 8.0, "move": 3.0, "increment": 0.5, "startup": 10.0}


@pytest.mark.parametrize(
    ("options", "clock", "expected"),
    [
        ({}, CLOCK, "go movetime 9970"),
        ({}, CLOCK | {"move": None}, "go infinite"),
        ({}, BANKS, "go wtime 7970 winc 500 btime 6970 binc 500 movetime 2970"),
        ({"movetime": 50}, BANKS, "go movetime 50 wtime 7970 winc 500 btime 6970 binc 500"),
        ({"nodes": 70}, CLOCK, "go nodes 70"),
        ({"nodes": 70}, BANKS, "go nodes 70"),
        ({"depth": 3, "nodes": 70}, BANKS, "go nodes 70 depth 3"),
    ],
)
def test_a_search_of_fixed_size_has_no_clock(
    tmp_path: Path, options: dict[str, int], clock: dict[str, Any], expected: str
) -> None:
    left = min((each for each in (clock["move"], clock["bank"]) if each), default=None)
    banks = {"banks": [8.0, 7.0]} if clock["bank"] else {}
    with engine(tmp_path, go=["bestmove e2e4"]) as talk:
        talk.hello()
        talk.start(clock, **options)
        talk.act(left, **banks)
        assert talk.sent("go") == [expected]


def test_an_engine_gets_the_moves_to_the_next_bank(tmp_path: Path) -> None:
    clock = BANKS | {"move": None, "moves": 3}
    with engine(tmp_path, go=["bestmove e2e4"]) as talk:
        talk.hello()
        for _ in range(2):
            talk.start(clock)
            for _ in range(4):
                talk.act(8.0, banks=[8.0, 7.0])
        ends = [line.split(" movestogo ")[1] for line in talk.sent("go")]
        assert ends == ["3", "2", "1", "3"] * 2


def test_names_of_an_engine_have_spaces(tmp_path: Path) -> None:
    options = ["Clear Hash type button", "Skill Level type spin", "Book File type string"]
    said = ["id name Stockfish 17.1 64", *(f"option name {each}" for each in options), "uciok"]
    with engine(tmp_path, uci=said, go=["bestmove e2e4"]) as talk:
        assert talk.hello()["name"] == "Stockfish 17.1 64"
        talk.start(Clear_Hash="", skill_level=3, Book_File="my book.bin")
        assert talk.sent("setoption") == [
            "setoption name Clear Hash",
            "setoption name Skill Level value 3",
            "setoption name Book File value my book.bin",
        ]
        talk.start(No_Option=1)
        assert "Stockfish 17.1 64 has no option No_Option" in talk.told()


SILENCES: dict[str, tuple[dict[str, list[str | float]], str]] = {
    "no uciok": ({"uci": ["no net found", "see --help", 3]}, "ended before uciok (exit status 3)"),
    "no readyok": (
        {"isready": ["no net found", "see --help", 3]},
        "ended before readyok (exit status 3)",
    ),
    "no bestmove": (
        {"go": ["no net found", "see --help", 0]},
        "ended before bestmove (exit status 0)",
    ),
    "too slow": (
        {"go": ["no net found", "see --help", 1.0, 0]},
        "no bestmove in time: it ran out",
    ),
}


@pytest.mark.parametrize("case", SILENCES)
def test_the_last_lines_of_an_engine_explain_its_silence(tmp_path: Path, case: str) -> None:
    script, expected = SILENCES[case]
    with engine(tmp_path, **script) as talk:
        for ask in (talk.hello, partial(talk.start, nodes=7), partial(talk.act, 0.1)):
            if isinstance(ask(), Silence):
                break
        said = talk.told()
    assert expected in said
    assert "'no net found', 'see --help'" in said
    assert ("before the limit of its search, nodes 7" in said) == (case == "too slow")


def test_an_engine_that_never_starts_has_its_last_lines_shown(tmp_path: Path) -> None:
    with engine(tmp_path, uci=["no net found", 60.0]) as talk:
        assert talk.hello(1.0) is Silence.TIMED_OUT
        assert talk.told() == "uci: no uciok in time; its last lines: 'no net found'\n"
