"""Runs a ladder: admits submissions, plays round after round, publishes the table.

    LADDER/ladder.yaml          see ``ladder.file``
    LADDER/submissions/         see ``ladder.reception``, ``ladder.intake``
    LADDER/submissions.jsonl    see ``ladder.book``
    LADDER/answers/             see ``ladder.book``
    LADDER/bots/                see ``ladder.store``
    LADDER/run/                 the run: see ``runs.store``
    LADDER/day.json             see ``ladder.days``
    LADDER/checks.json          see ``ladder.days``
    LADDER/fetched.json         see ``ladder.repositories``
    LADDER/notified.json        see ``ladder.notify``
    LADDER/quarantine.json      see ``ladder.store``
    LADDER/table.*              see ``ladder.table``

All other state is rebuilt at the next start, so the process may be killed at any moment.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Final, NamedTuple

from arena.extensions.ladder.admission import Examine
from arena.extensions.ladder.book import What
from arena.extensions.ladder.days import Budget, Clock, day_of, kept_since
from arena.extensions.ladder.file import Ladder, Member
from arena.extensions.ladder.intake import file_time
from arena.extensions.ladder.notify import Notifier
from arena.extensions.ladder.reception import Reception, Report
from arena.extensions.ladder.store import BOTS, place_of, planned, with_all_bots
from arena.extensions.ladder.table import forms_of, table_of, write_table
from arena.extensions.ladder.thinning import game_ages, thin
from arena.hosting.workspace.trees import private_folder
from arena.runs.config.keys import Names
from arena.runs.config.tournament import Tournament
from arena.runs.disk import StoreError, writing
from arena.runs.identity import identity
from arena.runs.manifest import Manifest, is_run, read_manifest
from arena.runs.reader import StoredGame, StoredRun, with_authors
from arena.runs.store import HEADING
from arena.runs.withdrawals import Withdrawal
from arena.tournament.events import Judge
from arena.tournament.executor import PoolError
from arena.tournament.prepare import PlayResult, opened
from arena.tournament.progress import Progress
from arena.tournament.run import ConfigMismatch, Run
from arena.values.bad_input import BadInput
from arena.values.results import player_of

STILL: Final = 5.0
"""Time without a change after which a folder is complete, in seconds."""
_POLL: Final = 2.0
"""Time between two looks while there is nothing to play, in seconds."""
_TABLE_SHARE: Final = 20.0
"""Time between two tables while games are played, as a multiple of the time that a table takes."""
_PATIENCE: Final = 4
_LAST_LINES: Final = 20
_LAST_BYTES: Final = 4000
_HEAD: Final = HEADING.decode()
_A_GAME: Final = f"{_HEAD}a game"

Play = Callable[[Tournament, Run, Judge], PlayResult]
"""Function that plays the remaining games of a run, until its judge or a person ends it."""


class StopReason(Enum):
    """Reason why the ladder plays no more for now."""

    ROUND = "a round has ended"
    SPENT = "the budget of the day is spent"
    FEW = "there are too few bots who could meet"
    STUCK = "games could not be played"
    OVER = "nothing follows any more"
    INTERRUPTED = "interrupted"


class _GaveUp(Exception):
    """Raised if a bot was quarantined while the field was built: the field has changed."""


class LadderContext(NamedTuple):
    """The surroundings of a ladder: clock, player, checks, output."""

    clock: Clock
    play: Play
    examine: Examine
    say: Callable[[str], None]
    report: Report
    still: float = STILL
    file_time: Callable[[], float] = file_time
    """Returns seconds since 1970 by the file system's clock."""
    workers: Callable[[Tournament], Tournament] = lambda tournament: tournament
    """Returns a tournament with the number of workers and the machines to use."""
    publish: Callable[[StoredRun], object] = lambda run: None
    """Called each time the table was written."""


