"""Compute the identity of a run: everything that decides its results; checked before a resume.

Commitments bind it to the seeds of the run, which are checked here too.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, cast

import msgspec
from msgspec import UNSET

from arena.entrants.entrants import Entrant
from arena.runs.config.keys import Ratings
from arena.runs.config.texts import clock_texts, schedule_keys
from arena.runs.config.tournament import Tournament, load_tournament, quick_tournament
from arena.runs.disk import StoreError
from arena.runs.field import ENTRIES, EntrantIdentity, is_fitting, read_changes, with_link
from arena.runs.manifest import Identity, Manifest, TournamentSource, Until
from arena.runs.store import read_opening
from arena.schedule.keys import Discipline
from arena.schedule.kinds.registry import grows
from arena.schedule.seeds import Opening
from arena.values.reading import texts_of
from arena.values.results import RulesSpec
from arena.values.units import DAYS

_SCRYPT_COST: Final = 1 << 14
"""Cost parameter N of scrypt: one guess at a secret takes 16 MiB and about 50 ms of a processor."""


def tournament_of(
    source: TournamentSource, seed: str | None, *, has_begun: bool = False
) -> Tournament:
    """Load the tournament of a run, relative to the current folder. Raises ConfigError.

    ``seed``: overrides that of the file; None: the file's, else none. ``has_begun``: see
    ``load_tournament``.
    """
    settings = source.settings
    if source.game is None:
        if source.deals is not None:
            settings += (f"schedule.deals={source.deals}",)
        if seed is not None:
            settings += (f"seed={_yaml_string(seed)}",)
        if source.name is not None:
            settings += (f"name={_yaml_string(source.name)}",)
        return load_tournament(Path(source.targets[0]), settings, has_begun=has_begun)
    return quick_tournament(
        source.game,
        source.targets,
        seats=source.seats,
        data=source.data,
        deals=source.deals,
        seed=seed,
        name=source.name,
        overrides=settings,
    )


def _yaml_string(text: str) -> str:
    """Return ``text`` as a YAML string, with every character escaped that needs it."""
    return msgspec.json.encode(text).decode()


def identity(tournament: Tournament, until: Until | None = None) -> Identity:
    """Return everything that may change a result or a table, without paths of this machine.

    ``name``, ``notes``, ``execution`` and ``output`` are left out because they change nothing. The
    seed is left out because it stays secret until the run has ended. Environment values are hashed
    slowly. Isolation is the requested one, not the one that the machine provided. Paths that bots
    may read are represented by their last components only.
    """
    return Identity(
        disciplines=tournament.disciplines,
        entrants={entrant.name: _entrant(entrant) for entrant in tournament.entrants},
        clock=tournament.clock,
        pondering=tournament.pondering,
        limits=tournament.limits,
        readable=tuple(os.path.basename(path) for path in tournament.readable),
        breaker=tournament.breaker,
        names=tournament.names,
        on_fault=tournament.on_fault,
        ratings=_as_read(tournament.ratings),
        until=until,
        keep=UNSET if tournament.keep is None else tournament.keep,
        learning=UNSET if tournament.learning is None else tournament.learning,
    )


def _as_read(ratings: Ratings | None) -> Ratings | None:
    """Return ratings whose anchor Elo is a float, as decoding yields even for a whole number."""
    return ratings and Ratings(anchor=ratings.anchor, elo=float(ratings.elo))


def canonical(identity: Identity) -> dict[str, Any]:
    """Return the identity as plain JSON, equal for any two identities that are played alike.

    The order of entrants and disciplines does not matter, nor do keys without effect for the kind
    or table size of a schedule. Quantities are exact texts with units, because messages show them.
    """
    names = sorted(identity.entrants)
    own = {
        "arena": 1,
        "games": {each.name: _game(each, names) for each in identity.disciplines},
        "entrants": {
            name: msgspec.structs.replace(each, title=UNSET)
            for name, each in identity.entrants.items()
        },
        "clock": clock_texts(identity.clock, pondering=identity.pondering),
        "limits": texts_of(identity.limits),
        "readable": identity.readable,
        "breaker": texts_of(identity.breaker),
        "names": identity.names,
        "on_fault": identity.on_fault,
        "ratings": identity.ratings,
        **({} if identity.until is None else {"until": identity.until}),
        **({} if identity.keep is UNSET else {"keep": DAYS.format(identity.keep)}),
        **({} if identity.learning is UNSET else {"learning": texts_of(identity.learning)}),
    }
    return cast("dict[str, Any]", msgspec.json.decode(msgspec.json.encode(own)))


def identity_digest(identity: Identity, **more: str | None) -> str:
    """Return the SHA-256, in hex, of the canonical identity with the keys of ``more`` added.

    The hashed JSON has sorted keys and no spaces.
    """
    own = canonical(identity) | more
    return hashlib.sha256(msgspec.json.encode(own, order="deterministic")).hexdigest()


def differences(old: Identity, new: Identity) -> list[str]:
    """Return a line for each value that differs between two identities.

    For example ``games.dragonheart-2.schedule.deals: the run has 50, asked for is 60``.
    """
    if old.until is not new.until:
        return [f"the run is played {old.kind.ending}, asked for is one {new.kind.ending}"]
    return list(_differences(canonical(old), canonical(new), ()))


def terms(identity: Identity) -> Identity:
    """Return the identity without entrants and pairings, which may change while the run lasts."""
    disciplines = [
        msgspec.structs.replace(
            each, entrants=(), schedule=msgspec.structs.replace(each.schedule, pairings=())
        )
        for each in identity.disciplines
    ]
    by_name = sorted(disciplines, key=lambda each: each.name)
    return msgspec.structs.replace(identity, disciplines=tuple(by_name), entrants={})


def _game(discipline: Discipline, names: list[str]) -> dict[str, Any]:
    """Return a played game. ``names``: all entrants, sorted."""
    rules = discipline.rules
    return {
        "rules": rules.name,
        "seats": rules.seats,
        "options": rules.options,
        "data": rules.data,
        "entrants": _playing(discipline, names),
        "schedule": schedule_keys(discipline),
        **_positions(rules),
        **({"by": discipline.by} if discipline.by else {}),
        **({"adjudicate": discipline.adjudicate} if discipline.adjudicate else {}),
        **({"ranking": discipline.ranking} if discipline.ranking else {}),
    }


def _positions(rules: RulesSpec) -> dict[str, Any]:
    """Return the start positions, with the digest of a book; empty without them."""
    if not (positions := rules.positions):
        return {}
    if not positions.book:
        return {"positions": {"random_plies": positions.random_plies}}
    book = hashlib.sha256(msgspec.json.encode(positions.book)).hexdigest()
    return {"positions": {"book": book, "order": positions.order.value}}


def _playing(discipline: Discipline, names: list[str]) -> list[str] | str:
    """Return the entrants, sorted unless their order decides pairings; "all" for all ``names``."""
    if grows(discipline.schedule):
        return list(discipline.entrants)
    playing = sorted(discipline.entrants)
    return "all" if playing == names else playing


def _entrant(entrant: Entrant) -> EntrantIdentity:
    return EntrantIdentity(
        digest=entrant.digest,
        command=entrant.words,
        options=entrant.options,
        isolation=entrant.isolation,
        env={name: _hashed(entrant.name, name, value) for name, value in entrant.env.items()},
        unbuilt=entrant.unbuilt or UNSET,
        title=entrant.title or UNSET,
    )


@lru_cache(maxsize=1024)
def _hashed(entrant: str, name: str, value: str) -> str:
    """Return a salted slow hash, which reveals whether two values are equal but not the values.

    run.json is public. A slow function, with another salt for each entrant and variable, makes
    guessing expensive for an attacker who has only run.json. It cannot protect a short value.
    """
    salt = f"arena environment\0{entrant}\0{name}".encode()
    return hashlib.scrypt(value.encode(), salt=salt, n=_SCRYPT_COST, r=8, p=1, dklen=16).hex()


def _differences(old: object, new: object, path: tuple[str, ...]) -> Iterator[str]:
    is_named = len(path) == 2 and path[0] in ("entrants", "games")
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in sorted({*old, *new}):
            yield from _differences(old.get(key), new.get(key), (*path, key))
    elif isinstance(old, list) and isinstance(new, list) and _nested(old) and _nested(new):
        yield from _list_differences(old, new, path)
    elif is_named:
        yield f"{path[0]}: {path[1]} is only in {'the run' if new is None else 'the file'}"
    elif old != new:
        yield f"{'.'.join(path)}: {_change(old, new, path)}"


def _nested(values: list[object]) -> bool:
    return any(isinstance(value, Mapping | list) for value in values)


def _list_differences(old: list[object], new: list[object], path: tuple[str, ...]) -> Iterator[str]:
    *above, key = path
    if len(old) != len(new):
        yield f"{'.'.join(path)}: the run has {len(old)} entries, asked for are {len(new)}"
    for index, (once, again) in enumerate(zip(old, new, strict=False)):
        yield from _differences(once, again, (*above, f"{key}[{index}]"))


def _change(old: object, new: object, path: tuple[str, ...]) -> str:
    if path[:1] == ("entrants",) and path[2:] == ("digest",):
        return "the bot's files or its command have changed"
    if path[:1] == ("entrants",) and path[2:3] == ("env",):
        return "the value has changed"
    return f"the run has {_shown(old)}, asked for is {_shown(new)}"


def _shown(value: object) -> str:
    match value:
        case None:
            return "none"
        case bool():
            return str(value).lower()
        case list() | tuple():
            return " ".join(str(each) for each in value) or "none"
        case Mapping():
            return ", ".join(f"{key} {_shown(each)}" for key, each in value.items())
        case _:
            return str(value)


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
