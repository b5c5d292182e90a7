"""Scores of solo games by deal, and of blocks of games that are rated by scores.

In solo games every entrant plays the same deals alone. In games of several seats the value of a
block to a bot is the mean of its scores, or of its margins over the other seats. Like all tallies
these keep integers, so nothing depends on the order in which results were added.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from math import lcm
from typing import Final

from arena.values.results import FaultKind, GameResult, Termination

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


class _BlockScores:
    """The games of one bot in one block."""

    __slots__ = ("forfeits", "parts", "total")

    def __init__(self) -> None:
        self.total = 0
        """Sum of the scores; of the margins, each times the number of other seats."""
        self.parts = 0
        """Number by which ``total`` is divided for the mean."""
        self.forfeits = 0
        """Number of seats at fault."""


class ScoreTally:
    """Mean score, or mean margin, of every entrant in each block of one discipline.

    A game with a fault has no fair scores. It counts for the bot at fault alone, whose block
    becomes a forfeit. A forfeit counts as the worst score, or as the worst margin of any block. So
    a bot that is behind gains nothing by a fault.
    """

    def __init__(
        self,
        entrants: Iterable[str] = (),
        *,
        score: str,
        less_is_better: bool,
        worst_score: int,
        by_margin: bool,
    ) -> None:
        """Create an empty tally; see ``SoloTally``. ``by_margin``: margins instead of scores."""
        self._score = score
        self._less_is_better = less_is_better
        self._worst_score = worst_score
        self._by_margin = by_margin
        self._listed = {*entrants}
        self._numbers: dict[str, int] = {}
        """Number of each block, in the order in which they first occurred."""
        self._blocks: dict[str, dict[int, _BlockScores]] = {}
        self._games: Counter[str] = Counter()
        self._faults: dict[str, Counter[FaultKind]] = {}

    @property
    def entrants(self) -> frozenset[str]:
        """Names of all entrants that were listed or have played."""
        return frozenset(self._listed | self._games.keys())

    @property
    def has_games(self) -> bool:
        """True if any game was added."""
        return bool(self._numbers)

    def empty(self) -> ScoreTally:
        """Return an empty tally of the same kind."""
        return ScoreTally(
            score=self._score,
            less_is_better=self._less_is_better,
            worst_score=self._worst_score,
            by_margin=self._by_margin,
        )

    def add(self, result: GameResult) -> None:
        """Count one game. Void games are ignored."""
        if result.termination is Termination.VOID:
            return
        names, faulty = result.spec.entrants, {fault.seat for fault in result.faults}
        number = self._numbers.setdefault(result.spec.block, len(self._numbers))
        self._games.update({*names})
        for fault in result.faults:
            name = names[fault.seat]
            self._faults.setdefault(name, Counter())[fault.kind] += 1
            self._of(name, number).forfeits += 1
        if faulty or result.scores is None:
            return
        for seat, name in enumerate(names):
            one, own = self._of(name, number), result.scores[seat]
            if not self._by_margin:
                one.total += own
                one.parts += 1
                continue
            others = [s for s, other in zip(result.scores, names, strict=True) if other != name]
            if others:
                ahead = own * len(others) - sum(others)
                one.total += -ahead if self._less_is_better else ahead
                one.parts += len(others)

    def absorb(self, other: ScoreTally, names: Callable[[str], str], scope: str) -> None:
        """Count the games of ``other``, as described in ``Tally.absorb``."""
        sign = 1 if self._by_margin or self._less_is_better == other._less_is_better else -1
        numbers = {
            old: self._numbers.setdefault(scope + block, len(self._numbers))
            for block, old in other._numbers.items()
        }
        self._listed |= {names(name) for name in other._listed}
        for name, blocks in other._blocks.items():
            for number, found in blocks.items():
                one = self._of(names(name), numbers[number])
                one.total += sign * found.total
                one.parts += found.parts
                one.forfeits += found.forfeits
        for name, games in other._games.items():
            self._games[names(name)] += games
        for name, faults in other._faults.items():
            self._faults.setdefault(names(name), Counter()).update(faults)

    def faults(self, name: str) -> Mapping[FaultKind, int]:
        """Return the number of faults by kind."""
        return self._faults.get(name, {})

    def _of(self, name: str, number: int) -> _BlockScores:
        own = self._blocks.setdefault(name, {})
        if number not in own:
            own[number] = _BlockScores()
        return own[number]

    def as_solo(self) -> SoloTally:
        """Return the values of the blocks as the scores of a solo tally, whose deals they are."""
        known = [one for own in self._blocks.values() for one in own.values() if one.parts]
        unit = lcm(*{one.parts for one in known})
        worst = self._worst_score * unit
        if self._by_margin:
            worst = min((one.total * (unit // one.parts) for one in known), default=0)
        solo = SoloTally(
            self.entrants,
            score=f"{self._score} ahead" if self._by_margin else self._score,
            less_is_better=self._less_is_better and not self._by_margin,
            worst_score=worst,
            unit=unit,
            games=self._games,
        )
        values = {}
        for name in self.entrants:
            values[name] = row = array("q", [ABSENT]) * len(self._numbers)
            for number, one in self._blocks.get(name, {}).items():
                if one.forfeits:  # without any margin, nobody can say what a forfeit is worth
                    row[number] = FORFEIT if known or not self._by_margin else ABSENT
                elif one.parts:
                    row[number] = one.total * (unit // one.parts)
        solo.fill(self._numbers, values, self._faults)
        return solo
