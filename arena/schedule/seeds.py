"""Derive all randomness of a run from its seed.

Deals depend on the seed alone, so a run can be repeated. The commitment is salted, because a short
seed could otherwise be found by trying all of them. The commitment of a ladder has no salt, because
everybody opens it in part. So a short seed of a ladder can be found.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from typing import Annotated, Final

import msgspec

from arena.games.luck import Luck, derive_key
from arena.values.results import DISCIPLINE_JOINT, ID_JOINT, GameSpec

_BOT_SEED_BITS: Final = 53  # JSON readers keep integers of this size exact


class Opening(msgspec.Struct, frozen=True, omit_defaults=True):
    """The secret behind a commitment, published when the run has ended."""

    seed: str
    salt: Annotated[str, msgspec.Meta(pattern=r"\A[^\n]*\Z")]
    """Random salt on one line; a line feed would let a commitment be opened with two seeds."""
    later: tuple[Opening, ...] = ()
    """Openings of the rounds after the first, each with a commitment of its own.

    The openings of a ladder follow from the seed and are not stored.
    """
    entries: str = ""
    """SHA-256 in hex of the last line of entries.jsonl; empty without lines.

    It is written after that line is on disk and before anything of the line is shown. So the
    removal of a line is detected.
    """

    def commitment(self, config: str) -> str:
        """Return the SHA-256 in hex of ``arena-run-1``, salt, seed and ``config``.

        These are joined by line feeds. ``config`` is the digest of the run's identity, so the
        commitment fixes beforehand what is played.
        """
        text = f"arena-run-1\n{self.salt}\n{self.seed}\n{config}"
        return hashlib.sha256(text.encode()).hexdigest()


def new_opening(seed: str | None) -> Opening:
    """Return an opening with ``seed``, or with 128 random bits from the system."""
    return Opening(secrets.token_hex(16) if seed is None else seed, secrets.token_hex(16))


class Chance(msgspec.Struct, frozen=True):
    """All randomness of the games of one block: exactly what its worker has to know."""

    deal: bytes
    """Key of the deal."""
    bots: dict[str, tuple[int, ...]]
    """Private seed of the bot at each seat, by game id."""
    number: int | None = None
    """Number of the deal, see ``Luck``."""
    order: bytes = b""
    """Key of the order of start positions, see ``Luck``."""

    def luck(self) -> Luck:
        """Return the random source of the deal."""
        return Luck(self.deal, self.number, self.order)


class Seeds:
    """Keys of one run, from which all its random sources are derived."""

    __slots__ = ("_key",)

    def __init__(self, key: bytes) -> None:
        self._key = key

    @classmethod
    def of(cls, seed: str) -> Seeds:
        """Derive the keys from the seed as written."""
        return cls(derive_key("run", seed))

    @property
    def key(self) -> bytes:
        """Key from which equal ``Seeds`` can be made."""
        return self._key

    def deal(self, deal: str) -> Luck:
        """Return the random source of a deal."""
        return Luck(self._deal(deal), *self._place(deal))

    def chance(self, games: Sequence[GameSpec]) -> Chance:
        """Return the randomness of ``games``, which share one deal."""
        bots = {
            game.game_id: tuple(self.bot(game, seat) for seat in range(len(game.entrants)))
            for game in games
        }
        deal = games[0].deal
        return Chance(self._deal(deal), bots, *self._place(deal))

    def seating(self, block: str) -> Luck:
        """Return the random source for the seating order of a block."""
        return Luck(derive_key(self._key, "seating", block))

    def rounds(self, discipline: str) -> Luck:
        """Return the random source for lots in pairings that follow from results."""
        return Luck(derive_key(self._key, "rounds", discipline))

    def bot(self, spec: GameSpec, seat: int) -> int:
        """Return the private seed of the bot at a seat, 0 … 2**53-1."""
        key = derive_key(self._key, "bot", spec.game_id, seat)
        return int.from_bytes(key[:8], "big") >> (64 - _BOT_SEED_BITS)

    def _place(self, deal: str) -> tuple[int | None, bytes]:
        """Return the number of a deal, and the key that all deals of its discipline share."""
        number = deal.rpartition(ID_JOINT)[2]
        group = deal.rpartition(DISCIPLINE_JOINT)[0]
        key = derive_key(self._key, "positions", group)
        return (int(number) if number.isdecimal() else None), key

    def _deal(self, deal: str) -> bytes:
        return derive_key(self._key, "deal", deal)
