"""Search for the revision with which a bot lost strength, and report on it.

First the bad revision plays the good one; half of the risk of a wrong answer is spent on the
question whether anything was lost at all. Then revisions between them play the good one, with the
other half of the risk, in the order and for as long as ``arena.ratings.planning.bisection`` asks.
The search looks for the loss that the first match has shown beyond doubt, as a great loss takes far
fewer games to see. The answer is the revision with which more than half of that loss came.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from math import exp, isfinite
from pathlib import Path
from typing import Final

import msgspec

from arena import __version__
from arena.documents.bad_input import BadInput
from arena.documents.problems import ConfigError, Problem, printable, quote, shown_path
from arena.entrants.builtin import is_builtin
from arena.entrants.cache import FILES, REVISIONS, cache_folder
from arena.entrants.history import CommitHistory, FolderCommit, history
from arena.entrants.revisions import SHORT, split
from arena.ratings.match.report import Criteria, MatchReport, Range, Verdict
from arena.ratings.planning.bisection import Bisection, BisectionStep
from arena.runs.disk import write_json
from arena.studies.listener import Listener
from arena.studies.match.play import MatchOptions, criteria_of, play_match
from arena.tournament.executor import Unplayable

SCHEMA: Final = "arena.bisect/1"


class BisectOutcome(StrEnum):
    """Outcome of a search."""

    FOUND = "found"
    NARROWED = "narrowed"
    """The loss came with one of several revisions; those between cannot be played."""
    INCONCLUSIVE = "inconclusive"
    """The games were used up before the search ended."""
    NO_LOSS = "no-loss"
    """The later revision was not shown to be worse."""
    INVALID = "invalid"
    """The two revisions could not be compared."""


class Commit(msgspec.Struct, frozen=True):
    """A revision as people name it."""

    commit: str
    subject: str
    author: str
    date: str
    """Author date, ISO 8601."""


class Tested(msgspec.Struct, frozen=True):
    """A revision of the search and its results."""

    commit: Commit
    games: int
    """Games that count, against the good revision."""
    elo: Range
    """Difference in Elo from this revision's side; None in several games at once."""
    nelo: Range
    llr: float | None
    """Log-likelihood ratio of "as good" against "worse"; None if not played."""
    verdict: Verdict | None
    """Verdict of the last match; None if not played."""
    skipped: str
    """Reason why it cannot be played; empty if it can."""
    first_bad: float | None
    """Probability that it brought the loss; None if nothing was searched."""


class Bisected(msgspec.Struct, frozen=True):
    """Report of ``arena bisect``; everything in it follows from the games."""

    schema: str
    arena: str
    answer: BisectOutcome
    reason: str
    """One sentence without a full stop."""
    sure: float | None
    """Probability that the loss came with one of the suspects; None without a loss."""
    suspects: tuple[Commit, ...]
    """Possible culprits; a single one if the answer is ``found``."""
    good: Commit
    bad: Commit
    loss: float
    """Smallest loss that matters, in nElo."""
    searched: float | None
    """Loss that the search looked for, in nElo; None if nothing was searched."""
    games: int
    max_games: int
    revisions: tuple[Tested, ...]
    """All revisions that changed the folder, oldest first; the last one equals ``bad``."""
    run: str


RESULT: Final = "bisect.json"
"""File in the folder of the search that holds the last answer."""
LOSS: Final = 40.0
"""Default of the loss that matters, in nElo."""
GREATEST_LOSS: Final = 120.0
"""Greatest loss to ask for, in nElo; a greater one is not seen any faster."""
SURE: Final = 0.95
MAX_GAMES: Final = 20_000
_CLOSER: Final = 0.75
"""Smallest share of the requested loss that is looked for if less was shown."""
_GREATEST_BOUND: Final = 600.0
"""Greatest bound of a log-likelihood ratio, so that its odds stay finite."""

Play = Callable[[MatchOptions, Listener], MatchReport]


@dataclass(frozen=True, kw_only=True)
class BisectSettings:
    """Options of a bisection."""

    bot: str
    good: str
    bad: str
    games: tuple[str, ...]
    file: Path | None = None
    loss: float = LOSS
    sure: float = SURE
    max_games: int = MAX_GAMES
    seed: str | None = None
    settings: tuple[str, ...] = ()
    output: Path | None = None
    """Folder; None: runs/bisect-BOT-HASH, the same for the same bot, good revision and games."""
    workers: int | None = None
    on: str | None = None


