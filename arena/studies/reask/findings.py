"""Asks all wanted questions, once or several times, and counts the answers that changed."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum
from typing import Final, NamedTuple, TypeAlias

import msgspec

from arena.referee.faults import Offence
from arena.studies.reask.bot import BuildableBot, Processes
from arena.studies.reask.courses import Answer, Question, Transcript
from arena.studies.reask.decisions import DecisionsSource
from arena.studies.reask.reask import (
    AnsweredTranscript,
    Seeder,
    is_hopeless,
    other_seed,
    reask,
    recorded_seed,
)
from arena.studies.reask.sources import DecisionFilter, TranscriptSource

Listener: TypeAlias = Callable[[int], object]
"""Callback that gets the number of games asked so far in a round, and 0 at its end."""


class RejectedAnswer(NamedTuple):
    """An answer that is not accepted."""

    transcript: Transcript
    question: Question
    answer: Answer
    earlier: int
    """Number of unchanged decisions of the same game before it."""


@dataclasses.dataclass
class Count:
    """Counts of changed and unchanged decisions over all games."""

    games: int = 0
    seats: int = 0
    """Number of seats of all games; below, "game" means the game of one seat."""
    decisions: int = 0
    forced: int = 0
    """Number of decisions with one legal action."""
    same: int = 0
    unasked: int = 0
    """Number of decisions after a fault."""
    changed_seats: int = 0
    before: int = 0
    """Number of decisions before the first difference, in games that have one."""
    after: int = 0
    """Number of decisions after the first difference."""
    after_same: int = 0
    faults: int = 0
    firsts: list[RejectedAnswer] = dataclasses.field(default_factory=list)
    """The first difference of each game that has one."""
    offences: list[RejectedAnswer] = dataclasses.field(default_factory=list)
    """Answers that were faults, even if the record has the same fault."""
    given_up: bool = False
    """True if the bot was not asked further questions because of its faults."""
    absences: list[tuple[Transcript, Offence]] = dataclasses.field(default_factory=list)
    _last: str = ""

    @property
    def different(self) -> int:
        """Number of decisions that changed."""
        return self.decisions - self.same

    @property
    def agreement(self) -> float | None:
        """Share of unchanged decisions; None without decisions."""
        return self.same / self.decisions if self.decisions else None

    @property
    def first_agreement(self) -> float | None:
        """Share of unchanged decisions up to the first difference of each seat, this one included.

        None without decisions.
        """
        counted = self.decisions - self.after
        return (counted - self.changed_seats) / counted if counted else None

    @property
    def is_same(self) -> bool:
        """True if every decision was asked and none changed."""
        return not (self.different or self.unasked or self.absences or self.given_up)

    def add(self, asked: AnsweredTranscript) -> None:
        """Count the answers of one seat. Call it for all seats of a game before the next game."""
        name = asked.transcript.name
        self.games += name != self._last
        self._last = name
        self.seats += 1
        questions = asked.transcript.course.questions
        self.unasked += len(questions) - len(asked.answers)
        self.faults += asked.offence is not None
        self.given_up = is_hopeless(self.faults, self.seats)
        if asked.absent is not None:
            self.absences.append((asked.transcript.without_questions(), asked.absent))
        first: int | None = None
        game = asked.transcript.without_questions()
        for place, (question, answer) in enumerate(asked.pairs):
            met = question.is_met_by(answer)
            self.decisions += 1
            self.forced += len(question.legal) == 1
            self.same += met
            if first is not None:
                self.after += 1
                self.after_same += met
            change = RejectedAnswer(game, question, answer, place if first is None else first)
            if isinstance(answer, Offence):
                self.offences.append(change)
            if not met and first is None:
                first = place
                self.firsts.append(change)
        if first is not None:
            self.changed_seats += 1
            self.before += first


class Determinism(StrEnum):
    """Dependence of a bot's answers on anything besides the questions."""

    DETERMINISTIC = "deterministic"
    """Answers are the same for every seed."""
    SEEDED = "seeded"
    """Answers depend on the seed alone."""
    NEITHER = "neither"
    """Answers depend on more than the seed."""


class Label(NamedTuple):
    """Result of several rounds of the same questions."""

    determinism: Determinism
    rounds: int
    """Number of rounds with the recorded seeds; one more round had other seeds."""
    decisions: int
    """Number of decisions in one round."""
    choices: int
    """Number of decisions with more than one legal action."""
    differs: Transcript | None
    """The first game with the difference that decided on the label."""
    ply: int | None
    """Ply of the first difference in that game; None: the bot could not be started."""


