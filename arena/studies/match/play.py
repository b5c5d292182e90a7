"""Plays or resumes a match until it is decided."""

from __future__ import annotations

import dataclasses
import time
from pathlib import Path
from typing import Final

import msgspec

from arena import __version__
from arena.config.matches import Terms, match_terms
from arena.documents.bad_input import BadInput
from arena.documents.problems import printable
from arena.ratings.match.match import Match
from arena.ratings.match.report import SCHEMA, Criteria, MatchReport, Scale, Verdict
from arena.ratings.match.sprt import MODES
from arena.runs.manifest import MatchSource
from arena.studies.listener import Listener
from arena.studies.match.judge import REPORT, MatchJudge, match_of
from arena.studies.match.judged import (
    NAMED,
    MatchSettings,
    play_judged,
    program,
    sides,
    usual_folder,
)
from arena.tournament.prepare import with_bots, with_workers

MAX_GAMES: Final = 10_000
MAX_FAULT_SHARE: Final = 0.01
MAX_FAULTS: Final = 10


@dataclasses.dataclass(frozen=True, kw_only=True)
class MatchOptions(MatchSettings):
    """Options of a match."""

    candidate: str
    """Bot as ``match_terms`` takes it, like the baseline."""
    baseline: str
    test: Criteria
    called: tuple[str, str] | None = None
    """Names of both sides in the verdict; None: as given."""


def criteria_of(
    mode: str = "gain",
    *,
    elo0: float | None = None,
    elo1: float | None = None,
    scale: Scale = Scale.NORMALIZED,
    alpha: float = 0.05,
    beta: float = 0.05,
    max_games: int = MAX_GAMES,
    max_fault_share: float = MAX_FAULT_SHARE,
    may_be_alike: bool = False,
) -> Criteria:
    """Return the settings of ``mode``, with other bounds if given.

    Raises BadInput for a mode other than ``gain`` and ``no-regression``.
    """
    if mode not in MODES:
        found = printable(mode)
        raise BadInput(f'--mode: found "{found}", expected "gain" or "no-regression"')
    usual = MODES[mode]
    is_custom = elo0 is not None or elo1 is not None or scale is not Scale.NORMALIZED
    return Criteria(
        mode="custom" if is_custom else mode,
        scale=scale,
        elo0=usual.elo0 if elo0 is None else elo0,
        elo1=usual.elo1 if elo1 is None else elo1,
        alpha=alpha,
        beta=beta,
        max_games=max_games,
        max_fault_share=max_fault_share,
        max_faults=MAX_FAULTS,
        may_be_alike=may_be_alike,
    )


def is_named_after_bounds(test: Criteria) -> bool:
    """Return True if the bounds of a test are those of its mode; mode ``custom`` allows any."""
    if test.mode == "custom":
        return True
    usual = MODES.get(test.mode)
    return usual is not None and usual[:3] == (test.elo0, test.elo1, test.scale)


def play_match(
    options: MatchOptions, listener: Listener, terms: Terms | None = None
) -> MatchReport:
    """Play or resume a match until its verdict, or answer from its stored games.

    ``terms``: for sides that ``options`` cannot describe alone. The report is also written to the
    run folder. Raises BadInput, ConfigError, StoreError, PoolError, IsolationError, and
    MatchInterrupted if a person stopped it.
    """
    began = time.monotonic()
    terms = terms or match_terms(
        options.candidate,
        options.baseline,
        options.games,
        file=options.file,
        lineup=options.lineup,
        seed=options.seed,
        overrides=options.settings,
    )
    tournament = with_workers(terms.tournament, options.workers, options.on)
    called = options.called or (options.candidate, options.baseline)
    match = match_of(tournament.disciplines, options.test, options.measure, called)
    one, other = map(program, tournament.entrants)
    if one == other and not options.test.may_be_alike:
        return _same(terms, match)
    tournament = with_bots(tournament)
    names = "-vs-".join(entrant.name[:NAMED] for entrant in tournament.entrants)
    folder = options.output or usual_folder(tournament, names, options.seed)
    tournament = msgspec.structs.replace(tournament, name=folder.absolute().name or "match")
    first, second = map(printable, match.called)
    report: MatchReport = play_judged(
        tournament,
        folder,
        _source(options),
        listener,
        subject=f"match {first} against {second}",
        judge_of=lambda run: MatchJudge(run.schedule, match, began, options.max_time),
        report_of=lambda judge, progress, run: judge.report(progress, terms, run),
        name=REPORT,
        deals=match.deals,
    )
    return msgspec.structs.replace(report, seconds=round(time.monotonic() - began, 3))


def _same(terms: Terms, match: Match) -> MatchReport:
    first, second = sides(terms.tournament.entrants, terms.commits, match.called)
    return MatchReport(
        schema=SCHEMA,
        arena=__version__,
        verdict=Verdict.INVALID,
        reason=f"{first.called} and {second.called} are the same files with the same options, so "
        "there is nothing to compare",
        candidate=first,
        baseline=second,
        test=match.test,
        llr=0.0,
        bounds=match.bounds,
        blocks=0,
        games_counted=0,
        games_stored=0,
        games_left=None,
        games=(),
        run="",
    )


def _source(options: MatchOptions) -> MatchSource:
    return MatchSource(
        candidate=options.candidate,
        baseline=options.baseline,
        games=options.games,
        cwd=str(Path.cwd()),
    )
