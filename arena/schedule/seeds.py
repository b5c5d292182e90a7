"""Everything that is derived from the seed of a run.

Deals depend on the seed alone, so a run can be repeated. The commitment is salted: a short
seed could otherwise be found by trying all of them. That of a ladder is not, for everybody opens
it in part: there a short seed can be found.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated, Final

import msgspec

from arena.games.luck import Luck, derive_key
from arena.results import GameSpec

_BOT_SEED_BITS: Final = 53  # the integers that every JSON reader keeps exact
STRETCH: Final = 1 << 14
"""Rounds of a ladder whose seeds are one chain: it is made in 15 ms."""


class Opening(msgspec.Struct, frozen=True, omit_defaults=True):
    """The secret behind a commitment; published once the run is over."""

    seed: str
    salt: Annotated[str, msgspec.Meta(pattern=r"\A[^\n]*\Z")]
    """In one line, else a commitment could be opened with one seed or another."""
    later: tuple[Opening, ...] = ()
    """Those of the rounds after the first, each behind a commitment of its own. Of a ladder they
    follow from the seed and are not kept."""
    entries: str = ""
    """SHA-256 in hex of the last line of entries.jsonl, written after that line was on disk and
    before anything of it was shown; empty without lines. So a line that is removed is missed."""

    def commitment(self, config: str) -> str:
        """SHA-256 in hex of ``arena-run-1``, salt, seed and ``config`` with line feeds between.

        ``config`` is the digest of the run's identity, so what is played is fixed beforehand.
        """
        text = f"arena-run-1\n{self.salt}\n{self.seed}\n{config}"
        return hashlib.sha256(text.encode()).hexdigest()


def new_opening(seed: str | None) -> Opening:
    """With the given seed, or one drawn from the system: 128 bits."""
    return Opening(secrets.token_hex(16) if seed is None else seed, secrets.token_hex(16))


def seed_before(seed: str) -> str:
    """The seed of the round before, in a ladder: SHA-256 in hex of ``arena-chain-1``, a line feed
    and the seed. So from a seed all before can be computed, and none after."""
    return hashlib.sha256(f"arena-chain-1\n{seed}".encode()).hexdigest()


class SeedChain:
    """The seeds of the rounds of a ladder, 64 hex digits each: all fixed by the seed of the run,
    and each can be published without those after it.

    They are made backwards, from the last one of a stretch. Each stretch has an end, what would be
    the seed before its first one: it says nothing of them, and they are checked by it.
    """

    def __init__(self, seed: str) -> None:
        self._seed = seed

    def of(self, number: int) -> str:
        """That of a round, from 1."""
        stretch, place = divmod(number - 1, STRETCH)
        return _stretch(self._seed, stretch, STRETCH)[place + 1]

    def end(self, stretch: int) -> str:
        """Of a stretch, from 0; that of the first is what the commitment of the run is to."""
        return _stretch(self._seed, stretch, STRETCH)[0]


@lru_cache(maxsize=2)
def _stretch(seed: str, number: int, length: int) -> tuple[str, ...]:
    """The end and the seeds of a stretch."""
    found = [derive_key("chain", seed, number).hex()]
    for _ in range(length):
        found.append(seed_before(found[-1]))
    return tuple(reversed(found))


class Chance(msgspec.Struct, frozen=True):
    """All chance in the games of one block: what who plays it has to know, and no more."""

    deal: bytes
    """The key of the deal."""
    bots: dict[str, tuple[int, ...]]
    """By game, the private seed of the bot at each seat."""

    def luck(self) -> Luck:
        """All chance of the deal."""
        return Luck(self.deal)


class Seeds:
    """Keys of one run."""

    __slots__ = ("_key",)

    def __init__(self, key: bytes) -> None:
        self._key = key

    @classmethod
    def of(cls, seed: str) -> Seeds:
        """From the seed as written."""
        return cls(derive_key("run", seed))

    @property
    def key(self) -> bytes:
        """From which equal Seeds can be made."""
        return self._key

    def deal(self, deal: str) -> Luck:
        """All chance of a deal."""
        return Luck(self._deal(deal))

    def chance(self, games: Sequence[GameSpec]) -> Chance:
        """All chance in games of one deal."""
        bots = {
            game.game_id: tuple(self.bot(game, seat) for seat in range(len(game.entrants)))
            for game in games
        }
        return Chance(self._deal(games[0].deal), bots)

    def seating(self, block: str) -> Luck:
        """For the random order in which a block's entrants sit down."""
        return Luck(derive_key(self._key, "seating", block))

    def rounds(self, discipline: str) -> Luck:
        """For the lots of pairings that follow from results."""
        return Luck(derive_key(self._key, "rounds", discipline))

    def bot(self, spec: GameSpec, seat: int) -> int:
        """The private seed of the bot at a seat, 0 … 2**53-1."""
        key = derive_key(self._key, "bot", spec.game_id, seat)
        return int.from_bytes(key[:8], "big") >> (64 - _BOT_SEED_BITS)

    def _deal(self, deal: str) -> bytes:
        return derive_key(self._key, "deal", deal)
