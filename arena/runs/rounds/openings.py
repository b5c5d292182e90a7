"""Check the seeds behind the commitments of a run, and the seeds that a ladder publishes.

A ladder may never end, so each of its rounds has its own seed, in a hash chain that the commitment
of the run fixes (``schedule.seeds.SeedChain``). The line of entries.jsonl that begins a round
publishes the seed of the round before, whose games are all on disk by then:

    opens           that seed. Its SHA-256 is the seed published before; for the first round of a
                    stretch (a part of the chain), the end of the stretch
    fixes           in the first round of each stretch, the end of the next stretch: long before
                    anybody knows who will meet on its deals

The lines suffice to check the published seeds, and the deals and lots of all rounds but the last.
They reveal nothing of what is still to be played.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
from msgspec import UNSET

from arena.runs.disk import StoreError
from arena.runs.field import ENTRIES, Following, is_fitting, read_changes, with_link
from arena.runs.identity import identity_digest
from arena.runs.manifest import Identity, Manifest
from arena.runs.store import read_opening
from arena.schedule import seeds
from arena.schedule.kinds.registry import kind_of
from arena.schedule.schedule import Schedule
from arena.schedule.seeds import Opening, SeedChain, Seeds, seed_before


def commitment_of(identity: Identity, opening: Opening) -> str:
    """Return the commitment of a run; on a ladder, it is to the end of the first stretch."""
    if kind_of(identity.disciplines[0].schedule).is_ladder:
        opening = Opening(SeedChain(opening.seed).end(0), "")
    return opening.commitment(identity_digest(identity))


def stored_opening(folder: Path, manifest: Manifest) -> Opening:
    """Return the seed stored in a folder, without checking that it fits. Raises StoreError."""
    opening = read_opening(folder)
    return msgspec.structs.replace(opening, later=()) if manifest.is_ladder else opening


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

    Each seed must fit the commitment of its change. Where a round follows from earlier games, it
    must be the seed of the run: else its deals could be chosen when the pairings are known. On a
    ladder, it must follow from the seed of the run, and so must the published seeds.
    """
    later, chain = manifest.later(opening), SeedChain(opening.seed)
    for number, change in enumerate(manifest.changes):
        where = f"{ENTRIES} line {number + 1}"
        own = later[number : number + 1]
        if not own or not is_fitting(own[0], change):
            return f"{where}: the seed does not fit the commitment"
        if manifest.is_ladder:
            if isinstance(change.follows, Following) and change.follows != with_seed(
                change.follows, chain
            ):
                return (
                    f"{where}: the seeds it publishes are not those that the seed of the run gives"
                )
            continue
        is_derived = change.follows is not UNSET or change.refills is not UNSET
        if is_derived and own[0].seed != opening.seed:
            return f"{where}: the seed is not that of the first round, which its deals follow from"
    return ""


def next_opening(manifest: Manifest, opening: Opening) -> Opening:
    """Return the opening of the next change's commitment, if the change follows from games."""
    if not manifest.is_ladder:
        return Opening(opening.seed, opening.salt)  # fixed by the commitment of the run
    last = next((each for each in reversed(manifest.field.follows) if each is not None), None)
    return Opening(SeedChain(opening.seed).of(1 if last is None else last.over + 2), "")


def with_seed(follows: Following, chain: SeedChain) -> Following:
    """Return ``follows`` with the seeds that its line of a ladder publishes."""
    over, length = follows.over, seeds.STRETCH
    return msgspec.structs.replace(
        follows,
        opens=chain.of(over) if over else UNSET,
        fixes=UNSET if over % length else chain.end(over // length + 1),
    )


def published_seeds(manifest: Manifest) -> tuple[str, ...]:
    """Return the published seeds of the rounds of a ladder, from the first round on."""
    follows = (change.follows for change in manifest.changes)
    found = (each.opens for each in follows if isinstance(each, Following))
    return tuple(each for each in found if isinstance(each, str))


def published_opening(manifest: Manifest) -> Opening:
    """Return the published seeds of a ladder as an opening; unpublished ones are empty."""
    known = published_seeds(manifest)
    of_turns = (known[n - 1] if n <= len(known) else "" for n in manifest.turns())
    return Opening("", "", tuple(Opening(seed, "") for seed in of_turns))


def published_games(manifest: Manifest, schedule: Schedule) -> int:
    """Return the number of the first game whose round has no published seed."""
    known = len(published_seeds(manifest))
    lines = zip(manifest.turns(), manifest.changes, strict=True)
    for added, (number, change) in enumerate(lines, 1):
        if number > known and change.pairings:
            return schedule.start_of(added)
    return schedule.numbers


def unfit_told(manifest: Manifest) -> str:
    """Return which line of a ladder publishes a seed that contradicts earlier commitments.

    Returns "" if all lines are valid. Needs no seed of the run.
    """
    known: list[str] = []
    ends: list[str] = []
    for line, change in enumerate(manifest.changes, 1):
        if not isinstance(change.follows, Following):
            continue
        over, opens, fixes = change.follows.over, change.follows.opens, change.follows.fixes
        if (opens is UNSET) == (over > 0) or (fixes is UNSET) == (over % seeds.STRETCH == 0):
            return f"{ENTRIES} line {line}: publishes fewer or more seeds than it has to"
        if isinstance(opens, str):
            stretch, place = divmod(over - 1, seeds.STRETCH)
            before = seed_before(opens)
            if over == 1:
                end = Opening(before, "").commitment(identity_digest(manifest.identity))
                fits = end == manifest.commitment
            else:
                fits = before == (known[-1] if place else ends[stretch - 1])
            if not fits:
                text = f"opens round {over} with another seed than was fixed for it"
                return f"{ENTRIES} line {line}: {text}"
            known.append(opens)
        if isinstance(fixes, str):
            ends.append(fixes)
    for line, (change, own) in enumerate(
        zip(manifest.changes, published_opening(manifest).later, strict=True), 1
    ):
        if own.seed and not is_fitting(own, change):
            return f"{ENTRIES} line {line}: the seed does not fit the commitment"
    return ""


def lots(manifest: Manifest, opening: Opening) -> list[Seeds | None]:
    """Return the seeds that draw the pairings of each change; None where not published yet.

    These are the seeds of the run, fixed before any entry; on a ladder, those of the round.
    """
    if not manifest.is_ladder:
        return [Seeds.of(opening.seed)] * len(manifest.changes)
    later = manifest.later(opening)
    return [Seeds.of(each.seed) if each.seed else None for each in later]
