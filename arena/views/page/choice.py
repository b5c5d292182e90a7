"""Which games of a run are listed in its page, and which of them can be stepped through."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Final, NamedTuple

from arena.documents.bad_input import BadInput
from arena.documents.problems import quote

DEFAULT: Final = 1000
"""Games to step through, if nothing else is asked for."""
LISTED: Final = 20_000
"""Games in the list."""
_DIGITS: Final = 9


class Which(Enum):
    """Games of which kind."""

    SOME = "some"
    ALL = "all"
    FAULTS = "faults"
    NONE = "none"


class Wanted(NamedTuple):
    """What ``--games`` asks for."""

    which: Which
    most: int = DEFAULT
    """Of SOME."""


def parse_wanted(text: str | None) -> Wanted:
    """Raises BadInput for what is no choice."""
    if text is None:
        return Wanted(Which.SOME)
    if text in ("all", "faults", "none"):
        return Wanted(Which(text))
    if text.isascii() and text.isdecimal() and len(text) <= _DIGITS:
        return Wanted(Which.SOME, int(text)) if int(text) else Wanted(Which.NONE)
    raise BadInput(f"--games: found {quote(text)}, expected all, none, faults or a number")


def chosen(numbers: Sequence[int], faulty: Sequence[int], most: int) -> list[int]:
    """At most so many of the sorted ``numbers``: those in ``faulty`` first, others evenly."""
    if len(numbers) <= most:
        return list(numbers)
    first = evenly(faulty, most)
    taken = set(faulty)
    others = [number for number in numbers if number not in taken]
    return sorted([*first, *evenly(others, most - len(first))])


def evenly(numbers: Sequence[int], most: int) -> list[int]:
    """At most so many of them in their order, evenly spread."""
    if len(numbers) <= most:
        return list(numbers)
    return [numbers[k * len(numbers) // most] for k in range(most)]


def to_step_through(wanted: Wanted, numbers: Sequence[int], faulty: Sequence[int]) -> list[int]:
    """Those that ``--games`` asks for; ``numbers`` are the listed ones, ``faulty`` among them."""
    match wanted.which:
        case Which.ALL:
            return list(numbers)
        case Which.FAULTS:
            return list(faulty)
        case Which.NONE:
            return []
        case Which.SOME:
            return chosen(numbers, faulty, wanted.most)
