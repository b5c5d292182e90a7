"""What a knockout is, and the values of its course."""

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
    """Where seeds stand, so that the best meet late."""

    STANDARD = "standard"
    """1 v 16, 8 v 9; at larger tables the snake 1 8 9 16."""
    EQUAL_DISTANCE = "equal_distance"
    """1 v 9, 2 v 10; at larger tables 1 5 9 13. First rounds are harder and rarely tied."""


class Knockout(msgspec.Struct, frozen=True, kw_only=True):
    """The rules of one knockout."""

    seats: int = 2
    lives: int = 1
    """2: who has lost once goes on in the losers' bracket; at two seats alone."""
    advance: int = 1
    """How many of a table go on; at two seats one."""
    seeding: Seeding = Seeding.STANDARD
    seeded: int | None = None
    """How many keep their places; all others are drawn from the seed. None: all, 0: a draw."""
    third_place: bool = False
    """Whether those who lost in the last round but one meet; with one life."""
    short: bool = True
    """With larger tables: whether some may have a seat less, else there are more byes."""
    second_final: bool = True
    """With two lives: whether who came without a loss has to lose the final twice."""

    def __post_init__(self) -> None:
        """Raises ValueError where the numbers do not fit."""
        if not self.seats >= 2 or not 1 <= self.advance < self.seats:
            raise ValueError(f"{self.advance} of {self.seats} cannot go on")
        if self.lives not in (1, 2) or (self.lives == 2 and (self.seats != 2 or self.third_place)):
            raise ValueError("two lives are for two seats, and have no match for the third place")


class By(StrEnum):
    """What decided a tie."""

    PLAY = "play"
    SEED = "seed"
    """All numbers were equal: the better seed goes on."""
    WALKOVER = "walkover"
    """The others had withdrawn, or there was nobody."""


class Tie(msgspec.Struct, frozen=True):
    """Some entrants who meet until it is decided who goes on."""

    id: str
    """Such as ``2.1``, ``losers 3.2``, ``final``; unique in a knockout."""
    entrants: tuple[str, ...]
    """Better seeds first; two or more if it is to be played."""
    order: tuple[str, ...] = ()
    """Best first; empty if it is not decided, or nobody was there."""
    by: By | None = None
    """None: not decided."""


class Decision(msgspec.Struct, frozen=True, tag="decision"):
    """The numbers of a tie that was played, by entrant."""

    tie: str
    numbers: dict[str, tuple[Fraction, ...]]
    """More is better, earlier ones count first: the score, then those of the tie-breaks."""


class Withdrawal(msgspec.Struct, frozen=True, tag="withdrawal"):
    """An entrant leaves; what was decided with it stands."""

    name: str


Event: TypeAlias = Decision | Withdrawal


class State(msgspec.Struct, frozen=True):
    """A knockout after some events."""

    rounds: tuple[tuple[Tie, ...], ...]
    """All ties whose entrants are known, those that nobody had to play among them."""
    places: dict[str, int]
    """Of those who are out, as soon as all of their round is decided; some share one."""
    is_over: bool = False
    """Nothing is left to play."""
    winner: str | None = None
    """None before the end, and if everybody had withdrawn."""

    @property
    def open(self) -> tuple[Tie, ...]:
        """The ties that can be played now."""
        return tuple(tie for each in self.rounds for tie in each if tie.by is None)


def seeds(names: Sequence[str], plan: Knockout, luck: Luck) -> tuple[str, ...]:
    """The entrants, best seed first, with the places that are drawn."""
    kept = len(names) if plan.seeded is None else plan.seeded
    return (*names[:kept], *luck.shuffle("knockout", 0, names[kept:]))


def decided(tie: Tie, numbers: Mapping[str, Sequence[Fraction]]) -> Tie:
    """The tie with its order. Raises ValueError if these are not its entrants."""
    if set(numbers) != set(tie.entrants):
        raise ValueError(f"the tie {tie.id} is not one of {', '.join(sorted(numbers))}")
    order = tuple(sorted(tie.entrants, key=lambda name: [-each for each in numbers[name]]))
    values = [tuple(numbers[name]) for name in order]
    by = By.PLAY if len(set(values)) == len(values) else By.SEED
    return Tie(tie.id, tie.entrants, order, by)


def round_of(tie: str) -> str:
    """The name of the round of a tie: ``semi-final`` for ``semi-final 2``."""
    return _NUMBER.sub("", tie)
