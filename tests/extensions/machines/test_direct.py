"""Lines from relays to the parent: who is let in, what comes through, and when they end."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from arena.extensions.machines import direct
from arena.extensions.machines.direct import DirectLine, Door, Home, connect

Contexts = tuple[ssl.SSLContext | None, ssl.SSLContext | None]


@pytest.fixture(scope="module", params=["plain", "tls"])
def contexts(request: pytest.FixtureRequest) -> Contexts:
    """Those of the parent and of a relay."""
    if request.param == "plain":
        return None, None
    security = pytest.importorskip("distributed.security").Security.temporary()
    listening = security.get_listen_args("client")["ssl_context"]
    return listening, security.get_connection_args("worker")["ssl_context"]


async def echo(session: str, line: DirectLine) -> None:
    """Let in whoever is called x, and send back what they say."""
    if session == "x":
        line.write("welcome")
        while True:
            line.write(await line.read())
            await line.drain()


def at_a_door(secure: ssl.SSLContext | None, visit: Callable[[Home], Awaitable[Any]]) -> Any:
    """What the visit returns."""

    async def main() -> Any:
        door = Door(echo)
        home = await door.open("127.0.0.1", secure)
        assert home is not None
        try:
            return await visit(home)
        finally:
            await door.close()

    return asyncio.run(asyncio.wait_for(main(), 60))


def test_what_is_said_comes_through_in_order(contexts: Contexts) -> None:
    messages = [[b"a" * size, b""] for size in (0, 1, 5000, 3 << 20)] + [[]] * 100

    async def visit(home: Home) -> list[Any]:
        line = await connect(home, "x", contexts[1])
        assert line is not None
        for each in messages:
            line.write(each)
        heard = [await line.read() for _ in messages]
        line.close()
        return heard

    assert at_a_door(contexts[0], visit) == messages


def test_strangers_are_not_let_in(contexts: Contexts) -> None:
    async def visit(home: Home) -> DirectLine | None:
        return await connect(home, "y", contexts[1])

    assert at_a_door(contexts[0], visit) is None


def test_without_a_certificate_nobody_is_let_in() -> None:
    security = pytest.importorskip("distributed.security").Security.temporary()
    bare = ssl.create_default_context()
    bare.check_hostname, bare.verify_mode = False, ssl.CERT_NONE

    async def visit(home: Home) -> list[DirectLine | None]:
        return [await connect(home, "x", each) for each in (bare, None)]

    listening = security.get_listen_args("client")["ssl_context"]
    assert at_a_door(listening, visit) == [None, None]


def test_where_nobody_listens_there_is_no_line() -> None:
    assert asyncio.run(connect(("127.0.0.1", 9), "x", None)) is None


@pytest.mark.parametrize(
    "said", [b"\xff\xff\xff\xff", b"\0\0\0\1\xc1", b"\0\0", b"\0\0\x10\0" + bytes(1 << 12)]
)
def test_what_is_no_frame_ends_the_line(said: bytes) -> None:
    async def visit(home: Home) -> bytes:
        reader, writer = await asyncio.open_connection(*home)
        writer.write(said)
        writer.write_eof()
        heard = await reader.read()
        writer.close()
        return heard

    assert at_a_door(None, visit) == b""


def test_who_says_nothing_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(direct, "CONNECT_SECONDS", 0.01)

    async def visit(home: Home) -> bytes:
        reader, writer = await asyncio.open_connection(*home)
        heard = await reader.read()
        writer.close()
        return heard

    assert at_a_door(None, visit) == b""
