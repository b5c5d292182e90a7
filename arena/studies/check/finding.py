"""What a check finds: names that do not change, and findings as plain data."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

import msgspec

from arena.hosting.sandbox.isolation import Level


class Weight(StrEnum):
    """What a finding is worth."""

    FAULT = "fault"
    """It loses games."""
    HINT = "hint"
    """It loses none, or only now and then."""


class Name(StrEnum):
    """What can be found. The words are kept: scripts and ladders go by them."""

    # before a process is started
    BAD_MANIFEST = "bad-manifest"
    UNKNOWN_GAME = "unknown-game"
    PROGRAM_MISSING = "program-missing"
    NOT_EXECUTABLE = "not-executable"
    NEEDS_UNMET = "needs-unmet"
    BUILD_FAILED = "build-failed"
    # the start
    NO_SHEBANG = "no-shebang"
    BOM_SHEBANG = "bom-shebang"
    CRLF_SHEBANG = "crlf-shebang"
    NO_INTERPRETER = "no-interpreter"
    CANNOT_START = "cannot-start"
    ENDS_AT_START = "ends-at-start"
    SLOW_START = "slow-start"
    NO_FLUSH = "no-flush"
    READS_TO_END = "reads-to-end"
    READY_AFTER_START = "ready-after-start"
    NO_READY = "no-ready"
    BAD_READY = "bad-ready"
    # standard output
    PRINT = "print-on-stdout"
    ANSWERS_START = "answers-start"
    ANSWERS_OVER = "answers-over"
    ANSWERS_UNASKED = "answers-unasked"
    ANSWERS_TWICE = "answers-twice"
    NO_LINE_END = "no-line-end"
    LINE_TOO_LONG = "line-too-long"
    # what an answer says
    NOT_UTF_8 = "not-utf-8"
    PYTHON_REPR = "python-repr"
    TRAILING_COMMA = "trailing-comma"
    NOT_A_NUMBER = "nan"
    REPEATED_KEY = "repeated-key"
    SEVERAL_LINES = "several-lines"
    NOT_JSON = "not-json"
    NOT_AN_OBJECT = "not-an-object"
    UNKNOWN_TYPE = "unknown-type"
    ACTION_TYPE = "action-type"
    NO_ACTION = "no-action"
    NO_ID = "no-id"
    ID_TYPE = "id-type"
    STALE_ID = "stale-id"
    WRONG_ID = "wrong-id"
    UNKNOWN_ACTION = "unknown-action"
    ILLEGAL_ACTION = "illegal-action"
    MALFORMED = "malformed"
    # time and resources
    TOO_SLOW = "too-slow"
    SILENT = "silent"
    CRASH = "crash"
    EXITS = "exits-when-asked"
    SIGNAL = "signal"
    STACK = "stack-overflow"
    NUMBER_RANGE = "number-range"
    EXITS_AFTER_OVER = "exits-after-over"
    MEMORY = "memory"
    PROCESSOR = "processor"
    PROCESSES = "processes"
    OPEN_FILES = "open-files"
    DISK = "disk"
    WRITES_FILES = "writes-files"
    READS_FILES = "reads-files"
    NETWORK = "network"
    NOT_PERMITTED = "not-permitted"
    MISSING_PACKAGE = "missing-package"
    LEAVES_PROCESSES = "leaves-processes"
    STAYS_AFTER_BYE = "stays-after-bye"
    # only where the referee is unkind
    LINES_TOGETHER = "lines-together"
    UNKNOWN_FIELD = "unknown-field"
    UNKNOWN_MESSAGE = "unknown-message"
    LATER_GAME = "later-game"
    OTHER_SEAT = "other-seat"
    TABLE_SIZE = "table-size"
    OTHER_GAME = "other-game"
    LONG_LINE = "long-line"
    MANY_EVENTS = "many-events"
    ENDED_AT_ONCE = "ended-at-once"
    OTHERS_FAULT = "others-fault"
    IN_PIECES = "in-pieces"
    SMALL_PIPE = "small-pipe"
    DELAYED = "delayed"
    # never a fault
    OTHER_SPELLING = "other-spelling"
    NOT_REPEATABLE = "not-repeatable"
    WANTS_UNUSED = "wants-unused"
    NEAR_TIME = "near-time"
    NEAR_MEMORY = "near-memory"


class Where(NamedTuple):
    """A game, from the bot's side."""

    rules: str
    seats: int
    seat: int
    deal: int
    number: int = 1
    """Which game of its process, from 1."""

    def __str__(self) -> str:
        table = f"{self.rules} at {self.seats} seat{'s'[: self.seats != 1]}"
        later = f", game {self.number} of its process" if self.number > 1 else ""
        return f"{table}, seat {self.seat}, deal {self.deal}{later}"


class Finding(msgspec.Struct, frozen=True):
    """One thing that is wrong. Equal checks with equal seeds give equal findings."""

    name: Name
    weight: Weight
    what: str
    """What happened, in one or two sentences; printable, without measured quantities."""
    why: str
    mend: str
    """What to do, in words."""
    code: str
    """The line to write, in the language of the bot; empty if it has none or it is not known."""
    section: str
    """Title of the section of protocol.md."""
    link: str
    """To that section, from the top folder of arena."""
    case: str
    """The case of the check in which it was found."""
    where: Where | None = None
    """None: before any game."""
    said: str = ""
    """The last lines of standard error, as far as they belong to it."""
    exchange: tuple[bytes, ...] = msgspec.field(default=(), name="-")
    """The lines of a file for ``arena try --feed`` that ends with it; empty: it needs no game.
    Differs from check to check in its instants and ids."""


class Outcome(StrEnum):
    """What came of a case."""

    PASSED = "passed"
    FOUND = "found"
    SKIPPED = "skipped"
    """What it builds on was not there."""


class Case(msgspec.Struct, frozen=True):
    """One thing that was tried."""

    name: str
    outcome: Outcome


class Report(msgspec.Struct, frozen=True):
    """All that a check found."""

    bot: str
    level: Level
    """At which it was checked."""
    seed: str
    language: str
    """As far as it was recognised; else empty."""
    findings: tuple[Finding, ...]
    """Those that lose games first."""
    cases: tuple[Case, ...]
    games: tuple[str, ...] = ()
    """Those asked for; empty: all that it plays."""
    clock: str = ""
    """The value of ``--clock``; empty: the default."""

    @property
    def passed(self) -> bool:
        """Whether nothing was found that loses games: whether a ladder may take the bot in."""
        return all(finding.weight is Weight.HINT for finding in self.findings)
