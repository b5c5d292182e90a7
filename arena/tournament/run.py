"""One run: begun or found in its folder, and what is missing given to whatever plays it."""

from __future__ import annotations

import contextlib
import datetime
import logging
import os
import platform
import secrets
import stat
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import AbstractContextManager
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol, runtime_checkable

import msgspec
from msgspec import UNSET, UnsetType

from arena import __version__
from arena.config.tournament import Tournament
from arena.entrants.entrants import Entrant
from arena.hosting.sandbox.isolation import Level
from arena.hosting.sandbox.probes import resolve
from arena.results import GameDone, GameResult, GameVoid, Spent
from arena.runs.disk import STORE_LOG, StoreError, cannot_write, write_atomically
from arena.runs.field import Change, Following, Refill, add_change, last_link, unsound
from arena.runs.identity import differences, identity, terms
from arena.runs.live import LiveFile
from arena.runs.lock import locked
from arena.runs.manifest import (
    FORMAT,
    Identity,
    Machine,
    Manifest,
    Source,
    Until,
    is_run,
    read_manifest,
)
from arena.runs.reader import placed_games
from arena.runs.rounds.following import anchor_of, following, latecomer
from arena.runs.rounds.openings import commitment_of, fitting_opening, next_opening, telling
from arena.runs.rounds.played import Played
from arena.runs.rounds.refills import Refilled, refilled
from arena.runs.store import SECRET, SEED, Store, begin, check_is_new, encoded
from arena.runs.voids import Void, stored_voids
from arena.runs.withdrawals import Breaker, Verdict, Withdrawal
from arena.schedule.handout import Handout
from arena.schedule.pairings import Pairing
from arena.schedule.schedule import Done, Schedule
from arena.schedule.seeds import Opening, SeedChain, Seeds, new_opening
from arena.tournament.dispatch import ATTEMPTS, Dispatch
from arena.tournament.executor import Executor
from arena.tournament.progress import Progress

_HELD: Final = {
    None: ("a run of another config, which cannot be resumed", "--name or --output"),
    Until.MATCH: ("another match, which this one cannot go on with", "-o"),
    Until.PERSON: ("the games of another table", "-o"),
}
"""What a folder holds that cannot be played into, and what asks for another one."""
_OPENED = 0o644

log = logging.getLogger(STORE_LOG)


class ConfigMismatch(StoreError):
    """The folder holds a run of another config; the text says what differs and what to do."""

    def __init__(self, folder: Path, found: Sequence[str], until: Until | None) -> None:
        """``found``: one line for each difference. ``until``: as for ``open_run``."""
        self.found = found
        what, flag = _HELD[until]
        lines = "".join(f"  {line}\n" for line in found)
        super().__init__(f"{folder}: holds {what}:\n{lines}play into another folder ({flag})")


class Run(NamedTuple):
    """A run folder that is ready to be played into."""

    folder: Path
    manifest: Manifest
    opening: Opening
    schedule: Schedule
    resumed: bool
    change: Change | None = None
    """What was different about the field this time."""

    def as_called(self, tournament: Tournament) -> Tournament:
        """With the names that its entrants have in this run."""
        names = self.manifest.field.names(identity(tournament).entrants)
        entrants = [
            msgspec.structs.replace(each, name=names[each.name]) for each in tournament.entrants
        ]
        return msgspec.structs.replace(tournament, entrants=tuple(entrants))


class Listener(NamedTuple):
    """What is called while a run is played."""

    started: Callable[[Progress], None]
    """Once, when stored games are counted."""
    game: Callable[[Progress, GameDone], None]
    void: Callable[[Progress, Void], None]
    tick: Callable[[Progress], None]
    """Several times a second."""
    withdrawn: Callable[[Progress, Withdrawal], None]
    """A bot was given up in this session."""
    note: Callable[[str], None] = lambda text: None
    """A machine came or went; in words."""
    grown: Callable[[Run], None] = lambda run: None
    """With the run as it has grown by now; perhaps as before."""


