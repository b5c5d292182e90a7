"""Connect a relay straight to the parent, so that no game passes through the scheduler.

The relay connects, names its session and waits for an answer. Then both sides send frames, each
preceded by its length. A relay that cannot reach the parent sends events of Dask instead.

Also read and check addresses of Dask clusters as people write them, without importing Dask.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import json
import re
import ssl
import struct
from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeAlias
from urllib.parse import urlsplit

import msgspec

from arena.values.bad_input import BadInput
from arena.values.document import regular
from arena.values.problems import quote

LOCAL: Final = "dask"
"""Word that stands for a cluster of this machine's own, started for one run."""
_ADDRESS: Final = re.compile(
    r"(tcp|tls)://([a-z0-9._-]{1,253}|\[[0-9a-f:.]+(%[\w.-]+)?\]):(?P<port>[0-9]{1,5})",
    re.ASCII | re.IGNORECASE,
)


def check_address(where: str) -> None:
    """Check that ``where`` is a valid address, and not one open to everybody. Raises BadInput."""
    if where == LOCAL:
        return
    if is_file(where):
        _check_file(where)
        return
    parts = _ADDRESS.fullmatch(where)
    is_address = parts is not None and 0 < int(parts["port"]) < 1 << 16
    if not is_address:
        expected = "dask, tls://HOST:PORT, tcp://127.0.0.1:PORT or a scheduler file (.json)"
        raise BadInput(f"--on: found {quote(where)}, expected {expected}")
    if is_open(where):
        raise BadInput(
            f"--on: found {quote(where)}, expected tls:// for what is not on this machine: without "
            "it all who reach a scheduler or a worker run programs there (docs/machines.md)"
        )


def _check_file(where: str) -> None:
    """Check that a scheduler file has a valid address; Dask would wait for one. Raises BadInput."""
    expected = "expected a file that a scheduler has written"
    try:
        with open(where, "rb", opener=regular) as file:
            address = json.loads(file.read())["address"]
    except OSError as error:
        raise BadInput(f"--on: {where}: {error.strerror}, {expected}") from None
    except (ValueError, TypeError, LookupError):
        address = None
    if not isinstance(address, str) or address == LOCAL or is_file(address):
        raise BadInput(f"--on: {where}: found no address, {expected}")
    check_address(address)


def is_file(where: str) -> bool:
    """Return whether ``where`` names a scheduler file rather than an address."""
    return where.endswith(".json")


def is_open(where: str) -> bool:
    """Return whether the address accepts everybody from other machines: TCP without TLS."""
    parts = urlsplit(where)
    return parts.scheme == "tcp" and not _is_loopback(parts.hostname or "")


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


CONNECT_SECONDS: Final = 3.0
"""Time limit on connecting and on being admitted, in seconds."""
_HEAD: Final = struct.Struct("!I")
_LONGEST: Final = 1 << 28
"""Largest frame, in bytes."""
_GREETING: Final = 1 << 10
"""Largest first frame, which comes before the relay is admitted, in bytes."""
_BUFFER: Final = 1 << 20
"""Size of the read-ahead buffer, in bytes."""

Home: TypeAlias = tuple[str, int]
"""Host and port at which a parent accepts relays."""
Admit: TypeAlias = Callable[[str, "DirectLine"], Awaitable[None]]
"""Callback with a relay's session name and its line; the line is closed afterwards."""


class DirectLine:
    """One end of a connection. Use it only on the event loop on which it was made."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    def write(self, message: object) -> None:
        """Queue ``message`` as a frame.

        If it cannot be sent, the connection ends and ``read`` raises at both ends.
        """
        if not self._writer.is_closing():
            data = msgspec.msgpack.encode(message)
            self._writer.writelines((_HEAD.pack(len(data)), data))

    async def drain(self) -> None:
        """Wait until the send buffer has room again. Raises OSError."""
        await self._writer.drain()

    async def read(self, most: int = _LONGEST) -> Any:
        """Return the next message of at most ``most`` bytes.

        Raises EOFError or OSError if the line has ended or the message is bad.
        """
        (length,) = _HEAD.unpack(await self._reader.readexactly(_HEAD.size))
        if length > most:
            raise OSError(f"a frame of {length} bytes")
        try:
            return msgspec.msgpack.decode(await self._reader.readexactly(length))
        except msgspec.DecodeError as error:
            raise OSError(str(error)) from None

    def close(self) -> None:
        """Close the connection after sending what was written."""
        self._writer.close()


class Door:
    """Server at which a parent accepts relays."""

    def __init__(self, admit: Admit) -> None:
        self._admit = admit
        self._server: asyncio.Server | None = None
        self._lines: set[DirectLine] = set()

    async def open(self, host: str, secure: ssl.SSLContext | None) -> Home | None:
        """Listen at ``host``, an address of this machine; return where, or None if that fails.

        ``secure``: TLS settings; None: without TLS.
        """
        with contextlib.suppress(OSError):
            self._server = await asyncio.start_server(
                self._greet, host, 0, ssl=secure, limit=_BUFFER
            )
            return host, int(self._server.sockets[0].getsockname()[1])
        return None

    async def close(self) -> None:
        """Accept no more relays and close all lines."""
        if self._server is not None:
            self._server.close()
        for line in list(self._lines):
            line.close()

    async def _greet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        line = DirectLine(reader, writer)
        self._lines.add(line)
        try:
            session = await asyncio.wait_for(line.read(_GREETING), CONNECT_SECONDS)
            await self._admit(str(session), line)
        except (EOFError, OSError, asyncio.CancelledError):
            pass  # the line has ended, or the event loop ends
        finally:
            self._lines.discard(line)
            line.close()


async def connect(home: Home, session: str, secure: ssl.SSLContext | None) -> DirectLine | None:
    """Return a line to the parent at ``home``; None if it is unreachable or does not admit us.

    ``secure``: TLS settings; None: without TLS.
    """
    try:
        async with asyncio.timeout(CONNECT_SECONDS):
            reader, writer = await asyncio.open_connection(*home, ssl=secure, limit=_BUFFER)
            line = DirectLine(reader, writer)
            try:
                line.write(session)
                await line.read()
            except BaseException:
                line.close()
                raise
            return line
    except (EOFError, OSError):
        return None
