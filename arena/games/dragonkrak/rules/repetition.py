"""Repetition of a position at the beginning of a turn (DK-55).

Positions are compared by public information. That is enough: no hidden card is ever added to a
seat, and while the numbers of hidden cards in its hand and camp are unchanged, none has left, so
they are the same cards in the same order. For the same reason ``Position.left`` never rises, and a
position from before it fell cannot occur again.
"""

from __future__ import annotations

from typing import TypeAlias

from arena.games.dragonkrak.rules.cards import Cards
from arena.games.dragonkrak.rules.state import Pile, Position, Side
from arena.results import Seat

Past: TypeAlias = tuple[Position, ...]


def noted(
    past: Past,
    seat: Seat,
    sides: tuple[Side, ...],
    piles: tuple[Pile, ...],
    red: int,
    undead: int | None,
    imprisoned_by: Seat | None,
    gone: Cards,
) -> tuple[Past, int]:
    """Return the past with the position in which the turn of ``seat`` begins.

    The second value is the number of earlier occurrences of that position.
    """
    left = -len(gone)
    known: list[Cards] = []
    for hand, camp, at_bottom, shown, _, tokens, _ in sides:
        left += 2 * (len(camp) - at_bottom) + len(hand) - len(shown) + len(tokens)
        known += (shown, camp[-at_bottom:] if at_bottom else ())
    position = Position(left, seat, piles, red, undead, imprisoned_by, tuple(known))
    if not past or past[-1].left != left:
        return (position,), 0
    return (*past, position), past.count(position)
