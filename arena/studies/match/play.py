"""Plays or resumes a match until it is decided."""

from __future__ import annotations

import dataclasses
import time
from pathlib import Path
from typing import Annotated, Final

import msgspec

from arena import __version__
from arena.config.matches import Terms, match_terms
from arena.documents.bad_input import BadInput
from arena.documents.option import Arg, Opt
from arena.documents.problems import printable
from arena.documents.values import DURATION, parse_share
from arena.ratings.match.match import Match
from arena.ratings.match.report import SCHEMA, Criteria, MatchReport, Measure, Scale, Verdict
from arena.ratings.match.sprt import MODES
from arena.runs.manifest import MatchSource
from arena.schedule.keys import Lineup
from arena.studies.match.judge import REPORT, MatchJudge, match_of
from arena.studies.match.judged import (
    NAMED,
    play_judged,
    program,
    sides,
    usual_folder,
)
from arena.studies.options import JudgedOptions, TestScale
from arena.tournament.events import Listener
from arena.tournament.prepare import with_bots, with_workers

MAX_FAULTS: Final = 10
_BOTS: Final = (
    "The new version and the old, or all candidates: FOLDER, FOLDER@REV or @REV of git, "
    "builtin:NAME, a command in quotes, an entrant of --file."
)


@dataclasses.dataclass(frozen=True, kw_only=True)
class MatchOptions(JudgedOptions):
    """Options of a match of two, or of several candidates."""

    bots: Annotated[tuple[str, ...], Arg(_BOTS, metavar="BOT...", completes="bots")] = ()
    best: Annotated[bool, Opt("Find the best of the candidates.")] = False
    baseline: Annotated[
        str | None, Opt("Test each candidate against this bot.", metavar="BOT", completes="bots")
    ] = None
    gap: Annotated[float | None, Opt("With --best: tolerance in nElo. Default: 40.")] = None
    mode: Annotated[str, Opt("Is it stronger? Is it not weaker?", one_of=tuple(MODES))] = "gain"
    scale: TestScale = Scale.NORMALIZED
    max_time: Annotated[
        float | None,
        Opt(
            "Longest time, e.g. '10 min'. Default: no limit.", metavar="TIME", reads=DURATION.parse
        ),
    ] = None
    """Seconds after which no further game begins."""
    max_faults: Annotated[
        float, Opt("Largest share with faults. Default: 1 %.", metavar="SHARE", reads=parse_share)
    ] = 0.01
    lineup: Annotated[
        Lineup | None,
        Opt("From three seats: mixed, or alone against copies.", one_of=("even", "alone")),
    ] = None
    measure: Annotated[
        Measure | None, Opt("Judge by places, or by the margin of scores.", "--by")
    ] = None
    """Measure; None: places, or the margin where a bot plays alone."""
    allow_identical: Annotated[bool, Opt("Judge bots that play alike too.")] = False


def criteria_of(options: MatchOptions) -> Criteria:
    """Return the settings of the mode, with other bounds if given.

    Raises BadInput for a mode other than ``gain`` and ``no-regression``.
    """
    mode, elo0, elo1, scale = options.mode, options.elo0, options.elo1, options.scale
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
        alpha=options.alpha,
        beta=options.beta,
        max_games=options.max_games,
        max_fault_share=options.max_faults,
        max_faults=MAX_FAULTS,
        may_be_alike=options.allow_identical,
    )


def is_named_after_bounds(test: Criteria) -> bool:
    """Return True if the bounds of a test are those of its mode; mode ``custom`` allows any."""
    if test.mode == "custom":
        return True
    usual = MODES.get(test.mode)
    return usual is not None and usual[:3] == (test.elo0, test.elo1, test.scale)


def play_match(
    options: MatchOptions,
    listener: Listener,
    terms: Terms | None = None,
    called: tuple[str, str] | None = None,
) -> MatchReport:
    """Play or resume a match until its verdict, or answer from its stored games.

    ``terms``: for sides that ``options`` cannot describe alone. ``called``: their names in the
    verdict; None: as given. The report is also written to the run folder. Raises BadInput,
    ConfigError, StoreError, PoolError, IsolationError, and MatchInterrupted if a person stopped it.
    """
    began = time.monotonic()
    candidate, baseline = options.bots
    test = criteria_of(options)
    terms = terms or match_terms(
        candidate,
        baseline,
        options.games,
        file=options.file,
        lineup=options.lineup,
        seed=options.seed,
        overrides=options.settings,
    )
    tournament = with_workers(terms.tournament, options.workers, options.on)
    called = called or (candidate, baseline)
    match = match_of(tournament.disciplines, test, options.measure, called)
    one, other = map(program, tournament.entrants)
    if one == other and not options.allow_identical:
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
    candidate, baseline = options.bots
    return MatchSource(
        candidate=candidate, baseline=baseline, games=options.games, cwd=str(Path.cwd())
    )
