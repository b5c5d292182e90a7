"""The seeds behind the commitments of a run: whether they fit, and what a ladder tells of its own.

A ladder may never end, so each of its rounds has a seed of its own, in a chain that the commitment
of the run fixes (``schedule.seeds.SeedChain``). The line of entries.jsonl that begins a round tells
the seed of the round before, all games of which are on disk by then:

    opens           that seed: SHA-256 makes of it the one that was told before, of the first one
                    the end of its stretch
    fixes           in the first round of each stretch, the end of the next one: long before anybody
                    knows who will meet on its deals

Whoever has the lines can check what they tell, the deals and the lots of all rounds but the last,
and knows nothing of what is still to be played.
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
from arena.schedule.keys import ScheduleKind
from arena.schedule.schedule import Schedule
from arena.schedule.seeds import Opening, SeedChain, Seeds, seed_before


def commitment_of(identity: Identity, opening: Opening) -> str:
    """Of a run; that of a ladder is to the end of its first stretch."""
    if identity.disciplines[0].schedule.kind is ScheduleKind.LADDER:
        opening = Opening(SeedChain(opening.seed).end(0), "")
    return opening.commitment(identity_digest(identity))


def stored_opening(folder: Path, manifest: Manifest) -> Opening:
    """The seed in a folder, whether it fits or not. Raises StoreError."""
    opening = read_opening(folder)
    return msgspec.structs.replace(opening, later=()) if manifest.is_ladder else opening


def fitting_opening(folder: Path, manifest: Manifest) -> Opening:
    """The seed of a run, which is that of its commitment. Raises StoreError."""
    opening = stored_opening(folder, manifest)
    if unfit := unfit_seed(manifest, opening):
        raise StoreError(f"{folder}/run.json: {unfit}")
    if unfit := unfit_round(manifest, opening) or lost_lines(folder, manifest, opening):
        raise StoreError(f"{folder}/{unfit}")
    return opening


def lost_lines(folder: Path, manifest: Manifest, opening: Opening) -> str:
    """Return what is wrong where entries.jsonl has not the last line that the seed names, or "".

    The run may have gone on since ``manifest`` was read. Raises StoreError.
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
    """Why a seed is not that of the commitment; empty if it is."""
    if commitment_of(manifest.identity, opening) == manifest.commitment:
        return ""
    is_older = opening.commitment(identity_digest(manifest.identity)) == manifest.commitment
    if manifest.is_ladder and is_older:
        return "was begun by an arena that could not open rounds; begin another one"
    return "seed and config do not fit the commitment"


def unfit_round(manifest: Manifest, opening: Opening) -> str:
    """Which round has another seed than it should; empty if none has.

    That is the seed of its change's commitment, and where a round follows from the games before
    that of the run: else its deals could be chosen when those who meet are known. Of a ladder it is
    the one that the run's gives, and so is what the lines tell.
    """
    later, chain = manifest.later(opening), SeedChain(opening.seed)
    for number, change in enumerate(manifest.changes):
        where = f"{ENTRIES} line {number + 1}"
        own = later[number : number + 1]
        if not own or not is_fitting(own[0], change):
            return f"{where}: the seed does not fit the commitment"
        if manifest.is_ladder:
            if isinstance(change.follows, Following) and change.follows != telling(
                change.follows, chain
            ):
                return f"{where}: what it tells of seeds is not what the seed of the run gives"
            continue
        is_derived = change.follows is not UNSET or change.refills is not UNSET
        if is_derived and own[0].seed != opening.seed:
            return f"{where}: the seed is not that of the first round, which its deals follow from"
    return ""


def next_opening(manifest: Manifest, opening: Opening) -> Opening:
    """What the commitment of the next change is to, if it follows from the games before."""
    if not manifest.is_ladder:
        return Opening(opening.seed, opening.salt)  # fixed by the commitment of the first day
    last = next((each for each in reversed(manifest.field.follows) if each is not None), None)
    return Opening(SeedChain(opening.seed).of(1 if last is None else last.over + 2), "")


def telling(follows: Following, chain: SeedChain) -> Following:
    """With what the line of a ladder tells of its seeds."""
    over, length = follows.over, seeds.STRETCH
    return msgspec.structs.replace(
        follows,
        opens=chain.of(over) if over else UNSET,
        fixes=UNSET if over % length else chain.end(over // length + 1),
    )


def told(manifest: Manifest) -> tuple[str, ...]:
    """The seeds of the rounds of a ladder that its lines tell, from the first round on."""
    follows = (change.follows for change in manifest.changes)
    found = (each.opens for each in follows if isinstance(each, Following))
    return tuple(each for each in found if isinstance(each, str))


def told_opening(manifest: Manifest) -> Opening:
    """What everybody knows of the seeds of a ladder; empty ones are not told yet."""
    known = told(manifest)
    of_turns = (known[n - 1] if n <= len(known) else "" for n in manifest.turns())
    return Opening("", "", tuple(Opening(seed, "") for seed in of_turns))


def told_games(manifest: Manifest, schedule: Schedule) -> int:
    """Games with numbers below that are of rounds whose seeds are told."""
    known = len(told(manifest))
    lines = zip(manifest.turns(), manifest.changes, strict=True)
    for added, (number, change) in enumerate(lines, 1):
        if number > known and change.pairings:
            return schedule.start_of(added)
    return schedule.numbers


def unfit_told(manifest: Manifest) -> str:
    """Which line of a ladder tells what the lines before and the commitments do not allow; empty:
    none does. Needs no seed of the run."""
    known: list[str] = []
    ends: list[str] = []
    for line, change in enumerate(manifest.changes, 1):
        if not isinstance(change.follows, Following):
            continue
        over, opens, fixes = change.follows.over, change.follows.opens, change.follows.fixes
        if (opens is UNSET) == (over > 0) or (fixes is UNSET) == (over % seeds.STRETCH == 0):
            return f"{ENTRIES} line {line}: tells less of seeds than it has to, or more"
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
        zip(manifest.changes, told_opening(manifest).later, strict=True), 1
    ):
        if own.seed and not is_fitting(own, change):
            return f"{ENTRIES} line {line}: the seed does not fit the commitment"
    return ""


def lots(manifest: Manifest, opening: Opening) -> list[Seeds | None]:
    """By which the pairings of each change are drawn; None: it is not told yet.

    Those of the run, for they are fixed before anybody has entered; of a ladder those of the round.
    """
    if not manifest.is_ladder:
        return [Seeds.of(opening.seed)] * len(manifest.changes)
    later = manifest.later(opening)
    return [Seeds.of(each.seed) if each.seed else None for each in later]
