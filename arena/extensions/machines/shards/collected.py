"""Collect the shards of a run from several folders, and check that they belong together.

Every error names the folder that is at fault.
"""

from __future__ import annotations

import contextlib
import os
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import groupby
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from arena.runs.disk import StoreError, check_file, in_place
from arena.runs.identity import differences, fitting_opening
from arena.runs.live import locked
from arena.runs.manifest import Manifest, read_manifest
from arena.runs.reader import Places, StoredGame
from arena.runs.store import GAMES, HEADING, Stored, all_lines, stored_voids, wire_file
from arena.runs.voids import VOIDS, Void
from arena.runs.withdrawals import Breaker
from arena.schedule.pairings import Shard
from arena.schedule.schedule import Done, Schedule
from arena.schedule.seeds import Opening
from arena.values.results import GameResult, GameSpec, Seat
from arena.values.units import Name

_NOTHING: Final = -1
_LONGEST_EXCHANGE: Final = 64 << 20
"""Greatest size of a kept exchange that is read, in bytes; real ones are far smaller."""
_SHOWN: Final = 3
"""Greatest number of differences in an error message."""


class LocatedGame(NamedTuple):
    """A stored game and the folder that holds it."""

    folder: Path
    stored: Stored


class Shards:
    """The combined contents of shard folders."""

    def __init__(self, folders: Sequence[Path], manifests: Sequence[Manifest]) -> None:
        """Read the folders, which are sorted by shard, locked and accepted by ``check``.

        Takes eight bytes per game of the tournament. Raises StoreError.
        """
        first = manifests[0]
        self.manifest = msgspec.structs.replace(first, shard=None)
        """Manifest of the whole run."""
        self.opening: Opening = fitting_opening(folders[0], first)
        self.schedule = self.manifest.schedule(self.opening)
        """Schedule of the whole run."""
        self.folders = list(folders)
        self.manifests = list(manifests)
        self._decoder = msgspec.json.Decoder(Stored)
        self._places = array("q", [_NOTHING]) * self.schedule.numbers
        """Per game, (offset of its line) × (number of folders) + (index of its folder), or -1."""
        self._voids: dict[int, list[tuple[int, Void]]] = {}
        """Voids by game, each with the index of its folder."""
        self._said: dict[tuple[str, int], list[_Section]] = {}
        """Captured stderr, by bot and game."""
        self.left: dict[Shard, int] = {}
        """Number of games left to play, by unfinished shard."""
        shards = [_shard_of(*each) for each in zip(folders, manifests, strict=True)]
        every = (Shard(number, shards[0].of) for number in range(1, shards[0].of + 1))
        self.missing = [shard for shard in every if shard not in shards]
        """Shards without a folder."""
        for shard, same in groupby(range(len(shards)), shards.__getitem__):
            if games := self._read(list(same)):
                self.left[shard] = games

    def game(self, number: int) -> LocatedGame | None:
        """Return the game with that number in the schedule; None if no folder has it.

        Raises StoreError.
        """
        place = self._places[number]
        if place == _NOTHING:
            return None
        offset, which = divmod(place, len(self.folders))
        folder = self.folders[which]
        try:
            with (folder / GAMES).open("rb") as file:
                file.seek(offset)
                return LocatedGame(folder, self._decoder.decode(file.readline()))
        except (OSError, msgspec.MsgspecError) as error:
            raise StoreError(f"{folder / GAMES}: was changed while it was read: {error}") from None

    def machine(self, game: LocatedGame) -> str:
        """Return the machine that played a game, from its line, or else "shard" and its number."""
        shard = self.manifests[self.folders.index(game.folder)].shard
        return game.stored.machine or f"shard {shard}"

    def voids(self, number: int) -> list[Void]:
        """Return the voids of a game from one folder: that which holds the game, else the first."""
        found = self._voids.get(number, [])
        place = self._places[number]
        told_by = found[0][0] if found and place == _NOTHING else place % len(self.folders)
        return [void for which, void in found if which == told_by]

    def said(self, number: int, spec: GameSpec) -> list[tuple[str, bytes]]:
        """Return the stderr of each bot in a stored game, as in the log, with the bot's name."""
        which = self._places[number] % len(self.folders)
        found = []
        for name in dict.fromkeys(spec.entrants):
            for section in self._said.get((name, number), ()):
                if section.folder == which:
                    found.append((name, section.read(_log(self.folders[which], name))))
        return found

    def wire(self, number: int, spec: GameSpec) -> dict[Seat, bytes]:
        """Return the kept exchanges of a stored game with its bots, by seat."""
        folder, found = self.folders[self._places[number] % len(self.folders)], {}
        for seat in range(len(spec.entrants)):
            path = wire_file(folder, spec, seat)
            with (
                contextlib.suppress(OSError),  # diagnostics: losing them loses no result
                open(path, "rb", opener=in_place) as file,
            ):
                found[seat] = file.read(_LONGEST_EXCHANGE)
        return found

    def _read(self, same: Sequence[int]) -> int:
        """Read the folders ``same`` of one shard; return how many of its games are left to play."""
        part = _ShardGames(self.manifests[same[0]])
        for which in same:
            fitting_opening(self.folders[which], self.manifests[which])
            self._read_games(which, part)
            self._read_voids(which, part.schedule)
            self._read_logs(which)
        return part.left(void for number in self._voids for void in self.voids(number))

    def _read_games(self, which: int, part: _ShardGames) -> None:
        folder = self.folders[which]
        places = Places(folder, part.schedule)
        lines = zip(all_lines(folder), _offsets(folder / GAMES), strict=False)
        for (line, stored), offset in lines:
            game = places.place(line, stored)
            if game is None:
                continue
            if part.add(game):
                self._places[game.number] = offset * len(self.folders) + which
            else:
                self._check_same(folder, game.number, stored.result)
        places.warn()

    def _check_same(self, folder: Path, number: int, result: GameResult) -> None:
        other = self.game(number)
        if other is not None and other.stored.result.unmeasured() != result.unmeasured():
            raise StoreError(
                f"{other.folder} and {folder}: both hold the same shard, but the game "
                f"{result.spec.game_id} went differently: leave one of them out"
            )

    def _read_voids(self, which: int, part: Schedule) -> None:
        folder = self.folders[which]
        for void in stored_voids(folder):
            spec = part.game(void.game)
            if spec is None:
                game = void.game
                raise StoreError(f"{folder / VOIDS}: {game}: not a game of this shard")
            number = part.number(void.game) or 0
            self._voids.setdefault(number, []).append((which, void))

    def _read_logs(self, which: int) -> None:
        """Find the parts of the logs of folder ``which`` that belong to each game."""
        for name in self.manifest.entrants:
            for game, section in _sections(which, _log(self.folders[which], name)):
                if (number := self.schedule.number(game)) is not None:
                    self._said.setdefault((name, number), []).append(section)


