"""The versions of a ladder's bots: a folder for each digest, which never changes; and quarantine.

bots/DIGEST/        a version, with the files it was admitted with
bots/.new.*         a version being copied; what a kill leaves is removed at the next start

``quarantine.json`` lists the bots that cannot be checked or built here:

    bot         name of the bot
    at          UTC, ISO 8601
    reason      in one line
    digest      of a version that was admitted before and cannot be built; else empty

A quarantined bot is not refused or withdrawn: it has no known fault. The file is for people
and for ``arena ladder LADDER --status``; the keeper decides again at each start.

Versions passed the check of admission with the same files. So a failure to build them later is a
fault of the machine: a missing program, another compiler, a cache that cannot be written.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final, TypeAlias

import msgspec

from arena.entrants import cache
from arena.entrants.folders import Bounds, FolderError, disk_use, folder_digest, is_no_source
from arena.entrants.manifest import load_bot, missing_programs
from arena.extensions.ladder.file import Ladder, Member
from arena.extensions.publishing.folders import replace_folder
from arena.hosting.sandbox.isolation import Isolation
from arena.hosting.workspace.trees import is_foreign, private_folder, remove_tree
from arena.runs.config.tournament import Tournament
from arena.runs.disk import StoreError, read_json, write_atomically, writing
from arena.runs.store import SECRET
from arena.tournament.executor import PoolError
from arena.tournament.players import built
from arena.tournament.prepare import with_bots
from arena.values.problems import ConfigError, Problems

BOTS: Final = "bots"
_NEW: Final = ".new."
_COPY: Final = "bot"


def place_of(ladder: Path, digest: str) -> Path:
    """Return the folder of a version."""
    return ladder / BOTS / digest


def disk_use_of(ladder: Path, digest: str, isolation: Isolation) -> int:
    """Return the size of a version and of the results of its builds, in bytes on disk."""
    place = place_of(ladder, digest)
    places = cache.places_of(digest, _commands(place), isolation)
    return disk_use(place) + sum(map(cache.size_of, places))


@lru_cache(maxsize=10_000)
def _commands(place: Path) -> tuple[tuple[str, ...], ...]:
    """Return the build commands of a version, whose files never change."""
    try:
        return load_bot(place).manifest.build
    except ConfigError:  # it is gone, or was damaged
        return ()


class VersionStore:
    """The versions that a ladder holds. The caller holds the ladder's lock."""

    def __init__(self, folder: Path) -> None:
        """Open the folder of versions and remove unfinished ones. Raises StoreError."""
        self._folder = folder / BOTS
        with writing(self._folder):
            private_folder(self._folder)
            for path in self._folder.glob(f"{_NEW}*"):
                remove_tree(path)

    @contextlib.contextmanager
    def taking(self) -> Iterator[Path]:
        """Yield a path for a copy, which is removed afterwards unless ``keep`` has moved it.

        Raises OSError.
        """
        unfinished = Path(tempfile.mkdtemp(prefix=_NEW, dir=self._folder))
        try:
            yield unfinished / _COPY
        finally:
            with contextlib.suppress(OSError):  # the next start removes it
                remove_tree(unfinished)

    def keep(self, copy: Path, digest: str) -> None:
        """Move a copy to its final folder, unless that exists. Raises OSError."""
        place = self._folder / digest
        if place.is_dir():
            return
        replace_folder(copy, place)


def digest_of(copy: Path) -> str:
    """Return the digest of the bot in the folder ``copy``, as a tournament computes it.

    Without a readable manifest, return the digest of all files. Raises FolderError.
    """
    skip = is_foreign
    with contextlib.suppress(ConfigError):
        if load_bot(copy).manifest.build:
            skip = is_no_source
    return folder_digest(copy, skip)


QUARANTINE: Final = "quarantine.json"

Key: TypeAlias = tuple[str, str]
"""Name of a bot, and the digest of an admitted version, or "" for a submission."""


