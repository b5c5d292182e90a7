"""The words everyone shares: seats, outcomes, faults, game specs and game results.

Imports nothing of ours. Everything here is a plain frozen value that msgspec can
turn into JSON and back, so it crosses process boundaries and files unchanged.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from enum import StrEnum
from typing import Annotated, Any, Final, NamedTuple, TypeAlias

import msgspec

Seat: TypeAlias = int
"""Place at the table, 0 … seats-1."""

DISCIPLINE_JOINT: Final = "/"
"""Between the name of a discipline and the rest of an id; occurs in no name."""


class Outcome(NamedTuple):
    """How a game ended by the rules alone.

    ``scores[seat]`` counts as the rulebook counts. ``places[seat]`` is 1 for the
    first; tied seats share the better place and the next place is skipped (1, 1, 3).
    """

    scores: tuple[int, ...]
    places: tuple[int, ...]
    ruling: str = ""
    """The ruling of ours that ended it, by its id; empty if the rulebook did."""


class OnFault(StrEnum):
    """What a fault does to a game of three and more seats; at smaller tables it ends the game."""

    AUTOPILOT = "autopilot"
    """The seat is played on by its first legal action, the others finish, it is placed last."""
    END = "end"
    """The game ends; the others share the first place."""


def is_played_on(on_fault: OnFault, faulty: Collection[Seat], seats: int) -> bool:
    """Whether a game goes on after the faults of these seats.

    It does as long as two seats without fault are left to play it out. So at one and two seats
    the first fault ends the game, whatever the policy.
    """
    return not faulty or (on_fault is OnFault.AUTOPILOT and seats - len(faulty) >= 2)


def forfeit_places(faulty: Collection[Seat], seats: int) -> tuple[int, ...]:
    """Places by seat when faults end a game: the others share the first, they share the last.

    The last place has the number of the seats, however many share it: a fault costs the same
    whether or not others commit one too.
    """
    return tuple(seats if seat in faulty else 1 for seat in range(seats))


def places_despite_faults(places: Sequence[int], faulty: Collection[Seat]) -> tuple[int, ...]:
    """Places by seat when a game went on to its end, from those of the rules.

    The seats without fault are placed anew among themselves, ties kept (1, 1, 3); the faulty
    ones share the last place, as after a forfeit.
    """
    clean = [place for seat, place in enumerate(places) if seat not in faulty]
    return tuple(
        len(places) if seat in faulty else 1 + sum(other < place for other in clean)
        for seat, place in enumerate(places)
    )


class Termination(StrEnum):
    """Why a game ended."""

    COMPLETED = "completed"
    """By its rules, perhaps with seats on autopilot."""
    FORFEITED = "forfeited"
    """A fault ended it; the faulty seats lost."""
    VOID = "void"
    """Our own or the machine's failure: never counted, played again."""


class FaultKind(StrEnum):
    """A bot's offence."""

    STARTUP = "startup"
    """Could not be started, or was not ready in time."""
    TIMEOUT = "timeout"
    """No complete answer before the deadline."""
    CRASH = "crash"
    """Its process ended while an answer was due."""
    MALFORMED = "malformed"
    """The line is no valid message, or its action no action of these rules."""
    ILLEGAL = "illegal"
    """A well-formed action that is not among the legal ones."""
    OVERFLOW = "overflow"
    """A line longer than the limit."""
    PROTOCOL = "protocol"
    """A valid message that was not asked for: early, stale, double or of the wrong type."""
    LIMIT = "limit"
    """Used more memory, more processes or more of the processor than allowed, and was killed."""


class Ending(NamedTuple):
    """What a game came to, faults considered."""

    termination: Termination
    places: tuple[int, ...]
    """By seat, 1 = first. The faulty seats share the last, whose number is that of the seats."""
    scores: tuple[int, ...] | None
    """By seat, as the rules count what was played, the autopilot's actions included; None
    unless completed."""
    ruling: str = ""
    """The ruling that ended it; empty if the rulebook or a fault did."""


def ending(outcome: Outcome | None, faulty: Collection[Seat], seats: int) -> Ending:
    """How a game ended. ``outcome`` is that of the rules, None if a fault ended it before."""
    if outcome is None:
        return Ending(Termination.FORFEITED, forfeit_places(faulty, seats), None)
    places = places_despite_faults(outcome.places, faulty) if faulty else outcome.places
    return Ending(Termination.COMPLETED, places, outcome.scores, outcome.ruling)


