"""Send a kept exchange to a bot again, line by line, regardless of its answers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import or_
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

import msgspec
from msgspec import UNSET

from arena.extensions.authors.bots import BuildableBot, Setting
from arena.extensions.authors.trial.listening import ComparedLine, Listener, until_failed
from arena.extensions.authors.trial.trial import ListenedBot, playable
from arena.games.base import Action, InvalidActionError, Rules, RulesError
from arena.games.registry import GAMES, make_rules
from arena.referee.ask import weigh
from arena.referee.deadline import SECOND
from arena.referee.protocol import Act, Bye
from arena.referee.records.read import MAX_BYTES
from arena.referee.session import BotSession, Offence, silent
from arena.referee.wire import Direction, WireLine
from arena.runs.disk import StoreError, check_file, reading
from arena.values.results import RulesSpec, Seat, TimeControl

_BAD: Final = (msgspec.MsgspecError, ValueError, TypeError, RecursionError)


class _Hello(msgspec.Struct, tag="hello"):
    startup: float


class _Start(msgspec.Struct, tag="start"):
    rules: str
    options: dict[str, Any]
    data: dict[str, Any]
    seat: Seat
    seats: int
    names: tuple[str, ...] | None = None


class _FeedOver(msgspec.Struct, tag="over"):
    pass


_Message: TypeAlias = _Hello | _Start | Act | _FeedOver | Bye


class _Any(msgspec.Struct):
    """Field that every message has."""

    type: str


_KNOWN: Final = {str(each.__struct_config__.tag) for each in (_Hello, _Start, Act, _FeedOver, Bye)}


class SentLine(NamedTuple):
    """A line to the bot, with the answer that it gave then."""

    data: bytes
    """The line without its end."""
    rules: Rules[Any, Action] | None = None
    """Rules of a line that begins a game."""
    is_question: bool = False
    token: str = ""
    time_left: float | None = None
    """Time for the answer, in seconds; None: no limit."""
    legal: tuple[Action, ...] | None = None
    """Legal actions; None: the bot did not get them, so the answer cannot be judged."""
    answer: bytes | None = None
    """Answer of the bot; None if there was no answer."""


class SentGames(NamedTuple):
    """Games as they were sent to a bot, one after another."""

    hello: bytes
    startup: float
    """Time to start, in seconds."""
    lines: tuple[SentLine, ...]
    """Lines from ``start`` on; without ``bye``, which is sent to every bot."""
    rules: Rules[Any, Action]
    """Rules of the first game; ``seat`` and ``names`` are of that game too."""
    seat: Seat
    names: tuple[str, ...]
    """Names by seat."""


def read_exchange(path: Path) -> SentGames:
    """Read a file that ``wire.to_line`` wrote.

    Raises StoreError for the first line that is wrong.
    """
    reader = _FeedReader(path)
    for number, line in enumerate(_read_bytes(path).splitlines(), 1):
        try:
            reader.read(msgspec.json.decode(line, type=WireLine))
        except (*_BAD, RulesError) as error:
            raise StoreError(f"{path}:{number}: {error}") from None
    return reader.exchange()


def _read_bytes(path: Path) -> bytes:
    """Return the contents of a regular file of at most MAX_BYTES. Raises StoreError."""
    check_file(path)
    with reading(path), path.open("rb") as file:
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise StoreError(f"{path}: found more than {MAX_BYTES} bytes")
    return data


class _FeedReader:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._hello: tuple[bytes, float] | None = None
        self._start: _Start | None = None
        """Rules of the first game."""
        self._rules: Rules[Any, Action] | None = None
        """Rules of the latest game."""
        self._first: Rules[Any, Action]
        self._lines: list[SentLine] = []
        self._is_over = False

    def read(self, kept: WireLine) -> None:
        """Read the next line. Raises the exceptions in _BAD, or RulesError."""
        if kept.way is Direction.FROM and self._lines and self._lines[-1].is_question:
            if self._lines[-1].answer is None:
                self._lines[-1] = self._lines[-1]._replace(answer=kept.text.encode())
        elif kept.way is Direction.TO:
            if "\n" in kept.text:
                raise ValueError("found more than one line")
            data = kept.text.encode()
            if msgspec.json.decode(data, type=_Any).type in _KNOWN:
                self._take(msgspec.json.decode(data, type=_Message), data)
            else:  # from a later version: a bot ignores it
                self._lines.append(SentLine(data))

    def _take(self, message: _Message, data: bytes) -> None:
        found = type(message).__struct_config__.tag
        if self._hello is None:
            if not isinstance(message, _Hello):
                raise ValueError(f"found {found}, expected hello first")
            self._hello = data, message.startup
        elif isinstance(message, _Start):
            self._lines.append(SentLine(data, self._begin(message)))
        elif self._rules is None:
            raise ValueError(f"found {found}, expected start")
        elif isinstance(message, Act):
            self._lines.append(self._question(message, data, self._rules))
        elif isinstance(message, _FeedOver):
            self._lines.append(SentLine(data))
        elif not isinstance(message, Bye):
            raise ValueError(f"found a second {found}")

    def _begin(self, start: _Start) -> Rules[Any, Action]:
        if not 0 <= start.seat < start.seats == len(start.names or range(start.seats)):
            raise ValueError(f"found seat {start.seat} of {start.seats} seats")
        self._rules = make_rules(RulesSpec(start.rules, start.seats, start.options, start.data))
        if self._start is None:
            self._start, self._first = start, self._rules
        return self._rules

    def _question(self, act: Act, data: bytes, rules: Rules[Any, Action]) -> SentLine:
        game = GAMES[rules.spec.name]
        if act.observation not in (None, UNSET):
            msgspec.convert(act.observation, game.observation_type)
        event_type: Any = reduce(or_, game.event_types)
        for event in act.events or ():
            msgspec.convert(event, event_type)
        try:
            legal = (
                None if act.legal in (None, UNSET) else tuple(map(rules.decode_action, act.legal))
            )
        except InvalidActionError as error:
            raise ValueError(f"legal: {error}") from None
        return SentLine(data, None, True, act.id, act.time_left, legal)

    def exchange(self) -> SentGames:
        """Return the exchange. Raises StoreError if it is incomplete."""
        if self._hello is None or self._start is None:
            raise StoreError(f"{self._path}: found no exchange from hello to start")
        seats = range(self._start.seats)
        names = self._start.names or tuple(f"seat {seat}" for seat in seats)
        lines = tuple(self._lines)
        return SentGames(*self._hello, lines, self._first, self._start.seat, names)


def feed(
    candidate: BuildableBot,
    exchange: SentGames,
    setting: Setting,
    listener: Listener,
    *,
    is_timed: bool = True,
) -> Offence | None:
    """Send the recorded lines of ``exchange`` to the bot and compare its answers with the old ones.

    Returns the bot's fault, or None. ``is_timed``: apply the recorded time limits. Raises as
    ``try_game``.
    """
    if is_timed:
        setting = setting._replace(control=TimeControl(startup=exchange.startup))
    listener = until_failed(listener)
    hello = exchange.hello + b"\n"
    rules = exchange.rules.spec
    with ListenedBot(candidate, setting, rules, listener, hello=hello) as processes, playable():
        session = processes.session(0)
        if isinstance(session, Offence):
            offence: Offence | None = session
        else:
            offence = _send(session, exchange, listener, setting.control, is_timed=is_timed)
        if offence is not None:
            processes.diagnose(offence.kind, offence.detail, offence.stderr)
        return offence


def _send(
    session: BotSession,
    exchange: SentGames,
    listener: Listener,
    control: TimeControl,
    *,
    is_timed: bool,
) -> Offence | None:
    channel, is_first, rules = session.channel, True, exchange.rules
    for line in exchange.lines:
        data = line.data + b"\n"
        if line.rules is not None:
            rules, is_first = line.rules, True
            if (offence := session.begin(data, control)) is not None:
                return offence._replace(stderr=channel.stderr())
            continue
        if not line.is_question:
            channel.tell(data)
            continue
        left = line.time_left if is_timed else None
        reply = channel.ask(data, None if left is None else round(left * SECOND))
        if isinstance(reply, bytes):
            is_same = _action(reply, line.legal) == _action(line.answer, line.legal)
            listener(ComparedLine(line.answer, is_same))
        offence = None
        if not isinstance(reply, bytes):
            within = "" if left is None else f"{left:g} s"
            offence = silent(reply, channel, within=within, is_first=is_first)
        elif line.legal is not None:
            answer = weigh(reply, channel, rules, line.legal, line.token)
            offence = answer if isinstance(answer, Offence) else None
        if offence is not None:
            status, said = channel.exit_status(), channel.stderr()
            channel.close()
            return offence._replace(exit_status=status, stderr=said)
        is_first = False
    return None


def _action(line: bytes | None, legal: Sequence[Action] | None) -> Any:
    """Return the action of an answer; if the line is no answer, the line itself."""
    try:
        action = msgspec.json.decode(line or b"")["action"]
    except (*_BAD, KeyError):
        return line
    if legal is not None and type(action) is int and 0 <= action < len(legal):
        return msgspec.to_builtins(legal[action])
    return action
