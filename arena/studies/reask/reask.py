"""Asks a bot again what was asked in games that are over.

What the bot is sent is what ``play`` sent to the seat, but for the names of game and questions,
which nobody can foresee.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from arena.games.luck import derive_key
from arena.hosting.sandbox.isolation import IsolationError
from arena.referee.ask import Asker, over_line, start_line
from arena.referee.clock import Clock
from arena.referee.faults import MachineTooBusy, Offence
from arena.referee.session import Session
from arena.studies.reask.bot import Candidate, Processes
from arena.studies.reask.courses import Answer, Course, Question, Transcript
from arena.tournament.jobs import PoolError
from arena.tournament.local.processes import is_exhaustion

_ATTEMPTS: Final = 3
"""So often a game is tried that the machine does not let us ask."""
_STARTS: Final = 3
"""Starts that fail one after another, before we give up."""
_FAULTY: Final = 20
"""Games with a fault before we give up, if they are more than half of all."""
_SEED_BITS: Final = 53
_OPAQUE_BYTES: Final = 8
_STDERR_SHOWN: Final = 2000
"""Characters of standard error that are kept with an offence."""

Seeder = Callable[[int], int]
"""From the seed in the record to the one that the bot is told."""


class Asked(NamedTuple):
    """One transcript with what the bot said to it."""

    transcript: Transcript
    answers: tuple[Answer, ...]
    """By question; after an offence there are no more."""
    absent: Offence | None = None
    """Why there was no process to ask."""

    @property
    def pairs(self) -> Iterator[tuple[Question, Answer]]:
        """The questions that were asked, with their answers."""
        return zip(self.transcript.course.questions, self.answers, strict=False)

    @property
    def offence(self) -> Offence | None:
        """The fault that the bot committed."""
        last = self.answers[-1] if self.answers else None
        return last if isinstance(last, Offence) else self.absent


class NotAsked(PoolError):
    """The bot cannot be asked; the text says why."""


def recorded_seed(seed: int) -> int:
    """The seed as it was."""
    return seed


def other_seed(seed: int) -> int:
    """Another one, the same each time."""
    key = derive_key("reask", seed)
    return int.from_bytes(key[:8], "big") >> (64 - _SEED_BITS)


def reask(
    processes: Processes,
    candidate: Candidate,
    transcripts: Iterable[Transcript],
    seeder: Seeder = recorded_seed,
) -> Iterator[Asked]:
    """Ask everything in turn, in processes that were not asked before.

    Ends early if the bot commits a fault in most games. Raises NotAsked if it cannot be
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
    """Whether a bot with faults in so many of its games is asked no more."""
    return faults >= _FAULTY and 2 * faults > games


def _asked(
    processes: Processes, candidate: Candidate, transcript: Transcript, seeder: Seeder
) -> Asked:
    """One game. Raises NotAsked if the machine does not let it be played, tried again."""
    for _ in range(_ATTEMPTS):
        try:
            session = processes.session(transcript.process)
            if isinstance(session, Offence):
                return Asked(transcript, (), session)
            course = transcript.course
            options = candidate.options(transcript.options)
            asked = Asked(transcript, ask_again(session, course, options, seeder(course.seed)))
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
    session: Session,
    course: Course,
    options: Mapping[str, Any],
    seed: int,
    answered: Callable[[Question, Answer], object] = lambda question, answer: None,
    asking: Callable[[Question], object] = lambda question: None,
) -> tuple[Answer, ...]:
    """The bot's answers, in the order of the questions; after an offence there are no more.

    ``options`` and ``seed``: what the bot is told as ``bot_options`` and ``seed``. ``asking`` is
    called before each question and ``answered`` after it. The channel
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
