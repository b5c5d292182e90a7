"""Split bytes into lines of bounded length. No I/O."""

from __future__ import annotations


class LineTooLong(ValueError):
    """More bytes without a newline than a line may have."""


class LineBuffer:
    """A buffer that takes bytes and returns lines; holds at most one read beyond the limit."""

    __slots__ = ("_limit", "has_blank", "held")

    def __init__(self, limit: int) -> None:
        """``limit``: longest line in bytes, its newline included."""
        self._limit = limit
        self.held = b""
        """Bytes that are not returned yet; only ``feed``, ``take`` and ``put_back`` change them."""
        self.has_blank = False
        """True if blank lines were left out since the last line that was returned."""

    def __len__(self) -> int:
        """Return the number of bytes held."""
        return len(self.held)

    def rest(self) -> bytes:
        """Return the bytes that are not returned yet, from the first that is no blank.

        Returns a line end if only blank lines came.
        """
        return self.held.lstrip() or b"\n" * self.has_blank

    def feed(self, data: bytes) -> None:
        """Add bytes that were read."""
        self.held = self.held + data if self.held else data

    def put_back(self, line: bytes) -> None:
        """Hold a line again that ``take`` has returned."""
        self.held = line + b"\n" + self.held

    def take(self) -> bytes | None:
        """Return the next non-blank line without its line end; None if no line is complete.

        A line ends at ``\\n``; one ``\\r`` before it belongs to the line end. Raises LineTooLong.
        """
        data, start = self.held, 0
        while (end := data.find(b"\n", start, start + self._limit)) >= 0:
            line = data[start:end]
            start = end + 1
            if line.endswith(b"\r"):
                line = line[:-1]
            if line.strip():
                self.held, self.has_blank = data[start:], False
                return line
            self.has_blank = True
        self.held = data[start:]
        if len(self.held) >= self._limit:
            raise LineTooLong(f"a line of more than {self._limit} bytes")
        return None
