"""Documents of ``--json``, and the JSON Schemas of what arena reads and writes, and of games.

The schema of a document is that of its structure. Here are the structures of documents whose
content a command puts together itself.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

import msgspec

from arena.documents.answer import CommandAnswer, RunAnswer
from arena.documents.problems import check_one_of
from arena.games.registry import GAMES
from arena.runs.verify import Discrepancy
from arena.runs.withdrawals import Withdrawal
from arena.views.data.card import ExportedRun, TableFile


class ChecksDocument(CommandAnswer, frozen=True, kw_only=True, tag="arena.checks/1"):
    """The checks of several bots."""

    passed: bool
    """True if no bot would lose games by a fault."""
    bots: tuple[dict[str, Any], ...]
    """``CheckDocument`` of each bot, or its name with the problems why it was not checked."""


class ContractCheck(msgspec.Struct, frozen=True):
    """One check of the rules in all games of a table."""

    check: str
    tested: int
    """Number of comparisons."""
    problem: str | None


class ContractTable(msgspec.Struct, frozen=True):
    """The checks of one table size with one set of options."""

    table: str
    speed: float | None
    """Decisions a second, divided by those of the default game; None for broken rules."""
    checks: tuple[ContractCheck, ...]


class ContractDocument(CommandAnswer, frozen=True, kw_only=True, tag="arena.contract/1"):
    """The contract of rules, as tested for a game."""

    game: str
    passed: bool
    tables: tuple[ContractTable, ...]


class ExportData(msgspec.Struct, frozen=True):
    """Content of ``ExportDocument``."""

    path: str
    bot: str | None
    """Reader of the pack; None: anybody."""
    games: int
    held_back: int
    """Number of games left out because their deals were not completed."""
    expired: int
    """Number of games left out because their records were removed by rule."""


class ExportDocument(RunAnswer[ExportData], frozen=True, tag="arena.export/1"):
    """A pack or proof that was written."""


class TablesData(msgspec.Struct, frozen=True):
    """Content of ``TablesDocument``."""

    path: str
    format: str
    tables: tuple[TableFile, ...]
    runs: tuple[ExportedRun, ...]


class TablesDocument(CommandAnswer, frozen=True, kw_only=True, tag="arena.export-tables/1"):
    """Tables of games that were written."""

    data: TablesData
    warnings: tuple[str, ...]


class OpenedData(msgspec.Struct, frozen=True):
    """Content of ``OpenedDocument``."""

    folder: str
    commitment: str
    games: int | None
    """Number of planned games; None for a run without an end."""


class OpenedDocument(RunAnswer[OpenedData], frozen=True, tag="arena.opened/1"):
    """A run that was begun without playing."""


class ReportData(msgspec.Struct, frozen=True):
    """Content of ``ReportDocument``."""

    path: str
    folder: str | None
    """Name of the folder with games beside the page; None if the page has all."""
    bytes: int
    games: int
    listed: int
    documents: int
    """Number of games to step through."""
    held_back: int


class ReportDocument(RunAnswer[ReportData], frozen=True, tag="arena.report/1"):
    """A report that was written."""


class SiteData(msgspec.Struct, frozen=True):
    """Content of ``SiteDocument``."""

    path: str
    files: int
    written: int
    removed: int
    bytes: int
    bots: int
    games: int
    opened: int
    """Number of games to step through."""
    held_back: int


class SiteDocument(RunAnswer[SiteData], frozen=True, tag="arena.site-written/1"):
    """A site that was written."""


class VerifyData(msgspec.Struct, frozen=True):
    """Content of ``VerifyDocument``."""

    games: int
    planned: int | None
    missing: int | None
    withdrawn: tuple[Withdrawal, ...]
    without_record: int
    given_up: dict[str, int]
    """Number of games that are not played because a bot plays no more, by bot."""
    differences: tuple[Discrepancy, ...]


class VerifyDocument(RunAnswer[VerifyData], frozen=True, tag="arena.verify/1"):
    """The proof of one run or several."""


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
    "arena.sprt/1": "arena.studies.evidence:CountedReport",
    "arena.standings/2": "arena.views.standings.tables:StandingsDocument",
    "arena.tune/1": "arena.studies.tuning:Tuned",
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
