"""Keyed chance: every random draw has a name and depends on no other draw.

So an extra draw of one bot cannot change another's luck, and a deal is equal in every seating. The
draws are defined here down to the bit (SHAKE-256 of key, stream and counter), not by a library's
generator: an opened seed must give the same deals on any machine in any year.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterator, Sequence
from itertools import chain, count
from typing import TypeVar

T = TypeVar("T")

_BLOCK = 64
_SPAN = 1 << 64


def derive_key(*path: bytes | str | int) -> bytes:
    """Return 32 bytes derived from a labelled path; different paths give unrelated keys.

    Each part is written with its length, so ("ab", "c") and ("a", "bc") differ.
    """
    digest = hashlib.blake2b(digest_size=32, person=b"arena-luck-1")
    for part in path:
        data = part if isinstance(part, bytes) else str(part).encode()
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.digest()


class Luck:
    """All chance of one deal. Equal keys give equal draws; there is no mutable state."""

    __slots__ = ("_key", "number", "order")

    def __init__(self, key: bytes, number: int | None = None, order: bytes = b"") -> None:
        """Return the luck of a deal.

        ``number``: the deal's number among those of its entrants, from 0; None if unknown.
        ``order``: key that all these deals share, from which an order of positions is drawn.
        """
        self._key = key
        self.number = number
        self.order = order

    def below(self, stream: str, counter: int, bound: int) -> int:
        """Return a uniform integer in 0 … bound-1. Raises ValueError if bound < 1."""
        if bound < 1:
            raise ValueError(f"bound is {bound}, expected at least 1")
        return _uniform(self._words(stream, counter, 1), bound)

    def shuffle(self, stream: str, counter: int, items: Sequence[T]) -> tuple[T, ...]:
        """Return the items in uniformly random order (Fisher-Yates)."""
        order = list(items)
        words = self._words(stream, counter, len(order))
        for last, word in zip(range(len(order) - 1, 0, -1), words, strict=False):
            pick = word % (last + 1)
            if word - pick > _SPAN - 1 - last:  # as in ``_uniform``; almost never
                pick = _uniform(words, last + 1)
            order[last], order[pick] = order[pick], order[last]
        return tuple(order)

    def _words(self, stream: str, counter: int, expected: int) -> Iterator[int]:
        """Return an endless sequence of independent uniform 64-bit words.

        ``expected`` is the number of words that are nearly always enough; they are made at once.
        """
        seed = derive_key(self._key, stream, counter)
        first = min(expected, _BLOCK)
        return chain(_block(seed, 0, first), _further(seed, first))


def _further(seed: bytes, used: int) -> Iterator[int]:
    """Yield the words behind the first ``used`` ones of the first block."""
    for number in count():
        yield from _block(seed, number, _BLOCK)[used:]
        used = 0


def _block(seed: bytes, number: int, size: int) -> tuple[int, ...]:
    """Return the first ``size`` words of a block: a longer output of SHAKE begins with them."""
    shake = hashlib.shake_256(seed + number.to_bytes(8, "big"))
    return struct.unpack(f">{size}Q", shake.digest(8 * size))


def _uniform(words: Iterator[int], bound: int) -> int:
    """Return a uniform integer below ``bound``.

    Rejection sampling: a word past the last whole multiple of ``bound`` is drawn again.
    """
    while True:
        word = next(words)
        rest = word % bound
        if word - rest <= _SPAN - bound:
            return rest
