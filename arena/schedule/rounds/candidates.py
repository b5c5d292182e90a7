"""The players of one round that is to be paired, in the order of rank, and who may meet.

Handbook C.04.3 (2026), articles 1.2 to 1.8 and the absolute criteria C1 to C3, which are those of
C.04.1.
"""

from __future__ import annotations

from enum import Enum

import msgspec

from arena.schedule.rounds.colours import NO_DUE, Due, Strength, clash, due
from arena.schedule.rounds.history import History, Player, Result


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
