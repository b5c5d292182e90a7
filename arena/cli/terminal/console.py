"""Streams, colour, layout and exit codes, the same for every command.

Standard output carries the answer, standard error all other messages. Colour is used only on a
terminal; animation only on a terminal outside CI. Printed text may contain the words of bots,
so no line may act as a command to the CI system that reads the log.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from enum import Enum, IntEnum
from errno import EIO
from stat import S_ISCHR
from typing import TYPE_CHECKING, Any, Final, TextIO

import typer

from arena import extensions
from arena.cli.early import OUT_OF_MEMORY, is_out_of_memory
from arena.values.bad_input import BadInput, NothingToDo

if TYPE_CHECKING:
    from arena.views.standings.standings import StandingsTable

_LONGEST_NAME: Final = 120
"""Greatest length of the name of a file in a message, in characters."""
_SIMPLE: Final = re.compile(r"[ -~\n\t]*")
"""Text without a character that may have to be replaced."""
_ENDS: Final = r"\n\r\v\f\x1c-\x1e\x85\u2028\u2029"
"""Line endings recognised by programs that read the output."""
_COMMANDS: Final = re.compile(
    rf"(?<![^{_ENDS}])(?P<before>[^\x21-\x7e{_ENDS}]*):(?=[^\x20-\x7e]*:)"
    r"|(?P<marks>#[^\x20-\x7e]*#(?:[^\x20-\x7e]|[A-Za-z])*)\["
)
"""Log commands of CI systems.

GitHub's runner takes ``::`` at the beginning of a line (after white space) and ``##[`` anywhere
for a command; Azure takes ``##vso[`` and TeamCity ``##teamcity[``. Runners that compare by the
rules of a language ignore zero-width characters.
"""


class Exit(IntEnum):
    """Exit codes of all commands."""

    DONE = 0
    DIFFERENCE = 1
    FAIL = 1
    """Failed test; the same code as DIFFERENCE."""
    BAD_INPUT = 2
    INCONCLUSIVE = 3
    INVALID_RUN = 4
    NOTHING_TO_DO = 5
    OUR_BUG = 70
    INTERRUPTED = 130


class Color(Enum):
    """Values of ``--color``."""

    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"


class TextAttribute(Enum):
    """Terminal attributes in use."""

    BOLD = "1"
    RED = "31"


class ReaderLeft(Exception):
    """The reader closed our standard output, so printing more is pointless. Exit code 0."""


_choice = Color.AUTO


def choose_color(choice: Color) -> None:
    """Set the colour mode once, before anything is printed."""
    global _choice
    _choice = choice


def has_color(stream: TextIO) -> bool:
    """Return whether output to ``stream`` is coloured."""
    if _choice is not Color.AUTO:
        return _choice is Color.ALWAYS
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    forced = os.environ.get("FORCE_COLOR") or os.environ.get("CLICOLOR_FORCE")
    return bool(forced) or stream.isatty()


def columns() -> int | None:
    """Return the width of the terminal at standard output, in columns; None without a terminal."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def is_colored() -> bool:
    """Return whether tables on standard output are coloured."""
    return sys.stdout.isatty() and has_color(sys.stdout)


def is_animated(stream: TextIO) -> bool:
    """Return whether lines on the stream may be rewritten."""
    plain = os.environ.get("CI") or os.environ.get("TERM") == "dumb"
    return stream.isatty() and not plain


def is_interactive() -> bool:
    """Return whether a person sits at a terminal that supports full-screen output."""
    return sys.stdin.isatty() and is_animated(sys.stdout) and bool(os.environ.get("TERM"))


def styled(text: str, style: TextAttribute, stream: TextIO) -> str:
    """Return the text with an attribute, if the stream shows it."""
    return f"\x1b[{style.value}m{text}\x1b[0m" if has_color(stream) else text


