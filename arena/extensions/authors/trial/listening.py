"""Listening in on a bot: each line both ways, its standard error, the cost of each answer.

Listening changes neither what the bot is sent nor how its answers are judged.
"""

from __future__ import annotations

import json
import math
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from arena.extensions.authors.check.endings import SilenceReason, heard, why_silent
from arena.extensions.authors.check.finding import Name
from arena.extensions.authors.trial.transcript import Answer
from arena.games.base import CHANCE, Json
from arena.games.registry import make_rules
from arena.hosting.process import BotProcess
from arena.referee.ask import start_line
from arena.referee.channel import Channel, PipeChannel, Reply, Silence
from arena.referee.deadline import FIRST_POLL
from arena.referee.protocol import Act, encode
from arena.referee.records.perspective import plain
from arena.referee.session import MachineTooBusy
from arena.referee.wire import Direction, ObservedChannel, WireMessage, to_line
from arena.schedule.seeds import Seeds
from arena.tournament.executor import Job
from arena.tournament.processes import BotProcesses, ProcessKey
from arena.values.results import FaultKind, RulesSpec, TimeControl

_FOLLOWING: Final = 0.2
"""Seconds to wait for output behind a line that is no answer."""
_LATE_TIMES: Final = 3.0
"""Time to wait for a late answer, as a multiple of the time for an answer."""
_MAX_LATE_SECONDS: Final = 6.0
_IDLE: Final = 0.1
"""Share of the time for an answer below which the bot did not compute."""
_MEASURE_LONG: Final = 0.01
_MEASURE_EVERY: Final = 50
"""Least time between two measurements that take over ``_MEASURE_LONG`` seconds, in times of one."""
_SAID_BYTES: Final = 64 * 1024
"""Most bytes of standard error that are kept: the last ones."""


class ProcessStarted(NamedTuple):
    """Event: the bot's process was started."""

    pid: int


class DecisionDue(NamedTuple):
    """Event: the bot is to be asked next, with all that its seat sees, even parts it does not want.

    All values are plain JSON.
    """

    observation: Json
    """Observation; None: not known."""
    events: Sequence[Json]
    """Events since the bot was last asked."""
    legal: Sequence[Json]


class Cost(NamedTuple):
    """Time and memory that one answer took."""

    wall: int
    """Nanoseconds from the question to the answer, or to the end of the wait."""
    cpu: int | None
    """CPU time of the answer in nanoseconds; None: the process is gone, or cannot be measured."""
    peak: int
    """Most memory that the process has held so far, in bytes, as far as that was measured."""


class ComparedAnswer(NamedTuple):
    """Event: an answer, compared with the recorded answer to the same question."""

    before: Answer | FaultKind
    now: Answer
    is_same: bool


class ComparedLine(NamedTuple):
    """Event: a line, compared with the kept line of the same question."""

    before: bytes | None
    """Kept line; None if there was no line."""
    is_same: bool
    """True if both decide alike."""


class Diagnosis(NamedTuple):
    """A cause of a bot's failure, with the evidence; an event after the fault."""

    name: Name
    what: str
    said: str = ""
    mend: str = ""
    """Remedy, where it is known more exactly than the name implies."""

    def caused_by(self, name: Name) -> Diagnosis:
        """Return the same diagnosis with a more exact cause."""
        return self._replace(name=name, mend="")


Event: TypeAlias = (
    ProcessStarted | DecisionDue | WireMessage | Cost | ComparedAnswer | ComparedLine | Diagnosis
)
Listener: TypeAlias = Callable[[Event], object]


def line_to_keep(event: Event) -> bytes | None:
    """Return the line that a file for ``feed`` keeps of an event; None if it keeps nothing."""
    return to_line(event) if isinstance(event, WireMessage) else None


def until_failed(listener: Listener) -> Listener:
    """Wrap ``listener`` so that it is not called again after it has raised an exception.

    Otherwise it could raise again while the first exception is being handled.
    """
    has_failed = False

    def guarded(event: Event) -> None:
        nonlocal has_failed
        if has_failed:
            return
        try:
            listener(event)
        except BaseException:
            has_failed = True
            raise

    return guarded