class _ShardGames:
    """Games of one shard, collected from all its folders."""

    def __init__(self, manifest: Manifest) -> None:
        self.schedule = manifest.schedule()
        self._done = Done(self.schedule.numbers)
        policy = manifest.identity.breaker
        self._breaker = Breaker(self.schedule, policy, self._done, manifest.out)

    def add(self, game: StoredGame) -> bool:
        """Add a game; return whether it is new."""
        is_new = self._done.add(game.number)
        if is_new:
            self._breaker.add(game.number, game.result)
        return is_new

    def left(self, voids: Iterable[Void]) -> int:
        """Return how many games resuming the shard would play, without those of withdrawn bots."""
        for void in voids:  # voids of other shards are ignored
            self._breaker.add_void(void)
        self._breaker.judge()
        withdrawn, stopped = self._breaker.verdict
        if stopped is not None:
            return 0
        return sum(
            number not in self._done and withdrawn.keys().isdisjoint(names)
            for number, names in self.schedule.order()
        )


@contextmanager
def gathered(folders: Sequence[Path]) -> Iterator[Shards]:
    """Lock and read the shards in these folders. Raises StoreError."""
    found = list({os.path.realpath(folder): folder for folder in folders}.values())
    manifests = [read_manifest(folder) for folder in found]
    check(found, manifests)
    order = sorted(range(len(found)), key=lambda k: _shard_of(found[k], manifests[k]).number)
    with ExitStack() as locks:
        for folder in found:
            locks.enter_context(locked(folder))
        yield Shards([found[k] for k in order], [manifests[k] for k in order])


