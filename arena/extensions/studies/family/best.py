"""The search for the best of several candidates, pass by pass.

Passes come in the order of the schedule, one deal of every two remaining candidates. So all results
here are a function of the games and the settings.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from typing import Final

from arena.extensions.matches.statistics.blocks import (
    MatchDiscipline,
    Repeats,
    block_result,
    game_score,
)
from arena.extensions.matches.statistics.match import LEAST_DISTINCT, NOTHING_NEW, Decision
from arena.extensions.matches.statistics.numbers import even_of
from arena.extensions.matches.statistics.report import MatchSide, Measure, Range, Verdict
from arena.extensions.studies.family.encounters import Encounters
from arena.extensions.studies.family.report import (
    BestTest,
    CandidatePair,
    Contender,
    FamilyDiscipline,
)
from arena.extensions.studies.family.selection import Elimination, Selection
from arena.values.results import GameResult

_NOTHING: Final = Range(None)


class Best:
    """The remaining candidates, and the final decision. Later passes are ignored."""

    def __init__(
        self,
        names: Sequence[str],
        called: Sequence[str],
        tables: Sequence[MatchDiscipline],
        test: BestTest,
    ) -> None:
        """Create a search among ``names``; ``called`` are their names in a decision.

        Raises ValueError if this cannot be tested.
        """
        self.test = test
        self.names = tuple(names)
        self.decision: Decision | None = None
        self.games = 0
        self._called = dict(zip(names, called, strict=True))
        self._numbers = {name: number for number, name in enumerate(names)}
        self._tables = {table.discipline: table for table in tables}
        self._last = tables[-1].discipline
        self._met = {
            table.discipline: Encounters(
                len(names), table.rounds, table.measure, shared=table.seats == 1
            )
            for table in tables
        }
        self._selection = Selection(len(names), list(self._met.values()), test.gap, test.alpha)
        self._own_games: Counter[str] = Counter()
        self._faults: dict[str, Counter[str]] = {name: Counter() for name in names}
        self._faulty: Counter[str] = Counter()
        self._unscored: Counter[str] = Counter()
        self._excluded: dict[str, int] = {}
        """Round in which a candidate was excluded for faults, by name."""
        self._is_even = True
        self._repeats: dict[str, dict[tuple[int, int], Repeats]] = {
            table.discipline: {} for table in tables
        }
        """Counts of equal blocks, by discipline and pair of bots."""
        self._different = {table.discipline: Repeats() for table in tables}
        """Counts of equal games, by discipline."""

    @property
    def out(self) -> frozenset[str]:
        """Names that need no more games."""
        alive = {self.names[number] for number in self._selection.alive}
        return frozenset(self.names) - alive

    @property
    def rounds(self) -> int:
        """Number of finished rounds."""
        return self._selection.round

    @property
    def bound(self) -> float:
        """Log-likelihood ratio at which a candidate is out, see ``Selection``."""
        return self._selection.bound

    def next_games(self) -> int:
        """Return the number of games of each remaining candidate in a round."""
        others = len(self._selection.alive) - 1
        return sum(
            1 if each.seats == 1 else each.block_games * others for each in self._tables.values()
        )

    def ratio(self) -> float:
        """Return the greatest ratio of a remaining candidate, see ``Selection.ratio``."""
        return self._selection.ratio()

    def add(self, discipline: str, blocks: Sequence[Sequence[GameResult]]) -> None:
        """Add the next pass of the schedule. After the decision it is ignored."""
        if self.decision is not None:
            return
        for results in blocks:
            self._take(self._tables[discipline], results)
        if discipline == self._last:
            self._end_round()

    def _take(self, table: MatchDiscipline, results: Sequence[GameResult]) -> None:
        for result in results:
            self.games += 1
            self._different[table.discipline].add([result])
            entrants = result.spec.entrants
            self._own_games.update(set(entrants))
            names = [entrants[fault.seat] for fault in result.faults]
            self._faulty.update(set(names))
            for name, fault in zip(names, result.faults, strict=True):
                self._faults[name][fault.kind.value] += 1
        here = sorted(
            {name for result in results for name in result.spec.entrants},
            key=self._numbers.__getitem__,
        )
        for one, other in combinations(here, 2):
            pair = self._numbers[one], self._numbers[other]
            met = [each for each in results if not {one, other}.isdisjoint(each.spec.entrants)]
            scores = [game_score(each, one) for each in met]
            block = block_result(met, scores, one, table)
            value = block.places if table.measure is Measure.PLACES else block.margin
            before = self._repeats[table.discipline].setdefault(pair, Repeats()).add(met)
            if value is None:
                self._unscored[table.discipline] += 1
                continue
            self._is_even = self._is_even and value == even_of(table.measure)
            self._met[table.discipline].add(*pair, float(value), before)

    def _end_round(self) -> None:
        for name in self.names:
            if name not in self.out and self._is_faulty(name, self.test.max_faults):
                self._excluded[name] = self.rounds + 1
                self._selection.exclude(self._numbers[name])
        self._selection.end_round()
        self.decision = self._decide()

    def _is_faulty(self, name: str, least: int) -> bool:
        faulty = self._faulty[name]
        return faulty >= least and faulty > self.test.max_fault_share * self._own_games[name]

    def _decide(self) -> Decision | None:
        alive = [self.names[number] for number in self._selection.alive]
        if len(alive) <= 1 and not (alive and self._selection.eliminations):
            return Decision(Verdict.INVALID, f"faults left nobody to compare: {self._faults_of()}")
        if len(alive) == 1:
            if self._is_faulty(alive[0], 1):
                return Decision(Verdict.INVALID, self._faults_of())
            if self._is_even and not self.test.may_be_alike:
                reason = "all blocks came out even, so nothing was compared"
                return Decision(Verdict.INVALID, reason)
            gap, error = f"{self.test.gap:g} nElo", f"{100 * self.test.alpha:g} %"
            reason = f"no other is better than it by {gap}, with an error of at most {error}"
            return Decision(Verdict.PASS, reason)
        if decision := self._repeating():
            return decision
        played = max(self._own_games[name] for name in alive)
        if played + self.next_games() > self.test.max_games:
            names = ", ".join(self._called[name] for name in alive)
            reason = f"{self.games} games were not enough to tell between {names}"
            return Decision(Verdict.INCONCLUSIVE, reason)
        return None

    def _repeating(self) -> Decision | None:
        """Return the decision if the remaining bots only repeat their games, else None."""
        alive = set(self._selection.alive)
        left = [
            found
            for pairs in self._repeats.values()
            for pair, found in pairs.items()
            if alive.issuperset(pair)
        ]
        if any(found.since_new < NOTHING_NEW for found in left):
            return None
        distinct = sum(found.distinct for found in self._different.values())
        few = min(found.distinct for found in left)
        reason = f"{self.games} games were not enough to tell: {distinct} of them are distinct"
        if few >= LEAST_DISTINCT:
            last = f"the last {NOTHING_NEW} rounds brought no new one"
            return Decision(Verdict.INCONCLUSIVE, f"{reason}, and {last}")
        least = f"two bots have {few} distinct blocks, and a verdict takes {LEAST_DISTINCT}"
        return Decision(Verdict.INVALID, f"{reason}: {least}")

    def _faults_of(self) -> str:
        parts = [
            f"{self._called[name]} in {number} of {self._own_games[name]} games"
            for name, number in sorted(self._faulty.items())
        ]
        return ", ".join(parts)

    def contenders(self) -> tuple[Contender, ...]:
        """Return the state of each candidate."""
        leader = self._selection.leader if self._selection.alive else 0
        by_bot = {each.bot: each for each in self._selection.eliminations}
        return tuple(
            self._contender(number, leader, by_bot.get(number)) for number in range(len(self.names))
        )

    def _contender(self, number: int, leader: int, gone: Elimination | None) -> Contender:
        name = self.names[number]
        faults = dict(sorted(self._faults[name].items()))
        nelo = _NOTHING if number == leader else self._selection.behind(leader, number)
        state, after = "left", None
        if name in self._excluded:
            state, after = "faulty", self._excluded[name]
        elif gone is not None:
            state, after = "out", gone.round
        elif self.decision is not None and self.decision.verdict is Verdict.PASS:
            state = "best"
        return Contender(
            side=MatchSide(name, faults, self._own_games[name], given=self._called[name]),
            state=state,
            worse=number != leader and self._selection.is_worse(leader, number),
            nelo=nelo,
            round=after,
            by=None if gone is None else self.names[gone.by],
        )

    def _distinct(self, discipline: str) -> int | None:
        found = self._different[discipline]
        return found.distinct if found.games else None

    def played(self) -> tuple[FamilyDiscipline, ...]:
        """Return the results of every discipline by pair of candidates."""
        return tuple(
            FamilyDiscipline(
                discipline=table.discipline,
                seats=table.seats,
                lineup=table.lineup,
                measure=table.measure,
                block_games=table.block_games,
                unscored=self._unscored[table.discipline],
                distinct=self._distinct(table.discipline),
                title=table.title,
                pairs=tuple(
                    CandidatePair(
                        self.names[a], self.names[b], *self._met[table.discipline].mean(a, b)
                    )
                    for a, b in combinations(range(len(self.names)), 2)
                ),
            )
            for table in self._tables.values()
        )