def harmless(text: str, stream: TextIO) -> str:
    """Return ``text`` as it may be printed on ``stream``, also if others wrote it.

    Characters that a terminal obeys are replaced, except for our attributes on a coloured stream.
    A character of each CI command is escaped, so that no CI system runs it. The escape is valid
    JSON, so a JSON reader gets the original character.
    """
    if not _SIMPLE.fullmatch(text):
        from arena.values import clean  # takes time to load, and --help does not need it

        text = clean.shown(text, is_styled=has_color(stream))
    return _COMMANDS.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    marks = found["marks"]
    return f"{found['before']}\\u003a" if marks is None else f"{marks}\\u005b"


def harmless_line(text: str, stream: TextIO) -> str:
    """Return ``text`` as ``harmless`` does, on one line, because names may hold line ends."""
    return harmless(text.replace("\n", "\N{REPLACEMENT CHARACTER}"), stream)


def out(line: str) -> None:
    """Print a line of the command's result on standard output.

    Raises as ``answering`` does.
    """
    with answering():
        print(harmless_line(line, sys.stdout), flush=True)


def out_text(text: str) -> None:
    """Print text of several lines, in which names were made safe. Raises as ``answering`` does."""
    with answering():
        print(harmless(text, sys.stdout), flush=True)


@contextmanager
def answering() -> Iterator[None]:
    """Write on standard output inside the context; do nothing if its terminal was closed.

    Raises ReaderLeft if its reader has closed it, BadInput if it cannot be written.
    """
    try:
        yield
    except BrokenPipeError:
        raise ReaderLeft from None
    except OSError as problem:
        was_closed = is_gone(problem, sys.stdout)
        _silence(sys.stdout)
        if not was_closed:
            raise BadInput(f"standard output: cannot be written: {problem.strerror}") from None


@contextmanager
def ignoring_closed_output() -> Iterator[None]:
    """Drop output after the reader has left; the command continues to its exit code."""
    try:
        yield
    except ReaderLeft:
        _silence(sys.stdout)


def print_document(document: Any) -> None:
    """Print ``document``, the result for programs, as indented JSON. Raises as ``out`` does."""
    from arena.values import clean

    out_text(clean.json_document(document).removesuffix("\n"))


def print_table(table: StandingsTable, form: str, warnings: Sequence[str] = ()) -> None:
    """Print a table in a form of ``arena standings``; ``warnings``: added to the JSON document."""
    from arena.views.standings.standings import render

    shown = render(table, form, width=columns(), color=is_colored(), warnings=warnings)
    out_text(shown.rstrip("\n"))


def say(line: str) -> None:
    """Print a line on standard error; do nothing if it is closed."""
    _tell(harmless_line(line, sys.stderr))


def annotate(level: str, title: str, text: str) -> None:
    """Have GitHub show the text, an ``error``, ``warning`` or ``notice``, at the top of the run."""
    from arena.values import clean

    text, title = clean.shown(text), clean.shown(title)
    for character, escape in (("%", "%25"), ("\r", "%0D"), ("\n", "%0A")):
        text, title = text.replace(character, escape), title.replace(character, escape)
    title = title.replace(":", "%3A").replace(",", "%2C")
    _tell(f"::{level} title={title}::{text}")


def _tell(text: str) -> None:
    with showing():
        print(text, file=sys.stderr, flush=True)


def rewrite(text: str) -> None:
    """Replace the current line of standard error, which must be animated."""
    with showing():
        shown = harmless_line(text, sys.stderr)
        print(f"\r\x1b[K{shown}", end="", file=sys.stderr, flush=True)


