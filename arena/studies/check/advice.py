"""Advice on every finding: why it matters, how to fix it in the language of the bot."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator, Sequence
from enum import StrEnum
from functools import cache
from importlib import resources
from typing import Final, NamedTuple

from arena.hosting.program import first_line
from arena.studies.check.finding import FindingSection, Name, Weight


class AdviceLanguage(StrEnum):
    """Language for which advice has lines of code."""

    PYTHON = "python"
    JAVASCRIPT = "javascript"
    C = "c"
    CPP = "cpp"
    RUST = "rust"
    GO = "go"
    JAVA = "java"


_NAMES: Final = {
    **{language.value: language for language in AdviceLanguage},
    "py": AdviceLanguage.PYTHON,
    "js": AdviceLanguage.JAVASCRIPT,
    "node": AdviceLanguage.JAVASCRIPT,
    "typescript": AdviceLanguage.JAVASCRIPT,
    "c++": AdviceLanguage.CPP,
    "golang": AdviceLanguage.GO,
}
"""Languages by the words that a manifest may use."""
_PROGRAMS: Final = {
    "python": AdviceLanguage.PYTHON,
    "pypy": AdviceLanguage.PYTHON,
    "node": AdviceLanguage.JAVASCRIPT,
    "deno": AdviceLanguage.JAVASCRIPT,
    "bun": AdviceLanguage.JAVASCRIPT,
    "g++": AdviceLanguage.CPP,
    "gcc": AdviceLanguage.C,
    "cc": AdviceLanguage.C,
    "clang": AdviceLanguage.C,
    "clang++": AdviceLanguage.CPP,
    "c++": AdviceLanguage.CPP,
    "cmake": AdviceLanguage.CPP,
    "rustc": AdviceLanguage.RUST,
    "cargo": AdviceLanguage.RUST,
    "go": AdviceLanguage.GO,
    "java": AdviceLanguage.JAVA,
    "javac": AdviceLanguage.JAVA,
}
_ENDINGS: Final = {
    ".py": AdviceLanguage.PYTHON,
    ".js": AdviceLanguage.JAVASCRIPT,
    ".mjs": AdviceLanguage.JAVASCRIPT,
    ".cjs": AdviceLanguage.JAVASCRIPT,
    ".cpp": AdviceLanguage.CPP,
    ".cc": AdviceLanguage.CPP,
    ".c": AdviceLanguage.C,
    ".rs": AdviceLanguage.RUST,
    ".go": AdviceLanguage.GO,
    ".java": AdviceLanguage.JAVA,
    ".jar": AdviceLanguage.JAVA,
}


def language_of(
    stated: str, words: Sequence[str], build: Sequence[Sequence[str]], program: str
) -> AdviceLanguage | None:
    """Return the language of a bot, or None if it is not recognised.

    It follows from what the manifest states, else from the command, the build and the first line
    of a script.

    ``program``: path of the file that the command starts; empty: it is not to be read.
    """
    if found := _NAMES.get(stated.strip().lower()):
        return found
    names = [os.path.basename(word) for argv in (words, *build) for word in argv]
    for name in names:  # a C compiler may be given C++ files
        if found := _ENDINGS.get(os.path.splitext(name)[1]):
            return found
    for name in names:
        if found := _PROGRAMS.get(name.rstrip("0123456789.")) or _PROGRAMS.get(name):
            return found
    for part in _shebang(program) if program else ():
        if found := _PROGRAMS.get(os.path.basename(part).rstrip("0123456789.")):
            return found
    return None


def _shebang(path: str) -> Iterator[str]:
    first = first_line(path) or b""
    if first.startswith(b"#!"):
        yield from first[2:].decode("utf-8", "replace").split()


@cache
def snippets(language: AdviceLanguage) -> dict[str, str]:
    """Return the lines of code that show fixes in ``language``, by the names in ``Advice``."""
    file = resources.files("arena.studies.check") / "snippets" / f"{language.value}.toml"
    return tomllib.loads(file.read_text("utf-8"))


class Advice(NamedTuple):
    """Part of a finding that is the same for every bot."""

    why: str
    mend: str
    section: FindingSection
    snippet: str = ""
    """Name of a line of code, which not every language has; "" without one."""
    weight: Weight = Weight.FAULT


_EVERY: Final = "every game is lost before it begins"
_FORFEIT: Final = "the game is lost at once"
_ANEW: Final = ", and the next one begins with a new process"
_LATER: Final = (
    "later versions of arena add fields and messages within protocol 1; a bot that fails on them "
    "loses every game then"
)

ADVICE: Final[dict[Name, Advice]] = {
    Name.BAD_MANIFEST: Advice(_EVERY, "correct bot.yaml as it says", FindingSection.MANIFEST),
    Name.UNKNOWN_GAME: Advice(
        "it is asked to play only what it lists: it is left out of that game, and nobody says so",
        "write the games and their numbers of seats as arena rules lists them",
        FindingSection.MANIFEST,
    ),
    Name.PROGRAM_MISSING: Advice(
        _EVERY,
        "name a program of the folder or of PATH, and a script or class that is there; nothing of "
        "your home folder is seen",
        FindingSection.MANIFEST,
        "program-missing",
    ),
    Name.NOT_EXECUTABLE: Advice(
        _EVERY,
        "make it executable, or name its interpreter first in the command",
        FindingSection.MANIFEST,
    ),
    Name.NEEDS_UNMET: Advice(
        "the bot is left out where that is not installed",
        "install it, or lower the version in needs to the lowest that works",
        FindingSection.MANIFEST,
    ),
    Name.BUILD_FAILED: Advice(
        _EVERY,
        "make it build in its folder without network; what the build said is above",
        FindingSection.MANIFEST,
    ),
    Name.NO_SHEBANG: Advice(
        _EVERY,
        "begin the script with a line that names its interpreter, or name that in the command",
        FindingSection.MANIFEST,
        "no-shebang",
    ),
    Name.BOM_SHEBANG: Advice(
        _EVERY,
        "save the script as UTF-8 without a byte order mark; an editor on Windows may add one",
        FindingSection.MANIFEST,
    ),
    Name.CRLF_SHEBANG: Advice(
        _EVERY,
        "give the script line feeds alone; an editor on Windows writes a carriage return too",
        FindingSection.MANIFEST,
    ),
    Name.NO_INTERPRETER: Advice(
        _EVERY,
        "name an interpreter that is installed, best by /usr/bin/env, or in the command",
        FindingSection.MANIFEST,
        "no-interpreter",
    ),
    Name.CANNOT_START: Advice(
        _EVERY, "start the program by hand in a copy of its folder", FindingSection.SURROUNDINGS
    ),
    Name.ENDS_AT_START: Advice(
        _EVERY,
        "answer hello with ready, and read on until bye or the end of input",
        FindingSection.LIFE,
        "read-lines",
    ),
    Name.SLOW_START: Advice(
        _EVERY,
        "do less before ready: load a smaller book, or what is needed later only then",
        FindingSection.MESSAGES,
    ),
    Name.NO_FLUSH: Advice(
        "output to a pipe waits until a buffer is full, so the referee never sees it: " + _EVERY,
        "flush standard output after each line",
        FindingSection.TRAPS,
        "flush",
    ),
    Name.READS_TO_END: Advice(
        "standard input ends only after the last game: " + _EVERY,
        "read line by line and answer each line at once",
        FindingSection.TRAPS,
        "read-lines",
    ),
    Name.READY_AFTER_START: Advice(
        "start is sent only to a bot that is ready: " + _EVERY,
        "answer hello with ready at once, not start",
        FindingSection.LIFE,
        "ready",
    ),
    Name.NO_READY: Advice(_EVERY, "answer hello with ready", FindingSection.LIFE, "ready"),
    Name.BAD_READY: Advice(
        _EVERY,
        "answer hello with a ready that says protocol 1",
        FindingSection.MESSAGES,
        "ready",
    ),
    Name.PRINT: Advice(
        "standard output is for the protocol alone: the line is taken for an answer, and "
        + _FORFEIT,
        "send all else to standard error",
        FindingSection.LINES,
        "to-stderr",
    ),
    Name.ANSWERS_START: Advice(
        "the line is taken for the answer to the first question, and " + _FORFEIT,
        "answer hello and act alone",
        FindingSection.LIFE,
        "only-act",
    ),
    Name.ANSWERS_OVER: Advice(
        "the line is taken for the first answer of the next game, which is lost at once",
        "answer hello and act alone",
        FindingSection.LIFE,
        "only-act",
    ),
    Name.ANSWERS_UNASKED: Advice(
        "the line is taken for the answer to the next question, and " + _FORFEIT,
        "write a line only when act or hello asks for it",
        FindingSection.LIFE,
        "only-act",
    ),
    Name.ANSWERS_TWICE: Advice(
        _FORFEIT, "write exactly one line for each act", FindingSection.LIFE, "only-act"
    ),
    Name.NO_LINE_END: Advice(
        "the referee waits for the end of the line until the time is over, and " + _FORFEIT,
        "end each line with a line feed and flush it",
        FindingSection.LINES,
        "flush",
    ),
    Name.LINE_TOO_LONG: Advice(
        _FORFEIT, "keep a line below limits.reply of hello; shorten info", FindingSection.LIMITS
    ),
    Name.NOT_UTF_8: Advice(
        _FORFEIT,
        "write UTF-8, without a byte order mark",
        FindingSection.LINES,
        "not-utf-8",
    ),
    Name.PYTHON_REPR: Advice(
        "single quotes, True and None are Python, not JSON: " + _FORFEIT,
        "write the answer with json.dumps",
        FindingSection.LINES,
        "encode",
    ),
    Name.TRAILING_COMMA: Advice(
        "JSON has no comma before a closing bracket: " + _FORFEIT,
        "leave it out, or let a library write the line",
        FindingSection.LINES,
        "encode",
    ),
    Name.NOT_A_NUMBER: Advice(
        "JSON has no NaN and no Infinity, also not within info: " + _FORFEIT,
        "leave such a value out, or write null for it",
        FindingSection.LINES,
        "nan",
    ),
    Name.REPEATED_KEY: Advice(
        "nobody can tell which of the two values counts: " + _FORFEIT,
        "write each key once",
        FindingSection.LINES,
        "encode",
    ),
    Name.SEVERAL_LINES: Advice(
        "a message ends at the first line feed: " + _FORFEIT,
        "write each message as one line, without indentation and line feeds in it",
        FindingSection.LINES,
        "several-lines",
    ),
    Name.NOT_JSON: Advice(
        _FORFEIT, "answer with one JSON object on one line", FindingSection.LINES, "encode"
    ),
    Name.NOT_AN_OBJECT: Advice(
        _FORFEIT,
        "answer with an object that has type, id and action, not with the action alone",
        FindingSection.MESSAGES,
        "encode",
    ),
    Name.UNKNOWN_TYPE: Advice(
        _FORFEIT,
        'write "type": "action" in every answer to act',
        FindingSection.MESSAGES,
        "encode",
    ),
    Name.ACTION_TYPE: Advice(
        _FORFEIT,
        "send the index as a whole number without quotes, or the action as an object",
        FindingSection.MESSAGES,
        "encode",
    ),
    Name.NO_ACTION: Advice(
        _FORFEIT,
        "put the index, or the action, into the field action",
        FindingSection.MESSAGES,
        "encode",
    ),
    Name.NO_ID: Advice(
        _FORFEIT,
        "copy the id of the question into the answer",
        FindingSection.MESSAGES,
        "copy-id",
    ),
    Name.ID_TYPE: Advice(
        _FORFEIT,
        "treat the id as text, also where it has digits alone",
        FindingSection.MESSAGES,
        "copy-id",
    ),
    Name.STALE_ID: Advice(
        "an answer counts for the question whose id it has, and that one was answered: " + _FORFEIT,
        "take the id from the very act that is answered",
        FindingSection.MESSAGES,
        "copy-id",
    ),
    Name.WRONG_ID: Advice(
        _FORFEIT, "copy the id of the question unchanged", FindingSection.MESSAGES, "copy-id"
    ),
    Name.UNKNOWN_ACTION: Advice(
        _FORFEIT,
        "send an index into legal, or one of the objects in it",
        FindingSection.FAULTS,
        "encode",
    ),
    Name.ILLEGAL_ACTION: Advice(
        _FORFEIT,
        "choose from legal alone: an index from 0, or one of the objects in it",
        FindingSection.FAULTS,
        "index",
    ),
    Name.MALFORMED: Advice(
        _FORFEIT,
        "answer with one JSON object on one line",
        FindingSection.MESSAGES,
        "encode",
    ),
    Name.TOO_SLOW: Advice(
        "no answer counts after the deadline: " + _FORFEIT,
        "look at time_left of act, and stop thinking before it is over",
        FindingSection.TIME,
        "begin-early",
    ),
    Name.SILENT: Advice(
        "the time runs out, and " + _FORFEIT,
        "write one line for every act, whatever is asked",
        FindingSection.LIFE,
        "only-act",
    ),
    Name.CRASH: Advice(
        _FORFEIT + _ANEW,
        "mend what standard error tells, and fall back to the first legal action",
        FindingSection.FAULTS,
        "catch",
    ),
    Name.EXITS: Advice(
        _FORFEIT + _ANEW,
        "look for what ends it: an exit, a return from the loop, an error that is caught and not "
        "told; write to standard error before",
        FindingSection.FAULTS,
        "catch",
    ),
    Name.SIGNAL: Advice(
        _FORFEIT + _ANEW,
        "machine code failed: a place out of bounds, a null pointer, also one for memory that was "
        "refused, a division by zero, a recursion too deep; have the line told on standard error, "
        "where limits allow it: at the isolation none",
        FindingSection.FAULTS,
        "signal",
    ),
    Name.STACK: Advice(
        _FORFEIT + _ANEW,
        "a recursion does not end, or goes too deep: bound its depth, or write it as a loop with a "
        "list of what is left to do",
        FindingSection.FAULTS,
    ),
    Name.NUMBER_RANGE: Advice(
        "seed in start goes up to 2^53 - 1, more than 32 bits hold: nearly every game is lost",
        "read it into 64 bits, or take from the text what you need",
        FindingSection.TRAPS,
        "number-range",
    ),
    Name.EXITS_AFTER_OVER: Advice(
        "one process plays many games: in the next one the bot has crashed",
        "wait for bye or the end of input",
        FindingSection.PROCESSES,
        "stay",
    ),
    Name.MEMORY: Advice(
        "the process is killed or refused memory, and " + _FORFEIT,
        "stay below limits.memory of hello, all processes together",
        FindingSection.LIMITS,
        "memory",
    ),
    Name.PROCESSOR: Advice(
        "the process is killed, and " + _FORFEIT,
        "stay below limits.cpu of hello",
        FindingSection.LIMITS,
    ),
    Name.PROCESSES: Advice(
        "no more can be started, and " + _FORFEIT,
        "stay below limits.processes of hello: threads count, and so do children that have "
        "ended and were not waited for",
        FindingSection.LIMITS,
    ),
    Name.OPEN_FILES: Advice(
        "no more can be opened, and " + _FORFEIT,
        "stay below limits.files of hello: close what you opened, pipes of children too",
        FindingSection.LIMITS,
        "open-files",
    ),
    Name.DISK: Advice(
        "no more can be written, and " + _FORFEIT,
        "stay below limits.disk of hello: of one file, where you have a /tmp of your own of all",
        FindingSection.LIMITS,
    ),
    Name.WRITES_FILES: Advice(
        "in a sandbox nothing can be written beside the bot, and what is written elsewhere is gone "
        "with the process",
        "write to standard error, or to the folder that TMPDIR names, and go on where that fails",
        FindingSection.SURROUNDINGS,
        "writes-files",
    ),
    Name.READS_FILES: Advice(
        "a bot sees the files of its own folder and the system's, and no others; HOME is no folder",
        "put the file into the folder of bot.yaml, and name it from there",
        FindingSection.SURROUNDINGS,
        "own-file",
    ),
    Name.NETWORK: Advice(
        "in a sandbox there is no network",
        "take all it needs into its folder, or make it in build",
        FindingSection.SURROUNDINGS,
    ),
    Name.NOT_PERMITTED: Advice(
        "in a sandbox some calls of the system fail: the network, other processes, priorities, "
        "cores, locks of files",
        "do without, or go on where it fails; docs/writing-a-bot.md lists them",
        FindingSection.SURROUNDINGS,
    ),
    Name.MISSING_PACKAGE: Advice(
        "packages are seen only where they are installed beside arena, none of ~/.local",
        "do without, put it into the folder, or ask the organiser to install it",
        FindingSection.SURROUNDINGS,
    ),
    Name.LEAVES_PROCESSES: Advice(
        "arena kills what is left behind; until then it takes time from all others",
        "end what was started, and wait for it, before the bot ends",
        FindingSection.PROCESSES,
        "child-quiet",
        Weight.HINT,
    ),
    Name.STAYS_AFTER_BYE: Advice(
        "the process is killed half a second after bye, whatever it still does",
        "end at bye or at the end of input",
        FindingSection.MESSAGES,
        "read-lines",
        Weight.HINT,
    ),
    Name.UNKNOWN_FIELD: Advice(
        _LATER,
        "take the fields that you know, and leave all others",
        FindingSection.CHANGES,
        "lenient",
    ),
    Name.UNKNOWN_MESSAGE: Advice(
        _LATER,
        "pass over every type that you do not know",
        FindingSection.CHANGES,
        "only-act",
    ),
    Name.LINES_TOGETHER: Advice(
        "over, start and act follow each other at once, and one read, or one look whether there is "
        "anything, finds several: nearly every game is lost",
        "take all lines that there are before you wait for more; never mix select or available "
        "with a reader that keeps a buffer",
        FindingSection.LINES,
        "read-lines",
    ),
    Name.LATER_GAME: Advice(
        "one process plays many games, one after another: all but the first are lost",
        "make all that is remembered anew at start",
        FindingSection.PROCESSES,
        "reset",
    ),
    Name.OTHER_SEAT: Advice(
        "every deal is played from every seat: half of the games and more are lost",
        "take your place from seat in start",
        FindingSection.MESSAGES,
        "seat",
    ),
    Name.TABLE_SIZE: Advice(
        "games at this table size are lost",
        "take the number of seats from start, or list in plays of bot.yaml what the bot can play",
        FindingSection.MANIFEST,
        "seats",
    ),
    Name.OTHER_GAME: Advice(
        "this game is lost",
        "list in plays of bot.yaml what the bot can play; without it, it says that it plays all",
        FindingSection.MANIFEST,
    ),
    Name.OTHER_SPELLING: Advice(
        "today lines have no spaces and fields one order; another version may write the same JSON "
        "otherwise",
        "read lines as JSON, not by searching for their text",
        FindingSection.LINES,
        "other-spelling",
        Weight.HINT,
    ),
    Name.LONG_LINE: Advice(
        "a start with card data or an act late in a game can be long",
        "read with something that takes lines of any length",
        FindingSection.LINES,
        "long",
    ),
    Name.MANY_EVENTS: Advice(
        "at larger tables and in long turns much happens between two questions",
        "go through all events, however many there are, also none",
        FindingSection.MESSAGES,
    ),
    Name.ENDED_AT_ONCE: Advice(
        "a fault of another bot can end a game before the first act",
        "expect over directly after start",
        FindingSection.MESSAGES,
        "reset",
    ),
    Name.OTHERS_FAULT: Advice(
        "another bot's fault can end a game: then scores is null and faults is not empty",
        "do not read scores where there are none",
        FindingSection.MESSAGES,
    ),
    Name.IN_PIECES: Advice(
        "a pipe may hand out a line in parts",
        "collect what arrives until there is a line feed",
        FindingSection.LINES,
        "read-lines",
    ),
    Name.SMALL_PIPE: Advice(
        "how much a pipe takes at once differs from machine to machine",
        "read and write whole lines, in a loop where the call may do less",
        FindingSection.LINES,
        "read-lines",
    ),
    Name.DELAYED: Advice(
        "other bots think as long as they may, and nothing arrives meanwhile",
        "wait for the next line without a limit of time",
        FindingSection.LIFE,
        "read-lines",
    ),
    Name.NOT_REPEATABLE: Advice(
        "a lost game cannot be played again; if it searches by the clock, that is allowed",
        "take the seed of start for all random choices, and state deterministic: true only then",
        FindingSection.PROCESSES,
        "seed",
        Weight.HINT,
    ),
    Name.WANTS_UNUSED: Advice(
        "what is built, sent and parsed for nothing takes time",
        "leave it out of wants in ready",
        FindingSection.MESSAGES,
        "wants",
        Weight.HINT,
    ),
    Name.NEAR_TIME: Advice(
        "on a busy or slower machine it would be too late",
        "keep a fifth of the time in reserve",
        FindingSection.TIME,
        "begin-early",
        Weight.HINT,
    ),
    Name.NEAR_MEMORY: Advice(
        "in a longer game it would be killed",
        "use less, or forget at start what earlier games left",
        FindingSection.LIMITS,
        "",
        Weight.HINT,
    ),
}


class KitAdvice(NamedTuple):
    """Advice for a bot that ``new-bot`` began: its author writes only ``choose``."""

    mend: str
    snippet: str = ""


OF_A_KIT: Final[dict[Name, KitAdvice]] = {
    Name.ACTION_TYPE: KitAdvice(
        "let choose return the index of an action in legal: a whole number, on every path",
        "kit-action-type",
    ),
    Name.ILLEGAL_ACTION: KitAdvice(
        "let choose return an index into legal: from 0, below its length",
        "kit-illegal-action",
    ),
    Name.CRASH: KitAdvice("mend what standard error tells; the place is in your own file"),
    Name.TOO_SLOW: KitAdvice(
        "look at game.time_left in choose, and stop thinking before it is over",
        "kit-too-slow",
    ),
    Name.LATER_GAME: KitAdvice(
        "keep nothing from the last game: begin anew when game is another object",
    ),
}
