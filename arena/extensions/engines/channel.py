"""The channel to an engine that speaks UCI: it translates between the two protocols.

The referee asks an engine as any bot, by messages of arena's protocol. The channel sends the
engine the same in UCI and makes the answer from its output, under the same deadline and bounds.
Options of the bot are options of the engine, but for ``nodes``, ``depth`` and ``movetime``
(milliseconds), which limit every search. ``_`` in a name stands for a space.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from time import monotonic_ns
from typing import Any, Final, TypeAlias

import msgspec

from arena.extensions.engines.uci import LIMITS
from arena.hosting.process import BotProcess
from arena.referee.channel import PipeChannel, Reply, Silence
from arena.referee.deadline import SECOND
from arena.referee.protocol import Choice, LineBuffer, Ready
from arena.referee.session import exit_text
from arena.values.results import TimeControl

MARGIN: Final = 0.03
"""Time that is kept for the way to the referee: an engine gets less by that, in seconds."""
_CHESS960: Final = "uci_chess960"
_KEPT: Final = 3
"""Number of an engine's last lines that explain its end or its silence."""
_LINE_SHOWN: Final = 200
"""Bytes of a line of an engine that are shown."""
_PV_LENGTH: Final = 20
"""Moves of the expected line that are kept."""
_INFOS: Final = 256
"""Number of an engine's last evaluations in which that of its move is looked for."""
_INFO_BYTES: Final = 1024
"""Beginning of an evaluation that is read, in bytes."""
_OPTIONS: Final = 1000
"""Number of an engine's options that are known; more are ignored."""
_OPTIONS_SHOWN: Final = 1500
"""Bytes of a text that lists the options of an engine."""

Hearer: TypeAlias = Callable[[bytes], object]


class _EngineHello(msgspec.Struct, tag="hello"):
    pass


class _EngineStart(msgspec.Struct, tag="start"):
    clock: TimeControl
    options: dict[str, Any]
    bot_options: dict[str, Any] = {}


class _EnginePosition(msgspec.Struct):
    start: str
    moves: list[str]


class _EngineAct(msgspec.Struct, tag="act"):
    id: str
    time_left: float | None
    observation: _EnginePosition
    banks: tuple[float, ...] = ()


_encode: Final = msgspec.json.Encoder().encode
_decode: Final = msgspec.json.Decoder(_EngineHello | _EngineStart | _EngineAct).decode


class EngineLines(LineBuffer):
    """A buffer that returns the lines that are awaited, one after the other, and hears the rest."""

    __slots__ = ("_hears", "_is_cut", "awaited")

    def __init__(self, limit: int, hears: Callable[[bytes], object] = lambda line: None) -> None:
        """``limit``: largest part of a line that is held, in bytes; more of it is lost.

        ``hears`` gets every line that is not awaited.
        """
        super().__init__(limit)
        self._hears = hears
        self._is_cut = False
        """True if the beginning of the line that is held was lost."""
        self.awaited: list[bytes] = []
        """First words of the lines that are awaited; only the last one is returned."""

    def beginning(self, size: int) -> EngineLines:
        """Return a buffer with the first ``size`` bytes that waits for the same and hears none."""
        part = EngineLines(self._limit)
        part.awaited, part.held, part._is_cut = [*self.awaited], self.held[:size], self._is_cut
        return part

    def take(self) -> bytes | None:
        """Return the line whose first word is the last one awaited; None if it is not there."""
        *whole, rest = self.held.split(b"\n")
        for at, line in enumerate(whole, 1):
            is_whole, self._is_cut = not self._is_cut, False
            if is_whole and self.awaited and line.split(None, 1)[:1] == self.awaited[:1]:
                del self.awaited[0]
                if not self.awaited:
                    self.held = b"\n".join((*whole[at:], rest))
                    return line
            self._hears(line)
        self._is_cut |= len(rest) > self._limit
        self.held = rest[-self._limit :]
        return None


