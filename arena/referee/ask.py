"""The only place that sends questions to a bot in a game and judges its answers.

Used by the referee of a game, and to ask a bot again the questions of a finished game.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

from msgspec import UNSET, Raw, UnsetType
from msgspec.json import encode as encode_json

from arena.games.base import MOST_BYTES, Action, InvalidActionError, Json, Rules
from arena.referee.channel import Channel, DirectChannel, Reply, Silence
from arena.referee.deadline import SECOND, GameClock
from arena.referee.joint import Steps
from arena.referee.protocol import (
    Act,
    BadMessage,
    Choice,
    Over,
    SeatFault,
    Start,
    decode,
    encode,
    encode_into,
    pack_info,
)
from arena.referee.records.format import End
from arena.referee.session import BotSession, Offence, RulesBroken, shown, silent
from arena.values.results import FaultKind, RulesSpec, Seat, TimeControl

_TOKEN_BYTES: Final = 8
_TOKENS_AT_ONCE: Final = 64
_DIGITS_SHOWN: Final = 20
_TIMED_OUT: Final = Silence.TIMED_OUT
_LEGAL_SHOWN: Final = 200
"""Limit for the list of legal actions in the text of a fault, in characters."""

Answer: TypeAlias = tuple[Action, Raw | None]
"""An action, with the packed ``info`` that came with it."""


class Heartbeat:
    """Time of the last sign of life in a game: the start of a bot, a question or its answer."""

    __slots__ = ("beat", "is_asking")

    def __init__(self) -> None:
        self.beat = 0
        """Time of the last sign of life, in nanoseconds; 0 while no game is being played."""
        self.is_asking = True
        """True while a bot is waited for; False while the rules are at work."""

    def now(self) -> int:
        """Return the time by ``time.monotonic_ns``, and record it as a sign of life."""
        self.is_asking = True
        self.beat = now = time.monotonic_ns()
        return now

    def answered(self) -> None:
        """Record a sign of life after which the rules are at work."""
        self.now()
        self.is_asking = False

    def rest(self) -> None:
        """Record that no game is being played."""
        self.beat = 0


class Asker:
    """Asks the bot of one seat in one game and judges its answers."""

    __slots__ = (
        "_channel",
        "_clock",
        "_direct",
        "_has_answered",
        "_has_bank",
        "_now",
        "_patience",
        "_pulse",
        "_question",
        "_rules",
        "_seat",
        "_time_left",
        "_tokens",
        "_wants_events",
        "_wants_legal",
        "used",
        "wants_observation",
        "wants_texts",
    )

    def __init__(
        self,
        session: BotSession,
        rules: Rules[Any, Action],
        seat: Seat,
        clock: GameClock,
        now: Callable[[], int] = time.monotonic_ns,
        pulse: Heartbeat | None = None,
    ) -> None:
        """Ask the bot of ``session``, which plays ``seat`` of a game by ``rules``.

        ``now`` returns nanoseconds on the clock by which the channel keeps its deadlines. ``pulse``
        records each question.
        """
        self._channel = channel = session.channel
        direct: Any = channel  # a check against the protocol costs more than two questions
        self._direct: DirectChannel | None = direct if hasattr(channel, "choose") else None
        self._rules = rules
        self._seat = seat
        self._clock = clock
        self._has_bank = clock.has_bank
        self._now = now
        self._pulse = pulse or Heartbeat()
        self._tokens: list[str] = []
        self._question = bytearray()
        self._has_answered = False
        self._wants_events = "events" in session.wants
        self._wants_legal = "legal" in session.wants
        self.wants_observation = "observation" in session.wants
        self.wants_texts = "texts" in session.wants and hasattr(rules, "action_text")
        self.used = 0
        """Duration of the last answer, in nanoseconds."""
        self._look_at_clock()

    def _look_at_clock(self) -> None:
        """Set the time limit of the next answer, which without a bank is always the same."""
        allowance = self._clock.allowance(self._seat)
        self._patience = self._clock.patience(self._seat)
        self._time_left = None if allowance is None else allowance / SECOND

    def ask(
        self,
        observation: Json,
        events: Sequence[Json],
        legal: Sequence[Action],
        texts: Sequence[str] | UnsetType = UNSET,
        charged: int | None = None,
    ) -> Answer | Offence:
        """Ask for one decision and return the answer or the offence.

        ``events``: what the seat saw since the last question. After an offence the channel is
        closed. Parts of the question that the bot did not request are not sent. ``charged`` is the
        time taken from the bot's bank, in nanoseconds; None charges the measured time less what the
        machine took. Raises MachineTooBusy if the machine keeps the bot from having its time, and
        RulesBroken if the rules gave what cannot be sent.
        """
        direct = self._direct
        token = self._put(direct, observation, events, legal, texts)
        channel, now, pulse = self._channel, self._now, self._pulse
        pulse.is_asking = True
        pulse.beat = asked = now()
        patience = self._patience
        reply = (
            channel.ask(self._question, patience)
            if direct is None
            else direct.choose(token, patience)
        )
        pulse.beat = answered = now()
        pulse.is_asking = False
        self.used = used = answered - asked
        if self._has_bank or type(reply) is not int:
            return self._judged(reply, used, legal, token, charged)
        self._has_answered = True  # nearly every answer
        return legal[reply], None

    def asking(self, *parts: Any) -> Steps[Answer | Offence]:
        """Make a question to ask while others are asked, see ``joint``; return its steps.

        ``parts``: the first four arguments of ``ask``, as which this returns and raises.
        """
        return self._steps(self._put(None, *parts), parts[2])

    def _steps(self, token: str, legal: Sequence[Action]) -> Steps[Answer | Offence]:
        channel: Any = self._channel
        pulse, now = self._pulse, self._now
        pulse.is_asking = True
        pulse.beat = asked = now()
        reply = yield from channel.asking(self._question, self._patience)
        pulse.beat = answered = now()
        return self._judged(reply, answered - asked, legal, token, None)

    def _put(
        self,
        direct: DirectChannel | None,
        observation: Json,
        events: Json,
        legal: Json,
        texts: Json,
    ) -> str:
        """Encode a question, for ``direct`` or as a line; return its id. Raises RulesBroken."""
        tokens = self._tokens = self._tokens or _tokens()
        token, question = tokens.pop(), self._question
        act = Act(
            token,
            self._time_left,
            observation if self.wants_observation else UNSET,
            events if self._wants_events else UNSET,
            legal if self._wants_legal else UNSET,
            texts,
            self._clock.banks() if self._has_bank else UNSET,
        )
        try:
            if direct is None:
                encode_into(act, question)
                size = len(question)
            else:
                size = direct.put(act, len(legal))
        except (AttributeError, TypeError, ValueError, RecursionError) as error:
            raise RulesBroken(f"a question has no JSON: {error}") from error
        if size > MOST_BYTES:
            raise RulesBroken(f"a question of {size:,} bytes, expected at most {MOST_BYTES:,}")
        return token

    def _judged(
        self,
        reply: Reply | int,
        used: int,
        legal: Sequence[Action],
        token: str,
        charged: int | None,
    ) -> Answer | Offence:
        """Return the judgement of the reply that came after ``used`` nanoseconds, as ``ask``."""
        self.used, channel = used, self._channel
        within = self._clock.words(self._seat) if reply is _TIMED_OUT else ""
        if self._has_bank:
            spent = used - channel.scheduler_delay().excused if charged is None else charged
            self._clock.charge(self._seat, spent)
            self._look_at_clock()
        if isinstance(reply, int):
            self._has_answered = True
            return legal[reply], None
        if isinstance(reply, Silence):
            answer = silent(reply, channel, within=within, is_first=not self._has_answered)
        else:
            found = weigh(reply, channel, self._rules, legal, token)
            if not isinstance(found, Offence):
                self._has_answered = True
                return found
            answer = found
        status = channel.exit_status()
        offence = answer._replace(
            exit_status=status, waited=used, scheduler_delay=channel.scheduler_delay()
        )
        channel.close()  # from here on the process must not disturb the others
        return offence


def weigh(
    line: bytes,
    channel: Channel,
    rules: Rules[Any, Action],
    legal: Sequence[Action],
    token: str,
) -> Answer | Offence:
    """Return the judgement of the line that ``channel`` gave: ``judge``, and nothing behind it.

    ``token``: id of the question.
    """
    answer = judge(rules, legal, token, line)
    rest = channel.rest()
    if rest and type(answer) is tuple and (rest := rest.strip()):
        text = "more than the one line asked for"
        return Offence(FaultKind.PROTOCOL, text, shown(rest))
    return answer


def judge(
    rules: Rules[Any, Action], legal: Sequence[Action], token: str, line: bytes
) -> Answer | Offence:
    """Return the action that ``line`` stands for and its packed ``info``, or the offence.

    ``token``: id of the question, which the line must repeat.
    """
    try:
        message = decode(line)
        if type(message) is Choice and message.id == token and message.info is None:
            choice = message.action
            if type(choice) is int and 0 <= choice < len(legal):  # nearly every answer
                return legal[choice], None
        if type(message) is not Choice:
            return Offence(FaultKind.PROTOCOL, "expected action, found ready", shown(line))
        if message.said:
            line = message.said.encode()
        if message.id != token:
            return Offence(FaultKind.PROTOCOL, "the id is not that of the question", shown(line))
        info = None if message.info is None else pack_info(message.info)
        choice = message.action
        if isinstance(choice, int):
            if 0 <= choice < len(legal):
                return legal[choice], info
            index = str(choice)[:_DIGITS_SHOWN]
            text = f"index {index} of {len(legal)} legal actions: {listed(legal)}"
            return Offence(FaultKind.ILLEGAL, text, shown(line))
        action = rules.decode_action(choice)
    except (BadMessage, InvalidActionError) as error:
        return Offence(FaultKind.MALFORMED, shown(str(error).encode()), shown(line))
    if action not in legal:
        text = f"not among the legal actions: {listed(legal)}"
        return Offence(FaultKind.ILLEGAL, text, shown(line))
    return action, info


def listed(legal: Sequence[Action]) -> str:
    """Return legal actions for people; only the first ones if the list is too long.

    Actions are JSON, unless their type has a ``__str__`` of its own.
    """
    texts = [
        encode_json(each).decode() if type(each).__str__ is object.__str__ else str(each)
        for each in legal
    ]
    shown_ones = texts[:1]
    for text in texts[1:]:
        if sum(map(len, shown_ones)) + len(text) > _LEGAL_SHOWN:
            break
        shown_ones.append(text)
    more = len(texts) - len(shown_ones)
    return ", ".join(shown_ones) + (f" and {more} more" if more else "")


def start_line(
    rules: RulesSpec,
    seat: Seat,
    control: TimeControl,
    opaque_id: str,
    seed: int,
    options: dict[str, Any],
    names: tuple[str, ...] | None,
) -> bytes:
    """Return the message that a game begins.

    ``opaque_id``: as in ``GameConditions``. ``seed`` and ``options`` are the bot's; ``names`` are
    the player names by seat, or None if hidden.
    """
    known = _last_parts[0]
    if known[0] is not rules:
        parts = Raw(encode_json(rules.options)), Raw(encode_json(rules.data))
        _last_parts[0] = known = rules, parts
    options_sent, data = known[1]
    name, seats = rules.name, rules.seats
    return encode(
        Start(opaque_id, name, options_sent, data, seat, seats, control, seed, options, names)
    )


_last_parts: Final[list[tuple[RulesSpec | None, tuple[Any, Any]]]] = [(None, ({}, {}))]
"""The last rules, with their options and data as they are sent: games are played by the same."""


def over_line(end: End) -> bytes:
    """Return the message that a game has ended; a fault is reported by seat and kind only."""
    faults = tuple(SeatFault(fault.seat, fault.kind) for fault in end.faults)
    return encode(Over(end.places, end.scores, end.termination, faults))


def _tokens() -> list[str]:
    """Return unpredictable tokens, drawn in bulk because one system call each would be slow."""
    width = 2 * _TOKEN_BYTES
    drawn = os.urandom(_TOKEN_BYTES * _TOKENS_AT_ONCE).hex()
    return [drawn[start : start + width] for start in range(0, len(drawn), width)]
