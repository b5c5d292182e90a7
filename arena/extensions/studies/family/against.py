"""Several candidates against one baseline: one match each, with a common error rate.

With K candidates each first passes at α/K. As soon as r have passed, the others pass at α/(K-r)
(Holm 1979; of sequential tests De and Baron, Sequential Analysis 2012). The probability that any
candidate passes that is no better than H0 is then at most α, even if the results of the candidates
depend on each other: before the first wrong pass all r passes are right, so at most K-r candidates
are no better, and the ratio of each of them ever exceeds ln((K-r)/α) with probability at most
α/(K-r). A candidate that failed stays counted.
"""

from __future__ import annotations

from collections.abc import Sequence

from arena.extensions.matches.statistics.blocks import MatchDiscipline
from arena.extensions.matches.statistics.match import Decision, Match
from arena.extensions.matches.statistics.report import Criteria, Verdict
from arena.values.results import GameResult


class StepDown:
    """Error rates at which candidates may pass."""

    def __init__(self, candidates: int, alpha: float) -> None:
        self._left = candidates
        self._alpha = alpha

    @property
    def alpha(self) -> float:
        """Error rate of each candidate that has not passed."""
        return self._alpha / max(1, self._left)

    def passed(self, number: int) -> None:
        """Record that ``number`` more candidates have passed."""
        self._left -= number


class BaselineMatches:
    """Matches of all candidates against the baseline. A decided match ignores later blocks."""

    def __init__(
        self,
        names: Sequence[str],
        called: Sequence[str],
        tables: Sequence[MatchDiscipline],
        test: Criteria,
    ) -> None:
        """Create the matches of ``names``: the candidates, followed by the baseline.

        ``called``: their names in a decision. ``test``: its alpha is for all candidates together,
        its beta for each. Raises ValueError if this cannot be tested.
        """
        self.test = test
        self.names = tuple(names)
        self.rounds = 0
        self.games = 0
        """Number of games that count."""
        *candidates, self.baseline = names
        *others, last = called
        self.matches = {
            name: Match(name, self.baseline, tables, test, (own, last))
            for name, own in zip(candidates, others, strict=True)
        }
        self._tables = {table.discipline: table for table in tables}
        self._last = tables[-1].discipline
        self._stepdown = StepDown(len(candidates), test.alpha)
        self._passed = 0
        for match in self.matches.values():
            match.test_at(self._stepdown.alpha)

    @property
    def out(self) -> frozenset[str]:
        """Names that need no more games."""
        out = {name for name, match in self.matches.items() if match.decision is not None}
        return frozenset(self.names if len(out) == len(self.matches) else out)

    def next_games(self) -> int:
        """Return the number of games of a candidate in a round."""
        return sum(table.block_games for table in self._tables.values())

    def passed(self) -> list[str]:
        """Return the names of the candidates that have passed."""
        return [name for name, match in self.matches.items() if _is_pass(match)]

    def add(self, discipline: str, blocks: Sequence[Sequence[GameResult]]) -> None:
        """Add the next pass of the schedule: a block of each candidate that is not out."""
        alone = self._tables[discipline].seats == 1
        for results in blocks:
            self.games += len(results)
            for name, match in self.matches.items():
                wanted = {name, self.baseline} if alone else {name}
                own = [each for each in results if not wanted.isdisjoint(each.spec.entrants)]
                if own and match.decision is None:
                    match.add(discipline, own)
        if discipline == self._last:
            self.rounds += 1
            self._step_down()

    def _step_down(self) -> None:
        """Relax the tests of the other candidates for each new pass, until no further one passes.

        Each candidate that passes makes it easier for the others to pass.
        """
        while (passed := len(self.passed())) > self._passed:
            self._stepdown.passed(passed - self._passed)
            self._passed = passed
            for match in self.matches.values():
                if match.decision is None:
                    match.test_at(self._stepdown.alpha)

    @property
    def decision(self) -> Decision | None:
        """Common decision of all matches; None until each is decided."""
        verdicts = [match.decision for match in self.matches.values()]
        if any(each is None for each in verdicts):
            return None
        return self.conclusion([each.verdict for each in verdicts if each is not None])

    def conclusion(self, verdicts: Sequence[Verdict]) -> Decision:
        """Return the common decision for these ``verdicts`` of the matches."""
        passed = sum(each is Verdict.PASS for each in verdicts)
        of = f"of {len(verdicts)} candidates"
        error = f"{100 * self.test.alpha:g} %"
        if passed:
            reason = f"{passed} {of} passed, with an error of at most {error} for all together"
            return Decision(Verdict.PASS, reason)
        if Verdict.INCONCLUSIVE in verdicts:
            open_ones = sum(each is Verdict.INCONCLUSIVE for each in verdicts)
            return Decision(Verdict.INCONCLUSIVE, f"{open_ones} {of} are not decided")
        if Verdict.FAIL in verdicts:
            failed = sum(each is Verdict.FAIL for each in verdicts)
            return Decision(Verdict.FAIL, f"none {of} passed, {failed} failed")
        return Decision(Verdict.INVALID, f"none {of} can be judged")


def _is_pass(match: Match) -> bool:
    return match.decision is not None and match.decision.verdict is Verdict.PASS
