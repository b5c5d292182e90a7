"""JSON Schemas of what arena reads, writes and prints with ``--json``, and of games, by name.

The schema of a document is that of its structure.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

import msgspec

from arena.documents.problems import check_one_of
from arena.games.registry import GAMES

_STRUCTURES: Final = {
    "arena.against/1": "arena.ratings.match.report:AgainstReport",
    "arena.best/1": "arena.ratings.match.report:BestReport",
    "arena.check/1": "arena.views.game.check_text:CheckDocument",
    "arena.checks/1": "arena.api.documents:ChecksDocument",
    "arena.contract/1": "arena.api.documents:ContractDocument",
    "arena.doctor-on/1": "arena.tournament.machines.checkup:Survey",
    "arena.doctor/1": "arena.tournament.machines.checkup:Checkup",
    "arena.error/1": "arena.documents.answer:ErrorDocument",
    "arena.export-tables/1": "arena.api.documents:TablesDocument",
    "arena.export/1": "arena.api.documents:ExportDocument",
    "arena.games/1": "arena.views.game.list_text:GamesDocument",
    "arena.ladder/1": "arena.ladder.table:LadderDocument",
    "arena.match/1": "arena.ratings.match.report:MatchReport",
    "arena.opened/1": "arena.api.documents:OpenedDocument",
    "arena.plan/1": "arena.ratings.match.planner:Plan",
    "arena.ratings/1": "arena.views.standings.tables:StandingsDocument",
    "arena.replay/1": "arena.views.game.text:ReplayDocument",
    "arena.report/1": "arena.api.documents:ReportDocument",
    "arena.site-written/1": "arena.api.documents:SiteDocument",
    "arena.sprt/1": "arena.studies.match.counted:CountedReport",
    "arena.standings/2": "arena.views.standings.tables:StandingsDocument",
    "arena.tune/1": "arena.studies.tune.search:Tuned",
    "arena.verify/1": "arena.api.documents:VerifyDocument",
    "arena.watch/1": "arena.views.live.snapshot:WatchDocument",
}
"""Structure of each document, as module and class."""
DOCUMENTS: Final = tuple(_STRUCTURES)
"""Names of all documents."""


def document_schema(name: str) -> dict[str, Any]:
    """Return the JSON Schema of a document. ``name``: one of DOCUMENTS."""
    module, _, kind = _STRUCTURES[name].partition(":")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": name,
    } | msgspec.json.schema(getattr(import_module(module), kind))


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
