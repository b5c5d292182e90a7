"""Values that all rooms share: seats, outcomes, faults, game specs and game results.

Imports nothing of arena. All are plain frozen values that msgspec converts to JSON and back, so
they cross process boundaries and files unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from enum import StrEnum
from typing import Annotated, Any, Final, NamedTuple, TypeAlias

import msgspec
from msgspec import UNSET, Meta, UnsetType

from arena.values.units import Memory, ProcessorTime, Share, Size, Space, Unlimited

Seat: TypeAlias = int
"""Place at the table, 0 … seats-1."""

DISCIPLINE_JOINT: Final = "/"
"""Separator between the name of a discipline and the rest of an id; occurs in no name."""
ID_JOINT: Final = ":"
"""Separator before the numbers of a deal and of a seating in an id; occurs in no name."""
VERSION_JOINT: Final = "@"
"""Separator between a name and its version number; names in files cannot contain it."""
OVERALL: Final = "overall"
"""Name of the table of all disciplines; no discipline is called so."""


class Outcome(NamedTuple):
    """How a game ended by the rules alone.

    ``scores[seat]`` counts as the rulebook counts. ``places[seat]`` is 1 for the first; tied seats
    share the better place and the next place is skipped (1, 1, 3).
    """

    scores: tuple[int, ...]
    places: tuple[int, ...]
    ruling: str = ""
    """Id of the house ruling that ended the game; empty if the rulebook did."""


class OnFault(StrEnum):
    """The effect of a fault on a game of three or more seats; with fewer seats the game ends."""

    AUTOPILOT = "autopilot"
    """Play the seat's first legal action from then on, finish the game, and place the seat last."""
    END = "end"
    """End the game; the others share the first place."""


def with_partners(faulty: Collection[Seat], seats: int, teams: int) -> Collection[Seat]:
    """Return the faulty seats and their partners, who lose with them.

    ``teams``: number of teams, as in ``RulesInfo``; 0 if every seat plays for itself.
    """
    if not (faulty and teams):
        return faulty
    lost = {seat % teams for seat in faulty}
    return {seat for seat in range(seats) if seat % teams in lost}


def is_played_on(on_fault: OnFault, faulty: Collection[Seat], seats: int) -> bool:
    """Return whether a game continues after the faults of these seats.

    It continues as long as two seats without fault are left to play it out. So at one and two seats
    the first fault ends the game, regardless of the policy.
    """
    return not faulty or (on_fault is OnFault.AUTOPILOT and seats - len(faulty) >= 2)


def forfeit_places(faulty: Collection[Seat], seats: int) -> tuple[int, ...]:
    """Return places by seat when faults end a game: the others share the first place.

    The faulty seats share the last place, which is the number of seats regardless of how many share
    it. So a fault costs the same whether or not others commit one too.
    """
    return tuple(seats if seat in faulty else 1 for seat in range(seats))


def places_despite_faults(places: Sequence[int], faulty: Collection[Seat]) -> tuple[int, ...]:
    """Return places by seat when a game continued to its end, from the places by the rules.

    The seats without fault are placed again among themselves, ties kept (1, 1, 3). The faulty ones
    share the last place, as after a forfeit.
    """
    clean = [place for seat, place in enumerate(places) if seat not in faulty]
    return tuple(
        len(places) if seat in faulty else 1 + sum(other < place for other in clean)
        for seat, place in enumerate(places)
    )


class Termination(StrEnum):
    """Why a game ended."""

    COMPLETED = "completed"
    """The game ended by its rules, perhaps with seats on autopilot."""
    FORFEITED = "forfeited"
    """A fault ended the game; the faulty seats lost."""
    ADJUDICATED = "adjudicated"
    """The bots' own evaluations agreed on the result, see ``Adjudicate``."""
    VOID = "void"
    """Failure of arena or of the machine: never counted, played again."""


