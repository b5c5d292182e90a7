"""The pay of a completed location, and the winner at the end."""

from __future__ import annotations

from typing import Final

from arena.extensions.games.dragonrealm.rules.cards import BONUS, SHARED_BONUS
from arena.values.results import Outcome, Seat

TURN_LIMIT: Final = "DR-46"
DEAD: Final = "DR-50"
ENDINGS: Final = {
    TURN_LIMIT: "600 turns of every seat without a complete Dragon",
    DEAD: "no adventurer can be placed any more",
}
"""Description of what ended a game, by the ruling that ended it."""


def pay(
    reward: tuple[int, int],
    adventurers: tuple[int, ...],
    goblins: int,
    *,
    min_share_one: bool,
) -> tuple[tuple[int, ...], Seat | None]:
    """Return the coins by seat, and the seat that takes the card, if any.

    Goblins are one contender whose coins are lost (DR-31). With ``min_share_one`` a share of a
    split reward that rounds to 0 is 1 instead (DR-30).
    """
    counts = [count for count in (*adventurers, goblins) if count]
    most = max(counts, default=0)
    leaders = counts.count(most)
    others = [count for count in counts if count < most]
    second = max(others, default=0)
    if leaders > 1:
        top, share = sum(reward) // leaders, 1
    elif others:
        top, share = reward[0], reward[1] // others.count(second)
    else:
        top, share = sum(reward), 0
    least = int(min_share_one)
    paid = {0: 0, second: max(share, least) if second else 0, most: max(top, least) if most else 0}
    winners = [seat for seat, count in enumerate(adventurers) if count == most > 0]
    return (
        tuple(paid.get(count, 1) for count in adventurers),
        winners[0] if len(winners) == 1 else None,
    )


def stone_bonus(stones: tuple[int, ...]) -> tuple[int, ...]:
    """Return the coins by seat for the most Dragonstones; at least one is required (DR-32)."""
    most = max(stones)
    if most == 0:
        return (0,) * len(stones)
    bonus = BONUS if stones.count(most) == 1 else SHARED_BONUS
    return tuple(bonus if count == most else 0 for count in stones)


def outcome(coins: tuple[int, ...], stones: tuple[int, ...], ruling: str = "") -> Outcome:
    """Rank seats by most coins, then most Dragonstones; equal seats share a place (DR-33).

    ``ruling`` is the one that ended the game if no Dragon is complete, else "".
    """
    ranks = list(zip(coins, stones, strict=True))
    return Outcome(coins, tuple(1 + sum(other > rank for other in ranks) for rank in ranks), ruling)
