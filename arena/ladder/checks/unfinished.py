"""Abandoned checks: ``checks.json``, with their number by digest.

A version is listed from before its check begins until the check ends in any way. So a version that
is listed at a start was being checked when the ladder was killed or the machine went down. Without
this count a build that hangs would cost ten minutes at each start, and a check that kills the
ladder would do so for ever. Nothing was decided, so the book has no event; if the file is lost, a
few checks are repeated. The counts hold for one machine: with more memory or another kernel the
same check may succeed.
"""

from __future__ import annotations

import contextlib
import os
import platform
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Final

import msgspec

from arena.ladder.days import Clock
from arena.runs.disk import StoreError, cannot_write, read_json, write_atomically
from arena.runs.store import SECRET

CHECKS: Final = "checks.json"
MOST_ENDED: Final = 3
"""Number of abandoned checks of a version after which it is quarantined."""
LONG: Final = 60.0
"""Shortest check that can be the reason for stopping the ladder by hand, in seconds."""


def machine() -> str:
    """Return the properties of this machine on which the end of a check may depend."""
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 30
    return f"{platform.release()}, {os.cpu_count()} cores, {memory} GiB"


class _Checks(msgspec.Struct):
    """The contents of checks.json."""

    machine: str
    times: dict[str, Annotated[int, msgspec.Meta(ge=1)]]


class Unfinished:
    """Number of abandoned checks of each version."""

    def __init__(self, folder: Path, clock: Clock) -> None:
        self._path = folder / CHECKS
        self._clock = clock
        self._machine = machine()
        self._times: dict[str, int] = {}
        with contextlib.suppress(StoreError):  # there is none, or it cannot be read
            found: _Checks = read_json(self._path, _Checks)
            if found.machine == self._machine:
                self._times = found.times

    def times(self, digest: str) -> int:
        """Return how many checks of a version were abandoned."""
        return self._times.get(digest, 0)

    def forget(self) -> None:
        """Let all versions be checked again. Raises StoreError."""
        self._times = {}
        self._write()

    @contextlib.contextmanager
    def under_way(self, digest: str) -> Iterator[None]:
        """Count the check of a version as abandoned until the context ends. Raises StoreError."""
        before, began = self.times(digest), self._clock.seconds()
        self._note(digest, before + 1)
        try:
            yield
        except KeyboardInterrupt:
            if self._clock.seconds() - began < LONG:
                self._note(digest, before)
            raise
        except Exception:
            self._note(digest, 0)
            raise
        self._note(digest, 0)

    def _note(self, digest: str, times: int) -> None:
        self._times[digest] = times
        if not times:
            del self._times[digest]
        self._write()

    def _write(self) -> None:
        data = msgspec.json.encode(_Checks(self._machine, self._times)) + b"\n"
        try:
            write_atomically(self._path, data, SECRET)
        except OSError as error:
            raise cannot_write(self._path, error) from error
