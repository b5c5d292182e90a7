"""A worker process: plays the blocks it is given, one game at a time, and reports each game.

It keeps one process per bot and seating, so that no bot process ever meets a deal twice. It
ends, and everything it started with it, when its control pipe closes: that is what happens
when the parent dies, however it dies.
"""

from __future__ import annotations

import contextlib
import errno
import gc
import logging
import logging.handlers
import os
import secrets
import signal
import threading
import time
import traceback
from collections import OrderedDict
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from multiprocessing.queues import Queue
from pathlib import Path
from typing import Any, Final, NoReturn

from arena.hosting import orphans
from arena.hosting.process import BotProcess
from arena.hosting.yard import Yard
from arena.referee.channel import PipeChannel
from arena.referee.faults import Offence
from arena.referee.play import Terms, play_game
from arena.referee.session import GRACE_SECONDS, Session, handshake
from arena.results import FaultKind, GameSpec
from arena.rules import make_rules
from arena.rules.base import Action, Rules
from arena.tournament import jobs
from arena.tournament.jobs import BlockDone, GameDone, GameVoid, Job, VoidCause
from arena.tournament.schedule import Block
from arena.tournament.seeds import Seeds

STOP: Final = b"s"
"""On the control pipe: play the game in hand to its end, then no more."""
_LIVE_BOTS: Final = 64
"""Bot processes kept between games; the one used longest ago makes room."""
_OPAQUE_BYTES: Final = 8
_GC_THRESHOLD: Final = 100_000
_EXHAUSTED: Final = {errno.EAGAIN, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOSPC}
"""Why a process cannot be started through no fault of its bot."""

log = logging.getLogger("arena.worker")


class Stable:
    """The bot processes of one worker."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._players = {player.name: player for player in job.players}
        self._live: OrderedDict[tuple[str, int], tuple[Session, PipeChannel]] = OrderedDict()
        self._starting = threading.Lock()
        self._yard = Yard(Path(job.yard))

    def session(self, entrant: str, instance: int) -> Session | Offence:
        """The running process of an entrant's instance, started if need be."""
        key = (entrant, instance)
        if key in self._live:
            self._live.move_to_end(key)
            return self._live[key][0]
        while len(self._live) >= _LIVE_BOTS:
            self._retire([next(iter(self._live))])
        channel = self._start(entrant)
        if isinstance(channel, Offence):
            return channel
        session = handshake(channel, self._job.control, self._job.limits)
        if isinstance(session, Offence):
            stderr = channel.stderr()
            channel.close()
            self.sweep()
            return session._replace(stderr=stderr)
        self._live[key] = session, channel
        return session

    def drop(self, entrant: str, instance: int) -> None:
        """Kill a process that committed a fault; the next game starts a new one."""
        if entry := self._live.pop((entrant, instance), None):
            entry[1].close()
            self.sweep()

    def close(self) -> None:
        """End every process, politely at first."""
        self._retire(list(self._live))

    def kill(self) -> None:
        """Kill every process now, for good: whoever wants to start one waits for ever.

        Called when the parent is gone, perhaps from another thread.
        """
        self._starting.acquire()
        for channel in [channel for _, channel in self._live.values() if not channel.is_closed]:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(channel.pid, signal.SIGKILL)
        orphans.sweep(keep=())

    def _start(self, entrant: str) -> PipeChannel | Offence:
        launch = self._players[entrant].launch
        try:
            with self._starting:
                process = BotProcess(launch, self._yard)
        except OSError as error:
            if error.errno in _EXHAUSTED:
                raise
            return Offence(FaultKind.STARTUP, f"cannot be started: {error.strerror}")
        return PipeChannel(process, self._job.limits.reply, self._job.limits.stderr)

    def _retire(self, keys: Sequence[tuple[str, int]]) -> None:
        leaving = [self._live.pop(key)[0] for key in keys]
        for session in leaving:
            session.dismiss()
        give_up = time.monotonic() + GRACE_SECONDS
        for session in leaving:
            session.close(max(0.0, give_up - time.monotonic()))
        if leaving:
            self.sweep()

    def sweep(self) -> None:
        """Kill every process that is none of the bots."""
        channels = [channel for _, channel in self._live.values() if not channel.is_closed]
        orphans.sweep(keep={channel.pid for channel in channels})


