"""Decide which hosts get games, from the games that they could not play.

A host that fails game after game rests: it gets no games for a time that doubles each time the
host fails again. A host never begins a rest while all others rest. A machine may have several
hosts, each with its own folders and limits.
"""

from __future__ import annotations

import time
from collections.abc import Set
from typing import Final

VOIDS_IN_A_ROW: Final = 3
"""Number of void games in a row after which a host rests."""
REST_SECONDS: Final = 15.0
"""Length of the first rest, in seconds."""
LONGEST_REST_SECONDS: Final = 600.0


class HostHealth:
    """A host with its places, void games and rests."""

    def __init__(self, address: str, machine: str) -> None:
        self.address = address
        self.machine = machine
        """Name of the machine of the host."""
        self.places: set[int] = set()
        """Numbers of the places of the host that have joined."""
        self.voids = 0
        """Number of void games since a game was last played or a rest began."""
        self.rests = 0
        """Number of rests since a game was last played."""
        self._rested_until = 0.0

    @property
    def is_on_trial(self) -> bool:
        """True if the host has played no game since a rest began."""
        return self.rests > 0

    @property
    def is_rested(self) -> bool:
        """True while a rest of the host lasts."""
        return self.is_on_trial and time.monotonic() < self._rested_until

    def rest(self) -> float:
        """Begin a rest twice as long as the one before, up to a limit, and return its seconds."""
        seconds = min(REST_SECONDS * 2.0**self.rests, LONGEST_REST_SECONDS)
        self.rests += 1
        self._rested_until = time.monotonic() + seconds
        return seconds


class Health:
    """The hosts of an executor, with the host of each place."""

    def __init__(self) -> None:
        self._hosts: dict[str, HostHealth] = {}
        self._at: dict[int, HostHealth] = {}

    def join(self, place: int, address: str, machine: str) -> None:
        """Add a place of the host at ``address``."""
        host = self._hosts.setdefault(address, HostHealth(address, machine))
        host.places.add(place)
        self._at[place] = host

    def leave(self, place: int) -> HostHealth:
        """Remove a place and return its host."""
        host = self._at.pop(place)
        host.places.discard(place)
        return host

    def at(self, place: int) -> HostHealth:
        """Return the host of a place that has joined."""
        return self._at[place]

    def succeed(self, place: int) -> None:
        """Record that a game was played at ``place``."""
        host = self._at[place]
        host.voids = host.rests = 0

    def fail(self, host: HostHealth) -> float:
        """Record a void game of ``host``; return the seconds of the rest that the host begins.

        Returns 0 if no rest begins: the host failed too seldom, rests already, or is the only one
        that gets games.
        """
        host.voids += 1
        limit = 1 if host.is_on_trial else VOIDS_IN_A_ROW
        if host.voids < limit or host.is_rested or self._awake() <= {host.address}:
            return 0.0
        host.voids = 0
        return host.rest()

    def is_awake(self, place: int) -> bool:
        """Return whether the host of ``place`` gets games."""
        return self._at[place].address in self._awake()

    def may_retry(self, place: int, failed: Set[str]) -> bool:
        """Return whether ``place`` may get a game that the hosts ``failed`` could not play.

        Hosts without recent void games are preferred, then hosts where this game did not fail, then
        any host.
        """
        others = self._awake() - failed
        sound = {each for each in others if not self._hosts[each].voids}
        wanted = sound or others
        return not wanted or self._at[place].address in wanted

    def _awake(self) -> set[str]:
        """Return the addresses of the hosts that get games: all hosts if every host rests."""
        present = [each for each in self._hosts.values() if each.places]
        awake = {each.address for each in present if not each.is_rested}
        return awake or {each.address for each in present}