class Judge(Protocol):
    """Decides when enough was played."""

    def add(self, number: int, result: GameResult) -> None:
        """Take a finished game, an earlier session's too, in any order."""

    @property
    def is_over(self) -> bool:
        """Whether no further game is wanted; asked several times a second."""

    @property
    def terms(self) -> Mapping[str, Any]:
        """By what he decides, as plain JSON: for those who watch the run."""


@runtime_checkable
class Eliminator(Protocol):
    """A judge who needs no more games of some entrants."""

    @property
    def out(self) -> Set[str]:
        """Their names; asked before each block."""


def open_run(
    tournament: Tournament, folder: Path, source: Source | None, until: Until | None = None
) -> Run:
    """Begin a run in the folder, or find the one there. The caller holds the folder's lock.

    If only the field is another one, the run goes on with that. ``source``: how to load the
    tournament again; None: it will not be.
    Raises ConfigMismatch if the run there has another config, StoreError if the folder
    cannot be used, or holds what was played of a run that is not known.
    """
    if not is_run(folder):
        check_is_new(folder)
        return _begin(tournament, folder, identity(tournament, until), source)
    run = found_run(tournament, folder, until, may_change=True)
    if run.manifest.shard is not None:
        raise StoreError(
            f"{folder}: holds shard {run.manifest.shard} of a run, not the whole of it"
        )
    return run


def found_run(
    tournament: Tournament, folder: Path, until: Until | None = None, *, may_change: bool = False
) -> Run:
    """The run in the folder, or the shard of one. Raises as ``open_run``.

    ``may_change``: whether it may go on with another field; then that is written down.
    """
    manifest = read_manifest(folder)
    opening = fitting_opening(folder, manifest)
    wanted, own = identity(tournament, until), manifest.identity
    is_fixed = not may_change or not manifest.has_end or manifest.shard is not None
    if is_fixed and not manifest.changes:
        found = differences(own, wanted)
    else:
        found = differences(terms(own), terms(wanted))
    if tournament.seed is not None and tournament.seed != opening.seed:
        found.append("seed: the run has another one")
    if found:
        raise ConfigMismatch(folder, found, until)
    change = _change(tournament, folder, manifest, opening, wanted)
    if change is None:
        return Run(folder, manifest, opening, schedule_of(manifest, opening), resumed=True)
    if not may_change:
        raise ConfigMismatch(folder, ["entrants: others than those of the run"], until)
    is_derived = manifest.is_ladder
    new = next_opening(manifest, opening) if is_derived else new_opening(tournament.seed)
    manifest, opening = _add_change(folder, manifest, opening, change, new)
    schedule = schedule_of(manifest, opening)
    return Run(folder, manifest, opening, schedule, resumed=True, change=manifest.changes[-1])


def _change(
    tournament: Tournament, folder: Path, manifest: Manifest, opening: Opening, wanted: Identity
) -> Change | None:
    """What has to change for the field that is wanted; None: nothing. Raises StoreError."""
    named = {each.name: each for each in wanted.disciplines}
    disciplines = [named[each.name] for each in manifest.disciplines]
    try:
        entered, left, added = manifest.field.change(wanted.entrants, disciplines)
    except ValueError as error:
        raise ConfigMismatch(folder, [str(error)], None) from None
    if not (entered or left or added):
        return None
    if manifest.grows and manifest.is_over:
        raise StoreError(
            f"{folder}: its rounds are over; others than those who played begin a new run "
            "(--name or --output)"
        )
    if manifest.grows and (late := latecomer(manifest.field, entered)):
        raise StoreError(
            f"{folder}: {late} comes late, and who plays in a knockout, a round robin or a later "
            "stage is fixed when that begins; begin a new run (--name or --output)"
        )
    is_public = tournament.seed is None and _holds_for_all(folder / SEED)
    if is_public and any(each.rules.seats == 1 and each.name in added for each in disciplines):
        raise StoreError(
            f"{folder}: its deals are public since it ended, and where everybody plays alone all "
            "play the same: newcomers would know them; begin a new run (--name or --output)"
        )
    return Change(
        round=len(manifest.changes) + 2,
        created=_now(),
        before=last_link(manifest.commitment, manifest.changes),
        entered=entered,
        left=left,
        pairings=added,
    )


