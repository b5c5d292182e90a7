"""A connection from a relay straight to the parent, so that no game passes through the scheduler.

The relay connects, names its session and waits for an answer; then both sides send frames, each
with its length before it. Where the relay cannot reach the parent it speaks by events of Dask.
"""

from __future__ import annotations

import asyncio
import contextlib
import ssl
import struct
from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeAlias

import msgspec

CONNECT_SECONDS: Final = 3.0
"""Limit on connecting and on being let in."""
_HEAD: Final = struct.Struct("!I")
_LONGEST: Final = 1 << 28
"""Bytes of a frame."""
_GREETING: Final = 1 << 10
"""Bytes of the first frame, before anybody is let in."""
_BUFFER: Final = 1 << 20
"""Bytes that are read ahead."""

Home: TypeAlias = tuple[str, int]
"""Host and port at which a parent lets relays in."""
Admit: TypeAlias = Callable[[str, "Line"], Awaitable[None]]
"""Called with the session that a relay names and its line; the line is closed afterwards."""


class Line:
    """One end of a connection. All of it happens on the event loop that it was made on."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    def write(self, message: object) -> None:
        """Send a frame some time. What cannot be sent ends the reading at both ends."""
        if not self._writer.is_closing():
            data = msgspec.msgpack.encode(message)
            self._writer.writelines((_HEAD.pack(len(data)), data))

    async def drain(self) -> None:
        """Wait until not too much waits to be sent. Raises OSError."""
        await self._writer.drain()

    async def read(self, most: int = _LONGEST) -> Any:
        """Return the next message of at most ``most`` bytes.

        Raises EOFError or OSError when the line is at its end.
        """
        (length,) = _HEAD.unpack(await self._reader.readexactly(_HEAD.size))
        if length > most:
            raise OSError(f"a frame of {length} bytes")
        try:
            return msgspec.msgpack.decode(await self._reader.readexactly(length))
        except msgspec.DecodeError as error:
            raise OSError(str(error)) from None

    def close(self) -> None:
        """End it, once what was written is sent."""
        self._writer.close()


class Door:
    """Where a parent lets relays in."""

    def __init__(self, admit: Admit) -> None:
        self._admit = admit
        self._server: asyncio.Server | None = None
        self._lines: set[Line] = set()

    async def open(self, host: str, secure: ssl.SSLContext | None) -> Home | None:
        """Listen at an address of this machine; None: that cannot be."""
        with contextlib.suppress(OSError):
            self._server = await asyncio.start_server(
                self._greet, host, 0, ssl=secure, limit=_BUFFER
            )
            return host, int(self._server.sockets[0].getsockname()[1])
        return None

    async def close(self) -> None:
        """Let nobody in any more and end all lines."""
        if self._server is not None:
            self._server.close()
        for line in list(self._lines):
            line.close()

    async def _greet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        line = Line(reader, writer)
        self._lines.add(line)
        try:
            session = await asyncio.wait_for(line.read(_GREETING), CONNECT_SECONDS)
            await self._admit(str(session), line)
        except (EOFError, OSError, asyncio.CancelledError):
            pass  # whoever it was, the line is at its end; or the loop is
        finally:
            self._lines.discard(line)
            line.close()


async def connect(home: Home, session: str, secure: ssl.SSLContext | None) -> Line | None:
    """Return a line to the parent at ``home``; None: it is not reached, or does not let us in."""
    try:
        async with asyncio.timeout(CONNECT_SECONDS):
            reader, writer = await asyncio.open_connection(*home, ssl=secure, limit=_BUFFER)
            line = Line(reader, writer)
            try:
                line.write(session)
                await line.read()
            except BaseException:
                line.close()
                raise
            return line
    except (EOFError, OSError):
        return None
