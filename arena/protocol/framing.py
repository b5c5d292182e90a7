"""Bytes to lines, with a bound. No I/O."""

from __future__ import annotations


class LineTooLong(ValueError):
    """More bytes without a newline than a line may have."""


class LineBuffer:
    """Collects bytes and hands out lines; never holds more than one read past the limit."""

    __slots__ = ("_limit", "held")

    def __init__(self, limit: int) -> None:
        """``limit``: longest line in bytes, its newline included."""
        self._limit = limit
        self.held = b""
        """Bytes that are not given out yet; changed by ``feed`` and ``take`` alone."""

    def __len__(self) -> int:
        """Bytes held."""
        return len(self.held)

    def rest(self) -> bytes:
        """What is held and not given out yet, without blank around it."""
        return self.held.strip()

    def feed(self, data: bytes) -> None:
        """Add what was read."""
        self.held = self.held + data if self.held else data

    def take(self) -> bytes | None:
        """The next non-blank line without its line end; None if none is complete.

        A line ends at ``\\n``; one ``\\r`` before it belongs to the line end.
        Raises LineTooLong.
        """
        data, start = self.held, 0
        while (end := data.find(b"\n", start, start + self._limit)) >= 0:
            line = data[start:end]
            start = end + 1
            if line.endswith(b"\r"):
                line = line[:-1]
            if line.strip():
                self.held = data[start:]
                return line
        self.held = data[start:]
        if len(self.held) >= self._limit:
            raise LineTooLong(f"a line of more than {self._limit} bytes")
        return None
