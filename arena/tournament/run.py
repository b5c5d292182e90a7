"""Begin or find a run in its folder, extend it by what follows from its results, keep its seed.

The file with the seed is published when the run ends.
"""

from __future__ import annotations

import contextlib
import datetime
import logging
import os
import platform
import secrets
import stat
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import msgspec
from msgspec import UNSET, UnsetType

from arena import __version__
from arena.entrants.entrants import Entrant
from arena.extensions import package_of
from arena.games.registry import facts_of, make_rules
from arena.hosting.sandbox.isolation import Level
from arena.hosting.sandbox.probes import resolve
from arena.referee.compiled import VARIANT
from arena.runs.config.tournament import Tournament
from arena.runs.damage import set_damage_aside
from arena.runs.disk import STORE_LOG, StoreError, write_atomically, writing
from arena.runs.field import FieldChange, Following, Refill, add_change, last_link, unsound
from arena.runs.growth.kinds import RoundResults
from arena.runs.growth.refills import Refilled, refilled
from arena.runs.growth.rulings import RunRuling, in_force
from arena.runs.identity import commitment_of, differences, fitting_opening, identity, terms
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
from arena.runs.store import SECRET, SEED, begin, check_is_new, encoded, is_public
from arena.runs.withdrawals import WithdrawalState
from arena.schedule.kinds.registry import kind_of
from arena.schedule.pairings import Pairing
from arena.schedule.schedule import Schedule
from arena.schedule.seeds import Opening, Seeds, new_opening
from arena.values.bad_input import BadInput
from arena.values.results import player_of


class ConfigMismatch(StoreError):
    """Error that a folder holds a run of another config; the text lists differences and advice."""

    def __init__(self, folder: Path, found: Sequence[str], wanted: Identity) -> None:
        """Build the message from ``found``, a line per difference from what was ``wanted``."""
        self.found = found
        what, flag = wanted.kind.held
        lines = (f"  {line}" for line in found)
        super().__init__(f"{folder}: holds {what}:", *lines, f"play into another folder ({flag})")


class Run(NamedTuple):
    """A run folder that is ready to be played into."""

    folder: Path
    manifest: Manifest
    opening: Opening
    schedule: Schedule
    resumed: bool
    change: FieldChange | None = None
    """Change with which the run was opened or extended; None: no change."""

    def as_called(self, tournament: Tournament) -> Tournament:
        """Return the tournament with the names that its entrants have in this run."""
        names = self.manifest.field.names(identity(tournament).entrants)
        entrants = [
            msgspec.structs.replace(each, name=names[each.name]) for each in tournament.entrants
        ]
        return msgspec.structs.replace(tournament, entrants=tuple(entrants))


def open_run(
    tournament: Tournament,
    folder: Path,
    source: Source | None,
    until: Until | None = None,
    *,
    is_checked: bool = False,
) -> Run:
    """Begin a run in the folder, or open the run there. The caller holds the folder's lock.

    If only the field differs, the run continues with the new field. ``source``: how to load the
    tournament again; None: it is never loaded again. ``until``: what ends the run; None: the end
    of its schedule. ``is_checked``: the stored games were checked for damage before; else what is
    damaged is set aside. Raises ConfigMismatch if the run there has another config. Raises
    StoreError if the folder cannot be used, or holds games of an unknown run.
    """
    if not is_run(folder):
        check_is_new(folder)
        return _begin(tournament, folder, identity(tournament, until), source)
    if not is_checked:
        set_damage_aside(folder)
    run = found_run(tournament, folder, until, may_change=True)
    if run.manifest.shard is not None:
        raise StoreError(
            f"{folder}: holds shard {run.manifest.shard} of a run, not the whole of it"
        )
    run = run._replace(opening=_bound(folder, run.manifest, run.opening))
    if run.manifest.kind.guards_seed and not run.manifest.is_over:
        keep_seed(folder, run.opening, SECRET)  # git and backups lose the mode, so all may read it
    return run


