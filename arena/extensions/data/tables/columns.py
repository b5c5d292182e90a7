"""The tables and their columns: the one description from which all formats and pages follow."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Final, NamedTuple, TypeAlias

from arena.extensions.data.export.pack import TABLES as TABLES_SCHEMA
from arena.values.results import FaultKind, Termination
from arena.values.schema import DIALECT

SCHEMA: Final = TABLES_SCHEMA
"""Version of the tables; it changes if a column is removed or changes its meaning."""


class ColumnKind(StrEnum):
    """Type of the values of a column; every value may be null."""

    TEXT = "text"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    JSON = "json"
    """Compact JSON as text."""


class TableColumn(NamedTuple):
    """A column of a table."""

    name: str
    kind: ColumnKind
    meaning: str
    unit: str = ""


class DataTable(NamedTuple):
    """A table: what a row stands for, and its columns."""

    name: str
    row: str
    columns: tuple[TableColumn, ...]

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        return [column.name for column in self.columns]


Row: TypeAlias = tuple[object, ...]
"""Values of a row of a table, in the order of its columns."""


def _words(names: type[StrEnum]) -> str:
    return ", ".join(each.value for each in names)


_TEXT, _INTEGER, _NUMBER, _BOOLEAN, _JSON = ColumnKind
_US: Final = "microseconds"
_RUN: Final = (
    TableColumn("run", _TEXT, "Name of the run"),
    TableColumn("game", _TEXT, "Id of the game in its run, as arena replay takes it"),
)
_WHO: Final = (
    TableColumn("seat", _INTEGER, "Seat at the table, from 0; null for chance"),
    TableColumn("bot", _TEXT, "Name of the bot in that seat, as in the standings"),
)
_DEAL: Final = (
    TableColumn("deal", _TEXT, "Name of the deal, equal in games with the same chance"),
    TableColumn("block", _TEXT, "Block: all seatings of a deal, the unit of statistics"),
)
_TABLE: Final = (
    TableColumn("seats", _INTEGER, "Number of seats at the table", "seats"),
    TableColumn("options", _JSON, "Options of the rules"),
    TableColumn("played_at", _INTEGER, "When the game ended, since 1970 UTC", "seconds"),
)
_TERMINATION: Final = TableColumn(
    "termination", _TEXT, f"How the game ended: {_words(Termination)}"
)
_COUNTED: Final = TableColumn("counted", _BOOLEAN, "Whether the standings count the game")
_DISCIPLINE: Final = TableColumn("discipline", _TEXT, "Rules with their options at one table size")
_PLY: Final = (
    *_RUN,
    TableColumn("ply", _INTEGER, "Number of the ply in its game, from 0, chance included"),
    *_WHO,
    TableColumn(
        "kind",
        _TEXT,
        "decision of a bot, chance, or autopilot: the first legal action, played for a seat at "
        "fault",
    ),
    TableColumn("action", _JSON, "Action, as in the protocol"),
    TableColumn("action_type", _TEXT, "Type of the action"),
    TableColumn("action_index", _INTEGER, "Place of the action in the list of legal ones, from 0"),
    TableColumn("legal_count", _INTEGER, "Number of legal actions", "actions"),
    TableColumn("think_us", _INTEGER, "Time that the decision took", _US),
    TableColumn("eval", _NUMBER, "Number info.eval of the bot; null if it sent no number"),
    TableColumn("nodes", _INTEGER, "Whole number info.nodes of the bot; null if it sent none"),
    TableColumn("info", _JSON, "Remark of the bot on its decision"),
)

GAMES: Final = DataTable(
    "games",
    "game",
    (
        *_RUN,
        _DISCIPLINE,
        TableColumn("rules", _TEXT, "Name of the rules"),
        *_DEAL,
        TableColumn("seating", _INTEGER, "Number of the seating in its block, from 0"),
        _TERMINATION,
        TableColumn("ruling", _TEXT, "Id of the ruling that ended the game; null if none did"),
        TableColumn("plies", _INTEGER, "Length of the game, chance included", "plies"),
        TableColumn("wall_us", _INTEGER, "Duration of the game", _US),
        TableColumn("digest", _TEXT, "Digest of the record without its measurements"),
        _COUNTED,
        *_TABLE,
    ),
)
SEATS: Final = DataTable(
    "seats",
    "seat of a game",
    (
        *_RUN,
        *_WHO,
        TableColumn("version", _TEXT, "Digest of the files of the bot; null for a person"),
        TableColumn("place", _INTEGER, "Place, 1 for the first; tied seats share the better one"),
        TableColumn("score", _INTEGER, "Score by the rules; null if a fault ended the game"),
        TableColumn(
            "margin", _INTEGER, "Points ahead of the best other seat; null in a game with a fault"
        ),
        TableColumn(
            "points",
            _NUMBER,
            "Mean over the seats of other bots: 1 for a better place, 0.5 for the same; null alone",
        ),
        TableColumn("fault", _TEXT, f"Fault of the bot: {_words(FaultKind)}; null without a fault"),
        TableColumn("fault_ply", _INTEGER, "Number of plies before the fault"),
        TableColumn("think_us", _INTEGER, "Time that the bot thought in the game", _US),
        TableColumn("slowest_us", _INTEGER, "Time of its slowest answer", _US),
        TableColumn("decisions", _INTEGER, "Number of its answers", "answers"),
        _DISCIPLINE,
        *_DEAL,
        _TERMINATION,
        _COUNTED,
        *_TABLE,
    ),
)
PLIES: Final = DataTable(
    "plies",
    "ply",
    (
        *_PLY,
        TableColumn(
            "event",
            _JSON,
            "What the reader saw of the ply, in tables for a bot or for spectators; else null",
        ),
    ),
)
DECISIONS: Final = DataTable(
    "decisions",
    "ply of a seat",
    (
        *_PLY,
        TableColumn("observation", _JSON, "What the seat saw when it decided"),
        TableColumn("legal", _JSON, "List of the legal actions"),
        TableColumn("place", _INTEGER, "Final place of the seat"),
        TableColumn("score", _INTEGER, "Final score of the seat; null if a fault ended the game"),
    ),
)
TABLES: Final = {table.name: table for table in (GAMES, SEATS, PLIES, DECISIONS)}

_JSON_TYPES: Final = {_JSON: "string", _TEXT: "string"}


def table_schema(table: DataTable) -> dict[str, Any]:
    """Return the JSON Schema of a row of ``table`` in JSON lines."""
    return {
        "description": f"A {table.row}.",
        "type": "object",
        "properties": {
            column.name: {
                "type": [_JSON_TYPES.get(column.kind, column.kind.value), "null"],
                "description": column.meaning + (f" ({column.unit})" if column.unit else ""),
            }
            | ({"contentMediaType": "application/json"} if column.kind is _JSON else {})
            for column in table.columns
        },
        "required": table.names,
        "additionalProperties": False,
    }


def schema() -> dict[str, Any]:
    """Return the JSON Schema of the rows of all tables, by name under ``$defs``."""
    return {
        **DIALECT,
        "title": SCHEMA,
        "description": "Rows of the tables of arena export --tables. Null means unknown.",
        "$defs": {name: table_schema(table) for name, table in TABLES.items()},
    }
