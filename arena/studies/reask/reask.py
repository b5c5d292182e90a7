"""Asks a bot again the questions of finished games.

The bot is sent what ``play`` sent to the seat, except for the names of game and questions, which
cannot be predicted.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from arena.games.luck import derive_key
from arena.hosting.sandbox.isolation import IsolationError
from arena.referee.ask import Asker, over_line, start_line
from arena.referee.deadline import GameClock
from arena.referee.faults import MachineTooBusy, Offence
from arena.referee.session import BotSession
from arena.studies.reask.bot import BuildableBot, Processes
from arena.studies.reask.courses import Answer, Question, SeatMessages, Transcript
from arena.tournament.executor import PoolError
from arena.tournament.local.processes import is_exhaustion

_ATTEMPTS: Final = 3
"""Number of attempts at a game that the machine keeps the bot from playing."""
_STARTS: Final = 3
"""Number of failed starts in succession after which the bot is asked no more."""
_FAULTY: Final = 20
"""Number of games with a fault after which the bot is asked no more, if more than half."""
_SEED_BITS: Final = 53
_OPAQUE_BYTES: Final = 8
_STDERR_SHOWN: Final = 2000
"""Characters of standard error that are kept with an offence."""

Seeder = Callable[[int], int]
"""Function from the recorded seed to the seed that the bot is sent."""


class AnsweredTranscript(NamedTuple):
    """One transcript with the bot's answers."""

    transcript: Transcript
    answers: tuple[Answer, ...]
    """Answers by question; none follow an offence."""
    absent: Offence | None = None
    """Reason why there was no process to ask."""

    @property
    def pairs(self) -> Iterator[tuple[Question, Answer]]:
        """Questions that were asked, with their answers."""
        return zip(self.transcript.course.questions, self.answers, strict=False)

    @property
    def offence(self) -> Offence | None:
        """Fault that the bot committed, or None."""
        last = self.answers[-1] if self.answers else None
        return last if isinstance(last, Offence) else self.absent


class NotAsked(PoolError):
    """The bot cannot be asked; the text says why."""


def recorded_seed(seed: int) -> int:
    """Return the seed unchanged."""
    return seed


def other_seed(seed: int) -> int:
    """Return another seed, always the same one for the same ``seed``."""
    key = derive_key("reask", seed)
    return int.from_bytes(key[:8], "big") >> (64 - _SEED_BITS)


def reask(
    processes: Processes,
    candidate: BuildableBot,
    transcripts: Iterable[Transcript],
    seeder: Seeder = recorded_seed,
) -> Iterator[AnsweredTranscript]:
    """Ask all questions in turn, in new processes, and yield the answers of each transcript.

    Ends early if the bot commits a fault in most games. Raises NotAsked if the bot cannot be
    started, or if the machine does not let it answer.
    """
    processes.end()
    faults = failed = 0
    for games, transcript in enumerate(transcripts, 1):
        asked = _asked(processes, candidate, transcript, seeder)
        processes.sweep()
        failed = failed + 1 if asked.absent is not None else 0
        if asked.absent is not None and failed in (games, _STARTS):
            raise NotAsked(f"{candidate.name} cannot be started: {asked.absent.detail}")
        yield asked
        faults += asked.offence is not None
        if is_hopeless(faults, games):
            return


def is_hopeless(faults: int, games: int) -> bool:
    """Return True if a bot with ``faults`` faulty games of ``games`` is to be asked no more."""
    return faults >= _FAULTY and 2 * faults > games


def _asked(
    processes: Processes, candidate: BuildableBot, transcript: Transcript, seeder: Seeder
) -> AnsweredTranscript:
    """Ask the questions of ``transcript`` and return the answers.

    Raises NotAsked if the machine prevents this in several attempts.
    """
    for _ in range(_ATTEMPTS):
        try:
            session = processes.session(transcript.process)
            if isinstance(session, Offence):
                return AnsweredTranscript(transcript, (), session)
            course = transcript.course
            options = candidate.options(transcript.options)
            asked = AnsweredTranscript(
                transcript, ask_again(session, course, options, seeder(course.seed))
            )
        except (MachineTooBusy, IsolationError) as error:
            problem = str(error)
        except OSError as error:
            if not is_exhaustion(error):
                raise
            problem = f"the machine is exhausted: {error}"
        else:
            if asked.offence is not None:
                processes.drop(transcript.process)
            return asked
        processes.drop(transcript.process)
    raise NotAsked(f"{candidate.name} cannot be asked: {problem}")


def ask_again(
    session: BotSession,
    course: SeatMessages,
    options: Mapping[str, Any],
    seed: int,
    answered: Callable[[Question, Answer], object] = lambda question, answer: None,
    asking: Callable[[Question], object] = lambda question: None,
) -> tuple[Answer, ...]:
    """Return the bot's answers in the order of the questions; none follow an offence.

    ``options`` and ``seed`` are sent as ``bot_options`` and ``seed``. ``asking`` is called before
    each question and ``answered`` after it. The channel of a bot that commits an offence is closed.
    Raises MachineTooBusy if the machine keeps the bot from having its time.
    """
    channel, rules, seat = session.channel, course.rules, course.seat
    channel.stderr()  # discard earlier output, which belongs to no offence of this game
    opaque_id = secrets.token_hex(_OPAQUE_BYTES)
    start = start_line(
        rules.spec, seat, course.control, opaque_id, seed, dict(options), course.names
    )
    if (offence := session.begin(start, course.control)) is not None:
        return (offence._replace(stderr=channel.stderr()[-_STDERR_SHOWN:]),)
    asker = Asker(session, rules, seat, GameClock(course.control, rules.spec.seats))
    answers: list[Answer] = []
    for question in course.questions:
        asking(question)
        answer = asker.ask(question.observation, question.events, question.legal, question.used)
        if isinstance(answer, Offence):
            said = channel.stderr()[-_STDERR_SHOWN:]
            answers.append(answer._replace(stderr=said))
            answered(question, answers[-1])
            return tuple(answers)
        answers.append(answer[0])
        answered(question, answers[-1])
    if course.end is not None:
        channel.tell(over_line(course.end))
    return tuple(answers)
