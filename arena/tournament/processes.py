"""Keep the bot processes of one worker between games, one for each entrant and seating."""

from __future__ import annotations

import errno
import tempfile
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

import msgspec

from arena import extensions
from arena.hosting.machine import capacity, orphans, usage
from arena.hosting.machine.usage import Usage
from arena.hosting.process import BotProcess
from arena.hosting.program import start_problem
from arena.hosting.sandbox.isolation import IsolationError, Launch, Level
from arena.hosting.workspace.cells import Workspace, provide
from arena.hosting.workspace.learning import FLOOD, Given, LearningFolders
from arena.referee.channel import Channel, PipeChannel
from arena.referee.compiled import channel_to
from arena.referee.session import GRACE_SECONDS, BotSession, Offence, handshake
from arena.referee.wire import RecordingChannel
from arena.tournament.executor import Job, LocalBot, PoolError
from arena.values.archives import nothing, opened
from arena.values.results import (
    FaultKind,
    GameSpec,
    Limits,
    LogWire,
    Seat,
    SeatUsage,
    player_of,
)
from arena.values.units import SIZE

KEPT: Final = 60
"""Number of bot processes kept between games, if limits permit.

The least recently used process is ended to make room."""
_LIVE_BOTS: Final = capacity.MOST_BOTS
"""Largest number of bot processes kept while more than ``_PLENTY`` of the machine is free."""
_PLENTY: Final = 0.5
"""Free share of memory and processes, 0 to 1, above which a count beyond ``KEPT`` may grow."""
_LITTLE: Final = 0.25
"""Free share of memory and processes, 0 to 1, below which only ``KEPT`` bots stay."""
_LOOK_SECONDS: Final = 1.0
_LOOKS: Final = 8
"""Number of processes that one ``inspect`` checks, to bound its cost."""
_STARTING_SECONDS: Final = 5.0
_LEARNING_SECONDS: Final = 5.0
"""Time for dismissed bots to write what they have learnt, and to end, in seconds."""
_TICK: Final = 0.1
"""Time between two inspections of the bots, in seconds."""
_METER_SECONDS: Final = 0.05
"""Least time between two measurements of used resources, in seconds.

A measurement takes some hundred microseconds, so they cost a hundredth of the time at most."""
_METER_AGAIN_SECONDS: Final = 0.25
"""Least time between two measurements of the same process, in seconds."""
_MICROSECOND: Final = 1000
_EXHAUSTED: Final = frozenset(
    {errno.EAGAIN, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOSPC}
)


def is_exhaustion(error: OSError) -> bool:
    """Return whether the error means that the machine lacks resources, which is no bot's fault."""
    return error.errno in _EXHAUSTED


class ProcessKey(NamedTuple):
    """Key of a bot process. No two seats or seatings share a process, so none sees a deal twice."""

    entrant: str
    instance: int
    """Number of the process among those of the entrant, from 0."""

    @classmethod
    def of(cls, spec: GameSpec, seat: Seat) -> ProcessKey:
        """Return the key of the process that plays in ``seat`` in the game of ``spec``."""
        name, seats = spec.entrants[seat], len(spec.entrants)
        return cls(name, spec.seating * seats + spec.entrants[:seat].count(name))


class _Meter:
    """State of the measurement of a bot's CPU time."""

    __slots__ = ("cpu_ns", "games", "looked")

    def __init__(self, used: Usage | None) -> None:
        """Begin the measurement. ``used``: resources used up to the end of the bot's start."""
        self.cpu_ns = 0 if used is None else used.cpu_ns
        """CPU time at the last measurement, in nanoseconds."""
        self.looked = 0.0
        self.games = 0
        """Number of games since the last measurement."""


class _RunningBot(NamedTuple):
    """Running bot with its process, channel, session and meter."""

    process: BotProcess
    channel: PipeChannel
    session: BotSession
    meter: _Meter