def found_run(
    tournament: Tournament, folder: Path, until: Until | None = None, *, may_change: bool = False
) -> Run:
    """Return the run, or the shard of a run, in the folder. Raises as ``open_run``.

    ``may_change``: True if the run may continue with another field, which is then stored.
    """
    manifest = read_manifest(folder)
    opening = fitting_opening(folder, manifest)
    own = manifest.identity
    wanted = _as_entered(identity(tournament, until), own)
    is_fixed = not may_change or manifest.is_fixed
    if is_fixed and not manifest.changes:
        found = differences(own, wanted)
    else:
        found = differences(terms(own), terms(wanted))
    if tournament.seed is not None and tournament.seed != opening.seed:
        found.append("seed: the run has another one")
    if found:
        raise ConfigMismatch(folder, found, wanted)
    change = _change(tournament, folder, manifest, opening, wanted)
    if change is None:
        return Run(folder, manifest, opening, manifest.schedule(opening), resumed=True)
    if not may_change:
        raise ConfigMismatch(folder, ["entrants: others than those of the run"], wanted)
    new = manifest.kind.entering(opening, manifest.changes, tournament.seed)
    manifest, opening = _add_change(folder, manifest, opening, change, new)
    schedule = manifest.schedule(opening)
    return Run(folder, manifest, opening, schedule, resumed=True, change=manifest.changes[-1])


def _as_entered(wanted: Identity, own: Identity) -> Identity:
    """Return ``wanted`` with each bot that is the same in ``own`` replaced by its entry there.

    That entry also records whether the bot was built when it entered. Records that are kept longer
    than the run has promised, or for good, keep its promise.
    """
    if own.keep is not UNSET and (wanted.keep is UNSET or wanted.keep >= own.keep):
        wanted = msgspec.structs.replace(wanted, keep=own.keep)
    entered = {
        name: own.entrants[name]
        if name in own.entrants and own.entrants[name].is_same(each)
        else each
        for name, each in wanted.entrants.items()
    }
    return msgspec.structs.replace(wanted, entrants=entered)


def _change(
    tournament: Tournament, folder: Path, manifest: Manifest, opening: Opening, wanted: Identity
) -> FieldChange | None:
    """Return the change that leads to the wanted field; None: no change. Raises StoreError."""
    named = {each.name: each for each in wanted.disciplines}
    disciplines = [named[each.name] for each in manifest.disciplines]
    try:
        entered, left, added = manifest.field.change(wanted.entrants, disciplines)
    except ValueError as error:
        raise ConfigMismatch(folder, [str(error)], wanted) from None
    if not (entered or left or added):
        return None
    if manifest.field.is_over:
        raise StoreError(
            f"{folder}: its rounds have ended; others than those who played begin a new run "
            "(--name or --output)"
        )
    if late := manifest.kind.latecomer(manifest.field, entered):
        raise StoreError(
            f"{folder}: {late} comes late, and who plays in a knockout, a round robin or a later "
            "stage is fixed when that begins; begin a new run (--name or --output)"
        )
    is_known = tournament.seed is None and is_public(folder)
    if is_known and any(each.rules.seats == 1 and each.name in added for each in disciplines):
        raise StoreError(
            f"{folder}: its deals are public since it ended, and where everybody plays alone all "
            "play the same: newcomers would know them; begin a new run (--name or --output)"
        )
    return msgspec.structs.replace(_next_change(manifest, added), entered=entered, left=left)


def rule(folder: Path, ruling: RunRuling) -> Manifest:
    """Write a ruling to disk, and return the manifest with it. The caller holds the folder's lock.

    Bots that it disqualifies leave with all their versions; the last version of a bot that it
    readmits enters again. Raises BadInput if it cannot be made, and StoreError.
    """
    manifest = read_manifest(folder)
    opening, field = fitting_opening(folder, manifest), manifest.field
    change = _next_change(manifest, {})
    before, now = manifest.rulings, in_force((*field.made, (change.number, ruling)))
    active = field.identities.keys() - field.left
    left = sorted(name for name in active if player_of(name) in now.barred)
    back = before.barred.keys() - now.barred.keys()
    newest = {player_of(name): name for name in field.identities}
    entered = {newest[player]: field.identities[newest[player]] for player in sorted(back)}
    change = msgspec.structs.replace(change, ruling=ruling, left=tuple(left), entered=entered)
    if fault := unsound(field, change):
        raise BadInput(fault)
    was_public = is_public(folder)
    own = manifest.kind.entering(opening, manifest.changes, None)
    manifest, opening = _add_change(folder, manifest, opening, change, own)
    if was_public:
        publish_seed(folder, opening)
    return manifest