def next_round(run: Run, played: Played, verdict: Verdict, *, is_last: bool = False) -> Run | None:
    """The run with what follows from its results, which is put on disk; None: nothing does, or
    not yet.

    ``is_last``: no round shall follow; it is only put down if none would.
    ``played`` and ``verdict``: of all games of the run, none of which is left to play. The schedule
    of the run grows in place. The caller holds the folder's lock. Raises StoreError, and BadInput
    as ``following``.
    """
    manifest = run.manifest
    if verdict.stopped is not None:
        return None
    if is_last and any(each.schedule.has_no_end for each in manifest.disciplines):
        return None
    if not manifest.grows:
        again = _refilled(run, verdict)
        return None if again is None else _added(run, again.pairings, refills=again.why)
    if manifest.is_over:
        return None
    seeds, anchor = Seeds.of(next_opening(manifest, run.opening).seed), anchor_of(manifest)
    found = following(manifest.field, run.schedule, played, verdict, seeds, anchor)
    if found is None or (is_last and found[1]):
        return None
    return _added(run, found[1], follows=found[0])


def _added(
    run: Run,
    pairings: dict[str, tuple[Pairing, ...]],
    follows: Following | UnsetType = UNSET,
    refills: Refill | UnsetType = UNSET,
) -> Run:
    """The run with these too, which is put on disk. Raises StoreError."""
    manifest, schedule = run.manifest, run.schedule
    own = next_opening(manifest, run.opening)
    if manifest.is_ladder and isinstance(follows, Following):
        follows = telling(follows, SeedChain(run.opening.seed))
    change = Change(
        round=len(manifest.changes) + 2,
        created=_now(),
        before=last_link(manifest.commitment, manifest.changes),
        entered={},
        left=(),
        pairings=pairings,
        follows=follows,
        refills=refills,
    )
    manifest, opening = _add_change(run.folder, manifest, run.opening, change, own)
    schedule.grow(manifest.field.last(Seeds.of(own.seed)))
    return Run(run.folder, manifest, opening, schedule, run.resumed, manifest.changes[-1])


def _refilled(run: Run, verdict: Verdict) -> Refilled | None:
    """What follows in place of tables that withdrawn bots have emptied; None: nothing does.

    All games of the run are played. The deals would be known beforehand if the seed was public.
    """
    manifest = run.manifest
    is_whole = manifest.shard is None and manifest.has_end
    if manifest.grows or not is_whole or not verdict.withdrawn or verdict.stopped is not None:
        return None
    found = refilled(manifest.field, verdict, run.schedule.numbers)
    return None if not found.pairings or _holds_for_all(run.folder / SEED) else found


def _add_change(
    folder: Path, manifest: Manifest, opening: Opening, change: Change, own: Opening
) -> tuple[Manifest, Opening]:
    """Put a change on disk: its seed first, which alone changes nothing. Raises StoreError.

    Of a ladder the seed follows from that of the run. Its line tells the one of the round before:
    all of that round is on disk by now.
    """
    if fault := unsound(manifest.field, change):  # nobody could read the run any more
        raise AssertionError(f"line {len(manifest.changes) + 1} of the entries: {fault}")
    change = msgspec.structs.replace(change, commitment=own.commitment(change.digest))
    if not manifest.is_ladder:
        later = (*opening.later[: len(manifest.changes)], own)
        opening = msgspec.structs.replace(opening, later=later)
        try:
            write_atomically(folder / SEED, encoded(opening), SECRET)
        except OSError as error:
            raise cannot_write(folder / SEED, error) from error
    add_change(folder, change)
    return manifest.then(change), opening


def _holds_for_all(path: Path) -> bool:
    """Whether everybody may read the seed."""
    try:
        return bool(path.stat().st_mode & stat.S_IROTH)
    except OSError:
        return False


