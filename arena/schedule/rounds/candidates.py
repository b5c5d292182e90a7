"""The players of one round that is to be paired, in the order of rank, and who may meet whom.

Handbook C.04.3 (2026), articles 1.2 to 1.8 and the absolute criteria C1 to C3, which are those of
C.04.1.
"""

from __future__ import annotations

from enum import Enum

import msgspec

from arena.schedule.rounds.colours import NO_DUE, Due, Strength, clash, due
from arena.schedule.rounds.history import History, Player, Result


class Float(Enum):
    """How a player was paired in a round, as seen from its score."""

    DOWN = "down"
    UP = "up"


class Candidate(msgspec.Struct, frozen=True):
    """A player who is to be paired."""

    number: int
    score: int
    due: Due
    floats: tuple[Float | None, Float | None]
    """In the last round and in the one before."""
    games: int
    """How many it has played."""
    may_have_bye: bool
    """C2: it has had no bye, and no win without a game."""
    is_topscorer: bool
    """1.8, before the last round: whether it has more than half of all points."""
    is_odd: bool
    """5.2.5: whether its number is, counted among those who have entered."""
    barred: frozenset[int]
    """Numbers of those it must not meet: C1, and pairs that are forbidden."""


def candidates(history: History, colours: bool) -> list[Candidate]:
    """Everybody who is to be paired, by score and then by number: 1.2."""
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
    """Whether it takes part in the next round or was paired before: others have no number yet."""
    return player.number not in history.away or any(
        turn.opponent is not None or turn.result in (Result.BYE, Result.FORFEIT_WIN)
        for turn in player.turns
    )


def may_meet(one: Candidate, other: Candidate) -> bool:
    """C1 and C3."""
    if other.number in one.barred:
        return False
    return (
        one.is_topscorer
        or other.is_topscorer
        or min(one.due.strength, other.due.strength) < Strength.ABSOLUTE
        or not clash(one.due, other.due)
    )


def _may_have_bye(history: History, player: Player) -> bool:
    """C2."""
    return not any(
        turn.result is Result.BYE
        or (not turn.is_played and history.points.of(turn.result) >= history.points.win)
        for turn in player.turns
    )


def _barred(history: History, player: Player) -> frozenset[int]:
    forbidden = (pair - {player.number} for pair in history.forbidden if player.number in pair)
    return frozenset(player.opponents).union(*forbidden)


def _floated(history: History, player: Player, back: int) -> Float | None:
    """So many rounds ago: 1.4.2 with an opponent, 1.4.3 without, 1.4.4 nobody else."""
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
