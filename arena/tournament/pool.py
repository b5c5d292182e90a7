"""Worker processes for the blocks of a tournament: started, fed, watched and replaced.

One process and two pipes per worker: blocks go one way, reports and what is logged the other;
the control pipe says when to stop, and by closing that the parent is gone. Processes are never
forked from this one: a forked worker would hold its siblings' pipe ends and outlive a killed
parent.
"""

from __future__ import annotations

import contextlib
import logging
import math
import multiprocessing
import os
import selectors
import subprocess
import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from typing import Final

from multiprocessing_logging import MultiProcessingHandler

from arena.hosting.machine import orphans
from arena.results import GameDone, GameSpec, GameVoid, TimeControl, VoidCause
from arena.runs.live import InHand
from arena.schedule.schedule import Block
from arena.tournament import jobs, spawn, worker
from arena.tournament.jobs import BlockDone, Job, Logged, PoolError

TICK: Final = 0.2
"""Seconds after which the pool lets its user do something else."""
_QUEUED: Final = 2
"""Blocks per worker: one being played, one ready so that the worker never waits for us."""
ATTEMPTS: Final = 3
"""So often a game is given out in one session; after that it is left for the next one."""
_PATIENCE_BLOCKS: Final = 4
"""So many other blocks are given out before a game that could not be played is tried again."""
_HOPELESS: Final = 10
"""Workers that die in a row, for each worker and once more, before we give up."""
_DIED: Final = "died"
_HANG_MARGIN: Final = 60.0
_GOODBYE_SECONDS: Final = 10.0

_STARTS: Final = 3
_RETRY_SECONDS: Final = 0.2

log = logging.getLogger("arena.runner")


class Relay(logging.Handler):
    """Gives a worker's log records to this process's loggers, as if they were logged here."""

    def emit(self, record: logging.LogRecord) -> None:
        """Handle the record where its logger is configured."""
        logging.getLogger(record.name).handle(record)


class _Slot:
    """One place for a worker process; the process in it may be replaced."""

    def __init__(self, job: bytes, core: int, number: int) -> None:
        self.waiting: deque[Block] = deque()
        self.unfinished: dict[str, GameSpec] = {}  # of the first waiting block, in order
        self.heard = time.monotonic()
        self.name = f"worker-{number}"
        self.blocks, theirs = multiprocessing.Pipe()
        control, self.control = multiprocessing.Pipe(duplex=False)
        with contextlib.ExitStack() as undo:
            undo.callback(self.blocks.close)
            undo.callback(self.control.close)
            with theirs, control:
                self.process = spawn.start(theirs, control, self.name)
            undo.callback(self.kill)
            spawn.brief(self.blocks, worker.run, job, core)
            undo.pop_all()

    def give(self, block: Block) -> None:
        """Queue a block. A dead worker is noticed when its reports end, not here."""
        if not self.waiting:
            self._begin(block)
        self.waiting.append(block)
        try:
            self.blocks.send_bytes(jobs.pack(block))
        except OSError:
            log.debug("%s does not take blocks any more", self.name)

    def in_hand(self) -> InHand | None:
        """What the worker plays, judging by its reports: the first game that it owes."""
        game = next(iter(self.unfinished.values()), None)
        if game is None:
            return None
        return InHand(game.game_id, game.entrants, round(self.heard, 3))

    def finish(self) -> None:
        """Note that the first block is through."""
        self.waiting.popleft()
        self.unfinished = {}
        if self.waiting:
            self._begin(self.waiting[0])

    def _begin(self, block: Block) -> None:
        self.unfinished = {game.game_id: game for game in block.games}
        self.heard = time.monotonic()

    def dismiss(self) -> None:
        """Let the worker and its bots leave."""
        try:
            self.blocks.send_bytes(b"")
        except OSError:
            log.debug("%s has left already", self.name)

    def wait(self) -> Iterator[Logged]:
        """Give a dismissed worker its time to leave; what it still has for the log."""
        self._join()
        with contextlib.suppress(EOFError, OSError):
            while self.blocks.poll():
                report = jobs.unpack_report(self.blocks.recv_bytes())
                if isinstance(report, Logged):
                    yield report

    def kill(self) -> None:
        """End the worker now; it kills its bots because its control pipe closes."""
        self.control.close()
        self._join()
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.blocks.close()

    def _join(self) -> None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(_GOODBYE_SECONDS)


