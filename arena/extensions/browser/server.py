"""A small HTTP server for one page that only the person at this machine may see.

Everything else that runs here can reach the loopback interface too: bots, other users, and
every site that is open in the browser. So the page lies below a token that cannot be guessed,
and only requests that name this very address are answered. Everything served was generated in
memory, and neither slow nor many clients can hold more than a few threads.
"""

from __future__ import annotations

import contextlib
import hmac
import secrets
import socket
import threading
import time
from collections.abc import Callable, Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final, NamedTuple

HOST: Final = "127.0.0.1"
_NAMES: Final = (HOST, "localhost")
_CLIENTS: Final = 16
"""Number of clients served at once; further ones are turned away."""
_SECONDS: Final = 5.0
"""Seconds that a client has to send its request and take the answer."""
_TICK: Final = 0.25
_TOKEN_BYTES: Final = 16
_HEADERS: Final = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
"""Headers of every answer. Without CORS headers no other page may read an answer."""


class Answer(NamedTuple):
    """Content that the server hands out."""

    kind: str
    """Media type of the data."""
    data: bytes
    etag: str = ""
    """Changes with the data; a client that has it already gets no data. Empty: always sent."""


Source = Callable[[], Answer]
"""Function that returns an answer; called on server threads, possibly by several at once."""


class Server(ThreadingHTTPServer):
    """HTTP server of named sources. Use as a context manager: leaving it ends all threads."""

    request_queue_size = 4 * _CLIENTS
    daemon_threads = True
    block_on_close = False
    """Closing does not wait for a client that is still being answered; its socket is shut down."""

    def __init__(self, sources: Mapping[str, Source], port: int = 0) -> None:
        """Bind the server.

        ``sources``: by what follows the token in the path. ``port``: 0 for any that is free. Raises
        OSError if the port cannot be listened on.
        """
        self.token = secrets.token_urlsafe(_TOKEN_BYTES)
        self.sources = dict(sources)
        self._free = threading.BoundedSemaphore(_CLIENTS)
        self._lock = threading.Lock()
        self._open: dict[socket.socket, float] = {}
        """End of the time of each open connection, on the monotonic clock in seconds."""
        self._thread = threading.Thread(target=self.serve_forever, args=(_TICK,), daemon=True)
        super().__init__((HOST, port), _Handler)

    def __enter__(self) -> Server:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self._thread.join()
        self._hang_up(float("inf"))
        for _place in range(_CLIENTS):  # a client's thread has ended when its place is free
            self._free.acquire(timeout=_SECONDS)
        self.server_close()

    @property
    def port(self) -> int:
        """Port on which the server listens."""
        return int(self.server_address[1])

    @property
    def address(self) -> str:
        """Address to open in a browser."""
        return f"http://{HOST}:{self.port}/{self.token}/"

    def hosts(self) -> tuple[str, ...]:
        """Return the valid Host headers.

        A site whose name is made to resolve to us (DNS rebinding) sends that name and is refused.
        """
        return tuple(f"{name}:{self.port}" for name in _NAMES)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer on a thread if one is free; else close the connection."""
        if not self._free.acquire(blocking=False):
            self.shutdown_request(request)
            return
        with self._lock:
            self._open[request] = time.monotonic() + _SECONDS
        try:
            super().process_request(request, client_address)
        except BaseException:
            self._leave(request)
            raise

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer a request on its own thread, then free its place."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._leave(request)

    def service_actions(self) -> None:
        """Close connections that take too long. Called several times a second."""
        self._hang_up(time.monotonic())

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore a client that leaves in the middle of an answer."""

    def _leave(self, request: socket.socket) -> None:
        with self._lock:
            known = self._open.pop(request, None)
        if known is not None:
            self._free.release()

    def _hang_up(self, now: float) -> None:
        with self._lock:
            for request, end in self._open.items():
                if end <= now:
                    with contextlib.suppress(OSError):
                        request.shutdown(socket.SHUT_RDWR)


class _Handler(BaseHTTPRequestHandler):
    """Handler of one request on a connection of its own."""

    server: Server
    timeout = _SECONDS
    server_version = "arena"
    sys_version = ""

    def do_GET(self) -> None:
        """Send the answer of the source that the path names."""
        hosts = self.headers.get_all("Host") or ()
        if len(hosts) != 1 or hosts[0] not in self.server.hosts():
            self._refuse(HTTPStatus.MISDIRECTED_REQUEST)
            return
        token, slash, name = self.path.removeprefix("/").partition("/")
        is_known = hmac.compare_digest(token.encode(), self.server.token.encode())
        source = self.server.sources.get(name) if is_known and slash else None
        if source is None:
            self._refuse(HTTPStatus.NOT_FOUND)
            return
        answer = source()
        if answer.etag and self.headers.get("If-None-Match") == answer.etag:
            self._begin(HTTPStatus.NOT_MODIFIED, {"ETag": answer.etag})
            return
        more = {"Content-Type": answer.kind, "Content-Length": str(len(answer.data))}
        self._begin(HTTPStatus.OK, more | ({"ETag": answer.etag} if answer.etag else {}))
        if self.command != "HEAD":
            self.wfile.write(answer.data)

    do_HEAD = do_GET  # noqa: N815 - http.server requires this name

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answer a request that http.server rejects, without quoting anything from the request."""
        is_method = code == HTTPStatus.NOT_IMPLEMENTED
        self._refuse(HTTPStatus.METHOD_NOT_ALLOWED if is_method else HTTPStatus(code))

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing, because a request contains the token."""

    def _refuse(self, status: HTTPStatus) -> None:
        body = f"{status.value} {status.phrase}\n".encode()
        more = {"Content-Type": "text/plain; charset=utf-8", "Content-Length": str(len(body))}
        if status is HTTPStatus.METHOD_NOT_ALLOWED:
            more["Allow"] = "GET, HEAD"
        self.close_connection = True
        self._begin(status, more)
        if getattr(self, "command", None) != "HEAD":
            self.wfile.write(body)

    def _begin(self, status: HTTPStatus, more: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in {**_HEADERS, **more}.items():
            self.send_header(name, value)
        self.end_headers()
