"""Read a run folder: the planned games, and the stored ones, each at its place in the schedule.

Every view of a run uses this module. It takes no lock and writes nothing. Games are read one by one
and never kept in memory: only one bit for each planned game is.
"""

from __future__ import annotations

import contextlib
import itertools
import logging
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import repeat
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec
from msgspec import UNSET

from arena import extensions
from arena.games.base import Action, Rules, RulesError
from arena.referee.records.format import Record
from arena.referee.records.read import RecordError, parse, unpack
from arena.runs.config.keys import LADDER_FILE, RUN
from arena.runs.disk import STORE_LOG, StoreError
from arena.runs.growth.rulings import NO_RULINGS, Rulings
from arena.runs.manifest import Manifest, read_manifest
from arena.runs.store import (
    GAMES,
    RecordLocation,
    Stored,
    all_lines,
    is_public,
    read_record,
    stored_voids,
)
from arena.runs.thinning import Thinned, read_thinned
from arena.runs.voids import Void
from arena.runs.withdrawals import Breaker, WithdrawalState
from arena.schedule.keys import Discipline
from arena.schedule.schedule import Done, Schedule
from arena.schedule.seeds import Seeds
from arena.values.problems import shown_path
from arena.values.results import GameResult
from arena.values.titles import entitle

_new: Final = tuple.__new__
"""Constructor that takes half the time of calling a NamedTuple; used for every stored game."""

log = logging.getLogger(STORE_LOG)


class StoredGame(NamedTuple):
    """A finished game at its place in the schedule."""

    line: int
    """Line number in games.jsonl, from 1."""
    number: int
    """Number in the schedule, from 0."""
    stored: Stored
    """The game as it was stored, or ruled since."""
    is_annulled: bool = False
    """True if it was ruled to count for nobody."""

    @property
    def result(self) -> GameResult:
        """Result of the game."""
        return self.stored.result


class Places:
    """Assigner of lines of games.jsonl to places in the schedule."""

    def __init__(
        self,
        folder: Path,
        schedule: Schedule,
        done: Done | None = None,
        rulings: Rulings = NO_RULINGS,
    ) -> None:
        """Prepare an empty assignment.

        ``done``: places already taken; assigned ones are added. ``rulings``: those in force.
        """
        self.done = Done(schedule.numbers) if done is None else done
        self._path = folder / GAMES
        self._schedule = schedule
        self._number = schedule.number
        self._ruled = rulings.reader() if rulings.changes_games else None
        self._annulled = rulings.annulled
        self._again: list[int] = []

    def place(self, line: int, stored: Stored) -> StoredGame | None:
        """Return the game of a line, as it was ruled.

        None if it was stored before, because the first line stands, or if the game was ruled to be
        played again. Raises StoreError if the game is not in the schedule.
        """
        is_annulled = False
        if self._ruled is not None:
            result = self._ruled(stored.result)
            if result is None:
                return None
            if result is not stored.result:
                stored = msgspec.structs.replace(stored, result=result)
            is_annulled = result.spec.game_id in self._annulled
        number = self._number(stored.result.spec.game_id)
        if number is None:
            elsewhere = self._schedule.is_elsewhere(stored.result.spec.game_id)
            raise no_game(self._path, line, stored.result, "of another shard" * elsewhere)
        if self.done.add(number):
            return _new(StoredGame, (line, number, stored, is_annulled))
        self._again.append(line)
        return None

    def warn(self) -> None:
        """Log a warning if games were stored more than once."""
        if self._again:
            first, *others = self._again
            more = len(others)
            also = f" and {more} more line{'s'[: more != 1]}" if more else ""
            told = "%s:%d%s: the game is stored before, and what was stored first stands"
            log.warning(told, self._path, first, also)


def no_game(path: Path, line: int, result: GameResult, why: str = "") -> StoreError:
    """Return the error for a line of games.jsonl with a game of another run.

    ``why``: more on the difference, if known.
    """
    because = f" ({why})" if why else ""
    game = result.spec.game_id
    return StoreError(f"{path}:{line}: {game}: not a game of this run{because}")


