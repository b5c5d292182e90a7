"""Ratings of a tally with the usual settings, or with one anchor."""

from __future__ import annotations

from arena.ratings.counting.arrays import arrays_of
from arena.ratings.counting.tally import Tally
from arena.ratings.elo.fit import fit_model
from arena.ratings.elo.rating import RatingFit
from arena.ratings.elo.scale import Anchor, Model


def fit(
    tally: Tally, *, anchor: str | None = None, anchor_elo: float = 1000.0, prior: float = 0.5
) -> RatingFit:
    """``prior``: wins, and losses, of each entrant and seat against a ghost."""
    anchors = () if anchor is None else (Anchor(anchor, anchor_elo),)
    return fit_model(arrays_of(tally), Model(anchors, anchor_elo, 2 * prior))