class FaultKind(StrEnum):
    """A bot's offence."""

    STARTUP = "startup"
    """The bot could not be started, or was not ready in time."""
    TIMEOUT = "timeout"
    """No complete answer before the deadline."""
    CRASH = "crash"
    """The bot's process ended while an answer was due."""
    MALFORMED = "malformed"
    """The line is no valid message, or its action is no action of these rules."""
    ILLEGAL = "illegal"
    """A well-formed action that is not among the legal ones."""
    OVERFLOW = "overflow"
    """A line longer than the limit."""
    PROTOCOL = "protocol"
    """A valid message that was not asked for: early, stale, double or of the wrong type."""
    LIMIT = "limit"
    """The bot used more memory, processes or CPU time than allowed, and was killed."""


class Ending(NamedTuple):
    """The end of a game, faults considered."""

    termination: Termination
    places: tuple[int, ...]
    """Places by seat, 1 = first; faulty seats share the last, the number of seats."""
    scores: tuple[int, ...] | None
    """Scores by seat as the rules count, the autopilot's actions included; else None.

    Only completed games have scores.
    """
    ruling: str = ""
    """Id of the ruling that ended the game; empty if the rulebook or a fault did."""


class Agreed(NamedTuple):
    """The result on which the evaluations of both bots agree."""

    places: tuple[int, ...]
    """Places by seat."""
    ruling: str
    """Id of the ruling."""


def ending(outcome: Outcome | Agreed | None, faulty: Collection[Seat], seats: int) -> Ending:
    """Return the end of a game: its termination, places and scores.

    ``outcome``: outcome by the rules or by agreement, None if a fault ended the game before.
    """
    if isinstance(outcome, Agreed):
        return Ending(Termination.ADJUDICATED, outcome.places, None, outcome.ruling)
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
    """Number of plies applied before the offence."""
    detail: str


class Evidence(msgspec.Struct, frozen=True, omit_defaults=True):
    """Measurements and output captured when a fault happened; these differ from run to run."""

    seat: Seat
    exit_status: int | None = None
    """Exit status as ``subprocess.Popen.returncode``: negative for a signal; None while it ran."""
    waited_us: int = 0
    """Wall time between the question and the verdict, in microseconds."""
    cpu_us: int | None = None
    """CPU time of the bot's processes meanwhile, in microseconds; None if not measured."""
    lag_us: int = 0
    """Scheduler delay of the referee itself, in microseconds."""
    excused_us: int = 0
    """Part of the wall time for which the machine was to blame; the bot got it back."""
    line: str = ""
    """Offending line, cut."""
    stderr: str = ""
    """Last lines that the bot wrote to its standard error."""


class RatedBy(StrEnum):
    """The numbers that the table of a game of several seats shows."""

    PLACES = "places"
    """Elo, from the places."""
    SCORE = "score"
    """Mean score of each bot."""
    MARGIN = "margin"
    """Mean of each bot's score less that of the other seats."""


class Order(StrEnum):
    """The order in which the positions of a book are played."""

    RANDOM = "random"
    """Shuffled by the seed of the run."""
    FILE = "file"
    """As they are in the book."""


class Positions(msgspec.Struct, frozen=True, omit_defaults=True):
    """The start positions of games: those of a book, or positions after random actions."""

    book: tuple[str, ...] = ()
    """Texts of the book, in the order of the file."""
    order: Order = Order.RANDOM
    random_plies: int = 0
    """Number of random decisions with which a game without a book begins."""


class RulesSpec(msgspec.Struct, frozen=True):
    """The rules of a game, completely: nothing else is needed to build them."""

    name: str
    seats: int
    options: dict[str, Any]
    """Values of all options of the rules, defaults included."""
    data: dict[str, Any]
    """Replaceable card data, as plain JSON, its ``status`` included."""
    package: str = ""
    """Installed package that had the rules when they were chosen; empty if not known.

    For people only, like its ``version``; it is no part of what is played.
    """
    version: str = ""
    positions: Positions | msgspec.UnsetType = msgspec.UNSET
    """Start positions; left out if all games begin as the rules say."""


