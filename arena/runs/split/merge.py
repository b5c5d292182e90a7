"""Makes one run of its shards: what a run that was never divided would hold.

Games and voids are taken in the order of the schedule, and bots are withdrawn by it, as one worker
would have come by them: what a shard played of a bot that was given up before is left out.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from arena.documents.problems import printable
from arena.records.read import RecordError, parse, unpack
from arena.results import GameSpec
from arena.runs.disk import StoreError, cannot_write, sync_folder
from arena.runs.lock import locked
from arena.runs.split.shards import Found, Shards
from arena.runs.store import Store, begin, read_record
from arena.runs.withdrawals import Breaker
from arena.schedule.schedule import Done


@contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """A folder for a run that gets its name when the block ends, and only with all that is in it.

    What a killed merge left is removed. Raises StoreError if there is something of that name.
    """
    if folder.is_symlink() or (folder.exists() and not _is_empty(folder)):
        raise StoreError(f"{folder}: is there already, expected a new folder (--output)")
    begun = folder.with_name(f".{folder.name}.merging")
    try:
        if begun.is_symlink():
            begun.unlink()
        with locked(begun):
            _clear(begun)
            try:
                yield begun
                begun.rename(folder)
            except BaseException:
                _clear(begun)
                begun.rmdir()
                raise
            sync_folder(folder.parent)
    except OSError as error:
        raise cannot_write(folder, error) from error


def _clear(folder: Path) -> None:
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


def _is_empty(folder: Path) -> bool:
    return folder.is_dir() and not any(folder.iterdir())


def merge(shards: Shards, folder: Path, show: Callable[[int], object] = lambda games: None) -> None:
    """Write the run into an empty folder, which is locked. Raises StoreError.

    ``show`` is told after each game how many are written.
    """
    schedule = shards.schedule
    begin(folder, shards.manifest, shards.opening)
    done = Done(schedule.numbers)
    breaker = Breaker(schedule, shards.manifest.identity.breaker, done)
    with Store(folder) as store:
        for number, names in schedule.order():
            if not breaker.verdict.withdrawn.keys().isdisjoint(names):
                continue
            for void in shards.voids(number):
                store.add_void(void)
                breaker.add_void(void)
            game = shards.game(number)
            if game is not None:
                result = game.stored.result
                record = _record(game, schedule.game(result.spec.game_id))
                stored = msgspec.structs.replace(game.stored, machine=shards.machine(game))
                said = shards.said(number, result.spec)
                store.copy(stored, record, said, shards.wire(number, result.spec))
                done.add(number)
                show(len(done))
                breaker.add(number, result)
            if breaker.judge() and breaker.verdict.stopped is not None:
                return


def _record(game: Found, planned: GameSpec | None) -> bytes:
    """The packed record, which is that of the game. Raises StoreError."""
    folder, stored = game
    spec = stored.result.spec
    try:
        if spec != planned:
            raise RecordError(0, "is not of this schedule and seed")
        packed = read_record(folder, stored.record)
        record, digest = parse(unpack(packed))
        if (record.header.spec, digest) != (spec, stored.result.digest):
            raise RecordError(1, "is that of another game")
    except (RecordError, StoreError) as error:
        what = f"game {printable(spec.game_id)}: record: {printable(str(error))}"
        raise StoreError(f"{folder}: {what}") from None
    return packed
