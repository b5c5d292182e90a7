"""Merge the shards of a run into the run folder that an undivided run would have written.

Games and voids are taken, and bots withdrawn, in the order of the schedule, as a single worker
would have done. Games that a shard played with a bot withdrawn before them are left out.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from arena.extensions.machines.shards.collected import LocatedGame, Shards
from arena.referee.records.read import RecordError, parse, unpack
from arena.runs.damage import stated_and_recorded
from arena.runs.disk import StoreError, sync, writing
from arena.runs.live import locked
from arena.runs.store import GAMES, Store, begin, read_record
from arena.runs.withdrawals import Breaker
from arena.schedule.schedule import Done
from arena.values.results import GameSpec


@contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """Yield a temporary folder, which becomes ``folder`` when the block ends without an error.

    Remains of a killed merge are removed. Raises StoreError if ``folder`` exists and is not empty.
    """
    begun = folder.with_name(f".{folder.name}.merging")
    with writing(folder):
        if folder.is_symlink() or (any(folder.iterdir()) if folder.is_dir() else folder.exists()):
            raise StoreError(f"{folder}: is there already, expected a new folder (--output)")
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
            sync(folder.parent)


def _clear(folder: Path) -> None:
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


def merge(shards: Shards, folder: Path, show: Callable[[int], object] = lambda games: None) -> None:
    """Write the merged run into ``folder``, which is empty and locked. Raises StoreError.

    ``show`` is called after each game with the number of games written.
    """
    schedule = shards.schedule
    begin(folder, shards.manifest, shards.opening)
    done = Done(schedule.numbers)
    manifest = shards.manifest
    breaker = Breaker(schedule, manifest.identity.breaker, done, manifest.out)
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


def _record(game: LocatedGame, planned: GameSpec | None) -> bytes:
    """Return the packed record of the ``planned`` game, after checking it. Raises StoreError."""
    folder, stored = game
    spec = stored.result.spec
    try:
        if spec != planned:
            raise RecordError(0, "is not of this schedule and seed")
        packed = read_record(folder, stored.record)
        record, digest = parse(unpack(packed))
        if (record.header.spec, digest) != (spec, stored.result.digest):
            raise RecordError(1, "is that of another game")
        for what, told, recorded in stated_and_recorded(record, digest, stored.result):
            if told != recorded:
                raise RecordError(0, f"{what} is {told} in {GAMES}, {recorded} in it")
    except (RecordError, StoreError) as error:
        what = f"game {spec.game_id}: record: {error}"
        raise StoreError(f"{folder}: {what}") from None
    return packed
