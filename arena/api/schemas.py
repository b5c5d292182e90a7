"""JSON Schemas of what arena reads and writes, and the rules of games, by name."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from arena.api.documents import DOCUMENTS
from arena.api.documents import schema as document_schema
from arena.documents.problems import check_one_of
from arena.games.registry import GAMES

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
