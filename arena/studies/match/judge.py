"""The judge of a running or stored match, and its report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from arena import __version__
from arena.config.matches import Terms, lineup_text
from arena.documents.bad_input import BadInput
from arena.documents.problems import shown_path
from arena.games.base import RulesInfo, titles
from arena.games.registry import make_rules
from arena.ratings.match.blocks import MatchDiscipline
from arena.ratings.match.match import Decision, Match
from arena.ratings.match.report import (
    SCHEMA,
    Criteria,
    MatchReport,
    MatchSide,
    Measure,
    Range,
    Verdict,
)
from arena.results import GameResult
from arena.runs.disk import StoreError, read_json
from arena.runs.reader import StoredRun
from arena.schedule.prefix import Prefix
from arena.schedule.schedule import Discipline, Schedule
from arena.studies.match.judged import ContestJudge
from arena.studies.plan.planner import bad_test
from arena.tournament.progress import Progress
from arena.tournament.run import Run

REPORT: Final = "match.json"
"""File in the run folder that holds the last report."""


class MatchProgress(NamedTuple):
    """State of a match while it is played."""

    llr: float
    bounds: tuple[float, float]
    elo: Range
    blocks: int
    games_left: int | None
    """Expected number at the strength seen so far; None if unknown."""


class MatchTerms(msgspec.Struct, frozen=True):
    """Terms by which a match is judged."""

    candidate: str
    baseline: str
    test: Criteria
    measures: dict[str, Measure]
    """Measure of each discipline."""
    called: tuple[str, str] | None = None
    """Names of both sides in a verdict; None: their own names."""

    @classmethod
    def of(cls, found: Match | MatchReport) -> MatchTerms:
        """Return the terms of a match, or of the report of a match."""
        if isinstance(found, Match):
            return cls(*found.names, found.test, found.measures, found.called)
        measures = {game.discipline: game.measure for game in found.games}
        first, second = found.candidate, found.baseline
        called = (first.called, second.called)
        return cls(first.name, second.name, found.test, measures, called)

    def match(self, disciplines: Sequence[Discipline]) -> Match:
        """Return the match before its first block. Raises ValueError for unfit terms."""
        tables = tables_of(disciplines, self.measures)
        return Match(self.candidate, self.baseline, tables, self.test, self.called)


def stored_report(folder: Path) -> MatchReport | None:
    """Return the last report in a run folder; None without one. Raises StoreError."""
    path = folder / REPORT
    return read_json(path, MatchReport) if path.exists() else None


def judged_again(run: StoredRun, report: MatchReport) -> MatchReport:
    """Return the result of the stored games under the settings of a report. Raises StoreError."""
    names, entrants = (report.candidate.name, report.baseline.name), run.manifest.entrants
    if sorted(names) != sorted(entrants):
        theirs = " and ".join(entrants)
        raise StoreError(f"is about {' and '.join(names)}, the run is a match of {theirs}")
    match = MatchTerms.of(report).match(run.manifest.disciplines)
    judge = MatchJudge(run.schedule, match, 0.0, None)
    for game in run.games():
        judge.add(game.number, game.result)
    return judge.numbers(report, run)


class MatchJudge(ContestJudge):
    """The judge of a run: takes games in any order and passes their blocks on in order."""

    def __init__(
        self, schedule: Schedule, match: Match, began: float, max_time: float | None
    ) -> None:
        super().__init__(match, began, max_time)
        self.match = match
        self._prefix = Prefix(schedule)

    def add(self, number: int, result: GameResult) -> None:
        """Count a finished game."""
        self.stored += 1
        self._prefix.add(number, result)
        for block in self._prefix.finished():
            self.match.add(block.discipline, block.results)

    @property
    def terms(self) -> dict[str, Any]:
        """``MatchTerms`` as plain JSON."""
        terms: dict[str, Any] = msgspec.to_builtins(MatchTerms.of(self.match))
        return terms

    def standing(self) -> MatchProgress:
        """Return the state of the match."""
        match = self.match
        return MatchProgress(match.llr, match.bounds, match.elo(), match.blocks, match.games_left())

    def report(self, progress: Progress, terms: Terms, run: Run) -> MatchReport:
        """Return the report of the match that was just played."""
        found = self.decision or self.undecided(progress)
        sides = []
        entrants = terms.tournament.entrants
        for entrant, commit, given in zip(entrants, terms.commits, self.match.called, strict=True):
            side = self.match.side(entrant.name)
            side = msgspec.structs.replace(
                side, digest=entrant.digest, revision=commit, given=given
            )
            sides.append(side)
        return self._filled(found, sides, shown_path(run.folder), run.manifest.commitment)

    def numbers(self, report: MatchReport, run: StoredRun) -> MatchReport:
        """Return the report recomputed; facts that a run does not hold come from ``report``."""
        entrants = run.manifest.identity.entrants
        sides = [
            msgspec.structs.replace(
                self.match.side(side.name),
                digest=entrants[side.name].digest,
                revision=side.revision,
                given=side.given,
            )
            for side in (report.candidate, report.baseline)
        ]
        undecided = self.still_undecided(report.verdict, report.reason)
        found = self.decision or undecided
        return self._filled(found, sides, report.run, run.manifest.commitment)

    def _filled(
        self, found: Decision, sides: Sequence[MatchSide], run: str, commitment: str
    ) -> MatchReport:
        return report_of(self.match, found, sides, self.stored, run, commitment)


def report_of(
    match: Match,
    found: Decision,
    sides: Sequence[MatchSide],
    stored: int,
    run: str,
    commitment: str,
) -> MatchReport:
    """Return the report of a match that ended with the decision ``found``.

    ``sides``: candidate and baseline. ``stored``: number of finished games. ``run``: the folder.
    """
    is_valid = found.verdict is not Verdict.INVALID
    return MatchReport(
        schema=SCHEMA,
        arena=__version__,
        verdict=found.verdict,
        reason=found.reason,
        candidate=sides[0],
        baseline=sides[1],
        test=match.test,
        llr=match.llr,
        bounds=match.bounds,
        blocks=match.blocks,
        games_counted=match.games,
        games_stored=stored,
        games_left=match.games_left(),
        games=match.reports() if is_valid else match.plain_reports(),
        run=run,
        commitment=commitment,
        estimate=match.estimate() if is_valid else None,
    )


def match_of(
    disciplines: Sequence[Discipline],
    test: Criteria,
    measure: Measure | None,
    called: tuple[str, str],
) -> Match:
    """Return the match to be judged. Raises BadInput if the test does not allow one.

    ``called``: names of candidate and baseline for display.
    """
    candidate, baseline = disciplines[0].entrants
    tables = tables_of(disciplines, measure)
    try:
        match = Match(candidate, baseline, tables, test, called)
    except ValueError as error:
        raise bad_test(error) from None
    if match.deals < 1:
        least = sum(table.block_games for table in tables)
        raise BadInput(f"--max-games: found {test.max_games}, expected at least {least}, one block")
    return match


def tables_of(
    disciplines: Sequence[Discipline], measure: Measure | Mapping[str, Measure] | None
) -> list[MatchDiscipline]:
    """Return the tables by which blocks of ``disciplines`` are judged.

    ``measure``: that of all, or by name; the usual one of a discipline where it is left out. Raises
    BadInput, see ``_table``.
    """
    infos = {each.name: make_rules(each.rules).info for each in disciplines}
    own = titles(infos)
    found = []
    for each in disciplines:
        by = measure.get(each.name) if isinstance(measure, Mapping) else measure
        found.append(_table(each, infos[each.name], by)._replace(title=own[each.name]))
    return found


def _table(discipline: Discipline, info: RulesInfo, measure: Measure | None) -> MatchDiscipline:
    """Return the table of one discipline. ``measure`` is None for the usual one.

    Raises BadInput for margins of
    games that may end by agreement: these have no scores, and a bot could choose which they are.
    """
    from arena.schedule.kinds.registry import seatings

    if measure is Measure.MARGIN and discipline.adjudicate:
        raise BadInput("--by: found margin with adjudicate, expected places")

    seats = discipline.rules.seats
    return MatchDiscipline(
        name=discipline.name,
        seats=seats,
        lineup=lineup_text(discipline),
        block_games=seatings(2, seats, discipline.schedule),
        measure=measure or (Measure.MARGIN if seats == 1 else Measure.PLACES),
        less_is_better=info.less_is_better,
        worst_score=info.worst_score,
    )