_Moves: TypeAlias = Annotated[
    int,
    msgspec.Meta(ge=1, le=10_000, description="Decisions in a row of each bot that must agree."),
]


class Resign(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``resign``: the loser says that it is lost, and the winner that it is won."""

    moves: _Moves
    eval: Annotated[
        float,
        msgspec.Meta(
            gt=0,
            le=1e9,
            description="The winner's `eval` is at least this, the loser's at most minus this.",
        ),
    ]


class AgreedDraw(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``draw``: both say that the game is even."""

    moves: _Moves
    eval: Annotated[
        float,
        msgspec.Meta(ge=0, le=1e9, description="Each bot's `eval` is at most this far from 0."),
    ]
    after: Annotated[
        int,
        msgspec.Meta(ge=0, le=10_000, description="Decisions of each bot before a draw counts."),
    ] = 0


class Adjudicate(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``adjudicate``: games of two seats end when the bots' evaluations (``info.eval``) agree."""

    resign: Annotated[
        Resign | None, msgspec.Meta(description="When a game is won. Default: by the rules.")
    ] = None
    draw: Annotated[
        AgreedDraw | None, msgspec.Meta(description="When it is drawn. Default: by the rules.")
    ] = None


class TimeControl(msgspec.Struct, frozen=True):
    """How long a bot may take; seconds throughout. None: no such limit."""

    move: float | None = 1.0
    """Time for one answer, the writing of the question included."""
    bank: float | None = None
    """Time for all answers of one seat in one game."""
    increment: float = 0.0
    """Time added to the bank after each answer."""
    startup: float = 10.0
    """Time from starting the process to its ``ready``."""
    moves: int | UnsetType = UNSET
    """Number of answers of a seat after which the bank is added again, each time; unset: never."""
    margin: float | UnsetType = UNSET
    """Time over its limit that an answer may take without a fault; unset: none."""


class Limits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``limits``: how much a bot may send, and use from the isolation ``limits`` on."""

    reply: Annotated[Size, Meta(description="Longest line that a bot may write.")] = 64 * 1024
    """Size of one line of standard output in bytes, its newline included."""
    stderr: Annotated[Size, Meta(description="How much standard error is kept per game.")] = (
        64 * 1024
    )
    """Size in bytes; the rest is read and dropped."""
    memory: Annotated[
        Memory | Unlimited, Meta(description="Memory of all processes of a bot together.")
    ] = 1 << 30
    """Bytes, of each process where the machine cannot add them."""
    processes: Annotated[
        Annotated[int, Meta(ge=1, le=65_536)] | Unlimited,
        Meta(description="Number of processes and threads at once."),
    ] = 64
    cpu: Annotated[
        ProcessorTime | Unlimited,
        Meta(description="Processor time of one process in its whole life."),
    ] = 3600.0
    disk: Annotated[
        Space | Unlimited,
        Meta(description="Size of one written file; at bubblewrap also of the temporary folder."),
    ] = 64 << 20
    files: Annotated[
        Annotated[int, Meta(ge=16, le=1_048_576)] | Unlimited,
        Meta(description="Number of open descriptors of one process."),
    ] = 256


LEARNT_NAME: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.@+-]{0,99}")
"""Names of files that a bot may keep."""


class Learning(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``learning``: how much a bot may keep from round to round."""

    size: Annotated[Size, Meta(description="Size of all files of a bot together.")] = 1 << 20
    files: Annotated[
        Annotated[int, Meta(ge=1, le=1_000)], Meta(description="Number of files of a bot.")
    ] = 100


class LogWire(StrEnum):
    """The games of which the exchange with each bot is kept."""

    OFF = "off"
    FAULTS = "faults"
    """Games in which the bot itself committed a fault."""
    ALL = "all"


class Then(StrEnum):
    """The treatment of a bot that cannot play, or hardly ever plays to the end."""

    WITHDRAW = "withdraw"
    """The bot plays no more and its games count for nobody; the others continue."""
    STOP = "stop"
    """The run stops."""
    IGNORE = "ignore"
    """No consequence: each of its games is played and counts."""


class BreakerPolicy(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``breaker``: after how many faults a bot counts as failed, and what happens then."""

    faults: Annotated[
        Share,
        Meta(
            description="A bot with a larger share of games with a fault of its own counts as "
            "failed."
        ),
    ] = 0.5
    after: Annotated[
        int,
        Meta(
            ge=1,
            le=10_000_000,
            description="Number of games of a bot before that share is checked.",
        ),
    ] = 20
    starts: Annotated[
        int,
        Meta(
            ge=1,
            le=10_000,
            description="A bot counts as failed if it could start none of this many first games.",
        ),
    ] = 3
    then: Annotated[
        Then,
        Meta(description="What happens to a failed bot: withdraw it, stop the run, or ignore it."),
    ] = Then.WITHDRAW


class GameSpec(msgspec.Struct, frozen=True, gc=False):
    """One game to be played."""

    game_id: str
    """Stable id: the same config gives the same ids, regardless of what was played before."""
    block: str
    """Id that all games of one deal and one set of entrants share: the statistical unit."""
    deal: str
    """Name of the chance outcomes; mixed with the run seed, never sent to a bot."""
    seating: int
    """Index of the seating within the block; also the process that plays it."""
    entrants: tuple[str, ...]
    """Entrant name by seat."""

    @property
    def discipline(self) -> str:
        """Name of the discipline, with which the id begins: ``dragonkrak-4/a+b+c+d:0:2``."""
        return self.game_id.partition(DISCIPLINE_JOINT)[0]


class Decided(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Result of a tie of a knockout."""

    tie: str
    order: tuple[str, ...]
    """Players, best first; empty if no player was left."""
    by: str
    """Rule that decided the tie."""


def player_of(name: str) -> str:
    """Return the player whose version an entrant is."""
    return name.partition(VERSION_JOINT)[0]


Score: TypeAlias = Annotated[int, msgspec.Meta(ge=-(10**9), le=10**9)]
"""Score as the rules count; sums over millions of games fit in 64 bits."""


def margins_of(scores: Sequence[int], *, less_is_better: bool) -> list[int]:
    """Return the margin of each seat over the best other seat, in points; more is better.

    ``scores``: by seat. The margin of a bot that plays alone is its score.
    """
    sign = -1 if less_is_better else 1
    if len(scores) == 2:
        ahead = sign * (scores[0] - scores[1])
        return [ahead, -ahead]
    points = [sign * score for score in scores]
    return [
        own - max([*points[:seat], *points[seat + 1 :]], default=0)
        for seat, own in enumerate(points)
    ]


class GameResult(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """The result of one played game; only ``think_us`` and ``wall_us`` are measured."""

    spec: GameSpec
    termination: Termination
    places: Annotated[tuple[int, ...], msgspec.Meta(min_length=1)]
    """Places by seat, 1 = first; faulty seats share the last, the number of seats."""
    plies: int
    digest: str
    """Digest of the game's record without its measured line."""
    scores: tuple[Score, ...] | None = None
    """Scores by seat, including actions of the autopilot; None unless completed."""
    faults: tuple[Fault, ...] = ()
    """Faults in the order in which they happened, those at start-up by seat."""
    think_us: tuple[int, ...] = ()
    """Wall time that each seat was waited for, in microseconds."""
    wall_us: int = 0
    ruling: str = ""
    """Id of the house ruling that ended the game; empty if the rulebook or a fault did."""
    moves_digest: str = ""
    """Digest of all actions and of the ending, equal in two games with the same moves.

    Empty for games in which chance acted or no seat did.
    """

    def unmeasured(self) -> GameResult:
        """Return the result without measured times, which may differ between copies of a game."""
        return msgspec.structs.replace(self, think_us=(), wall_us=0)

    def faulty(self, seat: Seat) -> bool:
        """Return whether the seat committed a fault in this game."""
        return any(fault.seat == seat for fault in self.faults)

    def margins(self, *, less_is_better: bool) -> list[int]:
        """Return the margin of each seat over the best other seat; empty if a fault decided.

        For a bot that plays alone it is the score. More is better.
        """
        if self.scores is None or self.faults:
            return []
        return margins_of(self.scores, less_is_better=less_is_better)

    def pair_score(self, seat: Seat, other: Seat) -> float | None:
        """Return 1 if ``seat`` placed above ``other``, 0.5 for a tie, 0 below.

        Return None if both were faulty: two faulty seats say nothing about each other's strength.
        """
        mine, theirs = self.places[seat], self.places[other]
        if mine == theirs and self.faulty(seat) and self.faulty(other):
            return None
        return 0.5 if mine == theirs else float(mine < theirs)


STEPS: Final = 2
"""Number of steps per doubling on the scale of times."""


class SeatUsage(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The resources that one seat's bot used in a game, measured in every part."""

    times: tuple[Annotated[int, msgspec.Meta(ge=0)], ...] = ()
    """Histogram of answers by wall time, as step, count, step, count and so on.

    Step k begins at 2^(k / STEPS) microseconds.
    """
    longest_us: Annotated[int, msgspec.Meta(ge=0)] = 0
    """Wall time of the longest answer, in microseconds."""
    games: Annotated[int, msgspec.Meta(ge=0)] = 0
    """Number of games up to this one that ``cpu_us`` covers; 0: only times were measured.

    Quick games are not measured one by one.
    """
    cpu_us: Annotated[int, msgspec.Meta(ge=0)] = 0
    """CPU time of its processes in these games and between them, in microseconds."""
    memory: Annotated[int, msgspec.Meta(ge=0)] = 0
    """Peak memory of its process and all that it started, in bytes."""


class Learned(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """Files of a bot: those it had before a game, and those it wrote there for later rounds."""

    given: str
    """SHA-256, in hex, of the archive that it was given."""
    digest: str = ""
    """SHA-256, in hex, of the archive of what it wrote; empty if nothing is kept."""
    dropped: str = ""
    """Reason why nothing is kept although it wrote; empty if its files are kept."""
    offset: Annotated[int, Meta(ge=0, le=1 << 60)] = 0
    length: Annotated[int, Meta(ge=0, le=1 << 25)] = 0
    """Place of the packed archive in the run folder, in bytes."""


class GameDone(msgspec.Struct, frozen=True, tag="game"):
    """A game that was played, with its record."""

    result: GameResult
    record: bytes
    """Record, packed by ``records``."""
    stderr: tuple[str, ...]
    """Standard error of each seat's bot since its last game, cut, with the plies as headings."""
    evidence: tuple[Evidence, ...] = ()
    """Evidence by fault."""
    machine: str = ""
    """Machine that played the game; empty: the one that holds the run."""
    wire: dict[Seat, bytes] = {}
    """Exchanges to be kept, by seat, as ``arena try --feed`` takes them."""
    spent: tuple[SeatUsage, ...] = ()
    """Resources by seat; the referee fills in think times alone."""
    learned: tuple[Learned, ...] = ()
    """Archives of files that bots keep, by seat, in a run with learning."""
    archives: tuple[bytes, ...] = ()
    """Packed archives of ``learned``, by seat."""


class VoidCause(StrEnum):
    """The cause that made a game unplayable; never a single bot."""

    ARENA = "arena"
    """Failure of arena's own program."""
    RULES = "rules"
    """Failure of the rules, which another package brought."""
    MACHINE = "machine"
    """The machine kept a bot from its time, or had no resources left."""
    WORKER = "worker"
    """The worker process ended, or was stuck, while it played."""


class GameVoid(msgspec.Struct, frozen=True, tag="void"):
    """A game that could not be played through no fault of a bot's."""

    game_id: str
    cause: VoidCause
    reason: str
    """Description of what happened; after a failure of arena or the rules, a traceback."""
    machine: str = ""
    """Machine as in ``GameDone``."""