def _now() -> str:
    """UTC, ISO 8601."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


def is_stopped(tournament: Tournament, folder: Path) -> bool:
    """Whether the folder holds a run of this tournament that was stopped before its end."""
    try:
        with locked(folder):
            if not is_run(folder):
                return False
            run = found_run(tournament, folder)
            progress = Session(run).progress
            return progress.left > 0 or progress.has_more or not run.manifest.is_over
    except StoreError:
        return False


def schedule_of(manifest: Manifest, opening: Opening) -> Schedule:
    """The games of a run."""
    return manifest.schedule(opening)


def levels_of(entrants: Iterable[Entrant]) -> dict[str, Level]:
    """How far each entrant is kept apart on this machine. Raises IsolationError."""
    return {each.name: resolve(each.isolation) for each in entrants}


@runtime_checkable
class Pacemaker(Protocol):
    """A judge who is asked after each round whether the next one is to be drawn."""

    def goes_on(self, run: Run, progress: Progress) -> bool:
        """Whether it is; if not, the stretch is over."""


class Session:
    """One stretch of play: what is done, what it comes to, and what is left."""

    def __init__(
        self,
        run: Run,
        store: Store | None = None,
        listener: Listener | None = None,
        judge: Judge | None = None,
        deals: int | None = None,
    ) -> None:
        """Counts what earlier sessions played. Raises StoreError.

        Without a ``store`` nothing is kept. With a ``judge`` play ends when it says so; with
        ``deals`` only so many first ones of each discipline are played.
        """
        self.run = run
        """As it has grown by now."""
        self._judge = judge
        self._tries: Counter[str] = Counter()
        """In this session, of games that could not be played."""
        self._deals = deals
        self._store = store
        self._listener = listener
        self._done = Done(run.schedule.numbers)
        self._breaker = Breaker(run.schedule, run.manifest.identity.breaker, self._done)
        self._played = Played()
        """Of a run that grows."""
        self._over = 0
        """So many rounds of the schedule are over."""
        if deals is None:
            self.progress = Progress.of(run.manifest, run.schedule)
        else:
            self.progress = Progress(run.schedule.games_within(deals))
        self._count_stored()

    @property
    def is_done(self) -> bool:
        """Whether nothing is left to play, or nothing more is wanted."""
        return self.progress.left <= 0 or self._is_over

    @property
    def _is_over(self) -> bool:
        """Whether the run was stopped, or the judge has seen enough, or will see no more: he waits
        for a lost game."""
        if self.progress.stopped or self._judge is None:
            return bool(self.progress.stopped)
        return self._judge.is_over or max(self._tries.values(), default=0) >= ATTEMPTS

    def _count_stored(self) -> None:
        folder, schedule = self.run.folder, self.run.schedule
        for game in placed_games(folder, schedule, self._done):
            self._breaker.add(game.number, game.result)
            self._count(game.number, game.result, game.stored.spent)
        for void in stored_voids(folder):
            self._breaker.add_void(void)
            self.progress.voids[void.cause] += 1
        if self._breaker.judge():
            self.progress.judged(self._breaker.verdict, schedule, self._done)
        if self._deals is None:
            self.progress.settle(schedule, self._done)
        self.progress.begin()
        self._look_ahead()

    def _look_ahead(self) -> None:
        """Find out whether tables are still to be filled again."""
        is_played = self._deals is None and self.progress.is_finished
        self.progress.has_more = (
            is_played and _refilled(self.run, self._breaker.verdict) is not None
        )

    def places(self, most: int) -> int:
        """At how many places blocks can be played at once, at most so many.

        Of a run that grows, in rounds to come too.
        """
        manifest = self.run.manifest
        if not manifest.is_over:
            discipline = manifest.identity.disciplines[0]
            tables = max(1, len(manifest.entrants) // discipline.rules.seats)
            deals = max(part.deals for part in discipline.schedule.parts)
            return min(most, tables * deals * len(manifest.disciplines))
        blocks = self.run.schedule.blocks(self._done, self._out, self._deals)
        return sum(1 for _ in islice(blocks, most))

    def play(
        self,
        opening: AbstractContextManager[Executor],
        patience: float,
        can_stop: Callable[[Callable[[], None]], None],
        kept: int | None = None,
    ) -> None:
        """Have everything played that is left, and each round that follows from its results.

        ``opening`` gives what plays it. ``patience``: see ``Dispatch``. ``can_stop``, which is
        called before the first game, gets what a signal may call: then the games in hand are
        finished, and no more begun. ``kept``: bots that each place keeps between games at least;
        None: all. Raises StoreError and PoolError, and what ``opening`` raises.
        """
        judge, progress = self._judge, self.progress
        live = LiveFile(self.run.folder, progress.pace, judge.terms if judge is not None else None)
        with live, self._seed_kept(), opening as executor:
            dispatch = Dispatch(executor, patience)
            can_stop(dispatch.stop)
            self._play(dispatch, kept, live)
            while not dispatch.is_stopping and self.grow(is_last=not self._goes_on()):
                if self._listener is not None:
                    self._listener.grown(self.run)
                self._play(dispatch, kept, live)
            if self._listener is not None:
                self._listener.grown(self.run)
        self._look_ahead()
        progress.stopped = progress.stopped or dispatch.gave_up
        progress.places = dispatch.most

    def _play(self, dispatch: Dispatch, kept: int | None, live: LiveFile) -> None:
        """What is planned by now."""
        for report in dispatch.play(self._handout(kept).next):
            if report is not None and self._take(report):
                dispatch.leave_out(self.progress.withdrawn)
            if self._is_over:
                dispatch.stop()
            if self._store is not None:
                self._store.flush_if_due()
            live.update(dispatch.in_hand)
            if self._listener is not None:
                self._listener.tick(self.progress)

    def _goes_on(self) -> bool:
        """Whether a round that is over may be followed by another one."""
        if isinstance(self._judge, Pacemaker) and self.progress.is_finished:
            return self._judge.goes_on(self.run, self.progress)
        return True

    def grow(self, *, is_last: bool = False) -> bool:
        """If all is played that is planned, find out what follows from it, and put it on disk.

        Whether something does; that nothing follows any more is put on disk too. ``is_last``: no
        round shall follow for now.
        The caller holds the folder's lock. Raises StoreError and BadInput.
        """
        run = self.run
        is_over = run.manifest.grows and run.manifest.is_over
        if is_over or self._deals is not None or not self.progress.is_finished:
            return False
        if self._store is not None:
            self._store.flush()  # nothing may follow from a game that is not on disk
        self._over = run.schedule.rounds
        grown = next_round(run, self._played, self._breaker.verdict, is_last=is_last)
        if grown is None:
            return False
        self.run = grown
        self._done.grow(grown.schedule.numbers)
        self.progress.grow(grown.manifest, grown.schedule)
        self.progress.has_more = False
        return grown.change is not None and bool(grown.change.pairings)

    def _handout(self, kept: int | None) -> Handout:
        """What is left to play. Bots that are given up meanwhile are left out."""
        policy = self.run.manifest.identity.breaker
        return Handout(
            self.run.schedule,
            kept,
            self._done,
            self._out,
            self._deals,
            lambda: self.progress.suspects(policy),
            self._over,
        )

    def _out(self) -> Set[str]:
        out = self.progress.withdrawn.keys() | self.run.schedule.left
        return out | self._judge.out if isinstance(self._judge, Eliminator) else out

    @contextlib.contextmanager
    def _seed_kept(self) -> Iterator[None]:
        """Whatever happens to seed.json meanwhile, afterwards the run can go on."""
        try:
            yield
        finally:
            with contextlib.suppress(OSError):
                if not _holds(self.run.folder / SEED, self.run.opening):
                    _put_back(self.run, SECRET)

    def _count(self, number: int, result: GameResult, spent: Sequence[Spent]) -> None:
        """Games beyond the deals that are wanted are known, but no progress."""
        if self._deals is None or self.run.schedule.is_within(number, self._deals):
            self.progress.add(result)
        if self._judge is not None:
            self._judge.add(number, result)
        if self.run.manifest.grows:
            self._played.add(result, spent)

    def _take(self, report: GameDone | GameVoid) -> bool:
        """Keep a report; whether because of it a bot was given up or the run is to stop.

        A game of a bot that was given up before counts for nobody and is not kept.
        """
        match report:
            case GameDone():
                self._take_game(report)
            case GameVoid():
                self._take_void(report)
        if not self._breaker.judge():
            return False
        before = self.progress.withdrawn
        self.progress.judged(self._breaker.verdict, self.run.schedule, self._done)
        if self._listener is not None:
            for name, withdrawal in self.progress.withdrawn.items():
                if name not in before:
                    self._listener.withdrawn(self.progress, withdrawal)
        return True

    def _take_game(self, report: GameDone) -> None:
        result = report.result
        number = self.run.schedule.number(result.spec.game_id)
        is_out = not self.progress.withdrawn.keys().isdisjoint(result.spec.entrants)
        if number is None or is_out or not self._done.add(number):
            return
        if self._store is not None:
            self._store.add(report)
        self._breaker.add(number, result)
        self._count(number, result, report.spent)
        if self._listener is not None:
            self._listener.game(self.progress, report)

    def _take_void(self, report: GameVoid) -> None:
        spec = self.run.schedule.game(report.game_id)
        void = Void.of(report, () if spec is None else spec.entrants)
        if self._store is not None:
            self._store.add_void(void)
        self._breaker.add_void(void)
        self._tries[void.game] += 1
        self.progress.add_void(void)
        if self._listener is not None:
            self._listener.void(self.progress, void)


def open_seed(run: Run) -> None:
    """Publish the seed of a finished run: everybody may read it now. Raises StoreError."""
    path = run.folder / SEED
    try:
        if not _holds(path, run.opening, _OPENED):
            _put_back(run, _OPENED)
    except OSError as error:
        raise cannot_write(path, error) from error


def _holds(path: Path, opening: Opening, mode: int | None = None) -> bool:
    """Whether a file, no link to one, has the opening; then it gets the mode. Raises OSError."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        found = os.fstat(descriptor)
        expected = encoded(opening)
        if not stat.S_ISREG(found.st_mode) or os.read(descriptor, len(expected) + 1) != expected:
            return False
        if mode is not None and stat.S_IMODE(found.st_mode) != mode:
            os.fchmod(descriptor, mode)
        return True
    finally:
        os.close(descriptor)