class Quarantined(Exception):
    """Raised for a submission that cannot be decided on this machine now."""

    def __init__(self, said: Sequence[str]) -> None:
        """Keep ``said`` for the author: the reason in one line, then more lines."""
        super().__init__(said[0])
        self.said = tuple(said)


class QuarantineEntry(msgspec.Struct, frozen=True):
    """The reason why a bot is in quarantine."""

    bot: str
    at: str
    reason: str
    digest: str = ""

    def __str__(self) -> str:
        return f"{self.bot} is quarantined since {self.at[:10]}: {self.reason}"


class Quarantine:
    """The bots of a ladder that are in quarantine."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / QUARANTINE
        self.cases: dict[Key, QuarantineEntry] = {}
        with contextlib.suppress(StoreError):  # there is none, or it cannot be read
            found: list[QuarantineEntry] = read_json(self._path, list[QuarantineEntry])
            self.cases = {(each.bot, each.digest): each for each in found}

    def add(self, case: QuarantineEntry) -> None:
        """Put a bot into quarantine. Raises StoreError."""
        key = case.bot, case.digest
        if key not in self.cases or self.cases[key].reason != case.reason:
            self.cases[key] = case
            self._write()

    def release(self, keys: Iterable[Key]) -> None:
        """End the quarantine of those ``keys`` that are in it. Raises StoreError."""
        gone = self.cases.keys() & set(keys)
        for key in gone:
            del self.cases[key]
        if gone:
            self._write()

    def _write(self) -> None:
        data = msgspec.json.format(msgspec.json.encode([*self.cases.values()]), indent=1) + b"\n"
        with writing(self._path):
            write_atomically(self._path, data, SECRET)


_UNBUILT: Final = "it can be built no longer"

Unready: TypeAlias = Callable[[str, Sequence[str]], object]
"""Callback with the name of a bot and the reason, in lines. The reason is empty if building the bot
raised an unexpected exception, which is then being handled."""


def planned(ladder: Ladder, members: Sequence[Member], unready: Unready) -> Tournament:
    """Return the tournament of ``ladder`` with the bots ``members``.

    If that fails, ``unready`` is called for each bot for which the machine lacks a program. Then
    ConfigError is raised.
    """
    try:
        return ladder.tournament(members)
    except ConfigError:
        for each in members:
            if said := _lacking(ladder, each):
                unready(each.name, said)
        raise


def _lacking(ladder: Ladder, member: Member) -> Sequence[str]:
    """Return the programs that a bot needs and the machine lacks.

    Returns nothing if the bot's files have changed, as these may need other programs.
    """
    try:
        ladder.tournament([member])
    except ConfigError:
        with contextlib.suppress(ConfigError, FolderError):
            bot = load_bot(member.folder)
            if digest_of(member.folder) == member.folder.name:
                return _texts(missing_programs(bot, built=False))
    return ()


def _texts(problems: Problems) -> Sequence[str]:
    try:
        problems.raise_if_any()
    except ConfigError as error:
        return [*dict.fromkeys(each.found for each in error.problems)]
    return ()


def with_all_bots(
    tournament: Tournament, anchors: int, bounds: Bounds, unready: Unready
) -> Tournament:
    """Return ``tournament`` with all its bots built; the first ``anchors`` bots are anchors.

    ``bounds`` limit the size and number of files that builds of the others may produce.
    ``unready`` is called for each of the others that cannot be built. Then the error of the build
    is raised: ConfigError, StoreError, PoolError, or for a bug any exception.
    """
    try:
        return with_bots(tournament, bounds=bounds, unbounded=anchors)
    except (StoreError, PoolError):
        raise
    except Exception:
        readable = tournament.readable
        built(tournament.entrants[:anchors], readable)
        for each in tournament.entrants[anchors:]:
            try:
                built([each], readable, bounds=bounds)
            except ConfigError as error:
                lines = [line for each in error.problems for line in each.found.splitlines()]
                unready(each.name, [_UNBUILT, *lines])
            except Exception:
                unready(each.name, ())
        raise
