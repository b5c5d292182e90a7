"""A match is played, or gone on with, until it is decided. ``arena compare`` and others use it."""

from __future__ import annotations

import dataclasses
import time
from collections import Counter
from collections.abc import Sequence
from itertools import count as count_from
from pathlib import Path
from typing import Final

import msgspec

from arena import __version__
from arena.cli.console import BadInput, say, warn
from arena.cli.plan import count
from arena.cli.sitting import Sitting, log_to
from arena.hosting.yard import clear_abandoned
from arena.ratings.match import Match, Table
from arena.ratings.match_report import (
    SCHEMA,
    Criteria,
    MatchReport,
    Measure,
    Scale,
    Side,
    Verdict,
)
from arena.ratings.sprt import MODES
from arena.results import GameResult
from arena.rules import make_rules
from arena.tournament.build import build
from arena.tournament.config import Tournament
from arena.tournament.disk import StoreError, cannot_write, write_atomically
from arena.tournament.entrants import Entrant, EntrantKind
from arena.tournament.identity import identity, identity_digest
from arena.tournament.jobs import VoidCause
from arena.tournament.matches import Terms, lineup_text, match_terms
from arena.tournament.prefix import Prefix
from arena.tournament.problems import printable, shown_path
from arena.tournament.progress import Progress
from arena.tournament.run import ConfigMismatch, Run, open_run, open_seed, schedule_of
from arena.tournament.schedule import Discipline, Schedule
from arena.tournament.shapes import Lineup
from arena.tournament.store import (
    MATCH,
    is_run,
    locked,
    read_json,
    read_manifest,
    read_opening,
    stored_games,
)
from arena.tournament.voids import stored_voids

REPORT: Final = "match.json"
"""In the run folder: the last report."""
MAX_GAMES: Final = 10_000
MAX_FAULT_SHARE: Final = 0.01
MAX_FAULTS: Final = 10
SECOND_ATTEMPTS: Final = 2
"""So many games may be second attempts in any match."""
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
    measure: Measure | None = None
    """None: places; alone the margin, for there is nobody to place above."""
    lineup: Lineup | None = None
    max_time: float | None = None
    """Seconds after which no further game begins."""
    quiet: bool = False
    verbose: bool = False


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


def play_match(options: MatchOptions) -> MatchReport:
    """Play until the verdict, go on with a match that was stopped, or answer from stored games.

    The report is also written to the run folder. Raises BadInput, ConfigError, StoreError,
    PoolError, IsolationError, and MatchInterrupted if a person stopped it.
    """
    began = time.monotonic()
    terms = match_terms(
        options.candidate,
        options.baseline,
        options.games,
        file=options.file,
        lineup=options.lineup,
        seed=options.seed,
        overrides=options.settings,
    )
    tournament = terms.tournament
    if options.workers is not None:
        execution = msgspec.structs.replace(tournament.execution, workers=options.workers)
        tournament = msgspec.structs.replace(tournament, execution=execution)
    match = _match(tournament.disciplines, options.test, options.measure)
    if _are_same(tournament.entrants) and not options.test.may_be_alike:
        return _same(terms, match)
    clear_abandoned()
    built = [build(entrant, readable=tournament.readable) for entrant in tournament.entrants]
    tournament = msgspec.structs.replace(tournament, entrants=tuple(built))
    folder = options.output or _folder(tournament, options.seed)
    tournament = msgspec.structs.replace(tournament, name=folder.absolute().name or "match")
    with locked(folder):
        if not is_run(folder) and next(stored_games(folder), None) is not None:
            raise StoreError(
                f"{folder}: holds games but no run.json, so of which match and seed is not known; "
                "put it back, or play into another folder (-o)"
            )
        try:
            run = open_run(tournament, folder, {MATCH: _source(options)})
        except ConfigMismatch as mismatch:
            lines = "\n".join(f"  {line}" for line in mismatch.differences)
            raise BadInput(
                f"{folder}: holds another match, which this one cannot go on with:\n{lines}\n"
                "play into another folder (-o), or delete this one"
            ) from None
        log_to(folder)
        if run.resumed:
            _warn_of_commands(tournament.entrants)
        referee = _Referee(run.schedule, match, began, options.max_time)
        _forget_report(folder)
        sitting = _sitting(tournament, run, referee, options)
        sitting.play(referee, match.deals)
        report = referee.report(sitting.progress, terms, run)
        if sitting.interrupted and match.decision is None:
            say("interrupted, everything is saved; the same command goes on")
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


def write_report(folder: Path, report: MatchReport) -> None:
    """Write the report into the run folder. Raises StoreError."""
    try:
        text = msgspec.json.format(msgspec.json.encode(report), indent=2)
        write_atomically(folder / REPORT, text + b"\n")
    except OSError as error:
        raise cannot_write(folder / REPORT, error) from error


