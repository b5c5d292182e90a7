"""Test bench of a check: one process of a bot at a time, asked in games with injected faults."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final, NamedTuple

from arena.extensions.authors.bots import BuildableBot, Processes, Setting
from arena.extensions.authors.check.diagnosis import of_fault, of_start, of_swarm, steady
from arena.extensions.authors.check.endings import SilenceReason
from arena.extensions.authors.check.fault_injection import NO_INJECTION, InjectingChannel, Injection
from arena.extensions.authors.check.finding import Name
from arena.extensions.authors.check.table import CheckGame, CheckGameResult, play
from arena.extensions.authors.trial.listening import Diagnosis, first_question
from arena.extensions.authors.trial.trial import playable
from arena.hosting.machine import orphans, procfs, usage
from arena.hosting.process import BotProcess
from arena.hosting.sandbox import bubblewrap
from arena.hosting.sandbox.isolation import Level
from arena.referee.channel import PipeChannel
from arena.referee.protocol import Part, Ready
from arena.referee.session import GRACE_SECONDS, BotSession, MachineTooBusy, Offence
from arena.tournament.executor import Job
from arena.tournament.processes import BotProcesses, ProcessKey
from arena.values.results import RulesSpec

_END_SECONDS: Final = 3.0
"""Seconds for a process to end after bye before it is reported; half a second is promised."""
_ENDED: Final = "ZX"
_TRIES: Final = 3
_FULL: Final = 0.9
"""Share of the memory limit above which a stalled bot, not the machine, is to blame."""
_SWARM_SECONDS: Final = 60.0
"""Seconds after which a bot that is held up by its own processes is not tried further."""


class Scene(NamedTuple):
    """Result of one process and its games."""

    talk: InjectingChannel | None
    """Channel to the process; None: no process was started."""
    session: BotSession | None
    """Session of the process; None: the bot was not ready."""
    played: tuple[CheckGameResult, ...]
    diagnosis: Diagnosis | None
    """Diagnosis of the fault that ended the process."""
    match: CheckGame | None
    """Match in which the fault happened; None: before any match."""
    is_alive: bool
    """True if the process ran before it was sent bye."""
    is_ended: bool
    """True if the process ended within ``_END_SECONDS`` after bye."""
    left: int
    """Number of processes that it left running."""

    @property
    def is_well(self) -> bool:
        """True if the bot committed no fault."""
        return self.diagnosis is None


class Bench:
    """One bot, with a process for each scene."""

    def __init__(self, candidate: BuildableBot, level: Level, setting: Setting, seed: str) -> None:
        self._level = level
        self.candidate = candidate
        self.setting = setting
        self.seed = seed
        self._injection = NO_INJECTION
        self._talk: InjectingChannel | None = None
        self._first: RulesSpec
        self._processes: Processes
        self._began: float
        """Instant at which the bot was built, in seconds."""
        self._left = 0
        self._patience = _END_SECONDS
        self._may_be_late = True
        """False once a silent answer did not come late either: it is not waited for again."""

    @contextmanager
    def opened(self) -> Iterator[Bench]:
        """Build the bot. Raises ConfigError, IsolationError, PoolError."""
        processes = Processes(self.candidate, self.setting, (), self._watched)
        with processes, playable():
            self._processes, self._began = processes, time.monotonic()
            yield self

    def _watched(self, job: Job) -> BotProcesses:
        return _WatchedProcesses(job, self)

    def talk(self, key: ProcessKey, process: BotProcess, channel: PipeChannel) -> InjectingChannel:
        """Return the channel through which the referee talks to a new process."""
        kept = self.setting.limits.stderr
        self._talk = talk = InjectingChannel(
            process, channel, kept, self._injection, self._a_question, may_be_late=self._may_be_late
        )
        talk.swarms_until = self._began + _SWARM_SECONDS
        return talk

    def swept(self, pids: Sequence[int]) -> None:
        """Count the live processes among ``pids``, which are about to be killed.

        ``pids``: processes other than the bot's own main processes.
        """
        if self._level is Level.BUBBLEWRAP:  # only its own two are visible, ending
            return
        for pid in pids:
            with contextlib.suppress(OSError):
                self._left += procfs.process(pid).state not in _ENDED

    def _daemons(self, process: BotProcess) -> int:
        """Return the number of processes in a PID namespace that have left the bot's tree."""
        if self._level is not Level.BUBBLEWRAP:
            return 0
        above = usage.main_process(process.pid, bubblewrap.PROCESSES_ABOVE - 1)
        return max(0, len(procfs.children(above) or ()) - 1)

    def scene(
        self,
        matches: Sequence[CheckGame],
        injection: Injection = NO_INJECTION,
        wants: Sequence[frozenset[Part] | None] = (),
    ) -> Scene:
        """Play ``matches`` in one process until the bot commits a fault.

        ``wants``: for each game, the message parts that the bot gets; None or a missing entry means
        the parts that it wants. Games that the machine prevented are repeated. Raises
        MachineTooBusy if they are prevented again.
        """
        for left in reversed(range(_TRIES)):
            try:
                return self._scene(matches, injection, wants)
            except MachineTooBusy:
                talk, limit = self._talk, self.setting.limits.memory
                self._processes.drop(0)
                found: Diagnosis | None = None
                if talk is not None and limit is not None and talk.peak() > _FULL * limit:
                    found = Diagnosis(Name.MEMORY, "it used all the memory that it may use")
                elif talk is not None and talk.is_swarming:
                    found = of_swarm(steady(talk.said(), talk.tokens))
                if found is not None:
                    return Scene(talk, None, (), found, matches[0], False, True, 0)
                if not left:
                    raise
        raise RuntimeError("no try at all")

    def _scene(
        self,
        matches: Sequence[CheckGame],
        injection: Injection,
        wants: Sequence[frozenset[Part] | None],
    ) -> Scene:
        processes, played = self._processes, list[CheckGameResult]()
        self._injection, self._talk, self._left = injection, None, 0
        self._first = matches[0].rules
        session = processes.session(0)
        if isinstance(session, Offence):
            found = of_start(session.detail, self._talk, self.setting, session.stderr)
            return Scene(self._talk, None, (), found, None, False, True, 0)
        talk = self._spoken_to()
        for number, match in enumerate(matches):
            chosen = wants[number] if number < len(wants) else None
            parts = session.wants if chosen is None else chosen
            ready = Ready(1, wants=tuple(sorted(parts)), prepares=session.prepares)
            told = BotSession(talk, ready)
            game = play(
                match, self.candidate, told, self.seed, self.setting.control, processes.sweep
            )
            played.append(game)
            if game.fault is not None:
                fault = game.fault
                found = of_fault(fault.kind, fault.detail, talk, self.setting)
                self._may_be_late &= talk.why not in (SilenceReason.NOTHING, SilenceReason.AT_END)
                processes.drop(0)
                return Scene(talk, session, tuple(played), found, match, False, True, self._left)
        talk.look()
        self._left += self._daemons(talk.process)
        is_alive = not talk.process.ended()
        session.dismiss()
        is_ended = talk.process.wait(self._patience)
        if not is_ended:
            self._patience = GRACE_SECONDS
        processes.sweep()
        processes.drop(0)
        return Scene(talk, session, tuple(played), None, None, is_alive, is_ended, self._left)

    def _spoken_to(self) -> InjectingChannel:
        if self._talk is None:
            raise RuntimeError("a process was started and not spoken to")
        return self._talk

    def _a_question(self) -> tuple[bytes, bytes]:
        """Return the lines that begin a game and ask its first question."""
        return first_question(self._first, self.setting.control, self.candidate.options({}))


class _WatchedProcesses(BotProcesses):
    """Processes reached through injecting channels, whose leftover processes are counted."""

    def __init__(self, job: Job, bench: Bench) -> None:
        super().__init__(job, bench.talk)
        self._bench = bench

    def sweep(self) -> None:
        """See BotProcesses."""
        self._bench.swept([pid for pid in orphans.children() if pid not in self._pids])
        super().sweep()
