"""A match between two contestants: the results of its blocks, and the decision.

Blocks come in the order of the schedule. So all results are a function of the games and the
settings, for any number of workers and any interruptions. Pure Python.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import sqrt
from typing import Final, NamedTuple

import msgspec

from arena.extensions.matches.statistics.blocks import MatchDiscipline, block_result, game_score
from arena.extensions.matches.statistics.estimate import FixedLengthFigures, LastLook, estimate_of
from arena.extensions.matches.statistics.numbers import (
    Blocks,
    elo_range,
    even_of,
    mean_range,
    moments,
    nelo_range,
    superiority_of,
)
from arena.extensions.matches.statistics.report import (
    Criteria,
    DisciplineReport,
    Hypotheses,
    MatchSide,
    Measure,
    PostStopEstimate,
    Range,
    Scale,
    Verdict,
)
from arena.extensions.matches.statistics.sprt import (
    LEAST_BLOCKS,
    NELO,
    check,
    expected,
    length,
    llr,
)
from arena.values.results import GameResult

ALIKE_BLOCKS: Final = 50
"""Number of blocks after which two contestants with only even blocks are judged to play alike."""
LEAST_DISTINCT: Final = 3
"""Least number of distinct blocks for a verdict; fewer give no evidence, however often repeated."""
NOTHING_NEW: Final = 50
"""Number of successive blocks that repeat earlier ones, after which no new block is expected."""
_KNOWN: Final = 10
"""Number of blocks of each discipline before the remaining games are estimated."""
_BARS: Final = 200
_EVERY: Final = 500
"""Number of blocks up to which the likelihood ratio is checked after each; later more rarely."""


class Decision(NamedTuple):
    """Verdict with its reason."""

    verdict: Verdict
    reason: str


class Match:
    """Blocks that count, and the final decision. Later blocks are ignored."""

    def __init__(
        self,
        candidate: str,
        baseline: str,
        tables: Sequence[MatchDiscipline],
        test: Criteria,
        called: tuple[str, str] | None = None,
    ) -> None:
        """Create a match; ``tables`` has one item for each discipline, all with as many blocks.

        ``called``: names of the two contestants in a decision; None for their own names. Raises
        ValueError if the hypotheses cannot be tested.
        """
        self.test = test
        self.decision: Decision | None = None
        self.blocks = 0
        self.games = 0
        self.llr = 0.0
        self._plies = 0
        self._first_look: float | None = None
        """Number of deals when enough were scored for a verdict."""
        self._names = (candidate, baseline)
        self.called = called or self._names
        self._tables = {table.discipline: table for table in tables}
        self._blocks = {table.discipline: Blocks(table.seats) for table in tables}
        self._faults: dict[str, Counter[str]] = {name: Counter() for name in self._names}
        self._faulty: Counter[str] = Counter()
        """Number of games with a fault, by contestant."""
        self._hypotheses: Hypotheses = test
        for table in tables:
            check(test, table.rounds)
        self._deal_games = sum(table.block_games for table in tables)

    @property
    def names(self) -> tuple[str, str]:
        """Names of candidate and baseline."""
        return self._names

    @property
    def measures(self) -> dict[str, Measure]:
        """Measure of a block's value, by discipline."""
        return {name: table.measure for name, table in self._tables.items()}

    @property
    def out(self) -> frozenset[str]:
        """Names that need no more games."""
        return frozenset() if self.decision is None else frozenset(self._names)

    def next_games(self) -> int:
        """Return the number of games of a deal of each discipline."""
        return self._deal_games

    @property
    def deals(self) -> int:
        """Number of deals of each discipline that fit into the allowed games."""
        return self.test.max_games // self._deal_games

    @property
    def bounds(self) -> tuple[float, float]:
        """Log-likelihood ratios at which the match ends."""
        return self._hypotheses.bounds

    def test_at(self, alpha: float) -> None:
        """Set the error of the first kind; the match may pass at once by the blocks so far."""
        self._hypotheses = msgspec.structs.replace(self._hypotheses, alpha=alpha)
        if self.decision is None and self.blocks:
            self.decision = self._decide()

    def add(self, discipline: str, results: Sequence[GameResult]) -> None:
        """Add the next block of the schedule. After the decision it is ignored."""
        if self.decision is not None:
            return
        table, blocks = self._tables[discipline], self._blocks[discipline]
        for result in results:
            self._plies += result.plies
            names = [result.spec.entrants[fault.seat] for fault in result.faults]
            self._faulty.update(set(names))
            for name, fault in zip(names, result.faults, strict=True):
                self._faults[name][fault.kind.value] += 1
        self.blocks += 1
        self.games += len(results)
        candidate = self._names[0]
        scores = [game_score(result, candidate) for result in results]
        block = block_result(results, scores, candidate, table)
        blocks.add(
            block, [None if each is None else float(each) for each in scores], results, candidate
        )
        if self._is_due():
            self.llr = sum(map(self._llr_of, self._tables))
        self.decision = self._decide()

    def side(self, name: str) -> MatchSide:
        """Return the faults of a contestant, with the number of games of the match."""
        return MatchSide(name, dict(sorted(self._faults[name].items())), self.games)

    def elo(self) -> Range:
        """Return the Elo so far of a single discipline by places; empty otherwise."""
        [(name, table), *others] = self._tables.items()
        if others or table.measure is not Measure.PLACES:
            return Range(None)
        return elo_range(self._blocks[name].weights(Measure.PLACES))

    def estimate(self) -> PostStopEstimate | None:
        """Return the strength that allows for the stop; None if it is not known."""
        if self.decision is not None and self.decision.verdict is Verdict.INVALID:
            return None
        is_open = self.decision is None or self.decision.verdict is Verdict.INCONCLUSIVE
        deals = self._deals()
        least = deals if self._first_look is None else self._first_look
        hypotheses = (self.test.elo0, self.test.elo1)
        test = LastLook(
            self.llr, self.bounds, deals, least, self.test.scale, hypotheses, is_open=is_open
        )
        plain = [
            FixedLengthFigures(table.rounds, game.elo, game.nelo, game.los)
            for table, game in zip(self._tables.values(), self.plain_reports(), strict=True)
        ]
        return estimate_of(test, plain)

    def _deals(self) -> float:
        """Return the mean number of effective blocks with a value over the disciplines."""
        counted = (self._blocks[name].effective(t.measure) for name, t in self._tables.items())
        return sum(counted) / len(self._tables)

    def reports(self) -> tuple[DisciplineReport, ...]:
        """Return the numbers of every discipline; a single one has the corrected ``estimate``."""
        plain = self.plain_reports()
        found = self.estimate() if len(plain) == 1 else None
        if found is None:
            return plain
        return (msgspec.structs.replace(plain[0], elo=found.elo, nelo=found.nelo, los=found.los),)

    def plain_reports(self) -> tuple[DisciplineReport, ...]:
        """Return the numbers of every discipline as for a match of fixed length."""
        return tuple(
            _report(table, self._blocks[name], self._llr_of(name))
            for name, table in self._tables.items()
        )

    def games_left(self) -> int | None:
        """Return the expected number of games until the decision, at most the allowed games.

        It assumes the strength seen so far. Return None while too little is known, and after the
        decision.
        """
        deals = self.blocks / len(self._tables)
        expected = self._expected() if deals >= _KNOWN else None
        if self.decision is not None or expected is None:
            return None
        least = max(0.0, LEAST_BLOCKS * self._blocks_each() - deals) * self._deal_games
        return max(0, round(min(self.test.max_games - self.games, max(least, expected))))

    def _expected(self) -> float | None:
        """Return the expected number of remaining games without a limit.

        Disciplines without spread yet are assumed to be like the others. The ratios of the
        disciplines add up, and so do their drifts and variances: they form one test, of the length
        that follows from its ``t``.
        """
        known = drift = variance = 0.0
        for name, table in self._tables.items():
            t = self._blocks[name].t(table.measure)
            if t is not None:
                t0, t1 = self._ts(self._blocks[name], table)
                known += 1
                drift += (t1 - t0) * (t - (t0 + t1) / 2)
                variance += (t1 - t0) ** 2
        if not known:
            return None
        deals = length(drift, variance, [bound - self.llr for bound in self.bounds])
        return self._blocks_each() * deals * known / len(self._tables) * self._deal_games

    def _blocks_each(self) -> float:
        """Return the number of played blocks per effective block; 1 without repeats.

        Blocks without a value do not count.
        """
        scored = sum(self._blocks[name].scored(t.measure) for name, t in self._tables.items())
        return scored / (self._deals() * len(self._tables)) if scored else 1.0

    def _ts(self, blocks: Blocks, table: MatchDiscipline) -> tuple[float, float]:
        """Return the hypotheses as deviations of a block above even."""
        elos = (self.test.elo0, self.test.elo1)
        if self.test.scale is Scale.NORMALIZED:
            t0, t1 = (sqrt(table.rounds) * elo / NELO for elo in elos)
            return t0, t1
        found = moments(blocks.weights(table.measure))
        deviation = sqrt(found.variance) if found is not None and found.variance > 0 else 1.0
        t0, t1 = ((expected(elo) - 0.5) / deviation for elo in elos)
        return t0, t1

    def _is_due(self) -> bool:
        """Return whether the ratio is checked after this block: with more blocks, more rarely."""
        step = max(1, self.blocks // _EVERY)
        return self.blocks % step == 0 or self._is_used_up()

    def _llr_of(self, name: str) -> float:
        table, blocks = self._tables[name], self._blocks[name]
        places = table.measure is Measure.PLACES
        counts = blocks.weights(table.measure)
        grid = None if places and table.seats == 2 else blocks.ends(table.measure)
        ref = even_of(table.measure)
        return llr(counts, table.rounds, self._hypotheses, ref=ref, grid=grid)

    def _decide(self) -> Decision | None:
        reason = self._invalid()
        if reason:
            return Decision(Verdict.INVALID, reason)
        if not self._is_due():
            return None
        lower, upper = self.bounds
        enough = all(
            self._blocks[name].effective(table.measure) >= LEAST_BLOCKS
            for name, table in self._tables.items()
        )
        if enough and self._first_look is None:
            self._first_look = self._deals()
        verdict = None
        if enough and self.llr >= upper:
            verdict = Verdict.PASS
        elif enough and self.llr <= lower:
            verdict = Verdict.FAIL
        elif self._is_used_up() or self._is_repeating():
            verdict = Verdict.INCONCLUSIVE
        if verdict is None:
            return None
        if reason := self._doubtful():
            return Decision(Verdict.INVALID, reason)
        return Decision(verdict, self._said(verdict))

    def _is_used_up(self) -> bool:
        return self.blocks >= self.deals * len(self._tables)

    def _is_repeating(self) -> bool:
        """Return whether further blocks can only be expected to repeat earlier ones."""
        found = [(blocks, self.measures[name]) for name, blocks in self._blocks.items()]
        ended = [each for each in found if each[0].repeats.since_new >= NOTHING_NEW]
        is_short = any(blocks.effective(measure) < LEAST_BLOCKS for blocks, measure in ended)
        return is_short or len(ended) == len(found)

    def _invalid(self) -> str:
        """Return the reason why the match is invalid before its end, or ""."""
        for name in self._names:
            if self._faulty[name] >= self.test.max_faults and self._is_faulty(name):
                return self._faults_of(name)
        if self.blocks >= ALIKE_BLOCKS and not self.test.may_be_alike and self._is_alike():
            return self._alike()
        return ""

    def _doubtful(self) -> str:
        """Return the reason why a verdict would be invalid, or ""."""
        for name in self._names:
            if self._is_faulty(name):
                return self._faults_of(name)
        if not self._plies:
            return "not a single move was played"
        if not self.test.may_be_alike and self._is_alike():
            return self._alike()
        for blocks in self._blocks.values():
            if blocks.repeats.distinct < min(LEAST_DISTINCT, blocks.blocks):
                return _too_alike(blocks)
        return ""

    def _is_faulty(self, name: str) -> bool:
        return self._faulty[name] > self._fault_share * self.games

    @property
    def _fault_share(self) -> float:
        """Allowed share of games with a fault.

        It is 0 where scores alone count: a game with a fault has no fair score, so a contestant
        that crashes before a high loss would avoid it.
        """
        spares = any(t.measure is Measure.MARGIN and t.seats > 1 for t in self._tables.values())
        return 0.0 if spares else self.test.max_fault_share

    def _is_alike(self) -> bool:
        return all(blocks.is_even() for blocks in self._blocks.values())

    def _alike(self) -> str:
        return (
            f"{self.called[0]} and {self.called[1]} play alike: all {self.blocks} blocks came out "
            "even, so nothing was compared"
        )

    def _faults_of(self, name: str) -> str:
        counts = self._faults[name]
        kinds = ", ".join(f"{number} {kind}" for kind, number in sorted(counts.items()))
        called = self.called[self._names.index(name)]
        return (
            f"{called} committed faults in {self._faulty[name]} of {self.games} games ({kinds}), "
            f"more than {100 * self._fault_share:g} %"
        )

    def _said(self, verdict: Verdict) -> str:
        test, (candidate, baseline) = self.test, self.called
        scale = "nElo" if test.scale is Scale.NORMALIZED else "Elo"
        if verdict is Verdict.INCONCLUSIVE:
            least = LEAST_BLOCKS * self._deal_games
            least_words = f": a verdict takes {least} at least" if self.games < least else ""
            if self._is_repeating():
                distinct = sum(each.games - each.repeats.games for each in self._blocks.values())
                last = f"the last {NOTHING_NEW} blocks brought no new one"
                least_words = f": {distinct} of them are distinct, and {last}"
            return f"{self.games} games were not enough to tell{least_words}"
        elos = (test.elo1, test.elo0) if verdict is Verdict.PASS else (test.elo0, test.elo1)
        more, less = (f"{elo:+g}" if elo else "0" for elo in elos)
        sides = f"{candidate} against {baseline}"
        return f"the games speak for {more} rather than {less} {scale} of {sides}"


def _too_alike(blocks: Blocks) -> str:
    distinct = blocks.games - blocks.repeats.games
    return (
        f"{distinct} of {blocks.games} games are distinct: the game has no chance and the bots "
        f"repeat their moves, so {blocks.blocks} blocks say as much as {blocks.repeats.distinct}; "
        f"a verdict takes {LEAST_DISTINCT} distinct blocks at least, which start positions give "
        "(--positions)"
    )


def _report(table: MatchDiscipline, blocks: Blocks, ratio: float) -> DisciplineReport:
    """Return the numbers of a discipline."""
    measure = table.measure
    counts, places = blocks.weights(measure), blocks.weights(Measure.PLACES)
    found = moments(counts)
    luck = blocks.correlation()
    return DisciplineReport(
        discipline=table.discipline,
        seats=table.seats,
        lineup=table.lineup,
        measure=measure,
        block_games=table.block_games,
        blocks=blocks.scored(measure),
        unscored=blocks.blocks - blocks.scored(measure),
        games=blocks.games,
        histogram=_histogram(blocks.counts(measure), table),
        wins=blocks.results[1],
        draws=blocks.results[0],
        losses=blocks.results[-1],
        mean=mean_range(counts, measure),
        elo=elo_range(places) if measure is Measure.PLACES else Range(None),
        nelo=nelo_range(counts, table.rounds, measure),
        los=superiority_of(counts, measure),
        seats_worth=blocks.seats_worth(),
        correlation=luck,
        luck_ratio=None if luck.value is None else 1 + (table.block_games - 1) * luck.value,
        margin=mean_range(blocks.weights(Measure.MARGIN), Measure.MARGIN),
        deviation=None if found is None else sqrt(table.rounds * found.variance),
        llr=ratio,
        distinct=blocks.distinct(measure),
        title=table.title,
    )


def _histogram(
    counts: Mapping[float, int], table: MatchDiscipline
) -> tuple[tuple[float, int], ...]:
    if table.measure is Measure.MARGIN and len(counts) > _BARS:
        return ()
    every = set(counts)
    if table.measure is Measure.PLACES and table.seats == 2 and table.block_games == 2:
        every |= {0.0, 0.25, 0.5, 0.75, 1.0}
    return tuple((value, counts.get(value, 0)) for value in sorted(every))
