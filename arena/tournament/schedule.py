"""Which games a tournament has: a pure function of entrants, table size, deals and seed.

Games are numbered. Block b is deal ``b // pairings`` of pairing ``b % pairings``, so every
pairing has met k times before any meets k+1 times and a partial table is fair. A block plays
one deal in as many seatings as there are seats: the rotations of a random order.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from itertools import combinations
from typing import Final

import msgspec

from arena.results import GameSpec
from arena.tournament.seeds import Seeds

NAME_JOINT: Final = "+"
ID_JOINT: Final = ":"
"""Neither occurs in an entrant's name, so ids cannot collide."""


class Block(msgspec.Struct, frozen=True):
    """Games of one deal and one set of entrants, to be played by one worker."""

    block: str
    games: tuple[GameSpec, ...]


class Schedule:
    """A round robin: every set of as many entrants as there are seats meets once per cycle."""

    def __init__(self, entrants: Sequence[str], seats: int, deals: int, seeds: Seeds) -> None:
        """``entrants``: names; at least ``seats`` of them. ``deals`` per pairing."""
        self._pairings = tuple(combinations(sorted(entrants), seats))
        self._numbers = {NAME_JOINT.join(p): n for n, p in enumerate(self._pairings)}
        self._seats = seats
        self._deals = deals
        self._seeds = seeds

    @property
    def pairings(self) -> int:
        """How many sets of entrants meet."""
        return len(self._pairings)

    @property
    def games(self) -> int:
        """How many games are planned."""
        return self._deals * len(self._pairings) * self._seats

    def blocks(self, done: Container[int] = ()) -> Iterator[Block]:
        """Blocks in order of play with the games whose numbers are not in ``done``."""
        for cycle in range(self._deals):
            for number in range(len(self._pairings)):
                first = (cycle * len(self._pairings) + number) * self._seats
                wanted = [k for k in range(self._seats) if first + k not in done]
                if wanted:
                    games = self._games(number, cycle)
                    yield Block(games[0].block, tuple(games[k] for k in wanted))

    def number(self, game_id: str) -> int | None:
        """The number of a planned game, 0 … games-1; None if it is not planned."""
        pairing, _, rest = game_id.partition(ID_JOINT)
        cycle, _, seating = rest.partition(ID_JOINT)
        pairing_number = self._numbers.get(pairing)
        cycle_number = _index(cycle, self._deals)
        seating_number = _index(seating, self._seats)
        if pairing_number is None or cycle_number is None or seating_number is None:
            return None
        block = cycle_number * len(self._pairings) + pairing_number
        return block * self._seats + seating_number

    def game(self, game_id: str) -> GameSpec | None:
        """The planned game of that id."""
        number = self.number(game_id)
        if number is None:
            return None
        block, seating = divmod(number, self._seats)
        cycle, pairing = divmod(block, len(self._pairings))
        return self._games(pairing, cycle)[seating]

    def _games(self, number: int, cycle: int) -> list[GameSpec]:
        pairing = self._pairings[number]
        block = f"{NAME_JOINT.join(pairing)}{ID_JOINT}{cycle}"
        order = self._seeds.seating(block).shuffle("order", 0, pairing)
        return [
            GameSpec(f"{block}{ID_JOINT}{k}", block, block, k, order[k:] + order[:k])
            for k in range(self._seats)
        ]


def _index(text: str, bound: int) -> int | None:
    """The number below ``bound`` that is written so, and not otherwise."""
    if not (text.isascii() and text.isdecimal() and len(text) <= len(str(bound))):
        return None
    number = int(text)
    return number if number < bound and str(number) == text else None


class Done:
    """A set of game numbers in one bit each: a million games take 125 kB."""

    __slots__ = ("_bits", "_count")

    def __init__(self, games: int) -> None:
        self._bits = bytearray((games + 7) // 8)
        self._count = 0

    def __contains__(self, number: object) -> bool:
        return isinstance(number, int) and bool(self._bits[number >> 3] >> (number & 7) & 1)

    def __len__(self) -> int:
        return self._count

    def add(self, number: int) -> bool:
        """Add a number; whether it was new."""
        if number in self:
            return False
        self._bits[number >> 3] |= 1 << (number & 7)
        self._count += 1
        return True
