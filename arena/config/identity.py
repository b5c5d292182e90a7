"""What decides a run's results, for the check before a run is resumed."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final, cast

import msgspec

from arena.config.tournament import Tournament
from arena.documents.units import format_duration, format_share, format_size
from arena.entrants.entrants import Entrant
from arena.results import BreakerPolicy
from arena.schedule.schedule import Discipline

UNTIL: Final = "until"
"""Key of what ends a run, where that is not the last game of its schedule."""
MATCH: Final = "match"
"""It is played until a verdict."""
PERSON: Final = "person"
"""It is played as long as a person wants to, deal after deal, each in one seating."""

_ENDS: Final = {MATCH: "for a verdict", PERSON: "by a person"}
_SCRYPT_COST: Final = 1 << 14
"""Makes one guess at a secret cost 16 MiB and some 50 ms of a processor."""


def identity(tournament: Tournament, until: str | None = None) -> dict[str, Any]:
    """All that may change a result or a table, as plain JSON without paths of this machine.

    ``until``: MATCH, PERSON, or None: the end of the schedule. Left out are ``name``, ``notes``,
    ``execution`` and ``output``, which change none; and the seed, which stays secret until the run
    is over. Environment values are hashed slowly. Isolation is what was asked for, not what the
    machine made of it; paths that bots may read count by their last name alone.
    """
    own = {
        "arena": 1,
        "games": games_of(tournament.disciplines, [each.name for each in tournament.entrants]),
        "entrants": {entrant.name: _entrant(entrant) for entrant in tournament.entrants},
        "clock": {**clock_texts(tournament), "pondering": tournament.pondering},
        "limits": limit_texts(tournament),
        "readable": [os.path.basename(path) for path in tournament.readable],
        "breaker": breaker_texts(tournament.breaker),
        "names": tournament.names.value,
        "on_fault": tournament.on_fault.value,
        "ratings": None
        if tournament.ratings is None
        else {"anchor": tournament.ratings.anchor, "elo": tournament.ratings.elo},
        **({} if until is None else {UNTIL: until}),
    }
    return cast("dict[str, Any]", msgspec.json.decode(msgspec.json.encode(own)))


def identity_digest(identity: Mapping[str, Any]) -> str:
    """SHA-256 in hex of the identity as JSON with sorted keys and without spaces."""
    return hashlib.sha256(msgspec.json.encode(identity, order="deterministic")).hexdigest()


def differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """One line for each value that differs between two identities; empty if none does.

    For example ``games.dragonheart-2.schedule.deals: the run has 50, asked for is 60``.
    """
    ends = [_ENDS.get(str(found.get(UNTIL)), "to its end") for found in (old, new)]
    if ends[0] != ends[1]:
        return [f"the run is played {ends[0]}, asked for is one {ends[1]}"]
    if unknown := sorted({*old} ^ {*new}):
        keys = " and ".join(f"{'no ' if key in new else ''}{key}" for key in unknown)
        return [f"made by another version of arena, whose config has {keys}"]
    return list(_differences(old, new, ()))


def clock_texts(tournament: Tournament) -> dict[str, str]:
    """The time control with units, without the limits that are not set."""
    clock = tournament.clock
    given = {
        "move": clock.move,
        "bank": clock.bank,
        "increment": clock.increment if clock.bank is not None else None,
        "startup": clock.startup,
    }
    return {key: format_duration(value) for key, value in given.items() if value is not None}


def limit_texts(tournament: Tournament) -> dict[str, str | int]:
    """The limits with units, ``none`` for those that are not set."""
    limits = tournament.limits
    return {
        "reply": format_size(limits.reply),
        "stderr": format_size(limits.stderr),
        "memory": format_size(limits.memory) if limits.memory is not None else "none",
        "processes": limits.processes if limits.processes is not None else "none",
        "cpu": format_duration(limits.cpu) if limits.cpu is not None else "none",
        "disk": format_size(limits.disk) if limits.disk is not None else "none",
        "files": limits.files if limits.files is not None else "none",
    }


def breaker_texts(breaker: BreakerPolicy) -> dict[str, str | int]:
    """When a bot is given up, with units."""
    return {
        "faults": format_share(breaker.faults),
        "after": breaker.after,
        "starts": breaker.starts,
        "then": breaker.then.value,
    }


def schedule_keys(discipline: Discipline) -> dict[str, Any]:
    """Its schedule without the keys that say nothing with its kind or table size."""
    schedule = discipline.schedule
    if discipline.rules.seats == 1:
        return {"deals": schedule.deals}
    keys: dict[str, Any] = {
        "kind": schedule.kind.value,
        "deals": schedule.deals,
        "seatings": schedule.seatings.value,
    }
    if schedule.max_pairings is not None:
        keys["max_pairings"] = schedule.max_pairings
    if schedule.focus:
        keys["focus"] = list(schedule.focus)
    if schedule.lineup is not None:
        keys["lineup"] = schedule.lineup.value
    if schedule.pairings:
        keys["pairings"] = [list(pairing) for pairing in schedule.pairings]
    return keys


def games_of(disciplines: Iterable[Discipline], names: Iterable[str]) -> dict[str, Any]:
    """What is played by which of the entrants ``names``, by discipline, as plain JSON."""
    return {each.name: _game(each, sorted(names)) for each in disciplines}


def _game(discipline: Discipline, names: list[str]) -> dict[str, Any]:
    rules, playing = discipline.rules, sorted(discipline.entrants)
    return {
        "rules": rules.name,
        "seats": rules.seats,
        "options": rules.options,
        "data": rules.data,
        "entrants": "all" if playing == names else playing,
        "schedule": schedule_keys(discipline),
    }


def _entrant(entrant: Entrant) -> dict[str, Any]:
    return {
        "digest": entrant.digest,
        "command": list(entrant.words),
        "options": entrant.options,
        "isolation": entrant.isolation.value,
        "env": {name: _hashed(entrant.name, name, value) for name, value in entrant.env.items()},
    }


@lru_cache(maxsize=1024)
def _hashed(entrant: str, name: str, value: str) -> str:
    """Tells equal values from different ones without showing them.

    run.json is public. A slow function, with another salt for each entrant and variable, makes
    trying out values dear for whoever has only that; it cannot make a short one safe.
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
