"""Reader of results from other programs: one JSON object per line (docs/results-format.md)."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, BinaryIO, Final, NamedTuple

import msgspec

from arena.extensions.studies.plain.lines import (
    EXAMPLE,
    BrokenLineError,
    Chunk,
    ResultLine,
    WrongLineError,
    decoded,
    is_discipline,
    is_ordinary_pair,
    is_sound,
    parsed,
    quoted,
)
from arena.extensions.studies.plain.pairs import PairColumns, RepeatedError
from arena.ratings.counting.counts import comparison
from arena.ratings.counting.scored import FORFEIT, SoloTally
from arena.ratings.counting.tally import Tally
from arena.values.results import Termination

LONGEST: Final = 1 << 20
"""Greatest length of a line in bytes."""
_CHUNK: Final = 1 << 16
"""Number of bytes read at once, so that the decoded lines stay in the processor's cache."""
_BOM: Final = b"\xef\xbb\xbf"
_WIDE: Final = (b"\xff\xfe", b"\xfe\xff")
_PAIR: Final = "game-2"
_DECODER: Final = msgspec.json.Decoder(ResultLine)


class ResultsError(Exception):
    """Error in results. The text is one line: where, what was found and expected."""

    def __init__(self, where: str, found: str, expected: str) -> None:
        super().__init__(f"{where}: found {found}, expected {expected}")
        self.where = where
        self.found = found
        self.expected = expected


class DateSpan(NamedTuple):
    """Dates of the games of one entrant, in seconds since 1970 UTC; 0 if no game has a date."""

    first: int = 0
    last: int = 0
    undated: int = 0
    """Number of games without a date."""

    def joined(self, other: DateSpan) -> DateSpan:
        """Return the dates of the games of both spans together."""
        known = [each for each in (self.first, other.first) if each]
        first = min(known, default=0)
        return DateSpan(first, max(self.last, other.last), self.undated + other.undated)


class Dates(dict[str, DateSpan]):
    """Span of dates by name of the entrant."""

    def add(self, entrants: Iterable[str], played: int) -> None:
        """Count one game; ``played`` is in seconds since 1970 UTC, 0 if the game has no date."""
        own = DateSpan(played, played, not played)
        for name in {*entrants}:
            span = self.get(name)
            if span is None:
                self[name] = own
            elif not (span.first <= played <= span.last and played):
                self[name] = span.joined(own)

    def absorb(self, name: str, span: DateSpan) -> None:
        """Add the games of one entrant that ``span`` summarises."""
        self[name] = self[name].joined(span) if name in self else span


def read_results(
    path: Path, *, name: str = "", met: SeenGames | None = None, dates: Dates | None = None
) -> Tally:
    """Return the tally of the games of a file, equal to that of a run of the same games.

    ``name``: name of the file in messages, if not its path. ``met``: games of other files, which
    are not counted again. ``dates``: receives the dates of each entrant's games. Raises
    ResultsError.
    """
    name = name or str(path)
    with _opened(path, name) as file:
        return _LineCounter(name, SeenGames() if met is None else met, dates).read(file)


class SeenGames:
    """Games with an id from several files, some hundred bytes for each."""

    def __init__(self) -> None:
        self._games: dict[int, tuple[int, str]] = {}
        self.again = 0
        """Number of games that occurred again."""

    def is_new(self, line: ResultLine, name: str) -> bool:
        """Return whether a game of the file ``name`` is new.

        Raises ResultsError if an earlier game with the same id went differently.
        """
        how = hash(line.outcome())
        before = self._games.setdefault(hash(line.id), own := (how, name))
        if before[0] != how:
            both = name if name == before[1] else f"{before[1]} and {name}"
            game = quoted(line.id)
            raise ResultsError(both, f"the id {game} for games that went differently", "one game")
        self.again += before is not own
        return before is own


