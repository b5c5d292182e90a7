"""A process that has imported the program, and forks one for each command: it saves their start.

Such a command is a process like any other, with its words, folder, environment and streams, and it
ends as the program ends; only what it would import has been imported before.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import json
import logging
import os
import pkgutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path
from typing import IO, Annotated, Any, Final, NoReturn

import typer

import arena
import arena.cli
from arena.entrants.manifest import BotManifest
from arena.games.registry import GAMES
from arena.hosting.machine import spawn
from arena.runs.config.keys import ClockFile, TournamentFile
from arena.values import reading

_ROOT: Final = Path(arena.__file__).parents[1]
_CODE: Final = "from tests.cli.warm import _serve; _serve()"
_OTHERS: Final = ("numpy", "jinja2", "rich.console", "rich.table", "tabulate")
"""What the program imports when it needs it."""
_server: tuple[subprocess.Popen[bytes], socket.socket] | None = None


def run(
    words: Sequence[str],
    folder: Path,
    env: Mapping[str, str],
    streams: Sequence[IO[bytes]],
    seconds: float,
) -> int:
    """The exit code of ``arena WORDS``; negative after a signal.

    Raises TimeoutExpired; the command has ended then too.
    """
    _, server = start()
    request = json.dumps([words, str(folder), dict(env)]).encode() + b"\n"
    sent = socket.send_fds(server, [request], [stream.fileno() for stream in streams])
    server.sendall(request[sent:])
    with server.makefile("rb") as answers:
        pid = int(answers.readline())
        server.settimeout(seconds)
        try:
            return int(answers.readline())
        except TimeoutError:
            os.kill(pid, signal.SIGKILL)
            _end()
            raise subprocess.TimeoutExpired(["arena", *words], seconds) from None
        finally:
            server.settimeout(None)


def held() -> tuple[set[int], set[str]]:
    """Our own process and descriptor, which outlive a test: their numbers."""
    if _server is None:
        return set(), set()
    process, ours = _server
    return {process.pid}, {str(ours.fileno())}


def start() -> tuple[subprocess.Popen[bytes], socket.socket]:
    """Have the process that starts commands."""
    global _server
    if _server is not None and _server[0].poll() is not None:
        _end()  # a test of stray processes took it for one
    if _server is None:
        ours, theirs = socket.socketpair()
        with theirs:
            process = subprocess.Popen(
                [sys.executable, "-c", _CODE], cwd=_ROOT, stdin=theirs, stdout=subprocess.DEVNULL
            )
        _server = process, ours
        atexit.register(_end)
        if worker := os.environ.get("PYTEST_XDIST_WORKER", "").removeprefix("gw"):
            _share_cores(process.pid, int(worker))
    return _server


def _share_cores(pid: int, worker: int) -> None:
    """Who tests side by side has a core each; a command then starts one worker unless told."""
    if hasattr(os, "sched_setaffinity"):
        cores = sorted(os.sched_getaffinity(pid))
        os.sched_setaffinity(pid, {cores[worker % len(cores)]})


def _end() -> None:
    global _server
    if _server is not None:
        process, ours = _server
        _server = None
        ours.shutdown(socket.SHUT_WR)  # to close it is not enough while an answer is read
        ours.close()
        process.wait()


def _serve() -> None:
    """Fork for each request; ends with the one who asks."""
    preload()
    with socket.socket(fileno=os.dup(0)) as client:
        while (request := _request(client)) is not None:
            (words, folder, env), streams = request
            pid = os.fork()
            if pid == 0:
                client.close()
                _become(words, folder, env, streams)
                return
            for stream in streams:
                os.close(stream)
            client.sendall(b"%d\n" % pid)
            status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
            client.sendall(b"%d\n" % status)


def no_fsync(descriptor: int) -> None:
    """Stand in for ``os.fsync``: only a test that cuts the power could tell the difference."""
    os.fstat(descriptor)  # which fails for a closed one, too


def preload() -> None:
    """Import all of arena and what it imports when it needs it, so that no fork has to."""
    os.fsync = no_fsync
    for module in pkgutil.walk_packages(arena.__path__, "arena."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    for name in _OTHERS:
        import_module(name)
    with contextlib.suppress(ImportError):  # tests of a tree without the extension
        from arena.extensions.browser.page import html

        for name in ("page.html.jinja", "site.html.jinja", "game.html.jinja"):
            html.template(name)
    for shape in (BotManifest, ClockFile, TournamentFile):
        reading._type_info(shape)
    assert GAMES.families, "what is installed is known, too"
    assert [*GAMES]
    _parse()
    gc.freeze()  # or every child would copy what it looks through


def _parse() -> None:
    """Have imported what the parser imports for the first value that it checks."""
    app = typer.Typer()

    @app.command()
    def _(path: Path, number: Annotated[int, typer.Option(min=0)] = 0) -> None: ...

    app(["here", "--number", "1"], standalone_mode=False)


class _Fork(subprocess.Popen[bytes]):
    """A worker as ``spawn.start`` starts it, but forked, as it would import what we have."""

    def __init__(self, ends: tuple[Connection, Connection]) -> None:
        self.args, self.returncode = ["worker"], None
        self.stdin = self.stdout = self.stderr = None
        self._waitpid_lock = threading.Lock()
        self._child_created = True
        sys.stdout.flush()
        sys.stderr.flush()
        self.pid = os.fork()
        if self.pid == 0:
            code = 1
            try:
                _work(*ends)
                code = 0
            except BaseException:
                sys.excepthook(*sys.exc_info())
            finally:
                os._exit(code)


def _work(blocks: Connection, control: Connection) -> None:
    """In the fork: the same as the code that ``spawn`` gives a new interpreter."""
    gc.freeze()  # what belongs to the parent is never tidied up here
    for number in signal.valid_signals():
        if callable(signal.getsignal(number)):
            signal.signal(number, signal.SIG_DFL)
    logging.getLogger().handlers.clear()
    none = os.open(os.devnull, os.O_RDONLY)
    os.dup2(none, 0)
    low = 3
    for end in sorted((blocks.fileno(), control.fileno())):
        os.closerange(low, end)
        low = end + 1
    os.closerange(low, os.sysconf("SC_OPEN_MAX"))
    sys.path[:], module, name, core = json.loads(blocks.recv_bytes())
    getattr(import_module(module), name)(blocks, control, blocks.recv_bytes(), core)


def fork_workers() -> None:
    """From now on this process forks its workers; ``tests/tournament`` has those that it starts."""

    def start(theirs: Connection, control: Connection, name: str) -> subprocess.Popen[bytes]:
        before = signal.pthread_sigmask(signal.SIG_BLOCK, spawn.SIGNALS)
        try:
            return _Fork((theirs, control))
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    changed: Callable[..., subprocess.Popen[bytes]] = start
    spawn.start = changed


def _request(client: socket.socket) -> tuple[list[Any], list[int]] | None:
    data, streams, _, _ = socket.recv_fds(client, 1 << 16, 3)
    while data and not data.endswith(b"\n"):
        data += client.recv(1 << 16)
    return (json.loads(data), streams) if data else None


def _become(words: list[str], folder: str, env: dict[str, str], streams: list[int]) -> None:
    """What ``python -m arena`` would be."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(env)
    sys.path[0] = folder
    fork_workers()
    sys.argv = [str(Path(arena.__file__).with_name("__main__.py")), *words]
    code: Any = None
    try:
        arena.cli.main()
    except SystemExit as end:
        code = end.code
    _end_sooner(code)


def _end_sooner(code: Any) -> NoReturn:
    """End as Python does, but free no memory: to change every page of a copy takes longest.

    Where streams fail it ends in full.
    """
    threading._shutdown()
    atexit._run_exitfuncs()
    try:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
    except (OSError, ValueError):
        sys.exit(code)
    if code is None or isinstance(code, int):
        os._exit((code or 0) & 0xFF)
    sys.exit(code)