@contextmanager
def rewriting() -> Iterator[Callable[[str], None]]:
    """Yield a function that shows the current activity.

    On a terminal it rewrites one line; elsewhere it prints one line after another. An empty text,
    and leaving the context, remove the line from a terminal.
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
    """Ignore errors of writing to a closed standard error inside the context."""
    try:
        yield
    except OSError:
        _silence(sys.stderr)


def is_gone(problem: OSError, stream: TextIO) -> bool:
    """Return whether a failure to write means that the terminal was closed."""
    try:
        return problem.errno == EIO and S_ISCHR(os.fstat(stream.fileno()).st_mode)
    except (OSError, ValueError):
        return False


def error(problem: object) -> None:
    """Print an error, the text of which has escaped names."""
    _tell(harmless(f"{styled('error:', TextAttribute.RED, sys.stderr)} {problem}", sys.stderr))


def warn(text: object) -> None:
    """Print a warning."""
    say(f"warning: {text}")


@contextmanager
def _logged_warnings() -> Iterator[None]:
    """Print warnings about run folders to standard error while the context is active, each once.

    Those about boards are printed at its end, when no board fills the screen.
    """
    import logging  # takes time to load; --help needs it not

    from arena.runs.disk import STORE_LOG

    class Once(logging.Handler):
        """Log handler that passes each warning on once, however often it is logged."""

        def __init__(self, show: Callable[[str], object]) -> None:
            super().__init__(logging.WARNING)
            self._show = show
            self._said: set[str] = set()

        def emit(self, record: logging.LogRecord) -> None:
            """Pass the warning on unless it was logged before."""
            text = record.getMessage()
            if text not in self._said:
                self._said.add(text)
                self._show(text)

    boards: list[str] = []
    handlers = {STORE_LOG: Once(warn), "arena.boards": Once(boards.append)}
    for name, handler in handlers.items():
        logging.getLogger(name).addHandler(handler)
    try:
        yield
    finally:
        for name, handler in handlers.items():
            logging.getLogger(name).removeHandler(handler)
        for text in boards:
            warn(text)


@contextmanager
def endings(*, debug: bool = False, as_json: bool = False) -> Iterator[None]:
    """Run a command: print warnings, end in order, and report its errors as ``reported`` does."""
    from arena.cli.terminal.signals import ending_in_order

    with reported(debug=debug, as_json=as_json):
        _check_current_folder()
        with _logged_warnings(), ending_in_order():
            yield
        _flush()


@contextmanager
def reported(*, debug: bool = False, as_json: bool = False) -> Iterator[None]:
    """Turn every exception into a message and an exit code, never a traceback.

    ``as_json``: the error is also printed as a document on standard output.
    """
    try:
        yield
    except MemoryError as problem:  # before the others, whose types would have to be imported
        raise typer.Exit(_failed(problem, as_json=as_json)) from None
    except _refusals() as problem:
        if hasattr(problem, "problems"):
            _tell(harmless(str(problem), sys.stderr))  # begins with the line, for editors
        else:
            error(problem)
        for line in extensions.unloaded:  # what is missing may be why
            warn(line)
        is_early = isinstance(problem, NothingToDo)
        code = Exit.NOTHING_TO_DO if is_early else Exit.BAD_INPUT
        if as_json:
            print_error(problem, code)
        raise typer.Exit(code) from None
    except _failure() as problem:
        error(problem)
        raise typer.Exit(Exit.INVALID_RUN) from None
    except ReaderLeft:
        _silence(sys.stdout)
        raise typer.Exit(Exit.DONE) from None
    except typer.Exit:
        raise
    except BaseException as problem:
        if debug and isinstance(problem, Exception):
            raise
        raise typer.Exit(_failed(problem, as_json=as_json)) from None


def _failed(problem: BaseException, *, as_json: bool) -> Exit:
    """Say what failed and return the exit code: a package of others, arena, or an interrupt."""
    if isinstance(problem, MemoryError):
        error(OUT_OF_MEMORY)
        if as_json:
            print_error(BadInput(OUT_OF_MEMORY), Exit.BAD_INPUT)
        return Exit.BAD_INPUT
    from arena.cli.terminal.signals import is_interrupt
    from arena.games.installed import failing_package

    if isinstance(problem, KeyboardInterrupt) and is_interrupt(problem):
        return Exit.INTERRUPTED
    told = extensions.uninstalled(problem) or failing_package(problem) or _limit(problem)
    if told:
        refusal = BadInput(told)
        error(refusal)
        if as_json:
            print_error(refusal, Exit.BAD_INPUT)
        return Exit.BAD_INPUT
    if isinstance(problem, KeyboardInterrupt):
        return Exit.INTERRUPTED
    if not isinstance(problem, Exception):
        raise problem
    tell_bug()
    return Exit.OUR_BUG


def _limit(problem: BaseException) -> str:
    """Return what the operating system or the interpreter refused, or "" for a bug in arena."""
    from arena.tournament.processes import is_exhaustion

    if is_out_of_memory(problem):
        return OUT_OF_MEMORY
    if isinstance(problem, RecursionError):
        return "found something nested too deeply to be read"
    if isinstance(problem, UnicodeEncodeError) and "surrogates" in problem.reason:
        return f"found {_shown_name(problem.object)}, expected UTF-8"
    if isinstance(problem, OSError) and problem.filename is not None:
        return f"{_shown_name(problem.filename)}: {problem.strerror}"
    if isinstance(problem, OSError) and is_exhaustion(problem):
        return f"the machine is exhausted: {problem.strerror}"
    return ""


def _shown_name(name: object) -> str:
    """Return the name of a file; the middle of a long one is left out."""
    text = os.fsdecode(name) if isinstance(name, bytes) else str(name)
    return text if len(text) <= _LONGEST_NAME else f"{text[: _LONGEST_NAME // 2]}…{text[-20:]}"


def _refusals() -> tuple[type[Exception], ...]:
    """Return the errors that are the caller's; imported only when there was one."""
    from arena.games.base import RulesError
    from arena.hosting.sandbox.isolation import IsolationError
    from arena.runs.disk import StoreError
    from arena.values.problems import ConfigError

    return BadInput, StoreError, ConfigError, IsolationError, RulesError


