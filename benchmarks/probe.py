"""A worker of the pool that notes what it spent and how many turns it asked for."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Final
from unittest import mock

import msgspec

from arena.referee import play
from arena.referee.records.format import Record, pack
from arena.tournament import worker

_FOLDER: Final = "ARENA_BENCHMARK_FOLDER"
_RECORDING: Final = "ARENA_BENCHMARK_RECORDING"

_original_run = worker.run


class Spent(msgspec.Struct, frozen=True):
    """By workers; seconds of CPU."""

    own: float
    bots: float
    turns: int


def run(blocks: Connection, control: Connection, job: bytes, core: int) -> None:
    """The worker's entry point, in a process that starts below ``probing``."""
    before = _cpu(resource.RUSAGE_SELF)
    packer = _Packer(bool(os.environ[_RECORDING]))
    with mock.patch.object(play, "pack", packer):
        _original_run(blocks, control, job, core)
    own = _cpu(resource.RUSAGE_SELF) - before
    spent = Spent(own, _cpu(resource.RUSAGE_CHILDREN), packer.turns)
    path = Path(os.environ[_FOLDER], f"{os.getpid()}.spent")
    path.write_bytes(msgspec.json.encode(spent))


@contextmanager
def probing(folder: Path, *, recording: bool) -> Iterator[None]:
    """Meanwhile each worker that is started writes a Spent to a file of its own in ``folder``."""
    told = {_FOLDER: str(folder), _RECORDING: "1" if recording else ""}
    with mock.patch.dict(os.environ, told), mock.patch.object(worker, "run", run):
        yield


def read(folder: Path) -> Spent:
    """All workers together."""
    found = [msgspec.json.decode(p.read_bytes(), type=Spent) for p in folder.glob("*.spent")]
    return Spent(
        own=sum(spent.own for spent in found),
        bots=sum(spent.bots for spent in found),
        turns=sum(spent.turns for spent in found),
    )


class _Packer:
    """Counts the turns of every game on its way into a record, or past it."""

    def __init__(self, recording: bool) -> None:
        self._recording = recording
        self.turns = 0

    def __call__(self, record: Record) -> tuple[bytes, str]:
        self.turns += len([ply for ply in record.plies if ply.seat is not None])
        return pack(record) if self._recording else (b"", "")


def _cpu(who: int) -> float:
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime
