"""JSON Schemas of what arena reads, writes and prints with ``--json``, and of games, by name.

A document that is a structure of its own has the schema of that structure. All others have members
of a few kinds, which are listed here.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, Final, TypeAlias

import msgspec

from arena.documents.problems import check_one_of
from arena.games.registry import GAMES

Members: TypeAlias = Mapping[str, Any]
"""Types of the members of an object by name; a mapping stands for an object."""

_STRUCTURES: Final = {
    "arena.against/1": "arena.ratings.match.report:AgainstReport",
    "arena.best/1": "arena.ratings.match.report:BestReport",
    "arena.doctor-on/1": "arena.tournament.machines.checkup:Survey",
    "arena.doctor/1": "arena.tournament.machines.checkup:Checkup",
    "arena.match/1": "arena.ratings.match.report:MatchReport",
    "arena.plan/1": "arena.ratings.match.planner:Plan",
    "arena.ratings/1": "arena.views.standings.tables:StandingsDocument",
    "arena.sprt/1": "arena.studies.match.counted:CountedReport",
    "arena.standings/2": "arena.views.standings.tables:StandingsDocument",
    "arena.tune/1": "arena.studies.tune.search:Tuned",
}
_OBJECT: TypeAlias = dict[str, Any]
_OBJECTS: TypeAlias = list[_OBJECT]
_MAYBE: Final = int | None
_CHECK: Final[Members] = {
    "bot": str,
    "isolation": str,
    "seed": str,
    "language": str | None,
    "passed": bool,
    "findings": _OBJECTS,
    "cases": _OBJECTS,
}
_WATCH: Final[Members] = {
    "phase": str,
    "note": str,
    "round": _OBJECT | None,
    "done": int,
    "planned": _MAYBE,
    "withdrawn": list[str],
    "rate": float | None,
    "left": float | None,
    "faults": int,
    "voids": int,
    "workers": list[_OBJECT | None],
    "last": _OBJECTS,
    "tables": _OBJECTS,
}
_DATA: Final[Mapping[str, Members]] = {
    "arena.export-tables/1": {"path": str, "format": str, "tables": _OBJECTS, "runs": _OBJECTS},
    "arena.export/1": {
        "path": str,
        "bot": str | None,
        "games": int,
        "held_back": int,
        "expired": int,
    },
    "arena.games/1": {"stored": int, "planned": _MAYBE, "fitting": int, "games": _OBJECTS},
    "arena.ladder/1": {
        "rounds": int,
        "games": int,
        "headline": _OBJECT | None,
        "bots": _OBJECTS,
    },
    "arena.opened/1": {"folder": str, "commitment": str, "games": _MAYBE},
    "arena.replay/1": {"header": _OBJECT, "plies": _OBJECTS, "end": _OBJECT},
    "arena.report/1": {
        "path": str,
        "folder": str | None,
        "bytes": int,
        "games": int,
        "listed": int,
        "documents": int,
        "held_back": int,
    },
    "arena.site-written/1": {
        "path": str,
        "files": int,
        "written": int,
        "removed": int,
        "bytes": int,
        "bots": int,
        "games": int,
        "opened": int,
        "held_back": int,
    },
    "arena.verify/1": {
        "games": int,
        "planned": _MAYBE,
        "missing": _MAYBE,
        "withdrawn": list[Any],
        "without_record": int,
        "given_up": dict[str, int],
        "differences": list[dict[str, str]],
    },
    "arena.watch/1": _WATCH,
}
"""Members of ``data`` of documents that also have ``warnings``, and ``run`` if of one run."""
_ANSWERS: Final[Mapping[str, Members]] = {
    "arena.check/1": _CHECK,
    "arena.checks/1": {"passed": bool, "bots": _OBJECTS},
    "arena.contract/1": {"game": str, "passed": bool, "tables": _OBJECTS},
    "arena.error/1": {"code": int, "problems": _OBJECTS},
}
_WITHOUT_RUN: Final = ("arena.export-tables/1",)
DOCUMENTS: Final = tuple(sorted([*_STRUCTURES, *_DATA, *_ANSWERS]))
"""Names of all documents."""


def document_schema(name: str) -> dict[str, Any]:
    """Return the JSON Schema of a document. ``name``: one of DOCUMENTS."""
    if name in _STRUCTURES:
        module, _, kind = _STRUCTURES[name].partition(":")
        found = msgspec.json.schema(getattr(import_module(module), kind))
    else:
        members: dict[str, Any] = {"schema": str, "arena": str}
        if name in _ANSWERS:
            members |= _ANSWERS[name]
        else:
            members |= {} if name in _WITHOUT_RUN else {"run": str | None}
            members |= {"data": _DATA[name], "warnings": list[str]}
        found = _object(members)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": name,
    } | found


def _object(members: Members) -> dict[str, Any]:
    """Return the schema of an object with at least these members."""
    return {
        "type": "object",
        "properties": {
            name: _object(kind) if isinstance(kind, Mapping) else msgspec.json.schema(kind)
            for name, kind in members.items()
        },
        "required": [*members],
    }


FILES: Final = ("protocol", "tournament", "ladder", "bot", "record", "result", "tables")
"""Names of schemas besides those of games and documents."""


def schema_of(what: str, where: str = "WHAT") -> dict[str, Any]:
    """Return a JSON Schema by its name, or by the name of a game or a document.

    ``where``: the argument that gave the name. Raises BadInput for an unknown name.
    """
    match what:
        case "protocol":
            from arena.protocol.messages import schema

            return schema()
        case "tournament":
            from arena.config.schemas import schema_tournament

            return schema_tournament()
        case "ladder":
            from arena.config.schemas import schema_ladder

            return schema_ladder()
        case "bot":
            from arena.config.schemas import schema_bot

            return schema_bot()
        case "record":
            from arena.records.format import schema

            return schema()
        case "result":
            from arena.runs.store import schema

            return schema()
        case "tables":
            from arena.views.data.columns import schema

            return schema()
        case _ if what in DOCUMENTS:
            return document_schema(what)
        case _:
            check_one_of(where, what, [*FILES, *sorted(GAMES), *DOCUMENTS])
            return _game_schema(what)


def _game_schema(game: str) -> dict[str, Any]:
    """Return the schemas of a game's observations, events and actions, by name under ``$defs``."""
    family = GAMES[game]
    types = (family.observation_type, *family.event_types, *family.action_types)
    _, definitions = msgspec.json.schema_components(types, ref_template="#/$defs/{name}")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"{family.title}: observation, events and actions",
        "$defs": definitions,
    }
