"""Colours in the Dutch system: the colour a player is due, and the allocation to a pair.

Handbook C.04.3 (2026), articles 1.6 (difference), 1.7 (preferences) and 5.2 (allocation).
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

import msgspec

from arena.schedule.rounds.history import Colour, Player


class Strength(IntEnum):
    """The strength of a colour preference."""

    NONE = 0
    MILD = 1
    STRONG = 2
    ABSOLUTE = 3


class Due(msgspec.Struct, frozen=True):
    """The colour preference of a player."""

    colour: Colour | None
    strength: Strength
    imbalance: int
    """Number of games it has had the other colour more often, 0 or above."""
    repeated: Colour | None
    """Colour of its last two games, if they had the same."""
    games: tuple[Colour, ...]
    """Colours of all its games in order."""

    def loses_much(self) -> bool:
        """Return whether the other colour would make a colour difference of three."""
        return self.imbalance > 1

    def loses_thrice(self) -> bool:
        """Return whether the other colour would be its third in a row."""
        return self.repeated is not None and self.repeated is not self.colour


NO_DUE = Due(None, Strength.NONE, 0, None, ())


def due(player: Player) -> Due:
    """Return the preference after a player's games, ignoring rounds without one: C.04.2, 3.4."""
    games = tuple(turn.colour for turn in player.turns if turn.is_played and turn.colour)
    if not games:
        return NO_DUE
    surplus = 2 * games.count(Colour.WHITE) - len(games)
    rarer = Colour.BLACK if surplus > 0 else Colour.WHITE
    repeated = games[-1] if games[-2:-1] == games[-1:] else None
    if abs(surplus) > 1:
        colour, strength = rarer, Strength.ABSOLUTE
    elif repeated:
        colour, strength = repeated.other, Strength.ABSOLUTE
    elif surplus:
        colour, strength = rarer, Strength.STRONG
    else:
        colour, strength = games[-1].other, Strength.MILD
    return Due(colour, strength, abs(surplus), repeated, games)


def clash(one: Due, other: Due) -> bool:
    """Return whether both are due the same colour."""
    return one.colour is not None and one.colour is other.colour


def allocate(upper: Due, lower: Due, is_odd: bool, first: Colour) -> Colour:
    """Return the colour of the higher ranked of two players.

    ``is_odd``: whether its pairing number is odd; it counts if neither is due a colour.
    """
    wish = upper.colour
    if wish is None:
        if lower.colour is None:
            return first if is_odd else first.other  # 5.2.5
        return lower.colour.other  # 5.2.1
    if not clash(upper, lower):
        return wish  # 5.2.1
    if upper.strength is lower.strength is Strength.ABSOLUTE:  # 5.2.2, the wider difference
        if upper.imbalance != lower.imbalance:
            return wish if upper.imbalance > lower.imbalance else wish.other
    elif upper.strength is not lower.strength:  # 5.2.2, the stronger preference
        return wish if upper.strength > lower.strength else wish.other
    return _last_difference(upper.games, lower.games) or wish  # 5.2.3, 5.2.4


def _last_difference(upper: Sequence[Colour], lower: Sequence[Colour]) -> Colour | None:
    """Return the opposite of the upper player's colour when both last had different colours."""
    for one, other in zip(reversed(upper), reversed(lower), strict=False):
        if one is not other:
            return other
    return None
