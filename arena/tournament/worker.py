"""Run a worker process: it plays its blocks one game at a time, watched by a thread.

A worker keeps one process per bot and seating, so that no bot process ever sees a deal twice. When
its control pipe closes, the worker ends with everything it started. The pipe closes whenever the
parent dies, in any way.

The watchdog thread obeys the parent and supervises the worker and its bots.
"""

from __future__ import annotations

import contextlib
import gc
import logging
import logging.handlers
import math
import os
import queue
import secrets
import signal
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Sequence
from multiprocessing.connection import Connection
from types import FrameType
from typing import Any, Final, NoReturn

import msgspec

from arena.games.base import Action, Rules
from arena.games.installed import OWN, GameError, failing_package, in_words
from arena.games.registry import GAMES, make_rules
from arena.hosting.machine import capacity, orphans
from arena.hosting.machine.spawn import SIGNALS
from arena.hosting.sandbox import confine, side_channels, warm
from arena.hosting.sandbox.isolation import IsolationError, Level
from arena.referee.ask import Heartbeat
from arena.referee.play import GameConditions, play_game
from arena.referee.session import BotSession, MachineTooBusy, Offence, RulesBroken
from arena.referee.wire import RecordingChannel
from arena.schedule.schedule import Block
from arena.schedule.seeds import Chance, Seeds
from arena.tournament.executor import (
    BlockDone,
    Job,
    Logged,
    Report,
    pack,
    unpack_block,
    unpack_job,
)
from arena.tournament.processes import BotProcesses, ProcessKey, is_exhaustion
from arena.values.archives import Archive, archived
from arena.values.results import (
    GameDone,
    GameSpec,
    GameVoid,
    Learned,
    LogWire,
    RulesSpec,
    Seat,
    TimeControl,
    VoidCause,
)

STOP: Final = b"s"
"""Message on the control pipe: finish the running game, then play no more."""
STUCK: Final = 112
"""Exit status of a worker that ended itself because a game made no progress; a rare one."""
RULES_SECONDS: Final = 30.0
"""Longest time that rules may compute between two questions, in seconds."""

_TICK: Final = 0.1
_SLOW_TICK: Final = 1.0
_EXCUSED_TIMES: Final = 5
"""Largest multiple of its time that a bot gets on a machine that is too busy."""
_MARGIN: Final = 60.0


class Watchdog:
    """Watchdog that ends worker and bots when the control pipe closes or the worker is stuck."""

    def __init__(
        self,
        control: Connection,
        processes: BotProcesses,
        pulse: Heartbeat,
        patience: float,
        stop: Callable[[], None],
        interrupt: Callable[[], None] = lambda: None,
    ) -> None:
        """Prepare a watchdog, which calls ``stop`` on each STOP.

        ``patience``: longest silence of the main thread in seconds, see ``longest_silence``; after
        it, ``interrupt`` is called, and after as much silence again the process ends.
        """
        self._control = control
        self._processes = processes
        self._pulse = pulse
        self._patience = patience
        self._stop = stop
        self._interrupt = interrupt
        self._tick = _TICK if processes.needs_inspection else _SLOW_TICK

    def run(self) -> NoReturn:
        """Watch, then end the process, even after an exception; never returns."""
        status = 1
        try:
            self._until_stuck()
            status = STUCK
        except (EOFError, ConnectionError):
            pass
        finally:
            kill_and_exit(self._processes, status)

    def _until_stuck(self) -> None:
        """Watch until the worker is stuck.

        Raises EOFError or ConnectionError when the parent is gone.
        """
        beat, silent, is_interrupted = 0, 0.0, False
        while True:
            began = time.monotonic()
            if self._control.poll(self._tick):
                if self._control.recv_bytes() == STOP:
                    self._stop()
                continue
            self._processes.inspect()
            # count two ticks at most: all processes may have been stopped for hours
            passed = min(time.monotonic() - began, 2 * self._tick)
            before, beat = beat, self._pulse.beat
            silent = silent + passed if beat and beat == before else 0.0
            is_interrupted = is_interrupted and beat == before
            limit = self._patience
            if not self._pulse.is_asking:
                limit = min(limit, RULES_SECONDS)
            if silent > limit and is_interrupted:
                return
            if silent > limit:
                silent, is_interrupted = 0.0, True
                self._interrupt()


