"""Ratings of a tally with the usual settings, or with one anchor."""

from __future__ import annotations

from collections.abc import Sequence

from arena.ratings.counting.arrays import arrays_of
from arena.ratings.counting.tally import Tally
from arena.ratings.elo.fit import fit_model
from arena.ratings.elo.rating import RatingFit
from arena.ratings.elo.scale import Anchor, Model
from arena.values.results import Fault, FaultKind, GameResult, GameSpec, Termination


def fit(
    tally: Tally, *, anchor: str | None = None, anchor_elo: float = 1000.0, prior: float = 0.5
) -> RatingFit:
    """``prior``: wins, and losses, of each entrant and seat against a ghost."""
    anchors = () if anchor is None else (Anchor(anchor, anchor_elo),)
    return fit_model(arrays_of(tally), Model(anchors, anchor_elo, 2 * prior))


def result(
    names: Sequence[str],
    scores: Sequence[int] | None,
    deal: int,
    seating: int,
    discipline: str = "heart-2",
) -> GameResult:
    """A game; without scores the first seat crashed."""
    block = f"{discipline}/{'+'.join(sorted(names))}:{deal}"
    spec = GameSpec(f"{block}:{seating}", block, block, seating, tuple(names))
    if scores is None:
        places = (len(names), *[1] * (len(names) - 1))
        fault = Fault(0, FaultKind.CRASH, 3, "its process ended")
        return GameResult(spec, Termination.FORFEITED, places, 3, "00", None, (fault,))
    places = tuple(1 + sum(other > own for other in scores) for own in scores)
    return GameResult(spec, Termination.COMPLETED, places, 40, "00", tuple(scores))
