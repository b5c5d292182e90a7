"""What is kept of a bot's standard error. No I/O."""

from __future__ import annotations


class Captured:
    """The first and the last half of what was written, at most ``limit`` bytes."""

    __slots__ = ("_half", "_head", "_tail", "_total")

    def __init__(self, limit: int) -> None:
        self._half = max(1, limit // 2)
        self.clear()

    def clear(self) -> None:
        """Forget everything."""
        self._head = b""
        self._tail = b""
        self._total = 0

    def add(self, data: bytes) -> None:
        """Keep what fits."""
        self._total += len(data)
        room = self._half - len(self._head)
        self._head += data[:room]
        self._tail = (self._tail + data[room:])[-self._half :] if room < len(data) else self._tail

    def text(self) -> str:
        """What was kept, with a mark where something is missing."""
        missing = self._total - len(self._head) - len(self._tail)
        mark = b"\n[... %d bytes ...]\n" % missing if missing else b""
        return (self._head + mark + self._tail).decode("utf-8", "replace")