def _next_change(manifest: Manifest, pairings: dict[str, tuple[Pairing, ...]]) -> FieldChange:
    """Return the next line of the entries, which so far only adds ``pairings``."""
    return FieldChange(
        number=len(manifest.changes) + 1,
        created=_now(),
        before=last_link(manifest.commitment, manifest.changes),
        entered={},
        left=(),
        pairings=pairings,
    )


def next_round(
    run: Run, played: RoundResults | None, verdict: WithdrawalState, *, is_last: bool = False
) -> Run | None:
    """Write the round that follows from the results to disk, and return the extended run.

    Returns None if no round follows, or none yet. ``played`` and ``verdict``: of all games of the
    run, which are finished. ``is_last``: add no round; the end of the run is written if no round
    would follow anyway. The schedule of the run grows in place. The caller holds the folder's lock.
    Raises StoreError, and BadInput as ``RunKind.next_round``.
    """
    manifest = run.manifest
    if verdict.stopped is not None:
        return None
    if manifest.is_over:
        again = refills_of(run, verdict)
        return None if again is None else _added(run, again.pairings, refills=again.why)
    kind, field = manifest.kind, manifest.field
    seeds = Seeds.of(kind.following(run.opening, manifest.changes).seed)
    found = kind.next_round(field, run.schedule, played, verdict, seeds, manifest.anchor)
    if found is None or (is_last and found[1]):
        return None
    return _added(run, found[1], follows=found[0])


def _added(
    run: Run,
    pairings: dict[str, tuple[Pairing, ...]],
    follows: Following | UnsetType = UNSET,
    refills: Refill | UnsetType = UNSET,
) -> Run:
    """Write a change with ``pairings`` to disk; return the extended run. Raises StoreError."""
    manifest, schedule = run.manifest, run.schedule
    own = manifest.kind.following(run.opening, manifest.changes)
    if isinstance(follows, Following):
        follows = manifest.kind.publishing(follows, run.opening)
    change = _next_change(manifest, pairings)
    change = msgspec.structs.replace(change, follows=follows, refills=refills)
    manifest, opening = _add_change(run.folder, manifest, run.opening, change, own)
    schedule.grow(manifest.field.last(Seeds.of(own.seed)))
    return Run(run.folder, manifest, opening, schedule, run.resumed, manifest.changes[-1])


def refills_of(run: Run, verdict: WithdrawalState) -> Refilled | None:
    """Return the refills for tables that withdrawn bots have emptied; None: no refills follow.

    All games of the run are played. A run with a public seed gets no refills, since the deals would
    be known beforehand.
    """
    manifest = run.manifest
    if manifest.shard is not None or not verdict.withdrawn or verdict.stopped is not None:
        return None
    found = refilled(manifest.field, verdict, run.schedule.numbers)
    return None if not found.pairings or is_public(run.folder) else found


def _add_change(
    folder: Path, manifest: Manifest, opening: Opening, change: FieldChange, own: Opening
) -> tuple[Manifest, Opening]:
    """Write a change to disk: its seed, its line, then the link to that line in the seed's file.

    The seed alone changes nothing. On a ladder it follows from the seed of the run and is not
    written; the line of a round reveals the seed of the previous round, all of whose games are on
    disk. No part of the change may be shown before this function returns. Raises StoreError.
    """
    if fault := unsound(manifest.field, change):  # the run would become unreadable
        raise AssertionError(f"line {len(manifest.changes) + 1} of the entries: {fault}")
    change = msgspec.structs.replace(change, commitment=own.commitment(change.digest))
    extended = manifest.kind.with_change(opening, own, len(manifest.changes))
    if extended != opening:
        opening = extended
        _write_opening(folder, opening)
    add_change(folder, change)
    manifest = manifest.then(change)
    return manifest, _bound(folder, manifest, opening)


