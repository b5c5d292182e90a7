"""A process on a machine that plays for a fleet: its own pool of workers, told what to do by bytes.

Whatever connects the fleet with the machine only carries bytes: nothing of it is in here, and no
bot is a child of it. A host ends when nobody speaks to it any more, and leaves no bot behind.
"""

from __future__ import annotations

import contextlib
import os
import platform
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import IO, Final, NoReturn

import msgspec

from arena import __version__
from arena.documents.problems import ConfigError, printable
from arena.entrants.entrants import Entrant
from arena.games.base import RulesError
from arena.games.registry import make_rules, other_source
from arena.hosting.machine import cores, orphans, room
from arena.hosting.sandbox.isolation import IsolationError, Level
from arena.tournament.executor import Happening, Lost
from arena.tournament.jobs import Job, PoolError
from arena.tournament.local.players import built, lodged, room_for
from arena.tournament.local.pool import Pool
from arena.tournament.local.spawn import SIGNALS
from arena.tournament.local.worker import Outlet, log_to
from arena.tournament.machines import bots
from arena.tournament.machines.messages import (
    Abandon,
    About,
    FromHost,
    Give,
    Happened,
    Leave,
    Piece,
    Ready,
    Refused,
    Setup,
    Stop,
    ToHost,
    Wanted,
    pack,
    read_by_host,
)
from arena.tournament.run import levels_of

_GRACE_SECONDS: Final = 20.0
"""For a host that nobody speaks to any more, to end by itself."""
_WAIT_SECONDS: Final = 60.0


def run(fleet: Connection, control: Connection, job: bytes, core: int) -> None:
    """Entry point of a host: ``spawn.brief`` names it. ``job`` and ``core`` are not used.

    It ends, and everything it started with it, when ``control`` closes.
    """
    for number in SIGNALS:  # those of whoever started us are not for us
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    outlet = Outlet(fleet)
    logs = log_to(outlet)
    orphans.adopt_orphans()
    room.raise_files()
    threading.Thread(target=_end_with, args=(control,), daemon=True).start()
    host = _Host(fleet, outlet)
    with contextlib.suppress(EOFError, OSError):
        try:
            host.work()
        except _PROBLEMS as problem:
            host.tell(Refused(_in_one_line(problem)))
        logs.stop()


_PROBLEMS: Final = (ConfigError, IsolationError, PoolError)


class _Host:
    """The one on this machine."""

    def __init__(self, fleet: Connection, outlet: Outlet) -> None:
        self._fleet = fleet
        self._outlet = outlet
        self._lives: list[int] = []
        """By place, how often it was lost."""

    def tell(self, message: FromHost) -> None:
        """Raises OSError if nobody is there."""
        self._outlet.send_bytes(pack(message))

    def work(self) -> None:
        """All of it. Raises EOFError and OSError if the fleet is gone, and ``_PROBLEMS``."""
        about = About(__version__, platform.node(), os.getpid(), cores.boot_id(), cores.free())
        self.tell(about)
        setup = self._hear()
        if not isinstance(setup, Setup):
            return
        _check(setup)
        with _lodged(setup, self._fetch) as (job, levels):
            self._lives = [0] * setup.places
            with Pool(job, setup.places, pin=setup.pin, among=setup.cores) as pool:
                pool.wake_by(self._fleet)
                self.tell(Ready(levels))
                while not self._is_over(pool):
                    for place, event in pool.wait(_WAIT_SECONDS):
                        self._report(place, event)

    def _hear(self) -> ToHost:
        """Raises EOFError if the fleet is gone."""
        return read_by_host(self._fleet.recv_bytes())

    def _fetch(self, content: str) -> Path:
        """The folder of a bot, by the digest of its files."""
        if (folder := bots.kept(content)) is not None:
            return folder
        with tempfile.TemporaryFile() as archive:
            while not self._piece(content, archive):
                pass
            archive.seek(0)
            return bots.keep(content, archive)

    def _piece(self, content: str, archive: IO[bytes]) -> bool:
        """Ask for the next part of an archive; whether it was the last."""
        self.tell(Wanted(content, archive.tell()))
        piece = self._hear()
        if not isinstance(piece, Piece):
            raise PoolError("a bot did not arrive")
        archive.write(piece.data)
        return piece.is_last

    def _report(self, place: int, event: Happening) -> None:
        self.tell(Happened(place, self._lives[place], event))
        if isinstance(event, Lost):
            self._lives[place] += 1

    def _is_over(self, pool: Pool) -> bool:
        """Do what was asked for meanwhile; whether that was to leave."""
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
    """Raises PoolError if the machine has not what is played with."""
    for spec in setup.job.rules.values():
        try:
            make_rules(spec)
        except RulesError as error:
            raise PoolError(f"rules: {error}") from None
        if other := other_source(spec):
            raise PoolError(other)
    for path in setup.readable:
        if not os.path.exists(path):
            raise PoolError(f"isolation.readable: {printable(path)} is not there")


@contextlib.contextmanager
def _lodged(setup: Setup, fetch: Callable[[str], Path]) -> Iterator[tuple[Job, dict[str, Level]]]:
    """The job with the bots as this machine has them, and how far they are kept apart."""
    here = [bots.arrived(each, fetch(each.content)) for each in setup.bots]
    entrants = [_built(each, setup.readable) for each in here]
    levels = levels_of(entrants)
    seats = max(spec.seats for spec in setup.job.rules.values())
    kept = room_for(levels, setup.places, seats)
    with lodged(entrants, levels, setup.limits, setup.readable) as local:
        local = msgspec.structs.replace(local, kept=kept)
        yield msgspec.structs.replace(setup.job, local=local), levels


def _built(entrant: Entrant, readable: Sequence[str]) -> Entrant:
    """Raises PoolError, which names the bot and not where its files happen to be."""
    try:
        return built([entrant], readable)[0]
    except ConfigError as error:
        raise PoolError(f"{entrant.name}: {error.problems[0].found}") from None


def _in_one_line(problem: Exception) -> str:
    several = problem.problems if isinstance(problem, ConfigError) else (problem,)
    return printable("; ".join(" ".join(str(each).split()) for each in several))


def _end_with(control: Connection) -> NoReturn:
    """End the host when nobody speaks to it, even while it builds a bot."""
    with contextlib.suppress(EOFError, OSError):
        while True:
            control.recv_bytes()
    time.sleep(_GRACE_SECONDS)
    orphans.sweep(keep=())
    os._exit(1)