def kill_and_exit(processes: BotProcesses, status: int = 1) -> NoReturn:
    """Kill all bots and end this process at once, without a report to the parent."""
    processes.kill()
    os._exit(status)


class NoProgress(RuntimeError):
    """Raised in the main thread of a worker by its watchdog."""


def interruption() -> Callable[[], None]:
    """Return a function for other threads that raises NoProgress in this one, the main thread."""

    def stop(number: int, frame: FrameType | None) -> NoReturn:
        raise NoProgress("no question to a bot for a long time")

    signal.signal(signal.SIGALRM, stop)
    return lambda: signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGALRM)


def longest_silence(control: TimeControl, max_plies: int) -> float:
    """Return the seconds without a question after which a game is stuck, not slow.

    Returns infinity if answers have no time limit.
    """
    answer = control.move
    if answer is None and control.bank is not None:
        banks = 1 + max_plies // (control.moves or max_plies + 1)
        answer = banks * control.bank + control.increment * max_plies
    if answer is None:
        return math.inf
    answer += control.margin or 0.0
    return _EXCUSED_TIMES * max(answer, control.startup) + _MARGIN


__all__ = ["STOP", "STUCK", "Outlet", "Worker", "log_to", "run"]

_OPAQUE_BYTES: Final = 8
_GC_THRESHOLD: Final = 100_000
_COLD_STARTS: Final = 8
"""Number of full starts of bots before a worker keeps a warm launcher."""

log = logging.getLogger("arena.worker")


