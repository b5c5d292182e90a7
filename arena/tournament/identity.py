"""What decides a run's results, for the check before a run is resumed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

import msgspec

from arena.tournament.config import Tournament
from arena.tournament.entrants import Entrant
from arena.tournament.schedule import Discipline
from arena.tournament.units import format_duration, format_size


def identity(tournament: Tournament) -> dict[str, Any]:
    """All that may change a result or a table, as plain JSON without paths of this machine.

    Left out are ``name``, ``notes``, ``execution`` and ``output``, which change none; and
    the seed, which stays secret until the run is over. Environment values are hashed.
    """
    own = {
        "arena": 1,
        "games": games_of(tournament.disciplines, [each.name for each in tournament.entrants]),
        "entrants": {entrant.name: _entrant(entrant) for entrant in tournament.entrants},
        "clock": clock_texts(tournament),
        "limits": limit_texts(tournament),
        "names": tournament.names.value,
        "on_fault": tournament.on_fault.value,
        "ratings": None
        if tournament.ratings is None
        else {"anchor": tournament.ratings.anchor, "elo": tournament.ratings.elo},
    }
    return cast("dict[str, Any]", msgspec.json.decode(msgspec.json.encode(own)))


def identity_digest(identity: Mapping[str, Any]) -> str:
    """SHA-256 in hex of the identity as JSON with sorted keys and without spaces."""
    return hashlib.sha256(msgspec.json.encode(identity, order="deterministic")).hexdigest()


def differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """One line for each value that differs between two identities; empty if none does.

    For example ``games.dragonheart-2.schedule.deals: the run has 50, asked for is 60``.
    """
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


def limit_texts(tournament: Tournament) -> dict[str, str]:
    """The limits with units."""
    limits = tournament.limits
    return {"reply": format_size(limits.reply), "stderr": format_size(limits.stderr)}


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
        "env": {name: _hashed(name, value) for name, value in entrant.env.items()},
    }


def _hashed(name: str, value: str) -> str:
    """Tells equal values from different ones without showing them."""
    return hashlib.sha256(f"{name}={value}".encode()).hexdigest()[:16]


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
        case list() | tuple():
            return " ".join(str(each) for each in value)
        case Mapping():
            return ", ".join(f"{key} {_shown(each)}" for key, each in value.items())
        case _:
            return str(value)