@contextlib.contextmanager
def locked(ladder: Path) -> Iterator[None]:
    """Hold the lock of a ladder. Raises StoreError if another process holds it.

    The lock is on the folder of bots: other users cannot open that, and so cannot take the lock.
    """
    try:
        private_folder(ladder / BOTS)
        descriptor = os.open(ladder / BOTS, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise StoreError(f"{ladder}: cannot be locked: {error.strerror}") from None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        raise StoreError(f"{ladder}: another arena keeps this ladder") from None
    finally:
        os.close(descriptor)


class Keeper:
    """A ladder run by this process, which holds its lock. Use as a context manager."""

    def __init__(self, ladder: Ladder, terms: LadderContext) -> None:
        """Open the ladder. Raises StoreError."""
        self._ladder = ladder
        self._terms = terms
        self.reception = Reception(
            ladder,
            terms.clock,
            terms.examine,
            terms.say,
            terms.report,
            still=terms.still,
            file_time=terms.file_time,
        )
        self.book = self.reception.book
        self._notifier = Notifier(ladder, terms.say)
        self._budget = Budget(ladder.folder, ladder.file.budget, terms.clock, ladder.block)
        self._rounds_left: int | None = None
        self._anchors_out: set[str] = set()
        self._aside: dict[str, object] = {}
        """State of PATH when a version could not be built, by digest of the version."""
        self._known_withdrawn: set[str] = set()
        """Entrants that were withdrawn and reported."""
        self._open = contextlib.ExitStack()
        self._run: Run | None = None
        self._tournament: Tournament | None = None
        self._members: list[Member] = []
        self._thinned_on = ""
        self._table_at = 0.0
        self._table_took = 0.0
        self._budget.round_over = self._goes_on

    def __enter__(self) -> Keeper:
        self._notifier.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()
        self._notifier.__exit__()

    # the loop

    def keep(self, *, once: bool = False, rounds: int | None = None) -> StopReason:
        """Admit submissions and play rounds until a person interrupts.

        ``rounds``: end after that number of rounds. ``once``: end when nothing can be played now,
        instead of waiting. Returns the reason for the end. Raises ConfigError, StoreError,
        PoolError and IsolationError.
        """
        self._rounds_left = rounds
        if is_run(self._ladder.run) and read_manifest(self._ladder.run).is_over:
            self._terms.say("all rounds are played: no submission is looked at any more")
            self._write(with_authors(self._ladder.run))
            return StopReason.OVER
        patience = _PATIENCE * self._terms.still  # do not wait for endless writing
        waits: StopReason | None = None
        while True:
            self.reception.take_in(has_time=waits is not None)
            self._notifier.look()
            if once and self.reception.is_settling and patience > 0:
                patience -= _POLL
                self._terms.clock.sleep(_POLL)
                continue
            ending = self._play_on()
            if ending in (StopReason.INTERRUPTED, StopReason.OVER) or self._rounds_left == 0:
                break
            if ending is StopReason.ROUND:
                waits = None
                continue
            if once:
                break
            if ending is not waits:
                self._show()
                self._terms.say(f"{ending.value}: waiting")
                waits = ending
            self._terms.clock.sleep(
                max(_POLL, self.reception.look_next - self._terms.clock.seconds())
            )
        self._show()
        return ending

    def _play_on(self) -> StopReason:
        """Play rounds until submissions or records need attention, or nothing can be played.

        Returns the reason.
        """
        if self._are_few:
            return StopReason.FEW
        try:
            run, tournament = self._opened(self._wanted())
        except _GaveUp:
            return self._play_on()
        if self._are_few:  # after bots were found to be given up
            return StopReason.FEW
        self._thin(run)
        if self._budget.is_spent:
            return StopReason.SPENT
        before = self._budget.stored
        self._budget.resume()
        try:
            stretch = self._terms.play(tournament, run, self._budget)
        finally:
            self._budget.pause()
        self._run = run = stretch.run
        self._give_up(run.manifest, stretch.progress.withdrawn)
        self._show(at_once=False)
        if stretch.interrupted:
            return StopReason.INTERRUPTED
        if run.manifest.is_over:
            return StopReason.OVER
        if stretch.progress.is_finished:
            return StopReason.FEW if self._budget.stored == before else StopReason.ROUND
        return StopReason.SPENT if self._budget.is_spent else StopReason.STUCK

    def _goes_on(self, run: Run, progress: Progress) -> bool:
        """Return, after a round, whether the next one may begin at once.

        No bot may be admitted here, because a check would kill the workers as leftover processes.
        """
        self._run = run
        if self._rounds_left is not None:
            self._rounds_left -= 1
        day = day_of(self._terms.clock.now())
        if (
            self._rounds_left == 0
            or progress.withdrawn.keys() - self._known_withdrawn
            or (self._ladder.keep is not None and day != self._thinned_on)
            or self.reception.has_news()
            or (self._aside and self._wanted() != self._members)
        ):
            return False
        self._show(at_once=False)
        return True

    # the field

    @property
    def _are_few(self) -> bool:
        """True if there are too few bots to fill a table."""
        anchors = len(self._ladder.anchors) - len(self._anchors_out)
        return len(self._wanted()) + anchors < self._ladder.seats

    def _wanted(self) -> list[Member]:
        """Return the bots that are to play besides the anchors."""
        return [
            Member(self.book.called(bot, state.digest), place_of(self._ladder.folder, state.digest))
            for bot, state in self.book.playing()
            if self._aside.get(state.digest) != self.reception.programs
            or (bot.name, state.digest) not in self.reception.quarantine.cases
        ]

    def _opened(self, members: Sequence[Member]) -> tuple[Run, Tournament]:
        """Open the run with ``members`` and the anchors as its field.

        Returns the run and the tournament that it plays. Raises _GaveUp if a bot cannot be built.
        """
        if self._run is not None and self._tournament is not None and members == self._members:
            return self._run, self._tournament
        self._open.close()
        self._run = None
        try:
            tournament = planned(self._ladder, members, self._quarantine)
            tournament = self._terms.workers(tournament)
            self._check_anchors(tournament)
            self._check_versions(tournament)
            anchors, bounds = len(self._ladder.anchors), self._ladder.file.authors.built
            tournament = with_all_bots(tournament, anchors, bounds, self._quarantine)
        except (StoreError, PoolError):
            raise
        except Exception as error:
            if self._wanted() == members:
                raise
            raise _GaveUp from error
        try:
            with writing(self._ladder.run):
                private_folder(self._ladder.run)
            is_checked = self._tournament is not None
            run = self._open.enter_context(
                opened(tournament, self._ladder.run, None, is_checked=is_checked)
            )
        except ConfigMismatch as error:
            raise BadInput(
                f"{self._ladder.folder}/ladder.yaml: the ladder was begun on other terms:",
                *(f"  {line}" for line in error.found),
                "put them back, or begin another ladder in another folder",
            ) from None
        self._run, self._tournament = run, run.as_called(tournament)
        self._release()
        self._members = list(members)
        self._know(run)
        if run.change is not None:
            self._say_change(run)
        return run, self._tournament

    def _quarantine(self, name: str, said: Sequence[str]) -> None:
        """Exclude a version until it can be built; see ``Unready``. Raises StoreError.

        ``name``: the version's name in the run. ``said``: the reason, in lines; empty for a bug.
        """
        bot = next(
            bot for bot, state in self.book.playing() if self.book.called(bot, state.digest) == name
        )
        digest = self.book.bots[bot].digest
        self._aside[digest] = self.reception.programs
        if said:
            self._terms.say(f"warning: {bot.name} is quarantined: {said[0]}")
        else:
            self._terms.report(f"{bot.name} is quarantined")
        self.reception.put_into_quarantine(bot, said, digest)

    def _release(self) -> None:
        """End the quarantine of versions that play. Raises StoreError."""
        programs = self.reception.programs
        self._aside = {each: then for each, then in self._aside.items() if then == programs}
        cases = self.reception.quarantine.cases
        keys = [key for key in cases if key[1] and key[1] not in self._aside]
        self.reception.quarantine.release(keys)
        for bot, state in self.book.playing():
            if (bot.name, state.digest) in keys:
                self.reception.answer_again(bot)

    def _check_anchors(self, tournament: Tournament) -> None:
        """Raise BadInput if the files of an anchor have changed since it entered."""
        if not is_run(self._ladder.run):
            return
        names = read_manifest(self._ladder.run).field.names(identity(tournament).entrants)
        for each in tournament.entrants[: len(self._ladder.anchors)]:
            if names[each.name] != each.name:
                raise BadInput(
                    f"{self._ladder.folder}/ladder.yaml: anchors: {each.name} is not the bot that "
                    "it was when it entered; put it back, or give the new one a name of its own"
                )

    def _check_versions(self, tournament: Tournament) -> None:
        """Raise StoreError if the files of a version have changed since it was admitted."""
        playing = self.book.playing()
        digests = {self.book.called(bot, state.digest): state.digest for bot, state in playing}
        for each in tournament.entrants[len(self._ladder.anchors) :]:
            if each.digest != (digest := digests[each.name]):
                place = place_of(self._ladder.folder, digest)
                raise StoreError(f"{place}: is not what {each.name} was when it was submitted")

    def _say_change(self, run: Run) -> None:
        change = run.change
        if change is not None:
            for name in change.entered:
                if name not in self._known_withdrawn:
                    self._terms.say(f"{name} enters")
            gone = {player_of(name) for name in change.entered}
            for name in change.left:
                if player_of(name) not in gone:
                    self._terms.say(f"{name} plays no more; its games stand")

    def _know(self, run: Run) -> None:
        """Read from the run how many games it holds, and which bots were withdrawn."""
        stored = 0

        def look_at(game: StoredGame) -> None:
            nonlocal stored
            stored += 1

        verdict = StoredRun(run.folder, run.manifest).withdrawals(look_at)
        self._budget.stored = stored
        self._give_up(run.manifest, verdict.withdrawn)

    def _give_up(self, manifest: Manifest, withdrawn: Mapping[str, Withdrawal]) -> None:
        """Exclude bots that failed too often until they have other files."""
        self._known_withdrawn.update(withdrawn)
        for name, each in withdrawn.items():
            digest = manifest.players[name].digest
            bot = self.book.holder(digest)
            if bot is None:
                if name not in self._anchors_out:
                    self._terms.say(f"warning: the anchor {name} plays no more: {each.reason}")
                self._anchors_out.add(name)
            elif digest not in self.book.broken:
                said = [each.reason, *self._last_words(name)]
                self._terms.say(f"{name} plays no more: {each.reason}")
                self.reception.note(bot, What.BROKEN, digest, said)

    def _last_words(self, name: str) -> list[str]:
        """Return the end of a bot's standard error, for its author."""
        path = self._ladder.run / "logs" / f"{name}.stderr"
        with contextlib.suppress(OSError), path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - _LAST_BYTES))
            lines = file.read(_LAST_BYTES).decode("utf-8", "replace").splitlines()
            if self._ladder.plan.names is Names.HIDDEN:  # ids of games contain player names
                lines = [_A_GAME if line.startswith(_HEAD) else line for line in lines]
            if lines:
                return ["the last it wrote to standard error:", *lines[-_LAST_LINES:]]
        return []

    def _show(self, *, at_once: bool = True) -> None:
        """Write the table. Raises StoreError.

        Without ``at_once``, the table is left as written last if that was a short time ago.
        """
        now = time.monotonic()
        if self._run is None or (
            not at_once and now - self._table_at < _TABLE_SHARE * self._table_took
        ):
            return
        self._write(with_authors(self._run.folder, self._run.manifest))
        self._table_at = time.monotonic()
        self._table_took = self._table_at - now

    def _write(self, run: StoredRun) -> None:
        """Write the table and call ``LadderContext.publish``. Raises StoreError."""
        table = table_of(self._ladder, run, self.book)
        write_table(self._ladder.folder, table, forms_of(self._ladder.file.output))
        self._terms.publish(run)
        self._notifier.look(run)

    def _thin(self, run: Run) -> None:
        """Remove, once a day, records older than the time for which they are kept.

        Raises StoreError.
        """
        keep, now = self._ladder.keep, self._terms.clock.now()
        if keep is None or self._thinned_on == day_of(now):
            return
        self._thinned_on = day_of(now)
        folder = run.folder
        before = kept_since(keep, now, (each.played_at for each in game_ages(folder)))
        gone = thin(folder, run.manifest.commitment, game_ages(folder), before, now)
        if gone:
            self._terms.say(f"records of {gone} games were removed: they are older than is kept")