class Pool:
    """Plays blocks on several workers. Use as a context manager: leaving it ends all of them."""

    def __init__(self, job: Job, workers: int, *, pin: bool, max_plies: int) -> None:
        """``pin``: keep each worker and its bots on one core. Sets the global start method,

        because the log handler takes its queue from there: that of a program which forks has
        no semaphores with names, which would stay if we were killed. Nothing is forked.
        """
        multiprocessing.set_start_method("fork", force=True)
        self._job = jobs.pack(job)
        self._cores = _cores(workers) if pin else [-1] * workers
        self._patience = _longest_game(
            job.control, max(rules.seats for rules in job.rules.values()), max_plies
        )
        self._tries: Counter[str] = Counter()
        self._again: deque[tuple[int, Block]] = deque()
        """Blocks to give out again, each with how many must have been given out before."""
        self._given = 0
        self._deaths = 0
        self._out: set[str] = set()
        self._stopping = False
        self.gave_up = ""
        """Why no more is given out, if that is the workers' failure."""
        self._slots: list[_Slot] = []
        self._reports = selectors.DefaultSelector()
        self._kin: set[int] = set()
        """Our own children. What becomes our child later is an orphan: a killed worker's bot."""

    def __enter__(self) -> Pool:
        orphans.adopt_orphans()
        self._logs = MultiProcessingHandler("workers-log", sub_handler=Relay())
        try:
            for number in range(len(self._cores)):
                self._slots.append(self._start(number))
        except BaseException:
            self._kill()
            raise
        self._kin = set(orphans.children())
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            for slot in self._slots:
                slot.dismiss()
            for slot in self._slots:
                for logged in slot.wait():
                    self._log(logged)
        self._kill()
        orphans.sweep(keep=self._kin)

    def _kill(self) -> None:
        self._reports.close()
        for slot in self._slots:
            slot.kill()
        self._logs.close()

    def _log(self, logged: Logged) -> None:
        """Put a worker's words into the log, by a thread of the handler's."""
        what = {"name": logged.name, "levelno": logged.level, "msg": logged.message}
        what["levelname"] = logging.getLevelName(logged.level)
        what["created"] = logged.created
        self._logs.handle(logging.makeLogRecord(what))

    def stop(self) -> None:
        """Give out no more; ``play`` ends when the games in hand are over. Signal-safe."""
        self._stopping = True

    def in_hand(self) -> list[InHand | None]:
        """The game that each worker is playing; None for one that has none."""
        return [slot.in_hand() for slot in self._slots]

    def leave_out(self, names: Iterable[str]) -> None:
        """Try no game again in which one of these plays."""
        self._out.update(names)

    def play(self, blocks: Iterator[Block]) -> Iterator[GameDone | GameVoid | None]:
        """Reports in order of arrival; None about every TICK seconds without one.

        A game that could not be played is reported as void each time and tried again later,
        up to ATTEMPTS times in all.
        """
        told = False
        for depth in range(1, _QUEUED + 1):  # everybody has one before anybody has two
            for slot in self._slots:
                self._feed(slot, blocks, depth)
        while any(slot.waiting for slot in self._slots):
            if self._stopping and not told:
                told = True
                self._tell_stop()
            ready = self._reports.select(TICK)
            for key, _ in ready:
                yield from self._hear(key.data, blocks)
            yield from self._replace_hung()
            for slot in self._slots:
                self._feed(slot, blocks)
            if not ready:
                yield None

    def _feed(self, slot: _Slot, blocks: Iterator[Block], depth: int = _QUEUED) -> None:
        while len(slot.waiting) < depth and not self._stopping:
            block = self._next(blocks)
            if block is None:
                return
            self._given += 1
            slot.give(block)

    def _next(self, blocks: Iterator[Block]) -> Block | None:
        """What was given back is due after a while, or when there is nothing else."""
        block = self._given_back(self._given)
        if block is None:
            block = next(blocks, None)
        return self._given_back(math.inf) if block is None else block

    def _given_back(self, given: float) -> Block | None:
        """What is due when so many blocks have been given out."""
        while self._again and self._again[0][0] <= given:
            again = self._again.popleft()[1]
            games = tuple(game for game in again.games if self._out.isdisjoint(game.entrants))
            if games:
                return Block(again.block, games)
        return None

    def _hear(self, slot: _Slot, blocks: Iterator[Block]) -> Iterator[GameDone | GameVoid]:
        try:
            report = jobs.unpack_report(slot.blocks.recv_bytes())
        except (EOFError, OSError):
            yield from self._replace(slot, _DIED)
            return
        if isinstance(report, Logged):
            self._log(report)
            return
        slot.heard = time.monotonic()
        match report:
            case BlockDone():
                slot.finish()
                self._feed(slot, blocks)
            case GameDone():
                slot.unfinished.pop(report.result.spec.game_id, None)
                self._deaths = 0
                yield report
            case GameVoid():
                game = slot.unfinished.pop(report.game_id, None)
                if game is not None:
                    self._try_again(slot.waiting[0].block, game)
                yield report

    def _try_again(self, block: str, game: GameSpec) -> None:
        self._tries[game.game_id] += 1
        if self._tries[game.game_id] < ATTEMPTS:
            self._again.append((self._given + _PATIENCE_BLOCKS, Block(block, (game,))))

    def _replace_hung(self) -> Iterator[GameVoid]:
        now = time.monotonic()
        for slot in list(self._slots):
            if slot.waiting and now - slot.heard > self._patience:
                yield from self._replace(slot, f"was silent for {self._patience:.0f} s")

    def _replace(self, slot: _Slot, what: str) -> Iterator[GameVoid]:
        """Put a new worker in place of one that died or hangs; its blocks go back.

        The game that it was playing is void.
        """
        self._reports.unregister(slot.blocks)
        slot.kill()
        orphans.sweep(keep=self._kin)
        if what == _DIED:
            status = slot.process.returncode
            what = "was stuck" if status == worker.STUCK else f"{_DIED} (exit status {status})"
        log.warning("%s %s", slot.name, what)
        number = self._slots.index(slot)
        self._slots[number] = self._start(number)
        self._kin |= set(orphans.children())
        if slot.waiting:
            yield from self._give_back(slot, f"its worker {what}")
        self._deaths += 1
        if self._deaths >= _HOPELESS * (1 + len(self._slots)):
            self.gave_up = f"{self._deaths} worker processes ended one after another"
            self.stop()

    def _give_back(self, slot: _Slot, what: str) -> Iterator[GameVoid]:
        """The blocks of a slot whose worker is gone."""
        in_hand, *others = slot.waiting
        self._again.extendleft((0, block) for block in reversed(others))
        if not slot.unfinished:
            return
        game, *rest = slot.unfinished.values()
        log.warning("game %s was in hand", game.game_id)
        if rest:
            self._again.appendleft((0, Block(in_hand.block, tuple(rest))))
        self._try_again(in_hand.block, game)
        yield GameVoid(game.game_id, VoidCause.WORKER, what)

    def _start(self, number: int) -> _Slot:
        """A new worker. Raises PoolError if there is no starting any, tried again and again."""
        for _ in range(_STARTS):
            try:
                slot = _Slot(self._job, self._cores[number], number)
                self._reports.register(slot.blocks, selectors.EVENT_READ, slot)
                return slot
            except (EOFError, OSError, MemoryError, RuntimeError) as error:  # the last: no thread
                log.warning("worker-%d did not start: %s", number, error)
                time.sleep(_RETRY_SECONDS)
                problem = str(error) or "out of memory"
        raise PoolError(f"worker processes cannot be started: {problem}")

    def _tell_stop(self) -> None:
        for slot in self._slots:
            try:
                slot.control.send_bytes(worker.STOP)
            except OSError:
                log.debug("%s is gone already", slot.name)


def _cores(workers: int) -> list[int]:
    """A core for each worker, from those this process may use; -1 where cores have no names."""
    if not hasattr(os, "sched_getaffinity"):
        return [-1] * workers
    allowed = sorted(os.sched_getaffinity(0))
    return [allowed[number % len(allowed)] for number in range(workers)]


def _longest_game(control: TimeControl, seats: int, max_plies: int) -> float:
    """Seconds after which a worker without a report is stuck, not slow."""
    if control.move is None and control.bank is None:
        return math.inf
    per_ply = control.move if control.move is not None else control.increment
    thinking = max_plies * per_ply + seats * (control.bank or 0.0)
    return seats * control.startup + thinking + _HANG_MARGIN