def with_answer_limit(listener: Listener, limit: float, warn: Callable[[], object]) -> Listener:
    """Wrap ``listener`` so that ``warn`` is called if an answer takes over ``limit`` seconds.

    ``warn`` is called once, on a thread of its own, because the thread of ``listener`` waits.
    """
    timer: threading.Timer | None = None
    is_told = threading.Event()

    def over() -> None:
        if not is_told.is_set():
            is_told.set()
            warn()

    def hears(event: Event) -> None:
        nonlocal timer
        listener(event)
        if timer is not None:
            timer.cancel()
            timer = None
        if (
            isinstance(event, WireMessage)
            and event.way is Direction.TO
            and b'"type":"act"' in event.data
        ):
            timer = threading.Timer(limit, over)
            timer.daemon = True
            timer.start()

    return hears


class Stopwatch:
    """A clock that stands still while questions and answers are listened to."""

    def __init__(self) -> None:
        self.lost = 0
        """Nanoseconds for which the clock stood still."""

    def now(self) -> int:
        """Return the time in nanoseconds."""
        return time.monotonic_ns() - self.lost


class MeteredChannel(ObservedChannel):
    """A channel that reports what each answer cost, and keeps evidence for a diagnosis."""

    def __init__(
        self,
        channel: PipeChannel,
        process: BotProcess,
        kept: int,
        listener: Listener,
        watch: Stopwatch,
        question: Callable[[], tuple[bytes, bytes]],
        hello: bytes | None = None,
    ) -> None:
        """Open the channel.

        ``kept``: as in ObservedChannel. ``question``: returns a start and an act line, for a bot
        that is silent before it got any. ``hello``: sent in place of the first question.
        """
        super().__init__(channel, kept, listener)
        self.process = process
        self.tokens: list[str] = []
        """Tokens of the questions, in order."""
        self.why: SilenceReason | None = None
        """Reason why the bot said nothing in time."""
        self.reply: Reply = b""
        """Last reply."""
        self.following = b""
        """Output that came right after a line that is no answer."""
        self.waited = 0.0
        """Seconds of waiting for an answer that did not come in time."""
        self.is_idle = False
        """True if the bot used hardly any processor time before an answer was due."""
        self.is_swarming = False
        """True if the bot was slow or silent while very many processes of its own ran."""
        self.swarms_until = math.inf
        """Instant in seconds after which such a bot is asked no more."""
        self.may_be_late = True
        """False: do not wait for a late answer."""
        self.games_over = 0
        self._listener = listener
        self._watch = watch
        self._question = question
        self._hello = hello
        self._last = ""
        """Type of the last message to the bot."""
        self._said = b""
        self._peak = 0
        self._measured_again = 0.0
        """Instant of the next measurement of peak memory, in seconds."""
        listener(ProcessStarted(channel.pid))

    def ask(self, question: bytes | bytearray, allowance: int | None) -> Reply:
        """See Channel. After a fault, find its cause: the game is lost, and nobody asks again.

        Raises MachineTooBusy for a swarm after ``swarms_until``.
        """
        entered = time.monotonic_ns()
        line, self._hello = self._hello or bytes(question), None
        self._note(line)
        self._tell_error()
        self._tell(Direction.TO, line.removesuffix(b"\n"))
        before = self.process.cpu_ns()
        asked = time.monotonic_ns()
        self.reply = reply = self._channel.ask(line, allowance)
        wall = time.monotonic_ns() - asked
        self._channel.scheduler_delay()  # it is measured now and kept
        after = self.process.cpu_ns()
        self._measure_peak()
        if not isinstance(reply, bytes) or wall > FIRST_POLL:
            self.is_swarming |= self.process.is_swarming()
        if isinstance(reply, bytes):
            self._tell(Direction.FROM, reply)
        self._tell_error()
        cpu: int | None = None
        if before is not None and after is not None:
            cpu = max(0, after - before)
        self._listener(Cost(wall, cpu, self._peak))
        if isinstance(reply, bytes):
            if not _may_answer(reply, self.tokens):
                self.following = self._channel.rest() or heard(self.process, _FOLLOWING)
        elif reply is Silence.TIMED_OUT and allowance is not None:
            self.is_idle = cpu is not None and cpu < _IDLE * allowance
            if not self._channel.rest():
                self._ask_why(line, allowance / 1e9)
        if self.is_swarming and time.monotonic() > self.swarms_until:
            raise MachineTooBusy("its own processes keep it waiting")
        self._watch.lost += time.monotonic_ns() - entered - wall
        return reply

    def _ask_why(self, line: bytes, seconds: float) -> None:
        """Find out why no answer to ``line`` came within ``seconds``."""
        late = min(_LATE_TIMES * seconds, _MAX_LATE_SECONDS) * self.may_be_late
        start, act = (None, line) if self._last == "act" else self._question()
        self.waited = seconds + late
        self.why = why_silent(self.process, act, start, late)
        self._measure_peak()
        self._tell_error()

    def _measure_peak(self) -> None:
        """Measure peak memory, unless most of the time would be spent on it, as for a swarm."""
        began = time.monotonic()
        if began >= self._measured_again:
            self._peak = max(self._peak, self.process.peak())
            took = time.monotonic() - began
            self._measured_again = began + (_MEASURE_EVERY * took if took > _MEASURE_LONG else 0.0)

    def tell(self, line: bytes) -> None:
        """See Channel."""
        self._note(line)
        super().tell(line)

    def _note(self, line: bytes) -> None:
        """Keep the type of a message, and the token of a question."""
        message = json.loads(line)
        self._last = str(message["type"])
        if self._last == "act":
            self.tokens.append(message["id"])
        self.games_over += self._last == "over"

    def _tell(self, way: Direction, data: bytes) -> None:
        if way is Direction.ERROR:
            self._said = (self._said + data)[-_SAID_BYTES:]
        super()._tell(way, data)

    def said(self) -> str:
        """Return the standard error of the process, as far as it was kept."""
        return self._said.decode("utf-8", "replace")

    def peak(self) -> int:
        """Return the most memory that the process was seen to hold, in bytes."""
        return self._peak

    def rest(self) -> bytes:
        """See Channel."""
        rest = super().rest()
        self.following = self.following or rest
        return rest

    def end(self) -> None:
        """Report the last output of a process that is gone."""
        self._tell_error()


