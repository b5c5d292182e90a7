"""A host that reports games from memory: ``--preload benchmarks.pretended`` of a Dask worker.

The game that it reports is in the file named by ARENA_PRETENDED, as msgpack.
"""

from __future__ import annotations

import contextlib
import os
import platform
import sys
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Final

import msgspec

from arena import __version__
from arena.extensions.machines.messages import (
    About,
    Give,
    Happened,
    HostReady,
    Leave,
    Setup,
    pack,
    read_by_host,
)
from arena.tournament.executor import BlockDone, Joined
from arena.values.results import GameDone

MODEL: Final = "ARENA_PRETENDED"
_WALL_US: Final = 5_000
"""So long each game is said to have taken: then as many blocks are given ahead as there may be."""


def dask_setup(worker: object) -> None:
    """Have the worker start this in place of a host."""
    from arena.extensions.machines import relay

    setattr(relay, "host", sys.modules[__name__])  # noqa: B010 - mypy: a module is no host


def run(fleet: Connection, control: Connection, job: bytes, core: int) -> None:
    """Entry point, as that of a host."""
    model = msgspec.msgpack.decode(Path(os.environ[MODEL]).read_bytes(), type=GameDone)
    fast = msgspec.structs.replace(model.result, wall_us=_WALL_US)
    fleet.send_bytes(pack(About(__version__, platform.node(), os.getpid())))
    with contextlib.suppress(EOFError, OSError):
        while True:
            match read_by_host(fleet.recv_bytes()):
                case Setup(places=places):
                    fleet.send_bytes(pack(HostReady({})))
                    for place in range(places):
                        fleet.send_bytes(pack(Happened(place, 0, Joined())))
                case Give(place, life, block):
                    for game in block.games:
                        result = msgspec.structs.replace(fast, spec=game)
                        done = msgspec.structs.replace(model, result=result)
                        fleet.send_bytes(pack(Happened(place, life, done)))
                    fleet.send_bytes(pack(Happened(place, life, BlockDone(block.block))))
                case Leave():
                    return