def stored_report(folder: Path) -> MatchReport | None:
    """The last report in a run folder; None if there is none. Raises StoreError."""
    path = folder / REPORT
    return read_json(path, MatchReport) if path.exists() else None


def judged_again(folder: Path, report: MatchReport) -> MatchReport:
    """What the stored games come to under the settings of a report. Raises StoreError."""
    manifest, opening = read_manifest(folder), read_opening(folder)
    names = (report.candidate.name, report.baseline.name)
    if sorted(names) != sorted(manifest.entrants):
        theirs = " and ".join(manifest.entrants)
        raise StoreError(f"is about {' and '.join(names)}, the run is a match of {theirs}")
    run = Run(folder, manifest, opening, schedule_of(manifest, opening), resumed=True)
    measures = {game.discipline: game.measure for game in report.games}
    tables = [_table(each, measures.get(each.name)) for each in manifest.disciplines]
    match = Match(report.candidate.name, report.baseline.name, tables, report.test)
    referee = _Referee(run.schedule, match, 0.0, None)
    for stored in stored_games(folder):
        number = run.schedule.number(stored.result.spec.game_id)
        if number is None:
            raise StoreError(f"{folder}: {stored.result.spec.game_id}: not a game of this run")
        referee.add(number, stored.result)
    return referee.numbers(report, run)


class _Referee:
    """The judge of a run: sees games in any order, and its match blocks in theirs."""

    def __init__(
        self, schedule: Schedule, match: Match, began: float, max_time: float | None
    ) -> None:
        self.match = match
        self.stored = 0
        self._counted: set[str] = set()
        """Ids of the games that the match took."""
        self._prefix = Prefix(schedule)
        self._deadline = None if max_time is None else began + max_time
        self._late = False

    def add(self, number: int, result: GameResult) -> None:
        """Take a finished game."""
        self.stored += 1
        self._prefix.add(number, result)
        for block in self._prefix.finished():
            if self.match.decision is None:
                self._counted.update(result.spec.game_id for result in block.results)
            self.match.add(block.discipline, block.results)

    @property
    def is_over(self) -> bool:
        """Whether it is decided, or too late."""
        if self._deadline is not None and time.monotonic() >= self._deadline:
            self._late = True
        return self._late or self.match.decision is not None

    def state(self) -> tuple[str, int | None]:
        """How the match stands, in one line, and the games that are left."""
        from arena.report.match_text import live

        match, left = self.match, self.match.games_left()
        return live(match.llr, match.bounds, match.elo(), match.blocks, left), left

    def report(self, progress: Progress, terms: Terms, run: Run) -> MatchReport:
        """What it came to."""
        verdict, reason = self._decided(run) or self._undecided(progress)
        sides = []
        for entrant, commit in zip(terms.tournament.entrants, terms.commits, strict=True):
            side = self.match.side(entrant.name)
            side = msgspec.structs.replace(side, digest=entrant.digest, revision=commit)
            sides.append(side)
        return self._filled(verdict, reason, sides, shown_path(run.folder), run.manifest.commitment)

    def numbers(self, report: MatchReport, run: Run) -> MatchReport:
        """The report anew, with what cannot be computed from a run taken from it."""
        entrants = run.manifest.identity.get("entrants", {})
        sides = [
            msgspec.structs.replace(
                self.match.side(side.name),
                digest=entrants.get(side.name, {}).get("digest", ""),
                revision=side.revision,
            )
            for side in (report.candidate, report.baseline)
        ]
        verdict, reason = self._decided(run) or self._without_decision(report)
        return self._filled(verdict, reason, sides, report.run, run.manifest.commitment)

    def _without_decision(self, report: MatchReport) -> tuple[Verdict, str]:
        """What a report may say of games that decide nothing, or what it should have said."""
        if report.verdict is Verdict.INVALID:
            return report.verdict, report.reason
        if report.reason == self._too_late():
            return Verdict.INCONCLUSIVE, report.reason
        return Verdict.INCONCLUSIVE, self._nothing_more()

    def _filled(
        self, verdict: Verdict, reason: str, sides: Sequence[Side], run: str, commitment: str
    ) -> MatchReport:
        match = self.match
        return MatchReport(
            schema=SCHEMA,
            arena=__version__,
            verdict=verdict,
            reason=reason,
            candidate=sides[0],
            baseline=sides[1],
            test=match.test,
            llr=match.llr,
            bounds=match.bounds,
            blocks=match.blocks,
            games_counted=match.games,
            games_stored=self.stored,
            games_left=match.games_left(),
            games=match.reports(),
            run=run,
            commitment=commitment,
        )

    def _decided(self, run: Run) -> tuple[Verdict, str] | None:
        """The verdict of the games; invalid if too many of them are second attempts."""
        if self.match.decision is None or self.match.decision.verdict is Verdict.INVALID:
            return self.match.decision
        again = self._counted.intersection(
            void.game for void in stored_voids(run.folder) if void.cause is VoidCause.WORKER
        )
        share, games = self.match.test.max_fault_share, self.match.games
        if len(again) > max(SECOND_ATTEMPTS, share * games):
            return Verdict.INVALID, (
                f"{len(again)} of {games} games are second attempts, because their worker had "
                f"died: more than {100 * share:g} %, and how they would have ended is not known"
            )
        return self.match.decision

    def _undecided(self, progress: Progress) -> tuple[Verdict, str]:
        if progress.stopped:
            return Verdict.INVALID, progress.stopped
        if progress.waiting and not self._late:
            causes = Counter(progress.waiting.values())
            through = ", ".join(f"{number} through {cause}" for cause, number in causes.items())
            games = count(len(progress.waiting), "game")
            return Verdict.INVALID, f"{games} could not be played ({through}); try again"
        return Verdict.INCONCLUSIVE, self._too_late() if self._late else self._nothing_more()

    def _too_late(self) -> str:
        return f"the time was used up after {count(self.match.games, 'game')}"

    def _nothing_more(self) -> str:
        return f"{count(self.match.games, 'game')} were played"


