"""Let an engine that speaks UCI play as a bot: this program speaks the protocol of arena for it.

arena starts ``python3 -c THIS_TEXT ENGINE ARGUMENTS`` as the process of the bot, in the same
isolation as any other, with the engine as its child. It imports nothing of arena. Options of the
bot are options of the engine, but for ``nodes``, ``depth`` and ``movetime`` (milliseconds), which
limit every search. ``_`` in a name stands for a space.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import select
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, NoReturn, cast

LIMITS = ("nodes", "depth", "movetime")
MARGIN = 0.03
"""Part of a second that the way to the referee may take."""
NEVER = 1e9
PAUSE = 0.01
"""Seconds of silence after which an engine is taken to have written all that it had to say."""
CHESS960 = "uci_chess960"
READY = {"type": "ready", "protocol": 1, "wants": ["observation"], "prepares": True}
KEPT = 3
"""Number of an engine's last lines that explain its end or its silence."""
LINE_SHOWN = 200
"""Bytes of a line of an engine that are shown."""
PV_LENGTH = 20
"""Moves of the expected line that are kept."""
LONGEST = 1 << 20
"""Bytes of a line of an engine that are read; the beginning of a longer one is lost."""


class EngineProcess:
    """The process of an engine, and the lines it writes."""

    def __init__(self, words: list[str]) -> None:
        self.name = os.path.basename(words[0])
        try:
            self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        except OSError as error:
            self.fail(f"cannot be started: {error.strerror}")
        self.input: Any = self.process.stdin
        self.output: int = cast("Any", self.process.stdout).fileno()
        self.whole: deque[bytes] = deque()
        """Lines that have arrived."""
        self.rest = b""
        """Beginning of the next line."""
        self.last: deque[bytes] = deque(maxlen=KEPT)
        self.options: dict[str, str] = {}
        """Name of each option of the engine, by the name in small letters with ``_``."""
        self.limits: dict[str, int] = {}
        """Limits of every search in this game, by name."""
        self.info: dict[str, Any] = {}
        """Remark on the current search, which is sent with the move."""
        self.answers = 0
        """Number of answers in this game."""
        self.is_prompt = False
        """True if the engine answers ``isready`` at once, so that this costs no time of a move."""

    def fail(self, what: str) -> NoReturn:
        """End, with the reason for the referee on standard error."""
        sys.exit(f"uci: {self.name} {what}")

    def note(self, what: str) -> None:
        """Write a line for people to standard error."""
        sys.stderr.write(f"uci: {what}\n")
        sys.stderr.flush()

    def send(self, line: str) -> None:
        """Write a line to the engine."""
        with contextlib.suppress(BrokenPipeError):  # the end of its output says more
            self.input.write(line.encode() + b"\n")
            self.input.flush()

    def until(
        self, word: str, hears: Callable[[list[str]], object], limit: float = NEVER, why: str = ""
    ) -> bytes:
        """Return the line whose first word is ``word``; ``hears`` gets the words of those before.

        Ends if the engine does. Notes the last lines after ``limit`` seconds, once, with ``why``.
        """
        self.last.clear()
        noted_at = time.monotonic() + limit
        while True:
            for line in self.lines():
                if line.split(None, 1)[:1] == [word.encode()]:
                    return line
                self.last.append(line[:LINE_SHOWN])
                hears(line.decode("utf-8", "replace").split())
            wait = max(0.0, noted_at - time.monotonic())
            if not (wait and select.select([self.output], [], [], wait)[0]):
                self.note(f"no {word} yet{why}; {self.said()}")
                noted_at += NEVER
            self.receive(f"before {word}")

    def lines(self) -> Iterator[bytes]:
        """Yield the whole lines that have arrived, each once."""
        while self.whole:
            yield self.whole.popleft()

    def receive(self, when: str) -> None:
        """Wait for output of the engine, and keep it. Ends if the engine does, ``when`` it did."""
        data = os.read(self.output, 1 << 16)
        if not data:
            code = self.process.wait()
            how = f"was killed by signal {-code}" if code < 0 else f"ended with code {code}"
            self.fail(f"{how} {when}; {self.said()}")
        *whole, rest = (self.rest + data).split(b"\n")
        self.whole.extend(whole)
        self.rest = rest[-LONGEST:]

    def said(self) -> str:
        """Return the last lines in words."""
        last = [*self.last, self.rest] if self.rest.strip() else [*self.last]
        texts = [
            repr(line[:LINE_SHOWN].decode("utf-8", "replace").strip()) for line in last[-KEPT:]
        ]
        return f"its last lines: {', '.join(texts)}" if texts else "it has written nothing"

    def begin(self, startup: float) -> None:
        """Get to know the engine.

        The time for it began before this program did. So silence is noted after half of it.
        """
        self.send("uci")
        self.until("uciok", self.learn, startup / 2)

    def learn(self, words: list[str]) -> None:
        """Keep what a line before ``uciok`` says: the name of the engine or of an option."""
        if words[:2] == ["id", "name"]:
            self.name = cut(" ".join(words[2:]), 64)
        elif words[:2] == ["option", "name"] and "type" in words:
            name = " ".join(words[2 : words.index("type")])
            self.options[plain(name)] = name

    def set(self, name: str, value: object) -> None:
        """Set an option of the engine, whose name may be written with ``_`` for spaces."""
        known = self.options.get(plain(name))
        if known is None:
            near = ", ".join(sorted(self.options.values())) or "none"
            self.fail(f"has no option {name}, expected one of: {near}"[:2000])
        text = str(value).lower() if isinstance(value, bool) else str(value)
        if "\n" in text or "\r" in text:
            self.fail(f"has no value of several lines for the option {known}")
        self.send(f"setoption name {known} value {text}" if text else f"setoption name {known}")

    def start(self, message: dict[str, Any]) -> None:
        """Prepare for a game, which has not begun."""
        self.game, self.answers = message, 0
        options = message.get("bot_options", {})
        self.limits = {name: options[name] for name in LIMITS if options.get(name)}
        for name, value in options.items():
            if name not in LIMITS:
                self.set(name, value)
        if CHESS960 in self.options:
            self.set(CHESS960, message["options"].get("start") == "chess960")
        self.send("ucinewgame\nisready")
        self.until("readyok", self.drop, message["clock"]["startup"] - MARGIN)
        self.send("isready")
        asked = time.monotonic()
        self.until("readyok", self.drop)
        self.is_prompt = time.monotonic() - asked < MARGIN

    def settle(self, limit: float) -> None:
        """Drop what the engine wrote since its last answer: it must not answer the next question.

        An engine that is slow to answer ``isready`` would lose time of its move by that. Of such an
        engine, only what arrives without a pause is dropped.
        """
        if self.is_prompt:
            self.send("isready")
            self.until("readyok", self.drop, limit)
            return
        while select.select([self.output], [], [], PAUSE)[0]:
            self.receive("before it was asked")
        for line in self.lines():
            self.drop(line.decode("utf-8", "replace").split())

    def drop(self, words: list[str]) -> None:
        """Note an answer that nobody asked for."""
        if words[:1] == ["bestmove"]:
            self.note(f"dropped an answer to no question: {cut(' '.join(words), 200)}")

    def choose(self, message: dict[str, Any]) -> dict[str, Any]:
        """Return the answer to an ``act``."""
        seen, left = message["observation"], message["time_left"]
        limit = left - MARGIN if left else NEVER
        self.settle(limit)
        self.info = {}
        moves = f" moves {' '.join(seen['moves'])}" if seen["moves"] else ""
        self.send(f"position fen {seen['start']}{moves}\ngo{self.bounds(message)}")
        line = self.until("bestmove", self.hear, limit, self.why())
        self.answers += 1
        words = line.decode("utf-8", "replace").split()
        said = cut(" ".join(words), LINE_SHOWN)
        answer = {"type": "action", "id": message["id"], "said": said}
        answer["action"] = {"type": "move", "uci": cut(words[1], 64) if len(words) > 1 else ""}
        return answer | ({"info": self.info} if self.info else {})

    def hear(self, words: list[str]) -> None:
        """Keep the last exact evaluation of the best move."""
        if words[:1] == ["info"]:
            self.info = info_of(words) or self.info

    def bounds(self, message: dict[str, Any]) -> str:
        """Return the limits of a search as ``go`` wants them.

        With a number of nodes or a depth, the search must not depend on the speed of the machine.
        """
        parts = [f" {name} {value}" for name, value in self.limits.items()]
        if {"nodes", "depth"} & self.limits.keys():
            return "".join(parts)
        clock, left = self.game["clock"], message["time_left"]
        banks = message.get("banks")
        if banks:
            for color, seconds in zip("wb", banks, strict=True):
                parts.append(f" {color}time {milliseconds(seconds)}")
                parts.append(f" {color}inc {int(1000 * clock['increment'])}")
            if "moves" in clock:
                parts.append(f" movestogo {clock['moves'] - self.answers % clock['moves']}")
        if clock["move"] is not None and "movetime" not in self.limits:
            parts.append(f" movetime {milliseconds(left)}")
        return "".join(parts) or " infinite"

    def why(self) -> str:
        """Return why a search may outlast its time."""
        limits = " and ".join(f"{name} {value}" for name, value in self.limits.items())
        return f", the clock ran out before the limit of its search, {limits}" if limits else ""


