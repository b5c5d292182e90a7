"""Run a host: a process that plays for a fleet on its machine, with its own pool of workers.

The connection between fleet and machine only carries bytes: this module uses nothing of Dask, and
no bot is a child process of Dask. A host ends when its parent is gone, and leaves no bot behind.
"""

from __future__ import annotations

import contextlib
import os
import platform
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import IO, Final, NoReturn

import msgspec

from arena import __version__
from arena.entrants.entrants import Entrant
from arena.extensions.machines import messages
from arena.extensions.machines.messages import (
    Abandon,
    About,
    ArchiveChunk,
    ArchiveRequest,
    FromHost,
    Give,
    Happened,
    HostReady,
    HostRefusal,
    Leave,
    Setup,
    Stop,
    ToHost,
    pack,
    read_by_host,
)
from arena.games.base import RulesError
from arena.games.registry import make_rules, other_source
from arena.hosting.machine import capacity, orphans
from arena.hosting.sandbox.isolation import IsolationError, Level
from arena.tournament.executor import Job, Lost, PlaceEvent, PoolError
from arena.tournament.players import built, installed, room_for
from arena.tournament.pool import Pool
from arena.tournament.run import levels_of
from arena.tournament.worker import Outlet, begin
from arena.values.problems import ConfigError

_GRACE_SECONDS: Final = 20.0
"""Time for a host to end by itself after its control connection has closed, in seconds."""
_WAIT_SECONDS: Final = 60.0


def run(fleet: Connection, control: Connection, job: bytes, core: int) -> None:
    """Run a host: the entry point for ``spawn.brief``. ``job`` and ``core`` are not used.

    The host ends, with everything that it started, when ``control`` closes.
    """
    outlet, logs = begin(fleet)
    threading.Thread(target=_end_with, args=(control,), daemon=True).start()
    host = _LocalHost(fleet, outlet)
    with contextlib.suppress(EOFError, OSError):
        try:
            host.work()
        except _PROBLEMS as problem:
            host.tell(HostRefusal(_in_one_line(problem)))
        logs.stop()


_PROBLEMS: Final = (ConfigError, IsolationError, PoolError)


class _LocalHost:
    """Host of this process."""

    def __init__(self, fleet: Connection, outlet: Outlet) -> None:
        self._fleet = fleet
        self._outlet = outlet
        self._lives: list[int] = []
        """Number of times that each place was lost, by place."""

    def tell(self, message: FromHost) -> None:
        """Send ``message`` to the fleet. Raises OSError if the fleet is gone."""
        self._outlet.send_bytes(pack(message))

    def work(self) -> None:
        """Prepare the bots, then play until the fleet asks the host to leave.

        Raises EOFError and OSError if the fleet is gone, and ``_PROBLEMS``.
        """
        about = About(
            __version__, platform.node(), os.getpid(), capacity.boot_id(), capacity.free_cores()
        )
        self.tell(about)
        setup = self._hear()
        if not isinstance(setup, Setup):
            return
        _check(setup)
        with _installed(setup, self._fetch) as (job, levels):
            self._lives = [0] * setup.places
            with Pool(job, setup.places, pin=setup.pin, among=setup.cores) as pool:
                pool.wake_by(self._fleet)
                self.tell(HostReady(levels))
                while not self._is_over(pool):
                    for place, event in pool.wait(_WAIT_SECONDS):
                        self._report(place, event)

    def _hear(self) -> ToHost:
        """Return the next message of the fleet. Raises EOFError if the fleet is gone."""
        return read_by_host(self._fleet.recv_bytes())

    def _fetch(self, content: str) -> Path:
        """Return the folder of the bot with digest ``content``; request the bot if needed."""
        if (folder := messages.kept(content)) is not None:
            return folder
        with tempfile.TemporaryFile() as archive:
            while not self._piece(content, archive):
                pass
            archive.seek(0)
            return messages.keep(content, archive)

    def _piece(self, content: str, archive: IO[bytes]) -> bool:
        """Request the next part of an archive and store it; return whether it was the last."""
        self.tell(ArchiveRequest(content, archive.tell()))
        piece = self._hear()
        if not isinstance(piece, ArchiveChunk):
            raise PoolError("a bot did not arrive")
        archive.write(piece.data)
        return piece.is_last

    def _report(self, place: int, event: PlaceEvent) -> None:
        self.tell(Happened(place, self._lives[place], event))
        if isinstance(event, Lost):
            self._lives[place] += 1

    def _is_over(self, pool: Pool) -> bool:
        """Carry out all waiting messages; return whether one asked the host to leave."""
        while self._fleet.poll():
            match self._hear():
                case Give(place, life, block) if life == self._lives[place]:
                    pool.give(place, block)
                case Abandon(place, life, why) if life == self._lives[place]:
                    pool.abandon(place, why)
                    for each, event in pool.wait(0):
                        self._report(each, event)
                case Stop():
                    pool.stop()
                case Leave():
                    return True
        return False


def _check(setup: Setup) -> None:
    """Check that the machine has the games and paths of ``setup``. Raises PoolError."""
    for spec in setup.job.rules.values():
        try:
            make_rules(spec)
        except RulesError as error:
            raise PoolError(f"rules: {error}") from None
        if other := other_source(spec):
            raise PoolError(other)
    for path in setup.readable:
        if not os.path.exists(path):
            raise PoolError(f"isolation.readable: {path} is not there")


@contextlib.contextmanager
def _installed(
    setup: Setup, fetch: Callable[[str], Path]
) -> Iterator[tuple[Job, dict[str, Level]]]:
    """Yield the job with the bots as installed on this machine, and the level of each entrant."""
    here = [messages.arrived(each, fetch(each.content)) for each in setup.bots]
    entrants = [_built(each, setup.readable) for each in here]
    levels = levels_of(entrants)
    seats = max(spec.seats for spec in setup.job.rules.values())
    kept = room_for(levels, setup.places, seats)
    with installed(entrants, levels, setup.limits, setup.readable) as local:
        local = msgspec.structs.replace(local, kept=kept)
        yield msgspec.structs.replace(setup.job, local=local), levels


def _built(entrant: Entrant, readable: Sequence[str]) -> Entrant:
    """Return the entrant built. Raises PoolError, which names the bot but not its folder."""
    try:
        return built([entrant], readable)[0]
    except ConfigError as error:
        raise PoolError(f"{entrant.name}: {error.problems[0].found}") from None


def _in_one_line(problem: Exception) -> str:
    several = problem.problems if isinstance(problem, ConfigError) else (problem,)
    return "; ".join(" ".join(str(each).split()) for each in several)


def _end_with(control: Connection) -> NoReturn:
    """End the host after ``control`` has closed, even while it builds a bot."""
    with contextlib.suppress(EOFError, OSError):
        while True:
            control.recv_bytes()
    time.sleep(_GRACE_SECONDS)
    orphans.sweep(keep=())
    os._exit(1)