def _match(disciplines: Sequence[Discipline], test: Criteria, measure: Measure | None) -> Match:
    candidate, baseline = disciplines[0].entrants
    tables = [_table(each, measure) for each in disciplines]
    try:
        match = Match(candidate, baseline, tables, test)
    except ValueError as error:
        raise BadInput(f"the test: {error}") from None
    if match.deals < 1:
        least = sum(table.block_games for table in tables)
        raise BadInput(f"--max-games: found {test.max_games}, expected at least {least}, one block")
    return match


def _table(discipline: Discipline, measure: Measure | None) -> Table:
    from arena.tournament.lineups import count as games_of_block

    info = make_rules(discipline.rules).info
    seats = discipline.rules.seats
    return Table(
        name=discipline.name,
        seats=seats,
        lineup=lineup_text(discipline),
        block_games=games_of_block(2, seats, discipline.schedule),
        measure=measure or (Measure.MARGIN if seats == 1 else Measure.PLACES),
        less_is_better=info.less_is_better,
        worst_score=info.worst_score,
    )


def _are_same(entrants: Sequence[Entrant]) -> bool:
    """Whether the two are the same program with the same options."""
    first, second = (
        (each.digest, each.words, each.options, each.env, each.build) for each in entrants
    )
    return first == second


def _same(terms: Terms, match: Match) -> MatchReport:
    first, second = (
        Side(each.name, {}, 0, each.digest, commit)
        for each, commit in zip(terms.tournament.entrants, terms.commits, strict=True)
    )
    return MatchReport(
        schema=SCHEMA,
        arena=__version__,
        verdict=Verdict.INVALID,
        reason=f"{first.name} and {second.name} are the same files with the same options, so there "
        "is nothing to compare",
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


def _warn_of_commands(entrants: Sequence[Entrant]) -> None:
    """Of a command nobody knows what it consists of, so not whether stored games are its own."""
    for each in entrants:
        if _is_loose(each):
            warn(
                f"{each.name} is a command: if anything has changed but the files that it names, "
                "the stored games are those of an older version; a folder with a bot.yaml is "
                "looked at as a whole"
            )


def _folder(tournament: Tournament, seed: str | None) -> Path:
    """For the same match the same folder, so that nothing is played twice.

    Of a command nobody knows all that it consists of: such a match gets a folder of its own.
    """
    key = identity_digest({**identity(tournament), "seed": seed})[:_HASH]
    names = "-vs-".join(entrant.name[:_NAME] for entrant in tournament.entrants)
    folder = Path(tournament.output.folder).parent / f"{names}-{key}"
    if not any(_is_loose(entrant) for entrant in tournament.entrants):
        return folder
    numbered = (folder.with_name(f"{folder.name}.{number}") for number in count_from(1))
    return next(each for each in numbered if not each.exists())


def _is_loose(entrant: Entrant) -> bool:
    """Whether it may change without being seen to."""
    return entrant.kind is EntrantKind.COMMAND and not entrant.files


def _source(options: MatchOptions) -> dict[str, object]:
    return {
        "candidate": options.candidate,
        "baseline": options.baseline,
        "games": list(options.games),
        "cwd": str(Path.cwd()),
    }


def _sitting(tournament: Tournament, run: Run, referee: _Referee, options: MatchOptions) -> Sitting:
    def started(progress: Progress, workers: int) -> None:
        if options.quiet:
            return
        first, second = (entrant.name for entrant in tournament.entrants)
        games = ", ".join(each.name for each in tournament.disciplines)
        say(f"arena {__version__}  match {first} against {second}: {games}")
        if progress.earlier:
            say(f"{count(progress.earlier, 'game')} are stored")
        say(f"commitment {run.manifest.commitment}   run {shown_path(run.folder)}")

    return Sitting(
        tournament,
        run,
        quiet=options.quiet,
        verbose=options.verbose,
        started=started,
        state=referee.state,
    )
