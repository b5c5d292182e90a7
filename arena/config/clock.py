"""The clock of a config: from its keys, or from the text of an option."""

from __future__ import annotations

from pathlib import Path
from typing import Final, NamedTuple

from arena.config.keys import ClockFile
from arena.documents.document import parse_document
from arena.documents.problems import Document, Problems
from arena.documents.reading import read_struct
from arena.results import TimeControl

OPTION: Final = "--clock"


class ClockSettings(NamedTuple):
    """Time control of a game, and permission to think while others move."""

    control: TimeControl
    pondering: bool


def read_clock(text: str) -> ClockSettings:
    """Return the clock of ``--clock``: the keys of a tournament file, or the time for an answer.

    Raises ConfigError.
    """
    keys = text if ":" in text else f"move: {text}"
    keys = keys if keys.lstrip().startswith("{") else f"{{{keys}}}"
    document = parse_document(keys.encode("utf-8", "surrogatepass"), OPTION, Path())
    problems = Problems(document)
    raw = read_struct(document, ClockFile, problems)
    check_increment(raw, document, problems)
    problems.raise_if_any()
    return clock_of(raw)


def clock_of(raw: ClockFile) -> ClockSettings:
    """Return the clock that the keys set, with defaults for those that are missing."""
    move = 1.0 if raw.move is None and raw.bank is None else raw.move
    control = TimeControl(
        move=move, bank=raw.bank, increment=raw.increment or 0.0, startup=raw.startup
    )
    return ClockSettings(control, raw.pondering in (True, "on"))


def check_increment(raw: ClockFile, document: Document, problems: Problems, *path: str) -> None:
    """Report an increment without a bank. ``path``: of the clock in the document."""
    if raw.increment and raw.bank is None and problems.clean(*path):
        problems.add((*path, "increment"), "found an increment", expected="a bank to add it to")
