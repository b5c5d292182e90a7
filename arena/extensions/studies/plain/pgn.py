"""Results of games in PGN, as lines of plain results. Only the tags of games are read."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator
from typing import Any, BinaryIO, Final

import msgspec

_FIRST: Final = re.compile(rb'(\xef\xbb\xbf)?\s*\[\w+\s+"')
_TAG: Final = re.compile(r'\s*\[\s*(\w+)\s+"((?:[^"\\]|\\.)*)"\s*\]')
_PLACES: Final = {"1-0": (1, 2), "0-1": (2, 1), "1/2-1/2": (1, 1)}
_FAULTS: Final = {
    "time forfeit": "timeout",
    "stalled connection": "timeout",
    "abandoned": "crash",
    "rules infraction": "illegal",
    "illegal move": "illegal",
}
"""Kinds of faults, by what the tag Termination says of the game of a loser."""


def is_pgn(beginning: bytes) -> bool:
    """Return whether a file that begins so has games in PGN."""
    return _FIRST.match(beginning) is not None


def lines_of_pgn(file: BinaryIO) -> Iterator[bytes]:
    """Yield a line of plain results for each game that has a result.

    Games of a round between the same two are one deal, as long as they change seats.
    """
    dealt: dict[tuple[str, frozenset[str]], list[tuple[str, str]]] = {}
    for tags in _games(file):
        places = _PLACES.get(tags.get("Result", ""))
        if places is None:
            continue
        seats = tags.get("White", "?"), tags.get("Black", "?")
        line: dict[str, Any] = {"seats": seats, "places": places}
        label = tags.get("Round", "?").partition(".")[0]
        if label not in ("", "?", "-"):
            met = dealt.setdefault((label, frozenset(seats)), [])
            met.append(seats)
            line["deal"] = f"{label}/{met.count(seats)}"
        if places[0] != places[1] and (kind := _FAULTS.get(tags.get("Termination", "").lower())):
            line["faults"] = [{"seat": places.index(2), "kind": kind}]
        if date := _date(tags.get("Date", "")):
            line["played_at"] = date
        yield msgspec.json.encode(line) + b"\n"


def _games(file: BinaryIO) -> Iterator[dict[str, str]]:
    """Yield the tags of each game."""
    tags: dict[str, str] = {}
    is_remark = is_played = False
    for data in file:
        try:
            text = data.removeprefix(b"\xef\xbb\xbf").decode()
        except UnicodeDecodeError:
            text = data.decode("latin-1")
        if not is_remark and (found := _TAG.match(text)):
            if is_played:
                yield tags
                tags, is_played = {}, False
            tags[found[1]] = re.sub(r"\\(.)", r"\1", found[2])
        elif text.strip():
            is_played = True
            opened, closed = text.rfind("{"), text.rfind("}")
            is_remark = opened > closed or (is_remark and closed < 0)
    if tags:
        yield tags


def _date(text: str) -> str:
    try:
        return datetime.date.fromisoformat(text.replace(".", "-")).isoformat()
    except ValueError:
        return ""
