"""The match of a run that was played for a verdict, with the course of its test."""

from __future__ import annotations

from arena.runs.disk import StoreError
from arena.runs.reader import StoredRun
from arena.studies.match.judge import MatchTerms, stored_report
from arena.views.live.match import Outlook
from arena.views.page.model import MatchPage


def match_page(run: StoredRun) -> MatchPage | None:
    """Return the stored report and the ratio after each block; None before the first verdict.

    Raises StoreError.
    """
    report = stored_report(run.folder)
    if report is None:
        return None
    try:
        return MatchPage(report, _pace(run, MatchTerms.of(report)))
    except (ValueError, KeyError) as error:
        raise StoreError(f"{run.folder}/match.json: does not fit the run: {error}") from None


def _pace(run: StoredRun, terms: MatchTerms) -> list[tuple[int, float]]:
    outlook = Outlook(run.schedule, terms.match(run.manifest.disciplines))
    for game in run.games():
        outlook.add(game.number, game.result)
    return outlook.curve[1:]
