"""A match is played, or gone on with, until it is decided."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Sequence
from itertools import count as count_from
from pathlib import Path
from typing import Final

import msgspec

from arena import __version__
from arena.config.matches import Terms, match_terms
from arena.config.tournament import Tournament
from arena.documents.bad_input import BadInput
from arena.documents.problems import printable, shown_path
from arena.entrants.entrants import Entrant, EntrantKind
from arena.ratings.match.match import Match
from arena.ratings.match.report import SCHEMA, Criteria, MatchReport, Measure, Scale, Side, Verdict
from arena.ratings.match.sprt import MODES
from arena.runs.disk import cannot_write
from arena.runs.identity import identity, identity_digest
from arena.runs.manifest import MatchSource, Until
from arena.schedule.keys import Lineup
from arena.studies.listener import Listener
from arena.studies.match.judge import REPORT, MatchJudge, match_of, write_report
from arena.text.numbers import count
from arena.tournament.prepare import opened_to_play, with_bots, with_workers
from arena.tournament.progress import Progress
from arena.tournament.run import open_seed

MAX_GAMES: Final = 10_000
MAX_FAULT_SHARE: Final = 0.01
MAX_FAULTS: Final = 10
_HASH: Final = 8
_NAME: Final = 24


class MatchInterrupted(KeyboardInterrupt):
    """A person stopped the match; everything is saved."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class MatchOptions:
    """What was asked for."""

    candidate: str
    """As ``match_terms`` takes it; so are the next ones."""
    baseline: str
    games: tuple[str, ...]
    test: Criteria
    file: Path | None = None
    settings: tuple[str, ...] = ()
    seed: str | None = None
    output: Path | None = None
    """The run folder. None: runs/CANDIDATE-vs-BASELINE-HASH, the same for the same match."""
    workers: int | None = None
    on: str | None = None
    measure: Measure | None = None
    """None: places; alone the margin, for there is nobody to place above."""
    lineup: Lineup | None = None
    max_time: float | None = None
    """Seconds after which no further game begins."""
    called: tuple[str, str] | None = None
    """What the verdict calls the two; None: as they are given."""


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
    """The settings of a mode, ``gain`` or ``no-regression``, with other bounds if given.

    Raises BadInput for a mode that there is not.
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
    """Whether the mode of a test has its bounds; any may be custom."""
    if test.mode == "custom":
        return True
    usual = MODES.get(test.mode)
    return usual is not None and usual[:3] == (test.elo0, test.elo1, test.scale)


def play_match(
    options: MatchOptions, listener: Listener, terms: Terms | None = None
) -> MatchReport:
    """Play until the verdict, go on with a match that was stopped, or answer from stored games.

    ``terms``: where the two are not what ``options`` names alone can say. The report is also
    written to the run folder. Raises BadInput, ConfigError, StoreError, PoolError, IsolationError,
    and MatchInterrupted if a person stopped it.
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
    if _are_same(tournament.entrants) and not options.test.may_be_alike:
        return _same(terms, match)
    tournament = with_bots(tournament)
    folder = options.output or _folder(tournament, options.seed)
    tournament = msgspec.structs.replace(tournament, name=folder.absolute().name or "match")
    with opened_to_play(tournament, folder, _source(options), Until.MATCH) as run:
        if run.resumed:
            warn_of_commands(tournament.entrants, listener)
        judge = MatchJudge(run.schedule, match, began, options.max_time)
        _forget_report(folder)

        def started(progress: Progress, workers: int) -> None:
            first, second = map(printable, match.called)
            games = ", ".join(each.name for each in tournament.disciplines)
            listener.note(f"arena {__version__}  match {first} against {second}: {games}")
            if progress.earlier:
                listener.note(f"{count(progress.earlier, 'game')} are stored")
            shown = shown_path(run.folder)
            listener.note(f"commitment {run.manifest.commitment}   run {shown}")

        played = listener.play(tournament, run, started, judge, match.deals, judge.standing)
        report = judge.report(played.progress, terms, run)
        if played.interrupted and match.decision is None:
            listener.say("interrupted, everything is saved; the same command goes on")
            raise MatchInterrupted(str(folder))
        open_seed(run)
        write_report(folder, report)
    return msgspec.structs.replace(report, seconds=round(time.monotonic() - began, 3))


def _forget_report(folder: Path) -> None:
    """Remove the report of fewer games: who is killed now leaves none. Raises StoreError."""
    try:
        (folder / REPORT).unlink(missing_ok=True)
    except OSError as error:
        raise cannot_write(folder / REPORT, error) from error


def _are_same(entrants: Sequence[Entrant]) -> bool:
    """Whether the two are the same program with the same options."""
    first, second = (
        (each.digest, each.words, each.options, each.env, each.build) for each in entrants
    )
    return first == second


def _same(terms: Terms, match: Match) -> MatchReport:
    first, second = (
        Side(each.name, {}, 0, each.digest, commit, given)
        for each, commit, given in zip(
            terms.tournament.entrants, terms.commits, match.called, strict=True
        )
    )
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


def warn_of_commands(entrants: Sequence[Entrant], listener: Listener) -> None:
    """Of a command nobody knows what it consists of, so not whether stored games are its own."""
    for each in entrants:
        if is_loose(each):
            listener.warn(
                f"{each.name} is a command: if anything has changed but the files that it names, "
                "the stored games are those of an older version; a folder with a bot.yaml is "
                "looked at as a whole"
            )


def _folder(tournament: Tournament, seed: str | None) -> Path:
    """For the same match the same folder, so that nothing is played twice.

    Of a command nobody knows all that it consists of: such a match gets a folder of its own.
    """
    key = identity_digest(identity(tournament, Until.MATCH), seed=seed)[:_HASH]
    names = "-vs-".join(entrant.name[:_NAME] for entrant in tournament.entrants)
    folder = Path(tournament.output.folder).parent / f"{names}-{key}"
    if not any(is_loose(entrant) for entrant in tournament.entrants):
        return folder
    numbered = (folder.with_name(f"{folder.name}.{number}") for number in count_from(1))
    return next(each for each in numbered if not each.exists())


def is_loose(entrant: Entrant) -> bool:
    """Whether it may change without being seen to."""
    return entrant.kind is EntrantKind.COMMAND and not entrant.files


def _source(options: MatchOptions) -> MatchSource:
    return MatchSource(
        candidate=options.candidate,
        baseline=options.baseline,
        games=options.games,
        cwd=str(Path.cwd()),
    )