def check(folders: Sequence[Path], manifests: Sequence[Manifest]) -> None:
    """Raise StoreError at the first folder that is not of the same run as ``folders[0]``."""
    for folder, manifest in zip(folders, manifests, strict=True):
        try:
            msgspec.convert(manifest.entrants, tuple[Name, ...])  # names files
        except msgspec.ValidationError as error:
            raise StoreError(f"{folder}/run.json: entrants: {error}") from None
        of = _shard_of(folder, manifest).of
        if why := _stranger(manifest, manifests[0]):
            raise StoreError(f"{folder}: {why} than {folders[0]}")
        if of != (expected := _shard_of(folders[0], manifests[0]).of):
            raise StoreError(f"{folder}: one of {of} shards, {folders[0]} is one of {expected}")


def _shard_of(folder: Path, manifest: Manifest) -> Shard:
    if manifest.shard is None:
        raise StoreError(f"{folder}: holds a whole run, expected a shard of one")
    return manifest.shard


def _stranger(manifest: Manifest, first: Manifest) -> str:
    """Return why ``manifest`` is not of the same run as ``first``; empty if it is."""
    found = [each.partition(":")[0] for each in differences(first.identity, manifest.identity)]
    if found:
        more = ", …" if len(found) > _SHOWN else ""
        return f"a shard of another config ({', '.join(found[:_SHOWN])}{more})"
    if manifest.arena != first.arena:
        return f"begun by arena {manifest.arena}, another version"
    for one, other in zip(manifest.disciplines, first.disciplines, strict=True):
        if (one.rules.package, one.rules.version) != (other.rules.package, other.rules.version):
            what = f"{one.name} of {one.rules.package} {one.rules.version}"
            return f"begun with {what}, another version"
    if manifest.commitment != first.commitment:
        return "a shard of another seed, or of a run that was opened another time,"
    if manifest.identity != first.identity or manifest.name != first.name:
        return "run.json names or orders its entrants and games otherwise"
    return ""


def _offsets(path: Path) -> Iterator[int]:
    """Yield the offset of each line of a file, in bytes."""
    offset = 0
    with path.open("rb") as file:
        for line in file:
            yield offset
            offset += len(line)


class _Section(NamedTuple):
    """A part of a bot's log: what the bot wrote in one game."""

    folder: int
    offset: int
    length: int

    def read(self, path: Path) -> bytes:
        """Return the text with a final line feed, which the size limit of logs may have cut off."""
        try:
            with open(path, "rb", opener=in_place) as file:
                file.seek(self.offset)
                return file.read(self.length).removesuffix(b"\n") + b"\n"
        except OSError:  # diagnostics: losing them loses no result
            return b""


def _log(folder: Path, name: str) -> Path:
    return folder / "logs" / f"{name}.stderr"


def _sections(which: int, path: Path) -> Iterator[tuple[str, _Section]]:
    """Yield the parts of a log with the ids of their games; nothing without a log."""
    check_file(path)
    game, offset, length = "", 0, 0
    try:
        with open(path, "rb", opener=in_place) as file:
            for line in file:
                if line.startswith(HEADING):
                    yield game, _Section(which, offset, length)
                    game = line.removeprefix(HEADING).rstrip(b"\n").decode("utf-8", "replace")
                    offset, length = offset + length + len(line), 0
                else:
                    length += len(line)
    except OSError:
        return
    yield game, _Section(which, offset, length)
