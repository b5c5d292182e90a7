"""Reasons why a process ended, or does not answer.

Why it ended follows from its last output, its exit status and the limits it was near. Why it is
silent is found by trying what makes it answer, only after the bot's time has run out, when the game
is lost anyway: no referee sends what is sent here.
"""

from __future__ import annotations

import fcntl
import os
import re
import select
import struct
import time
from enum import Enum
from signal import Signals
from termios import FIONREAD
from typing import Final, NamedTuple

from arena.extensions.authors.check.finding import Name
from arena.extensions.authors.check.last_words import SAID_LINES, last_words
from arena.hosting.process import BotProcess
from arena.values.results import Limits
from arena.views.last_words import crash_summary

NEAR: Final = 0.8
"""Share of a limit above which use counts as near the limit."""

_OF_MEMORY: Final = re.compile(
    r"MemoryError|bad_alloc|OutOfMemoryError|heap out of memory|out of memory"
    r"|Cannot allocate memory|memory allocation of|ReserveShadowMemoryRange",
    re.IGNORECASE,
)
_OF_STDERR: Final = (
    (Name.ACTION_TYPE, re.compile(r"choose returned .*, expected the index of an action")),
    (Name.CRLF_SHEBANG, re.compile(r"env: .*(\\r|\r)")),
    (Name.NO_INTERPRETER, re.compile(r"env: .*No such file or directory")),
    (Name.NETWORK, re.compile(
        r"socket\.py|urllib3?(/\w+)*\.py|URLError|requests/\w+\.py|http/client\.py|getaddrinfo|ENETUNREACH|ECONNREFUSED|EAI_AGAIN"
        r"|Network is unreachable|name resolution|gaierror|java\.net|dial tcp|TcpStream"
        r"|connect EPERM|fetch failed", re.I)),
    (Name.STACK, re.compile(
        r"RecursionError|StackOverflowError|Maximum call stack|stack[ -]overflow"
        r"|overflowed its stack", re.I)),
    (Name.MEMORY, _OF_MEMORY),
    (Name.PROCESSES, re.compile(
        r"can't start new thread|unable to create native thread|Resource temporarily unavailable",
        re.I)),
    (Name.OPEN_FILES, re.compile(r"Too many open files|EMFILE", re.I)),
    (Name.DISK, re.compile(r"File too large|EFBIG|No space left on device|ENOSPC", re.I)),
    (Name.NUMBER_RANGE, re.compile(
        r'NumberFormatException: For input string: "\d{10,}|out of range of (int|long)\b'
        r"|cannot unmarshal number \d+ .* of type u?int(8|16|32)\b|kind: PosOverflow"
        r"|expected [iu](8|16|32)\b|out_of_range'\s+what\(\):\s+sto|too large to convert to C"
        r"|Seed must be between")),
    (Name.PROGRAM_MISSING, re.compile(
        r"can't open file '.*Errno 2\]|requireStack: \[\]|Could not find or load main class"
        r"|Unable to access jarfile")),
    (Name.READS_FILES, re.compile(r"Cannot find module '[./]")),
    (Name.MISSING_PACKAGE, re.compile(
        r"ModuleNotFoundError|No module named|Cannot find (module|package)|ClassNotFoundException"
        r"|NoClassDefFoundError|error while loading shared libraries")),
    (Name.NOT_PERMITTED, re.compile(r"Operation not permitted|EPERM", re.I)),
    (Name.WRITES_FILES, re.compile(
        r"No usable temporary directory|Read-only file system|Permission denied|EACCES|AccessDenied"
        r"|PermissionError|EROFS|mkdir '?/", re.I)),
    (Name.READS_FILES, re.compile(
        r"FileNotFoundError|ENOENT|NoSuchFileException|No such file or directory|kind: NotFound"
        r"|(cannot|can't|could not|failed to|unable to) open", re.I)),
)  # fmt: skip
"""Patterns of error messages of run-times; the first match counts."""
_REASON: Final = re.compile(
    r"Error|xception|panic|Fatal|terminate called|Sanitizer|runtime error|Assert"
)
_TRACE: Final = re.compile(
    r"^Traceback \(most recent call last\)|^Exception in thread |^thread '.*panicked at ", re.M
)
_TRACE_CHARACTERS: Final = 4000

