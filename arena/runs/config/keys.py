"""The keys of tournament files and their meaning.

These structs validate the files and give their JSON Schema. Any other key is an error.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Final, Literal, TypeAlias

import msgspec
from msgspec import Meta

from arena.entrants.manifest import EntrantFile, IsolationFile
from arena.hosting.sandbox.isolation import Isolation
from arena.schedule.keys import Ranking, Schedule
from arena.values.results import (
    Adjudicate,
    BreakerPolicy,
    Learning,
    Limits,
    LogWire,
    OnFault,
    Order,
    RatedBy,
)
from arena.values.units import (
    DURATION,
    Automatic,
    Duration,
    Name,
    PathText,
    Pause,
    quantity,
)

LADDER_FILE: Final = "ladder.yaml"
RUN: Final = "run"
"""Name of the run folder, below that of the ladder."""


class _Keys(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A mapping in a file."""


class Names(StrEnum):
    """Visibility of the opponents' names to bots."""

    SHOWN = "shown"
    HIDDEN = "hidden"


class Format(StrEnum):
    """The forms in which the standings are written."""

    TXT = "txt"
    MD = "md"
    CSV = "csv"
    JSON = "json"


class OnBuildFailure(StrEnum):
    """Consequence of a bot that cannot be built."""

    STOP = "stop"
    """The run does not begin."""
    WITHDRAW = "withdraw"
    """The bot is withdrawn, and the others play."""


class PositionsFile(_Keys, frozen=True, kw_only=True):
    """``positions``: where the games of a deal begin; `file` or `random_plies`."""

    file: Annotated[
        PathText | None,
        Meta(description="A book of positions, in a form that the rules read."),
    ] = None
    order: Annotated[
        Order,
        Meta(description="The order of a book: random, by the seed, or file."),
    ] = Order.RANDOM
    random_plies: Annotated[
        Annotated[int, Meta(ge=1, le=1_000)] | None,
        Meta(
            description="Number of random decisions with which a game begins, in place of a book."
        ),
    ] = None


class GameFile(_Keys, frozen=True, kw_only=True):
    """``game``, or an entry of ``games``: a discipline, with rules, options and number of seats."""

    name: Annotated[
        Name | None, Meta(description="Name in ids and tables. Default: RULES-SEATS.")
    ] = None
    rules: Annotated[Name, Meta(description="Name of the rules, as `arena rules` lists them.")]
    seats: Annotated[
        Annotated[int, Meta(ge=1, le=64)] | None,
        Meta(description="Players at the table. Default: the fewest, but not one."),
    ] = None
    options: Annotated[
        dict[str, str | bool | int | float],
        Meta(description="The rules' own options: edition, side, variant."),
    ] = {}
    data: Annotated[
        PathText | None,
        Meta(description="YAML file that replaces the card data of the rules."),
    ] = None
    positions: Annotated[
        PositionsFile | None,
        Meta(description="Where games begin. Default: as the rules say."),
    ] = None
    adjudicate: Annotated[
        Adjudicate | None,
        Meta(description="When games of two seats end by agreement. Default: never."),
    ] = None
    by: Annotated[
        RatedBy | None,
        Meta(
            description="What the table shows: places (Elo), score or margin (means). Default: "
            "score if all seats share the result, else places."
        ),
    ] = None
    entrants: Annotated[
        tuple[Name, ...] | Literal["able"],
        Meta(
            description="Names of the entrants that play it; able: the bots that can by their "
            "manifests. Default: all entrants.",
            extra={"expected": "a list of names, or able"},
        ),
    ] = ()
    schedule: Annotated[
        Schedule, Meta(description="What differs from the schedule of the tournament.")
    ] = Schedule()


Margin = Annotated[float, quantity(DURATION, "20 ms", ge=0, le=60)]
"""Seconds, at most a minute, zero allowed."""


class ClockFile(_Keys, frozen=True, kw_only=True):
    """``clock``: time limits of a bot's start and answers."""

    move: Annotated[
        Duration | None, Meta(description="Time for one answer. Default: 1 s, or none with a bank.")
    ] = None
    bank: Annotated[
        Duration | None, Meta(description="Time for all answers of one seat in one game.")
    ] = None
    increment: Annotated[
        Pause | None, Meta(description="Time that is added to the bank after each answer.")
    ] = None
    moves: Annotated[
        Annotated[int, Meta(ge=1, le=10_000)] | None,
        Meta(description="Number of answers after which the bank is added again, each time."),
    ] = None
    margin: Annotated[
        Margin, Meta(description="Time over its limit that an answer may take without a fault.")
    ] = 0.0
    startup: Annotated[
        Duration, Meta(description="Time from the start of the process to `ready`.")
    ] = 10.0
    pondering: Annotated[
        bool | Literal["on", "off"],
        Meta(
            description="Whether bots may think while others are to move; off: they are stopped.",
            extra={"expected": "on or off"},
        ),
    ] = True


