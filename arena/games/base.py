"""What every rules engine offers. One loop serves play, replay, tests and search bots:

while (seat := rules.to_act(state)) != NOBODY:
    action = rules.chance(state, luck) if seat == CHANCE else choose(rules, state, seat)
    state = rules.apply(state, action)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol, TypeAlias, TypeVar

import msgspec

from arena.games.luck import Luck
from arena.results import Outcome, RulesSpec, Seat

CHANCE: Final[Seat] = -1
"""Nature is to act."""
NOBODY: Final[Seat] = -2
"""The game is over."""

Json: TypeAlias = Any
"""A value msgspec encodes to JSON: structs, dicts, tuples, strings, integers, None."""


def written(value: object) -> str:
    """An option's value as YAML and JSON write it: ``kosmos``, ``true``."""
    return str(value).lower() if isinstance(value, bool) else str(value)


class Action(msgspec.Struct, frozen=True, tag_field="type"):
    """One decision or chance event. Its JSON is its form on the wire and in records."""


class InvalidActionError(ValueError):
    """The data is no action of these rules at all (a legal one elsewhere is not invalid)."""


class RulesError(ValueError):
    """Options or data that these rules cannot be built from.

    ``path`` leads to the offending value, e.g. ``("data", "deck", "troll", 2)``.
    """

    def __init__(self, path: tuple[str | int, ...], message: str) -> None:
        super().__init__(message)
        self.path = path


def check_keys(
    path: tuple[str | int, ...],
    data: Mapping[str, object],
    allowed: Sequence[str],
    optional: Sequence[str] = (),
) -> None:
    """Raises RulesError if an object of the data at ``path`` lacks a key, or has another one."""
    for key in data:
        if key not in allowed:
            raise RulesError((*path, key), f"expected one of {', '.join(allowed)}, got {key!r}")
    for key in allowed:
        if key not in data and key not in optional:
            raise RulesError(path, f"expected a value for {key!r}, which is missing")


class RulesInfo(msgspec.Struct, frozen=True):
    """Facts about rules with their options."""

    name: str
    title: str
    seats: int
    max_plies: int
    """No game has more plies, chance included."""
    score: str
    """What ``Outcome.scores`` counts, as a plural noun: ``points``."""
    worst_score: int
    """No seat can do worse than this."""
    less_is_better: bool = False
    """Whether fewer of them place a seat higher."""
    public: tuple[str, ...] = ()
    """The fields of an observation that are the same for every seat: all that a spectator sees."""


class Option(msgspec.Struct, frozen=True):
    """One option of the rules, for validation and help."""

    name: str
    choices: tuple[str, ...] | tuple[bool, ...]
    default: str | bool
    help: str
    seats: tuple[int, ...] = ()
    """Table sizes at which it can be chosen; empty: at all."""

    def allows(self, value: object) -> bool:
        """Whether ``value`` is one of the choices; 1 is not taken for true."""
        return value in self.choices and type(value) is type(self.default)

    def applies(self, seats: int) -> bool:
        """Whether it can be chosen at a table of ``seats``."""
        return not self.seats or seats in self.seats


S = TypeVar("S")
A = TypeVar("A", bound=Action)


class Rules(Protocol[S, A]):
    """Immutable rules with their options; states are values and are never changed in place."""

    @property
    def info(self) -> RulesInfo:
        """Name, seats and bound."""

    @property
    def spec(self) -> RulesSpec:
        """From which equal rules can be built."""

    def initial_state(self) -> S:
        """The state before any chance event."""

    def to_act(self, state: S) -> Seat:
        """The seat that decides, CHANCE or NOBODY."""

    def legal_actions(self, state: S) -> Sequence[A]:
        """Every legal action of the seat to act: fixed order, no duplicates, never empty."""

    def chance(self, state: S, luck: Luck) -> A:
        """Draw the chance action that is due, from its own keyed stream."""

    def apply(self, state: S, action: A) -> S:
        """The next state. Total on legal and chance actions; does not check legality."""

    def outcome(self, state: S) -> Outcome | None:
        """None exactly while somebody is to act."""

    def observe(self, state: S, seat: Seat) -> Json:
        """What the seat may see now, built by listing it."""

    def describe(self, before: S, action: A, after: S) -> Sequence[Json]:
        """By seat: the event it saw when ``action`` led from ``before`` to ``after``.

        None for a seat that saw nothing of it. All seats at once, for what they share.
        """

    def decode_action(self, data: Json) -> A:
        """The action that parsed JSON stands for.

        Raises InvalidActionError if it stands for none; does not ask whether it is legal.
        """

    def determinize(self, observation: Json, luck: Luck) -> S:
        """A random full state that agrees with everything in the observation."""

    def is_chance_possible(self, state: S, action: A) -> bool:
        """Whether ``action`` is an outcome of the chance event that is due in ``state``."""
