"""The rules of a knockout, and the values that describe its state."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from fractions import Fraction
from typing import Final, TypeAlias

import msgspec

from arena.games.luck import Luck

_NUMBER: Final = re.compile(r"[ .][0-9]+$")


class Seeding(StrEnum):
    """Order of the seeds in the bracket, which makes the best entrants meet late."""

    STANDARD = "standard"
    """Order 1 v 16, 8 v 9; at larger tables the snake 1 8 9 16."""
    EQUAL_DISTANCE = "equal_distance"
    """Order 1 v 9, 2 v 10; at larger tables 1 5 9 13. First rounds are harder and rarely tied."""


class Knockout(msgspec.Struct, frozen=True, kw_only=True):
    """The rules of one knockout."""

    seats: int = 2
    lives: int = 1
    """Losses until an entrant is out; with 2, at two seats only, there is a losers' bracket."""
    advance: int = 1
    """Number of entrants of a table that advance; 1 at two seats."""
    seeding: Seeding = Seeding.STANDARD
    seeded: int | None = None
    """Number of entrants that keep their places; the others are drawn. None: all, 0: a draw."""
    third_place: bool = False
    """True if the losers of the last round but one meet; only with one life."""
    second_final: bool = True
    """True if, with two lives, the finalist without a loss has to lose the final twice."""

    def __post_init__(self) -> None:
        """Check that the numbers fit together. Raises ValueError."""
        if not self.seats >= 2 or not 1 <= self.advance < self.seats:
            raise ValueError(f"{self.advance} of {self.seats} cannot go on")
        if self.lives not in (1, 2) or (self.lives == 2 and (self.seats != 2 or self.third_place)):
            raise ValueError("two lives are for two seats, and have no match for the third place")


class DecidedBy(StrEnum):
    """The reason why a tie is decided."""

    PLAY = "play"
    SEED = "seed"
    """Tie-break by seed: all numbers were equal, and the better seed advances."""
    WALKOVER = "walkover"
    """Decision without play: the others had withdrawn, or the tie had no entrant."""


class Tie(msgspec.Struct, frozen=True):
    """Entrants who meet in a knockout until it is decided who advances."""

    id: str
    """Id such as ``2.1``, ``losers 3.2`` or ``final``; unique in a knockout."""
    entrants: tuple[str, ...]
    """Entrants, better seeds first; two or more if the tie is to be played."""
    order: tuple[str, ...] = ()
    """Entrants, best first; empty if the tie is not decided or had no entrant."""
    by: DecidedBy | None = None
    """Reason for the decision; None if the tie is not decided."""


class TieDecision(msgspec.Struct, frozen=True, tag="decision"):
    """Result of a tie that was played: the numbers of each entrant."""

    tie: str
    numbers: dict[str, tuple[Fraction, ...]]
    """Numbers of each entrant, more is better; earlier ones count first: score, then tie-breaks."""


class KnockoutWithdrawal(msgspec.Struct, frozen=True, tag="withdrawal"):
    """The withdrawal of an entrant; decisions made with it stand."""

    name: str


Event: TypeAlias = TieDecision | KnockoutWithdrawal


class KnockoutState(msgspec.Struct, frozen=True):
    """A knockout after some events: its rounds, and the places so far."""

    rounds: tuple[tuple[Tie, ...], ...]
    """All ties whose entrants are known, including those that nobody had to play."""
    places: dict[str, int]
    """Places of entrants that are out, once all of their round is decided; some share a place."""
    is_over: bool = False
    """True if nothing is left to play."""
    winner: str | None = None
    """Winner; None before the end, and if every entrant had withdrawn."""

    @property
    def open(self) -> tuple[Tie, ...]:
        """Ties that can be played now."""
        return tuple(tie for each in self.rounds for tie in each if tie.by is None)


def seeds(names: Sequence[str], plan: Knockout, luck: Luck) -> tuple[str, ...]:
    """Return the entrants, best seed first, with the drawn places."""
    kept = len(names) if plan.seeded is None else plan.seeded
    return (*names[:kept], *luck.shuffle("knockout", 0, names[kept:]))


def decided(tie: Tie, numbers: Mapping[str, Sequence[Fraction]]) -> Tie:
    """Return ``tie`` decided by ``numbers``. Raises ValueError if these are of other entrants."""
    if set(numbers) != set(tie.entrants):
        raise ValueError(f"the tie {tie.id} is not one of {', '.join(sorted(numbers))}")
    order = tuple(sorted(tie.entrants, key=lambda name: [-each for each in numbers[name]]))
    values = [tuple(numbers[name]) for name in order]
    by = DecidedBy.PLAY if len(set(values)) == len(values) else DecidedBy.SEED
    return Tie(tie.id, tie.entrants, order, by)


def round_of(tie: str) -> str:
    """Return the name of a tie's round: ``semi-final`` for ``semi-final 2``."""
    return _NUMBER.sub("", tie)
