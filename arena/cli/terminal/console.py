"""Streams, colour and endings, the same for every command.

Standard output carries the answer, standard error everything said on the way. Colour only
where a person sees it; animation only where, besides, nobody keeps a log. What is printed may
hold the words of bots: no line of it is a command to the CI system that reads the log.
"""

from __future__ import annotations

import logging
import os
import re
import shutil
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from enum import Enum, IntEnum
from errno import EIO
from stat import S_ISCHR
from typing import Any, Final, TextIO

import typer

from arena.documents.bad_input import BadInput, NothingToDo

_ENDS: Final = r"\n\r\v\f\x1c-\x1e\x85\u2028\u2029"
"""Of lines, for whatever reads them."""
_COMMANDS: Final = re.compile(
    rf"(?<![^{_ENDS}])(?P<before>[^\x21-\x7e{_ENDS}]*):(?=[^\x20-\x7e]*:)"
    r"|(?P<marks>#[^\x20-\x7e]*#(?:[^\x20-\x7e]|[A-Za-z])*)\["
)
"""What GitHub's runner takes for a command: ``::`` at the beginning of a line, white space aside,
and ``##[`` anywhere; Azure's ``##vso[`` and TeamCity's ``##teamcity[``. Runners that compare by
the rules of a language see nothing in characters without a width."""


class Exit(IntEnum):
    """Exit codes."""

    DONE = 0
    DIFFERENCE = 1
    FAIL = 1
    """Of a test; the same code."""
    BAD_INPUT = 2
    INCONCLUSIVE = 3
    INVALID_RUN = 4
    NOTHING_TO_DO = 5
    OUR_BUG = 70
    INTERRUPTED = 130


class Color(Enum):
    """``--color``."""

    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"


class Style(Enum):
    """Terminal attributes that are used."""

    BOLD = "1"
    RED = "31"
    DIM = "2"


class ReaderLeft(Exception):
    """Whoever read our standard output has left: there is nobody to tell more. Exit code 0."""


_choice = Color.AUTO


def choose_color(choice: Color) -> None:
    """Set what ``--color`` asked for, once, before anything is printed."""
    global _choice
    _choice = choice


def has_color(stream: TextIO) -> bool:
    """Whether to colour what goes to the stream."""
    if _choice is not Color.AUTO:
        return _choice is Color.ALWAYS
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    forced = os.environ.get("FORCE_COLOR") or os.environ.get("CLICOLOR_FORCE")
    return bool(forced) or stream.isatty()


def columns() -> int | None:
    """Of the terminal that gets the answer; None where the answer goes elsewhere."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def is_colored() -> bool:
    """Whether tables of the answer are: never where it goes elsewhere than to a terminal."""
    return sys.stdout.isatty() and has_color(sys.stdout)


def is_animated(stream: TextIO) -> bool:
    """Whether lines on the stream may be rewritten."""
    plain = os.environ.get("CI") or os.environ.get("TERM") == "dumb"
    return stream.isatty() and not plain


def is_interactive() -> bool:
    """Whether a person sits at a terminal that can be a screen."""
    return sys.stdin.isatty() and is_animated(sys.stdout) and bool(os.environ.get("TERM"))


def styled(text: str, style: Style, stream: TextIO) -> str:
    """The text with an attribute, if the stream shows it."""
    return f"\x1b[{style.value}m{text}\x1b[0m" if has_color(stream) else text


def harmless(text: str) -> str:
    """The text without commands to a CI system: a character of each is written as an escape.

    In JSON the escape stands for that character.
    """
    return _COMMANDS.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    marks = found["marks"]
    return f"{found['before']}\\u003a" if marks is None else f"{marks}\\u005b"


def out(text: str) -> None:
    """Print a part of the answer. Raises ReaderLeft, or BadInput if it cannot be written."""
    try:
        print(harmless(text), flush=True)
    except BrokenPipeError:
        raise ReaderLeft from None
    except OSError as problem:
        was_closed = is_gone(problem, sys.stdout)
        _silence(sys.stdout)
        if not was_closed:
            raise BadInput(f"standard output: cannot be written: {problem.strerror}") from None


@contextmanager
def ignoring_closed_output() -> Iterator[None]:
    """Drop what is printed after the reader has left; the command goes on to its exit code."""
    try:
        yield
    except ReaderLeft:
        _silence(sys.stdout)


def print_document(document: Any) -> None:
    """Print an answer for programs, as indented JSON. Raises as ``out`` does."""
    import msgspec

    out(msgspec.json.format(msgspec.json.encode(document), indent=2).decode())


def say(text: str) -> None:
    """Tell something on the way; where nobody can be told, nobody is."""
    _tell(harmless(text))


def annotate(level: str, title: str, text: str) -> None:
    """Have GitHub show the text, an ``error`` or ``warning``, at the top of the run."""
    for character, escape in (("%", "%25"), ("\r", "%0D"), ("\n", "%0A")):
        text, title = text.replace(character, escape), title.replace(character, escape)
    title = title.replace(":", "%3A").replace(",", "%2C")
    _tell(f"::{level} title={title}::{text}")


def _tell(text: str) -> None:
    with showing():
        print(text, file=sys.stderr, flush=True)


def rewrite(text: str) -> None:
    """Show this in place of the line on standard error, which must be animated."""
    with showing():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)


@contextmanager
def rewriting() -> Iterator[Callable[[str], None]]:
    """Show what is being done: a line that is rewritten on a terminal, else one line after another.

    An empty text, and the end, remove the line from a terminal.
    """
    animated = is_animated(sys.stderr)

    def show(text: str) -> None:
        if animated:
            rewrite(text)
        elif text:
            say(text)

    try:
        yield show
    finally:
        show("")


@contextmanager
def showing() -> Iterator[None]:
    """For what is written to standard error: who shows it may leave, and nothing ends for that."""
    try:
        yield
    except OSError:
        _silence(sys.stderr)


def is_gone(problem: OSError, stream: TextIO) -> bool:
    """Whether a failure to write is that of a terminal which was closed."""
    try:
        return problem.errno == EIO and S_ISCHR(os.fstat(stream.fileno()).st_mode)
    except (OSError, ValueError):
        return False


def error(text: str) -> None:
    """Tell what is wrong."""
    say(f"{styled('error:', Style.RED, sys.stderr)} {text}")


def warn(text: object) -> None:
    """Tell what a person should know."""
    say(f"warning: {text}")


class _WarnOnce(logging.Handler):
    """Warns a person of what the log warns of, once, however often it is come upon."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._said: set[str] = set()

    def emit(self, record: logging.LogRecord) -> None:
        """Say it."""
        from arena.documents.problems import printable

        text = printable(record.getMessage())
        if text not in self._said:
            self._said.add(text)
            warn(text)


