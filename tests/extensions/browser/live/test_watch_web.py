"""The server of ``arena watch --web`` against everybody who is not the person it is for."""

from __future__ import annotations

import contextlib
import json
import re
import shutil
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.extensions.browser import server as web
from arena.extensions.browser.commands.watch import Desk
from arena.extensions.browser.live.read import Reader
from arena.extensions.browser.live.web import parts
from arena.extensions.browser.server import Answer, Server
from tests.cli.shell import arena, command, environment, tournament

pytestmark = [pytest.mark.slow, pytest.mark.process, pytest.mark.usefixtures("leaves_nothing")]
BODY = b"the page"


@pytest.fixture
def server() -> Iterator[Server]:
    sources = {
        "": lambda: Answer("text/html", BODY),
        "state": lambda: Answer("application/json", b"{}", '"v1"'),
    }
    with Server(sources) as serving:
        yield serving


def connection(server: Server) -> socket.socket:
    return socket.create_connection((web.HOST, server.port), timeout=30)


def answer_to(server: Server, request: bytes) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and body."""
    with connection(server) as client:
        with contextlib.suppress(OSError):  # it may answer and hang up before it has heard it all
            client.sendall(request)
        return parsed(everything(client))


def everything(client: socket.socket) -> bytes:
    data = b""
    with contextlib.suppress(ConnectionResetError):
        while piece := client.recv(65536):
            data += piece
    return data


def parsed(data: bytes) -> tuple[int, dict[str, str], bytes]:
    head, _, body = data.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    return int(first.split()[1]), dict(line.split(": ", 1) for line in lines), body


def request(server: Server, path: str, *more: str, method: str = "GET", host: str = "") -> bytes:
    lines = [f"{method} {path} HTTP/1.1", f"Host: {host or f'127.0.0.1:{server.port}'}", *more]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def test_the_page_and_what_comes_with_it(server: Server) -> None:
    status, headers, body = answer_to(server, request(server, f"/{server.token}/"))
    assert (status, body) == (200, BODY)
    assert headers["Cache-Control"] == "no-store"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer", "the token is in the address"
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert "unsafe" not in headers["Content-Security-Policy"]
    assert not any(name.lower().startswith("access-control") for name in headers)
    assert "Python" not in headers["Server"]


def test_head(server: Server) -> None:
    asked = request(server, f"/{server.token}/", method="HEAD")
    status, headers, body = answer_to(server, asked)
    assert (status, headers["Content-Length"], body) == (200, str(len(BODY)), b"")


def test_what_a_client_has_is_not_sent_again(server: Server) -> None:
    path = f"/{server.token}/state"
    assert answer_to(server, request(server, path))[1]["ETag"] == '"v1"'
    status, _, body = answer_to(server, request(server, path, 'If-None-Match: "v1"'))
    assert (status, body) == (304, b"")
    assert answer_to(server, request(server, path, 'If-None-Match: "v0"'))[0] == 200


PATHS = (
    "/", "/state", "/TOKE/", "/TOKENx/", "/TOKEN", "/TOKEN//", "/TOKEN/../TOKEN/",
    "/TOKEN/seed.json", "/TOKEN/../../../../etc/passwd", "/TOKEN/state?x", "/token/", "/\u00e9/",
    "http://127.0.0.1/TOKEN/", "*",
)  # fmt: skip


@pytest.mark.parametrize("path", PATHS)
def test_whatever_is_not_exactly_known_is_not_there(server: Server, path: str) -> None:
    asked = path.replace("TOKEN", server.token).replace("TOKE", server.token[:-1])
    status, headers, body = answer_to(server, request(server, asked))
    assert status in (400, 404)
    assert BODY not in body
    assert server.token.encode() not in body
    assert "Content-Security-Policy" in headers


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "x"])
def test_nothing_but_get_and_head(server: Server, method: str) -> None:
    asked = request(server, f"/{server.token}/", method=method)
    status, headers, body = answer_to(server, asked)
    assert (status, headers["Allow"]) == (405, "GET, HEAD")
    assert BODY not in body


def test_the_name_localhost_will_do(server: Server) -> None:
    asked = request(server, f"/{server.token}/", host=f"localhost:{server.port}")
    assert answer_to(server, asked)[0] == 200


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "127.0.0.1:1", "localhost", "[::1]"])
def test_a_site_whose_name_leads_here_gets_nothing(server: Server, host: str) -> None:
    status, _, body = answer_to(server, request(server, f"/{server.token}/", host=host))
    assert status == 421
    assert BODY not in body


@pytest.mark.parametrize(
    "head", ["GET /{} HTTP/1.1\r\n\r\n", "GET /{}/\r\n\r\n", "GET /{}/ HTTP/1.1\r\nHost: a\r\n{}"]
)
def test_a_request_without_a_host_or_with_two(server: Server, head: str) -> None:
    host = f"Host: 127.0.0.1:{server.port}\r\n\r\n"
    with connection(server) as client:
        client.sendall(head.format(server.token, host).encode())
        assert BODY not in everything(client)


@pytest.mark.parametrize(
    "asked",
    [
        b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nX: " + b"a" * 70_000 + b"\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"X: a\r\n" * 200 + b"\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03\r\n\r\n",
        b"one two three four five\r\n\r\n",
    ],
)
def test_requests_that_are_none(server: Server, asked: bytes) -> None:
    with connection(server) as client:
        with contextlib.suppress(OSError):
            client.sendall(asked)
        assert BODY not in everything(client)
    assert answer_to(server, request(server, f"/{server.token}/"))[0] == 200


def test_who_is_slow_is_hung_up_on(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web, "_SECONDS", 0.3)
    with connection(server) as silent, connection(server) as slow:
        dripping, stop = threading.Event(), threading.Event()

        def drip() -> None:
            with contextlib.suppress(OSError):
                while not stop.wait(0.02):
                    slow.sendall(b"G")
                    dripping.set()

        thread = threading.Thread(target=drip)
        thread.start()
        assert dripping.wait(30)
        assert everything(slow) == b""
        assert everything(silent) == b""
        stop.set()
        thread.join()


def test_many_clients_hold_no_more_than_a_few_threads(server: Server) -> None:
    before = threading.active_count()
    with contextlib.ExitStack() as stack:
        clients = [stack.enter_context(connection(server)) for _ in range(3 * web._CLIENTS)]
        refused = 0
        for client in clients[web._CLIENTS :]:
            refused += everything(client) == b""
        assert refused == 2 * web._CLIENTS
        assert threading.active_count() <= before + web._CLIENTS
    deadline = time.monotonic() + 30
    while True:  # their places are free again when their threads have seen them go
        with contextlib.suppress(OSError, ValueError, IndexError):
            if answer_to(server, request(server, f"/{server.token}/"))[0] == 200:
                return
        assert time.monotonic() < deadline


def test_leaving_ends_a_client_that_is_being_waited_for() -> None:
    with Server({}) as serving:
        client = connection(serving)
        client.sendall(b"GET / HT")
    assert everything(client) == b""
    client.close()


def test_tokens_differ() -> None:
    with Server({}) as one, Server({}) as other:
        assert one.token != other.token
        assert len(one.token) >= 22


def test_the_page_has_no_line_of_script_or_style_in_it() -> None:
    page = parts()[""].data.decode()
    assert not re.search(r"<script>|<style|\son\w+=|\sstyle=", page), "its own policy forbids them"


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("watched")
    tournament(home, deals=3)
    assert arena(home, "run", "cup.yaml", "-q", "-o", "run").code == 0
    return home / "run"


@pytest.fixture
def run(played: Path, tmp_path: Path) -> Path:
    """A run folder of its own, to be removed."""
    return shutil.copytree(played, tmp_path / "run")


SECRETS = ("digest", "seed", "deal", "record", "stderr", "commitment", "detail", "think")


def test_only_results_are_handed_out(run: Path) -> None:
    (run / "logs" / "anna.stderr").write_text("what a bot wrote")
    found = json.loads(Desk(Reader(run, whole_blocks=True)).answer().data)
    keys = set(keys_of(found))
    assert not [key for key in keys if any(secret in key for secret in SECRETS)]
    assert "what a bot wrote" not in json.dumps(found)
    commitment = json.loads((run / "run.json").read_text())["commitment"]
    assert commitment not in json.dumps(found)


def keys_of(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from keys_of(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from keys_of(inner)


@contextlib.contextmanager
def watching(run: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """``arena watch --web`` and its address."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    process = subprocess.Popen(
        command("watch", run, "--web", *options), env=environment(), stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    signal.signal(signal.SIGINT, before)
    with process:
        try:
            assert process.stdout is not None
            yield process, process.stdout.readline().strip()
        finally:
            process.kill()


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_until_it_is_told_to_end(run: Path, end: signal.Signals) -> None:
    with watching(run) as (process, address):
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[\w-]{22}/", address)
        process.send_signal(end)
        assert process.wait(60) == 0


def test_a_run_that_is_removed_ends_it(run: Path) -> None:
    with watching(run) as (process, _):
        shutil.rmtree(run)
        assert process.wait(60) == 2
        assert process.stderr is not None
        assert "was removed while it was watched" in process.stderr.read()


def test_a_port_that_is_taken(run: Path) -> None:
    with socket.create_server((web.HOST, 0)) as taken:
        port = taken.getsockname()[1]
        done = arena(run.parent, "watch", "run", "--web", "--port", str(port))
    assert done.code == 2
    assert f"nothing can listen at 127.0.0.1:{port}" in done.err
