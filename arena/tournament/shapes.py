"""The keys of tournament files: what may be written, and what it means.

These structs validate the files and give their JSON Schema. Any other key is an error.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, Final, Literal, TypeAlias

import msgspec
from msgspec import Meta

from arena.hosting.isolation import SANDBOX, Level
from arena.results import BreakerPolicy, Limits, OnFault, Then
from arena.tournament.values import (
    Argv,
    Duration,
    EnvName,
    Memory,
    Name,
    PathText,
    Pause,
    ProcessorTime,
    Share,
    Size,
    Space,
    Unlimited,
)


class ScheduleKind(StrEnum):
    """Which entrants meet."""

    ROUND_ROBIN = "round_robin"
    """Every set of as many entrants as the table has seats."""
    GAUNTLET = "gauntlet"
    """Each entrant of ``focus`` against every choice of the others; nobody else meets."""
    PAIRINGS = "pairings"
    """The sets that are listed."""
    MATCH = "match"
    """Two entrants that fill every table alone, on several seats each if there are more."""


class Lineup(StrEnum):
    """Who fills the seats in a match."""

    EVEN = "even"
    """Half the seats each, the odd one in turns: every lineup with its mirror image."""
    ALONE = "alone"
    """The entrant in ``focus`` on each seat in turn, the other one on all others."""


class Seatings(StrEnum):
    """In which seatings a deal is played."""

    ROTATE = "rotate"
    """As many as there are seats: the rotations of a random order, another one for each deal."""
    ALL = "all"
    """Every order of the entrants; in an even match every lineup."""


class Names(StrEnum):
    """Whether bots learn the names of those they play."""

    SHOWN = "shown"
    HIDDEN = "hidden"


class Isolation(StrEnum):
    """How far bots are to be kept apart: a level, or the strongest that the machine gives."""

    NONE = Level.NONE.value
    LIMITS = Level.LIMITS.value
    LANDLOCK = Level.LANDLOCK.value
    BUBBLEWRAP = Level.BUBBLEWRAP.value
    SANDBOX = SANDBOX
    """LANDLOCK or BUBBLEWRAP."""

    def closes_files(self) -> bool:
        """Whether a bot sees no files at it but the system's and those of its own folder."""
        return self not in (Isolation.NONE, Isolation.LIMITS)


class Format(StrEnum):
    """In which forms the standings are written."""

    TXT = "txt"
    MD = "md"
    CSV = "csv"
    JSON = "json"


