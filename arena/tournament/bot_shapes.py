"""The keys of a bot manifest, ``bot.yaml``: what may be written, and what it means."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import Meta

from arena.tournament.values import Argv, Name, OptionName, Version


class OptionKind(StrEnum):
    """The type of a bot's option."""

    INT = "int"
    FLOAT = "float"
    BOOL = "bool"
    TEXT = "text"
    CHOICE = "choice"


OptionValue: TypeAlias = bool | int | float | str


class BotOption(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One option of a bot."""

    type: Annotated[OptionKind, Meta(description="What it holds.")]
    default: Annotated[OptionValue, Meta(description="Sent unless the tournament says else.")]
    min: Annotated[int | float | None, Meta(description="Least value, of int and float.")] = None
    max: Annotated[int | float | None, Meta(description="Greatest value, of int and float.")] = None
    choices: Annotated[tuple[str, ...], Meta(description="Possible values, of choice.")] = ()
    help: Annotated[str, Meta(description="What it does, in one line.")] = ""


class Manifest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A bot.yaml: what a bot is called, how it starts and what it plays."""

    bot: Annotated[Literal[1], Meta(description="Version of this format.")]
    name: Annotated[Name, Meta(description="The bot's name in tables.")]
    version: Annotated[str, Meta(max_length=64, description="The bot's own version.")] = ""
    authors: Annotated[tuple[str, ...], Meta(description="Who wrote it.")] = ()
    license: Annotated[str, Meta(description="Under which terms it may be used.")] = ""
    language: Annotated[str, Meta(description="What it is written in, for tables.")] = ""
    plays: Annotated[
        dict[str, tuple[Annotated[int, Meta(ge=1, le=64)], ...]] | None,
        Meta(description="Table sizes by name of the rules. Default: everything."),
    ] = None
    protocol: Annotated[Literal[1], Meta(description="Version of the protocol it speaks.")] = 1
    command: Annotated[
        Argv, Meta(description="Starts the bot; no shell. Looked up in its folder, then in PATH.")
    ]
    build: Annotated[
        tuple[Argv, ...], Meta(description="Commands that build the bot, run in a copy of it.")
    ] = ()
    options: Annotated[
        dict[OptionName, BotOption], Meta(description="What a tournament may set.")
    ] = {}
    deterministic: Annotated[
        bool, Meta(description="Whether the same seed gives the same actions.")
    ] = False
    needs: Annotated[
        dict[str, Version], Meta(description="Lowest versions of the programs it needs.")
    ] = {}