def _bound(folder: Path, manifest: Manifest, opening: Opening) -> Opening:
    """Update the link in the seed's file to the last line of entries.jsonl.

    Writes nothing if the link is right. The process may have been killed between the write of
    the line and that of the link. Raises StoreError.
    """
    last = last_link("", manifest.changes)
    if opening.entries != last:
        opening = msgspec.structs.replace(opening, entries=last)
        _write_opening(folder, opening)
    return opening


def _write_opening(folder: Path, opening: Opening) -> None:
    with writing(folder / SEED):
        write_atomically(folder / SEED, encoded(opening), SECRET)


def _now() -> str:
    """Return the current time in UTC, in ISO 8601 format, to the second."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


def levels_of(entrants: Iterable[Entrant]) -> dict[str, Level]:
    """Return the isolation level of each entrant on this machine. Raises IsolationError."""
    return {each.name: resolve(each.isolation) for each in entrants}


def _begin(tournament: Tournament, folder: Path, wanted: Identity, source: Source | None) -> Run:
    opening = new_opening(tournament.seed)
    manifest = Manifest(
        format=FORMAT,
        arena=__version__,
        name=tournament.name,
        created=_now(),
        commitment=commitment_of(wanted, opening),
        identity=wanted,
        games=facts_of({each.name: make_rules(each.rules) for each in wanted.disciplines}),
        source=source,
        machine=machine_of(tournament),
        packages=_packages(wanted),
    )
    begin(folder, manifest, opening)
    return Run(folder, manifest, opening, manifest.schedule(opening), resumed=False)


def _packages(identity: Identity) -> dict[str, str]:
    """Return the packages of others that brought the kinds of schedules, by kind."""
    kinds = {each.schedule.kind: kind_of(each.schedule) for each in identity.disciplines}
    found = {name: package_of(type(kind).__module__) for name, kind in kinds.items()}
    return {name: package for name, package in found.items() if package}


def machine_of(tournament: Tournament) -> Machine:
    """Describe this machine, with the isolation levels of entrants that play on this machine.

    Raises IsolationError.
    """
    is_here = tournament.execution.on is None
    return Machine(
        isolation=levels_of(tournament.entrants) if is_here else {},
        system=platform.system(),
        release=platform.release(),
        processor=platform.machine(),
        cores=os.cpu_count(),
        python=".".join(map(str, sys.version_info[:3])),
        exchange=VARIANT,
    )


_OPENED: Final = 0o644

log = logging.getLogger(STORE_LOG)


def publish_seed(folder: Path, opening: Opening) -> None:
    """Make the seed of a finished run readable for everybody. Raises StoreError."""
    path = folder / SEED
    with writing(path):
        if not _holds(path, opening, _OPENED):
            _put_back(path, opening, _OPENED)


def keep_seed(folder: Path, opening: Opening, mode: int | None = None) -> None:
    """Restore the seed's file if it was changed, so that the run can continue; ignore disk errors.

    ``mode``: permissions for an unchanged file; None: as they are. A restored file gets SECRET.
    """
    with contextlib.suppress(OSError):
        if not _holds(folder / SEED, opening, mode):
            _put_back(folder / SEED, opening, SECRET)


def _holds(path: Path, opening: Opening, mode: int | None = None) -> bool:
    """Return whether a regular file at ``path`` holds ``opening``; if so, set its mode.

    Raises OSError.
    """
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


def _put_back(path: Path, opening: Opening, mode: int) -> None:
    if path.is_dir() and not path.is_symlink():  # a file cannot replace a folder
        path.rename(path.with_name(f"{SEED}.{secrets.token_hex(4)}"))
    write_atomically(path, encoded(opening), mode)
    log.warning("%s: was not what this run had written; it was put back", path)
