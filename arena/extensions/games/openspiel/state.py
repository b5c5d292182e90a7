"""Parameters, actions, observations, events and states of OpenSpiel's games as values.

OpenSpiel's states change in place, and a copy of one costs more than a move. So the newest state
of a game takes over the engine of the one before. An older state that is asked again gets an
engine of its own, by all actions again, and keeps it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple, TypeAlias

import msgspec

from arena.games import base
from arena.games.base import Option
from arena.values.results import Outcome, Seat


class _Extra(NamedTuple):
    """A further part of observations, which an option of arena asks for."""

    method: str
    """Method of OpenSpiel's states that returns it for a seat."""
    provided: str
    """Fact of OpenSpiel's games by which they have it."""
    meaning: str


EXTRAS: Final = {
    "tensor": _Extra(
        "observation_tensor",
        "provides_observation_tensor",
        "observations also as OpenSpiel's tensor",
    ),
    "information_state": _Extra(
        "information_state_string",
        "provides_information_state_string",
        "observations with OpenSpiel's information state",
    ),
    "information_tensor": _Extra(
        "information_state_tensor",
        "provides_information_state_tensor",
        "observations with OpenSpiel's information state as a tensor",
    ),
}
"""Further parts of observations by the name of their field and option."""
_PLAYERS: Final = ("players", "numPlayers", "num_players")
"""OpenSpiel's names for the number of seats."""
_FILES: Final = ("file", "root")
"""Parameters whose names contain these are paths. Rules know no files."""
_TEAMS: Final = frozenset({"bridge", "euchre", "spades", "tiny_bridge_4p"})
"""Games in which seats 0 and 2 play against 1 and 3."""


class SpielGame(NamedTuple):
    """One game of OpenSpiel as arena plays it."""

    member: str
    """OpenSpiel's name."""
    title: str
    seats: tuple[int, ...]
    scale: int
    """Factor of OpenSpiel's returns before they are rounded."""
    defaults: Mapping[str, Any]
    """OpenSpiel's parameters with their defaults."""
    extras: tuple[str, ...]
    """Names of the further parts of observations that it has."""

    @property
    def name(self) -> str:
        """The name of the game and its family."""
        return f"openspiel.{self.member}"

    @property
    def teams(self) -> int:
        """Number of teams; 0 if every seat plays for itself."""
        return 2 if self.member in _TEAMS else 0

    @property
    def options(self) -> tuple[Option, ...]:
        """The parameters that are a number, a text, true or false."""
        found = [
            Option(name, (), default, f"OpenSpiel's parameter {name}")
            for name, default in sorted(self.defaults.items())
            if name not in _PLAYERS
            and isinstance(default, str | bool | int | float)
            and not any(each in name for each in _FILES)
        ]
        extras = (Option(name, (), False, EXTRAS[name].meaning) for name in self.extras)
        return (*found, *extras)

    def parameters(self, seats: int, options: Mapping[str, object]) -> dict[str, Any]:
        """Return what OpenSpiel is given: the number of seats, and what differs from a default."""
        given: dict[str, Any] = {name: seats for name in _PLAYERS if name in self.defaults}
        for name, value in options.items():
            if name not in EXTRAS and value != self.defaults[name]:
                given[name] = type(self.defaults[name])(value)
        return given


def installed(member: str, title: str, seats: tuple[int, ...], scale: int) -> SpielGame:
    """Return the facts of a game of the OpenSpiel that is installed.

    Raises ModuleNotFoundError without OpenSpiel, LookupError if it has no such game.
    """
    import pyspiel

    for kind in pyspiel.registered_games():
        if kind.short_name == member:
            return SpielGame(
                member,
                title,
                seats,
                scale,
                dict(kind.parameter_specification),
                tuple(name for name, each in EXTRAS.items() if getattr(kind, each.provided)),
            )
    raise LookupError(f"the installed OpenSpiel has no game {member}")


class Draw(base.Action, frozen=True, tag="draw"):
    """Chance: OpenSpiel's number of the outcome."""

    id: int


class Move(base.Action, frozen=True, tag="move"):
    """OpenSpiel's number of the action. ``texts`` of ``act`` give the actions in words."""

    id: int


