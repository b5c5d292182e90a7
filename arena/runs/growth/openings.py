"""Check the seeds behind the commitments of a run."""

from __future__ import annotations

from pathlib import Path

from arena.runs.disk import StoreError
from arena.runs.field import ENTRIES, is_fitting, read_changes, with_link
from arena.runs.identity import identity_digest
from arena.runs.manifest import Identity, Manifest
from arena.runs.store import read_opening
from arena.schedule.seeds import Opening


def commitment_of(identity: Identity, opening: Opening) -> str:
    """Return the commitment of a run."""
    return identity.kind.committed(opening).commitment(identity_digest(identity))


def stored_opening(folder: Path, manifest: Manifest) -> Opening:
    """Return the seed stored in a folder, without checking that it fits. Raises StoreError."""
    return manifest.kind.stored(read_opening(folder))


def fitting_opening(folder: Path, manifest: Manifest) -> Opening:
    """Return the seed of a run. Raises StoreError if it does not fit the commitments."""
    opening = stored_opening(folder, manifest)
    if unfit := unfit_seed(manifest, opening):
        raise StoreError(f"{folder}/run.json: {unfit}")
    if unfit := unfit_round(manifest, opening) or lost_lines(folder, manifest, opening):
        raise StoreError(f"{folder}/{unfit}")
    return opening


def lost_lines(folder: Path, manifest: Manifest, opening: Opening) -> str:
    """Return a sentence if entries.jsonl lacks the last line that ``opening`` names, else "".

    The run may have continued since ``manifest`` was read. Raises StoreError.
    """
    if not opening.entries or with_link(manifest.changes, opening.entries):
        return ""
    if with_link(read_changes(folder, manifest.commitment), opening.entries):
        return ""
    left = len(manifest.changes)
    return (
        f"{ENTRIES}: found {left} line{'s'[: left != 1]} without the last one that was written, "
        "which is lost with what it decided; put the file back as it was"
    )


def unfit_seed(manifest: Manifest, opening: Opening) -> str:
    """Return why a seed does not fit the commitment of the run; empty if it does."""
    if commitment_of(manifest.identity, opening) == manifest.commitment:
        return ""
    return "seed and config do not fit the commitment"


def unfit_round(manifest: Manifest, opening: Opening) -> str:
    """Return a sentence about a round with a wrong seed; empty if all seeds are right.

    Each seed must fit the commitment of its change, and what the kind of the run demands.
    """
    later = manifest.later(opening)
    for number, change in enumerate(manifest.changes):
        where = f"{ENTRIES} line {number + 1}"
        own = later[number : number + 1]
        if not own or not is_fitting(own[0], change):
            return f"{where}: the seed does not fit the commitment"
        if unfit := manifest.kind.unfit(change, own[0], opening):
            return f"{where}: {unfit}"
    return ""
