"""Bytes to lines, with a bound. No I/O."""

from __future__ import annotations


class LineTooLong(ValueError):
    """More bytes without a newline than a line may have."""


class LineBuffer:
    """Collects bytes and hands out lines; never holds more than one read past the limit."""

    __slots__ = ("_data", "_limit")

    def __init__(self, limit: int) -> None:
        """``limit``: longest line in bytes, its newline included."""
        self._limit = limit
        self._data = b""

    def __len__(self) -> int:
        """Bytes held."""
        return len(self._data)

    def rest(self) -> bytes:
        """What is held and not given out yet, without blank around it."""
        return self._data.strip()

    def feed(self, data: bytes) -> None:
        """Add what was read."""
        self._data = self._data + data if self._data else data

    def take(self) -> bytes | None:
        """The next non-blank line without its line end; None if none is complete.

        A line ends at ``\\n``; one ``\\r`` before it belongs to the line end.
        Raises LineTooLong.
        """
        data, start = self._data, 0
        while (end := data.find(b"\n", start, start + self._limit)) >= 0:
            line = data[start:end]
            start = end + 1
            if line.endswith(b"\r"):
                line = line[:-1]
            if line.strip():
                self._data = data[start:]
                return line
        self._data = data[start:]
        if len(self._data) >= self._limit:
            raise LineTooLong(f"a line of more than {self._limit} bytes")
        return None