_MACHINE_CODE: Final = (Signals.SIGSEGV, Signals.SIGBUS, Signals.SIGFPE, Signals.SIGILL)
_OF_SIGNAL: Final = {
    Signals.SIGXCPU: Name.PROCESSOR,
    Signals.SIGXFSZ: Name.DISK,
    Signals.SIGSYS: Name.NOT_PERMITTED,
}
_SHELL_ADDS: Final = 128
"""Number that a shell adds to a signal's number in the exit status of a killed program."""
_ABORTED: Final = (
    "it called abort: an assertion, or an exception that nothing caught, of which the text was "
    "lost; print it on standard error, and mend it there"
)
_OF_THE_HEAP: Final = re.compile(
    r"double free|corrupt|\b(free|malloc|realloc|munmap_chunk)\(\):|smashing detected"
)
"""Messages of glibc before it aborts a program with a corrupt heap."""
_DEADLOCK: Final = "all goroutines are asleep"
_WAITS: Final = (
    "every goroutine waits: look for a channel or lock that nobody serves at the line above"
)
_KILLED: Final = (
    "arena did not send this signal: it came from the bot, or from the system, where memory was "
    "short; look for kill in it and in what it starts"
)


class ExitReason(NamedTuple):
    """Reason why a process ended."""

    name: Name
    clue: str = ""
    """Evidence besides the last words, to be appended to the exit status."""
    mend: str = ""
    """Remedy, where it is known more exactly than the name implies."""


def of_ending(text: str, status: int | None, peak: int, limits: Limits) -> ExitReason:
    """Return why a process ended when it was asked.

    ``text``: its standard error; ``status``: as in ``subprocess``; ``peak``: most bytes of memory
    that it was seen to hold.
    """
    if name := finding_of_stderr(text):
        return ExitReason(name)
    signal = _signal(status)
    if _DEADLOCK in text:
        return ExitReason(Name.CRASH, mend=_WAITS)
    if (signal is None and text.strip()) or gives_a_reason(text):
        return ExitReason(Name.CRASH)
    if is_near(peak, limits.memory):
        return ExitReason(Name.MEMORY, ", when it used most of the memory that it may use")
    clue = "" if text.strip() else ", and nothing on standard error says why"
    if signal is None:
        return ExitReason(Name.EXITS, clue)
    if signal in _MACHINE_CODE:
        return ExitReason(Name.SIGNAL, clue)
    mend = _ABORTED if signal is Signals.SIGABRT else _KILLED
    if _OF_THE_HEAP.search(text):
        mend = ""
    name = _OF_SIGNAL.get(signal, Name.SIGNAL)
    return ExitReason(name, clue, mend if name is Name.SIGNAL else "")


def finding_of_stderr(text: str) -> Name | None:
    """Return the name of the finding to which the last lines of standard error point, if any.

    The line with the reason counts too, since the last ones may be about a place in a library.
    """
    lines = [*text.rstrip().splitlines()[-SAID_LINES:], crash_summary(text)]
    said = "\n".join(lines)
    return next((name for name, pattern in _OF_STDERR if pattern.search(said)), None)


def tells_of_memory(text: str) -> bool:
    """Return whether the last lines say that memory was refused."""
    return _OF_MEMORY.search("\n".join(last_words(text))) is not None


def tells_of_network(text: str) -> bool:
    """Return whether standard error says anywhere that the bot tried to use the network."""
    return dict(_OF_STDERR)[Name.NETWORK].search(text) is not None


def gives_a_reason(text: str) -> bool:
    """Return whether the last lines look like those of an error."""
    return _REASON.search("\n".join(last_words(text))) is not None


def has_trace(text: str) -> bool:
    """Return whether the last lines show an uncaught error, of any thread."""
    return _TRACE.search(text[-_TRACE_CHARACTERS:]) is not None


def is_near(used: int, limit: int | None) -> bool:
    """Return whether ``used`` is close to ``limit``."""
    return limit is not None and used > NEAR * limit


def _signal(status: int | None) -> Signals | None:
    """Return the signal that ended the process or a program its shell ran; None if none did."""
    if status is None:
        return None
    try:
        return Signals(-status if status < 0 else status - _SHELL_ADDS)
    except ValueError:
        return None


_READ: Final = 64 * 1024
_NAP: Final = 0.01
_QUESTIONS: Final = 400
"""Number of questions whose answers overflow the output buffers of the usual languages."""
_FLOOD: Final = 8 << 20
"""Most bytes of questions to send: a bot that reads takes them in time."""
_BUFFER: Final = 4000
"""Least number of bytes that arrive at once only from a buffer that was full."""
_FOR_START: Final = 0.5
_FOR_ONE: Final = 0.5
_FOR_FLOOD: Final = 2.0
_FOR_END: Final = 1.5