class Worker:
    """Player of the games of one job, in this process."""

    def __init__(self, job: Job, processes: BotProcesses, pulse: Heartbeat | None = None) -> None:
        self._job = job
        self._processes = processes
        self._pulse = pulse or Heartbeat()
        self._rules: dict[str, Rules[Any, Action]] = {
            name: make_rules(spec) for name, spec in job.rules.items()
        }
        self._seeds = Seeds(job.seed_key)
        self._options = {player.name: player.options for player in job.players}
        closed = any(bot.launch.level.at_least(Level.LANDLOCK) for bot in job.local.bots.values())
        self._keeps_apart = job.fresh and closed
        """True if nothing that one game leaves may be visible to another."""

    @property
    def patience(self) -> float:
        """Time without a sign of life after which a game is stuck, in seconds."""
        max_plies = max(rules.info.max_plies for rules in self._rules.values())
        return longest_silence(self._job.control, max_plies)

    def play(
        self,
        spec: GameSpec,
        chance: Chance | None = None,
        learned: Iterable[tuple[str, tuple[bytes, str]]] = (),
    ) -> GameDone:
        """Play the game of ``spec``. Exceptions are failures of arena or the machine, not of a bot.

        ``chance``: randomness of the game's block; None: derived from the seed of the job.
        ``learned``: see ``Block``.
        """
        self._processes.given = dict(learned)
        self._processes.learned.clear()
        try:
            return self._play(spec, chance or self._seeds.chance((spec,)))
        finally:
            self._pulse.rest()

    def _play(self, spec: GameSpec, chance: Chance) -> GameDone:
        seats = range(len(spec.entrants))
        players = []
        keys = [ProcessKey.of(spec, seat) for seat in seats]
        for key in keys:
            self._pulse.now()  # a start may take as long as an answer
            players.append(self._processes.session(key))
        self._pulse.answered()
        recorded = self._recorded(players)
        terms = GameConditions(
            self._job.control,
            secrets.token_hex(_OPAQUE_BYTES),  # not derived from the seed, to keep the seed secret
            chance.bots[spec.game_id],
            tuple(self._options[name] for name in spec.entrants),
            spec.entrants if self._job.names_shown else None,
            self._job.on_fault,
            self._job.adjudicate.get(spec.discipline),
        )
        rules, luck = self._rules[spec.discipline], chance.luck()
        sweep, pulse = self._processes.sweep, self._pulse
        played = play_game(rules, players, spec, luck, terms, after_fault=sweep, pulse=pulse)
        spent = self._processes.spent(keys, played.spent)
        faulty = {fault.seat for fault in played.result.faults}
        wanted = faulty if self._job.log_wire is LogWire.FAULTS else recorded.keys()
        wire = {seat: each.exchange() for seat, each in recorded.items() if seat in wanted}
        for fault in played.result.faults:
            self._processes.drop(ProcessKey.of(spec, fault.seat))
        if self._job.fresh:
            self._processes.close()
        learned, archives = self._learned(spec, keys) if self._job.learning else ((), ())
        if self._keeps_apart:
            side_channels.drop_name_cache()
        self._processes.sweep()  # a bot may live on after a game, its daemons may not
        return msgspec.structs.replace(
            played, wire=wire, spent=spent, learned=learned, archives=archives
        )

    def _learned(
        self, spec: GameSpec, keys: Sequence[ProcessKey]
    ) -> tuple[tuple[Learned, ...], tuple[bytes, ...]]:
        """Return what the bots of an ended game have learnt, and the archives; both by seat.

        Nothing is kept of a bot that had a fault. Raises OSError if the machine failed.
        """
        learned, archives = [], []
        for key in keys:
            own, (_, given) = self._processes.learned.get(key), self._processes.given_to(key)
            if own is not None and own.error is not None:
                raise own.error
            if own is not None and own.dropped:
                told = "game %s: what %s wrote is not kept: %s"
                log.warning(told, spec.game_id, key.entrant, own.dropped)
            kept = archived(own.written) if own is not None and own.written else Archive(b"", "")
            learned.append(Learned(given, kept.digest, "" if own is None else own.dropped))
            archives.append(kept.packed)
        return tuple(learned), tuple(archives)

    def _recorded(self, players: Sequence[BotSession | Offence]) -> dict[Seat, RecordingChannel]:
        """Begin a game on each recorded channel; return these channels by seat."""
        if self._job.log_wire is LogWire.OFF:
            return {}
        found = {}
        for seat, player in enumerate(players):
            if isinstance(player, BotSession) and isinstance(player.channel, RecordingChannel):
                found[seat] = player.channel
                player.channel.begin()
        return found

    def void(self, spec: GameSpec, error: BaseException) -> GameVoid:
        """Return the report of a game that ``error`` ended, and kill its bots.

        The next game starts new bots.
        """
        rules = self._job.rules[spec.discipline]
        cause, reason = _cause(error, rules)
        if cause in (VoidCause.ARENA, VoidCause.RULES):
            log.error("game %s is void", spec.game_id, exc_info=error)
        else:
            log.warning("game %s is void: %s", spec.game_id, reason)
        for seat in range(len(spec.entrants)):
            self._processes.drop(ProcessKey.of(spec, seat))
        self._processes.sweep()
        if self._keeps_apart:
            side_channels.drop_name_cache()
        return GameVoid(spec.game_id, cause, reason)


def _cause(error: BaseException, rules: RulesSpec) -> tuple[VoidCause, str]:
    """Return the cause of a game at ``rules`` made void by ``error``, and the reason in words."""
    if told := _package_failure(error, rules):
        return VoidCause.RULES, told
    if isinstance(error, MachineTooBusy | IsolationError):
        return VoidCause.MACHINE, str(error)
    if isinstance(error, MemoryError) or (isinstance(error, OSError) and is_exhaustion(error)):
        return VoidCause.MACHINE, f"the machine is exhausted: {str(error) or 'out of memory'}"
    text = "".join(traceback.format_exception(error))
    return VoidCause.ARENA, text.encode(errors="backslashreplace").decode()


