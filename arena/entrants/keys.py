"""The keys of a bot manifest, ``bot.yaml``, and of an entry in a tournament file."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, Literal, TypeAlias

import msgspec
from msgspec import Meta

from arena.documents.values import Argv, EnvName, Name, OptionName, PathText, Version
from arena.hosting.sandbox.isolation import Isolation


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


class BotManifest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
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


class EntrantFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One of ``entrants``: exactly one of ``bot``, ``glob`` and ``command``."""

    bot: Annotated[
        PathText | None,
        Meta(description="Folder with a bot.yaml; FOLDER@REVISION: as it was at a git revision."),
    ] = None
    glob: Annotated[
        PathText | None, Meta(description="Pattern of folders; those with a bot.yaml enter.")
    ] = None
    command: Annotated[
        Annotated[str, Meta(min_length=1)] | Argv | None,
        Meta(description="A program and its arguments, without manifest and without shell."),
    ] = None
    name: Annotated[Name | None, Meta(description="Name in tables. Default: the bot's own.")] = None
    cwd: Annotated[
        PathText | None,
        Meta(description="Folder in which `command` runs. Default: the folder of this file."),
    ] = None
    options: Annotated[dict[str, Any], Meta(description="Sent to the bot in `start`.")] = {}
    env: Annotated[
        dict[EnvName, str],
        Meta(description="Environment variables; their values are never written to a run."),
    ] = {}
    isolation: Annotated[
        Isolation | None, Meta(description="Its isolation. Default: that of the tournament.")
    ] = None


class IsolationFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``isolation``: how far bots are kept apart from the machine and from each other."""

    level: Annotated[
        Isolation, Meta(description="sandbox: the stronger one of landlock and bubblewrap.")
    ] = Isolation.LIMITS
    readable: Annotated[
        tuple[PathText, ...],
        Meta(description="Files and folders outside of its own that a closed-in bot may read."),
    ] = ()
