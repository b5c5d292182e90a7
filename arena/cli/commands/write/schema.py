"""``arena schema``: print a JSON Schema."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Final

import msgspec
import typer

from arena.cli import choices
from arena.cli.command import command
from arena.cli.terminal.console import print_document
from arena.documents.problems import check_one_of
from arena.games.registry import GAMES

_FILES = ("protocol", "tournament", "ladder", "bot", "record", "tables")


@dataclass(frozen=True, kw_only=True)
class SchemaOptions:
    """Print a JSON Schema.

    There is one for the protocol, tournament files, ladder.yaml, bot.yaml, records and the rows of
    tables, and one for the observations, events and actions of each game.

    \b
    arena schema protocol
    arena schema dragonheart
    """

    what: Annotated[
        str,
        typer.Argument(
            metavar="protocol|tournament|ladder|bot|record|tables|GAME",
            autocompletion=choices.schemas,
            help="What it describes.",
        ),
    ]


def print_schema(options: SchemaOptions) -> None:
    """Print the schema as indented JSON."""
    print_document(_schema(options.what))


def _schema(what: str) -> dict[str, Any]:
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
        case "tables":
            from arena.views.data.columns import schema

            return schema()
        case _:
            if what not in GAMES:
                check_one_of("WHAT", what, [*_FILES, *GAMES.similar(what)])
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


COMMAND: Final = command(print_schema)
