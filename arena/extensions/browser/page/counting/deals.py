"""Statistics of a page beyond the standings: scores, progress, luck; one pass over results.

The cloud of deals shows a bot's results in one game of a deal against its other games of the deal.
From each number the mean of its kind is subtracted, so neither strength nor the seat moves a dot.
Where the cards decide and seats change, dots lie along the falling diagonal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence, Set
from fractions import Fraction
from typing import Final, NamedTuple, TypeVar

from arena.extensions.matches.statistics.blocks import Scores, correlation, game_score
from arena.extensions.matches.statistics.report import Range
from arena.games.base import TableFacts
from arena.values.results import GameResult, Seat, Termination

T = TypeVar("T")

POINTS: Final = 500
"""Most points of a curve or a cloud; of more, a part is drawn."""


def thinned(items: Sequence[T], most: int = POINTS) -> list[T]:
    """Return at most ``most`` items in their order, evenly chosen, first and last included."""
    if len(items) <= most:
        return list(items)
    if most < 2:
        return list(items[:most])
    last = len(items) - 1
    return [items[k * last // (most - 1)] for k in range(most)]


class Seen(NamedTuple):
    """A game with scores, as it is counted for the cloud of deals."""

    game: str
    entrants: tuple[str, ...]
    scores: tuple[int, ...]


class Dot(NamedTuple):
    """A bot on a deal, in the unit of the rules; more is better."""

    name: str
    game: str
    across: float
    """Its margin in its first game, above the mean; that of the others, if it has one game."""
    up: float
    """Its margin in the other games of the deal, above the mean; or in its only game."""


class _Margin(NamedTuple):
    """A bot's margin in a game."""

    name: str
    table: tuple[str, ...]
    """Names at the table, sorted."""
    seat: Seat
    value: float
    game: str

    @property
    def kind(self) -> tuple[str, tuple[str, ...], Seat]:
        """Key of the group whose mean is subtracted."""
        return self.name, self.table, self.seat


def dots(blocks: Mapping[int, Sequence[Seen]], *, less_is_better: bool) -> list[Dot]:
    """Return at most POINTS dots in the order of the schedule.

    ``blocks``: by number, with games in any order.
    """
    sign = -1 if less_is_better else 1
    ordered = [sorted(blocks[number]) for number in sorted(blocks)]
    margins = [list(_margins(games, sign)) for games in ordered if len(games) > 1]
    means = _means(margin for block in margins for margin in block)
    apart = [[m._replace(value=m.value - means[m.kind]) for m in block] for block in margins]
    return thinned([dot for block in apart for dot in _dots(block)])


def _margins(games: Sequence[Seen], sign: int) -> Iterator[_Margin]:
    """Yield each bot's margin over the others at its table, except for bots with several seats."""
    for game in games:
        table = tuple(sorted(game.entrants))
        for seat, name in enumerate(game.entrants):
            if table.count(name) == 1:
                others = [s for other, s in enumerate(game.scores) if other != seat]
                value = sign * (game.scores[seat] - (_mean(others) if others else 0.0))
                yield _Margin(name, table, seat, value, game.game)


def _dots(block: Sequence[_Margin]) -> Iterator[Dot]:
    """Yield each bot's first game against its other games, or against those at other tables.

    Of two bots at a table, one is the mirror image of the other and left out.
    """
    names = sorted({margin.name for margin in block})
    for name in names[:1] if any(len(margin.table) == 2 for margin in block) else names:
        first, *more = (margin for margin in block if margin.name == name)
        if more:
            yield Dot(name, first.game, first.value, _mean([each.value for each in more]))
        elif others := [each.value for each in block if each.table != first.table]:
            yield Dot(name, first.game, _mean(others), first.value)


def _means(margins: Iterable[_Margin]) -> dict[Hashable, float]:
    values: dict[Hashable, list[float]] = {}
    for margin in margins:
        values.setdefault(margin.kind, []).append(margin.value)
    return {kind: _mean(own) for kind, own in values.items()}


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


class RunningResult(NamedTuple):
    """Result of a bot after a number of deals."""

    deals: int
    value: float
    """Share of points, 0 to 1; at a table of one seat the mean score."""


class DealCorrelation(NamedTuple):
    """Correlation of the games of a deal, for a bot among the same others."""

    name: str
    others: tuple[str, ...]
    blocks: int
    found: Range


class Numbers(NamedTuple):
    """Statistics of one discipline: scores, progress and luck by bot."""

    facts: TableFacts
    seats: int
    """Number of seats; 0 without games."""
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
    """Correlations; empty at a table of one seat, where a deal has no other seatings."""


class DisciplineCounter:
    """Counter of the games of one discipline, in any order."""

    def __init__(
        self,
        entrants: Iterable[str],
        facts: TableFacts,
        seatings: int,
        out: Set[str] = frozenset(),
    ) -> None:
        """Begin without games.

        ``seatings``: games of one deal and one set of entrants. ``out``: bots whose games do not
        count.
        """
        self._facts = facts
        self._seatings = seatings
        self._seats = 0
        self._out = out
        self._scores: dict[str, Counter[int]] = {n: Counter() for n in entrants if n not in out}
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
        self._seats = len(entrants)
        if result.scores is None:
            self._forfeits.update(set(entrants))
        else:
            for name, score in zip(entrants, result.scores, strict=True):
                self._scores.setdefault(name, Counter())[score] += 1
            if block < POINTS and not result.faults:
                seen = Seen(result.spec.game_id, entrants, result.scores)
                self._seen.setdefault(block, []).append(seen)
        self._count(deal, result)
        if self._seats > 1:
            self._pair_up(result)

    def numbers(self) -> Numbers:
        """Return the statistics of the counted games."""
        return Numbers(
            facts=self._facts,
            seats=self._seats,
            scores=self._scores,
            forfeits=self._forfeits,
            deals=len(self._deals),
            pace={name: self._pace(name) for name in self._scores},
            dots=dots(self._seen, less_is_better=self._facts.less_is_better),
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
        if self._seats > 1:
            return game_score(result, name)
        return Fraction(self._facts.worst_score if result.scores is None else result.scores[0])

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
        if len(block) < self._seatings:
            return
        del self._open[result.spec.block]
        names = tuple(sorted(set(result.spec.entrants)))
        for name in names[:1] if self._seats == 2 else names:
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
