"""The bot processes of one worker: one for each entrant and seating, kept between games."""

from __future__ import annotations

import errno
import tempfile
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from arena.documents.units import SIZE
from arena.hosting.machine import orphans, room, usage
from arena.hosting.machine.usage import Usage
from arena.hosting.process import BotProcess
from arena.hosting.program import start_problem
from arena.hosting.sandbox.isolation import IsolationError, Launch, Level
from arena.hosting.workspace.cells import Workspace, provide
from arena.referee.channel import Channel, PipeChannel
from arena.referee.faults import Offence
from arena.referee.session import GRACE_SECONDS, Session, handshake
from arena.referee.wire import Recorded
from arena.results import FaultKind, GameSpec, Limits, LogWire, Seat, Spent
from arena.tournament.jobs import Job, LocalBot, PoolError

KEPT: Final = 60
"""Bot processes kept between games, as limits permit; the one used longest ago makes room."""
_LIVE_BOTS: Final = room.MOST_BOTS
"""The same where the machine has plenty left."""
_PLENTY: Final = 0.5
"""Share of its memory and processes that must be free for more than ``KEPT`` to become more."""
_LITTLE: Final = 0.25
"""Where less is free, only ``KEPT`` stay."""
_LOOK_SECONDS: Final = 1.0
_LOOKS: Final = 8
"""Processes looked at by one ``inspect``; so it costs little however many there are."""
_STARTING_SECONDS: Final = 5.0
_TICK: Final = 0.1
"""Seconds between two looks at what bots use of the machine."""
_METER_SECONDS: Final = 0.05
"""Between two looks at what bots have used, each of some hundred microseconds: so they cost a
hundredth of the time at most."""
_METER_AGAIN_SECONDS: Final = 0.25
"""The same for one process."""
_MICROSECOND: Final = 1000
_EXHAUSTED: Final = frozenset(
    {errno.EAGAIN, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOSPC}
)


def is_exhaustion(error: OSError) -> bool:
    """Whether the machine had nothing left to give; nobody's fault."""
    return error.errno in _EXHAUSTED


class ProcessKey(NamedTuple):
    """Names a bot's process: no two seats nor seatings share one, so none sees a deal twice."""

    entrant: str
    instance: int
    """Which of the entrant's processes, from 0."""

    @classmethod
    def of(cls, spec: GameSpec, seat: Seat) -> ProcessKey:
        """Of the process that sits there in that game."""
        name, seats = spec.entrants[seat], len(spec.entrants)
        return cls(name, spec.seating * seats + spec.entrants[:seat].count(name))


class _Meter:
    """What is known of the processor time of a bot."""

    __slots__ = ("cpu_ns", "games", "looked")

    def __init__(self, used: Usage | None) -> None:
        """``used``: when it has started."""
        self.cpu_ns = 0 if used is None else used.cpu_ns
        """At the last look."""
        self.looked = 0.0
        self.games = 0
        """Since then."""


class _Bot(NamedTuple):
    """A running bot."""

    process: BotProcess
    channel: PipeChannel
    session: Session
    meter: _Meter


