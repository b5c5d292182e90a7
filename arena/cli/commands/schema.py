"""``arena schema``: print a JSON Schema."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final

from arena.cli.command import command
from arena.cli.documents import schema_of
from arena.cli.terminal.console import print_document
from arena.values.option import Arg


@dataclass(frozen=True, kw_only=True)
class SchemaOptions:
    """Print a JSON Schema.

    There is one for the protocol, tournament files, ladder.yaml, bot.yaml, records, the lines of
    games.jsonl (result) and the rows of tables, one for the observations, events and actions of
    each game, and one for each document that a command prints with --json, by its name.

    \b
    arena schema protocol
    arena schema dragonheart
    arena schema arena.match/1
    """

    what: Annotated[
        str,
        Arg(
            "What it describes.",
            metavar="protocol|tournament|ladder|bot|record|result|tables|GAME|DOCUMENT",
            completes="schemas",
        ),
    ]


def print_schema(options: SchemaOptions) -> None:
    """Print the schema as indented JSON."""
    print_document(schema_of(options.what))


COMMAND: Final = command(print_schema)
