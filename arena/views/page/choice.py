"""Choice of the games of a run that its page lists, and of those that can be stepped through."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Final, NamedTuple

from arena.documents.bad_input import BadInput
from arena.documents.problems import quote

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