Talk: TypeAlias = Callable[[ProcessKey, BotProcess, PipeChannel], Channel]
"""Function that makes the channel through which the referee talks to a new process."""


class BotProcesses:
    """Set of the bot processes of one worker.

    A second thread may call ``inspect`` and ``kill``; all else is for the worker's main thread.
    """

    def __init__(self, job: Job, talk: Talk | None = None) -> None:
        """Prepare the processes; none is started.

        ``talk`` makes the channel for the session of a new process; by default it records the
        exchanges if the job logs the wire.
        """
        self._job = job
        self._bots = job.local.bots
        self._talk = self._recorded if talk is None else talk
        self._workspace = Workspace(Path(job.local.workspace))
        self._kept = job.local.kept
        self._seats = max((rules.seats for rules in job.rules.values()), default=1)
        self._live: OrderedDict[ProcessKey, _RunningBot] = OrderedDict()
        self._starting = threading.Lock()
        self._guarded: tuple[tuple[BotProcess, Limits], ...] = ()
        self._pids: frozenset[int] = frozenset()
        """Process ids of all bots that were started and not closed yet."""
        self._looks = 0
        self._ceiling = _LIVE_BOTS
        """Largest number of bots: half the count at which the machine last refused another."""
        self._looked = 0.0
        self._metered = 0.0
        self._is_crowded = False
        """True if bots beyond ``KEPT`` must end because little of the machine is free."""
        self.given: Mapping[str, tuple[bytes, str]] = {}
        """Archives for new processes, see ``Block.learned``."""
        self.learned: dict[ProcessKey, LearningFolders] = {}
        """Folders of processes that have ended without a fault, for the caller to remove."""

    @property
    def needs_inspection(self) -> bool:
        """True if any bot has resource limits, which ``inspect`` must check."""
        return self._job.learning is not None or any(map(_is_limited, self._bots.values()))

    def session(self, key: ProcessKey) -> BotSession | Offence:
        """Return the session of the process of ``key``, which is started if it does not run.

        Returns an Offence if the bot cannot start by its own fault. Raises OSError, IsolationError
        or MachineTooBusy if the machine prevents the start.
        """
        if self._is_crowded:
            self._is_crowded = False
            self._retire([each for each in self._live if each != key][: len(self._live) - KEPT])
        if key in self._live:
            self._live.move_to_end(key)
            return self._live[key].session
        most = max(self._seats, self._most())
        self._retire(list(self._live)[: max(0, len(self._live) - most + 1)])
        try:
            bot = self._start(key)
        except (OSError, IsolationError) as error:
            if not self._make_room(error):
                raise
            bot = self._start(key)
        if isinstance(bot, Offence):
            self.sweep()
            return bot
        self._live[key] = bot
        return bot.session

    def spent(
        self, keys: Sequence[ProcessKey], spent: Sequence[SeatUsage]
    ) -> tuple[SeatUsage, ...]:
        """Return the resources that the processes of ``keys`` used in an ended game, by seat.

        ``spent``: think times by seat, to which CPU time and memory are added. Processes are not
        measured after every quick game; think times of unmeasured seats are returned unchanged.
        """
        now, live = time.monotonic(), [self._live.get(key) for key in keys]
        for bot in live:
            if bot is not None:
                bot.meter.games += 1
        if now < self._metered + _METER_SECONDS:
            return tuple(spent)
        self._metered = now
        return tuple(
            own if bot is None or now < bot.meter.looked + _METER_AGAIN_SECONDS else _read(bot, own)
            for own, bot in zip(spent, live, strict=True)
        )

    def drop(self, key: ProcessKey) -> None:
        """Kill the process of ``key``, if it runs; the next game starts a new one."""
        if bot := self._live.pop(key, None):
            self._close(bot.process, bot.channel)
            self.sweep()

    def close(self) -> None:
        """End every process: dismiss each bot, then kill those that do not end in time."""
        self._retire(list(self._live))

    def kill(self) -> None:
        """Kill every process at once and for good: any later start of a bot blocks for ever.

        Called when the worker must end at once, perhaps from another thread.
        """
        self._starting.acquire(timeout=_STARTING_SECONDS)  # a start may hang
        for bot in list(self._live.values()):
            bot.process.condemn("its worker ends")
        orphans.end_helpers()
        orphans.sweep(keep=())

    def sweep(self) -> None:
        """Kill every child process that is not a bot of this worker."""
        orphans.sweep(keep=self._pids)

    def inspect(self) -> None:
        """Kill bots that exceed their limits, and daemons of any bot.

        Each call checks a few bots, and none whose limits the kernel enforces. A daemon would work
        for its bot without counting towards the limits of any bot.
        """
        if self._starting.acquire(blocking=False):  # else a starting bot would be killed
            try:
                self.sweep()
            finally:
                self._starting.release()
        if len(self._live) > KEPT and time.monotonic() > self._looked + _LOOK_SECONDS:
            self._looked = time.monotonic()
            self._is_crowded = capacity.free() < _LITTLE
        guarded = self._guarded
        for turn in range(min(_LOOKS, len(guarded))):
            process, limits = guarded[(self._looks + turn) % len(guarded)]
            used = process.usage()
            why = used and usage.excess(used, limits, partial(usage.tree, process.pid))
            if process.learning is not None and process.learning.is_flooded():
                why = f"wrote more than {FLOOD} times what it may keep"
            if why:
                process.condemn(why)
        self._looks += _LOOKS

    def _most(self) -> int:
        """Return the number of bots to keep running, unless a table needs more."""
        most = _LIVE_BOTS if self._kept is None else min(_LIVE_BOTS, self._kept)
        if len(self._live) >= KEPT:
            wanted = len(self._live) + (capacity.free() > _PLENTY)
            most = min(most, max(KEPT, min(wanted, self._ceiling, provide(wanted))))
        return capacity.bots_at_once(most)

    def _make_room(self, error: OSError | IsolationError) -> bool:
        """End all bots that are at no table, if this may help; return whether there were any.

        Also helps a sandbox that fails for lack of processes. The most recently used bots are at
        the table.
        """
        if isinstance(error, OSError) and not is_exhaustion(error):
            return False
        self._ceiling = len(self._live) // 2
        leaving = list(self._live)[: max(0, len(self._live) - (self._seats - 1))]
        self._retire(leaving)
        return bool(leaving)

    def _recorded(self, key: ProcessKey, process: BotProcess, channel: PipeChannel) -> Channel:
        if self._job.log_wire is LogWire.OFF:
            return channel
        return RecordingChannel(channel, self._bots[key.entrant].limits.stderr)

    def _start(self, key: ProcessKey) -> _RunningBot | Offence:
        bot = self._bots[key.entrant]
        try:
            with self._starting:
                process = BotProcess(bot.launch, self._workspace, self._given(key))
                self._pids |= {process.pid}
        except OSError as error:
            return _cannot_start(error, bot.launch)
        limits = bot.limits
        make = extensions.need("bot", "channels", bot.speaks) if bot.speaks else channel_to
        channel = make(process, limits.reply, limits.stderr, self._job.pondering)
        if (_is_limited(bot) and not process.is_kept_in_limits) or process.learning is not None:
            self._guarded += ((process, limits),)
        try:
            talk = self._talk(key, process, channel)
            session = handshake(talk, self._job.control, limits)
        except BaseException:
            self._close(process, channel)
            raise
        if isinstance(session, BotSession):
            return _RunningBot(process, channel, session, _Meter(process.usage()))
        problem, stderr = process.start_error(), talk.stderr()
        self._close(process, channel)
        if problem is not None:
            return _cannot_start(problem, bot.launch)
        detail = session.detail + (_in_force(limits) if _is_limited(bot) else "")
        return session._replace(stderr=stderr, detail=detail)

    def _given(self, key: ProcessKey) -> Given | None:
        """Return what a new process is given; None without learning."""
        most = self._job.learning
        return None if most is None else Given(opened(*self.given_to(key)), most)

    def given_to(self, key: ProcessKey) -> tuple[bytes, str]:
        """Return the archive for the process of ``key``, packed, and its digest."""
        return self.given.get(player_of(key.entrant), nothing())

    def _close(self, process: BotProcess, channel: PipeChannel, grace: float = 0.0) -> None:
        self._guarded = tuple(entry for entry in self._guarded if entry[0] is not process)
        channel.close(grace)
        self._pids -= {process.pid}

    def _retire(self, keys: Sequence[ProcessKey]) -> None:
        leaving = {key: self._live.pop(key) for key in keys}
        for bot in leaving.values():
            bot.session.dismiss()
        learns = any(bot.process.learning for bot in leaving.values())
        give_up = time.monotonic() + (_LEARNING_SECONDS if learns else GRACE_SECONDS)
        for key, bot in leaving.items():
            self._close(bot.process, bot.channel, max(0.0, give_up - time.monotonic()))
            if bot.process.learning is not None:
                self.learned[key] = bot.process.learning
        if leaving:
            self.sweep()