class Worker:
    """Plays blocks."""

    def __init__(self, job: Job, stable: Stable) -> None:
        self._job = job
        self._stable = stable
        self._rules: dict[str, Rules[Any, Action]] = {
            name: make_rules(spec) for name, spec in job.rules.items()
        }
        self._seeds = Seeds(job.seed_key)
        self._options = {player.name: player.options for player in job.players}

    def play(self, spec: GameSpec) -> GameDone:
        """Play one game. What it raises is our own failure."""
        seats = range(len(spec.entrants))
        players = [self._stable.session(name, spec.seating) for name in spec.entrants]
        terms = Terms(
            self._job.control,
            secrets.token_hex(_OPAQUE_BYTES),  # derived from the seed, it would let a bot guess it
            tuple(self._seeds.bot(spec, seat) for seat in seats),
            tuple(self._options[name] for name in spec.entrants),
            spec.entrants if self._job.names_shown else None,
            self._job.on_fault,
        )
        rules = self._rules[spec.discipline]
        luck, sweep = self._seeds.deal(spec.deal), self._stable.sweep
        played = play_game(rules, players, spec, luck, terms, after_fault=sweep)
        for fault in played.result.faults:
            self._stable.drop(spec.entrants[fault.seat], spec.seating)
        if self._job.fresh:
            self._stable.close()
        return GameDone(played.result, played.record, played.stderr, played.evidence)

    def void(self, spec: GameSpec) -> GameVoid:
        """Report the exception being handled and start the game's bots anew."""
        log.error("game %s is void", spec.game_id, exc_info=True)
        for name in spec.entrants:
            self._stable.drop(name, spec.seating)
        return GameVoid(spec.game_id, VoidCause.ARENA, traceback.format_exc())


def run(blocks: Connection, control: Connection, logs: Queue[Any], job: bytes, core: int) -> None:
    """Entry point of a worker process. ``core``: where to stay, with all bots; -1: anywhere."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal's Ctrl-C is for the parent
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # as is one that went to the whole group
    handler = logging.handlers.QueueHandler(logs)
    handler.setFormatter(logging.Formatter("%(message)s"))  # the parent adds the rest
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    orphans.adopt_orphans()
    if core >= 0:
        os.sched_setaffinity(0, {core})
    setup = jobs.unpack_job(job)
    stable = Stable(setup)
    stopping = threading.Event()
    threading.Thread(target=_watch, args=(control, stopping, stable.kill), daemon=True).start()
    worker = Worker(setup, stable)
    gc.freeze()
    gc.set_threshold(_GC_THRESHOLD)
    try:
        while block := blocks.recv_bytes():
            _play_block(worker, jobs.unpack_block(block), blocks, stopping)
    except (EOFError, ConnectionError):
        _leave(stable.kill)  # the parent is gone, and the watching thread may be slower
    stable.close()


def _play_block(worker: Worker, block: Block, out: Connection, stopping: threading.Event) -> None:
    for spec in block.games:
        if stopping.is_set():
            break
        try:
            report: GameDone | GameVoid = worker.play(spec)
        except Exception:  # the boundary: whatever we did wrong, this game is void, not lost
            report = worker.void(spec)
        out.send_bytes(jobs.pack(report))
    out.send_bytes(jobs.pack(BlockDone(block.block)))


def _watch(control: Connection, stopping: threading.Event, kill: Callable[[], None]) -> None:
    """Wait for word from the parent; without a parent, leave nothing behind and end."""
    with contextlib.suppress(EOFError, OSError):
        while control.recv_bytes() == STOP:
            stopping.set()
    _leave(kill)


def _leave(kill: Callable[[], None]) -> NoReturn:
    """End without a parent to report to, and without a bot left behind."""
    kill()
    os._exit(1)