class UciChannel(PipeChannel):
    """A channel to a process that speaks UCI."""

    _end = b"\n\n"  # no single line ends so: every output is searched for the answer
    is_joint = False

    def __init__(
        self, process: BotProcess, reply_limit: int, stderr_limit: int, pondering: bool = True
    ) -> None:
        """Open the channel; the arguments of ``PipeChannel``."""
        super().__init__(process, reply_limit, stderr_limit, pondering)
        self._lines: EngineLines = EngineLines(reply_limit, self._hear)
        self._hears: Hearer = self._drop
        """Hearer of the lines before the one that is awaited."""
        self._last: deque[bytes] = deque(maxlen=_KEPT)
        self._name = "the engine"
        self._options: dict[str, str] = {}
        """Name of each option of the engine, by the name in small letters with ``_``."""
        self._game: _EngineStart | None = None
        self._limits: dict[str, int] = {}
        """Limits of every search in this game, by name."""
        self._infos: deque[bytes] = deque(maxlen=_INFOS)
        """Last evaluations of the current search."""
        self._answers = 0
        """Number of answers in this game."""
        self._is_silent = False
        """True if the last question had no answer."""
        self._is_prompt = False
        """True if the engine answers ``isready`` at once, so that this costs no time of a move."""

    def ask(self, question: bytes | bytearray, allowance: int | None) -> Reply:
        """See Channel. The answer is a message of arena's protocol."""
        try:
            message = _decode(question)
        except msgspec.ValidationError as error:
            return f"uci: an engine plays chess only: {error}".encode()
        if isinstance(message, _EngineAct):
            return self._choose(message, allowance)
        if isinstance(message, _EngineStart):
            return self._start(message, allowance)
        reply = self._answer(["uciok"], ["uci"], allowance, self._learn)
        return reply if isinstance(reply, Silence) else self._ready()

    def tell(self, line: bytes) -> None:
        """See Channel. How a game ended is nothing to an engine."""

    def dismiss(self, farewell: bytes) -> None:
        """See Channel."""
        super().tell(b"quit\n")
        super().dismiss(farewell)

    def rest(self) -> bytes:
        """See Channel. Empty after an answer: an engine may write what it likes behind it."""
        return self._lines.held if self._is_silent else b""

    def _ready(self) -> bytes:
        return _encode(Ready(1, name=self._name, wants=("observation",), prepares=True))

    def _start(self, message: _EngineStart, allowance: int | None) -> Reply:
        """Prepare for a game, which has not begun."""
        self._game, self._answers = message, 0
        options = message.bot_options
        self._limits = {name: options[name] for name in LIMITS if options.get(name)}
        given = {name: value for name, value in options.items() if name not in LIMITS}
        if _CHESS960 in self._options:
            given[_CHESS960] = message.options.get("start") == "chess960"
        try:
            lines = [self._set(name, value) for name, value in given.items()]
        except ValueError as error:
            self._note(f"{self._name} {error}")
            return f"uci: {self._name} {error}".encode()
        lines += ["ucinewgame", "isready"]
        reply = self._answer(["readyok"], lines, allowance, self._drop)
        if isinstance(reply, bytes):
            asked = monotonic_ns()  # what follows only measures, so it has all the time again
            reply = self._answer(["readyok"], ["isready"], allowance, self._drop)
            self._is_prompt = monotonic_ns() - asked < MARGIN * SECOND
        return reply if isinstance(reply, Silence) else self._ready()

    def _set(self, name: str, value: object) -> str:
        """Return the line that sets an option. Raises ValueError.

        ``name`` may be written with ``_`` for spaces.
        """
        known = self._options.get(_plain(name))
        if known is None:
            near = ", ".join(sorted(self._options.values())) or "none"
            raise ValueError(_cut(f"has no option {name}, expected one of: {near}", _OPTIONS_SHOWN))
        text = str(value).lower() if isinstance(value, bool) else str(value)
        if "\n" in text or "\r" in text:
            raise ValueError(f"has no value of several lines for the option {known}")
        return f"setoption name {known} value {text}" if text else f"setoption name {known}"

    def _choose(self, message: _EngineAct, allowance: int | None) -> Reply:
        """Return the answer to an ``act``.

        What the engine wrote since its last answer must not answer this question: what has arrived
        is dropped, and what comes before ``readyok``. An engine that is slow to answer ``isready``
        would lose time of its move by that, so it is not asked.
        """
        seen, lines = message.observation, ["isready"] * self._is_prompt
        self._drop_arrived()
        self._infos.clear()
        moves = f" moves {' '.join(seen.moves)}" if seen.moves else ""
        lines += [f"position fen {seen.start}{moves}", f"go{''.join(self._bounds(message))}"]
        words = ("readyok", "bestmove")[not self._is_prompt :]
        reply = self._answer(words, lines, allowance, self._search)
        if isinstance(reply, Silence):
            return reply
        self._answers += 1
        said = _words(reply)
        move = {"type": "move", "uci": _cut(said[1], 64) if len(said) > 1 else ""}
        text = _cut(" ".join(said), _LINE_SHOWN)
        return _encode(Choice(message.id, move, self._info(), text))

    def _bounds(self, message: _EngineAct) -> Iterator[str]:
        """Yield the limits of a search as ``go`` wants them.

        With a number of nodes or a depth, the search must not depend on the speed of the machine.
        """
        for name, value in self._limits.items():
            yield f" {name} {value}"
        if self._game is None or {"nodes", "depth"} & self._limits.keys():
            return
        clock, is_free = self._game.clock, not self._limits
        if message.banks:
            for color, seconds in zip("wb", message.banks, strict=True):
                yield f" {color}time {_milliseconds(seconds)}"
                yield f" {color}inc {int(1000 * clock.increment)}"
            is_free = False
            if clock.moves:
                yield f" movestogo {clock.moves - self._answers % clock.moves}"
        if clock.move is not None and "movetime" not in self._limits:
            yield f" movetime {_milliseconds(message.time_left or 0)}"
        elif is_free:
            yield " infinite"

    def _answer(
        self, words: Sequence[str], lines: Sequence[str], allowance: int | None, hears: Hearer
    ) -> Reply:
        """Send lines; return the line that begins with the last of ``words``, or the silence.

        It counts only behind lines that begin with the words before it. ``hears`` gets what lies
        between.
        """
        word = words[-1]
        self._lines.awaited = [each.encode() for each in words]
        self._hears = hears
        self._last.clear()
        if self._outbox:
            super().tell(b"")  # stops if the engine has left too much unread
        reply = super().ask("".join(f"{line}\n" for line in lines).encode(), allowance)
        self._is_silent = isinstance(reply, Silence)
        if isinstance(reply, Silence):
            self._explain(reply, (self._lines.awaited or [word.encode()])[0].decode())
        return reply

    def _hear(self, line: bytes) -> None:
        """Keep what explains a silence, and let the line be heard."""
        if line.strip():
            self._last.append(line[:_LINE_SHOWN])
        hears = self._drop if len(self._lines.awaited) > 1 else self._hears
        hears(line)

    def _drop_arrived(self) -> None:
        """Drop what the engine wrote since its last answer, as far as it has arrived."""
        self._hears = self._drop
        self._lines.awaited.clear()
        self._lines.take()  # what came with the last answer
        self._drain(self._process.stdout, self._feed)

    def _feed(self, data: bytes) -> bool:
        """Hear what nobody waits for; nothing of it is held but the beginning of a line."""
        more = super()._feed(data)
        if self._lines.awaited:
            return more
        self._lines.take()
        return True

    def _learn(self, line: bytes) -> None:
        """Keep what a line before ``uciok`` says: the name of the engine or of an option."""
        words = _words(line)
        if words[:2] == ["id", "name"]:
            self._name = _cut(" ".join(words[2:]), 64)
        elif words[:2] == ["option", "name"] and len(self._options) < _OPTIONS:
            *_, last = [at for at, word in enumerate(words[:-1]) if word == "type"] or [2]
            name = " ".join(words[2:last])
            if 0 < len(name) <= _LINE_SHOWN:
                self._options[_plain(name)] = name

    def _search(self, line: bytes) -> None:
        """Keep an evaluation; most are never read, so a flood of them costs little."""
        if b"score" in line:
            self._infos.append(line[:_INFO_BYTES])

    def _info(self) -> dict[str, Any] | None:
        """Return the last exact evaluation of the best move."""
        return next(filter(None, map(info_of, map(_words, reversed(self._infos)))), None)

    def _drop(self, line: bytes) -> None:
        """Note an answer that nobody asked for."""
        if line.split(None, 1)[:1] == [b"bestmove"]:
            said = _cut(" ".join(_words(line)), _LINE_SHOWN)
            self._note(f"dropped an answer to no question: {said}")

    def _explain(self, silence: Silence, word: str) -> None:
        """Note the last lines of an engine that did not answer."""
        last = [*self._last, self._lines.held] if self._lines.held.strip() else [*self._last]
        texts = [repr(" ".join(_words(line[:_LINE_SHOWN]))) for line in last[-_KEPT:]]
        said = f"its last lines: {', '.join(texts)}" if texts else "it has written nothing"
        limits = " and ".join(f"{name} {value}" for name, value in self._limits.items())
        match silence:
            case Silence.ENDED:
                what = f"{self._name} ended before {word} ({exit_text(self.exit_status())})"
            case Silence.TIMED_OUT if limits and word == "bestmove":
                what = f"no {word} in time: it ran out before the limit of its search, {limits}"
            case Silence.TIMED_OUT:
                what = f"no {word} in time"
            case _:
                what = f"no {word}: {silence.value}"
        self._note(f"{what}; {said}")

    def _note(self, what: str) -> None:
        """Add a line for people to the standard error of the engine."""
        self._keep(f"uci: {what}\n".encode())


