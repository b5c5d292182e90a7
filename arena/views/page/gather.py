"""Statistics of a page beyond the standings: scores, progress, luck; one pass over results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Set
from fractions import Fraction
from typing import NamedTuple

from arena.ratings.match.blocks import game_score
from arena.ratings.match.luck import Scores, correlation
from arena.ratings.match.report import Range
from arena.results import GameResult, Termination
from arena.views.page.blocks.clouds import Dot, Seen, dots
from arena.views.page.drawing.thin import POINTS, thinned


class DisciplineFacts(NamedTuple):
    """Facts about a discipline."""

    name: str
    seats: int
    entrants: tuple[str, ...]
    score: str
    """Unit of scores, as a plural noun."""
    less_is_better: bool
    worst_score: int
    block_games: int
    """Games of one deal and one set of entrants; in solo games, of all entrants."""


class RunningResult(NamedTuple):
    """Result of a bot after a number of deals."""

    deals: int
    value: float
    """Share of points, 0 to 1; in solo games the mean score."""


class DealCorrelation(NamedTuple):
    """Correlation of the games of a deal, for a bot among the same others."""

    name: str
    others: tuple[str, ...]
    blocks: int
    found: Range


class Numbers(NamedTuple):
    """Statistics of one discipline."""

    kind: DisciplineFacts
    scores: dict[str, Counter[int]]
    """Number of games by score, for each bot."""
    forfeits: Counter[str]
    """Number of games without a score, by bot."""
    deals: int
    """Number of deals with at least one counted game."""
    pace: dict[str, list[RunningResult]]
    """Progress by bot, at most POINTS entries each; empty for a bot without games."""
    dots: list[Dot]
    """Dots of the cloud, at most POINTS."""
    luck: list[DealCorrelation]
    """Correlations; empty for a solo discipline."""


class DisciplineCounter:
    """Counter of the games of one discipline, in any order."""

    def __init__(self, kind: DisciplineFacts, out: Set[str] = frozenset()) -> None:
        """Begin without games; ``out``: bots whose games do not count."""
        self.kind = kind
        self._out = out
        entrants = [name for name in kind.entrants if name not in out]
        self._scores: dict[str, Counter[int]] = {name: Counter() for name in entrants}
        self._forfeits: Counter[str] = Counter()
        self._deals: dict[int, dict[str, tuple[Fraction, int]]] = {}
        self._open: dict[str, list[GameResult]] = {}
        self._blocks: dict[tuple[tuple[str, ...], str], Counter[Scores]] = {}
        self._seen: dict[int, list[Seen]] = {}

    def add(self, block: int, deal: int, result: GameResult) -> None:
        """Count a game with its ``block`` and ``deal`` of ``Schedule.place``."""
        entrants = result.spec.entrants
        if result.termination is Termination.VOID or not self._out.isdisjoint(entrants):
            return
        if result.scores is None:
            self._forfeits.update(set(entrants))
        else:
            for name, score in zip(entrants, result.scores, strict=True):
                self._scores.setdefault(name, Counter())[score] += 1
            if block < POINTS and not result.faults:
                seen = Seen(result.spec.game_id, entrants, result.scores)
                self._seen.setdefault(block, []).append(seen)
        self._count(deal, result)
        if self.kind.seats > 1:
            self._pair_up(result)

    def numbers(self) -> Numbers:
        """Return the statistics of the counted games."""
        return Numbers(
            kind=self.kind,
            scores=self._scores,
            forfeits=self._forfeits,
            deals=len(self._deals),
            pace={name: self._pace(name) for name in self._scores},
            dots=dots(self._seen, self.kind.seats, self.kind.less_is_better),
            luck=self._luck(),
        )

    def _count(self, deal: int, result: GameResult) -> None:
        """Add the value of the game to the sums of its deal."""
        sums = self._deals.setdefault(deal, {})
        for name in dict.fromkeys(result.spec.entrants):
            value = self._worth(name, result)
            if value is not None:
                total, games = sums.get(name, (Fraction(0), 0))
                sums[name] = total + value, games + 1

    def _worth(self, name: str, result: GameResult) -> Fraction | None:
        if self.kind.seats > 1:
            return game_score(result, name)
        return Fraction(self.kind.worst_score if result.scores is None else result.scores[0])

    def _pace(self, name: str) -> list[RunningResult]:
        total, games = Fraction(0), 0
        found = []
        for done, deal in enumerate(sorted(self._deals), 1):
            value, own = self._deals[deal].get(name, (Fraction(0), 0))
            total, games = total + value, games + own
            if games:
                found.append(RunningResult(done, float(total / games)))
        return thinned(found)

    def _pair_up(self, result: GameResult) -> None:
        """Keep a game until its block is complete."""
        block = self._open.setdefault(result.spec.block, [])
        block.append(result)
        if len(block) < self.kind.block_games:
            return
        del self._open[result.spec.block]
        names = tuple(sorted(set(result.spec.entrants)))
        for name in names[:1] if self.kind.seats == 2 else names:
            scores = [game_score(game, name) for game in block]
            if None not in scores:
                lineups = [tuple(e == name for e in game.spec.entrants) for game in block]
                known = zip(lineups, (float(s) for s in scores if s is not None), strict=True)
                self._blocks.setdefault((names, name), Counter())[tuple(sorted(known))] += 1

    def _luck(self) -> list[DealCorrelation]:
        return [
            DealCorrelation(
                name=name,
                others=tuple(other for other in names if other != name),
                blocks=blocks.total(),
                found=correlation(dict(sorted(blocks.items()))),
            )
            for (names, name), blocks in sorted(self._blocks.items())
        ]
