"""Games of a page: which of them it has, and their preparation by several processes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum
from functools import partial
from typing import Final, NamedTuple

from arena.extensions.browser.page.html import packed
from arena.extensions.browser.viewer.document import all_views, document
from arena.extensions.publishing.processes import shared, uncollected
from arena.referee.records.format import Record
from arena.referee.records.perspective import SPECTATOR
from arena.runs.disk import StoreError
from arena.runs.reader import StoredRun
from arena.runs.store import Stored
from arena.values.bad_input import BadInput
from arena.values.problems import quote
from arena.values.results import Evidence
from arena.views.game.find import FoundGame, load, nameless
from arena.views.game.replay import view_of
from arena.views.game.rows import LeadCourse, lead_course

DEFAULT: Final = 1000
"""Number of games to step through by default."""
LISTED: Final = 20_000
"""Most games in the list."""
_DIGITS: Final = 9


class Which(Enum):
    """Kind of games to choose."""

    SOME = "some"
    ALL = "all"
    FAULTS = "faults"
    NONE = "none"


class GameSelection(NamedTuple):
    """Value of ``--games``."""

    which: Which
    most: int = DEFAULT
    """Number of games for SOME."""


def parse_wanted(text: str | None) -> GameSelection:
    """Return the choice that the text of ``--games`` makes. Raises BadInput for any other text."""
    if text is None:
        return GameSelection(Which.SOME)
    if text in ("all", "faults", "none"):
        return GameSelection(Which(text))
    if text.isascii() and text.isdecimal() and len(text) <= _DIGITS:
        return GameSelection(Which.SOME, int(text)) if int(text) else GameSelection(Which.NONE)
    raise BadInput(f"--games: found {quote(text)}, expected all, none, faults or a number")


def chosen(numbers: Sequence[int], faulty: Sequence[int], most: int) -> list[int]:
    """Return at most ``most`` of the sorted ``numbers``: ``faulty`` first, others evenly."""
    if len(numbers) <= most:
        return list(numbers)
    first = evenly(faulty, most)
    taken = set(faulty)
    others = [number for number in numbers if number not in taken]
    return sorted([*first, *evenly(others, most - len(first))])


def evenly(numbers: Sequence[int], most: int) -> list[int]:
    """Return at most ``most`` of ``numbers`` in their order, evenly spread."""
    if len(numbers) <= most:
        return list(numbers)
    return [numbers[k * len(numbers) // most] for k in range(most)]


def to_step_through(
    wanted: GameSelection, numbers: Sequence[int], faulty: Sequence[int]
) -> list[int]:
    """Return the games that ``--games`` asks for, of the listed ``numbers``.

    ``faulty``: those of ``numbers`` with faults.
    """
    match wanted.which:
        case Which.ALL:
            return list(numbers)
        case Which.FAULTS:
            return list(faulty)
        case Which.NONE:
            return []
        case Which.SOME:
            return chosen(numbers, faulty, wanted.most)


_FEW: Final = 8
"""Number of games that are prepared faster than processes are started."""


class Source(NamedTuple):
    """Origin of games, and limits on what may be shown."""

    run: StoredRun
    games: int
    """Number of games in the list of all."""
    is_public: bool
    """True if only a spectator's view is made."""


class Task(NamedTuple):
    """A game to prepare."""

    number: int
    """Number from 1 in the list of all games."""
    stored: Stored
    wants_document: bool
    """False if only times and evidence are needed."""
    alias: str
    """Replacement for its id, with names omitted; empty: id and names are shown."""


class Prepared(NamedTuple):
    """Data of a game for a page."""

    number: int
    document: str
    """Packed document; empty if none was wanted."""
    moves: tuple[tuple[int, ...], ...]
    """Microseconds of each answer, by seat."""
    evidence: tuple[Evidence, ...]
    lead: LeadCourse | None = None
    """Course of the lead; None without a document."""
    problem: str = ""
    """Problem of a damaged record; the other fields are then empty."""


def prepared(tasks: Sequence[Task], source: Source, jobs: int) -> Iterator[Prepared]:
    """Return an iterator of all tasks' games in order, prepared by ``jobs`` processes.

    The processes end with the iterator or with this process. Raises BadInput if one of them was
    ended from outside or cannot be started.
    """
    return shared(partial(prepare, source=source), tasks, jobs, _FEW)


def prepare(task: Task, source: Source) -> Prepared:
    """Read the game of ``task`` and return its data for a page, or why it cannot be read."""
    try:
        with uncollected():
            return _read(task, source)
    except StoreError as error:
        return Prepared(task.number, "", (), (), problem=str(error))


def _read(task: Task, source: Source) -> Prepared:
    """Replay the game of ``task`` and return its data. Raises StoreError for a damaged record."""
    if not task.wants_document:
        record = source.run.record(task.stored)
        return Prepared(task.number, "", _moves(record), record.measured.evidence)
    found = FoundGame(task.stored, task.number, source.games)
    replay = load(source.run, found)
    record = replay.record
    if task.alias:
        replay = nameless(replay, task.alias)
    shown = [view_of(replay, SPECTATOR)] if source.is_public else all_views(replay)
    text, lead = packed(document(shown)), lead_course(shown[0])
    return Prepared(task.number, text, _moves(record), record.measured.evidence, lead)


def _moves(record: Record) -> tuple[tuple[int, ...], ...]:
    moves: list[list[int]] = [[] for _ in record.header.spec.entrants]
    for ply, used in zip(record.plies, record.measured.think_us, strict=True):
        if ply.seat is not None and not ply.autopilot:
            moves[ply.seat].append(used)
    return tuple(map(tuple, moves))