class BotProcesses:
    """The bot processes of one worker.

    A second thread may call ``inspect`` and ``kill``; all else is for the worker's own.
    """

    def __init__(self, job: Job) -> None:
        self._job = job
        self._bots = job.local.bots
        self._workspace = Workspace(Path(job.local.workspace))
        self._kept = job.local.kept
        self._seats = max((rules.seats for rules in job.rules.values()), default=1)
        self._live: OrderedDict[ProcessKey, _Bot] = OrderedDict()
        self._starting = threading.Lock()
        self._guarded: tuple[tuple[BotProcess, Limits], ...] = ()
        self._pids: frozenset[int] = frozenset()
        """Of all processes that were started and not closed yet."""
        self._looks = 0
        self._ceiling = _LIVE_BOTS
        """More were too many."""
        self._looked = 0.0
        self._metered = 0.0
        self._is_crowded = False
        """Whether bots are to go because the machine has little left."""

    @property
    def needs_inspection(self) -> bool:
        """Whether any bot is one for ``inspect``."""
        return any(map(_is_limited, self._bots.values()))

    def session(self, key: ProcessKey) -> Session | Offence:
        """That of the running process, which is started if need be.

        Raises OSError, IsolationError or MachineTooBusy if the machine does not let it start.
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

    def spent(self, keys: Sequence[ProcessKey], spent: Sequence[Spent]) -> tuple[Spent, ...]:
        """What these processes took in a game that is over, by seat as ``spent``, which has how
        long answers took.

        Where games are quick, not all processes are looked at after each of them.
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
        """Kill a process that committed a fault; the next game starts a new one."""
        if bot := self._live.pop(key, None):
            self._close(bot.process, bot.channel)
            self.sweep()

    def close(self) -> None:
        """End every process, politely at first."""
        self._retire(list(self._live))

    def kill(self) -> None:
        """Kill every process now, for good: whoever wants to start one waits for ever.

        Called when the worker is to end at once, perhaps from another thread.
        """
        self._starting.acquire(timeout=_STARTING_SECONDS)  # it may be stuck in just that
        for bot in list(self._live.values()):
            bot.process.condemn("its worker ends")
        orphans.end_helpers()
        orphans.sweep(keep=())

    def sweep(self) -> None:
        """Kill every process that is none of the bots."""
        orphans.sweep(keep=self._pids)

    def inspect(self) -> None:
        """Kill bots that use more of the machine than allowed, and daemons of any.

        Looks at a few bots each time, and at none whose limits the kernel keeps. A daemon would
        work for its bot and be counted for nobody.
        """
        if self._starting.acquire(blocking=False):  # else one would be killed that is just begun
            try:
                self.sweep()
            finally:
                self._starting.release()
        if len(self._live) > KEPT and time.monotonic() > self._looked + _LOOK_SECONDS:
            self._looked = time.monotonic()
            self._is_crowded = room.free() < _LITTLE
        guarded = self._guarded
        for turn in range(min(_LOOKS, len(guarded))):
            process, limits = guarded[(self._looks + turn) % len(guarded)]
            used = process.usage()
            why = used and usage.excess(used, limits, partial(usage.tree, process.pid))
            if why:
                process.condemn(why)
        self._looks += _LOOKS

    def _most(self) -> int:
        """Bots to keep where a table needs no more."""
        most = _LIVE_BOTS if self._kept is None else min(_LIVE_BOTS, self._kept)
        if len(self._live) >= KEPT:
            wanted = len(self._live) + (room.free() > _PLENTY)
            most = min(most, max(KEPT, min(wanted, self._ceiling, provide(wanted))))
        return room.bots_at_once(most)

    def _make_room(self, error: OSError | IsolationError) -> bool:
        """Let all bots go that are at no table, if this may help; whether there were any.

        A sandbox that fails may lack processes too. At the table are those used last.
        """
        if isinstance(error, OSError) and not is_exhaustion(error):
            return False
        self._ceiling = len(self._live) // 2
        leaving = list(self._live)[: max(0, len(self._live) - (self._seats - 1))]
        self._retire(leaving)
        return bool(leaving)

    def _spoken(self, key: ProcessKey, process: BotProcess, channel: PipeChannel) -> Channel:
        """Through what its session speaks to a new process: where somebody may listen in."""
        if self._job.log_wire is LogWire.OFF:
            return channel
        return Recorded(channel, self._bots[key.entrant].limits.stderr)

    def _start(self, key: ProcessKey) -> _Bot | Offence:
        bot = self._bots[key.entrant]
        try:
            with self._starting:
                process = BotProcess(bot.launch, self._workspace)
                self._pids |= {process.pid}
        except OSError as error:
            return _cannot_start(error, bot.launch)
        limits = bot.limits
        channel = PipeChannel(process, limits.reply, limits.stderr, self._job.pondering)
        if _is_limited(bot) and not process.is_kept_in_limits:
            self._guarded += ((process, limits),)
        try:
            spoken = self._spoken(key, process, channel)
            session = handshake(spoken, self._job.control, limits)
        except BaseException:
            self._close(process, channel)
            raise
        if isinstance(session, Session):
            return _Bot(process, channel, session, _Meter(process.usage()))
        problem, stderr = process.start_error(), channel.stderr()
        self._close(process, channel)
        if problem is not None:
            return _cannot_start(problem, bot.launch)
        detail = session.detail + (_in_force(limits) if _is_limited(bot) else "")
        return session._replace(stderr=stderr, detail=detail)

    def _close(self, process: BotProcess, channel: PipeChannel, grace: float = 0.0) -> None:
        self._guarded = tuple(entry for entry in self._guarded if entry[0] is not process)
        channel.close(grace)
        self._pids -= {process.pid}

    def _retire(self, keys: Sequence[ProcessKey]) -> None:
        leaving = [self._live.pop(key) for key in keys]
        for bot in leaving:
            bot.session.dismiss()
        give_up = time.monotonic() + GRACE_SECONDS
        for bot in leaving:
            self._close(bot.process, bot.channel, max(0.0, give_up - time.monotonic()))
        if leaving:
            self.sweep()


@contextmanager
def looked_after(processes: BotProcesses) -> Iterator[None]:
    """Outside of a worker: a thread keeps the bots within their limits, and they end afterwards."""
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
    """A place for bots. Raises PoolError."""
    try:
        return Workspace.create()
    except OSError as error:
        where = error.filename or tempfile.gettempdir()
        raise PoolError(f"{where}: no place for bots can be made: {error.strerror}") from None


def _read(bot: _Bot, own: Spent) -> Spent:
    """With what the bot took since it was last looked at, if it still runs."""
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
    """What may have kept a bot from starting: run-times that lack memory or threads may hang."""
    parts = []
    if limits.memory is not None:
        parts.append(f"memory {SIZE.format(limits.memory)}")
    if limits.processes is not None:
        parts.append(f"processes {limits.processes}")
    return f" (limits: {', '.join(parts)})" if parts else ""


def _cannot_start(error: OSError | IsolationError, launch: Launch) -> Offence:
    """The fault of a bot that cannot be executed. Raises what is not the bot's fault."""
    if isinstance(error, IsolationError) or is_exhaustion(error):
        raise error
    why = start_problem(error, launch)
    return Offence(FaultKind.STARTUP, f"cannot be started: {why}")
