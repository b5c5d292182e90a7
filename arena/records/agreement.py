"""Follow the evaluations of both bots of a game, and find where they agree on its result.

Both must say the same. So a bot cannot give itself a win or a draw that the other does not see.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from arena.results import Adjudicate, Agreed, Seat

_LARGEST_EVAL: Final = 1e9
"""Largest absolute evaluation; larger numbers are ignored as nonsense."""
_WIN: Final = "agreed-win"
_DRAW: Final = "agreed-draw"
AGREED: Final = {
    _WIN: "both bots' evaluations agreed on the winner",
    _DRAW: "both bots' evaluations agreed on a draw",
}
"""Rulings by which such a game ends, in words."""


def evaluation(info: Any) -> float | None:
    """Return the number in ``info.eval``; None for anything else that a bot may have sent."""
    value: Any = info.get("eval") if isinstance(info, dict) else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if abs(value) <= _LARGEST_EVAL else None  # NaN compares false


class AgreementSoFar:
    """The evaluations of a game of two seats so far, and what they agree on."""

    def __init__(self, adjudicate: Adjudicate) -> None:
        """Begin a game."""
        self.found: Agreed | None = None
        """Result on which both bots agree; it stays once it was found."""
        self._resign = adjudicate.resign
        self._draw = adjudicate.draw
        self._made = [0, 0]
        self._ahead = [0, 0]
        self._behind = [0, 0]
        self._even = [0, 0]

    def add(self, seat: Seat, info: Any) -> None:
        """Add a decision of ``seat`` with its remark, as a value or as JSON."""
        value = evaluation(msgspec.json.decode(info) if isinstance(info, msgspec.Raw) else info)
        self._made[seat] += 1
        if (resign := self._resign) is not None:
            _count(self._ahead, seat, more=value is not None and value >= resign.eval)
            _count(self._behind, seat, more=value is not None and value <= -resign.eval)
            for loser in (0, 1):
                if min(self._behind[loser], self._ahead[1 - loser]) >= resign.moves:
                    places = (2, 1) if loser == 0 else (1, 2)
                    self.found = self.found or Agreed(places, _WIN)
        if (draw := self._draw) is not None:
            _count(self._even, seat, more=value is not None and abs(value) <= draw.eval)
            if min(self._even) >= draw.moves and min(self._made) >= draw.after:
                self.found = self.found or Agreed((1, 1), _DRAW)


def _count(row: list[int], seat: Seat, *, more: bool) -> None:
    """Count one more decision of ``seat`` in a row, or begin again."""
    row[seat] = row[seat] + 1 if more else 0