def _words(line: bytes) -> list[str]:
    return line.decode("utf-8", "replace").split()


def _plain(name: str) -> str:
    """Return the name of an option in small letters, with ``_`` for all but letters and digits."""
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")


def _milliseconds(seconds: float) -> int:
    """Return the time that an engine may use."""
    return max(1, int(1000 * (seconds - MARGIN)))


def _cut(text: str, size: int) -> str:
    """Return the beginning of a text, at most ``size`` bytes in UTF-8."""
    return text.encode()[:size].decode("utf-8", "ignore")


def info_of(words: list[str]) -> dict[str, Any] | None:
    """Return what a line says of the best move, or None unless it evaluates it exactly.

    Evaluations of other moves (``multipv`` from 2 on) and bounds do not count. ``eval`` is in
    pawns, from the engine's own point of view.
    """
    ends = (at for at, word in enumerate(words) if word in ("pv", "string"))
    end = next(ends, len(words))  # what follows is moves or free text
    fields, line = words[:end], words[end : end + 1 + _PV_LENGTH]
    score, mate = _number(fields, "cp"), _number(fields, "mate")
    if words[:1] != ["info"] or {"lowerbound", "upperbound"} & {*fields}:
        return None
    if _number(fields, "multipv") not in (None, 1) or "score" not in fields:
        return None
    if mate is not None:
        info: dict[str, Any] = {"eval": 1000.0 - mate if mate > 0 else -1000.0 - mate, "mate": mate}
    elif score is not None:
        info = {"eval": score / 100}
    else:
        return None
    for name in ("depth", "nodes", "time"):
        if (value := _number(fields, name)) is not None:
            info[name] = value
    if line[:1] == ["pv"] and line[1:]:
        info["text"] = _cut(" ".join(line[1:]), 200)
    return info


def _number(words: list[str], name: str) -> int | None:
    """Return the whole number after ``name``; None if it is missing or has more than 15 digits."""
    after = words[words.index(name) + 1 :][:1] if name in words else []
    return int(after[0]) if after and re.fullmatch(r"-?[0-9]{1,15}", after[0]) else None