class _Keys(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A mapping in a file."""


class EntrantFile(_Keys, frozen=True, kw_only=True):
    """One of ``entrants``: exactly one of ``bot``, ``glob`` and ``command``."""

    bot: Annotated[PathText | None, Meta(description="Folder with a bot.yaml.")] = None
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


class IsolationFile(_Keys, frozen=True, kw_only=True):
    """``isolation``: how far bots are kept apart from the machine and from each other."""

    level: Annotated[
        Isolation, Meta(description="sandbox: the stronger one of landlock and bubblewrap.")
    ] = Isolation.LIMITS
    readable: Annotated[
        tuple[PathText, ...],
        Meta(description="Files and folders outside of its own that a closed-in bot may read."),
    ] = ()


class Schedule(_Keys, frozen=True, kw_only=True):
    """``schedule``: who meets whom how often."""

    kind: Annotated[ScheduleKind, Meta(description="Which entrants meet.")] = (
        ScheduleKind.ROUND_ROBIN
    )
    deals: Annotated[
        int, Meta(ge=1, le=10_000_000, description="Deals per pairing, each in all its seatings.")
    ] = 50
    seatings: Annotated[
        Seatings, Meta(description="The rotations of a random order, or every order.")
    ] = Seatings.ROTATE
    max_pairings: Annotated[
        Annotated[int, Meta(ge=1, le=10_000)] | None,
        Meta(description="Play a balanced choice of so many pairings. Default: all."),
    ] = None
    focus: Annotated[
        tuple[Name, ...],
        Meta(
            description="With the kind gauntlet: those who meet the others. With the lineup "
            "alone: who sits alone."
        ),
    ] = ()
    pairings: Annotated[
        tuple[tuple[Name, ...], ...],
        Meta(description="With the kind pairings: the entrants of each table."),
    ] = ()
    lineup: Annotated[
        Lineup | None,
        Meta(description="With the kind match: who fills the seats. Default: even."),
    ] = None


class GameFile(_Keys, frozen=True, kw_only=True):
    """``game``, or one of ``games``: which rules are played at which table, a discipline."""

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
    entrants: Annotated[
        tuple[Name, ...], Meta(description="Names of those who play it. Default: all entrants.")
    ] = ()
    schedule: Annotated[
        Schedule, Meta(description="What differs from the schedule of the tournament.")
    ] = Schedule()


class ClockFile(_Keys, frozen=True, kw_only=True):
    """``clock``: how long a bot may take."""

    move: Annotated[
        Duration | None, Meta(description="For one answer. Default: 1 s, or none with a bank.")
    ] = None
    bank: Annotated[
        Duration | None, Meta(description="For all answers of one seat in one game.")
    ] = None
    increment: Annotated[Pause | None, Meta(description="Added to the bank after each answer.")] = (
        None
    )
    startup: Annotated[Duration, Meta(description="From start to `ready`.")] = 10.0
    pondering: Annotated[
        bool | Literal["on", "off"],
        Meta(
            description="Whether bots may think while others are to move; off: they are stopped.",
            extra={"expected": "on or off"},
        ),
    ] = True


_DEFAULT: Final = Limits()


class LimitsFile(_Keys, frozen=True, kw_only=True):
    """``limits``: how much a bot may send, and use from the isolation ``limits`` on."""

    reply: Annotated[Size, Meta(description="One line of output.")] = _DEFAULT.reply
    stderr: Annotated[Size, Meta(description="What is kept of standard error.")] = _DEFAULT.stderr
    memory: Annotated[
        Memory | Unlimited, Meta(description="Of all processes of a bot together.")
    ] = _DEFAULT.memory or "none"
    processes: Annotated[
        Annotated[int, Meta(ge=1, le=65_536)] | Unlimited,
        Meta(description="Processes and threads at once."),
    ] = _DEFAULT.processes or "none"
    cpu: Annotated[
        ProcessorTime | Unlimited,
        Meta(description="Of the processor, for one process in its whole life."),
    ] = _DEFAULT.cpu or "none"
    disk: Annotated[
        Space | Unlimited, Meta(description="One written file; or all of a scratch folder.")
    ] = _DEFAULT.disk or "none"
    files: Annotated[
        Annotated[int, Meta(ge=16, le=1_048_576)] | Unlimited,
        Meta(description="Descriptors open at once in one process."),
    ] = _DEFAULT.files or "none"


_POLICY: Final = BreakerPolicy()


class BreakerFile(_Keys, frozen=True, kw_only=True):
    """``breaker``: when a bot is given up."""

    faults: Annotated[
        Share, Meta(description="A larger share of its games with a fault of its own.")
    ] = _POLICY.faults
    after: Annotated[
        int, Meta(ge=1, le=10_000_000, description="Its games before that share is looked at.")
    ] = _POLICY.after
    starts: Annotated[
        int, Meta(ge=1, le=10_000, description="Its first games, none of which it could start.")
    ] = _POLICY.starts
    then: Annotated[
        Then, Meta(description="Take it out and play on, stop the run, or do nothing.")
    ] = _POLICY.then


class ExecutionFile(_Keys, frozen=True, kw_only=True):
    """``execution``: how the games are played here.

    Changes no result of bots that begin every game anew; ``fresh`` is for those that do not.
    """

    workers: Annotated[
        Literal["auto"] | Annotated[int, Meta(ge=1, le=1024)],
        Meta(description="Worker processes; auto: one per core."),
    ] = "auto"
    pin: Annotated[bool, Meta(description="Keep a worker and its bots on one core.")] = True
    fresh: Annotated[bool, Meta(description="Start bots anew for every game.")] = False


_GAME: Final = "the name of the rules, or {rules, seats, options, data}"

Game: TypeAlias = Annotated[Name | GameFile, Meta(extra={"expected": _GAME})]
"""An entry of ``games``."""


class OutputFile(_Keys, frozen=True, kw_only=True):
    """``output``: what is written where."""

    folder: Annotated[
        PathText | None,
        Meta(description="The run folder. Default: runs/NAME below the current folder."),
    ] = None
    formats: Annotated[
        tuple[Format, ...], Meta(description="Forms in which the standings are written.")
    ] = tuple(Format)


class Ratings(_Keys, frozen=True, kw_only=True):
    """``ratings``: where the scale is fixed."""

    anchor: Annotated[Name, Meta(description="The entrant whose rating is fixed.")]
    elo: Annotated[float, Meta(ge=-10_000, le=10_000, description="The rating of the anchor.")] = (
        0.0
    )


class TournamentFile(_Keys, frozen=True, kw_only=True):
    """A tournament file: who plays what, how often and under which limits."""

    arena: Annotated[Literal[1], Meta(description="Version of this format.")]
    name: Annotated[
        Name | None, Meta(description="Name of the run. Default: the file's own, without .yaml.")
    ] = None
    notes: Annotated[str, Meta(description="For people; without effect.")] = ""
    game: Annotated[
        Game | None,
        Meta(
            description="The one game: rules by name, or with table and options.",
            extra={"expected": _GAME},
        ),
    ] = None
    games: Annotated[tuple[Game, ...], Meta(description="Several games, in place of `game`.")] = ()
    entrants: Annotated[tuple[EntrantFile, ...], Meta(description="Who plays.")]
    seed: Annotated[
        int | Annotated[str, Meta(min_length=1, max_length=200)] | None,
        Meta(description="Decides all chance. Default: drawn when the run starts."),
    ] = None
    schedule: Annotated[Schedule, Meta(description="Who meets whom how often.")] = Schedule()
    clock: Annotated[ClockFile, Meta(description="How long a bot may take.")] = ClockFile()
    limits: Annotated[LimitsFile, Meta(description="How much a bot may send and use.")] = (
        LimitsFile()
    )
    isolation: Annotated[
        Isolation | IsolationFile,
        Meta(description="How far bots are kept apart from the machine and from each other."),
    ] = Isolation.LIMITS
    breaker: Annotated[BreakerFile, Meta(description="When a bot is given up.")] = BreakerFile()
    names: Annotated[
        Names, Meta(description="Whether bots learn the names of those they play.")
    ] = Names.SHOWN
    execution: Annotated[ExecutionFile, Meta(description="How the games are played here.")] = (
        ExecutionFile()
    )
    output: Annotated[OutputFile, Meta(description="What is written where.")] = OutputFile()
    on_fault: Annotated[
        OnFault,
        Meta(description="Three and more seats: play a faulty seat on, or end the game."),
    ] = OnFault.AUTOPILOT
    ratings: Annotated[Ratings | None, Meta(description="Where the scale is fixed.")] = None