@contextmanager
def _opened(path: Path, name: str) -> Iterator[BinaryIO]:
    try:
        with path.open("rb") as file:
            yield file
    except OSError as error:
        what = (error.strerror or str(error)).lower()
        raise ResultsError(name, what, "a file of results") from None


class WideTextError(Exception):
    """Text in UTF-16 instead of UTF-8."""


def chunks(file: BinaryIO) -> Iterator[bytes]:
    """Yield whole lines, several at a time; the last line may lack its newline.

    A byte order mark at the start is dropped. A line much longer than LONGEST is cut, and is then a
    chunk of its own. Raises WideTextError.
    """
    rest = file.read(_CHUNK)
    if rest.startswith(_WIDE):
        raise WideTextError
    rest = rest.removeprefix(_BOM)
    while rest:
        whole, newline, after = rest.rpartition(b"\n")
        if newline or len(rest) > LONGEST:
            yield (whole + newline) or rest
            rest = after if newline else b""
        read = file.read(_CHUNK)
        if not read:
            break
        rest += read
    if rest:
        yield rest


class _LineCounter:
    """Counts of the lines of one file."""

    def __init__(self, name: str, met: SeenGames, dates: Dates | None) -> None:
        self._name = name
        self._ids = met
        self._dates = dates
        self._tally = Tally()
        self._pairs = PairColumns()
        self._sizes: dict[str, int] = {}
        """Number of seats by discipline."""
        self._seatings: set[tuple[str, str, tuple[str, ...]]] = set()
        """Discipline, deal and entrants by seat of games that are not in the columns."""
        self._solo: dict[str, SoloTally] = {}
        self._line = 1
        """Number of the next line."""
        self._rows: list[int] = []
        self._lines: list[int] = []
        """Line number of row ``_rows[k]`` of the columns; later rows are numbered from it."""
        self._met = False

    def read(self, file: BinaryIO) -> Tally:
        try:
            for chunk in chunks(file):
                self._count(chunk)
        except WideTextError:
            raise ResultsError(self._name, "text in UTF-16", "UTF-8") from None
        if not self._met:
            raise ResultsError(self._name, "no game", f"lines such as {EXAMPLE}")
        try:
            for block in self._pairs.blocks():
                self._tally.add_blocks(block.discipline, block.pair, block.cells)
        except RepeatedError as error:
            raise self._repeated(self._line_of(error.row)) from None
        for solo in self._solo.values():
            scores = [s for name in solo.entrants for s in solo.scores(name) if s > FORFEIT]
            solo.worst_score = min(scores, default=0)
        return self._tally

    def _count(self, chunk: bytes) -> None:
        if len(chunk) > LONGEST and len(chunk.partition(b"\n")[0]) > LONGEST:
            raise self._too_long()
        found = decoded(chunk)
        if found is not None and self._count_ranked(found):
            self._line += len(found.lines)
        elif found is not None and all(map(is_sound, found.lines)):
            for line in found.lines:
                self._count_one(line)
                self._line += 1
        else:
            for text in chunk.removesuffix(b"\n").split(b"\n"):
                if text.strip():
                    self._count_one(self._parsed(text, whole=chunk.endswith(b"\n")))
                self._line += 1

    def _count_ranked(self, found: Chunk) -> bool:
        """Count two-seat games without faults at once; return False if there are other games."""
        names = [_PAIR]
        if not found.bare:
            if not all(map(is_ordinary_pair, found.lines)):
                return False
            names = [_PAIR if line.discipline is None else line.discipline for line in found.lines]
        kinds = {*names}
        if not all(is_discipline(kind) and self._sizes.get(kind, 2) == 2 for kind in kinds):
            return False
        row = len(self._pairs)
        added = self._pairs.add_ranked(names, found.deals, found.seats, found.places)
        if added:
            self._sizes |= dict.fromkeys(kinds, 2)
            self._note(row)
            self._met = True
            if self._dates is not None:
                for line in found.lines:
                    self._dates.add(line.seats, line.seconds)
        return added

    def _count_one(self, line: ResultLine) -> None:
        """Count a line that is valid by itself."""
        size = self._sizes.setdefault(line.name, len(line.seats))
        if size != len(line.seats):
            where = f"discipline {json.dumps(line.name)}"
            raise self._error(f"{len(line.seats)} seats in {where}", f"{size}, as in lines before")
        self._met = True
        if line.id is not None and not self._ids.is_new(line, self._name):
            return
        if line.termination == Termination.VOID.value:
            return
        if self._dates is not None:
            self._dates.add(line.seats, line.seconds)
        if len(line.seats) == 2 and line.seats[0] != line.seats[1]:
            result = line.result("")
            self._note(len(self._pairs))
            self._pairs.add(line.name, line.deal, line.seats, comparison(result, 0, 1))
            for fault in result.faults:
                self._tally.add_fault(line.name, line.seats[fault.seat], fault.kind)
            return
        if len(line.seats) == 1 and line.name not in self._solo:
            solo = SoloTally(score="points", less_is_better=False, worst_score=0)
            self._solo[line.name] = solo
            self._tally.add_solo(line.name, solo)
        self._tally.add(line.result(self._block(line)))

    def _block(self, line: ResultLine) -> str:
        """Return the block name of a game that is not in the columns."""
        if line.deal is None:
            return json.dumps([self._line])
        seating = (line.name, line.deal, line.seats)
        if seating in self._seatings:
            raise self._repeated(self._line)
        self._seatings.add(seating)
        return (
            line.deal if len(line.seats) == 1 else json.dumps([line.deal, *sorted({*line.seats})])
        )

    def _parsed(self, text: bytes, *, whole: bool) -> ResultLine:
        if len(text) > LONGEST:
            raise self._too_long()
        try:
            return parsed(text)
        except BrokenLineError as error:
            if whole:
                raise self._error(error.found, error.expected) from None
            raise self._error(f"a torn last line: {error.found}", "a whole line, or none") from None
        except WrongLineError as error:
            raise self._error(error.found, error.expected) from None

    def _note(self, row: int) -> None:
        """Record that row ``row`` of the columns is from the current line."""
        self._rows.append(row)
        self._lines.append(self._line)

    def _line_of(self, row: int) -> int:
        k = bisect_right(self._rows, row) - 1
        return self._lines[k] + row - self._rows[k]

    def _repeated(self, line: int) -> ResultsError:
        return ResultsError(
            f"{self._name}:{line}",
            "a second game of these entrants on these seats and this deal",
            "one; games on other cards need another deal, or none",
        )

    def _too_long(self) -> ResultsError:
        return self._error("a line without end", f"at most {LONGEST} bytes")

    def _error(self, found: str, expected: str) -> ResultsError:
        return ResultsError(f"{self._name}:{self._line}", found, expected)


def copy_clean(results: Path, clean: IO[bytes]) -> int:
    """Write the lines of ``results`` to ``clean`` without the blocks that hold a fault.

    Return the number of written lines. The file must have been read before without an error.
    """
    faulty = {_block_of(line, k) for k, _, line in _lines(results) if line.faults}
    written = 0
    for k, text, line in _lines(results):
        if _block_of(line, k) not in faulty:
            clean.write(text + b"\n")
            written += 1
    return written


def _lines(results: Path) -> Iterator[tuple[int, bytes, ResultLine]]:
    with results.open("rb") as file:
        for k, read in enumerate(file):
            text = (read.removeprefix(_BOM) if k == 0 else read).strip()
            if text:
                yield k, text, _DECODER.decode(text)


def _block_of(line: ResultLine, number: int) -> tuple[object, ...]:
    """Return the key that the games of a block share.

    A game without a deal is a block of its own.
    """
    if line.deal is None:
        return (number,)
    return (line.name, line.deal, *sorted(line.seats if len(line.seats) > 1 else ()))