def search(options: BisectSettings, listener: Listener, play: Play = play_match) -> Bisected:
    """Search for the revision; stored games are not played again.

    The answer is also written to the folder of the search. Raises what ``play`` raises.
    """
    _check(options)
    changes = history(options.bot, options.good, options.bad)
    folder = options.output or _folder(options, changes)
    found = _BisectSearch(options, changes, folder, listener, play).run()
    write_json(folder / RESULT, found)
    return found


def _check(options: BisectSettings) -> None:
    """Check the options; raise BadInput."""
    if is_builtin(options.bot):
        raise BadInput(f"BOT: found {quote(options.bot)}, expected a folder of a git repository")
    folder, revision = split(options.bot)
    if revision is not None:
        raise BadInput(
            f"BOT: found {quote(options.bot)}, expected {quote(folder)}, without a revision"
        )
    if not (isfinite(options.loss) and 0 < options.loss <= GREATEST_LOSS):
        limits = f"above 0 and at most {GREATEST_LOSS:g}"
        raise BadInput(f"--loss: found {options.loss:g}, expected nElo {limits}")
    if not 0.5 < options.sure < 1:
        raise BadInput(f"--sure: found {options.sure:g}, expected above 0.5 and below 1")


class _BisectSearch:
    """The matches of a search and what they have shown."""

    def __init__(
        self,
        options: BisectSettings,
        changes: CommitHistory,
        folder: Path,
        listener: Listener,
        play: Play,
    ) -> None:
        self._options = options
        self._good = changes.good
        self._changes = changes.changes
        self._folder = folder
        self._listener = listener
        self._play = play
        self._reports: dict[int, MatchReport] = {}
        """Report of each version played; version n is change number n, from 1."""
        self._skipped: dict[int, str] = {}
        repeated = [index + 1 for each in changes.repeated for index in each]
        self._bisection = Bisection(len(self._changes), sure=options.sure, excluded=repeated)
        self._loss: float | None = None

    def run(self) -> Bisected:
        """Run the search and return its document. Raises what playing raises."""
        last = len(self._changes)
        self._tell(last, "is it worse at all?")
        report = self._match(last, self._options.loss, (1 - self._options.sure) / 2)
        reason = printable(report.reason)
        if report.verdict is Verdict.INVALID:
            return self._result(
                BisectOutcome.INVALID, f"the revisions cannot be compared: {reason}"
            )
        if report.verdict is not Verdict.FAIL:
            return self._result(BisectOutcome.NO_LOSS, f"no loss of strength was shown: {reason}")
        is_worse = 1 / (1 + exp(report.llr))
        self._bisection.sure = self._options.sure / is_worse
        self._loss = _shown_loss(report, self._options.loss)
        block = sum(game.block_games for game in report.games)
        while (step := self._bisection.step()) and self._left() >= block:
            before = self._games_of(step.version)
            self._take(step)
            if step.version not in self._skipped and self._games_of(step.version) == before:
                break  # further games would show nothing, whatever is asked for
        return self._answer(is_worse, is_enough=step is None)

    def _take(self, step: BisectionStep) -> None:
        """Play the version of ``step`` until ``step`` is answered, or all games are used up."""
        version, loss = step.version, self._loss or self._options.loss
        self._tell(version, "and with more games?" if version in self._reports else "is it worse?")
        try:
            report = self._match(version, loss, 1 / (1 + exp(min(step.bound, _GREATEST_BOUND))))
        except ConfigError as error:
            self._skip(version, _reason(error.problems[0]))
            return
        except Unplayable as error:
            self._skip(version, error.reason)
            return
        if report.verdict is Verdict.INVALID:
            self._skip(version, report.reason)
        else:
            self._bisection.see(version, report.llr)

    def _match(self, version: int, loss: float, risk: float) -> MatchReport:
        options, change = self._options, self._changes[version - 1]
        seed = None if options.seed is None else f"{options.seed}-{change.commit[:SHORT]}"
        report = self._play(
            MatchOptions(
                candidate=f"{options.bot}@{change.commit}",
                baseline=f"{options.bot}@{self._good.commit}",
                called=(f"@{self._called(version)}", f"@{options.good}"),
                games=options.games,
                file=options.file,
                settings=options.settings,
                seed=seed,
                output=self._folder / change.commit[:SHORT],
                workers=options.workers,
                on=options.on,
                test=self._test(version, loss, risk),
            ),
            self._listener,
        )
        self._reports[version] = report
        return report

    def _called(self, version: int) -> str:
        """Return the last revision as the user gave it, another one by its commit."""
        is_last = version == len(self._changes)
        return self._options.bad if is_last else self._changes[version - 1].commit[:SHORT]

    def _test(self, version: int, loss: float, risk: float) -> Criteria:
        games = self._left() + self._games_of(version)
        test = criteria_of(
            "no-regression", max_games=games, alpha=risk, beta=risk, may_be_alike=True
        )
        return msgspec.structs.replace(test, elo0=-loss, elo1=0.0)

    def _skip(self, version: int, reason: str) -> None:
        self._skipped[version] = reason
        self._bisection.skip(version)
        commit = self._changes[version - 1].commit[:SHORT]
        self._listener.note(f"{commit} is skipped: {printable(reason)}")

    def _games_of(self, version: int) -> int:
        report = self._reports.get(version)
        return 0 if report is None else report.games_counted

    def _left(self) -> int:
        """Return how many games may still be played; games after a verdict are not counted."""
        return self._options.max_games - sum(map(self._games_of, self._reports))

    def _tell(self, version: int, question: str) -> None:
        change = self._changes[version - 1]
        number = f"revision {version} of {len(self._changes)}"
        subject = printable(change.subject)
        self._listener.note(f"{number}: {change.commit[:SHORT]} {subject}: {question}")

    def _answer(self, is_worse: float, *, is_enough: bool) -> Bisected:
        suspects, chance = self._bisection.suspects()
        sure = chance * is_worse
        named = tuple(_commit(self._changes[version - 1]) for version in suspects)
        if not is_enough:
            games = sum(map(self._games_of, self._reports))
            reason = f"{games} games were not enough to tell"
            return self._result(BisectOutcome.INCONCLUSIVE, reason, sure, named)
        if len(named) > 1:
            reason = f"it is one of {len(named)} revisions, as those between cannot be played"
            return self._result(BisectOutcome.NARROWED, reason, sure, named)
        reason = f"strength was lost with {named[0].commit[:SHORT]}"
        return self._result(BisectOutcome.FOUND, reason, sure, named)

    def _result(
        self,
        answer: BisectOutcome,
        reason: str,
        sure: float | None = None,
        suspects: tuple[Commit, ...] = (),
    ) -> Bisected:
        return Bisected(
            schema=SCHEMA,
            arena=__version__,
            answer=answer,
            reason=reason,
            sure=sure,
            suspects=suspects,
            good=_commit(self._good),
            bad=_commit(self._changes[-1]),
            loss=self._options.loss,
            searched=self._loss,
            games=sum(map(self._games_of, self._reports)),
            max_games=self._options.max_games,
            revisions=tuple(self._revisions()),
            run=shown_path(self._folder),
        )

    def _revisions(self) -> Iterator[Tested]:
        posterior = self._bisection.posterior()
        for version, change in enumerate(self._changes, 1):
            report, skipped = self._reports.get(version), self._skipped.get(version, "")
            alone = report.games[0] if report is not None and len(report.games) == 1 else None
            yield Tested(
                commit=_commit(change),
                games=self._games_of(version),
                elo=Range(None) if alone is None else alone.elo,
                nelo=Range(None) if alone is None else alone.nelo,
                llr=None if report is None or skipped else report.llr,
                verdict=None if report is None else report.verdict,
                skipped=skipped,
                first_bad=None if self._loss is None else posterior[version - 1],
            )