class Fault(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """One offence, a seat's only one in a game: who, what and when.

    ``detail`` never holds a measured quantity.
    """

    seat: Seat
    kind: FaultKind
    ply: int
    """Plies applied before the offence."""
    detail: str


class Evidence(msgspec.Struct, frozen=True, omit_defaults=True):
    """What was measured or captured when a fault happened; differs from run to run."""

    seat: Seat
    exit_status: int | None = None
    """As ``subprocess.Popen.returncode``: negative for a signal; None while it ran."""
    waited_us: int = 0
    """Wall time between the question and the verdict, microseconds."""
    cpu_us: int | None = None
    """What the bot's processes used of the processor meanwhile; None where it was not measured."""
    lag_us: int = 0
    """By how much the referee itself woke too late."""
    excused_us: int = 0
    """Part of the wall time in which the machine let the bot wait; it was given back."""
    line: str = ""
    """The offending line, cut."""
    stderr: str = ""
    """The last lines the bot wrote to its standard error."""


class RulesSpec(msgspec.Struct, frozen=True):
    """Which rules a game follows, completely: nothing else is needed to build them."""

    name: str
    seats: int
    options: dict[str, Any]
    """Every option of the rules with its value, defaults included."""
    data: dict[str, Any]
    """Replaceable card data, as plain JSON, its ``status`` included."""
    package: str = ""
    """The installed package that had the rules when they were chosen, and its ``version``: to be
    told by, no part of what is played. Empty if that is not known."""
    version: str = ""


class TimeControl(msgspec.Struct, frozen=True):
    """How long a bot may take; seconds throughout. None: no such limit."""

    move: float | None = 1.0
    """For one answer, the writing of the question included."""
    bank: float | None = None
    """For all answers of one seat in one game."""
    increment: float = 0.0
    """Added to the bank after each answer."""
    startup: float = 10.0
    """From starting the process to its ``ready``."""


class Limits(msgspec.Struct, frozen=True):
    """What a bot may send and use; bytes unless said otherwise.

    What it may send is bounded always, what it may use from the isolation level ``limits`` on.
    None: no such limit.
    """

    reply: int = 64 * 1024
    """One line of standard output, its newline included."""
    stderr: int = 64 * 1024
    """What is kept of standard error per game; the rest is read and dropped."""
    memory: int | None = 1 << 30
    """Of all processes of the bot together where the machine can count so, else of each."""
    processes: int | None = 64
    """Processes and threads alive at once."""
    cpu: float | None = 3600.0
    """Seconds of the processor for one process during its whole life."""
    disk: int | None = 64 << 20
    """Of one written file; where there is a scratch folder of its own, of all it holds."""
    files: int | None = 256
    """Descriptors open at once in one process."""


class LogWire(StrEnum):
    """Of which games the exchange with each bot is kept."""

    OFF = "off"
    FAULTS = "faults"
    """Those in which the bot itself committed a fault."""
    ALL = "all"


class Then(StrEnum):
    """What is done with a bot that cannot play, or hardly ever plays to the end."""

    WITHDRAW = "withdraw"
    """It plays no more and its games count for nobody; the others go on."""
    STOP = "stop"
    """The run stops."""
    IGNORE = "ignore"
    """Nothing: each of its games is played and counts."""


class BreakerPolicy(msgspec.Struct, frozen=True):
    """When a bot is given up."""

    faults: float = 0.5
    """Share of its games, 0 to 1, above which its own faults must not rise."""
    after: int = 20
    """Games of the bot before that share is looked at; at least 1."""
    starts: int = 3
    """So many first games in which it could not be started, at least 1, say that it never can."""
    then: Then = Then.WITHDRAW


class GameSpec(msgspec.Struct, frozen=True, gc=False):
    """One game to be played."""

    game_id: str
    """Stable: the same config gives the same ids, whatever was played before."""
    block: str
    """All games of one deal and one set of entrants share it: the statistical unit."""
    deal: str
    """Names the chance outcomes; mixed with the run seed, never sent to a bot."""
    seating: int
    """Index of the seating within the block; also the process that plays it."""
    entrants: tuple[str, ...]
    """Entrant name by seat."""

    @property
    def discipline(self) -> str:
        """Name of the discipline, with which the id begins: ``dragonkrak-4/a+b+c+d:0:2``."""
        return self.game_id.partition(DISCIPLINE_JOINT)[0]


Score: TypeAlias = Annotated[int, msgspec.Meta(ge=-(10**9), le=10**9)]
"""As the rules count; sums over millions of games fit in 64 bits."""


class GameResult(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """One game that was played. ``think_us`` and ``wall_us`` are measured, all else is not."""

    spec: GameSpec
    termination: Termination
    places: Annotated[tuple[int, ...], msgspec.Meta(min_length=1)]
    """By seat, 1 = first. The faulty seats share the last, whose number is that of the seats."""
    plies: int
    digest: str
    """Of the game's record without its measured line."""
    scores: tuple[Score, ...] | None = None
    """By seat, a faulty one's with what the autopilot played; None unless completed."""
    faults: tuple[Fault, ...] = ()
    """In the order in which they happened, those at start-up by seat."""
    think_us: tuple[int, ...] = ()
    """Wall time each seat was waited for, microseconds."""
    wall_us: int = 0
    ruling: str = ""
    """The ruling of ours that ended it, by its id; empty if the rulebook or a fault did."""
    moves_digest: str = ""
    """Digest of all actions and of the ending, equal in two games that went alike. Only of games in
    which seats acted and chance did not; empty in runs of an earlier version."""

    def faulty(self, seat: Seat) -> bool:
        """Whether the seat committed a fault in this game."""
        return any(fault.seat == seat for fault in self.faults)

    def pair_score(self, seat: Seat, other: Seat) -> float | None:
        """1 if ``seat`` placed above ``other``, 0.5 for a tie, 0 below; None if both were faulty.

        Two faulty seats say nothing about each other's strength.
        """
        mine, theirs = self.places[seat], self.places[other]
        if mine == theirs and self.faulty(seat) and self.faulty(other):
            return None
        return 0.5 if mine == theirs else float(mine < theirs)


STEPS: Final = 2
"""Of the scale on which times are kept, for each doubling."""


class Spent(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What one seat's bot took in a game; measured, in every part."""

    times: tuple[Annotated[int, msgspec.Meta(ge=0)], ...] = ()
    """Answers by their wall time: a step, how many, the next step …; step k begins at
    2^(k / STEPS) microseconds."""
    longest_us: Annotated[int, msgspec.Meta(ge=0)] = 0
    """Of one answer."""
    games: Annotated[int, msgspec.Meta(ge=0)] = 0
    """Games up to this one that ``cpu_us`` is of; 0: nothing was measured but times. It is not
    looked at after each game where games are quick."""
    cpu_us: Annotated[int, msgspec.Meta(ge=0)] = 0
    """Processor time that its processes took in them, and between them."""
    memory: Annotated[int, msgspec.Meta(ge=0)] = 0
    """Bytes: the most that its process has held so far, with all that it started."""


class GameDone(msgspec.Struct, frozen=True, tag="game"):
    """One game was played."""

    result: GameResult
    record: bytes
    stderr: tuple[str, ...]
    evidence: tuple[Evidence, ...] = ()
    """By fault."""
    machine: str = ""
    """Which machine played it; empty: the one that holds the run."""
    wire: dict[Seat, bytes] = {}
    """The exchanges that are to be kept, as ``arena try --feed`` takes them."""
    spent: tuple[Spent, ...] = ()
    """By seat."""


class VoidCause(StrEnum):
    """Whose failure it was that a game could not be played; never that of one bot."""

    ARENA = "arena"
    """Our program failed."""
    MACHINE = "machine"
    """The machine did not let a bot have its time, or had nothing left to give."""
    WORKER = "worker"
    """The worker process ended, or was stuck, while it played."""


class GameVoid(msgspec.Struct, frozen=True, tag="void"):
    """One game could not be played through no fault of a bot's."""

    game_id: str
    cause: VoidCause
    reason: str
    """What happened, in words; where our program failed, a traceback."""
    machine: str = ""
    """As of ``GameDone``."""
