"""Raw pipe round trips: what a turn costs before any referee is there."""

from __future__ import annotations

import os
import subprocess
import time
from typing import Final

import msgspec

from benchmarks.child import Child, serve
from benchmarks.figures import Figure, Figures
from benchmarks.workshop import Workshop, pinned

_REQUEST: Final = b"x" * 300
_REPLY: Final = 60
_WARM_UP: Final = 2_000


class Trips(msgspec.Struct, frozen=True):
    """How many round trips to make with which partner."""

    partner: tuple[str, ...]
    count: int


class Trip(msgspec.Struct, frozen=True):
    """One of them, in microseconds."""

    wall: float
    own_cpu: float


def c_floor(shop: Workshop) -> Figures:
    """Both ends in C, one pair and two."""
    one, two = _c_pairs(shop, 1), _c_pairs(shop, 2)
    return {Figure.C_PIPE: one[0].wall, Figure.C_PIPE_TWO: _mean_wall(two)}


def python_floor(shop: Workshop) -> Figures:
    """``os.write`` and ``os.read`` on one end, C on the other, one pair and two."""
    one, two = _python_pairs(shop, 1), _python_pairs(shop, 2)
    return {
        Figure.PYTHON_PIPE: one[0].wall,
        Figure.PYTHON_PIPE_CPU: one[0].own_cpu,
        Figure.PYTHON_PIPE_TWO: _mean_wall(two),
    }


def _mean_wall(trips: list[Trip]) -> float:
    """The wall time at which all pairs together would make as many round trips."""
    return len(trips) / sum(1 / trip.wall for trip in trips)


def _c_pairs(shop: Workshop, pairs: int) -> list[Trip]:
    command = [shop.program("pingpong"), "pair", str(shop.sizes.round_trips)]
    running = []
    for number in range(pairs):
        with pinned(number):
            running.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
    printed = [process.communicate()[0].split() for process in running]
    return [Trip(float(wall) / 1000, float(cpu) / 1000) for wall, cpu in printed]


def _python_pairs(shop: Workshop, pairs: int) -> list[Trip]:
    request = Trips((shop.program("pingpong"), "echo"), shop.sizes.round_trips)
    running = []
    for number in range(pairs):
        with pinned(number):
            running.append(Child(__name__, Trip))
    for child in running:
        child.go(request)
    return [child.result() for child in running]


def _measure(trips: Trips) -> Trip:
    with subprocess.Popen(
        trips.partner, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
    ) as partner:
        if partner.stdin is None or partner.stdout is None:
            raise RuntimeError("no pipes")
        there, back = partner.stdin.fileno(), partner.stdout.fileno()
        _round_trips(there, back, _WARM_UP)
        began, used = time.perf_counter(), time.process_time()
        _round_trips(there, back, trips.count)
        wall, cpu = time.perf_counter() - began, time.process_time() - used
        partner.stdin.close()
    return Trip(wall / trips.count * 1e6, cpu / trips.count * 1e6)


def _round_trips(there: int, back: int, count: int) -> None:
    write, read, request = os.write, os.read, _REQUEST
    for _ in range(count):
        write(there, request)
        read(back, _REPLY)


if __name__ == "__main__":
    serve(Trips, _measure)
