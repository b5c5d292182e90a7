"""The bridge to an engine, spoken to as the referee does; what an engine writes is a script."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from arena.extensions.engines import bridge as uci_bridge

pytestmark = pytest.mark.process

ENGINE = """
import json, sys, time
script, log = json.loads(sys.argv[1]), open(sys.argv[2], "a", buffering=1)
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


class Bridge(NamedTuple):
    """A running bridge."""

    process: subprocess.Popen[str]
    log: Path
    """What the engine was sent."""

    def tell(self, **message: Any) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def hear(self) -> Any:
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline() or "null")

    def start(self, clock: Any = CLOCK, **options: Any) -> Any:
        """Begin a game; return the answer, which is off its clock."""
        start = {"type": "start", "seat": 0, "clock": clock, "bot_options": options}
        self.tell(**start, options={"start": "standard"})
        return self.hear()

    def act(self, time_left: float | None = 10.0, **more: Any) -> Any:
        self.tell(
            type="act", id="q", time_left=time_left, observation={"start": FEN, "moves": []}, **more
        )
        return self.hear()

    def ended(self) -> str:
        """Return the standard error of the bridge, whose input is closed."""
        return self.process.communicate(timeout=20)[1]

    def sent(self, word: str) -> list[str]:
        return [line for line in self.log.read_text().splitlines() if line.split()[0] == word]


@contextmanager
def bridge(
    folder: Path, startup: float = 10.0, **script: Sequence[str | float]
) -> Iterator[Bridge]:
    """A bridge to an engine that writes these lines for each first word that it is sent.

    A float is a pause in seconds, an integer the end with that code.
    """
    log = folder / "log"
    log.write_text("")
    (folder / "engine.py").write_text(ENGINE)
    engine = [sys.executable, str(folder / "engine.py"), json.dumps(script), str(log)]
    command = [sys.executable, "-I", "-S", "-c", Path(uci_bridge.__file__).read_text(), *engine]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as process:
        made = Bridge(process, log)
        made.tell(type="hello", protocol=[1], startup=startup)
        try:
            yield made
        finally:
            process.kill()


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
    with bridge(tmp_path, go=[*lines, " \tbestmove e2e4\r"]) as talk:
        talk.hear()
        talk.start()
        answer = talk.act()
    assert answer["action"] == {"type": "move", "uci": "e2e4"}
    assert answer.get("info") == expected


@pytest.mark.parametrize("pause", [0.0, 0.1], ids=["prompt", "slow to answer isready"])
def test_no_answer_outlives_its_question(tmp_path: Path, pause: float) -> None:
    again = ["bestmove e2e4", "bestmove e2e3", "info score cp 9"]
    with bridge(tmp_path, isready=[pause, "bestmove a2a3", "readyok"], go=again) as talk:
        talk.hear()
        for _ in range(2):
            talk.start()
            for _ in range(3):
                assert talk.act()["action"]["uci"] == "e2e4"
                time.sleep(pause)  # it can only be known of a prompt engine that it wrote all
            if pause:
                assert len(talk.sent("isready")) % 2 == 0, "only to begin a game"
        assert "dropped an answer to no question: bestmove e2e3" in talk.ended()


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
    with bridge(tmp_path, go=["bestmove e2e4"]) as talk:
        talk.hear()
        talk.start(clock, **options)
        talk.act(left, **banks)
        assert talk.sent("go") == [expected]


def test_an_engine_gets_the_moves_to_the_next_bank(tmp_path: Path) -> None:
    clock = BANKS | {"move": None, "moves": 3}
    with bridge(tmp_path, go=["bestmove e2e4"]) as talk:
        talk.hear()
        for _ in range(2):
            talk.start(clock)
            for _ in range(4):
                talk.act(8.0, banks=[8.0, 7.0])
        ends = [line.split(" movestogo ")[1] for line in talk.sent("go")]
        assert ends == ["3", "2", "1", "3"] * 2


def test_names_of_an_engine_have_spaces(tmp_path: Path) -> None:
    options = ["Clear Hash type button", "Skill Level type spin", "Book File type string"]
    said = ["id name Stockfish 17.1 64", *(f"option name {each}" for each in options), "uciok"]
    with bridge(tmp_path, uci=said, go=["bestmove e2e4"]) as talk:
        assert talk.hear()["name"] == "Stockfish 17.1 64"
        talk.start(Clear_Hash="", skill_level=3, Book_File="my book.bin")
        assert talk.sent("setoption") == [
            "setoption name Clear Hash",
            "setoption name Skill Level value 3",
            "setoption name Book File value my book.bin",
        ]
        talk.start(No_Option=1)
        assert "Stockfish 17.1 64 has no option No_Option" in talk.ended()


SILENCES: dict[str, tuple[dict[str, list[str | float]], str]] = {
    "no uciok": ({"uci": ["no net found", "see --help", 3]}, "ended with code 3 before uciok"),
    "no readyok": ({"isready": ["no net found", "see --help", 3]}, "code 3 before readyok"),
    "no bestmove": ({"go": ["no net found", "see --help", 0]}, "code 0 before bestmove"),
    "too slow": (
        {"go": ["no net found", "see --help", 1.0, 0]},
        "no bestmove yet, the clock ran out",
    ),
}


@pytest.mark.parametrize("case", SILENCES)
def test_the_last_lines_of_an_engine_explain_its_silence(tmp_path: Path, case: str) -> None:
    script, expected = SILENCES[case]
    with bridge(tmp_path, **script) as talk:
        if talk.hear():
            talk.start(nodes=7)
            talk.process.poll() is None and talk.act(0.1)
        said = talk.ended()
    assert expected in said
    assert "its last lines: 'no net found', 'see --help'" in said
    assert ("before the limit of its search, nodes 7" in said) == (case == "too slow")


def test_an_engine_that_never_starts_is_named_before_its_time_is_over(tmp_path: Path) -> None:
    with bridge(tmp_path, startup=1.0, uci=["no net found", 60.0]) as talk:
        assert talk.process.stderr is not None
        begun = time.monotonic()
        said = talk.process.stderr.readline()
        assert time.monotonic() - begun < 10
    assert said == "uci: no uciok yet; its last lines: 'no net found'\n"
