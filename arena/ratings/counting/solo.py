"""Scores of solo games by deal, in which every entrant plays the same deals alone."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from arena.results import FaultKind, GameResult, Termination

ABSENT: Final = -(2**63)
"""Placeholder for the score of a deal that was not played (yet)."""
FORFEIT: Final = ABSENT + 1
"""Placeholder for the score of a game that a fault ended."""


class SoloTally:
    """Score of every entrant on every deal of one discipline, 8 bytes each."""

    def __init__(
        self,
        entrants: Iterable[str] = (),
        *,
        score: str,
        less_is_better: bool,
        worst_score: int,
        unit: int = 1,
        games: Mapping[str, int] | None = None,
    ) -> None:
        """Create an empty tally that lists ``entrants`` even if they never play.

        ``score``: what is counted, as a plural noun. ``worst_score``: the score that a forfeit
        counts as. ``unit``: number by which scores are divided where they are shown. ``games``:
        number of games by entrant, if a score is the mean of a block of several seats.
        """
        self.unit = unit
        self.games = games
        self.score = score
        self.less_is_better = less_is_better
        self.worst_score = worst_score
        self._deal_ids: dict[str, int] = {}
        self._scores: dict[str, array[int]] = {name: array("q") for name in entrants}
        self._faults: dict[str, Counter[FaultKind]] = {}

    @property
    def entrants(self) -> tuple[str, ...]:
        """Names of all entrants that were listed or have played, sorted."""
        return tuple(sorted(self._scores))

    @property
    def deals(self) -> tuple[str, ...]:
        """Names of all deals that were played, in the order in which they first occurred."""
        return tuple(self._deal_ids)

    def scores(self, name: str) -> array[int]:
        """Return the scores of an entrant in the order of ``deals``, with FORFEIT and ABSENT."""
        scores = self._scores.get(name, array("q"))
        return scores + _absent(len(self._deal_ids) - len(scores))

    def fill(
        self,
        deals: Mapping[str, int],
        scores: Mapping[str, array[int]],
        faults: Mapping[str, Counter[FaultKind]],
    ) -> None:
        """Set all scores at once. ``deals``: numbers by name, in order. Used for blocks."""
        self._deal_ids = dict(deals)
        self._scores = dict(scores)
        self._faults = dict(faults)

    def faults(self, name: str) -> dict[FaultKind, int]:
        """Return the number of faults by kind, in the order of ``FaultKind``, without zeros."""
        counts = self._faults.get(name, Counter())
        return {kind: counts[kind] for kind in FaultKind if counts[kind]}

    def absorb(self, other: SoloTally, names: Callable[[str], str], scope: str) -> None:
        """Count the games of ``other``, as described in ``Tally.absorb``.

        If more is better in one tally and less in the other, the scores change their sign.
        """
        sign = 1 if self.less_is_better == other.less_is_better else -1
        ids = self._deal_ids
        places = [ids.setdefault(scope + deal, len(ids)) for deal in other.deals]
        for name in other.entrants:
            found, own = other.scores(name), names(name)
            scores = self._scores[own] = self.scores(own)
            for place, score in zip(places, found, strict=True):
                if score != ABSENT:
                    scores[place] = score if score == FORFEIT else sign * score
            self._faults.setdefault(own, Counter()).update(other.faults(name))

    def add(self, result: GameResult) -> None:
        """Count one game. Void games are ignored.

        Raises ValueError if the game does not have one seat, or if its entrant has already played
        the deal.
        """
        if result.termination is Termination.VOID:
            return
        if len(result.spec.entrants) != 1:
            raise ValueError(f"expected a solo game, found entrants {result.spec.entrants!r}")
        name, deal = result.spec.entrants[0], result.spec.deal
        scores = self._scores.setdefault(name, array("q"))
        number = self._deal_ids.setdefault(deal, len(self._deal_ids))
        if number >= len(scores):
            scores.extend(_absent(number + 1 - len(scores)))
        elif scores[number] != ABSENT:
            raise ValueError(f"deal {deal!r} was played by {name!r} before")
        scores[number] = FORFEIT if result.scores is None else result.scores[0]
        for fault in result.faults:
            self._faults.setdefault(name, Counter())[fault.kind] += 1


def _absent(deals: int) -> array[int]:
    return array("q", [ABSENT]) * deals