Action: TypeAlias = Draw | Move
ACTION_TYPES: Final = (Draw, Move)


class Observation(msgspec.Struct, frozen=True, omit_defaults=True):
    """OpenSpiel's description of a state for one seat."""

    seat: Seat
    player: Seat | None
    """The seat that acts; None when nobody does."""
    text: str
    """The state where nothing is hidden, else OpenSpiel's observation of the seat."""
    history: tuple[int, ...] | None = None
    """The numbers of all actions and outcomes so far; None where something is hidden."""
    tensor: tuple[float, ...] | None = None
    """OpenSpiel's observation as numbers, with the option of this name."""
    information_state: str | None = None
    """All that the seat knows of the game so far, with the option of this name."""
    information_tensor: tuple[float, ...] | None = None
    """The information state as numbers, with the option of this name."""


class Event(msgspec.Struct, frozen=True, omit_defaults=True):
    """One ply. Where something is hidden, a seat gets only its own moves."""

    type: Literal["draw", "move"]
    id: int
    seat: Seat | None = None
    """Seat that moved; None for chance."""


class SharedEngine:
    """An engine's state, and how many actions led to it."""

    __slots__ = ("engine", "left", "length")

    engine: Any
    length: int
    left: SharedEngine | None
    """The engine of a state that was left behind and asked again: a start for the next one."""

    def __init__(self, engine: Any, length: int = 0) -> None:
        self.engine = engine
        self.length = length
        self.left = None


class State:
    """A position of a game. What can be seen of it never changes."""

    __slots__ = (
        *("_is_kept", "_key", "_length", "_line", "_start"),
        *("actor", "draws", "legal", "outcome", "texts"),
    )

    actor: int
    """OpenSpiel's number of who acts."""
    draws: int
    """Number of chance events so far."""
    legal: Sequence[Move] | None
    texts: dict[int, str] | None
    outcome: Outcome | None
    """Results of earlier calls of the rules; None before the first."""

    def __init__(
        self,
        start: Callable[[], Any],
        line: SharedEngine,
        length: int = 0,
        key: int = 0,
        draws: int = 0,
    ) -> None:
        """Keep the position of ``line``, which has ``length`` actions.

        ``start`` returns a new engine in the first position; ``key`` stands for all actions.
        """
        self._start = start
        self._line = line
        self._length = length
        self._key = key
        self._is_kept = False
        self.draws = draws
        self.actor = line.engine.current_player()
        self.legal = self.texts = self.outcome = None

    @property
    def engine(self) -> Any:
        """OpenSpiel's state, which the caller does not change."""
        line = self._line
        if line.length != self._length:
            near = line.left
            if near is None or near.length > self._length:
                near = SharedEngine(self._start())
            engine = near.engine.clone()
            for number in line.engine.history()[near.length : self._length]:
                engine.apply_action(number)
            self._line = line.left = line = SharedEngine(engine, self._length)
            self._is_kept = True
        return line.engine

    @property
    def history(self) -> tuple[int, ...]:
        """The numbers of all actions and outcomes so far."""
        return tuple(self._line.engine.history()[: self._length])

    def after(self, number: int) -> State:
        """Return the state after the action or outcome of that number."""
        engine, line, length = self.engine, self._line, self._length + 1
        if self._is_kept:
            line = SharedEngine(engine.clone())
        line.engine.apply_action(number)
        line.length = length
        draws = self.draws + (self.actor == -1)
        return State(self._start, line, length, hash((self._key, number)), draws)

    def __eq__(self, other: object) -> bool:
        """Return whether the same actions led to both."""
        if not isinstance(other, State):
            return NotImplemented
        return (
            self._length == other._length
            and self._key == other._key
            and self.history == other.history
        )

    def __hash__(self) -> int:
        """Return the hash of what led here."""
        return self._key

    def __repr__(self) -> str:
        """Return the actions that led here."""
        return f"State(history={self.history})"


def seat_of(actor: int) -> Seat | None:
    """Return the seat that acts, or None."""
    return actor if actor >= 0 else None