def placed_games(
    folder: Path,
    schedule: Schedule,
    done: Done | None = None,
    rulings: Rulings = NO_RULINGS,
    *,
    is_quiet: bool = False,
) -> Iterator[StoredGame]:
    """Yield every finished game once, in order of arrival; a torn last line is left out.

    ``done``, ``rulings``: as for ``Places``. Of several lines for one game, the first stands, and a
    warning reports the others unless ``is_quiet``. Raises StoreError at a line with a game that is
    not in the schedule.
    """
    places = Places(folder, schedule, done, rulings)
    if rulings.changes_games:
        yield from filter(None, itertools.starmap(places.place, all_lines(folder)))
        if not is_quiet:
            places.warn()
        return
    number_of, is_new = schedule.number, places.done.add
    for line, stored in all_lines(folder):
        number = number_of(stored.result.spec.game_id)
        if number is not None and is_new(number):  # inlined ``place`` saves a call
            yield _new(StoredGame, (line, number, stored, False))
        else:
            places.place(line, stored)
    if not is_quiet:
        places.warn()


class Authors(NamedTuple):
    """Authors by entrant of a run, from the book of its ladder. Anchors have no author."""

    of: Mapping[str, str]
    """Author by entrant."""
    takers: Mapping[str, Sequence[str]]
    """Entrants that took the place of each author, in the order of their admission."""

    def placed(self, entered: Collection[str]) -> frozenset[str]:
        """Return the entrants that hold a place when ``entered`` have entered the run.

        They may have left since: then their authors have no place.
        """
        newest = (
            next((name for name in reversed(own) if name in entered), None)
            for own in self.takers.values()
        )
        return frozenset(name for name in newest if name is not None)


def ladder_of(folder: Path) -> Path | None:
    """Return the folder of the ladder that a run belongs to, whose authors decide on places."""
    ladder = folder.absolute().parent
    is_there = folder.absolute().name == RUN and (ladder / LADDER_FILE).is_file()
    return ladder if is_there else None


