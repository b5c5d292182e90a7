"""Standard error of a bot, captured in bounded size and labelled by ply. No I/O."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Sequence
from typing import Final

PLY: Final = "-- ply "
"""Start of the heading above the output of a ply; the number of the ply follows."""
_LIKE_A_HEADING: Final = re.compile(rb"^\\*-- ply ", re.MULTILINE)
_HEADING_BYTES: Final = 16
"""Size charged for a heading, in bytes."""


class _PlyOutput:
    """The output at one ply."""

    __slots__ = ("data", "ply")

    def __init__(self, ply: int | None) -> None:
        self.ply = ply
        self.data = bytearray()


class StderrCapture:
    """Beginning and end of the output, half of ``limit`` bytes each, headings included."""

    __slots__ = ("_half", "_head", "_head_cost", "_tail", "_tail_cost", "_total")

    def __init__(self, limit: int) -> None:
        self._half = max(1, limit // 2)
        self.clear()

    def clear(self) -> None:
        """Discard everything captured so far."""
        self._head: list[_PlyOutput] = []
        self._tail: deque[_PlyOutput] = deque()
        self._head_cost = self._tail_cost = self._total = 0

    def add(self, data: bytes, ply: int | None = None) -> None:
        """Add output that came at ``ply`` (None outside of a game), as far as it fits."""
        self._total += len(data)
        room = self._half - self._head_cost - _new(self._head, ply)
        if room > 0 and not self._tail:
            self._head_cost += _put(self._head, data[:room], ply)
            data = data[room:]
        if data:
            self._tail_cost += _put(self._tail, data, ply)
            self._trim()

    def _trim(self) -> None:
        """Drop the oldest part of the tail beyond its half."""
        while (excess := self._tail_cost - self._half) > 0:
            first = self._tail[0]
            if len(first.data) > excess:
                del first.data[:excess]
                self._tail_cost -= excess
            else:
                self._tail.popleft()
                self._tail_cost -= len(first.data) + _heading(first.ply)

    def text(self) -> str:
        """Return the captured text, with a mark for missing bytes, and headings for the plies.

        If there are headings, a line of the bot that looks like one gets a backslash in front.
        """
        if not self._total:
            return ""
        kept = sum(len(part.data) for part in (*self._head, *self._tail))
        missing, ply = self._total - kept, None
        has_plies = any(part.ply is not None for part in (*self._head, *self._tail))
        out = bytearray()
        for part in (*self._head, None, *self._tail):
            if part is None:
                if missing:
                    out += b"\n[... %d bytes ...]\n" % missing
                continue
            if part.ply != ply and part.ply is not None:
                ply = part.ply
                if out and not out.endswith(b"\n"):
                    out += b"\n"
                out += b"%s%d\n" % (PLY.encode(), ply)
            out += _LIKE_A_HEADING.sub(rb"\\\g<0>", part.data) if has_plies else part.data
        return out.decode("utf-8", "replace")


def _heading(ply: int | None) -> int:
    return 0 if ply is None else _HEADING_BYTES


def _new(parts: Sequence[_PlyOutput], ply: int | None) -> int:
    """Return the size charged for a heading if output of ``ply`` is added next."""
    return 0 if parts and parts[-1].ply == ply else _heading(ply)


def _put(parts: list[_PlyOutput] | deque[_PlyOutput], data: bytes, ply: int | None) -> int:
    """Add output to ``parts``; return the size charged for it."""
    cost = _new(parts, ply)
    if not parts or parts[-1].ply != ply:
        parts.append(_PlyOutput(ply))
    parts[-1].data += data
    return cost + len(data)
