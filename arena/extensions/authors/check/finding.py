"""Findings of a check, and the advice on each: why it matters, and how to fix it.

Findings have stable names and refer to sections of protocol.md. A test compares the table of
sections with the page; no other code names them. The texts of the advice are data: ``advice.toml``,
``languages.toml`` and ``snippets/LANGUAGE.toml``.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator, Sequence
from enum import StrEnum
from functools import cache
from importlib import resources
from typing import Any, Final, Literal

import msgspec

from arena.hosting.program import first_line
from arena.hosting.sandbox.isolation import Level
from arena.hosting.sandbox.paths import destination, is_own

PAGE: Final = "protocol.md"
_KIT_MARK: Final = os.path.join("kit", "LICENSE")
"""File in every folder that ``new-bot`` made."""


class FindingSection(StrEnum):
    """Title of a section of protocol.md."""

    LIFE = "Life"
    LINES = "Lines"
    MESSAGES = "Messages"
    TIME = "Time"
    LIMITS = "Limits"
    FAULTS = "Faults"
    PROCESSES = "Processes"
    SURROUNDINGS = "Surroundings"
    MANIFEST = "Manifest"
    TRAPS = "Traps"
    CHANGES = "Changes"


def link(section: FindingSection) -> str:
    """Return the link to a section, such as ``protocol.md#faults``."""
    return f"{PAGE}#{section.value.lower().replace(' ', '-')}"


class Weight(StrEnum):
    """Severity of a finding."""

    FAULT = "fault"
    """The finding loses games."""
    HINT = "hint"
    """The finding loses no games, or only now and then."""


class Name(StrEnum):
    """Name of a finding. The words never change: scripts and ladders rely on them."""

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
    WAITS = "waits"
    WANTS_INPUT = "wants-input"
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
    # only with injected faults
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


class Where(msgspec.Struct, frozen=True):
    """A game, from the bot's side."""

    rules: str
    seats: int
    seat: int
    deal: int
    number: int = 1
    """Number of the game in its process, from 1."""

    def __str__(self) -> str:
        table = f"{self.rules} at {self.seats} seat{'s'[: self.seats != 1]}"
        later = f", game {self.number} of its process" if self.number > 1 else ""
        return f"{table}, seat {self.seat}, deal {self.deal}{later}"


class FindingText(msgspec.Struct, frozen=True, kw_only=True):
    """Words of a check on one thing that is wrong."""

    name: Name
    weight: Weight
    what: str
    """Description of what happened, in one or two printable sentences without measured values."""
    why: str
    mend: str
    """Remedy, in words."""
    code: str
    """Line to write, in the language of the bot; "" if no line fits or the language is unknown."""
    section: str
    """Title of the section of protocol.md."""
    link: str
    """Link to that section, from the top folder of arena."""
    case: str
    """Case of the check in which the finding was made."""
    said: str = ""
    """Last lines of standard error, as far as they belong to the finding."""


class Finding(FindingText, frozen=True, kw_only=True):
    """One thing that is wrong. Equal checks with equal seeds give equal findings."""

    where: Where | None = None
    """Game of the finding; None: before any game."""
    exchange: tuple[bytes, ...] = ()
    """Lines of a file for ``arena try --feed`` that end with the finding; empty: it needs no game.

    Instants and ids differ from check to check.
    """


class CaseOutcome(StrEnum):
    """Result of a case."""

    PASSED = "passed"
    FOUND = "found"
    SKIPPED = "skipped"
    """A case that it depends on was not available."""


class CheckCase(msgspec.Struct, frozen=True):
    """A case that was tried, with its outcome."""

    name: str
    outcome: CaseOutcome


class Report(msgspec.Struct, frozen=True):
    """All results of a check."""

    bot: str
    level: Level
    """Isolation level of the check."""
    seed: str
    language: str
    """Recognised language; else ""."""
    findings: tuple[Finding, ...]
    """Findings, the ones that lose games first."""
    cases: tuple[CheckCase, ...]
    games: tuple[str, ...] = ()
    """Games asked for; empty: all that the bot plays."""
    clock: str = ""
    """Value of ``--clock``; "": the default."""

    @property
    def passed(self) -> bool:
        """True if no finding loses games, so that a ladder may admit the bot."""
        return all(finding.weight is Weight.HINT for finding in self.findings)


class AdviceLanguage(StrEnum):
    """Language for which advice has lines of code."""

    PYTHON = "python"
    JAVASCRIPT = "javascript"
    C = "c"
    CPP = "cpp"
    RUST = "rust"
    GO = "go"
    JAVA = "java"


class KitAdvice(msgspec.Struct, frozen=True):
    """Advice for a bot that ``new-bot`` began: its author writes only ``choose``."""

    mend: str
    snippet: str = ""


class Advice(msgspec.Struct, frozen=True):
    """Part of a finding that is the same for every bot."""

    why: str
    mend: str
    section: FindingSection
    snippet: str = ""
    """Name of a line of code, which not every language has; "" without one."""
    weight: Weight = Weight.FAULT
    kit: KitAdvice | None = None


@cache
def advice() -> dict[Name, Advice]:
    """Return the advice on each finding."""
    return msgspec.convert(_read("advice.toml"), dict[Name, Advice])


def own_advice(name: Name, folder: str) -> Advice | KitAdvice:
    """Return the advice on a finding for the bot in ``folder``; "" if it has none.

    If ``new-bot`` began the bot, its kit writes the lines.
    """
    general = advice()[name]
    is_kit = general.kit and folder and own_file(_KIT_MARK, folder)
    return general.kit if is_kit and general.kit else general


def own_file(word: str, folder: str) -> str:
    """Return the path of the file in a bot's folder that a word names, or "".

    Files outside of the folder are neither read nor looked for, even if links lead there.
    """
    found = destination(word, folder) if is_own(word, folder) else ""
    return found if os.path.isfile(found) else ""


@cache
def snippets(language: AdviceLanguage) -> dict[str, str]:
    """Return the lines of code that show fixes in ``language``, by the names in ``Advice``."""
    return _read(f"snippets/{language.value}.toml")


def language_of(
    stated: str, words: Sequence[str], build: Sequence[Sequence[str]], program: str
) -> AdviceLanguage | None:
    """Return the language of a bot, or None if it is not recognised.

    It follows from what the manifest states, else from the command, the build and the first line
    of a script.

    ``program``: path of the file that the command starts; empty: it is not to be read.
    """
    if found := _known("names").get(stated.strip().lower()):
        return found
    names = [os.path.basename(word) for argv in (words, *build) for word in argv]
    for name in names:  # a C compiler may be given C++ files
        if found := _known("endings").get(os.path.splitext(name)[1]):
            return found
    programs = _known("programs")
    for name in names:
        if found := programs.get(name.rstrip("0123456789.")) or programs.get(name):
            return found
    for part in _shebang(program) if program else ():
        if found := programs.get(os.path.basename(part).rstrip("0123456789.")):
            return found
    return None


def _shebang(path: str) -> Iterator[str]:
    first = first_line(path) or b""
    if first.startswith(b"#!"):
        yield from first[2:].decode("utf-8", "replace").split()


@cache
def _known(by: Literal["names", "programs", "endings"]) -> dict[str, AdviceLanguage]:
    """Return languages by the words of the kind ``by`` that identify them."""
    languages = _read("languages.toml").items()
    return {word: AdviceLanguage(language) for language, words in languages for word in words[by]}


def _read(name: str) -> dict[str, Any]:
    folder = resources.files("arena.extensions.authors.check")
    return tomllib.loads(folder.joinpath(name).read_text("utf-8"))