def _put_back(run: Run, mode: int) -> None:
    path = run.folder / SEED
    if path.is_dir() and not path.is_symlink():  # which no file replaces
        path.rename(path.with_name(f"{SEED}.{secrets.token_hex(4)}"))
    write_atomically(path, encoded(run.opening), mode)
    log.warning("%s: was not what this run had written; it was put back", path)


def _begin(tournament: Tournament, folder: Path, wanted: Identity, source: Source | None) -> Run:
    opening = new_opening(tournament.seed)
    manifest = Manifest(
        format=FORMAT,
        arena=__version__,
        name=tournament.name,
        created=_now(),
        commitment=commitment_of(wanted, opening),
        identity=wanted,
        source=source,
        machine=machine_of(tournament),
    )
    begin(folder, manifest, opening)
    return Run(folder, manifest, opening, schedule_of(manifest, opening), resumed=False)


def machine_of(tournament: Tournament) -> Machine:
    """This one, and how far entrants that play here are kept apart. Raises IsolationError."""
    is_here = tournament.execution.on is None
    return Machine(
        isolation=levels_of(tournament.entrants) if is_here else {},
        system=platform.system(),
        release=platform.release(),
        processor=platform.machine(),
        cores=os.cpu_count(),
        python=".".join(map(str, sys.version_info[:3])),
    )
