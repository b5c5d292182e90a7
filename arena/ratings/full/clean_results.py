"""Plain results without the blocks in which anybody was at fault."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import IO, Final

import msgspec

from arena.ratings.plain.lines import Line

_BOM: Final = b"\xef\xbb\xbf"
_DECODER: Final = msgspec.json.Decoder(Line)


def copy_clean(results: Path, clean: IO[bytes]) -> int:
    """Write the lines of ``results`` to ``clean`` but for those of blocks with a fault.

    Returns how many lines were written. The file must have been read before without an error.
    """
    faulty = {_block(line, k) for k, _, line in _lines(results) if line.faults}
    written = 0
    for k, text, line in _lines(results):
        if _block(line, k) not in faulty:
            clean.write(text + b"\n")
            written += 1
    return written


def _lines(results: Path) -> Iterator[tuple[int, bytes, Line]]:
    with results.open("rb") as file:
        for k, read in enumerate(file):
            text = (read.removeprefix(_BOM) if k == 0 else read).strip()
            if text:
                yield k, text, _DECODER.decode(text)


def _block(line: Line, number: int) -> tuple[object, ...]:
    """What the games of a block share; a game without a deal is a block of its own."""
    if line.deal is None:
        return (number,)
    return (line.name, line.deal, *sorted(line.seats if len(line.seats) > 1 else ()))
