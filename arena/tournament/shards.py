"""Shares of one run, each played into a folder of its own, by machines that know nothing of others.

The run is opened once: its folder then holds what is played and the seed, and nothing else. With a
copy of it each machine begins its shard, so that all have one commitment and one set of deals; a
salt that each drew for itself would give as many commitments. ``runs.split`` brings them together.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from arena import __version__
from arena.config.tournament import Tournament
from arena.games.registry import other_source
from arena.runs.disk import StoreError
from arena.runs.lock import locked
from arena.runs.manifest import Source, is_run, read_manifest
from arena.runs.store import all_lines, begin, check_is_new
from arena.schedule.shards import Shard
from arena.tournament.run import ConfigMismatch, Run, found_run, machine_of, schedule_of


def folder_of(opened: Path, shard: Shard) -> Path:
    """Where a shard is played, unless somebody says otherwise: beside the run that was opened."""
    return opened.with_name(f"{opened.name}.{shard.number}of{shard.of}")


@contextmanager
def opened_shard(
    tournament: Tournament, shard: Shard, folder: Path, opened: Path, source: Source | None
) -> Iterator[Run]:
    """The shard in ``folder``, found there or begun, and nobody else's meanwhile.

    ``opened``: the folder of the run that was opened; only to begin a shard it has to be there.
    ``source``: as for ``open_run``. Raises ConfigMismatch if the run is of another config,
    StoreError if a folder cannot be used, or holds something else than is asked for.
    """
    whole = None if is_run(folder) else _whole(tournament, opened)
    with locked(folder):
        if whole is not None and not is_run(folder):
            yield _begin(tournament, shard, folder, whole, source)
        else:
            yield _found(tournament, shard, folder, opened)


def _whole(tournament: Tournament, folder: Path) -> Run:
    """The run of which a shard is to be begun."""
    if not is_run(folder):
        raise StoreError(
            f"{folder}: found no run, expected one that was opened once for all shards: "
            "`arena run FILE --open` makes its folder, which is then copied to each machine"
        )
    try:
        run = found_run(tournament, folder)
    except ConfigMismatch as error:
        lines = "".join(f"  {line}\n" for line in error.found)
        raise StoreError(
            f"{folder}: was opened with another config:\n{lines}"
            "put file and bots back as they were then, or copy them from where it was opened"
        ) from None
    if run.manifest.shard is not None:
        raise StoreError(f"{folder}: holds a shard itself, expected a run that was opened")
    if run.manifest.grows:
        raise StoreError(f"{folder}: its rounds follow from results of all games: no shard of it")
    if run.manifest.changes:
        raise StoreError(f"{folder}: its field has changed since it was opened: no shard of it")
    if next(all_lines(folder), None) is not None:
        raise StoreError(f"{folder}: holds games, expected a run that was only opened (--open)")
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
    return Run(folder, manifest, whole.opening, schedule_of(manifest, whole.opening), resumed=False)


def _found(tournament: Tournament, shard: Shard, folder: Path, opened: Path) -> Run:
    run = found_run(tournament, folder)
    check_shard(folder, run.manifest.shard, shard)
    if is_run(opened) and read_manifest(opened).commitment != run.manifest.commitment:
        raise StoreError(
            f"{folder}: holds a shard of another run than {opened}, which was opened anew since: "
            "play into another folder (--output)"
        )
    return run


def check_shard(folder: Path, held: Shard | None, wanted: Shard) -> None:
    """Raises StoreError if the folder holds another share of a run, or all of it."""
    if held != wanted:
        found = "a whole run" if held is None else f"shard {held}"
        raise StoreError(f"{folder}: holds {found}, asked for is shard {wanted}")
