"""Play shards of one run, each in a folder of its own, on machines that do not communicate.

The run is opened once: its folder then holds only the manifest and the seed. Each machine begins
its shard with a copy of that folder, so that all shards share one commitment and one set of deals.
If each machine drew its own salt, the commitments would differ. ``shards.merge`` merges the shards.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from arena import __version__
from arena.games.registry import other_source
from arena.runs.config.tournament import Tournament
from arena.runs.damage import set_damage_aside
from arena.runs.disk import StoreError
from arena.runs.live import locked
from arena.runs.manifest import Source, check_shard, is_run, read_manifest
from arena.runs.store import all_lines, begin, check_is_new
from arena.schedule.pairings import Shard
from arena.tournament.run import ConfigMismatch, Run, found_run, machine_of


@contextmanager
def opened_shard(
    tournament: Tournament, shard: Shard, folder: Path, opened: Path, source: Source | None
) -> Iterator[Run]:
    """Yield the shard in ``folder``, found there or begun, while the folder is locked.

    ``opened``: the folder of the opened run; required only to begin a shard. ``source``: see
    ``open_run``. Raises ConfigMismatch if the run has another config. Raises StoreError if a
    folder cannot be used, or holds another run or shard than requested.
    """
    whole = None if is_run(folder) else _whole(tournament, opened)
    with locked(folder):
        if whole is not None and not is_run(folder):
            yield _begin(tournament, shard, folder, whole, source)
        else:
            yield _found(tournament, shard, folder, opened)


def _whole(tournament: Tournament, folder: Path) -> Run:
    """Return the opened run in the folder. Raises StoreError if no shard of it can begin."""
    if not is_run(folder):
        raise StoreError(
            f"{folder}: found no run, expected one that was opened once for all shards: "
            "`arena run FILE --commit` makes its folder, which is then copied to each machine"
        )
    try:
        run = found_run(tournament, folder)
    except ConfigMismatch as error:
        raise StoreError(
            f"{folder}: was opened with another config:",
            *(f"  {line}" for line in error.found),
            "put file and bots back as they were then, or copy them from where it was opened",
        ) from None
    if run.manifest.shard is not None:
        raise StoreError(f"{folder}: holds a shard itself, expected a run that was opened")
    if reason := run.manifest.kind.indivisible:
        raise StoreError(f"{folder}: {reason}")
    if run.manifest.changes:
        raise StoreError(f"{folder}: its field has changed since it was opened: no shard of it")
    if next(all_lines(folder), None) is not None:
        raise StoreError(f"{folder}: holds games, expected a run that was only opened (--commit)")
    remarks = [other_source(each.rules) for each in run.manifest.disciplines]
    if run.manifest.arena != __version__:
        remarks.append(f"opened by arena {run.manifest.arena}, this is arena {__version__}")
    if remark := next(filter(None, remarks), ""):
        raise StoreError(f"{folder}/run.json: {remark}; all shards are played with the same")
    return run


def _begin(
    tournament: Tournament, shard: Shard, folder: Path, whole: Run, source: Source | None
) -> Run:
    check_is_new(folder)
    machine = machine_of(tournament)
    manifest = msgspec.structs.replace(whole.manifest, shard=shard, source=source, machine=machine)
    begin(folder, manifest, whole.opening)
    return Run(folder, manifest, whole.opening, manifest.schedule(whole.opening), resumed=False)


def _found(tournament: Tournament, shard: Shard, folder: Path, opened: Path) -> Run:
    set_damage_aside(folder)
    run = found_run(tournament, folder)
    check_shard(folder, run.manifest.shard, shard)
    if is_run(opened) and read_manifest(opened).commitment != run.manifest.commitment:
        raise StoreError(
            f"{folder}: holds a shard of another run than {opened}, which was opened again since: "
            "play into another folder (--output)"
        )
    return run
