"""Asks a bot again what a seat was asked in a game that is over.

The game goes along its record, whatever the bot answers: the rules are not applied. What the bot
is sent is what ``play`` sent to the seat, but for the names of game and questions, which nobody
can foresee.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from arena.games.base import Action, Json, Rules
from arena.records.format import End
from arena.referee.ask import Asker, over_line, start_line
from arena.referee.clock import Clock
from arena.referee.faults import Offence
from arena.referee.session import Session
from arena.results import FaultKind, Seat, TimeControl

_OPAQUE_BYTES: Final = 8
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
    channel, rules, seat = session.channel, course.rules, course.seat
    channel.stderr()  # what it wrote before belongs to no offence of this game
    opaque_id = secrets.token_hex(_OPAQUE_BYTES)
    start = start_line(
        rules.spec, seat, course.control, opaque_id, seed, dict(options), course.names
    )
    channel.tell(start)
    asker = Asker(session, rules, seat, Clock(course.control, rules.spec.seats))
    answers: list[Answer] = []
    for question in course.questions:
        answer = asker.ask(question.observation, question.events, question.legal, question.used)
        if isinstance(answer, Offence):
            said = channel.stderr()[-_STDERR_SHOWN:]
            return (*answers, answer._replace(stderr=said))
        answers.append(answer[0])
    channel.tell(over_line(course.end))
    return tuple(answers)
