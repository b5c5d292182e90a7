"""Questions that a seat was asked in a finished game, put again to a bot.

The game follows its record and ignores the new answers. The bot is sent what ``play`` sent to the
seat, except for the names of game and questions, which cannot be predicted.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from arena.extensions.authors.bots import Setting
from arena.games.base import Action, Json, Rules
from arena.referee.ask import Asker, over_line, start_line
from arena.referee.deadline import GameClock
from arena.referee.records.format import End, Record
from arena.referee.records.perspective import seat_views
from arena.referee.records.replay import Step, check_rules, steps
from arena.referee.session import BotSession, Offence
from arena.runs.config.keys import Names
from arena.runs.reader import StoredRun
from arena.runs.store import Stored
from arena.values.results import FaultKind, Seat, TimeControl

_MICROSECOND: Final = 1000
_OPAQUE_BYTES: Final = 8
_STDERR_SHOWN: Final = 2000
"""Characters of standard error that are kept with an offence."""

Answer: TypeAlias = Action | Offence
"""Action that a bot decides on when it is asked again, or its offence."""


class Question(NamedTuple):
    """One decision of a seat."""

    ply: int
    observation: Json
    events: Sequence[Json]
    """Events that the seat saw since it was last asked."""
    legal: Sequence[Action]
    recorded: Action | FaultKind
    """Recorded action, or the kind of the fault in its place."""
    used: int = 0
    """Nanoseconds that the recorded answer took; this time is charged to a bank."""

    def is_met_by(self, answer: Answer) -> bool:
        """Return True if ``answer`` is the recorded action, or a fault of the recorded kind."""
        return self.recorded == (answer.kind if isinstance(answer, Offence) else answer)


class Transcript(NamedTuple):
    """A seat in a game, with all messages to it."""

    game: str
    """Id of the game."""
    rules: Rules[Any, Action]
    seat: Seat
    control: TimeControl
    seed: int
    """Seed as sent to the bot in ``start``."""
    entrants: tuple[str, ...]
    """Names by seat."""
    names: tuple[str, ...] | None
    """Names by seat as sent to the bot; None: hidden."""
    options: Mapping[str, Any]
    """Bot options of the entrant in that seat."""
    questions: tuple[Question, ...]
    end: End | None
    """End of the game as sent to the bot; None: nothing is sent."""

    @property
    def entrant(self) -> str:
        """Name of the entrant in the seat."""
        return self.entrants[self.seat]


def setting_of(run: StoredRun) -> Setting:
    """Return the terms on which the bots of ``run`` were asked."""
    identity = run.manifest.identity
    shown = identity.names is Names.SHOWN
    return Setting(identity.clock, identity.limits, identity.pondering, shown)


def transcripts(run: StoredRun, stored: Stored) -> list[Transcript]:
    """Return the transcript of each seat of a game that was asked a question.

    Raises StoreError if the record is missing, damaged, or of another game.
    """
    rules, setting = run.rules(stored.result.spec.discipline), setting_of(run)
    options = {name: each.options for name, each in run.manifest.players.items()}
    record, found = run.record(stored), list[Transcript]()
    with run.record_errors(stored):
        check_rules(record, rules)
        applied = list(steps(record, rules))
        spec = record.header.spec
        for seat, name in enumerate(spec.entrants):
            questions = tuple(_questions(record, applied, rules, seat))
            if not questions:
                continue
            found.append(
                Transcript(
                    spec.game_id,
                    rules,
                    seat,
                    setting.control,
                    record.header.bot_seeds[seat],
                    spec.entrants,
                    spec.entrants if setting.names_shown else None,
                    options.get(name, {}),
                    questions,
                    record.end,
                )
            )
    return found


def _questions(
    record: Record, applied: Iterable[Step], rules: Rules[Any, Action], seat: Seat
) -> Iterator[Question]:
    """Yield the questions that a bot answered, and the last one if the answer was a fault."""
    for look in seat_views(record, applied, rules, seat):
        asked = look.ply, look.observation, look.events, look.legal
        if look.fault is not None:
            yield Question(*asked, look.fault.kind)
        if look.step is None or look.step.ply.autopilot:
            return  # the autopilot played from here on
        yield Question(*asked, look.step.action, look.think_us * _MICROSECOND)


def ask_again(
    session: BotSession,
    transcript: Transcript,
    options: Mapping[str, Any],
    answered: Callable[[Question, Answer], object] = lambda question, answer: None,
    asking: Callable[[Question], object] = lambda question: None,
) -> tuple[Answer, ...]:
    """Return the bot's answers in the order of the questions; none follow an offence.

    ``options`` are sent as ``bot_options``. ``asking`` is called before each question and
    ``answered`` after it. The channel of a bot that commits an offence is closed.
    Raises MachineTooBusy if the machine keeps the bot from having its time.
    """
    channel, rules, seat = session.channel, transcript.rules, transcript.seat
    control = transcript.control
    channel.stderr()  # discard earlier output, which belongs to no offence of this game
    opaque_id = secrets.token_hex(_OPAQUE_BYTES)
    start = start_line(
        rules.spec, seat, control, opaque_id, transcript.seed, dict(options), transcript.names
    )
    if (offence := session.begin(start, control)) is not None:
        return (offence._replace(stderr=channel.stderr()[-_STDERR_SHOWN:]),)
    asker = Asker(session, rules, seat, GameClock(control, rules.spec.seats))
    answers: list[Answer] = []
    for question in transcript.questions:
        asking(question)
        answer = asker.ask(
            question.observation, question.events, question.legal, charged=question.used
        )
        if isinstance(answer, Offence):
            said = channel.stderr()[-_STDERR_SHOWN:]
            answers.append(answer._replace(stderr=said))
            answered(question, answers[-1])
            return tuple(answers)
        answers.append(answer[0])
        answered(question, answers[-1])
    if transcript.end is not None:
        channel.tell(over_line(transcript.end))
    return tuple(answers)