def object_in(line: bytes) -> dict[str, Any] | None:
    """Return the JSON object in a line; None if the line holds anything else."""
    try:
        message = json.loads(line.decode())
    except (ValueError, RecursionError):
        return None
    return message if isinstance(message, dict) else None


def _may_answer(line: bytes, tokens: Sequence[str]) -> bool:
    """Return whether a line may answer the last of ``tokens``.

    That is a JSON object of such a type without the token of an earlier question.
    """
    message = object_in(line)
    if message is None or message.get("type") not in ("ready", "action"):
        return False
    return message.get("id") not in tokens[:-1]


def first_question(
    spec: RulesSpec, control: TimeControl, options: dict[str, Any]
) -> tuple[bytes, bytes]:
    """Return the lines that begin a game and ask its first question; ``options``: of the bot."""
    rules, luck = make_rules(spec), Seeds.of("1").deal("a question")
    state = rules.initial_state()
    while (seat := rules.to_act(state)) == CHANCE:
        state = rules.apply(state, rules.chance(state, luck))
    legal = rules.legal_actions(state)
    start = start_line(spec, seat, control, "0" * 16, 0, options, None)
    seen = plain(rules.observe(state, seat))
    return start, encode(Act("0" * 16, control.move, seen, [], plain(legal)))


class ListeningProcesses(BotProcesses):
    """Bot processes, of which one has a channel that reports to a listener."""

    def __init__(
        self,
        job: Job,
        key: ProcessKey,
        listener: Listener,
        watch: Stopwatch,
        question: Callable[[], tuple[bytes, bytes]],
        hello: bytes | None,
        opened: Callable[[MeteredChannel], object],
    ) -> None:
        """Prepare the processes.

        ``question``, ``hello``: as in MeteredChannel. ``opened``: called with the channel.
        """
        super().__init__(job, self._listened)
        self._question = question
        self._hello = hello
        self._opened = opened
        self._watch = watch
        self._key = key
        self._listener = listener
        self._overheard: MeteredChannel | None = None
        self._held: list[Event] | None = None
        """Events held back while processes end, for the listener afterwards."""

    def _listened(self, key: ProcessKey, process: BotProcess, channel: PipeChannel) -> Channel:
        if key != self._key:
            return channel
        kept = self._bots[key.entrant].limits.stderr
        self._overheard = MeteredChannel(
            channel, process, kept, self._hear, self._watch, self._question, self._hello
        )
        self._opened(self._overheard)
        return self._overheard

    def close(self) -> None:
        """See BotProcesses."""
        self._held = held = list[Event]()
        try:
            super().close()
            if self._overheard is not None:
                self._overheard.end()
                self._overheard = None
        finally:
            self._held = None
        for event in held:
            self._hear(event)

    def _hear(self, event: Event) -> None:
        if self._held is not None:
            self._held.append(event)
        else:
            self._listener(event)
