"""Reads a run folder: what was planned, and what is stored of it, each game at its place.

Who looks at a run comes in by this door. It takes no lock and writes nothing. Games are read one
by one and never kept: what is remembered is a bit for each planned one.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import repeat
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec
from msgspec import UNSET

from arena.documents.problems import printable
from arena.games.base import Action, Rules, RulesError
from arena.games.registry import data_notice, make_rules
from arena.records.format import Record
from arena.records.read import RecordError, parse, unpack
from arena.results import GameResult
from arena.runs.disk import STORE_LOG, StoreError
from arena.runs.manifest import Manifest, read_manifest
from arena.runs.rounds.authors import Authors
from arena.runs.store import GAMES, Location, Stored, all_lines, is_public, read_record
from arena.runs.thinning import Thinned, read_thinned
from arena.runs.voids import Void, stored_voids
from arena.runs.withdrawals import Breaker, Verdict
from arena.schedule.schedule import Discipline, Done, Schedule
from arena.schedule.seeds import Seeds

_new: Final = tuple.__new__
"""Makes a NamedTuple of its fields at half the cost of calling it: once for each stored game."""

log = logging.getLogger(STORE_LOG)


class Game(NamedTuple):
    """A finished game at its place."""

    line: int
    """Of games.jsonl, from 1."""
    number: int
    """In the schedule, from 0."""
    stored: Stored

    @property
    def result(self) -> GameResult:
        """How it ended."""
        return self.stored.result


class Places:
    """Puts lines of games.jsonl into their places, whoever reads them."""

    def __init__(self, folder: Path, schedule: Schedule, done: Done | None = None) -> None:
        """``done``: the places that are taken; those of the games that follow are added."""
        self.done = Done(schedule.numbers) if done is None else done
        self._path = folder / GAMES
        self._schedule = schedule
        self._number = schedule.number
        self._again: list[int] = []

    def place(self, line: int, stored: Stored) -> Game | None:
        """The game; None if it is stored before, for then the first line stands.

        Raises StoreError if it is none of the schedule.
        """
        number = self._number(stored.result.spec.game_id)
        if number is None:
            elsewhere = self._schedule.is_elsewhere(stored.result.spec.game_id)
            raise no_game(self._path, line, stored.result, "of another shard" * elsewhere)
        if self.done.add(number):
            return _new(Game, (line, number, stored))
        self._again.append(line)
        return None

    def warn(self) -> None:
        """Tell of lines for games that had one, if there were any."""
        if self._again:
            first, *others = self._again
            more = len(others)
            also = f" and {more} more line{'s'[: more != 1]}" if more else ""
            told = "%s:%d%s: the game is stored before, and what was stored first stands"
            log.warning(told, self._path, first, also)


def no_game(path: Path, line: int, result: GameResult, why: str = "") -> StoreError:
    """The error of a line of games.jsonl that is a game, but of another run."""
    because = f" ({printable(why)})" if why else ""
    game = printable(result.spec.game_id)
    return StoreError(f"{path}:{line}: {game}: not a game of this run{because}")


def placed_games(folder: Path, schedule: Schedule, done: Done | None = None) -> Iterator[Game]:
    """Every finished game once, in order of arrival; a torn last line is left out.

    ``done``: as ``Places`` takes it. Of several lines for one game the first stands; a warning
    tells of the others. Raises StoreError at a line that is no game of the schedule.
    """
    places = Places(folder, schedule, done)
    number_of, is_new = schedule.number, places.done.add
    for line, stored in all_lines(folder):
        number = number_of(stored.result.spec.game_id)
        if number is not None and is_new(number):  # as ``place``, without a call for each game
            yield _new(Game, (line, number, stored))
        else:
            places.place(line, stored)
    places.warn()


class StoredRun:
    """A run folder that is looked at."""

    def __init__(
        self,
        folder: Path,
        manifest: Manifest | None = None,
        authors: Callable[[Manifest], Authors] | None = None,
    ) -> None:
        """``manifest``: that of the folder, if it was read before. ``authors``: reads the book of
        the ladder whose run this is; it may raise StoreError. Raises StoreError."""
        self.folder = folder
        self.manifest = read_manifest(folder) if manifest is None else manifest
        self._authors = authors
        self._rules: dict[str, Rules[Any, Action]] = {}
        self._data_notices: dict[str, str] = {}

    def grow(self, manifest: Manifest) -> bool:
        """Take what has become of its manifest, if that is more rounds that follow; else False.

        The schedule grows in place: whoever holds it goes on.
        """
        known = len(self.manifest.changes)
        added = manifest.changes[known:]
        before = msgspec.structs.replace(manifest, changes=manifest.changes[:known])
        is_more = all(each.follows is not UNSET or each.refills is not UNSET for each in added)
        if before != self.manifest or not is_more:
            return False
        rounds = list(manifest.field.later(repeat(Seeds(b""))))
        for each in rounds[known:]:
            self.schedule.grow(each)
        self.manifest = manifest
        return True

    def __reduce__(self) -> tuple[type[StoredRun], tuple[Path, Manifest]]:
        return StoredRun, (self.folder, self.manifest)

    @cached_property
    def schedule(self) -> Schedule:
        """Which games there are, and in which order. Who sits where only the seed tells."""
        return self.manifest.schedule()

    @property
    def is_opened(self) -> bool:
        """Whether the seed, from which all deals follow, was published; never by a shard."""
        return self.manifest.shard is None and is_public(self.folder)

    def games(self, done: Done | None = None) -> Iterator[Game]:
        """The finished games, see ``placed_games``. Raises StoreError."""
        return placed_games(self.folder, self.schedule, done)

    def voids(self) -> Iterator[Void]:
        """The games that could not be played, see ``stored_voids``. Raises StoreError."""
        return stored_voids(self.folder)

    @property
    def authors(self) -> Authors | None:
        """The authors of a ladder, as its book has them now; None where no book is known.

        Raises StoreError.
        """
        return None if self._authors is None else self._authors(self.manifest)

    @cached_property
    def thinned(self) -> Thinned | None:
        """The latest removal of records by rule; None if all are kept. Raises StoreError."""
        found = read_thinned(self.folder, self.manifest.commitment)
        return found[-1] if found else None

    def is_expired(self, record: Location) -> bool:
        """Return whether a record was removed by rule. Raises StoreError."""
        return self.thinned is not None and record.offset + record.length <= self.thinned.end

    def breaker(self, done: Done) -> Breaker:
        """The judge of withdrawals; whoever reads the games adds them to it and to ``done``."""
        return Breaker(self.schedule, self.manifest.identity.breaker, done)

    def verdict(self, look: Callable[[Game], object] = lambda game: None) -> Verdict:
        """Who was withdrawn, by the games and voids; ``look`` gets each game on the way.

        Raises StoreError.
        """
        done = Done(self.schedule.numbers)
        breaker = self.breaker(done)
        for game in self.games(done):
            look(game)
            breaker.add(game.number, game.result)
        for void in self.voids():
            breaker.add_void(void)
        breaker.judge()
        return breaker.verdict

    def discipline(self, name: str) -> Discipline:
        """The discipline of that name. Raises StoreError."""
        found = self.manifest.discipline(name)
        if found is None:
            raise StoreError(f"{self.folder}/run.json: found no game {printable(name)}")
        return found

    def rules(self, discipline: str) -> Rules[Any, Action]:
        """The rules of a discipline, built once. Raises StoreError."""
        if discipline not in self._rules:
            spec = self.discipline(discipline).rules
            with self.rules_errors():
                self._rules[discipline] = make_rules(spec)
        return self._rules[discipline]

    def data_notice(self, discipline: str) -> str:
        """What people have to know of its card data, see ``games.registry``. Raises StoreError."""
        if discipline not in self._data_notices:
            self._data_notices[discipline] = data_notice(self.rules(discipline).spec)
        return self._data_notices[discipline]

    @contextlib.contextmanager
    def rules_errors(self) -> Iterator[None]:
        """Turn RulesError, of a manifest with rules that are none, into StoreError."""
        try:
            yield
        except RulesError as error:
            path = ".".join(map(str, error.path))
            told = f"{self.folder}/run.json: rules: {path}: {printable(str(error))}"
            raise StoreError(told) from None

    def record(self, stored: Stored) -> Record:
        """The record of a game, not applied. Raises StoreError if it is none, or of another."""
        with self.record_errors(stored):
            record, _ = parse(unpack(read_record(self.folder, stored.record)))
            if record.header.spec != stored.result.spec:
                other = record.header.spec.game_id
                raise RecordError(1, f"found the game {other}")
        return record

    @contextlib.contextmanager
    def record_errors(self, stored: Stored) -> Iterator[None]:
        """Say of a damaged record which game it is of."""
        try:
            yield
        except (RecordError, StoreError) as error:
            game = printable(stored.result.spec.game_id)
            told = f"{self.folder}: game {game}: record: {printable(str(error))}"
            raise StoreError(told) from None
