"""The players of a round that is to be paired: order, possible opponents and colours.

FIDE Handbook C.04.3 (2026), articles 1.2 to 1.8, 5.2 (allocation of colours), and the absolute
criteria C1 to C3, which are those of C.04.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum, IntEnum

import msgspec

from arena.extensions.rounds.pairing.history import Colour, History, Player, Result


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

    ``upper``, ``lower``: preferences of the higher and the lower ranked one. ``is_odd``: whether
    its pairing number is odd; it counts if neither is due a colour.
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
    """Return the opposite of the colour ``upper`` had when both last had different colours."""
    for one, other in zip(reversed(upper), reversed(lower), strict=False):
        if one is not other:
            return other
    return None


class Float(Enum):
    """The way a player was paired in a round, relative to its score."""

    DOWN = "down"
    UP = "up"


class Candidate(msgspec.Struct, frozen=True):
    """A player who is to be paired."""

    number: int
    score: int
    due: Due
    floats: tuple[Float | None, Float | None]
    """Floats in the last round and in the one before."""
    games: int
    """Number of games played."""
    may_have_bye: bool
    """C2: True if it has had no bye, and no win without a game."""
    is_topscorer: bool
    """Article 1.8, before the last round: True if it has more than half of all points."""
    is_odd: bool
    """Article 5.2.5: True if its number is odd, counted among those who have entered."""
    barred: frozenset[int]
    """Numbers of players it must not meet: C1, and forbidden pairs."""


def candidates(history: History, colours: bool) -> list[Candidate]:
    """Return all players who are to be paired, by score and then by number: article 1.2."""
    half = history.played * max(history.points.win, history.points.draw) // 2
    is_last = history.played >= history.rounds - 1
    found = []
    entered = [player for player in history.players if has_entered(history, player)]
    for place, player in enumerate(entered):
        if player.number in history.away:
            continue
        score = history.score(player)
        found.append(
            Candidate(
                number=player.number,
                score=score,
                due=due(player) if colours else NO_DUE,
                floats=(_floated(history, player, 1), _floated(history, player, 2)),
                games=sum(turn.is_played for turn in player.turns),
                may_have_bye=_may_have_bye(history, player),
                is_topscorer=is_last and score > half,
                is_odd=place % 2 == 0,
                barred=_barred(history, player),
            )
        )
    return sorted(found, key=lambda each: (-each.score, each.number))


def has_entered(history: History, player: Player) -> bool:
    """Return whether a player is in the next round or was paired before.

    Others have no number yet.
    """
    return player.number not in history.away or any(
        turn.opponent is not None or turn.result in (Result.BYE, Result.FORFEIT_WIN)
        for turn in player.turns
    )


def may_meet(one: Candidate, other: Candidate) -> bool:
    """Return whether C1 and C3 allow the pair."""
    if other.number in one.barred:
        return False
    return (
        one.is_topscorer
        or other.is_topscorer
        or min(one.due.strength, other.due.strength) < Strength.ABSOLUTE
        or not clash(one.due, other.due)
    )


def _may_have_bye(history: History, player: Player) -> bool:
    """Return whether C2 allows the bye."""
    return not any(
        turn.result is Result.BYE
        or (not turn.is_played and history.points.of(turn.result) >= history.points.win)
        for turn in player.turns
    )


def _barred(history: History, player: Player) -> frozenset[int]:
    forbidden = (pair - {player.number} for pair in history.forbidden if player.number in pair)
    return frozenset(player.opponents).union(*forbidden)


def _floated(history: History, player: Player, back: int) -> Float | None:
    """Return the float ``back`` rounds ago, or None.

    Article 1.4.2 covers rounds with an opponent, 1.4.3 rounds without one. By 1.4.4 nobody else
    floats.
    """
    before = history.played - back
    if before < 0:
        return None
    turn = player.turns[before]
    if not turn.is_played or turn.opponent is None:
        is_gain = history.points.of(turn.result) > history.points.loss
        return Float.DOWN if is_gain else None
    own = history.score(player, before)
    opposite = history.score(history.players[turn.opponent - 1], before)
    if own == opposite:
        return None
    return Float.DOWN if own > opposite else Float.UP