class RoundComparison:
    """Comparison of rounds of the same questions; keeps eight bytes of each answer."""

    def __init__(self) -> None:
        self._first: list[bytes] = []
        self._decisions = self._choices = self._same = 0
        self._differs: dict[bool, tuple[Transcript, int | None]] = {}
        """First difference, by True for rounds with the recorded seeds."""

    def begin(self, asked: Iterable[AnsweredTranscript]) -> Iterator[AnsweredTranscript]:
        """Yield the answers of the first round unchanged, and keep them for comparison."""
        self._same = 1
        for game in asked:
            self._decisions += len(game.answers)
            self._choices += sum(len(question.legal) > 1 for question, _ in game.pairs)
            self._first.append(_digests(game))
            yield game

    def compare(self, asked: Iterable[AnsweredTranscript], *, same_seed: bool) -> None:
        """Compare another round with the first; ``same_seed``: its seeds are the recorded ones."""
        self._same += same_seed
        for once, game in zip(self._first, asked, strict=False):
            again = _digests(game)
            if again != once and same_seed not in self._differs:
                self._differs[same_seed] = game.transcript, _where(once, again, game)

    def label(self) -> Label:
        """Return the result of the rounds."""
        if True in self._differs:
            found = Determinism.NEITHER
        else:
            found = Determinism.SEEDED if self._differs else Determinism.DETERMINISTIC
        where, ply = self._differs.get(found is Determinism.NEITHER, (None, None))
        return Label(found, self._same, self._decisions, self._choices, where, ply)


_DIGEST: Final = 8


def _digests(asked: AnsweredTranscript) -> bytes:
    return b"".join(_digest(answer) for answer in asked.answers)


def _digest(answer: Answer) -> bytes:
    said = answer.kind if isinstance(answer, Offence) else answer
    return hashlib.blake2b(msgspec.json.encode(said), digest_size=_DIGEST).digest()


def _where(once: bytes, again: bytes, asked: AnsweredTranscript) -> int | None:
    """Return the ply of the first answer that differs; None without one."""
    questions = asked.transcript.course.questions
    for number, question in enumerate(questions):
        here = slice(number * _DIGEST, (number + 1) * _DIGEST)
        if once[here] != again[here]:
            return question.ply
    return None


class Findings(NamedTuple):
    """Result of asking a bot again."""

    candidate: BuildableBot
    wish: DecisionFilter
    counted: Count
    label: Label | None
    interrupted: bool
    skipped: set[str]
    are_wanted: bool
    """True if the decisions are those of a file, not of games."""

    def warnings(self) -> list[str]:
        """Return warnings for the user."""
        found = []
        if self.interrupted:
            found.append("interrupted: these are the games that were asked so far")
        if self.skipped:
            games = ", ".join(sorted(self.skipped))
            found.append(f"not asked, as the bot does not play it: {games}")
        label = self.label
        if (
            label is not None
            and label.determinism is Determinism.NEITHER
            and self.candidate.claims_determinism
        ):
            found.append('bot.yaml says "deterministic: true", which is not so')
        return found


def examine(
    processes: Processes,
    candidate: BuildableBot,
    source: TranscriptSource,
    wish: DecisionFilter,
    *,
    repeat: int | None,
    listener: Listener,
) -> Findings:
    """Ask all questions once, or ``repeat`` times and then once more with other seeds.

    A KeyboardInterrupt ends it early. Raises NotAsked, see ``reask``, and the errors of ``source``.
    """
    count, rounds, label, interrupted = Count(), RoundComparison(), None, False

    def asked_in_turn(seeder: Seeder = recorded_seed) -> Iterator[AnsweredTranscript]:
        try:
            games = reask(processes, candidate, source.transcripts(wish), seeder)
            for number, asked in enumerate(games, 1):
                listener(number)
                yield asked
        finally:
            listener(0)

    try:
        for asked in rounds.begin(asked_in_turn()):
            count.add(asked)
        if repeat is not None and count.games:
            for _ in range(repeat - 1):
                rounds.compare(asked_in_turn(), same_seed=True)
            rounds.compare(asked_in_turn(other_seed), same_seed=False)
            label = rounds.label()
    except KeyboardInterrupt:
        interrupted = True
    wanted = isinstance(source, DecisionsSource)
    return Findings(candidate, wish, count, label, interrupted, source.skipped, wanted)
