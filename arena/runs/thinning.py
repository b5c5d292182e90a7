"""Read which old records of a run were removed; ``thinned.jsonl`` has a line for each removal.

    at              UTC, ISO 8601
    before          records of games stored before this instant were removed
    lines           number of lines, from the top of games.jsonl, whose records were removed
    end             number of bytes, from the start of the file of records, that were removed
    results         SHA-256 of these lines of games.jsonl, in hex: it binds the remaining results
    link            SHA-256 of the previous line, in hex; in line 1, the commitment of the run

Results stay, and offsets do not move: the space of the records is returned to the file system (hole
punching), which reads as zeros there. The line is on disk before the records are removed. So a
record that is gone without such a line was lost or taken away. The extension ``ladder`` removes
records, and checks that the rule of the run grants each removal.
"""

from __future__ import annotations

import contextlib
import hashlib
import sys
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Annotated, Final, TypeAlias

import msgspec

from arena.runs.disk import (
    StoreError,
    check_file,
    stored_lines,
)

THINNED: Final = "thinned.jsonl"


_Size: TypeAlias = Annotated[int, msgspec.Meta(le=sys.maxsize)]


class Thinned(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A line of thinned.jsonl: one removal of records."""

    at: str
    before: str
    lines: _Size
    end: _Size
    results: str
    link: str

    @property
    def line(self) -> bytes:
        """Line as in the file."""
        return msgspec.json.encode(self) + b"\n"


def read_thinned(folder: Path, commitment: str) -> tuple[Thinned, ...]:
    """Return the lines of ``thinned.jsonl``, oldest first.

    ``commitment``: the run's, from which the hash chain of the lines begins. Raises StoreError if
    the file cannot be read or its chain is broken.
    """
    path, found, link = folder / THINNED, list[Thinned](), commitment
    for number, each in stored_lines(path, Thinned, "removal of records"):
        if each.link != link:
            raise StoreError(f"{path}:{number}: does not follow the line before")
        link = hashlib.sha256(each.line).hexdigest()
        found.append(each)
    return tuple(found)


def results_digests(games: Path, lines: Sequence[int]) -> list[str]:
    """Return the SHA-256, in hex, of the first n lines of games.jsonl for each n in ``lines``.

    The numbers in ``lines`` rise. Raises OSError, StoreError.
    """
    check_file(games)
    total, read, found = hashlib.sha256(), 0, []
    with games.open("rb") as file:
        for wanted in lines:
            for line in islice(file, max(0, wanted - read)):
                total.update(line)
            read = max(read, wanted)
            found.append(total.hexdigest())
    return found


def removed_on(folder: Path, end: int) -> str:
    """Return the day on which the record that ends at ``end`` was removed; empty if not known."""
    with contextlib.suppress(StoreError):
        for _, each in stored_lines(folder / THINNED, Thinned, "removal of records"):
            if end <= each.end:
                return each.at[:10]
    return ""