@contextmanager
def looked_after(processes: BotProcesses, *, adopts: bool = True) -> Iterator[None]:
    """Enforce the limits of bots by a thread, and end the bots on exit. For use outside workers.

    ``adopts``: whether orphans among all descendants of this process become its children.
    """
    if adopts:
        orphans.adopt_orphans()
    with _guarded(processes) if processes.needs_inspection else nullcontext():
        try:
            yield
        finally:
            processes.close()
            processes.sweep()


@contextmanager
def _guarded(processes: BotProcesses) -> Iterator[None]:
    over = threading.Event()

    def look() -> None:
        while not over.wait(_TICK):
            processes.inspect()

    guard = threading.Thread(target=look, daemon=True)
    guard.start()
    try:
        yield
    finally:
        over.set()
        guard.join()


def new_workspace() -> Workspace:
    """Create a workspace for bots. Raises PoolError."""
    try:
        return Workspace.create()
    except OSError as error:
        where = error.filename or tempfile.gettempdir()
        raise PoolError(f"{where}: no place for bots can be made: {error.strerror}") from None


def _read(bot: _RunningBot, own: SeatUsage) -> SeatUsage:
    """Return ``own`` with CPU time since the last measurement and peak memory, if the bot runs."""
    used, meter = bot.process.usage(), bot.meter
    if used is None:
        return own
    cpu, games = max(0, used.cpu_ns - meter.cpu_ns), meter.games
    meter.cpu_ns, meter.looked, meter.games = used.cpu_ns, time.monotonic(), 0
    return msgspec.structs.replace(
        own, games=games, cpu_us=cpu // _MICROSECOND, memory=bot.process.peak()
    )


def _is_limited(bot: LocalBot) -> bool:
    return bot.launch.level.at_least(Level.LIMITS)


def _in_force(limits: Limits) -> str:
    """Return a text of the limits that may have prevented a bot's start, or an empty one.

    Run-times that lack memory or threads may hang.
    """
    parts = []
    if limits.memory is not None:
        parts.append(f"memory {SIZE.format(limits.memory)}")
    if limits.processes is not None:
        parts.append(f"processes {limits.processes}")
    return f" (limits: {', '.join(parts)})" if parts else ""


def _cannot_start(error: OSError | IsolationError, launch: Launch) -> Offence:
    """Return the offence of a bot that cannot be executed; raise an error that is not its fault."""
    if isinstance(error, IsolationError) or is_exhaustion(error):
        raise error
    why = start_problem(error, launch)
    return Offence(FaultKind.STARTUP, f"cannot be started: {why}")