def plain(name: str) -> str:
    """Return the name of an option in small letters, with ``_`` for all but letters and digits."""
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")


def milliseconds(seconds: float) -> int:
    """Return the time that an engine may use."""
    return max(1, int(1000 * (seconds - MARGIN)))


def cut(text: str, size: int) -> str:
    """Return the beginning of a text, at most ``size`` bytes in UTF-8."""
    return text.encode()[:size].decode("utf-8", "ignore")


def info_of(words: list[str]) -> dict[str, Any] | None:
    """Return what a line of ``info`` says of the best move, or None unless it evaluates it exactly.

    Evaluations of other moves (``multipv`` from 2 on) and bounds do not count.
    ``eval`` is in pawns, from the engine's own point of view.
    """
    ends = (at for at, word in enumerate(words) if word in ("pv", "string"))
    end = next(ends, len(words))  # what follows is moves or free text
    fields, line = words[:end], words[end : end + 1 + PV_LENGTH]
    score, mate = number(fields, "cp"), number(fields, "mate")
    is_bound = "lowerbound" in fields or "upperbound" in fields
    if is_bound or number(fields, "multipv") not in (None, 1) or "score" not in fields:
        return None
    if mate is not None:
        info: dict[str, Any] = {"eval": 1000.0 - mate if mate > 0 else -1000.0 - mate, "mate": mate}
    elif score is not None:
        info = {"eval": score / 100}
    else:
        return None
    for name in ("depth", "nodes", "time"):
        if (value := number(fields, name)) is not None:
            info[name] = value
    if line[:1] == ["pv"] and line[1:]:
        info["text"] = cut(" ".join(line[1:]), 200)
    return info


def number(words: list[str], name: str) -> int | None:
    """Return the whole number after ``name``; None if it is missing or has more than 15 digits."""
    after = words[words.index(name) + 1 :][:1] if name in words else []
    return int(after[0]) if after and re.fullmatch(r"-?[0-9]{1,15}", after[0]) else None


def main() -> None:
    """Answer the referee until it says goodbye."""
    engine = EngineProcess(sys.argv[1:])
    for line in sys.stdin:
        message = json.loads(line)
        kind = message["type"]
        answer = None
        if kind == "hello":
            engine.begin(message["startup"])
            answer = READY | {"name": engine.name}
        elif kind == "start":
            engine.start(message)
            answer = READY
        elif kind == "act":
            answer = engine.choose(message)
        elif kind == "bye":
            engine.send("quit")
            with contextlib.suppress(subprocess.TimeoutExpired):
                engine.process.wait(0.4)
            break
        if answer is not None:
            sys.stdout.write(json.dumps(answer) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