def _reason(problem: Problem) -> str:
    """Return ``problem`` as text, in which a bot's file has its path in the bot's folder."""
    kept = f"{cache_folder(REVISIONS)}{os.sep}"
    if not problem.where.startswith(kept):
        return str(problem)
    _, _, file = problem.where.partition(f"{os.sep}{FILES}{os.sep}")
    return str(msgspec.structs.replace(problem, where=file))


def _shown_loss(report: MatchReport, least: float) -> float:
    """Return the loss to look for, in nElo: the least that the match leaves likely, within limits.

    ``least``: the loss that was asked for. To look for more than was lost gives wrong answers with
    confidence; to look for much less takes many more games. In several games at once the loss may
    have come from any of them, so ``least`` stays.
    """
    if len(report.games) != 1:
        return least
    nearest = report.games[0].nelo.high
    return least if nearest is None else min(max(_CLOSER * least, -nearest), GREATEST_LOSS)


def _commit(change: FolderCommit) -> Commit:
    return Commit(change.commit, change.subject, change.author, change.date)


def _folder(options: BisectSettings, changes: CommitHistory) -> Path:
    """Return the folder shared by all searches from one good revision, so that games are reused."""
    where = os.path.realpath(options.bot)
    terms = [str(options.file), *options.games, "", *options.settings, "", str(options.seed)]
    key = "\0".join([where, changes.good.commit, *terms])
    digest = hashlib.sha256(os.fsencode(key)).hexdigest()[:8]
    return Path("runs", f"bisect-{os.path.basename(where)}-{digest}")