@contextmanager
def _store_warns() -> Iterator[None]:
    """Meanwhile a person reads what is odd about a run folder, not its log alone."""
    from arena.runs.disk import STORE_LOG

    log, once = logging.getLogger(STORE_LOG), _WarnOnce()
    log.addHandler(once)
    try:
        yield
    finally:
        log.removeHandler(once)


@contextmanager
def endings(*, debug: bool = False, as_json: bool = False) -> Iterator[None]:
    """Turn whatever ends a command into a message and an exit code; never a traceback.

    ``as_json``: what is wrong is also printed as a document on standard output.
    """
    from arena.cli.terminal.signals import ending_in_order
    from arena.documents.problems import ConfigError
    from arena.hosting.sandbox.isolation import IsolationError
    from arena.runs.disk import StoreError
    from arena.tournament.jobs import PoolError

    try:
        _check_current_folder()
        with _store_warns(), ending_in_order():
            yield
        _flush()
    except (BadInput, StoreError, ConfigError, IsolationError) as problem:
        if isinstance(problem, ConfigError):
            say(str(problem))  # begins with file and line, for editors that follow them
        else:
            error(str(problem))
        is_early = isinstance(problem, NothingToDo)
        code = Exit.NOTHING_TO_DO if is_early else Exit.BAD_INPUT
        if as_json:
            print_error(problem, code)
        raise typer.Exit(code) from None
    except PoolError as problem:
        error(str(problem))
        raise typer.Exit(Exit.INVALID_RUN) from None
    except KeyboardInterrupt:
        raise typer.Exit(Exit.INTERRUPTED) from None
    except ReaderLeft:
        _silence(sys.stdout)
        raise typer.Exit(Exit.DONE) from None
    except typer.Exit:
        raise
    except Exception:
        if debug:
            raise
        tell_bug()
        raise typer.Exit(Exit.OUR_BUG) from None


def _check_current_folder() -> None:
    """Raises BadInput without one: paths would begin nowhere."""
    try:
        os.getcwd()
    except FileNotFoundError:
        raise BadInput("the current folder is gone; change to one that exists") from None


def print_error(problem: Exception, code: Exit) -> None:
    """Print what is wrong as a document on standard output."""
    from arena import __version__

    document = {
        "schema": "arena.error/1",
        "arena": __version__,
        "code": code.value,
        "problems": getattr(problem, "problems", ({"found": _encodable(str(problem))},)),
    }
    print_document(document)


def _encodable(text: str) -> str:
    """The text with what is no Unicode, as in the name of a file, written as an escape."""
    return text.encode("utf-8", "backslashreplace").decode()


def _flush() -> None:
    """What was printed reaches its reader. Raises ReaderLeft."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        raise ReaderLeft from None
    except OSError as problem:
        if not is_gone(problem, sys.stdout):
            raise
        _silence(sys.stdout)


def _silence(stream: TextIO) -> None:
    """The reader left: give what is still written, by the interpreter at its end too, a place."""
    with suppress(OSError, ValueError):  # a stream of no file
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def tell_bug(what: str = "") -> None:
    """Tell a person of the exception that is handled, which is kept in a file for who mends it.

    ``what``: what could not be done, if it is not the whole command.
    """
    of_what, happened = f"{what}: " if what else "", traceback.format_exc()
    try:
        with tempfile.NamedTemporaryFile(
            "w", prefix="arena-crash-", suffix=".txt", errors="backslashreplace", delete=False
        ) as file:
            file.write(happened)
    except OSError:  # a full disk, say
        error(f"{of_what}this is a bug in arena:\n{happened}")
    else:
        error(f"{of_what}this is a bug in arena; what happened is in {file.name}")
