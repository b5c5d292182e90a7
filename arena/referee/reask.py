"""Asks a bot again what a seat was asked in a game that is over.

The game goes along its record, whatever the bot answers: the rules are not applied. What the bot
is sent is what ``play`` sent to the seat, but for the names of game and questions, which nobody
can foresee.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

import msgspec

from arena.games.base import Action, Json, Rules
from arena.protocol.messages import Act, Over, SeatFault, Start, encode
from arena.records.format import End
from arena.referee.clock import SECOND, Clock
from arena.referee.faults import Offence, shown, silent
from arena.referee.play import judge
from arena.referee.session import Session
from arena.results import FaultKind, Seat, TimeControl

_TOKEN_BYTES: Final = 8
_STDERR_SHOWN: Final = 2000
"""Characters of standard error that are kept with an offence."""

Answer: TypeAlias = Action | Offence


class Question(NamedTuple):
    """One decision of a seat, with what is known of a good answer."""

    ply: int
    observation: Json
    events: Sequence[Json]
    """What the seat saw since it was last asked."""
    legal: Sequence[Action]
    wanted: tuple[Action | FaultKind, ...] = ()
    """Each of them will do; empty: everything that is not unwanted."""
    unwanted: tuple[Action, ...] = ()
    used: int = 0
    """Nanoseconds that the recorded answer took; a bank is charged for as much."""

    def is_met_by(self, answer: Answer) -> bool:
        """Whether the answer will do. A fault does if one of its kind was recorded."""
        if isinstance(answer, Offence):
            return answer.kind in self.wanted
        return answer not in self.unwanted and (not self.wanted or answer in self.wanted)


class Course(NamedTuple):
    """What one seat was told in one game."""

    rules: Rules[Any, Action]
    seat: Seat
    control: TimeControl
    seed: int
    """As sent to the bot in ``start``."""
    names: tuple[str, ...] | None
    """By seat; None: hidden."""
    questions: tuple[Question, ...]
    end: End


def ask_again(
    session: Session, course: Course, options: Mapping[str, Any], seed: int
) -> tuple[Answer, ...]:
    """The bot's answers, in the order of the questions; after an offence there are no more.

    ``options`` and ``seed``: what the bot is told as ``bot_options`` and ``seed``. The channel
    of a bot that commits an offence is closed. Raises MachineTooBusy if the machine keeps the
    bot from having its time.
    """
    channel, rules = session.channel, course.rules.spec
    channel.stderr()  # what it wrote before belongs to no offence of this game
    start = Start(
        secrets.token_hex(_TOKEN_BYTES),
        rules.name,
        rules.options,
        rules.data,
        course.seat,
        rules.seats,
        course.control,
        seed,
        dict(options),
        course.names,
    )
    channel.tell(encode(start))
    clock = Clock(course.control, rules.seats)
    answers: list[Answer] = []
    for question in course.questions:
        allowance = clock.allowance(course.seat)
        answer = _ask(session, course, question, allowance, is_first=not answers)
        answers.append(answer)
        if isinstance(answer, Offence):
            return tuple(answers)
        clock.charge(course.seat, question.used)
    channel.tell(encode(_over(course.end)))
    return tuple(answers)


def _ask(
    session: Session, course: Course, question: Question, allowance: int | None, *, is_first: bool
) -> Answer:
    """As the referee of a game asks and judges."""
    channel, wants = session.channel, session.wants
    token = secrets.token_hex(_TOKEN_BYTES)
    act = Act(
        token,
        None if allowance is None else allowance / SECOND,
        question.observation if "observation" in wants else msgspec.UNSET,
        question.events if "events" in wants else msgspec.UNSET,
        question.legal if "legal" in wants else msgspec.UNSET,
    )
    line = encode(act)
    asked = time.monotonic_ns()
    reply = channel.ask(line, allowance)
    waited = time.monotonic_ns() - asked
    if isinstance(reply, bytes):
        judged = judge(course.rules, question.legal, token, reply)
        rest = channel.rest()
        if not isinstance(judged, Offence):
            if not rest:
                return judged[0]
            judged = Offence(FaultKind.PROTOCOL, "more than the one line asked for", shown(rest))
    else:
        judged = silent(reply, channel, is_first=is_first)
    status, strain = channel.exit_status(), channel.strain()
    channel.close()
    said = channel.stderr()[-_STDERR_SHOWN:]
    return judged._replace(exit_status=status, waited=waited, strain=strain, stderr=said)


def _over(end: End) -> Over:
    faults = tuple(SeatFault(fault.seat, fault.kind) for fault in end.faults)
    return Over(end.places, end.scores, end.termination, faults)
