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
from typing import Any, NoReturn, cast

LIMITS = ("nodes", "depth", "movetime")
MARGIN = 0.03
"""Part of a second that the way to the referee may take."""
NEVER = 1e9
CHESS960 = "uci_chess960"
KEPT = 1000
"""Lines of an engine that are kept while it thinks."""


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
        self.rest = b""
        self.last = ""
        self.author = ""
        self.options: dict[str, str] = {}
        """Name of each option of the engine, by the name in small letters with ``_``."""

    def fail(self, what: str) -> NoReturn:
        """End, with the reason for the referee on standard error."""
        sys.exit(f"uci: {self.name} {what}")

    def send(self, line: str) -> None:
        """Write a line to the engine."""
        with contextlib.suppress(BrokenPipeError):  # the end of its output says more
            self.input.write(line.encode() + b"\n")
            self.input.flush()

    def until(self, word: bytes, limit: float = NEVER) -> tuple[bytes, list[bytes]]:
        """Return the line that begins with ``word``, and the lines before it.

        Ends if the engine does. After ``limit`` seconds it says what the last line was, once.
        """
        told = time.monotonic() + limit
        before: list[bytes] = []
        while True:
            *whole, self.rest = self.rest.split(b"\n")
            for index, line in enumerate(whole):
                if line.startswith(word):
                    self.rest = b"\n".join([*whole[index + 1 :], self.rest])
                    return line, before
                before.append(line)
            before = before[-KEPT:]
            if before:
                self.last = before[-1].decode("utf-8", "replace").strip()
            wait = told - time.monotonic()
            if wait > 0 and not select.select([self.output], [], [], wait)[0]:
                sys.stderr.write(f"uci: no {word.decode()} yet; {self.said()}\n")
                sys.stderr.flush()
            data = os.read(self.output, 1 << 16)
            if not data:
                code = self.process.wait()
                self.fail(f"ended with code {code} before {word.decode()}; {self.said()}")
            self.rest = (self.rest + data)[-1 << 20 :]

    def said(self) -> str:
        """Return the last line in words."""
        last = self.rest.decode("utf-8", "replace").strip() or self.last
        return f"its last line: {last[:200]}" if last else "it has written nothing"

    def begin(self, startup: float) -> None:
        """Get to know the engine."""
        self.send("uci")
        for line in self.until(b"uciok", startup - MARGIN)[1]:
            words = line.decode("utf-8", "replace").split()
            if words[:2] == ["id", "name"]:
                self.name = " ".join(words[2:])[:64]
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
        self.send(f"setoption name {known} value {text}")

    def start(self, message: dict[str, Any]) -> None:
        """Begin a game. The time it takes is on the clock of the first answer."""
        began = time.monotonic()
        self.game = message
        options = message.get("bot_options", {})
        self.limits = {name: options[name] for name in LIMITS if options.get(name)}
        for name, value in options.items():
            if name not in LIMITS:
                self.set(name, value)
        if CHESS960 in self.options:
            self.set(CHESS960, message["options"].get("start") == "chess960")
        self.send("ucinewgame\nisready")
        self.until(b"readyok", message["clock"]["move"] or message["clock"]["bank"] or NEVER)
        self.spent = time.monotonic() - began

    def choose(self, message: dict[str, Any]) -> dict[str, Any]:
        """Return the answer to an ``act``."""
        seen, left = message["observation"], message["time_left"]
        if left is not None:
            left = message["time_left"] = left - self.spent
        banks = message.get("banks")
        if banks:
            banks[self.game["seat"]] -= self.spent
        self.spent = 0.0
        moves = f" moves {' '.join(seen['moves'])}" if seen["moves"] else ""
        self.send(f"position fen {seen['start']}{moves}\ngo{self.time(message)}")
        line, before = self.until(b"bestmove", left - MARGIN if left else NEVER)
        words = line.decode("utf-8", "replace").split()
        answer = {"type": "action", "id": message["id"]}
        answer["action"] = {"type": "move", "uci": words[1] if len(words) > 1 else ""}
        for text in reversed(before):
            if text.startswith(b"info ") and b" score " in text and b" string " not in text:
                with contextlib.suppress(ValueError, IndexError, OverflowError):
                    answer["info"] = told(text.decode("utf-8", "replace").split())
                break
        return answer

    def time(self, message: dict[str, Any]) -> str:
        """Return the limits of a search as ``go`` wants them."""
        parts = [f" {name} {value}" for name, value in self.limits.items()]
        clock, left = self.game["clock"], message["time_left"]
        banks = message.get("banks")
        if banks:
            for color, seconds in zip("wb", banks, strict=True):
                parts.append(f" {color}time {milliseconds(seconds)}")
                parts.append(f" {color}inc {int(1000 * clock['increment'])}")
        if clock["move"] is not None and "movetime" not in self.limits:
            parts.append(f" movetime {milliseconds(left)}")
        return "".join(parts) or " infinite"


def plain(name: str) -> str:
    """Return the name of an option in small letters, with ``_`` for all but letters and digits."""
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")


def milliseconds(seconds: float) -> int:
    """Return the time that an engine may use."""
    return max(1, int(1000 * (seconds - MARGIN)))


def told(words: list[str]) -> dict[str, Any]:
    """Return what the engine said of its move: ``eval`` in pawns, from its own point of view."""
    at = words.index("score")
    kind, value = words[at + 1], int(words[at + 2])
    info: dict[str, Any] = {"eval": value / 100}
    if kind == "mate":
        info = {"eval": 1000.0 - value if value > 0 else -1000.0 - value, "mate": value}
    for name in ("depth", "nodes", "time"):
        if name in words:
            info[name] = int(words[words.index(name) + 1])
    if "pv" in words:
        info["text"] = " ".join(words[words.index("pv") + 1 :][:20])
    return info


def main() -> None:
    """Answer the referee until it says goodbye."""
    engine = EngineProcess(sys.argv[1:])
    for line in sys.stdin:
        message = json.loads(line)
        kind = message["type"]
        answer = None
        if kind == "hello":
            engine.begin(message["startup"])
            answer = {"type": "ready", "protocol": 1, "name": engine.name, "wants": ["observation"]}
        elif kind == "start":
            engine.start(message)
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