def _package_failure(error: BaseException, rules: RulesSpec) -> str:
    """Return in words how the package of ``rules`` failed with ``error``; "" if it did not."""
    if isinstance(error, GameError):
        return str(error)
    source = GAMES.source(rules.name)
    if source is not None and source.package == OWN:
        return ""
    if isinstance(error, RulesBroken):
        return in_words(f"{rules.name} of {source or 'this process'} failed: {error}")
    return failing_package(error)


class Outlet:
    """Thread-safe sender of reports to the parent."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self._lock = threading.Lock()

    def send(self, report: Report) -> None:
        """Send a report. Raises OSError if the parent is gone."""
        self.send_bytes(pack(report))

    def send_bytes(self, data: bytes) -> None:
        """Send a packed report. Raises OSError if the parent is gone."""
        with self._lock:
            self._pipe.send_bytes(data)


class _Logs(logging.Handler):
    """Log handler that sends the entries of this process to the parent."""

    def __init__(self, outlet: Outlet) -> None:
        super().__init__()
        self._outlet = outlet

    def emit(self, record: logging.LogRecord) -> None:
        """Send a record to the parent; drop the record if the parent is gone."""
        logged = Logged(record.name, record.levelno, record.created, record.getMessage())
        with contextlib.suppress(OSError):
            self._outlet.send(logged)


def log_to(outlet: Outlet) -> logging.handlers.QueueListener:
    """Send the log to the parent by a separate thread, so that a slow parent delays nobody.

    Returns the listener, to be stopped at the end.
    """
    waiting: queue.SimpleQueue[logging.LogRecord] = queue.SimpleQueue()
    handler = logging.handlers.QueueHandler(waiting)
    handler.setFormatter(logging.Formatter("%(message)s"))  # the parent adds the rest
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    listener = logging.handlers.QueueListener(waiting, _Logs(outlet))
    listener.start()
    return listener


def begin(parent: Connection) -> tuple[Outlet, logging.handlers.QueueListener]:
    """Prepare this process, which the parent has started; return the outlet to it, and the log.

    The signals of the terminal are for the parent alone.
    """
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    outlet = Outlet(parent)
    logs = log_to(outlet)
    orphans.adopt_orphans()
    capacity.raise_files()
    return outlet, logs


def run(blocks: Connection, control: Connection, job: bytes, core: int) -> None:
    """Run a worker process. ``core``: the core for it and its bots; -1: any core."""
    outlet, logs = begin(blocks)
    if core >= 0 and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {core})
    setup = unpack_job(job)
    processes, pulse, stopping = BotProcesses(setup), Heartbeat(), threading.Event()
    worker = Worker(setup, processes, pulse)
    warm.keep(confine.start, _COLD_STARTS)
    watch = Watchdog(control, processes, pulse, worker.patience, stopping.set, interruption())
    threading.Thread(target=watch.run, daemon=True).start()
    gc.freeze()
    gc.set_threshold(_GC_THRESHOLD)
    try:
        while block := blocks.recv_bytes():
            _play_block(worker, unpack_block(block), outlet, stopping)
    except (EOFError, ConnectionError):
        kill_and_exit(processes)  # the parent is gone, and the watching thread may be slower
    processes.close()
    warm.drop()
    logs.stop()


def _play_block(worker: Worker, block: Block, out: Outlet, stopping: threading.Event) -> None:
    for spec in block.games:
        if stopping.is_set():
            break
        try:
            report: GameDone | GameVoid = worker.play(spec, block.chance, block.learned)
        except BaseException as error:  # the boundary: this game is void, not lost
            report = worker.void(spec, error)
        out.send(report)
    out.send(BlockDone(block.block))