def _failure() -> type[Exception]:
    """Return the error of a run that could not continue."""
    from arena.tournament.executor import PoolError

    return PoolError


def _check_current_folder() -> None:
    """Raise BadInput if the current folder was removed, because relative paths would fail."""
    try:
        os.getcwd()
    except FileNotFoundError:
        raise BadInput("the current folder is gone; change to one that exists") from None


def print_error(problem: Exception, code: Exit) -> None:
    """Print the error ``problem`` as a document with its exit ``code`` on standard output."""
    from arena.values.schema import ErrorDocument  # takes time to load; --help needs it not

    problems = getattr(problem, "problems", ({"found": str(problem)},))
    print_document(ErrorDocument(code=code.value, problems=tuple(problems)))


def _flush() -> None:
    """Flush standard output. Raises ReaderLeft."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        raise ReaderLeft from None
    except OSError as problem:
        if not is_gone(problem, sys.stdout):
            raise
        _silence(sys.stdout)


def _silence(stream: TextIO) -> None:
    """Redirect a closed stream to the null device, so that no later write fails."""
    with suppress(OSError, ValueError):  # a stream without a file
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def tell_bug(what: str = "") -> None:
    """Report the exception being handled as a bug, and keep its traceback in a file for developers.

    ``what``: the operation that failed, if it is not the whole command.
    """
    import tempfile  # slow, and every command would wait for it

    of_what, happened = f"{what}: " if what else "", traceback.format_exc()
    try:
        with tempfile.NamedTemporaryFile(
            "w", prefix="arena-crash-", suffix=".txt", errors="backslashreplace", delete=False
        ) as file:
            file.write(happened)
    except OSError:  # a full disk, for example
        error(f"{of_what}this is a bug in arena:\n{happened}")
    else:
        error(f"{of_what}this is a bug in arena; what happened is in {file.name}")
