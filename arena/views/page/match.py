"""The match of a run that was played for a verdict, with the way it took."""

from __future__ import annotations

from pathlib import Path

from arena.runs.disk import StoreError
from arena.runs.store import Manifest, stored_games
from arena.schedule.schedule import Schedule
from arena.schedule.seeds import Seeds
from arena.studies.match.judge import MatchTerms, stored_report
from arena.views.live.match import Outlook
from arena.views.page.model import MatchPage


def match_page(folder: Path, manifest: Manifest) -> MatchPage | None:
    """The stored report, and the ratio after each of its blocks; None before the first verdict.

    Raises StoreError.
    """
    report = stored_report(folder)
    if report is None:
        return None
    try:
        return MatchPage(report, _pace(folder, manifest, MatchTerms.of(report)))
    except (ValueError, KeyError) as error:
        raise StoreError(f"{folder}/match.json: does not fit the run: {error}") from None


def _pace(folder: Path, manifest: Manifest, terms: MatchTerms) -> list[tuple[int, float]]:
    # The seeds decide who sits where, not which games a block has.
    schedule = Schedule(manifest.disciplines, Seeds(b""))
    outlook = Outlook(schedule, terms.match(manifest.disciplines))
    for stored in stored_games(folder):
        number = schedule.number(stored.result.spec.game_id)
        if number is None:
            raise StoreError(f"{folder}/games.jsonl: found a game that is not of this run")
        outlook.add(number, stored.result)
    return outlook.curve[1:]