class StoredRun:
    """A run folder: its manifest, its schedule and its stored games."""

    def __init__(
        self,
        folder: Path,
        manifest: Manifest | None = None,
        authors: Callable[[Manifest], Authors] | None = None,
    ) -> None:
        """Open the run, and make the titles of its bots known. Raises StoreError.

        ``manifest``: the manifest of the folder, if it was read before. ``authors``: reads the book
        of the ladder that this run belongs to; it may raise StoreError.
        """
        self.folder = folder
        self.manifest = read_manifest(folder) if manifest is None else manifest
        self.notices: tuple[str, ...] = ()
        """Sentences on what this view of the run leaves out."""
        self._authors = authors
        self._rules: dict[str, Rules[Any, Action]] = {}
        entitle(self.manifest.titles)

    def grow(self, manifest: Manifest) -> bool:
        """Adopt a newer manifest if it only adds rounds that follow; return whether it was adopted.

        The schedule grows in place, so references to it stay valid.
        """
        known = len(self.manifest.changes)
        added = manifest.changes[known:]
        before = msgspec.structs.replace(manifest, changes=manifest.changes[:known])
        if before != self.manifest or not all(each.is_derived for each in added):
            return False
        rounds = list(manifest.field.later(repeat(Seeds(b""))))
        for each in rounds[known:]:
            self.schedule.grow(each)
        self.manifest = manifest
        return True

    def __reduce__(self) -> tuple[Any, ...]:
        return StoredRun, (self.folder, self.manifest)

    @cached_property
    def schedule(self) -> Schedule:
        """Games of the run, in their order. Only the seed determines the seats."""
        return self.manifest.schedule()

    @property
    def planned(self) -> int | None:
        """Number of games to play; None if something other than the schedule ends the run."""
        return self.manifest.kind.planned(self.schedule.games)

    @property
    def is_opened(self) -> bool:
        """True if the seed, from which all deals follow, was published; False for a shard."""
        return self.manifest.shard is None and is_public(self.folder)

    def games(self, done: Done | None = None) -> Iterator[StoredGame]:
        """Return the finished games as ruled, without annulled ones, see ``placed_games``.

        Raises StoreError.
        """
        found = self.stored(done)
        is_any = self.manifest.rulings.annulled
        return (game for game in found if not game.is_annulled) if is_any else found

    def stored(self, done: Done | None = None) -> Iterator[StoredGame]:
        """Return the games as ``games`` does, with annulled ones. Raises StoreError."""
        return placed_games(self.folder, self.schedule, done, self.manifest.rulings)

    def voids(self) -> Iterator[Void]:
        """Return the games that could not be played, see ``stored_voids``. Raises StoreError."""
        return stored_voids(self.folder)

    @property
    def authors(self) -> Authors | None:
        """Authors of a ladder as its book has them now; None if no book is known.

        Raises StoreError.
        """
        return None if self._authors is None else self._authors(self.manifest)

    @cached_property
    def thinned(self) -> Thinned | None:
        """Latest removal of records by rule; None if all are kept. Raises StoreError."""
        if self.manifest.identity.keep is UNSET:
            return None
        found = read_thinned(self.folder, self.manifest.commitment)
        return found[-1] if found else None

    def is_expired(self, record: RecordLocation) -> bool:
        """Return whether a record was removed by rule. Raises StoreError."""
        return self.thinned is not None and record.offset + record.length <= self.thinned.end

    def breaker(self, done: Done) -> Breaker:
        """Return a judge of withdrawals without games.

        The caller adds each finished game to the judge and its number to ``done``.
        """
        manifest = self.manifest
        return Breaker(self.schedule, manifest.identity.breaker, done, manifest.out)

    def withdrawals(
        self, look: Callable[[StoredGame], object] = lambda game: None
    ) -> WithdrawalState:
        """Return the withdrawals judged from games and voids; ``look`` is called with each game.

        Raises StoreError.
        """
        done = Done(self.schedule.numbers)
        breaker = self.breaker(done)
        for game in self.stored(done):
            if not game.is_annulled:
                look(game)
            breaker.add(game.number, game.result)
        for void in self.voids():
            breaker.add_void(void)
        breaker.judge()
        return breaker.verdict

    def discipline(self, name: str) -> Discipline:
        """Return the discipline with that name. Raises StoreError if it is unknown."""
        found = self.manifest.discipline(name)
        if found is None:
            raise StoreError(f"{self.folder}/run.json: found no game {name}")
        return found

    def rules(self, discipline: str) -> Rules[Any, Action]:
        """Return the rules of a discipline, built once. Raises StoreError."""
        if discipline not in self._rules:
            from arena.games.registry import make_rules  # tables need no game

            spec = self.discipline(discipline).rules
            try:
                self._rules[discipline] = make_rules(spec)
            except RulesError as error:
                path = ".".join(map(str, error.path))
                told = f"{self.folder}/run.json: rules: {path}: {error.message}"
                raise StoreError(told) from None
        return self._rules[discipline]

    @property
    def titles(self) -> dict[str, str]:
        """Titles of the disciplines for people, by name."""
        return {name: each.title for name, each in self.manifest.games.items()}

    def record(self, stored: Stored) -> Record:
        """Return the record of a game without applying it. Raises StoreError if it does not fit."""
        with self.record_errors(stored):
            record, _ = parse(unpack(read_record(self.folder, stored.record)))
            if record.header.spec != stored.result.spec:
                other = record.header.spec.game_id
                raise RecordError(1, f"found the game {other}")
        return record

    @contextlib.contextmanager
    def record_errors(self, stored: Stored) -> Iterator[None]:
        """Turn the error of a damaged record into a StoreError that names the game."""
        try:
            yield
        except (RecordError, StoreError) as error:
            game = stored.result.spec.game_id
            told = f"{self.folder}: game {game}: record: {error}"
            raise StoreError(told) from None


def with_authors(folder: Path, manifest: Manifest | None = None) -> StoredRun:
    """Open the run in ``folder``; if it belongs to a ladder, with the authors of its bots.

    The authors are read when they are needed. ``manifest`` is that of ``StoredRun``. Raises
    StoreError, or BadInput if no extension is installed that reads them.
    """
    if (ladder := ladder_of(folder)) is None:
        return StoredRun(folder, manifest)
    authors = extensions.need(shown_path(ladder), "authors")
    return StoredRun(folder, manifest, partial(authors, ladder))