class Execution(_Keys, frozen=True, kw_only=True):
    """``execution``: settings of this machine, such as the number of workers.

    They change no result of bots that keep nothing between games. For other bots there is
    ``fresh``.
    """

    workers: Annotated[
        Automatic | Annotated[int, Meta(ge=1, le=1024)],
        Meta(description="Number of worker processes; auto: one per core."),
    ] = None
    pin: Annotated[bool, Meta(description="Keep a worker and its bots on one core.")] = True
    fresh: Annotated[bool, Meta(description="Start bots again for every game.")] = False
    on: Annotated[
        Annotated[str, Meta(min_length=1)] | None,
        Meta(
            description="Play on the machines of a cluster, see docs/machines.md. Default: without."
        ),
    ] = None
    log_wire: Annotated[
        LogWire,
        Meta(
            description="Keep what went to and from each bot, for `arena try --feed`: of games "
            "with a fault of its own, or of all."
        ),
    ] = LogWire.OFF


_GAME: Final = "the name of the rules, or {rules, seats, options, data}"

Game: TypeAlias = Annotated[Name | GameFile, Meta(extra={"expected": _GAME})]
"""An entry of ``games``."""


class OutputFile(_Keys, frozen=True, kw_only=True):
    """``output``: folder and files that are written."""

    folder: Annotated[
        PathText | None,
        Meta(description="The run folder. Default: runs/NAME below the current folder."),
    ] = None
    formats: Annotated[
        tuple[Format, ...], Meta(description="Forms in which the standings are written.")
    ] = tuple(Format)


class Ratings(_Keys, frozen=True, kw_only=True):
    """``ratings``: the anchor that fixes the scale of the ratings."""

    anchor: Annotated[Name, Meta(description="The entrant whose rating is fixed.")]
    elo: Annotated[float, Meta(ge=-10_000, le=10_000, description="The rating of the anchor.")] = (
        0.0
    )


class PlayKeys(_Keys, frozen=True, kw_only=True):
    """The keys that tournament files and ladder files share."""

    arena: Annotated[Literal[1], Meta(description="Version of this format.")]
    name: Annotated[
        Name | None, Meta(description="Name of the run. Default: the file's own, without .yaml.")
    ] = None
    notes: Annotated[str, Meta(description="Text for people, without effect.")] = ""
    game: Annotated[
        Game | None,
        Meta(
            description="The only game: name of the rules, or a mapping with seats and options.",
            extra={"expected": _GAME},
        ),
    ] = None
    seed: Annotated[
        int | Annotated[str, Meta(min_length=1, max_length=200)] | None,
        Meta(description="Seed from which all chance follows. Default: drawn when the run starts."),
    ] = None
    schedule: Annotated[Schedule, Meta(description="Who meets whom how often.")] = Schedule()
    clock: Annotated[ClockFile, Meta(description="How long a bot may take.")] = ClockFile()
    limits: Annotated[Limits, Meta(description="How much a bot may send and use.")] = Limits()
    isolation: Annotated[
        Isolation | IsolationFile,
        Meta(description="How far bots are kept apart from the machine and from each other."),
    ] = Isolation.LIMITS
    breaker: Annotated[
        BreakerPolicy, Meta(description="When a bot counts as failed, and what happens then.")
    ] = BreakerPolicy()
    names: Annotated[
        Names, Meta(description="Whether bots learn the names of those they play.")
    ] = Names.SHOWN
    learning: Annotated[
        Learning | None,
        Meta(description="Bots keep files from round to round. Default: they keep nothing."),
    ] = None
    execution: Annotated[Execution, Meta(description="How the games are played here.")] = (
        Execution()
    )
    ranking: Annotated[
        Ranking | None, Meta(description="Points and tie-breaks of the table. Default: ratings.")
    ] = None
    on_fault: Annotated[
        OnFault,
        Meta(
            description="After a fault at three and more seats: an autopilot takes over, or the "
            "game ends."
        ),
    ] = OnFault.AUTOPILOT


class TournamentFile(PlayKeys, frozen=True, kw_only=True):
    """A tournament file: who plays what, how often and under which limits."""

    games: Annotated[tuple[Game, ...], Meta(description="Several games, in place of `game`.")] = ()
    entrants: Annotated[tuple[EntrantFile, ...], Meta(description="Who plays.")]
    on_build_failure: Annotated[
        OnBuildFailure,
        Meta(description="If bots cannot be built: stop before play, or withdraw them."),
    ] = OnBuildFailure.STOP
    output: Annotated[OutputFile, Meta(description="Run folder, and forms of the tables.")] = (
        OutputFile()
    )
    ratings: Annotated[
        Ratings | None, Meta(description="Anchor that fixes the scale of the ratings.")
    ] = None
