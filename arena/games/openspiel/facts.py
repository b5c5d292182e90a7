"""Names, seats and parameters of the games of OpenSpiel."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from arena.games.base import Option

TENSOR: Final = "tensor"
"""Name of the option for observations as numbers, which is not OpenSpiel's."""
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
    has_tensor: bool

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
        if self.has_tensor:
            found.append(Option(TENSOR, (), False, "observations also as OpenSpiel's tensor"))
        return tuple(found)

    def parameters(self, seats: int, options: Mapping[str, object]) -> dict[str, Any]:
        """Return what OpenSpiel is given: the number of seats, and what differs from a default."""
        given: dict[str, Any] = {name: seats for name in _PLAYERS if name in self.defaults}
        for name, value in options.items():
            if name != TENSOR and value != self.defaults[name]:
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
                kind.provides_observation_tensor,
            )
    raise LookupError(f"the installed OpenSpiel has no game {member}")
