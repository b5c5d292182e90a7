"""Output of ``arena try``, line by line while a bot plays.

Text of a bot is made printable and cut. Messages to a bot are shown in words, then verbatim.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from arena.extensions.authors.trial import listening
from arena.extensions.authors.trial.transcript import Answer
from arena.games.base import Action
from arena.games.board import BoardDisplay, Json, TableInfo
from arena.games.guarded_board import board_of
from arena.referee.deadline import SECOND
from arena.referee.records.perspective import plain
from arena.referee.session import Offence, exit_text
from arena.referee.wire import Direction, WireMessage
from arena.values import clean
from arena.values.results import FaultKind, RulesSpec
from arena.views.game.replay import duration

_COLUMNS: Final = 160
"""Most columns of a message in either direction; the file of ``--wire`` has all of it."""
_ERROR_COLUMNS: Final = 400
_ERROR_LINES: Final = 40
"""Most lines of standard error shown at a time: the last ones."""
_STDERR_LINES: Final = 10
_INDENT: Final = " " * 6
_MIB: Final = 1 << 20
_IN_SECONDS: Final = 0.1
"""Least time of an answer, in seconds, that is shown in seconds, as limits are."""


class Narrator:
    """Converter of the events of one game into lines."""

    def __init__(
        self,
        rules: RulesSpec,
        names: Sequence[str],
        plies: Sequence[int] = (),
        limit: float | None = None,
    ) -> None:
        """Describe a game of ``rules``.

        ``names``: by seat. ``plies``: numbers of the plies of the questions, where they are known.
        ``limit``: seconds that an answer could take in the recorded game; None if it is unknown or
        there was none.
        """
        self._limit = limit
        self._wall = 0
        """Time that the last answer took, in nanoseconds."""
        self._verdict = ""
        self._found: listening.Diagnosis | None = None
        self._board: BoardDisplay = board_of(rules.name, rules.seats)
        self._table = TableInfo(tuple(names), rules.options)
        self._plies = plies
        self._asked: listening.DecisionDue | None = None
        """Question to be asked next, or that was asked last."""
        self._is_answered = True
        """True if the bot has answered the last question."""
        self._moves = 0
        self._all = self._same = 0
        """Number of answers compared with the recorded ones, and of those that are the same."""

    @clean.safe_lines
    def lines(self, event: listening.Event) -> Iterator[str]:
        """Yield the lines that describe an event."""
        match event:
            case listening.ProcessStarted(pid):
                yield f"process {pid}"
            case listening.DecisionDue():
                self._asked, self._is_answered = event, False
            case listening.Diagnosis():
                self._found = event
            case WireMessage(Direction.TO, data):
                yield from self._sent(data)
            case WireMessage(Direction.FROM, data):
                yield f"<  {_cut(data)}"
                yield from self._chosen(data)
            case WireMessage(Direction.ERROR, data):
                yield from _error_lines(data)
            case listening.Cost():
                self._wall = event.wall
                yield f"{_INDENT}{_cost(event)}"
            case listening.ComparedAnswer(before, now, is_same):
                told = (f"now:      {self._words(now)}",)
                self._judge(now, was_late=before is FaultKind.TIMEOUT)
                yield from self._compared(self._words(before), told, is_same=is_same)
            case listening.ComparedLine(before, is_same):
                told_before = "no answer" if before is None else _cut(before)
                yield from self._compared(told_before, (), is_same=is_same)

    @clean.safe_lines
    def conclusion(self, offence: Offence | None) -> Iterator[str]:
        """Yield lines on how many answers are as recorded, and on the fault that ended the game."""
        yield ""
        if self._all or offence is None:
            yield f"{self._same} of {self._all} answers as recorded"
        if self._verdict:
            yield self._verdict
        if offence is not None:
            yield from _offence_lines(offence)
            yield from self.advice()

    @clean.safe_lines
    def advice(self) -> Iterator[str]:
        """Yield the cause of the fault, under the name that a check gives it, and what to do."""
        if self._found is not None:
            cause = " / ".join(self._found.what.splitlines())
            yield f"cause: {self._found.name}: {cause}"
            yield f"what to do: {self._found.mend}"

    def _judge(self, now: Answer | FaultKind, *, was_late: bool) -> None:
        """Record whether an answer is in time; after several late answers the first is reported."""
        if self._limit is None or isinstance(now, Offence) or self._verdict:
            return
        seconds = self._wall / SECOND
        took = f"{seconds:.1f} s" if seconds >= _IN_SECONDS else duration(self._wall // 1000)
        took = f"{took}, the limit was {self._limit:g} s"
        if self._wall > self._limit * SECOND:
            again = "lost again" if was_late else "lost"
            self._verdict = f"{took}: it would be {again}"
        elif was_late:
            self._verdict = f"{took}: in time now"

    def _compared(self, before: str, more: Iterable[str], *, is_same: bool) -> Iterator[str]:
        self._all += 1
        self._same += is_same
        if is_same:
            yield f"{_INDENT}as recorded"
            return
        yield f"{_INDENT}recorded: {before}"
        for line in more:
            yield f"{_INDENT}{line}"

    def _words(self, answer: Answer | FaultKind) -> str:
        seen = None if self._asked is None else self._asked.observation
        if isinstance(answer, Action) and seen is not None:
            return self._board.choice(plain(answer), seen, self._table)
        if isinstance(answer, FaultKind):
            return f"fault {answer.value}"
        if isinstance(answer, Offence):
            return f"fault {answer.kind.value}: {answer.detail}"
        return msgspec.json.encode(answer).decode()

    def _sent(self, data: bytes) -> Iterator[str]:
        message = json.loads(data)
        if message["type"] == "act":
            yield ""
            known = self._moves < len(self._plies)
            yield f"ply {self._plies[self._moves]}" if known else f"move {self._moves + 1}"
            self._moves += 1
            yield from self._seen(message)
        elif message["type"] == "over":
            yield ""
        elif message["type"] == "start":
            self._begin(message)
        yield f" > {_cut(data)}"

    def _begin(self, start: Mapping[str, Any]) -> None:
        """Begin a game, which may be of other rules than the one before."""
        self._board = board_of(start["rules"], start["seats"])
        names = self._table.names
        if len(names) != start["seats"]:
            told = start.get("names") or [f"seat {seat}" for seat in range(start["seats"])]
            names = tuple(told)
        self._table = TableInfo(names, start["options"])
        self._asked = None

    def _seen(self, act: Mapping[str, Json]) -> Iterator[str]:
        """Yield the lines of the seat's view, from ``act`` if no DecisionDue came before it."""
        if self._asked is None or self._is_answered:
            parts = act.get("events", ()), act.get("legal", ())
            self._asked = listening.DecisionDue(act.get("observation"), *parts)
        self._is_answered = False
        for event in self._asked.events:
            yield f"{_INDENT}{self._board.sentence(event, self._table)}"
        if self._asked.observation is not None:
            for line in self._board.compact(self._asked.observation, self._table):
                yield f"{_INDENT}{line}"

    def _chosen(self, data: bytes) -> Iterator[str]:
        """Yield the action in words, if it is legal."""
        asked, was_answered = self._asked, self._is_answered
        self._is_answered = True
        if asked is None or was_answered or asked.observation is None:
            return
        try:
            action: Any = json.loads(data)["action"]
        except (ValueError, RecursionError, KeyError, TypeError):
            return
        legal = asked.legal
        if type(action) is int and 0 <= action < len(legal):
            action = legal[action]
        if action in legal:
            yield f"{_INDENT}{self._board.choice(action, asked.observation, self._table)}"