class SilenceReason(Enum):
    """Reason for a bot's silence."""

    LATE = "late"
    """The bot waits for nothing: it answered after its time."""
    NOT_READING = "not reading"
    """The bot does not read its input."""
    ENDED = "ended"
    """The bot ended after its time."""
    AFTER_START = "after start"
    """The bot sent ready only after a start message."""
    NO_READY = "no ready"
    """The bot answers questions but never sends ready."""
    BUFFERED = "buffered"
    """The bot answered many questions at once, when a buffer was full."""
    AT_END = "at end"
    """The bot answered when its input had ended."""
    WANTS_INPUT = "wants input"
    """The bot answered only when one more line had come."""
    CLOSED = "closed"
    """The bot closed its standard output."""
    NOTHING = "nothing"
    """Nothing made the bot answer."""


def why_silent(
    process: BotProcess, question: bytes, start: bytes | None, late: float
) -> SilenceReason:
    """Make the bot speak, and return why it was silent.

    ``question``: a line with a question; ``start``: line to send first if the bot is not ready yet.
    ``late``: seconds to wait for a late answer.
    """
    pipes = _Pipes(process)
    if pipes.heard(0.0):
        return SilenceReason.LATE
    if pipes.is_closed() and not process.ended():
        return SilenceReason.CLOSED
    if pipes.unread():
        return _at_last(process, pipes, late)
    if start is not None:
        pipes.send(start)
        if found := pipes.heard(_FOR_START):
            return SilenceReason.AFTER_START if b"ready" in found else SilenceReason.NO_READY
    pipes.send(question)
    if found := pipes.heard(_FOR_ONE):
        if start is not None:
            return SilenceReason.LATE if b"ready" in found else SilenceReason.NO_READY
        is_answered_twice = found.count(b"\n") > 1 or pipes.heard(max(late, _FOR_ONE))
        return SilenceReason.LATE if is_answered_twice else SilenceReason.WANTS_INPUT
    pipes.send(question * min(_QUESTIONS, _FLOOD // len(question)))
    if found := pipes.heard_of_many(_FOR_FLOOD):
        return SilenceReason.BUFFERED if len(found) >= _BUFFER else SilenceReason.LATE
    if pipes.unread():
        return _at_last(process, pipes, late)
    if pipes.heard(late):  # a timer, for example; closing its input must not seem the cause
        return SilenceReason.LATE
    process.close_stdin()
    return SilenceReason.AT_END if pipes.heard(_FOR_END) else SilenceReason.NOTHING


def _at_last(process: BotProcess, pipes: _Pipes, late: float) -> SilenceReason:
    """Return why a bot that does not read its input is silent."""
    if pipes.heard(late):
        return SilenceReason.LATE
    return SilenceReason.ENDED if process.wait(_FOR_END) else SilenceReason.NOT_READING


class _Pipes:
    """Pipes to and from a process, bypassing its channel."""

    def __init__(self, process: BotProcess) -> None:
        self._process = process
        self._unsent = b""

    def send(self, data: bytes) -> None:
        """Send as much of ``data`` as the pipe takes; ``heard_of_many`` sends the rest."""
        self._unsent += data
        self._write()

    def _write(self) -> None:
        try:
            self._unsent = self._unsent[os.write(self._process.stdin, self._unsent) :]
        except BlockingIOError:
            pass
        except OSError:  # the bot closed its input
            self._unsent = b""

    def is_closed(self) -> bool:
        """Return whether no process can write to the standard output any more."""
        poll = select.poll()
        poll.register(self._process.stdout, 0)
        return bool(poll.poll(0))

    def unread(self) -> int:
        """Return the number of bytes that the bot has not read or that the pipe did not take."""
        try:
            size = fcntl.ioctl(self._process.stdin, FIONREAD, struct.pack("i", 0))
        except (OSError, ValueError):
            return 0
        return int(struct.unpack("i", size)[0]) + len(self._unsent)

    def heard(self, seconds: float) -> bytes:
        """Return the first output within ``seconds``; b"" without output."""
        return heard(self._process, seconds)

    def heard_of_many(self, seconds: float) -> bytes:
        """Return the first output while everything is sent; b"" if there was no output.

        Ends early when the bot has read everything and stays silent.
        """
        give_up = time.monotonic() + seconds
        quiet = 0
        while time.monotonic() < give_up:
            if self._unsent:
                self._write()
            if found := heard(self._process, _NAP):
                return found
            quiet = 0 if self.unread() else quiet + 1
            if quiet > _FOR_START / _NAP:
                break
        return b""


def heard(process: BotProcess, seconds: float) -> bytes:
    """Return the first output of a process on standard output within ``seconds``.

    Empty: no output, or the process closed it. The channel of the process misses what is read here.
    """
    poll = select.poll()
    poll.register(process.stdout, select.POLLIN)
    if not poll.poll(max(0.0, seconds) * 1000):
        return b""
    try:
        return os.read(process.stdout, _READ)
    except OSError:
        return b""