def _offence_lines(offence: Offence) -> Iterator[str]:
    """Yield the lines of a fault with what is known of it."""
    yield f"fault: {offence.kind.value}: {offence.detail}"
    if offence.exit_status is not None and exit_text(offence.exit_status) not in offence.detail:
        yield f"  {exit_text(offence.exit_status)}"
    if offence.line:
        yield f"  line: {offence.line}"
    if lines := offence.stderr.splitlines()[-_STDERR_LINES:]:
        yield "  end of its standard error:"
        for line in lines:
            yield f"    {line.expandtabs()}"


def _cut(data: bytes) -> str:
    """Return ``data`` as a printable line; a line that is cut ends with its size in bytes."""
    text = clean.plain(data.decode("utf-8", "backslashreplace"))
    short = clean.cut(text, _COLUMNS)
    return short if short == text else f"{short} ({len(data)} bytes)"


def _error_lines(data: bytes) -> Iterator[str]:
    found = data.decode("utf-8", "replace").splitlines()
    if len(found) > _ERROR_LINES:
        yield f" ! ... {len(found) - _ERROR_LINES} lines"
    for line in found[-_ERROR_LINES:]:
        yield f" ! {clean.cut(line.expandtabs(), _ERROR_COLUMNS)}"


def _cost(cost: listening.Cost) -> str:
    parts = [duration(cost.wall // 1000)]
    if cost.cpu is not None:
        parts.append(f"{duration(cost.cpu // 1000)} of the processor")
    if cost.peak:
        parts.append(f"peak memory {cost.peak / _MIB:.1f} MiB")
    return ", ".join(parts)
